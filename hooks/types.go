// Package hooks takes one hook call of a coding agent from event to answer:
// it finds the rule files, reads shell lines, asks guard, keeps the trace, and
// says what the agent and the user should read. It speaks no harness's
// protocol: adapters do (harness/adapter). It makes no API promise.
package hooks

import (
	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/trace"
)

// A Kind is what an event tells.
type Kind uint8

// The kinds; None: nothing to say about it.
const (
	None Kind = iota
	SessionStart
	SubagentStart
	UserPrompt
	PreTool
	PostTool
	BatchEnd
	PreCompact
	TurnEnd
	SubagentEnd
	SessionEnd
)

// An Event is one hook call in harness-neutral form.
type Event struct {
	Kind       Kind
	Name       string // the harness's own name of the event, for the answer
	Session    string // the root session: a subagent's calls carry it too
	Parent     string // fork: the session the trace is copied from; "" unknown
	Agent      string // "" for the main agent
	AgentOf    string // where children have session ids of their own: the parent's id, on every event of a child; Session is the child's then
	ID, Batch  string
	Source     string       // SessionStart: startup, resume, clear, compact, fork
	Dir        string       // working directory of the call
	Project    string       // the session's folder (trust.md 4)
	Native     string       // the harness's own tool name
	Auto       bool         // chooses unparseable.auto (rules.md 9)
	Unattended bool         // nobody can answer a question: ask becomes deny
	Person     bool         // UserPrompt: written by a person. PostTool: a person answered a question of the agent
	Text       string       // UserPrompt: the text
	Active     bool         // TurnEnd: the agent goes on because of an earlier send-back
	Transcript string       // the harness's own session record, if it names one
	Calls      []trace.Call // canonical; a shell call not yet translated. PostTool: Outcome set. BatchEnd: the ids of the batch
	Ran        bool         // PostTool: false when the harness reports a refusal by the user
	NoPost     bool         // PreTool: the harness sends nothing after this call; it counts as run once it may go ahead
	Output     any          // what the tool returned (PostTool), for the credential scan: decoded JSON
	Dialect    string       // of shell calls: "" bash
}

// An Answer is what should be said. The zero Answer is silence.
type Answer struct {
	Action   guard.Action
	SendBack bool   // TurnEnd: the agent must go on
	ID       string // decision id
	Rule     string
	Reason   string // to the agent (Ask: to the user)
	Notice   string // to the user
	Context  string // to the agent, whatever the action; kept for the post event where there is no earlier channel
	Output   any    // PostTool: replaces the result (postconditions, redaction); nil: keep

	// What commands report beside the words.
	Mode      string   // of the deciding rule
	Rules     []string // TurnEnd: the unmet rules
	Calls     []string // names of the calls that were judged or recorded
	Leaks     []string // PostTool: kinds of credentials in the output
	Recorded  bool     // PostTool
	Announced bool     // SessionStart: the rules were announced
	Latched   bool     // refused because the session is stopped
	Trouble   bool     // our own work failed
}

// Failure is what a harness does when a hook crashes, times out or answers badly.
type Failure uint8

// The ways.
const (
	Open              Failure = iota // the call runs
	Closed                           // the call does not run
	ClosedIfInstalled                // closed because of how we install
)

// Failures is Failure by way of failing.
type Failures struct{ Crash, Timeout, BadAnswer Failure }

// StatusFrom says where the exit status of a call is found.
type StatusFrom uint8

// The places.
const (
	StatusReported StatusFrom = iota
	StatusInText
	StatusInTranscript
	StatusSuccessOnly
)

// BatchFrom says how calls of one message are told.
type BatchFrom uint8

// The ways.
const (
	BatchNone BatchFrom = iota
	BatchTimestamp
	BatchEvent // a BatchEnd event closes it
)

// SubagentsAs says how a subagent's calls appear.
type SubagentsAs uint8

// The ways.
const (
	SubagentsSameSession SubagentsAs = iota
	SubagentsParentNamed             // own id; followed to the root
	SubagentsUnhooked                // no hook runs
)

// A Profile is what the pipeline must know about a harness (rules.md 18).
type Profile struct {
	Name       string            // "claude-code"
	Agent      string            // how messages name the agent
	UserDir    string            // where the user's own AGENTLTL.yaml lives, relative to home: ".claude"
	UserDirEnv string            // variable that replaces it: CODEX_HOME, ...
	ProjectEnv string            // variable that names the session's folder; ""
	ShellTools map[string]string // canonical tool -> argument with a command line
	Ask        bool              // the protocol has an "ask the user" answer
	OnFailure  Failures
	Status     StatusFrom
	CallIDs    bool // pre and post carry the same id
	Batch      BatchFrom
	Subagents  SubagentsAs
	Starts     bool     // there is a session-start event
	Prompts    bool     // there is a user-prompt event
	PreContext bool     // a call that goes ahead can carry text to the agent
	ReplaceOut bool     // a result can be replaced
	SendBacks  int      // send-backs per turn the harness allows; 0: no limit of its own
	FreshShell bool     // every line runs in a new shell
	PlainTilde bool     // its own tools take "~/x" for a folder named "~" below the working directory
	ShellReads bool     // no Read tool: files that a shell command prints count as read
	AutoModes  []string // permission modes that count as Auto
	Skill      string   // how a user invokes a plugin skill, %s for its name
	// MemoryFiles are globs of the agent's own instruction files (memory-first,
	// rules.md 13); nil: no such built-in.
	MemoryFiles []string
}
