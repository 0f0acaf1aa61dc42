package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/harness/claudecode"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/rules"
)

type statuslineOptions struct {
	install, uninstall, force, plain bool
}

func newStatuslineCmd(e *env) *cobra.Command {
	o := statuslineOptions{}
	cmd := &cobra.Command{
		Use:   "statusline",
		Short: "One line on the rules in force, for Claude Code's status line",
		Long: "Read the status JSON of Claude Code on stdin and print one line: rules by mode, errors,\n" +
			"whether the session is stopped. --install puts it into the user's settings.",
		Args: cli.Args(0, 0),
		RunE: func(*cobra.Command, []string) error { return runStatusline(e, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.install, "install", false, "make it the status line of Claude Code")
	f.BoolVar(&o.uninstall, "uninstall", false, "take it out again")
	f.BoolVar(&o.force, "force", false, "with --install: replace a status line that is there")
	f.BoolVar(&o.plain, "plain", false, "no colour")
	return cmd
}

func runStatusline(e *env, o statuslineOptions) error {
	switch {
	case o.install && o.uninstall:
		return cli.Usagef("statusline: --install and --uninstall exclude each other")
	case o.install || o.uninstall:
		return placeStatusline(e, o)
	}
	const setup = "Claude Code runs this with its status on stdin; agentltl-hook statusline --install sets that up"
	if e.Terminal(cli.In) {
		return cli.WithHint(cli.Usagef("statusline: no status on stdin"), setup)
	}
	payload, err := io.ReadAll(io.LimitReader(e.Stdin, 1<<20))
	if err != nil {
		return err
	}
	p, err := adapter.ParseObject(payload)
	if err != nil {
		return cli.WithHint(cli.Input(fmt.Errorf("the status on stdin cannot be read: %w", err)), setup)
	}
	a := claudecode.Adapter{}
	ev := hooks.Event{Session: p.Text("session_id"), Dir: p.Text("cwd"), Project: p.Object("workspace").Text("project_dir")}
	if ev.Dir == "" {
		ev.Dir = e.Dir
	}
	s := newPipeline(e, a.Profile(), hookOptions{}).Status(ev)
	_, err = fmt.Fprintln(e.Stdout, statusText(s, !o.plain && !e.NoColor && e.Getenv("NO_COLOR") == "", e.Now()))
	return err
}

// statusText is the line. Claude Code shows colours, though stdout is no terminal.
func statusText(s hooks.Status, color bool, now time.Time) string {
	paint := func(code, text string) string {
		if !color {
			return text
		}
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
	parts := []string{}
	switch {
	case s.None:
		return paint("2", "agentltl: no rules here")
	case s.Stopped != "":
		parts = append(parts, paint("1;31", "STOPPED by "+s.Stopped+": write to the agent to go on"))
	}
	if len(s.Broken) > 0 {
		parts = append(parts, paint("31", "errors in the "+strings.Join(s.Broken, ", ")+" file: agentltl-hook validate"))
	}
	for _, code := range s.Notices {
		if code == "managed-owner" {
			parts = append(parts, paint("31", "managed files not read: agentltl-hook doctor"))
		}
	}
	if s.Shadow {
		parts = append(parts, paint("33", "shadow, nothing is refused"))
	}
	if s.Paused.After(now) {
		parts = append(parts, paint("33", "paused until "+s.Paused.Local().Format("15:04")))
	}
	var counts []string
	for m := rules.Stop; ; m-- {
		if n := s.Rules[m]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, m))
		}
		if m == rules.Log {
			break
		}
	}
	if s.AtEnd > 0 {
		counts = append(counts, fmt.Sprintf("%d at turn end", s.AtEnd))
	}
	if len(counts) == 0 {
		counts = []string{"no rules"}
	}
	parts = append(parts, strings.Join(counts, ", "))
	return "agentltl: " + strings.Join(parts, " | ")
}

// placeStatusline writes the status line into Claude Code's user settings, which
// plugins cannot do, or takes it out.
func placeStatusline(e *env, o statuslineOptions) error {
	a := claudecode.Adapter{}
	io := adapterOptions(e, a)
	program, err := ownProgram(e)
	if err != nil {
		return err
	}
	io.Program, io.Force = program, o.force
	var c adapter.Change
	if o.install {
		c, err = a.InstallStatusLine(io)
	} else {
		c, err = a.RemoveStatusLine(io)
	}
	if errors.Is(err, claudecode.ErrStatusLine) {
		return cli.WithHint(cli.Findingf("%s has a status line already", filepath.Join(io.UserDir, "settings.json")),
			"--force replaces it; --uninstall gives it back")
	}
	if err != nil {
		return err
	}
	return printInstalled(e, []installed{{Harness: claudecode.Name, Changed: []adapter.Change{c}}})
}
