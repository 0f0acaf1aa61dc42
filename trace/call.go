// Package trace holds the calls that a session made: what was called, with
// which arguments, and how it ended.
//
// A [Call] is one canonical tool call. The other packages speak of calls
// through this one, so that formulas, the shell reader, contracts and the store
// need not know each other. The package reads and writes canonical JSON,
// compares values as the rule language does, and cuts long texts; it judges
// nothing and stores nothing.
package trace

import "time"

// A Call is one tool call under its canonical name. While it has only been
// proposed its Outcome is nil.
type Call struct {
	Tool    string
	Args    Args
	Forms   []Form   // other tool+args that stand for this call (shell.md 5.6)
	CLI     *CLI     // operator, conditional, wrapper, ... of a shell line; nil otherwise
	Effects []Effect // what the call does to files and the network
	ID      string   // the harness's id of the native call; "" if it gives none
	Batch   string   // message of the model the call came in; "" if unknown
	Agent   string   // subagent; "" for the main agent
	Source  string   // the command text the call stands for, if any
	Native  string   // the harness's own tool name
	Harness string   // the harness it was made in
	Session string   // root session
	Dir     string   // working directory; "" if unknown
	Step    *int     // calls with equal steps ran in parallel (formulas.md 1)
	Exists  []string // paths of the arguments that were on disk when the call was checked
	Outcome *Outcome
	Time    time.Time // when the call was recorded; never before the call in front of it
	// Unchecked marks a call that ran without having been judged first.
	Unchecked bool
	// Extra holds fields of a stored entry that this program does not know.
	Extra Args
}

// A Form is another reading of a call: a rule matches a call when it matches
// its tool and arguments, or those of one of its forms.
type Form struct {
	Tool string
	Args Args
}

// Args holds decoded JSON: nil, bool, json.Number, string, []any,
// map[string]any; never changed after decoding.
type Args map[string]any

// An Outcome is how a call that ran ended.
type Outcome struct {
	Status *int // exit status, 0 is success; nil: not known, which is neither success nor failure
	Result *any // nil: not known, which is not the same as null
	Maybe  bool // may not have run: behind && or || of a line that failed
}

// An Effect is something a call does beside returning a result.
type Effect struct {
	Op        string // read write append truncate delete meta exec net
	Target    string // absolute path, or the address for net
	Certainty string // sure or maybe
	Recursive bool
}

// A CLI says where in a command line a call stands.
type CLI struct {
	Source      string            // text of this command
	Index       int               // position in the chain, from 0
	Operator    string            // "", ";", "&&", "||", "|", "&", "$()", "wrap"
	Conditional bool              // may be skipped
	Repeated    bool              // runs 0..n times, listed once
	Background  bool              // after &
	Pipeline    int               // pipeline number from 1; 0: none
	Depth       int               // nesting of subshell, group, substitution, wrapper
	Wrapper     string            // innermost runner: sudo, xargs, bash, function f, ...
	Wrappers    []string          // all runners, outermost first
	Remote      string            // host, container, chroot; "" here
	Redirects   []Redirect        // in order
	Env         map[string]string // VAR=value prefixes
	DynamicArgs []string          // words the shell would still expand
	Bounds      map[string]Bound  // unknown word (or "*") -> what it can be (shell.md 4.9)
	Fields      map[string]string // field -> glob, maybe-cwd, unknown, when it is not exact
	// UnknownPaths lists the path fields that may hold more or other files;
	// AllPathsUnknown means any of them.
	UnknownPaths    []string
	AllPathsUnknown bool
	UnknownArgs     bool   // further words, flags included, may arrive at run time
	Opaque          string // script, code, program-text: runs text that is listed but not understood
	Unspecced       bool   // no command spec, or words left over ("spec_matched": false)
}

// A Redirect is one redirection as written, quotes removed.
type Redirect struct {
	Op     string
	Target string
	FD     string // as written; "" when none is
}

// A Bound says what an unknown word can be: one of Exact, or something that
// one of the globs Within matches. Paths are absolute.
type Bound struct {
	Exact  []string
	Within []string
}

// An Answer is what a match says about a call.
type Answer uint8

// The answers; the order is part of the meaning: "and" is the minimum, "or" the
// maximum.
const (
	No    Answer = iota
	Maybe        // known only at run time
	Yes
)

func (a Answer) String() string {
	switch a {
	case No:
		return "no"
	case Maybe:
		return "maybe"
	default:
		return "yes"
	}
}

// Not mirrors an answer; maybe stays maybe.
func (a Answer) Not() Answer { return Yes - a }

// Succeeded answers whether a call ended with status 0. A call that has only
// been proposed, or whose status is not known, may have.
func (c *Call) Succeeded() Answer {
	if c.Outcome == nil || c.Outcome.Status == nil {
		return Maybe
	}
	if *c.Outcome.Status == 0 {
		return Yes
	}
	return No
}
