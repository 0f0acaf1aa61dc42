package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/trace"
)

type formulaOptions struct {
	text  string
	trace string
	batch bool
}

func newFormulaCmd(e *env) *cobra.Command {
	o := formulaOptions{}
	cmd := &cobra.Command{
		Use:   "formula [TEXT]",
		Short: "Read a formula and judge a trace by it",
		Long: "Print a formula's canonical text, its class and, with --trace, its verdict\n" +
			"after each call, the failing instances, and what would satisfy it.",
		Args: cli.Args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.batch && len(args) > 0:
				return cli.Usagef("formula: --batch reads formulas from standard input, not %q", args[0])
			case o.batch && o.trace != "":
				return cli.Usagef("formula: --batch and --trace do not go together")
			case !o.batch && len(args) == 0:
				return cli.WithHint(cli.Usagef("formula: TEXT missing"), "usage: %s", cmd.UseLine())
			}
			if len(args) > 0 {
				o.text = args[0]
			}
			return runFormula(cmd.Context(), e, o)
		},
	}
	cmd.Flags().StringVar(&o.trace, "trace", "", "`FILE` with a JSON list of calls {t, a, r, x, s}; - is standard input")
	cmd.Flags().BoolVar(&o.batch, "batch", false, "answer JSON lines on standard input, one for one")
	return cmd
}

func runFormula(_ context.Context, e *env, o formulaOptions) error {
	if o.batch {
		return answerLines(e.Stdin, e.Stdout, formulaLine)
	}
	f, err := ltl.Parse(o.text, ltl.Options{Match: rules.MatchAtom(&rules.Context{Root: e.Dir, Home: e.Home()})})
	if err != nil {
		return cli.Input(formulaProblem(o.text, err))
	}
	var calls []trace.Call
	if o.trace != "" {
		if calls, err = readTrace(e, o.trace); err != nil {
			return err
		}
	}
	r, err := judgeFormula(f, calls)
	if err != nil {
		return err
	}
	if e.JSON {
		return cli.WriteJSON(e.Stdout, struct {
			Version int `json:"version"`
			formulaAnswer
		}{1, r})
	}
	return printFormula(e.Stdout, f, calls, r, o.trace != "")
}

// formulaProblem shows where a text is wrong: the line it is in, and a caret.
func formulaProblem(text string, err error) error {
	p, ok := errors.AsType[*ltl.ParseError](err)
	if !ok {
		return err
	}
	chars := []rune(text)
	at := min(p.Pos, len(chars))
	start := at
	for start > 0 && chars[start-1] != '\n' {
		start--
	}
	end := at
	for end < len(chars) && chars[end] != '\n' {
		end++
	}
	return fmt.Errorf("formula: %w\n%s\n%s^", p, string(chars[start:end]), strings.Repeat(" ", at-start))
}

func readTrace(e *env, path string) ([]trace.Call, error) {
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(e.Stdin)
	} else {
		data, err = os.ReadFile(e.Path(path))
	}
	if err != nil {
		return nil, cli.Input(fmt.Errorf("formula: %w", err))
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, cli.Input(fmt.Errorf("formula: %s: not a JSON list of calls: %w", path, err))
	}
	calls, err := ranCalls(raw)
	if err != nil {
		return nil, cli.Input(fmt.Errorf("formula: %s: %w", path, err))
	}
	return calls, nil
}

// printFormula is the answer for people: one line a call.
func printFormula(w io.Writer, f ltl.Formula, calls []trace.Call, r formulaAnswer, traced bool) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.Text)
	c := ltl.Classify(f)
	words := make([]string, 0, 5)
	for _, v := range c.Reach.List() {
		words = append(words, v.String())
	}
	fmt.Fprintf(&b, "class: %s (can be: %s)\n", c.Class, strings.Join(words, ", "))
	if c.Advice != "" {
		fmt.Fprintf(&b, "not a rule: %s\n", c.Advice)
	}
	for _, s := range ltl.Warnings(f) {
		fmt.Fprintf(&b, "warning: %s\n", s)
	}
	if ltl.Fallback(f) {
		fmt.Fprintln(&b, "cost: the whole trace at every call")
	}
	if traced {
		printVerdicts(&b, f, calls, r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func printVerdicts(b *strings.Builder, f ltl.Formula, calls []trace.Call, r formulaAnswer) {
	fmt.Fprintf(b, "%4s  %s\n", "", ltl.Verdict(r.Verdicts[0]))
	m := ltl.NewMonitor(f)
	for i, c := range calls {
		before := m.Clone()
		j := m.Step(c)
		fmt.Fprintf(b, "%4d  %s: %s", i+1, callWords(c), ltl.Verdict(r.Verdicts[i+1]))
		if j.Refused() {
			fmt.Fprintf(b, ", refused")
		}
		fmt.Fprintln(b)
		for _, x := range r.Witnesses[i+1] {
			fmt.Fprintf(b, "%4s    %s %s%s\n", "", x.Path, ltl.Verdict(x.Verdict), maybeWord(x.Uncertain))
		}
		if j.Refused() {
			if way := ltl.Comply(before, proposed(c), ltl.Letters(f)); way != nil {
				fmt.Fprintf(b, "%4s    would pass after: %s\n", "", chainWords(way))
			}
		}
	}
	fmt.Fprintf(b, "finished: %v\n", r.Finished[len(calls)])
	if ltl.Verdict(r.Verdicts[len(calls)]).Failing() || !r.Finished[len(calls)] {
		if way := mend(m, f); len(way) > 0 {
			fmt.Fprintf(b, "would be met after: %s\n", chainWords(way))
		}
	}
}

// mend finds a shortest list of calls after which the formula is not failing and
// would be true if the trace ended.
func mend(m *ltl.Monitor, f ltl.Formula) []trace.Call {
	type node struct {
		m    *ltl.Monitor
		path []trace.Call
	}
	steps := 0
	level := []node{{m: m}}
	for range ltl.MaxComply {
		var next []node
		for _, n := range level {
			for _, l := range ltl.Letters(f) {
				if steps++; steps > ltl.MaxComplySteps {
					return nil
				}
				c := n.m.Clone()
				c.Step(l)
				path := append(slices.Clip(n.path), l)
				if !c.Verdict().Failing() && c.End() {
					return path
				}
				next = append(next, node{c, path})
			}
		}
		level = next
	}
	return nil
}

func maybeWord(uncertain bool) string {
	if uncertain {
		return " (may)"
	}
	return ""
}

func callWords(c trace.Call) string {
	s := c.Tool
	if len(c.Args) > 0 {
		s += " " + trace.Canonical(c.Args)
	}
	if c.Outcome != nil && c.Outcome.Status != nil && *c.Outcome.Status != 0 {
		s += fmt.Sprintf(" (status %d)", *c.Outcome.Status)
	}
	return s
}

func chainWords(calls []trace.Call) string {
	words := make([]string, len(calls))
	for i, c := range calls {
		words[i] = callWords(c)
	}
	return strings.Join(words, ", then ")
}
