package copilot

import (
	"fmt"
	"io"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
)

// maxText keeps answers far below any limit; the program's own is not known.
const maxText = 9000

// output is the whole of what a hook may say: flat fields, which events of
// either form take. Nested ones are ignored under camelCase names, and the call
// would run.
type output struct {
	PermissionDecision       string          `json:"permissionDecision,omitempty"`
	PermissionDecisionReason string          `json:"permissionDecisionReason,omitempty"`
	AdditionalContext        string          `json:"additionalContext,omitempty"`
	ModifiedResult           *modifiedResult `json:"modifiedResult,omitempty"`
	Decision                 string          `json:"decision,omitempty"`
	Reason                   string          `json:"reason,omitempty"`
}

type modifiedResult struct {
	ResultType       string `json:"resultType"`
	TextResultForLlm string `json:"textResultForLlm"`
}

// Encode writes the answer; nothing for silence. The status is always 0: any
// other refuses the call and loses the reason.
func (Adapter) Encode(w, _ io.Writer, e hooks.Event, a hooks.Answer) (int, error) {
	var o output
	switch e.Kind {
	case hooks.PreTool:
		o.AdditionalContext = a.Context
		switch a.Action {
		case guard.Allow: // never "allow": that would skip the user's own permissions
		case guard.Ask:
			o.PermissionDecision = "ask"
		default: // there is no answer that stops the agent: every call is refused
			o.PermissionDecision = "deny"
		}
		if o.PermissionDecision != "" {
			o.PermissionDecisionReason = reason(a)
		}
	case hooks.PostTool:
		o.AdditionalContext = a.Context
		if a.Action >= guard.Deny {
			o.AdditionalContext = adapter.Join(reason(a), a.Context)
		} else {
			o.AdditionalContext = adapter.Join(a.Reason, a.Context)
		}
		if a.Output != nil && !failed(e.Name) {
			o.ModifiedResult = &modifiedResult{ResultType: "success", TextResultForLlm: adapter.Plain(a.Output)}
		}
	case hooks.TurnEnd:
		if a.SendBack {
			o.Decision, o.Reason = "block", adapter.Cut(adapter.Join(reason(a), a.Context), maxText)
		}
	case hooks.SessionStart, hooks.UserPrompt:
		o.AdditionalContext = a.Context
	default: // nothing can be said
	}
	o.PermissionDecisionReason = adapter.Cut(o.PermissionDecisionReason, maxText)
	o.AdditionalContext = adapter.Cut(o.AdditionalContext, maxText)
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

// Fail answers an event that could not be judged: a call behind an unreadable
// payload is refused, other trouble asks.
func (Adapter) Fail(w, stderr io.Writer, event string, err error) int {
	if kindOf(event) != hooks.PreTool && event != "" {
		fmt.Fprintf(stderr, "agentltl-hook: %s\n", adapter.Trouble(err))
		return 0
	}
	o := output{PermissionDecision: "ask", PermissionDecisionReason: adapter.CouldNotJudge(err)}
	if adapter.IsPayload(err) || event == "" {
		o.PermissionDecision = "deny"
	}
	if adapter.WriteJSON(w, o) != nil {
		return 1 // refuses the call too
	}
	return 0
}
