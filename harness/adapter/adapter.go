// Package adapter is what a coding agent's hook protocol looks like to the
// rest of the program: decode a payload, encode an answer, install, remove and
// check the registration. It makes no API promise.
package adapter

import (
	"io"
	"iter"

	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/trace"
)

// An Env is what an adapter may look at beside the payload; the caller fills it.
type Env struct {
	Getenv func(string) string // empty answers with --no-env, but for the harness's own variables (trust.md 5)
	Dir    string              // working directory of the hook process
	Home   string
	// UserDir is the harness's own folder (~/.claude, $CODEX_HOME, ...): the last
	// --user-dir of an installed hook; "" for the default below Home.
	UserDir string
}

// An Adapter speaks one coding agent's hook protocol.
type Adapter interface {
	Profile() hooks.Profile
	// Decode reads one payload. event is the argument of "hook", "" if none. An
	// event the harness added after this release yields a zero Kind and no error.
	Decode(env Env, event string, payload []byte) (hooks.Event, error)
	// Encode writes the whole answer, or nothing for silence, and returns the exit
	// status the harness expects.
	Encode(w, stderr io.Writer, e hooks.Event, a hooks.Answer) (status int, err error)
	// Fail answers an event we could not judge, from fixed text: it must work
	// after a panic. err is what went wrong, in words without a stack.
	Fail(w, stderr io.Writer, event string, err error) (status int)
	// Install writes hooks or plugin files, Remove takes out what Install wrote,
	// Doctor checks both.
	Install(InstallOptions) ([]Change, error)
	Remove(InstallOptions) ([]Change, error)
	Doctor(InstallOptions) []Finding
	// Transcripts reads the harness's own session records (contracts.md 4).
	Transcripts(r io.Reader) iter.Seq2[Item, error]
}

// InstallOptions say what to install, where and for whom.
type InstallOptions struct {
	Program     string // absolute path of agentltl-hook
	StateDir    string // absolute
	SharedDir   string // the shared user folder, absolute (~/.config/agentltl)
	UserDir     string // the harness's own folder, absolute (~/.claude)
	Home        string
	Root        string // project root, for Project
	Project     bool   // into the project's settings; default: the user's
	Plugin      bool
	Managed     bool
	Only        bool // managed: other hooks do not run
	AllowEnv    bool
	Force       bool
	DryRun      bool
	Version     string
	ManagedRoot string // "" is /; tests set it
	Getenv      func(string) string
	Look        func(name string) string // finds a program on PATH, "" if none
}

// A Change is one file an install or remove touched (or, dry, would touch).
type Change struct {
	Path   string `json:"path"`
	Action string `json:"action"` // created, changed, unchanged, restored, removed, would create, ...
	Note   string `json:"note,omitempty"`
}

// A Finding is one check of doctor.
type Finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"` // ok warn fail
	Detail   string `json:"detail"`
	Fix      string `json:"fix,omitempty"`
}

// An Item is one call of a transcript.
type Item struct {
	Call    trace.Call // Outcome nil: no result line, so it did not run
	Session string
	Skipped string // not a call: why the line was skipped; counted
}
