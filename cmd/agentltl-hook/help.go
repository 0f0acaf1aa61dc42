package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/cli"
)

// helpGroups are the twelve commands that help shows (rules.md 22).
func helpGroups() []helpGroup {
	return []helpGroup{
		{"Start", []string{"demo", "init", "install", "doctor"}},
		{"Rules", []string{"check", "validate", "test", "library", "use"}},
		{"Day to day", []string{"explain", "allow", "trace"}},
	}
}

type helpGroup struct {
	title string
	names []string
}

func newHelpCmd(e *env) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command, or the list of commands",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return printOverview(e, all)
			}
			target, rest, err := newRoot(e, "").Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd, args)
			}
			target.SetOut(e.Stdout)
			return target.Help()
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "list every command")
	return cmd
}

// printOverview lists the commands: the twelve of helpGroups, or with all the
// others too.
func printOverview(e *env, all bool) error {
	byName := map[string]*cobra.Command{}
	for _, c := range newRoot(e, "").Commands() {
		byName[c.Name()] = c
	}
	w := e.Stdout
	fmt.Fprint(w, "agentltl-hook checks every tool call of a coding agent against the rules in\n"+
		"AGENTLTL.yaml and the calls that ran before.\n\nUsage: agentltl-hook COMMAND [ARGUMENTS]\n")
	shown := map[string]bool{}
	for _, g := range helpGroups() {
		fmt.Fprintf(w, "\n%s:\n", g.title)
		for _, n := range g.names {
			if c := byName[n]; c != nil {
				printCommandLine(e, c)
				shown[n] = true
			}
		}
	}
	if !all {
		_, err := fmt.Fprint(w, "\n\"agentltl-hook help --all\" lists every command, \"agentltl-hook help COMMAND\" explains one.\n")
		return err
	}
	fmt.Fprint(w, "\nMore:\n")
	for _, c := range commands() {
		if cmd := byName[c.name]; cmd != nil && !shown[c.name] && !cmd.Hidden {
			printCommandLine(e, cmd)
		}
	}
	_, err := fmt.Fprint(w, "\nCommon flags: --json, --harness NAME, -C DIR, --no-color, -q.\n"+
		"Exit status: 0 fine, 1 finding, 2 usage or rule file, 3 our own trouble.\n")
	return err
}

func printCommandLine(e *env, c *cobra.Command) {
	fmt.Fprintf(e.Stdout, "  %-12s %s\n", c.Name(), c.Short)
}

func newCompletionCmd(e *env) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script of a shell: " + strings.Join(shells, ", "),
		Long: "Print a completion script. For bash:\n\n" +
			"    agentltl-hook completion bash > ~/.local/share/bash-completion/completions/agentltl-hook",
		Args:      cli.Args(1, 1),
		ValidArgs: shells,
		RunE: func(_ *cobra.Command, args []string) error {
			root := newRoot(e, "")
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(e.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(e.Stdout)
			case "fish":
				return root.GenFishCompletion(e.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(e.Stdout)
			}
			return cli.Usagef("completion: unknown shell %q; known: %s", args[0], strings.Join(shells, ", "))
		},
	}
}
