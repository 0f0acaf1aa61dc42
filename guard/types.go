// Package guard decides calls: it judges a proposed chain of calls against the
// rules in force and what ran before, applies modes, retries, warn repeats,
// latches, reservations and exceptions, and words the answer.
//
// A [Session] is one decision context over a [state.Tx]; hooks, check, replay
// and the embedding library all come through it.
package guard

import (
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/trace"
)

// An Action is what to do with a call. Of two decisions the larger wins.
type Action uint8

const (
	Allow Action = iota
	Ask
	Deny
	Stop
)

func (a Action) String() string {
	return [...]string{"allow", "ask", "deny", "stop"}[a]
}

// A Proposal is what one native call asks to do: a chain that runs together or
// not at all.
type Proposal struct {
	Calls      []trace.Call
	Unresolved []shell.Unresolved // parts of the line that could not be read
	ID, Batch  string
	Agent      string
}

// A Violation is one rule broken by a call.
type Violation struct {
	Rule    *rules.Rule
	Problem string // what in this call breaks it
	Call    int    // index of the call in the chain
	Maybe   bool   // rests on a maybe
	Fix     string // the rule's own, or a suggestion found by search
}

// A Decision is the outcome of one check.
type Decision struct {
	ID         string             // for "explain"
	Action     Action             // of two decisions the larger wins
	Broken     []Violation        // the deciding one first; empty for Allow
	Notes      []Violation        // log-mode rules: told, not enforced
	Unread     []shell.Unresolved // parts the unparseable setting spoke about, when it decided or noted
	Call       int                // index of the deciding call in the chain
	Attempt    int                // retry mode: refusals so far
	Escalated  bool               // retry mode gave up and asks the user
	Override   []string           // warn rules this repeat insists past
	Latched    bool               // refused because the session is stopped
	Exceptions []int              // exceptions used
}
