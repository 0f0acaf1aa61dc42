package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/harness"
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/internal/version"
	"github.com/agentltl/agentltl-hook/rules"
)

type hookOptions struct {
	harness, event  string
	project         string
	noEnv, allowEnv bool
	stateDir        string
	userDirs        []string
}

func newHookCmd(e *env) *cobra.Command {
	o := hookOptions{}
	cmd := &cobra.Command{
		Use:   "hook HARNESS [EVENT]",
		Short: "Answer one event of a harness (what installed hooks run)",
		Long: "Read one event of a coding agent's hook protocol on stdin and print the answer.\n" +
			"Installed hooks run this; EVENT is taken from the payload where it is missing.",
		Args: cli.Args(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.harness = args[0]
			if len(args) > 1 {
				o.event = args[1]
			}
			return runHook(cmd.Context(), e, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.project, "project", "", "the session's `DIR` (default: what the harness says)")
	f.BoolVar(&o.noEnv, "no-env", false, "take nothing that matters from the environment")
	f.BoolVar(&o.allowEnv, "allow-env", false, "let the environment count, as without --no-env (tests)")
	f.StringVar(&o.stateDir, "state-dir", "", "`DIR` of the stores")
	f.StringArrayVar(&o.userDirs, "user-dir", nil, "`DIR` of a user's AGENTLTL.yaml: the shared one first, then the harness's")
	return cmd
}

// A reply is all that a hook process leaves behind.
type reply struct {
	stdout, stderr bytes.Buffer
	status         int
}

// patience is how long an event may take before the hook prepares for a harness
// that loses its own. Preparing earlier would cost every hook a thread, a tenth
// of its time; harnesses wait for seconds.
const patience = 50 * time.Millisecond

// runHook answers one event: stdin is read to its end, the answer is written
// in one piece, and the exit status is what the harness expects. Whatever goes
// wrong in between becomes the adapter's way of saying that the call could not
// be judged.
func runHook(ctx context.Context, e *env, o hookOptions) error {
	a := harness.Find(o.harness)
	if a == nil {
		return unknownHarness(o.harness)
	}
	var answered atomic.Bool
	late := time.AfterFunc(patience, func() { answerOnSignal(e, a, o, &answered) })
	defer late.Stop()
	r := answerEvent(ctx, e, a, o)
	if !answered.CompareAndSwap(false, true) {
		select {} // a signal was first: that goroutine ends the program
	}
	return r.write(e)
}

// answerOnSignal waits for the signal by which a harness says that it waited
// long enough, and answers that the event was not judged: a hook that dies
// without a word lets the call through on some harnesses.
func answerOnSignal(e *env, a adapter.Adapter, o hookOptions, answered *atomic.Bool) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	<-signals
	if !answered.CompareAndSwap(false, true) {
		return
	}
	r := failed(a, o.event, errors.New("stopped by a signal before the event was judged"))
	err := r.write(e)
	e.Exit(cli.ExitStatus(err))
}

// write puts the whole reply out and returns its exit status as an error.
func (r *reply) write(e *env) error {
	if r.stderr.Len() > 0 {
		_, _ = e.Stderr.Write(r.stderr.Bytes())
	}
	if r.stdout.Len() > 0 {
		if _, err := e.Stdout.Write(r.stdout.Bytes()); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
	}
	return cli.StatusError(r.status)
}

// largePayload is where the collector starts to work for its keep; below it a
// hook process ends before its first collection.
const largePayload = 256 << 10

// failed is the adapter's answer to an event that could not be judged.
func failed(a adapter.Adapter, event string, err error) *reply {
	r := &reply{}
	r.status = a.Fail(&r.stdout, &r.stderr, event, err)
	return r
}

// answerEvent never panics: a panic is an event that could not be judged.
func answerEvent(ctx context.Context, e *env, a adapter.Adapter, o hookOptions) (r *reply) {
	defer func() {
		if p := recover(); p != nil {
			r = failed(a, o.event, fmt.Errorf("internal error: %v", p))
		}
	}()
	var payload bytes.Buffer
	payload.Grow(16 << 10)
	if _, err := payload.ReadFrom(e.Stdin); err != nil {
		return failed(a, o.event, fmt.Errorf("read the event: %w", err))
	}
	if payload.Len() > largePayload {
		debug.SetGCPercent(20) // memory, not time, is what such a call is short of
	}
	env := adapter.Env{Getenv: hookGetenv(e, o), Dir: e.Dir, Home: e.Home(), UserDir: harnessUserDir(e, a, o)}
	a, ev, err := harness.Decode(a, env, o.event, payload.Bytes())
	if err != nil {
		return failed(a, o.event, err)
	}
	if ev.Dir == "" {
		// A payload that does not say where it is: no reason to judge by no rules.
		ev.Dir = e.Dir
	}
	if ev.Project == "" {
		ev.Project = ev.Dir
	}
	if o.project != "" {
		ev.Project = e.Path(o.project)
	}
	answer, err := hookPipeline(e, a, o, ev).Handle(ctx, ev)
	if err != nil {
		return failed(a, o.event, err)
	}
	r = &reply{}
	if r.status, err = a.Encode(&r.stdout, &r.stderr, ev, answer); err != nil {
		return failed(a, o.event, err)
	}
	return r
}

// hookPipeline is the pipeline of one event: it can say which settings would
// keep the hooks from running at the next start (trust.md 6).
func hookPipeline(e *env, a adapter.Adapter, o hookOptions, ev hooks.Event) *hooks.Pipeline {
	pl := newPipeline(e, a.Profile(), o)
	pl.Switches = func() []string {
		dir := harnessUserDir(e, a, o)
		var lines []string
		for _, root := range []string{ev.Project, rules.GitRoot(ev.Project)} {
			for _, s := range a.HooksOff(dir, root) {
				if line := s.File + " " + s.Key; !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
		return lines
	}
	return pl
}

// newPipeline builds the pipeline of a hook process. With --no-env only the
// command line and the user database decide whose rules and which store
// (trust.md 5).
func newPipeline(e *env, p hooks.Profile, o hookOptions) *hooks.Pipeline {
	pl := &hooks.Pipeline{
		Profile:  p,
		StateDir: o.stateDir,
		UserDirs: o.userDirs,
		Home:     e.Home(),
		Env:      map[string]string{"HOME": e.Home()},
		Program:  version.String(),
		NoEnv:    o.noEnv,
		Auto:     e.Getenv("AGENTLTL_AUTO"),
		Now:      e.Now,
	}
	if o.noEnv {
		if pl.StateDir == "" || len(pl.UserDirs) == 0 {
			home := accountHome(e.Home())
			if pl.StateDir == "" {
				pl.StateDir = defaultStateDir(home)
			}
			if len(pl.UserDirs) == 0 {
				pl.UserDirs = nonEmpty(defaultSharedDir(home), below(home, p.UserDir))
			}
		}
		return pl
	}
	for _, name := range []string{"USER", "TMPDIR"} {
		if v := e.Getenv(name); v != "" {
			pl.Env[name] = v
		}
	}
	pl.Shadow = e.Getenv("AGENTLTL_SHADOW") == "1"
	if pl.StateDir == "" {
		pl.StateDir = stateDir(e)
	}
	if len(pl.UserDirs) == 0 {
		pl.UserDirs = nonEmpty(sharedDir(e), harnessDir(e, p))
		if f := e.Getenv("AGENTLTL_USER_FILE"); f != "" {
			pl.UserFile = e.Path(f)
		}
	}
	return pl
}

// hookGetenv is what an adapter may read: with --no-env only the variables that
// the harness sets after a repository's own (trust.md 5).
func hookGetenv(e *env, o hookOptions) func(string) string {
	if !o.noEnv {
		return e.Getenv
	}
	return func(name string) string {
		switch name {
		case "CLAUDE_PROJECT_DIR", "COPILOT_PROJECT_DIR", "CLAUDE_CODE_SESSION_ATTENDED":
			return e.Getenv(name)
		}
		return ""
	}
}

// harnessUserDir is the harness's own folder of a hook process.
func harnessUserDir(e *env, a adapter.Adapter, o hookOptions) string {
	switch {
	case len(o.userDirs) > 0:
		return o.userDirs[len(o.userDirs)-1]
	case o.noEnv:
		return below(accountHome(e.Home()), a.Profile().UserDir)
	default:
		return harnessDir(e, a.Profile())
	}
}

func unknownHarness(name string) error {
	var names []string
	for _, a := range harness.All() {
		names = append(names, a.Profile().Name)
	}
	err := cli.Usagef("unknown harness %q; known: %s", name, strings.Join(names, ", "))
	if n := cli.Nearest(name, names); n != "" {
		err = cli.WithHint(err, "did you mean %q?", n)
	}
	return err
}
