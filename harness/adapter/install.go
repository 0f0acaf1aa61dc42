package adapter

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

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
	AllowEnv    bool // the hook may read the environment (tests)
	NoPeers     bool // the Python plugins of the same name are switched off too
	Force       bool
	DryRun      bool
	Version     string
	ManagedRoot string                 // "" is /; tests set it
	Getenv      func(string) string    // nil: nothing is set
	Look        func(string) string    // finds a program on PATH, "" if none
	Random      func() (string, error) // 8 random hex digits
	Now         func() time.Time       // nil: time stands still
	// Run starts a program and waits for it: the harness's own command line, or a
	// registered hook. nil: no program is started.
	Run func(ctx context.Context, c Command) (Result, error)
	// Confirm shows lines to the person and asks; nil: shown to nobody, yes.
	Confirm func(question string, lines []string) (bool, error)
}

// A ManualError says that a file is not ours to change; the lines are what the
// person has to add to it.
type ManualError struct {
	Path, Why string
	Lines     string
}

func (e *ManualError) Error() string {
	return fmt.Sprintf("%s %s; nothing was changed. Add these lines by hand:\n%s", e.Path, e.Why, e.Lines)
}

// A TwiceError says that the plugin is on: hooks beside it would judge every call
// a second time.
type TwiceError struct{ Path string } // the settings that switch it on

func (e *TwiceError) Error() string {
	return fmt.Sprintf("the plugin %s is enabled in %s: every call would be judged twice", PluginID, e.Path)
}

// A Command is a program to run.
type Command struct {
	Args  []string // the program and its arguments
	Env   []string // added to the environment
	Dir   string
	Stdin []byte
	// Talk, if set, holds a conversation with the program over its stdin and
	// stdout; the program is stopped when it returns.
	Talk func(in io.Writer, out *bufio.Reader) error
}

// A Result is what a program printed and how it ended.
type Result struct {
	Stdout, Stderr []byte
	Status         int
}

// ErrNoRun is returned where a program would have to be started and may not be.
var ErrNoRun = errors.New("no program may be started here")

// ManagedPath is p below the folder where managed files live.
func (o InstallOptions) ManagedPath(p string) string {
	if o.ManagedRoot == "" {
		return p
	}
	return filepath.Join(o.ManagedRoot, p)
}

// Find is the program called name, "" if there is none.
func (o InstallOptions) Find(name string) string {
	if o.Look == nil {
		return ""
	}
	return o.Look(name)
}

// Env is a variable of the environment install runs in.
func (o InstallOptions) Env(name string) string {
	if o.Getenv == nil {
		return ""
	}
	return o.Getenv(name)
}

// Agreed asks the person; where nobody can be asked, running the command was
// the agreement.
func (o InstallOptions) Agreed(question string, lines []string) (bool, error) {
	if o.Confirm == nil || o.Force || o.DryRun {
		return true, nil
	}
	return o.Confirm(question, lines)
}

// Exec runs a program.
func (o InstallOptions) Exec(ctx context.Context, c Command) (Result, error) {
	if o.Run == nil {
		return Result{}, ErrNoRun
	}
	return o.Run(ctx, c)
}

func (o InstallOptions) now() time.Time {
	if o.Now == nil {
		return time.Time{}
	}
	return o.Now()
}

// A Report says what an install or removal did.
type Report struct {
	Changed  []Change
	Warnings []string // for the person
	Next     []string // what the person has to do, a line each
}

// Add puts the other report behind this one.
func (r *Report) Add(o Report) {
	r.Changed = append(r.Changed, o.Changed...)
	r.Warnings = append(r.Warnings, o.Warnings...)
	r.Next = append(r.Next, o.Next...)
}

// A Change is one file an install or remove touched (or, dry, would touch).
type Change struct {
	Path   string `json:"path"`
	Action string `json:"action"` // created, changed, unchanged, restored, removed, would create, ...
	Note   string `json:"note,omitempty"`
}

// Severities of a finding.
const (
	OK   = "ok"
	Warn = "warn"
	Bad  = "fail"
)

// A Finding is one check of doctor.
type Finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"` // ok warn fail
	Detail   string `json:"detail"`
	Fix      string `json:"fix,omitempty"`
}
