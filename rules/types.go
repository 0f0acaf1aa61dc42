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
	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/shell/spec"
	"github.com/agentltl/agentltl-hook/trace"
)

// A Mode is what a rule does with a call that breaks it. The order is strength:
// the strongest broken mode decides (rules.md 9).
type Mode uint8

// The modes, weakest first.
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

// The scopes.
const (
	Session Scope = iota
	Project
)

// A Layer is who wrote a rule (trust.md 2). Smaller is higher.
type Layer uint8

// The layers.
const (
	Managed Layer = iota
	User
	ProjectFile
	Nested
	BuiltIn
)

func (m Mode) String() string {
	return [...]string{"log", "warn", "retry", "ask", "block", "stop"}[m]
}

func (s Scope) String() string { return [...]string{"session", "project"}[s] }

func (l Layer) String() string {
	return [...]string{"managed", "user", "project", "nested", "built-in"}[l]
}

// Maybe says what a match that is only maybe does (rules.md 4).
type Maybe uint8

// What a maybe does, strictest first.
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

// An Example is a line of a rule's examples and what should become of it.
type Example struct {
	Steps   []string // STEPs of check; the last is judged, the earlier ones count as run
	Refused bool     // deny, ask, stop or a send-back; else everything else
	Line    int
}

// A Problem is something wrong in a rule file.
//
//nolint:errname // a value with a place, named by what it is (architecture.md 9)
type Problem struct {
	Pos  Pos
	Rule string // id; "" when it is not about one rule
	Msg  string

	ahead bool // of the file's settings, use, ..: told before those of rules
}

func (p Problem) Error() string {
	if p.Rule == "" {
		return fmt.Sprintf("%s: %s", p.Pos, p.Msg)
	}
	return fmt.Sprintf("%s: rule %q: %s", p.Pos, p.Rule, p.Msg)
}

// Problems are all problems of the files, in order.
//
//nolint:errname // as Problem
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
	Limit              bool // calls in flight count against its calls (contracts.md 1.5)
	// Reserves says whether a call that is let through could count against a later
	// one and so must be reserved; nil: never. Only with Limit.
	Reserves    func(c *trace.Call) bool
	Tools       []string // tool names or globs whose calls it can react to; meaningless when Always
	Always      bool     // it can change on a call that matches none of its atoms
	Retries     int      // of its own file's settings, for managed and locked rules; 0: the set's
	Counting    string   // likewise; "": the set's
	Group       string
	Pos         Pos
	Digest      [32]byte // of all that evaluation depends on; keys checkpoints
	Folder      string   // nested: the folder whose file it is from
	Overridable bool     // managed: lower layers may replace or disable it
	Exists      bool     // a target asks whether files exist: record what was on disk when the call was checked
	Examples    []Example
	names       []string // as Tools, with features in place of "any tool" ([CallNames]); nil: any call
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

// What can happen to such a line, weakest first.
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
	Err    error  // it is there but could not be read, or is gone since the session began: a problem of its layer
}

// A Notice is something about the rule files that is no problem of one: it is
// told, and changes nothing else.
type Notice struct {
	Layer Layer
	Path  string // file it is about
	Code  string // managed-owner, too-many, weakened, ignored, ...
	Text  string
	Agent bool // told to the agent, too; the person is always told
}

// A Context is what targets may know about the place a call runs in. One value
// serves all rules of a process; it is set before the first match.
type Context struct {
	Root string // project root
	Real string // the same with symbolic links resolved; "": not known
	Home string
	Tmp  string // temporary folder
	FS   FS     // nil: nothing is on disk
	// PathField says whether a tool's argument is marked as a path by a command
	// spec, beside the names that always are; nil: the bundled specs say so. Load
	// and OpenSet set it for files with specs of their own.
	PathField func(tool, field string) bool
}

func (ctx *Context) pathField(tool, field string) bool {
	if ctx.PathField != nil {
		return ctx.PathField(tool, field)
	}
	return shell.Bundled().PathField(tool, field)
}

// An FS is a read-only look at the disk. Paths are absolute.
type FS interface {
	Exists(path string) bool
	Real(path string) string // symbolic links resolved in every component; "" when nothing is there
}

// A Broken layer has files with problems: the last rules of it that loaded here
// are in force, if there are any (rules.md 17).
type Broken struct {
	Layer    Layer
	Folder   string // nested
	Problems Problems
	LastGood bool // false: none ever loaded
}

// A Set is what a list of rule files comes to.
type Set struct {
	Rules    []Rule
	Settings Settings
	Files    []File
	Told     []Notice // weakened, ignored or tightened keys (trust.md 3)
	Broken   []Broken // never cached when not empty
	Packs    []File   // local packs that the files use; a cached set is stale when one changed
	Specs    *spec.Set
	Groups   map[string][]string // group -> rule ids

	defs     []def // of Rules
	docs     []*doc
	tools    []toolDef // command specs of files, as in force
	resolved map[string][]*doc
}
