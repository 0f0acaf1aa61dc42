package ltl

import "github.com/agentltl/agentltl-hook/trace"

// Env binds the variables of enclosing quantifiers to JSON values.
type Env map[string]any

// A Matcher decides whether a call is one a rule target speaks of. It is how
// targets reach formulas without this package knowing them.
type Matcher interface {
	// Match answers for one call, recorded or proposed.
	Match(c *trace.Call, env Env) trace.Answer
	// Key is the canonical text of the matcher: equal keys, equal answers. It is
	// part of the formula's canonical text and so of a rule's digest.
	Key() string
	// Tools lists the tool names or globs (with *) that a matching call can
	// have; nil means any.
	Tools() []string
	// Vars lists the variables that Match reads from env, sorted.
	Vars() []string
}

// A Domain gives the values that a quantifier "in here" ranges over at one call.
type Domain interface {
	// Values of the call: none if the domain does not speak of it. Order is of
	// first occurrence, without duplicates (by Equal).
	Values(c *trace.Call) []any
	Key() string
	Tools() []string
}
