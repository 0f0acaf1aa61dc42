package hooks

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/trace"
)

// A Step is one thing that happens in a replayed session: a proposed call, a
// message of the user, the end of a turn, and so on (rules.md 22.3).
type Step struct {
	Do     string // call finish prompt start load session sleep disk
	Text   string // as it was written, for reports
	Tool   string
	Input  trace.Args
	Want   *StepWant
	Auto   bool
	Ran    *bool // call: whether it ran; nil: when nothing objects
	Status *int  // exit status; nil: 0
	Output any
	ID     string // session: its name
	Agent  string
	Sleep  time.Duration
	At     *time.Duration // time since the first step
	Path   string         // disk
	File   *string        // disk: content; nil removes
	hidden bool           // made by us, not reported
}

// Hidden says whether the step was not in the file: it is not reported.
func (s *Step) Hidden() bool { return s.hidden }

// A StepWant is what a step expects; nil fields are not compared.
type StepWant struct {
	Result    string   // allow note deny ask stop: as the text form writes it
	Action    *string  // none deny ask stop, or block for a finish
	Rule      **string // a nil inside: no rule decided
	Note      *bool
	Calls     []string
	Says      []string
	Silent    []string
	Leaks     *[]string
	Rules     *[]string
	Announced *bool
	Mentions  []string
	Load      map[string]any // load: the whole expectation
}

// ParseStep reads the text form of a step: a command line or a tool with its
// arguments as JSON, an expectation in front of it, "fail:" for a command that
// ends with status 1, "user:", "finish:", "session: NAME", "sleep: 10m".
func ParseStep(text string) (Step, error) {
	s := Step{Do: "call", Text: text}
	rest := strings.TrimSpace(text)
	for {
		word, after, ok := strings.Cut(rest, ":")
		if !ok {
			break
		}
		after = strings.TrimSpace(after)
		switch word {
		case "deny", "allow", "ask", "stop", "note":
			if s.Want != nil {
				return s, fmt.Errorf("%q has two expectations", text)
			}
			s.Want = &StepWant{Result: word}
			rest = after
			continue
		case "fail":
			one := 1
			s.Status = &one
			rest = after
			continue
		case "user":
			s.Do = "prompt"
			return s, nil
		case "finish":
			s.Do = "finish"
			return s, nil
		case "start":
			s.Do = "start"
			return s, nil
		case "session":
			if after == "" {
				return s, errors.New("session: needs a name")
			}
			s.Do, s.ID = "session", after
			return s, nil
		case "sleep":
			d, err := time.ParseDuration(after)
			if err != nil || d < 0 {
				return s, fmt.Errorf("sleep: %q is no duration such as 10m", after)
			}
			s.Do, s.Sleep = "sleep", d
			return s, nil
		}
		break
	}
	if rest == "" {
		return s, fmt.Errorf("%q names no command", text)
	}
	return s, s.parseCall(rest)
}

// parseCall reads a tool with JSON arguments, else a command line.
func (s *Step) parseCall(rest string) error {
	name, args, ok := strings.Cut(rest, " ")
	args = strings.TrimSpace(args)
	if ok && isToolName(name) && strings.HasPrefix(args, "{") {
		v, err := trace.DecodeJSON([]byte(args))
		if m, isMap := v.(map[string]any); err == nil && isMap {
			s.Tool, s.Input = name, m
			return nil
		}
		if name[0] >= 'A' && name[0] <= 'Z' || strings.HasPrefix(name, "mcp__") {
			return fmt.Errorf("the arguments of %s are no JSON object: %s", name, args)
		}
	}
	s.Tool, s.Input = "Bash", trace.Args{"command": rest}
	return nil
}

func isToolName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_.-", r) {
			return false
		}
	}
	return s != ""
}
