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

// The actions.
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
	Shell      string // the shell tool's name, of a line; "" otherwise
	Line       string // the text of a line
	Hold       bool   // keep the calls as they were read until they are recorded, reserved or not
	Key        string // names the exact call: of a line its text, else tool and arguments; "": made from Calls
}

// A Violation is one rule broken by a call.
type Violation struct {
	Rule       *rules.Rule
	Problem    string     // what in this call breaks it
	Call       int        // index of the call in the chain
	Mode       rules.Mode // what it does here: the rule's mode, or what its maybe says
	Maybe      bool       // rests on a maybe
	Fix        string     // the rule's own advice
	Comply     []string   // calls after which it would pass, found by search; nil: none is known
	InFlight   string     // the call in flight that is the only reason; it may pass when that one ended
	Pruned     int        // earlier calls that the rule never saw: they were gone when it began
	RetryAfter int64      // nanoseconds until a rate limit lets it pass; 0: not a matter of time
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
	Exceptions []int              // exceptions of a person used
	Excepted   []string           // rules that an exception kept from deciding
	Shadowed   []Violation        // would have refused, were their rules not in shadow
	ByUnread   bool               // the setting for unread lines decided, no rule
	Try        int                // retry mode: the count that is held against Limit
	Limit      int                // retry mode: the try that asks
	Reserve    bool               // it could count against a later call
	Keep       bool               // something must be kept: in a View, judge again in an Update
	Chain      []trace.Call       // what was judged
	Looked     []string           // rules that could react to it
	Faults     []string           // rules that it breaks, whatever became of that
}

// Rule is the id of the deciding rule; "" when none decided.
func (d *Decision) Rule() string {
	if len(d.Broken) == 0 {
		return ""
	}
	return d.Broken[0].Rule.ID
}

// Mode is the mode that decided; Log when no rule did.
func (d *Decision) Mode() rules.Mode {
	if len(d.Broken) == 0 {
		return rules.Log
	}
	return d.Broken[0].Mode
}
