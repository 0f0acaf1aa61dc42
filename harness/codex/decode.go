package codex

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/trace"
)

// Decode reads one payload. The session's folder is the working directory of
// the hook process: the cwd of a shell call is one the model chose.
func (a Adapter) Decode(env adapter.Env, event string, payload []byte) (hooks.Event, error) {
	p, err := adapter.ParseObject(payload)
	if err != nil {
		return hooks.Event{}, err
	}
	if event == "" {
		event = p.Text("hook_event_name")
	}
	if event == "" {
		return hooks.Event{}, &adapter.PayloadError{Problem: "no event name"}
	}
	auto := slices.Contains(a.Profile().AutoModes, p.Text("permission_mode"))
	e := hooks.Event{
		Kind:       kindOf(event),
		Name:       event,
		Session:    p.Text("session_id"),
		Agent:      p.Text("agent_id"),
		ID:         p.Text("tool_use_id"),
		Dir:        p.Text("cwd"),
		Project:    env.Dir,
		Transcript: p.Text("transcript_path"),
		Auto:       auto,
		Unattended: auto, // codex exec with approvals off: nobody answers
	}
	if e.Project == "" {
		e.Project = e.Dir
	}
	switch e.Kind {
	case hooks.PreTool, hooks.PostTool:
		return decodeCall(e, p)
	case hooks.SessionStart:
		e.Source = p.Text("source")
		if e.Source == "fork" {
			e.Parent = forkedFrom(e.Transcript)
		}
	case hooks.SessionEnd:
		e.Source = p.Text("reason")
	case hooks.UserPrompt:
		e.Text = p.Text("prompt")
		e.Person = e.Agent == "" // a subagent's task is not the user speaking
	case hooks.TurnEnd:
		e.Active = p.Bool("stop_hook_active")
		if e.Agent != "" {
			e.Kind = hooks.SubagentEnd
		}
	default: // nothing more in the payload for us
	}
	return e, nil
}

func decodeCall(e hooks.Event, p adapter.Object) (hooks.Event, error) {
	e.Native = p.Text("tool_name")
	if e.Native == "" {
		return hooks.Event{}, &adapter.PayloadError{Problem: "no tool name"}
	}
	base := trace.Call{
		ID: e.ID, Agent: e.Agent, Native: e.Native, Harness: Name, Session: e.Session, Dir: e.Dir,
	}
	var err error
	if e.Calls, e.NoPost, err = canonical(base, p["tool_input"]); err != nil {
		return hooks.Event{}, err
	}
	if e.Kind != hooks.PostTool {
		e.NoPost = e.NoPost && e.Kind == hooks.PreTool
		return e, nil
	}
	e.NoPost = false
	e.Ran = true
	e.Output = p["tool_response"]
	// The user answered the agent's question: pending questions of ours count as
	// answered too.
	e.Person = e.Native == "request_user_input"
	outcome := adapter.Ended(status(e, p), e.Output)
	for i := range e.Calls {
		e.Calls[i].Outcome = outcome
	}
	return e, nil
}

// status is how a call with a post event ended: such a call succeeded, unless
// it is a shell command, whose exit code the rollout holds.
func status(e hooks.Event, p adapter.Object) *int {
	if e.Native == "Bash" {
		return exitCode(e.Transcript, e.ID)
	}
	text, _ := p["tool_response"].(string)
	if e.Native == "apply_patch" && strings.HasPrefix(text, "Exit code: ") && !strings.HasPrefix(text, "Exit code: 0\n") {
		return new(1)
	}
	return new(0)
}
