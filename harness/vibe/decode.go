package vibe

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/trace"
)

// Decode reads one payload of any engine.
func (Adapter) Decode(env adapter.Env, event string, payload []byte) (hooks.Event, error) {
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
	e := hooks.Event{
		Kind:       kindOf(event),
		Name:       event,
		Session:    p.Text("session_id"),
		AgentOf:    p.Text("parent_session_id"),
		ID:         p.Text("tool_call_id"),
		Dir:        p.Text("cwd"),
		Project:    env.Dir,
		Transcript: p.Text("transcript_path"),
	}
	if e.Project == "" {
		e.Project = e.Dir
	}
	if e.AgentOf != "" { // a child has a session id of its own
		e.Agent = e.Session
	}
	switch e.Kind {
	case hooks.PreTool, hooks.PostTool:
		return decodeCall(env, e, p)
	case hooks.TurnEnd:
		if e.Agent != "" {
			e.Kind = hooks.SubagentEnd
		}
	default: // nothing more in the payload for us
	}
	return e, nil
}

func decodeCall(env adapter.Env, e hooks.Event, p adapter.Object) (hooks.Event, error) {
	e.Native = p.Text("tool_name")
	if e.Native == "" {
		return hooks.Event{}, &adapter.PayloadError{Problem: "no tool name"}
	}
	base := trace.Call{
		ID: e.ID, Agent: e.Agent, Native: e.Native, Harness: Name, Session: e.Session, Dir: e.Dir,
	}
	c := canonical(env, base, p["tool_input"])
	if c.Tool == "Bash" && strings.Contains(e.Native, ".") && hasZsh(env) {
		e.Dialect = "zsh" // what the unified engine runs lines with, where it is installed
	}
	if e.Kind == hooks.PostTool {
		e.Output = result(p)
		e.Ran = p.Text("tool_error") != refusedByUser
		if e.Ran {
			c.Outcome = adapter.Ended(status(c, p), e.Output)
		}
		e.Person = strings.HasSuffix(e.Native, "ask_user_question") && p.Text("tool_status") == "success"
	}
	e.Calls = []trace.Call{c}
	return e, nil
}

// refusedByUser is the error of a call that the hooks let through and the user
// did not: it did not run.
const refusedByUser = "Tool execution denied by approval callback"

// result is what the tool returned: its structured result, else its text.
func result(p adapter.Object) any {
	if o, ok := p["tool_output"]; ok && o != nil {
		return o
	}
	if s := p.Text("tool_error"); s != "" {
		return s
	}
	return p["tool_output_text"]
}

// status is how a call ended. The unified engines report a command of any exit
// code as a success, the legacy one names the code in the text of a failure.
func status(c trace.Call, p adapter.Object) *int {
	out := p.Object("tool_output")
	if p.Text("tool_status") == "success" {
		if c.Tool == "Bash" {
			if n, ok := out.Int("returncode"); ok {
				return &n
			}
			if c.Native != "bash" && c.Native != "file_system.bash" {
				return nil // a process that goes on
			}
		}
		if out.Text("type") == "error" { // subagent.*, agents.*
			return new(1)
		}
		return new(0)
	}
	text := p.Text("tool_error")
	switch {
	case strings.HasPrefix(text, "Command timed out after"), p.Text("tool_status") == "cancelled":
		return nil // no code, and it may have had effects
	case c.Tool == "Bash":
		if n, ok := returnCode(text); ok && n != 0 { // the command's own text stands in front
			return &n
		}
	}
	return new(1)
}

// returnCode finds "Return code: N" in the text of a failed command, and
// "returncode: N" in a result that was turned into text.
func returnCode(text string) (int, bool) {
	for line := range strings.SplitSeq(text, "\n") {
		for _, start := range []string{"Return code: ", "returncode: "} {
			rest, ok := strings.CutPrefix(line, start)
			if !ok {
				continue
			}
			end := strings.IndexFunc(rest, func(r rune) bool { return r != '-' && (r < '0' || r > '9') })
			if end >= 0 {
				rest = rest[:end]
			}
			n, err := strconv.Atoi(rest)
			return n, err == nil
		}
	}
	return 0, false
}

// hasZsh says whether the shell that the unified engine prefers is there.
func hasZsh(env adapter.Env) bool {
	for _, p := range []string{"/bin/zsh", "/usr/bin/zsh", "/usr/local/bin/zsh", "/opt/homebrew/bin/zsh"} {
		if env.IsThere(filepath.FromSlash(p)) {
			return true
		}
	}
	return false
}
