package claudecode

import (
	"fmt"
	"io"
	"maps"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
)

// maxText keeps each text below the 10,000 characters at which the program
// replaces it by an excerpt and a file name (measured).
const maxText = 9000

// output is the whole of what a hook may say. Only these fields exist: an
// answer with an unknown or misplaced one is dropped, and the call runs.
type output struct {
	Continue      *bool     `json:"continue,omitempty"`
	StopReason    string    `json:"stopReason,omitempty"`
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
	UpdatedToolOutput        any    `json:"updatedToolOutput,omitempty"`
}

// Encode writes the answer; nothing for silence. The status is always 0: a
// refusal by exit code would show the model the hook's command line.
func (Adapter) Encode(w, _ io.Writer, e hooks.Event, a hooks.Answer) (int, error) {
	o := output{SystemMessage: adapter.Cut(a.Notice, maxText)}
	s := specific{HookEventName: e.Name}
	switch e.Kind {
	case hooks.PreTool:
		encodePre(&o, &s, a)
	case hooks.PostTool:
		s.AdditionalContext = a.Context
		if e.Name == postToolUse && a.Output != nil {
			s.UpdatedToolOutput = inShape(e.Output, a.Output)
		}
		if a.Action >= guard.Deny {
			o.Decision, o.Reason = "block", reason(a)
		} else {
			s.AdditionalContext = adapter.Join(a.Reason, a.Context)
		}
	case hooks.TurnEnd:
		if a.SendBack {
			o.Decision, o.Reason = "block", adapter.Cut(adapter.Join(reason(a), a.Context), maxText)
		}
	case hooks.SessionStart, hooks.SubagentStart, hooks.UserPrompt, hooks.BatchEnd:
		s.AdditionalContext = a.Context
	default: // the line for the user alone
	}
	if e.Name == preSkillShell {
		s.AdditionalContext = "" // not a field of this event
	}
	s.AdditionalContext = adapter.Cut(s.AdditionalContext, maxText)
	if s.PermissionDecision != "" || s.AdditionalContext != "" || s.UpdatedToolOutput != nil {
		o.Specific = &s
	}
	if o == (output{}) {
		return 0, nil
	}
	return 0, adapter.WriteJSON(w, o)
}

func encodePre(o *output, s *specific, a hooks.Answer) {
	s.AdditionalContext = a.Context
	switch a.Action {
	case guard.Allow: // never "allow": that would skip the user's own permissions
		return
	case guard.Ask:
		s.PermissionDecision = "ask"
	case guard.Deny:
		s.PermissionDecision = "deny"
	case guard.Stop:
		s.PermissionDecision = "deny"
		// The agent stops only with both: continue false alone runs the call.
		no := false
		o.Continue = &no
		o.StopReason = adapter.Cut(reason(a), maxText)
	}
	s.PermissionDecisionReason = adapter.Cut(reason(a), maxText)
}

func reason(a hooks.Answer) string {
	if a.Reason == "" {
		return adapter.NoReason
	}
	return a.Reason
}

// inShape gives a replaced result the shape of the tool's own: one of another
// shape is ignored, and the model would read the original.
func inShape(old, repl any) any {
	text, isText := repl.(string)
	if !isText {
		return repl
	}
	switch old := old.(type) {
	case map[string]any:
		if _, ok := old["stdout"]; ok { // Bash
			out := maps.Clone(old)
			out["stdout"], out["stderr"] = text, ""
			return out
		}
		if file, ok := old["file"].(map[string]any); ok { // Read
			out, file := maps.Clone(old), maps.Clone(file)
			file["content"] = text
			out["file"] = file
			return out
		}
	case []any:
		return []any{map[string]any{"type": "text", "text": text}}
	}
	return text
}

// Fail answers an event that could not be judged. A call behind an unreadable
// payload is refused by exit status 2, which needs nothing but this line; other
// trouble asks.
func (Adapter) Fail(w, stderr io.Writer, event string, err error) int {
	kind := kindOf(event)
	if event == "" {
		kind = hooks.PreTool // not even the event is known: take the worst
	}
	switch {
	case kind == hooks.PreTool && (adapter.IsPayload(err) || event == ""):
		fmt.Fprintf(stderr, "agentltl-hook: %s; the call is refused\n", adapter.Trouble(err))
		return 2
	case kind == hooks.PreTool:
		o := output{Specific: &specific{
			HookEventName:            event,
			PermissionDecision:       "ask",
			PermissionDecisionReason: adapter.CouldNotJudge(err),
		}}
		if adapter.WriteJSON(w, o) != nil {
			fmt.Fprintf(stderr, "agentltl-hook: %s; the call is refused\n", adapter.Trouble(err))
			return 2
		}
	case adapter.IsPayload(err) && kind != hooks.PostTool && kind != hooks.SessionStart:
		fmt.Fprintf(stderr, "agentltl-hook: %s\n", adapter.Trouble(err))
	case kind != hooks.None:
		_ = adapter.WriteJSON(w, output{SystemMessage: adapter.NotDone(err)})
	}
	return 0
}
