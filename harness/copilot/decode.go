package copilot

import (
	"iter"
	"strconv"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/trace"
)

// Decode reads one payload of either form. camelCase payloads do not name their
// event: it has to be the argument of hook.
func (a Adapter) Decode(env adapter.Env, event string, payload []byte) (hooks.Event, error) {
	p, err := adapter.ParseObject(payload)
	if err != nil {
		return hooks.Event{}, err
	}
	if event == "" {
		event = p.Text("hook_event_name", "hookEventName", "hookName")
	}
	if event == "" {
		if event = guessed(p); event == "" {
			return hooks.Event{}, &adapter.PayloadError{Problem: "no event name"}
		}
	}
	e := hooks.Event{
		Kind:       kindOf(event),
		Name:       event,
		Session:    p.Text("sessionId", "session_id"),
		Agent:      p.Text("agentId", "agent_id"),
		AgentOf:    p.Text("parentAgentId", "parent_agent_id"),
		Dir:        p.Text("cwd"),
		Project:    p.Text("cwd"), // it does not move when the model runs cd
		Transcript: p.Text("transcriptPath", "transcript_path"),
	}
	switch e.Kind {
	case hooks.PreTool, hooks.PostTool:
		return decodeCall(env, e, p)
	case hooks.SessionStart:
		e.Source = p.Text("source")
		if e.Source == "new" {
			e.Source = "startup"
		}
	case hooks.SessionEnd:
		e.Source = p.Text("reason")
	case hooks.UserPrompt:
		e.Text = p.Text("prompt")
		e.Person = e.Agent == "" && !strings.HasPrefix(e.Text, "<system_notification>")
	case hooks.TurnEnd:
		e.Active = p.Bool("stop_hook_active")
		if e.Agent != "" {
			e.Kind = hooks.SubagentEnd
		}
	default: // nothing more in the payload for us
	}
	return e, nil
}

// guessed is the event of a camelCase payload that came without an argument, as
// far as its fields tell: a tool call must not pass for something harmless.
func guessed(p adapter.Object) string {
	switch {
	case !p.Has("toolName"):
		return ""
	case p.Has("toolResult"):
		return "postToolUse"
	case p.Has("error"):
		return "postToolUseFailure"
	case p.Has("toolArgs"):
		return "preToolUse"
	}
	return ""
}

func decodeCall(env adapter.Env, e hooks.Event, p adapter.Object) (hooks.Event, error) {
	e.Native = p.Text("toolName", "tool_name")
	if e.Native == "" {
		return hooks.Event{}, &adapter.PayloadError{Problem: "no tool name"}
	}
	if e.Kind == hooks.PreTool {
		e.Batch = batch(e, p)
	}
	input, ok := p["toolArgs"]
	if !ok {
		input = p["tool_input"]
	}
	base := trace.Call{
		Batch: e.Batch, Agent: e.Agent, Native: e.Native, Harness: Name, Session: e.Session, Dir: e.Dir,
	}
	var err error
	if e.Calls, err = canonical(env, base, input); err != nil {
		return hooks.Event{}, err
	}
	if e.Kind != hooks.PostTool {
		return e, nil
	}
	e.Ran = true
	var outcome *trace.Outcome
	if failed(e.Name) {
		e.Output = p["error"]
		outcome = adapter.Ended(new(1), e.Output)
	} else {
		text := resultText(p)
		e.Output = text
		outcome = adapter.Ended(status(e.Calls, text), text)
	}
	for i := range e.Calls {
		e.Calls[i].Outcome = outcome
	}
	return e, nil
}

// batch names the message a call came in: its pre events all carry the same
// time. A subagent's messages are its own.
func batch(e hooks.Event, p adapter.Object) string {
	at := p.Scalar("timestamp")
	if at == "" {
		return ""
	}
	if e.Agent != "" {
		return e.Agent + " " + at
	}
	return at
}

func resultText(p adapter.Object) string {
	if r := p.Object("toolResult"); r != nil {
		return r.Text("textResultForLlm")
	}
	return p.Object("tool_result").Text("text_result_for_llm")
}

// status finds how a successful call ended: a shell command with another exit
// code than 0 is a success too, the code stands in the last line of its text.
func status(calls []trace.Call, text string) *int {
	if len(calls) != 1 || (calls[0].Tool != "Bash" && calls[0].Tool != "PowerShell") {
		return new(0)
	}
	for line := range backwards(text) {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case line == "" || isSandboxNote(line):
			continue
		case !strings.HasPrefix(line, "<") || !strings.HasSuffix(line, ">") || !strings.Contains(line, "shellId: "):
			return new(0)
		}
		if _, code, ok := strings.Cut(line, " completed with exit code "); ok {
			if n, err := strconv.Atoi(strings.TrimSuffix(code, ">")); err == nil {
				return new(n)
			}
		}
		return nil // started in the background, or still running
	}
	return new(0)
}

// backwards yields the lines of s, the last first.
func backwards(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			i := strings.LastIndexByte(s, '\n')
			if !yield(s[i+1:]) || i < 0 {
				return
			}
			s = s[:i]
		}
	}
}

// isSandboxNote knows the lines that the program puts behind the exit code.
func isSandboxNote(line string) bool {
	for _, start := range []string{
		"<sandbox is active ",
		"<this failure may be caused by the active sandbox policy.",
		"<This command was retried outside the Copilot sandbox",
	} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}
