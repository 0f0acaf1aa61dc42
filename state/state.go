// Package state says what must outlive a hook process: traces, monitor
// checkpoints, refusal counters, reservations, latches, decisions.
//
// It holds interfaces and plain values only. *store.Session keeps them in a
// bbolt file; guard has a store in memory for tests, check and embedding.
package state

import (
	"iter"
	"time"

	"github.com/agentltl/agentltl-hook/trace"
)

// A Scope names one of the two memories.
type Scope uint8

// The scopes.
const (
	Session Scope = iota
	Project
)

// A Store keeps what must outlive the process.
type Store interface {
	View(func(Tx) error) error
	Update(func(Tx) error) error // one writer at a time, synced
}

// A Digest names a rule or a rule set by content.
type Digest = [32]byte

// A Tx is one transaction over a session and its project. All values stay
// valid after it. Writing methods fail in a View.
type Tx interface {
	// Session is the id this transaction is about, In the same transaction about
	// another session of the project (an unknown one is an empty one).
	Session() string
	In(session string) Tx
	// Parent is the session that a child's id was said to belong to (subagents
	// of harnesses that give them ids of their own); "" unknown.
	Parent(child string) string
	PutParent(child, parent string) error
	// CopyFrom gives this session, if it has no calls yet, the trace of another
	// one: a fork. Checkpoints and positions come along, memory does not.
	CopyFrom(session string) error

	// Len is the number of calls ever recorded in the scope, pruned ones too.
	Len(Scope) int
	// First is the position of the oldest call whose entry is kept (0: all are).
	First(Scope) int
	// Calls yields the calls from position from on (at least First), in order,
	// with their positions. Each is decoded when it is reached, and breaking off
	// is cheap. With may, only calls come that have a tool name (their own or a
	// form's) for which may is true: the others are not decoded.
	Calls(s Scope, from int, may func(tool string) bool) iter.Seq2[int, trace.Call]
	// Append records a call that ran, once, for session and project, and returns
	// it as recorded: texts clipped, time never before the newest recorded one.
	// Monitors step over that one, so that catching up sees the same.
	Append(c trace.Call) (trace.Call, error)
	// Head is the hash of the newest entry of the project's trace; zero: no call
	// was ever recorded.
	Head() Digest

	// Checkpoint is the readable one furthest on: of this program's codec or one
	// of the two before. Its Calls is the rule's position: the larger of the count
	// saved with it and the counts of the rule sets (of that codec) that contain
	// the rule. A rule that such a set contains and that never had to save anything
	// has State nil: its initial state stands there. false: start from nothing.
	Checkpoint(s Scope, rule Digest) (Checkpoint, bool)
	PutCheckpoint(s Scope, rule Digest, cp Checkpoint) error // under this program's codec
	// Var and PutVar hold the sub-monitors of a quantified rule, one entry a
	// binding (nil removes); Vars yields all of them. Reading takes the Codec of
	// the rule's Checkpoint; PutVar writes under this program's. Before the first
	// PutVar on top of a checkpoint of an older codec, AdoptVars takes its entries over.
	Var(s Scope, rule Digest, codec uint16, key string) (Var, bool)
	Vars(s Scope, rule Digest, codec uint16) iter.Seq2[string, Var]
	PutVar(s Scope, rule Digest, key string, val []byte) error
	AdoptVars(s Scope, rule Digest, codec uint16) error
	// SetPosition is how many calls a rule set has consumed, under this program's
	// codec; PutSetPosition raises it. The 8 sets seen lately are kept; before one
	// goes, those of its rules whose position would be lost are saved.
	SetPosition(s Scope, set Digest) (int, bool)
	PutSetPosition(s Scope, set Digest, calls int) error

	// Memory is the scope's counters, latch, pending questions and so on.
	Memory(Scope) Memory
	PutMemory(Scope, Memory) error

	// CallID is what became of a native call id in this session.
	CallID(id string) (CallID, bool)
	PutCallID(id string, c CallID) error

	// Reservations of the scope's session (or of the whole project), oldest first.
	Reservations(Scope) []Reservation
	PutReservation(r Reservation) error           // in both scopes; its Session must be this one
	DropReservation(session, ticket string) error // in both scopes

	// PutDecision appends to the session's ring of decisions and returns its id,
	// unique in the project.
	PutDecision(d Decision) (id string, err error)
	Decision(id string) (Decision, bool)
	Decisions() iter.Seq2[string, Decision] // newest first, this session

	// Exceptions made by a person (allow, pause), live and used up.
	Exceptions() []Exception
	PutException(e Exception) (number int, err error)

	// The cache of compiled rule sets: parts by name, their bytes owned by package
	// rules. The 16 sets used last are kept. PutSet also tells which rules the set
	// holds: positions and pruning need it. HasSet: such a set's rules are known
	// here, be its parts still cached or not.
	SetPart(set Digest, part string) ([]byte, bool)
	PutSet(set Digest, parts map[string][]byte, rules []RuleRef) error
	HasSet(set Digest) bool
	// LastGood are the resolved sets of a layer that loaded here, as package rules
	// wrote them, newest first, at most two and of different programs; key names
	// the layer (and folder). PutLastGood keeps val, a JSON document, as this
	// program's.
	LastGood(key string) [][]byte
	PutLastGood(key string, val []byte) error

	// Meta is a small text of the project's file: digests told to the person,
	// times of the daily chores.
	Meta(key string) string
	PutMeta(key, val string) error
	// Value and PutValue hold values of the scope: contract state, things that
	// commands remember (memory decline, ...). JSON documents; nil removes.
	Value(s Scope, key string) ([]byte, bool)
	PutValue(s Scope, key string, val []byte) error
}

