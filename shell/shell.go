// Package shell turns a command line into the tool calls it stands for.
//
// [Translate] parses a line and returns a chain of [trace.Call], in the order
// the shell would start them. It never runs anything, and what it cannot
// account for it returns beside the calls: see [Unresolved].
//
// The line is parsed by mvdan.cc/sh and then walked once as a shell would
// execute it, with a state (directory, variables, functions) that holds only
// what is certain. What is not certain stays as typed and is named: in the
// call's unknown fields, or as an unresolved part. A call too many is fine, a
// command that is lost is not.
package shell

import (
	"github.com/agentltl/agentltl-hook/shell/spec"
	"github.com/agentltl/agentltl-hook/trace"
)

// A Request is a command line and all that may be known about where it runs.
type Request struct {
	Command string
	Dir     string            // absolute working directory
	Root    string            // project root
	Home    string            // home folder
	Env     map[string]string // variables the caller may know; nothing else is guessed
	Dialect Dialect           // zero: bash
	FS      FS                // read-only view of the disk; nil: nothing is looked at
	Specs   *spec.Set         // nil: the bundled command specs
	MaxLine int               // bytes; 0: 128 KiB, which is also the most
	// Fresh says that a new shell runs the line: it has no positional
	// parameters and no arrays but those of the line. A shell that lives on
	// from line to line may have some.
	Fresh bool
}

// A Dialect names a shell language.
type Dialect string

// The dialects. Bash is the zero value's meaning, too.
const (
	Bash  Dialect = "bash"
	POSIX Dialect = "sh"
	Zsh   Dialect = "zsh"
	Pwsh  Dialect = "pwsh" // not read: the whole text is unresolved
)

// A Result is what a line would run: Calls in the order the shell would start
// them, and the parts that could not be read. Both are empty only when the line
// runs nothing.
type Result struct {
	Calls      []trace.Call
	Unresolved []Unresolved
}

// An Unresolved part of a line is one whose calls are not, or not all, known.
type Unresolved struct {
	Code   string // syntax, dynamic-command, dynamic-script, ... (shell.md 1)
	Reason string // for people, with the way to write it plainly
	Source string // the piece of text
	Pos    int    // byte offset in the line
}

// FS is a read-only, bounded view of the disk. Paths are absolute.
type FS interface {
	// ReadFile returns at most limit bytes; more is an error.
	ReadFile(path string, limit int) ([]byte, error)
	// Real resolves symbolic links in every component; "" when nothing is there.
	Real(path string) string
	// Exists says whether something is at path.
	Exists(path string) bool
	// IsDir says whether path is a folder.
	IsDir(path string) bool
	// Names lists the names in a folder, sorted, at most limit; false when there are more or it cannot be read.
	Names(dir string, limit int) ([]string, bool)
}

// Translate reads a command line. The same request gives the same result: work
// is bounded by counting it, never by time.
func Translate(r Request) Result {
	w := newWalker(r)
	if w.refuse() {
		return w.result()
	}
	st := w.startState()
	w.script(st, w.startCtx(), r.Command, 0)
	w.leftovers(st)
	return w.result()
}
