// Package cli holds what the two programs share as programs: the environment a
// command runs in, the exit statuses, and how trouble is printed. It knows no
// command and decides no call.
package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"
)

// An Env is everything a command may take from outside. Commands read streams,
// variables, clock and folders through it, so that tests can run them in
// process; only main builds one from the operating system.
type Env struct {
	Ctx            context.Context
	Exit           func(status int) // ends the program at once
	Name           string           // base name the program was called by: agentltl-hook, agentltl
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Dir            string              // working directory, -C applied; "" if it is gone
	Getenv         func(string) string // "" for unset
	Environ        func() []string     // for child processes
	Now            func() time.Time
	Home           func() string            // home folder of the person; "" unknown
	Executable     func() (string, error)   // absolute path of this program
	Terminal       func(stream Stream) bool // is that stream a terminal?
	Look           func(name string) string // finds a program on PATH; "" if none
	JSON           bool                     // --json
	Quiet          bool                     // -q
	NoColor        bool                     // --no-color
	Harness        string                   // --harness as given; "" to be detected
}

// A Stream is one of the three standard streams.
type Stream int

// The streams, by their file descriptors.
const (
	In Stream = iota
	Out
	Err
)

// Path makes a path of the command line absolute, as seen from Dir.
func (e *Env) Path(p string) string {
	if filepath.IsAbs(p) || e.Dir == "" {
		return p
	}
	return filepath.Join(e.Dir, p)
}

// HomeDir is $HOME, or what the system says where it is not set.
func HomeDir() string {
	h, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return h
}

// IsTerminal says whether a person can be at the other end of f; /dev/null is
// a device, but no terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
