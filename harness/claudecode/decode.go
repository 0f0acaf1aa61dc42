package claudecode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/trace"
)

// Decode reads one payload. The event is the argument of hook; without one, the
// payload's own. A payload of Copilot CLI, which runs the Claude Code hooks of
// a trusted repository, comes back as an [adapter.ForeignError].
func (a Adapter) Decode(env adapter.Env, event string, payload []byte) (hooks.Event, error) {
	p, err := adapter.ParseObject(payload)
	if err != nil {
		return hooks.Event{}, err
	}
	if isCopilot(p) {
		return hooks.Event{}, &adapter.ForeignError{Harness: "copilot-cli"}
	}
	if event == "" {
		event = p.Text("hook_event_name")
	}
	if event == "" {
		return hooks.Event{}, &adapter.PayloadError{Problem: "no event name"}
	}
	e := hooks.Event{
		Kind:       kindOf(event),
		Name:       event,
		Session:    p.Text("session_id"),
		Agent:      p.Text("agent_id"),
		ID:         p.Text("tool_use_id"),
		Dir:        p.Text("cwd"),
		Project:    env.Getenv("CLAUDE_PROJECT_DIR"),
		Transcript: p.Text("transcript_path"),
		Auto:       slices.Contains(a.Profile().AutoModes, p.Text("permission_mode")),
		Unattended: env.Getenv("CLAUDE_CODE_SESSION_ATTENDED") == "0",
	}
	if e.Project == "" {
		e.Project = e.Dir
	}
	switch e.Kind {
	case hooks.PreTool, hooks.PostTool:
		return decodeCall(e, p)
	case hooks.SessionStart:
		e.Source = p.Text("source")
	case hooks.SessionEnd:
		e.Source = p.Text("reason")
	case hooks.UserPrompt:
		e.Text = p.Text("prompt")
		e.Person = writtenByPerson(e.Text)
	case hooks.BatchEnd:
		e.Calls = batchCalls(e, p)
	case hooks.TurnEnd:
		e.Active = p.Bool("stop_hook_active")
		if e.Agent != "" {
			e.Kind = hooks.SubagentEnd
		}
	case hooks.SubagentEnd:
		// The compaction summarizer ends with an agent type that is there and empty.
		if p.Has("agent_type") && p.Text("agent_type") == "" {
			e.Kind = hooks.None
		}
	default: // nothing more in the payload for us
	}
	return e, nil
}

// isCopilot recognises a payload of Copilot CLI by itself: a repository can set
// COPILOT_CLI=1 for Claude Code's hooks, so the variable proves nothing.
func isCopilot(p adapter.Object) bool {
	return p.Has("timestamp") && !p.Has("tool_use_id") && !p.Has("prompt_id")
}

// writtenByPerson tells prompts of a person from those the program writes
// itself: the end of a background task, and the resumption of a deferred call.
func writtenByPerson(prompt string) bool {
	return !strings.HasPrefix(prompt, "<task-notification>") &&
		prompt != "Continue from where you left off."
}

func decodeCall(e hooks.Event, p adapter.Object) (hooks.Event, error) {
	e.Native = p.Text("tool_name")
	if e.Native == "" {
		return hooks.Event{}, &adapter.PayloadError{Problem: "no tool name"}
	}
	c := canonical(e, p)
	switch e.Name {
	case preSkillShell:
		// No other event follows for the shell lines of a skill that loads.
		e.NoPost = true
	case postToolUse:
		e.Ran = true
		e.Output = p["tool_response"]
		c.Outcome = adapter.Ended(status(e.Native, e.Output), e.Output)
	case postToolUseFailure:
		e.Ran = true
		e.Output = p["error"]
		c.Outcome = adapter.Ended(new(failureStatus(p.Text("error"))), e.Output)
	}
	e.Calls = []trace.Call{c}
	return e, nil
}

// canonical is the call of p under the names of rules.md 6.1.
func canonical(e hooks.Event, p adapter.Object) trace.Call {
	native := p.Text("tool_name")
	c := trace.Call{
		Tool:    native,
		Args:    adapter.Args(p["tool_input"]),
		ID:      p.Text("tool_use_id"),
		Agent:   e.Agent,
		Native:  native,
		Harness: Name,
		Session: e.Session,
		Dir:     e.Dir,
	}
	switch native {
	case "Agent", "Task": // declared to the model as Task, sent to hooks as Agent
		c.Tool = "Task"
	case "MultiEdit":
		c.Tool = "Edit"
	case "Monitor": // watches what a shell command prints: a second way to run one
		if _, ok := c.Args["command"]; ok {
			c.Tool = "Bash"
		}
	}
	return c
}

// batchCalls are the calls of one message, those that never ran included.
func batchCalls(e hooks.Event, p adapter.Object) []trace.Call {
	var calls []trace.Call
	for _, v := range p.List("tool_calls") {
		if o, ok := v.(map[string]any); ok && adapter.Object(o).Text("tool_name") != "" {
			calls = append(calls, canonical(e, o))
		}
	}
	return calls
}

// status is 0 for a tool that succeeded; nil where the call goes on in the
// background, so that nobody knows how it ends.
func status(native string, response any) *int {
	m, _ := response.(map[string]any)
	r := adapter.Object(m)
	if native == "Monitor" || r.Text("backgroundTaskId") != "" || r.Bool("interrupted") || r.Text("status") == "async_launched" {
		return nil
	}
	return new(0)
}

// failureStatus is the exit code in the text of a failure, else 1.
func failureStatus(text string) int {
	rest, ok := strings.CutPrefix(text, "Exit code ")
	if !ok {
		return 1
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	n, err := strconv.Atoi(rest[:end])
	if err != nil || n == 0 {
		return 1 // a failure has no status 0
	}
	return n
}
