package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/cli"
)

// env is what a command may take from outside.
type env = cli.Env

// commands lists the tree in the order help --all shows it. A command is one
// file with its constructor and one line here.
func commands() []command {
	return []command{
		{"init", newInitCmd},
		{"validate", newValidateCmd},
		{"lint", newLintCmd},
		{"library", newLibraryCmd},
		{"use", newUseCmd},
		{"unuse", newUnuseCmd},
		{"disable", newDisableCmd},
		{"enable", newEnableCmd},
		{"schema", newSchemaCmd},
		{"demo", newDemoCmd},
		{"install", newInstallCmd},
		{"uninstall", newUninstallCmd},
		{"allow", newAllowCmd},
		{"pause", newPauseCmd},
		{"doctor", newDoctorCmd},
		{"statusline", newStatuslineCmd},
		{"check", newCheckCmd},
		{"translate", newTranslateCmd},
		{"tools", newToolsCmd},
		{"test", newTestCmd},
		{"explain", newExplainCmd},
		{"formula", newFormulaCmd},
		{"trace", newTraceCmd},
		{"prune", newPruneCmd},
		{"reset", newResetCmd},
		{"store", newStoreCmd},
		{"hook", newHookCmd},
		{"memory", newMemoryCmd},
		{"version", newVersionCmd},
		{"completion", newCompletionCmd},
		{"help", newHelpCmd},
	}
}

type command struct {
	name string
	make func(*env) *cobra.Command
}

// newEnv is the environment of the running process.
func newEnv() *env {
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	return &env{
		Ctx:    context.Background(),
		Exit:   os.Exit,
		Name:   programName(os.Args[0]),
		Stdin:  os.Stdin,
		Stdout: os.Stdout,
		Stderr: os.Stderr,
		Dir:    dir,
		Getenv: os.Getenv, Environ: os.Environ,
		Now:        time.Now,
		Home:       cli.HomeDir,
		Executable: os.Executable,
		Terminal: func(s cli.Stream) bool {
			return cli.IsTerminal([...]*os.File{os.Stdin, os.Stdout, os.Stderr}[s])
		},
		Look: func(name string) string {
			p, err := exec.LookPath(name)
			if err != nil {
				return ""
			}
			return p
		},
	}
}

// programName is the name messages begin with; a link called agentltl behaves
// like the peer's program (rules.md 22).
func programName(arg0 string) string {
	if strings.TrimSuffix(filepath.Base(arg0), ".exe") == "agentltl" {
		return "agentltl"
	}
	return "agentltl-hook"
}

// run is the program: it runs the command of args and returns its exit status.
func run(args []string, e *env) int {
	only := ""
	if len(args) > 0 {
		only = args[0]
	}
	root := newRoot(e, only)
	root.SetArgs(args)
	err := root.ExecuteContext(e.Ctx)
	cli.PrintError(e.Stderr, e.Name, err)
	return cli.ExitStatus(err)
}

// newRoot builds the tree. If only names a command, the tree has that one
// alone: a hook process should not pay for forty commands it does not run.
func newRoot(e *env, only string) *cobra.Command {
	root := &cobra.Command{
		Use:   "agentltl-hook",
		Short: "Rules over the tool calls of coding agents",
		Long: "agentltl-hook checks every tool call of a coding agent against the rules in\n" +
			"AGENTLTL.yaml and the calls that ran before.",
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              unknownCommand,
		RunE:              func(*cobra.Command, []string) error { return printOverview(e, false) },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return applyCommon(e, cmd) },
	}
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd.HasParent() {
			help(cmd, args)
			return
		}
		_ = printOverview(e, false)
	})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cli.WithHint(cli.Usagef("%s%w", commandPrefix(cmd), err), "usage: %s", cmd.UseLine())
	})
	f := root.PersistentFlags()
	f.BoolVar(&e.JSON, "json", false, "print JSON")
	f.StringVar(&e.Harness, "harness", "", "harness `NAME`: claude-code, copilot-cli, codex, vibe, generic (default: detected)")
	f.StringP("dir", "C", "", "run as if started in this `DIR`")
	f.BoolVar(&e.NoColor, "no-color", false, "no colour")
	f.BoolVarP(&e.Quiet, "quiet", "q", false, "less output")

	add := func(c command) {
		cmd := c.make(e)
		root.AddCommand(cmd)
		if c.name == "help" {
			root.SetHelpCommand(cmd)
		}
	}
	for _, c := range commands() {
		if c.name == only {
			root.SetHelpCommand(&cobra.Command{Hidden: true}) // else cobra makes its own
			add(c)
			return root
		}
	}
	for _, c := range commands() {
		add(c)
	}
	return root
}

// commandPrefix names the command a mistake is in; the program's own name is
// printed anyway.
func commandPrefix(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return ""
	}
	return cmd.Name() + ": "
}

// applyCommon brings the common flags into the environment.
func applyCommon(e *env, cmd *cobra.Command) error {
	dir, err := cmd.Flags().GetString("dir")
	if err != nil || dir == "" {
		return err
	}
	dir = e.Path(dir)
	st, err := os.Stat(dir)
	switch {
	case err != nil:
		return cli.Usagef("-C: %w", err)
	case !st.IsDir():
		return cli.Usagef("-C: %s is not a folder", dir)
	}
	e.Dir = dir
	return nil
}

// unknownCommand refuses words that are no command, naming the nearest one.
func unknownCommand(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := cli.Usagef("unknown command %q", args[0])
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	if n := cli.Nearest(args[0], names); n != "" {
		return cli.WithHint(err, "did you mean %q?", n)
	}
	return cli.WithHint(err, `"agentltl-hook help --all" lists the commands`)
}