// A Checkpoint is a saved monitor: facts only, so two monitors that saw the
// same calls save the same bytes.
type Checkpoint struct {
	Calls int    // length of the trace it stands for
	Codec uint16 // version of State; set when read
	State []byte // nil: the initial state
}

// A Var is the saved sub-monitor of one binding.
type Var struct {
	Codec uint16 // version of State
	State []byte
}

// A RuleRef names a rule of a set and the memory it looks at.
type RuleRef struct {
	Scope  Scope
	Digest Digest
}

// A Memory is what a scope remembers beside its calls. JSON; fields a program
// does not know are kept when it is rewritten.
type Memory struct {
	Latch     *Latch            `json:"latch,omitempty"`
	Retries   map[string]int    `json:"retries,omitempty"`  // rule id -> refusals since the last escalation
	Runs      map[string]int    `json:"runs,omitempty"`     // rule id -> refusals in a row
	Warned    *Warned           `json:"warned,omitempty"`   // the last warn refusal
	Pending   []Pending         `json:"pending,omitempty"`  // questions put where the harness cannot ask; newest last, 20 kept
	Finishes  int               `json:"finishes,omitempty"` // send-backs of this turn
	SentBack  bool              `json:"sent_back,omitempty"`
	TurnEnded bool              `json:"turn_ended,omitempty"`
	Batch     int               `json:"batch,omitempty"`      // number of the running batch
	Owed      bool              `json:"owed,omitempty"`       // an announcement is owed
	OwedText  []string          `json:"owed_text,omitempty"`  // to the agent
	OwedLines []string          `json:"owed_lines,omitempty"` // to the person
	Resumes   int               `json:"resumes,omitempty"`    // prompts and resumes: a decided id is judged anew after one
	Start     time.Time         `json:"start,omitzero"`
	Folder    string            `json:"folder,omitempty"`    // the session's folder
	RuleFile  string            `json:"rule_file,omitempty"` // its project rule file
	Told      map[string]string `json:"told,omitempty"`      // things said once a session
	LastUse   time.Time         `json:"last_use,omitzero"`
	Extra     trace.Args        `json:"-"` // fields of another version, kept
}

// A Latch stops a session until the user writes.
type Latch struct {
	Rule     string     `json:"rule"`
	Why      string     `json:"why,omitempty"`
	Layer    string     `json:"layer,omitempty"`
	Decision string     `json:"decision,omitempty"`
	Time     time.Time  `json:"time"`
	Extra    trace.Args `json:"-"` // fields of another version, kept
}

