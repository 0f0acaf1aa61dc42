// Package adapter is what a coding agent's hook protocol looks like to the
// rest of the program: decode a payload, encode an answer, install, remove and
// check the registration. What several adapters need alike (payload access,
// patches, shell quoting, changing files with a way back) is here too. It makes
// no API promise.
package adapter

import (
	"io"
	"iter"
	"os"

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
	Exists  func(path string) bool // nil: the disk is asked
}

// IsThere says whether something is at path.
func (e Env) IsThere(path string) bool {
	if e.Exists != nil {
		return e.Exists(path)
	}
	_, err := os.Stat(path)
	return err == nil
}

// An Adapter speaks one coding agent's hook protocol.
type Adapter interface {
	Profile() hooks.Profile
	// Command is the name of the harness's own program; "" if it has none, and
	// then nothing is installed.
	Command() string
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
	Install(InstallOptions) (Report, error)
	Remove(InstallOptions) (Report, error)
	Doctor(InstallOptions) []Finding
	// Peers names registrations of the Python plugins of the same name.
	Peers(InstallOptions) []string
	// HooksOff lists the switches that turn the harness's hooks off here: settings
	// of the user and of the project at root (trust.md 6).
	HooksOff(userDir, root string) []Switch
	// Registrations are the events of ours that are registered here, in all places.
	Registrations(InstallOptions) []Registration
	// Newest is the session record written last; no path if there is none or such
	// records cannot be read yet.
	Newest(InstallOptions) Record
	// Transcripts reads the harness's own session records (contracts.md 4).
	Transcripts(r io.Reader) iter.Seq2[Item, error]
	// Gaps are calls that no hook sees and answers that hold nothing: what cannot
	// be enforced here (rules.md 18).
	Gaps() []string
}

// A Record is a file of a harness's own session records. Session and Dir are ""
// where the calls in it say so themselves.
type Record struct{ Path, Session, Dir string }

// A Switch is a setting that turns hooks off.
type Switch struct{ File, Key string }

// An Item is one call of a transcript.
type Item struct {
	Call    trace.Call // Outcome nil: no result line, so it did not run
	Session string
	Skipped string // not a call: why the line was skipped; counted
}
