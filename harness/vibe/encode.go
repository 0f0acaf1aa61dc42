package vibe

import (
	"fmt"
	"io"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
)

// maxText keeps answers far below the megabyte that is read.
const maxText = 9000

// output is the whole of what a hook may say. Unknown keys and decisions are
// tolerated, and the call runs.
type output struct {
	Decision      string    `json:"decision,omitempty"`
	Reason        string    `json:"reason,omitempty"`
	SystemMessage string    `json:"system_message,omitempty"`
	Specific      *specific `json:"hook_specific_output,omitempty"`
}

type specific struct {
	AdditionalContext string `json:"additional_context,omitempty"`
}

// Encode writes the answer; nothing for silence. The status is always 0: with
// strict any other refuses the call and shows stderr for a reason.
func (Adapter) Encode(w, _ io.Writer, e hooks.Event, a hooks.Answer) (int, error) {
	var o output
	switch e.Kind {
	case hooks.PreTool:
		if a.Action != guard.Allow { // there is no ask: the pipeline asked in words
			o.Decision, o.Reason = "deny", adapter.Cut(reason(a), maxText)
			break // a message beside a refusal is not shown
		}
		o.SystemMessage = a.Notice // no way to tell the model before a call
	case hooks.PostTool:
		o.SystemMessage = a.Notice
		context := adapter.Join(a.Reason, a.Context)
		if a.Action >= guard.Deny {
			context = adapter.Join(reason(a), a.Context)
		}
		if a.Output != nil { // deny replaces the result
			o.Decision, o.Reason = "deny", adapter.Plain(a.Output)
			if o.Reason == "" {
				o.Reason = "(empty)"
			}
		}
		if context != "" {
			o.Specific = &specific{AdditionalContext: adapter.Cut(context, maxText)}
		}
	case hooks.TurnEnd:
		o.SystemMessage = a.Notice
		if a.SendBack {
			o.Decision, o.Reason = "deny", adapter.Cut(adapter.Join(reason(a), a.Context), maxText)
		}
	default:
		return 0, nil
	}
	o.SystemMessage = adapter.Cut(o.SystemMessage, maxText)
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
// there is no asking.
func (Adapter) Fail(w, stderr io.Writer, event string, err error) int {
	kind := kindOf(event)
	switch {
	case kind == hooks.PreTool || event == "":
		if adapter.WriteJSON(w, output{Decision: "deny", Reason: adapter.CouldNotJudge(err)}) != nil {
			return 1 // refuses the call too where we are registered strictly
		}
	case adapter.IsPayload(err) && kind != hooks.PostTool && kind != hooks.SessionStart, kind == hooks.None:
		fmt.Fprintf(stderr, "agentltl-hook: %s\n", adapter.Trouble(err))
	default:
		_ = adapter.WriteJSON(w, output{SystemMessage: adapter.NotDone(err)})
	}
	return 0
}
