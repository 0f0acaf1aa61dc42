// Package generic is the documented protocol for agents without an adapter of
// their own (rules.md 22.7): one process an event, one JSON object on stdin, one
// on stdout. The protocol is stable: fields are only added.
package generic

import (
	"fmt"
	"io"
	"iter"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/trace"
)

// Name is the harness's name in commands and rule files.
const Name = "generic"

// protocol is the version of the protocol, in both directions.
const protocol = 1

// Adapter is the adapter.Adapter of other agents.
type Adapter struct{}

var _ adapter.Adapter = Adapter{}

// Profile says what the pipeline must know. Clients take a failing hook for a
// deny: the protocol says so.
func (Adapter) Profile() hooks.Profile {
	return hooks.Profile{
		Name:       Name,
		Agent:      "the agent",
		UserDir:    ".agentltl",
		ShellTools: map[string]string{"Bash": "command", "PowerShell": "command"},
		Ask:        true,
		OnFailure:  hooks.Failures{Crash: hooks.Closed, Timeout: hooks.Closed, BadAnswer: hooks.Closed},
		Status:     hooks.StatusReported,
		CallIDs:    true,
		Batch:      hooks.BatchNone,
		Subagents:  hooks.SubagentsSameSession,
		Starts:     true,
		Prompts:    true,
		PreContext: true,
		ReplaceOut: true,
	}
}

func kindOf(event string) hooks.Kind {
	switch event {
	case "start":
		return hooks.SessionStart
	case "prompt":
		return hooks.UserPrompt
	case "pre":
		return hooks.PreTool
	case "post":
		return hooks.PostTool
	case "turn_end":
		return hooks.TurnEnd
	case "end":
		return hooks.SessionEnd
	default:
		return hooks.None
	}
}

// Decode reads one event. The payload's own event counts where the argument is
// missing; an event of a later protocol has nothing to say to us.
func (Adapter) Decode(_ adapter.Env, event string, payload []byte) (hooks.Event, error) {
	p, err := adapter.ParseObject(payload)
	if err != nil {
		return hooks.Event{}, err
	}
	if event == "" {
		event = p.Text("event")
	}
	switch {
	case event == "":
		return hooks.Event{}, &adapter.PayloadError{Problem: "no event"}
	case p.Text("session") == "" && kindOf(event) != hooks.None:
		return hooks.Event{}, &adapter.PayloadError{Problem: "no session"}
	}
	e := hooks.Event{
		Kind:       kindOf(event),
		Name:       event,
		Session:    p.Text("session"),
		Agent:      p.Text("agent"),
		ID:         p.Scalar("id"),
		Batch:      p.Scalar("batch"),
		Dir:        p.Text("cwd"),
		Project:    p.Text("project"),
		Source:     p.Text("source"),
		Text:       p.Text("text"),
		Person:     p.Bool("person"),
		Unattended: p["attended"] == false,
	}
	if e.Kind == hooks.PreTool || e.Kind == hooks.PostTool {
		return decodeCall(e, p)
	}
	if e.Kind == hooks.TurnEnd && e.Agent != "" {
		e.Kind = hooks.SubagentEnd
	}
	return e, nil
}

func decodeCall(e hooks.Event, p adapter.Object) (hooks.Event, error) {
	e.Native = p.Text("tool")
	if e.Native == "" {
		return hooks.Event{}, &adapter.PayloadError{Problem: "no tool"}
	}
	c := trace.Call{
		Tool: e.Native, Args: adapter.Args(p["args"]), ID: e.ID, Batch: e.Batch, Agent: e.Agent,
		Native: e.Native, Harness: Name, Session: e.Session, Dir: e.Dir,
	}
	if c.Tool == "Agent" {
		c.Tool = "Task"
	}
	if e.Kind == hooks.PostTool {
		e.Ran = p["ran"] != false
		e.Output = p["result"]
		if e.Ran {
			c.Outcome = &trace.Outcome{}
			if n, ok := p.Int("status"); ok {
				c.Outcome.Status = &n
			}
			if v, ok := p["result"]; ok {
				c.Outcome.Result = &v
			}
		}
	}
	e.Calls = []trace.Call{c}
	return e, nil
}

// output is one answer; empty fields are left out.
type output struct {
	Protocol int    `json:"protocol"`
	Decision string `json:"decision"`
	ID       string `json:"id,omitempty"`
	Rule     string `json:"rule,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Notice   string `json:"notice,omitempty"`
	Context  string `json:"context,omitempty"`
	SendBack bool   `json:"send_back,omitempty"`
	Result   any    `json:"result,omitempty"`
}

// Encode always prints an answer: silence would not be told from a crash.
func (Adapter) Encode(w, _ io.Writer, _ hooks.Event, a hooks.Answer) (int, error) {
	return 0, adapter.WriteJSON(w, output{
		Protocol: protocol, Decision: a.Action.String(), ID: a.ID, Rule: a.Rule, Reason: a.Reason,
		Notice: a.Notice, Context: a.Context, SendBack: a.SendBack, Result: a.Output,
	})
}

// Fail denies what could not be judged. Status 3 means that no answer could be
// printed; a client takes it for a deny.
func (Adapter) Fail(w, stderr io.Writer, event string, err error) int {
	o := output{Protocol: protocol, Decision: guard.Allow.String(), Notice: adapter.NotDone(err)}
	if kind := kindOf(event); event == "" || kind == hooks.PreTool {
		o = output{Protocol: protocol, Decision: guard.Deny.String(), Reason: adapter.CouldNotJudge(err)}
	}
	if werr := adapter.WriteJSON(w, o); werr != nil {
		fmt.Fprintf(stderr, "agentltl-hook: %s\n", adapter.Trouble(werr))
		return 3
	}
	return 0
}

// Command is empty: the client starts the hook itself, nothing is installed.
func (Adapter) Command() string { return "" }

// Install has nothing to do.
func (Adapter) Install(adapter.InstallOptions) (adapter.Report, error) { return adapter.Report{}, nil }

// Remove has nothing to do.
func (Adapter) Remove(adapter.InstallOptions) (adapter.Report, error) { return adapter.Report{}, nil }

// Doctor has nothing to look at.
func (Adapter) Doctor(adapter.InstallOptions) []adapter.Finding { return nil }

// Peers is empty.
func (Adapter) Peers(adapter.InstallOptions) []string { return nil }

// HooksOff is empty.
func (Adapter) HooksOff(string, string) []adapter.Switch { return nil }

// Newest is empty: there are no session records.
func (Adapter) Newest(adapter.InstallOptions) adapter.Record { return adapter.Record{} }

// Registrations is empty.
func (Adapter) Registrations(adapter.InstallOptions) []adapter.Registration { return nil }

// Transcripts yields nothing.
func (Adapter) Transcripts(io.Reader) iter.Seq2[adapter.Item, error] {
	return func(func(adapter.Item, error) bool) {}
}

// Gaps are up to the client.
func (Adapter) Gaps() []string { return []string{"a client that does not ask is not judged"} }