// Warned is the pointer to the last warn refusal: the exact same call, made
// again in a later batch, passes once.
type Warned struct {
	Key   string     `json:"key"` // tool and canonical arguments, or the line's text
	Batch string     `json:"batch"`
	ID    string     `json:"id,omitempty"`
	Rules []string   `json:"rules"`           // warn rules found then
	Notes []string   `json:"notes,omitempty"` // log rules told with that refusal
	Extra trace.Args `json:"-"`               // fields of another version, kept
}

// Pending is a question that was put to the user by a refusal.
type Pending struct {
	Key      string     `json:"key"`
	Rule     string     `json:"rule"`
	Answered bool       `json:"answered,omitempty"`
	Extra    trace.Args `json:"-"` // fields of another version, kept
}

// A CallID is what became of a native call id.
type CallID struct {
	State    string     `json:"state"` // reserved, recorded, refused, allowed
	Decision []byte     `json:"decision,omitempty"`
	Answer   []byte     `json:"answer,omitempty"` // the answer given, to give it again
	Resumes  int        `json:"resumes,omitempty"`
	Key      string     `json:"key,omitempty"` // the call it was given to; "": an older program wrote this
	Extra    trace.Args `json:"-"`             // fields of another version, kept
}

// A Reservation is an allowed proposal whose end is not known yet: it counts
// against limits, never for a prerequisite.
type Reservation struct {
	Ticket  string       `json:"ticket"`
	Session string       `json:"session"`
	Key     string       `json:"key,omitempty"` // tool and arguments of the native call, for harnesses without call ids
	Agent   string       `json:"agent,omitempty"`
	Batch   string       `json:"batch,omitempty"`
	Time    time.Time    `json:"time"`
	Calls   []trace.Call `json:"-"`               // kept in the entry form of package trace
	Extra   trace.Args   `json:"-"`               // fields of another version, kept
	Quiet   bool         `json:"quiet,omitempty"` // not in flight for any limit: kept because the calls, as they were read before, matter when they are recorded
}

// A Decision is one answer that was not a plain allow, kept for explain.
type Decision struct {
	ID      string         `json:"id,omitempty"`
	Time    time.Time      `json:"time"`
	Session string         `json:"session"`
	Harness string         `json:"harness,omitempty"`
	Action  string         `json:"action"`
	Rule    string         `json:"rule,omitempty"`
	Rules   []string       `json:"rules,omitempty"`
	Mode    string         `json:"mode,omitempty"`
	Layer   string         `json:"layer,omitempty"`
	Tool    string         `json:"tool"`
	Args    trace.Args     `json:"args,omitempty"`
	Source  string         `json:"source,omitempty"` // of a line: its text
	Key     string         `json:"key,omitempty"`    // exact call, as in Warned.Key
	Call    int            `json:"call,omitempty"`
	Len     int            `json:"len"` // calls recorded in the session then
	Problem string         `json:"problem,omitempty"`
	Text    string         `json:"text,omitempty"`
	More    map[string]any `json:"more,omitempty"`
	Extra   trace.Args     `json:"-"` // fields of another version, kept
}

// An Exception is one a person made (trust.md 7).
type Exception struct {
	Number   int        `json:"number"`
	Rules    []string   `json:"rules,omitempty"`
	Key      string     `json:"key,omitempty"`
	Call     string     `json:"call,omitempty"` // in words
	Scope    string     `json:"scope"`          // once, session, for, pause
	Session  string     `json:"session,omitempty"`
	Decision string     `json:"decision,omitempty"`
	Made     time.Time  `json:"made"`
	Until    time.Time  `json:"until"`
	Used     int        `json:"used,omitempty"`
	Revoked  bool       `json:"revoked,omitempty"`
	By       string     `json:"by,omitempty"`
	Reason   string     `json:"reason,omitempty"`
	Extra    trace.Args `json:"-"` // fields of another version, kept
}
