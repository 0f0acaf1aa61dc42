package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/rules"
)

type lintOptions struct {
	files []string
	level string
}

func newLintCmd(e *env) *cobra.Command {
	o := lintOptions{}
	cmd := &cobra.Command{
		Use:   "lint [FILE..]",
		Short: "Look for what is probably not meant in rule files",
		Long: "Look for rules that cannot do what they say (E), probably do not do what was meant (W),\n" +
			"or could be better (I). A comment above a rule, # agentltl: ignore L012, silences a code.\n" +
			"The exit status is 1 when there is a finding, 2 when a file does not load.",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.files = args
			return runLint(cmd.Context(), e, o)
		},
	}
	cmd.Flags().StringVar(&o.level, "level", "I", "least level that is told: `E|W|I`")
	return cmd
}

// lintFinding is one line of lint as it is printed.
type lintFinding struct {
	Code    string `json:"code"`
	Level   string `json:"level"`
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message"`
}

func lintFindingOf(f rules.Finding) lintFinding {
	return lintFinding{f.Code, string(f.Level), f.Pos.File, f.Pos.Line, f.Rule, f.Msg}
}

func (f lintFinding) text(e *env) string {
	place := shortPath(e, f.File)
	if f.Line > 0 {
		place += fmt.Sprintf(":%d", f.Line)
	}
	if f.Rule != "" {
		place += ": " + f.Rule
	}
	return fmt.Sprintf("%s: %s (%s)", place, f.Message, f.Code)
}

func runLint(_ context.Context, e *env, o lintOptions) error {
	const order = "IWE"
	least := strings.Index(order, o.level)
	if len(o.level) != 1 || least < 0 {
		return cli.Usagef("lint: --level is E, W or I, not %q", o.level)
	}
	set, problems, err := loadHere(e, o.files)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return badFiles(e, problems)
	}
	found := []lintFinding{}
	for _, f := range rules.Lint(set, e.Now()) {
		if strings.IndexByte(order, byte(f.Level)) >= least {
			found = append(found, lintFindingOf(f))
		}
	}
	if e.JSON {
		err = cli.WriteJSON(e.Stdout, struct {
			Version  int           `json:"version"`
			Findings []lintFinding `json:"findings"`
		}{1, found})
	} else {
		if len(found) == 0 && !e.Quiet {
			_, err = fmt.Fprintln(e.Stdout, "no findings")
		}
		for _, f := range found {
			if _, err = fmt.Fprintf(e.Stdout, "%s %s\n", levelWord(f.Level), f.text(e)); err != nil {
				break
			}
		}
	}
	if err == nil && len(found) > 0 {
		err = cli.ErrFinding
	}
	return err
}
