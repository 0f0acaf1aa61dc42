// Package contract holds the rule kinds that are no formulas: sums
// (at_most_total), clocks (rate_limit), and conditions over state, with O(1)
// automata and their checkpoints.
//
// A [Contract] is a compiled definition, a [Monitor] its progress on one trace.
// Which calls a contract speaks of is decided by a [Matcher] that the rule
// language supplies. The package knows nothing of files, modes or stores.
package contract

import "github.com/agentltl/agentltl-hook/trace"

// A Matcher decides whether a call is one a contract speaks of.
type Matcher interface {
	Match(c *trace.Call) trace.Answer
	Key() string     // canonical text; part of the rule's digest
	Tools() []string // tool names or globs; nil: any
}

// A Contract is one compiled template.
type Contract interface {
	NewMonitor() Monitor
	Key() string     // canonical text; part of the rule's digest
	Tools() []string // tool names or globs that can react; nil: any
}

// A Monitor is a contract's progress on one trace.
type Monitor interface {
	// Propose judges a call as if it ran next; nothing changes. "" lets it pass,
	// else one plain-words problem line (contracts.md 1.4).
	Propose(c *trace.Call) Problem
	// Step records a call that ran (or, on a clone, one in flight or of the same chain).
	Step(c *trace.Call) (changed bool)
	Clone() Monitor
	Status() Status
	AppendBinary(b []byte) ([]byte, error)
	UnmarshalBinary(b []byte) error
}

// A Problem is why a contract refuses a call; the zero Problem lets it pass.
type Problem struct {
	Text       string
	Maybe      bool  // rests on a call that only may match
	RetryAfter int64 // nanoseconds until a rate limit lets it pass; 0: not a matter of time
}

// A Status is the three-valued state of a contract.
type Status uint8

// The states.
const (
	Unknown   Status = iota
	Satisfied        // nothing later can break it
	Violated         // a call that broke it ran
)
