package codex

import (
	"fmt"
	"io"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
)

// maxText keeps contexts below the 10 kB at which they are cut and a copy is
// saved beside.
const maxText = 9000

// output is the whole of what a hook may say. An unknown key anywhere makes the
// answer invalid, and the call runs; so do "ask", "allow" alone and "continue".
type output struct {
	SystemMessage string    `json:"systemMessage,omitempty"`
	Decision      string    `json:"decision,omitempty"`
	Reason        string    `json:"reason,omitempty"`
	Specific      *specific `json:"hookSpecificOutput,omitempty"`
}

type specific struct {
	HookEventName            string `json:"hookEventName"`
	PermissionDecision       string `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string `json:"permissionDecisionReason,omitempty"`
	AdditionalContext        string `json:"additionalContext,omitempty"`
}

// Encode writes the answer; nothing for silence. The status is always 0.
func (Adapter) Encode(w, _ io.Writer, e hooks.Event, a hooks.Answer) (int, error) {
	o := output{SystemMessage: adapter.Cut(a.Notice, maxText)}
	s := specific{HookEventName: e.Name}
	switch e.Kind {
	case hooks.PreTool:
		s.AdditionalContext = a.Context
		if a.Action != guard.Allow { // there is no ask: the pipeline asked in words
			s.PermissionDecision, s.PermissionDecisionReason = "deny", adapter.Cut(reason(a), maxText)
		}
	case hooks.PostTool:
		s.AdditionalContext = a.Context
		switch {
		case a.Output != nil:
			// The only way to replace a result: its text is what the model reads.
			o.Decision, o.Reason = "block", adapter.Join(adapter.Plain(a.Output), a.Reason)
		case a.Action >= guard.Deny:
			// Blocking would take the result away, which nobody asked for.
			s.AdditionalContext = adapter.Join(reason(a), a.Context)
		default:
			s.AdditionalContext = adapter.Join(a.Reason, a.Context)
		}
	case hooks.TurnEnd:
		if a.SendBack {
			o.Decision, o.Reason = "block", adapter.Cut(adapter.Join(reason(a), a.Context), maxText)
		}
	case hooks.SessionStart, hooks.SubagentStart, hooks.UserPrompt:
		s.AdditionalContext = a.Context
	case hooks.SubagentEnd, hooks.PreCompact:
	default: // SessionEnd takes nothing
		return 0, nil
	}
	s.AdditionalContext = adapter.Cut(s.AdditionalContext, maxText)
	if s.PermissionDecision != "" || s.AdditionalContext != "" {
		o.Specific = &s
	}
	if o == (output{}) {
		return 0, nil
	}
	return 0, adapter.WriteJSON(w, o)
}

func reason(a hooks.Answer) string {
	if a.Reason == "" {
		return adapter.NoReason
	}
	return a.Reason
}

// Fail answers an event that could not be judged: a call is refused, because
// there is no asking and a failing hook lets it run.
func (Adapter) Fail(w, stderr io.Writer, event string, err error) int {
	kind := kindOf(event)
	switch {
	case kind == hooks.PreTool || event == "":
		o := output{Specific: &specific{
			HookEventName:            preToolUse,
			PermissionDecision:       "deny",
			PermissionDecisionReason: adapter.CouldNotJudge(err),
		}}
		if adapter.WriteJSON(w, o) != nil {
			fmt.Fprintln(stderr, adapter.CouldNotJudge(err))
			return 2 // refuses the call too
		}
	case adapter.IsPayload(err) && kind != hooks.PostTool && kind != hooks.SessionStart, kind == hooks.SessionEnd, kind == hooks.None:
		fmt.Fprintf(stderr, "agentltl-hook: %s\n", adapter.Trouble(err))
	default:
		_ = adapter.WriteJSON(w, output{SystemMessage: adapter.NotDone(err)})
	}
	return 0
}
