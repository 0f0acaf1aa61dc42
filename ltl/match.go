package ltl

import "github.com/agentltl/agentltl-hook/trace"

// Env binds the variables of enclosing quantifiers to JSON values. A variable
// bound to [Fresh] stands for any value that no call has named.
type Env map[string]any

// Fresh is the value of a variable that stands for "any value not met yet". It
// equals no JSON value, so a matcher that compares with [trace.Equal] answers
// No by itself.
var Fresh any = fresh{}

type fresh struct{}

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

// A Namer is a Matcher with variables that can say which values of a variable a
// call could be matched with. For every value not listed, Match must answer as
// for [Fresh]. Values must be spelled as the rule's domains spell them (paths
// absolute), since they are compared with [trace.Equal]. A formula with a
// Matcher that has variables and is no Namer is judged by the fallback.
type Namer interface {
	Names(c *trace.Call, variable string) []any
}

// A Sampler is a Matcher that can make a call which certainly matches it, for
// the search of a shortest way to comply.
type Sampler interface {
	Sample() (trace.Call, bool)
}

// A Domain gives the values that a quantifier "in here" ranges over at one call.
// [Here] is the one of the formula language.
type Domain interface {
	// Values of the call: none if the domain does not speak of it. Order is of
	// first occurrence, without duplicates (by Equal).
	Values(c *trace.Call) []any
	// Key is the canonical text of the domain.
	Key() string
	// Tools lists the tool names or globs whose calls can have values; nil means any.
	Tools() []string
}
