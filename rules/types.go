// Package rules reads AGENTLTL.yaml: it finds the files of every layer, loads
// and merges them, compiles each rule to a formula or a contract, and names
// every problem with its place.
//
// [Find] lists the files in force, [Load] turns them into a [Set]. The package
// decides nothing about calls: that is guard's work.
package rules

import (
	"fmt"
	"strings"

	"github.com/agentltl/agentltl-hook/cond"
	"github.com/agentltl/agentltl-hook/contract"
	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

// A Mode is what a rule does with a call that breaks it. The order is strength:
// the strongest broken mode decides (rules.md 9).
type Mode uint8

const (
	Log Mode = iota
	Warn
	Retry
	Ask
	Block
	Stop
)

// A Scope is the memory a rule looks at.
type Scope uint8

const (
	Session Scope = iota
	Project
)

// A Layer is who wrote a rule (trust.md 2). Smaller is higher.
type Layer uint8

const (
	Managed Layer = iota
	User
	ProjectFile
	Nested
	BuiltIn
)

// Maybe says what a match that is only maybe does (rules.md 4).
type Maybe uint8

const (
	MaybeRefuse Maybe = iota
	MaybeAsk
	MaybeNote
)

// A MaybePair is a Maybe for calls that only read the unknown files, and for all others.
type MaybePair struct{ Read, Write Maybe }

// A Pos is a place in a rule file. Line 0: the file as a whole.
type Pos struct {
	File string
	Line int
}

func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// A Problem is something wrong in a rule file.
type Problem struct {
	Pos  Pos
	Rule string // id; "" when it is not about one rule
	Msg  string
}

func (p Problem) Error() string {
	if p.Rule == "" {
		return fmt.Sprintf("%s: %s", p.Pos, p.Msg)
	}
	return fmt.Sprintf("%s: rule %q: %s", p.Pos, p.Rule, p.Msg)
}

// Problems are all problems of the files, in order.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, q := range p {
		lines[i] = q.Error()
	}
	return strings.Join(lines, "\n")
}

// A Rule is one compiled entry of a rule file.
type Rule struct {
	ID, Kind, Why, Fix string
	Summary            string // one line in words: what the targets say
	Mode               Mode
	Scope              Scope
	Formula            ltl.Formula       // nil for sums, clocks and conditions
	Contract           contract.Contract // nil for formulas
	Finally            bool              // judged at turn end only; Mode is ignored
	When               *cond.Expr        // nil: always
	Maybe              MaybePair
	Layer              Layer
	Source             string // user, project, library:<entry>, built-in, ... as validate prints it
	From               []From // provenance (rules.md 4)
	Except             []Except
	ReviewBy           string // YYYY-MM-DD; "" none
	Shadow, Locked     bool
	Limit              bool     // a proposal it lets through reserves (contracts.md 1.5)
	Tools              []string // tool names or globs whose calls it can react to; meaningless when Always
	Always             bool     // it can change on a call that matches none of its atoms
	Retries            int      // of its own file's settings, for managed and locked rules; 0: the set's
	Counting           string   // likewise; "": the set's
	Group              string
	Pos                Pos
	Digest             [32]byte // of all that evaluation depends on; keys checkpoints
	// Explain says in words what in these calls breaks the rule; nil: the
	// monitor's own words. calls are the recorded ones that matter and, last, the
	// proposed one.
	Explain func(e Explanation) string
}

// An Explanation is what a kind gets to word a refusal.
type Explanation struct {
	Call    trace.Call          // the refused call
	Earlier func() []trace.Call // the recorded calls (read when needed), oldest first
	First   int                 // number of the first of them: those before were pruned
	Maybe   bool                // the violation rests on a maybe
	Witness []ltl.Witness
	Problem string // of a contract
}

// A From is where a rule comes from: a statement of an instruction file.
type From struct {
	File string
	Line int
	ID   string
	Text string
}

// An Except is a dated exception of the file (trust.md 7).
type Except struct {
	Call   contract.Matcher
	Until  string // YYYY-MM-DD, inclusive, UTC
	Reason string
	By     string
}

// Settings of a set (rules.md 3), defaults filled in.
type Settings struct {
	Retries           int
	RetryCounting     string // cumulative consecutive hybrid
	Report            int
	FinishRetries     int
	UnparseableAsked  Unparseable // interactive
	UnparseableAuto   Unparseable
	Announce          bool
	AnnounceMax       int
	ScanOutput        bool
	ScanExtra         []string
	MemoryFirst       bool
	OnError           string // ask deny
	ProjectMemory     string // worktree repo
	MaxLine           int
	KeepSession       int
	KeepProject       int
	ReservationTTL    int64 // nanoseconds
	Shadow            bool
	Exceptions        string // own any none
	AllowProjectRules bool
	MinVersion        string
	RequiredHarnesses []string
}

// Unparseable is what happens to a line with unread parts. The order is
// strictness.
type Unparseable uint8

const (
	UnparseableAllow Unparseable = iota
	UnparseableNote
	UnparseableAsk
	UnparseableDeny
)

// A File is one rule file as found.
type File struct {
	Layer  Layer
	Path   string
	Text   []byte
	Digest [32]byte
	Folder string // nested: the folder it speaks for
	Err    error  // it is there but could not be read: a problem of its layer
}
