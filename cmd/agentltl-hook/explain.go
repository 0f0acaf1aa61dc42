package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/state"
)

type explainOptions struct {
	decision string
	last     bool
	rule     string
	call     string
	session  string
}

func newExplainCmd(e *env) *cobra.Command {
	o := explainOptions{}
	cmd := &cobra.Command{
		Use:   "explain [DECISION]",
		Short: "Say why a call was refused, or why it passes",
		Long: "Say why a decision was made: the rule, what in the call broke it, the recorded calls\n" +
			"that matter, the value of each part of its formula, what would satisfy it, and how to\n" +
			"switch it off. Without DECISION, of the newest one. --call judges a call now, without\n" +
			"recording it, and also explains why it would pass.",
		Example: "  agentltl-hook explain 12\n  agentltl-hook explain --call 'git push'",
		Args:    cli.Args(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.decision = args[0]
			}
			return runExplain(e, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.last, "last", false, "the newest decision (the default)")
	f.StringVar(&o.rule, "rule", "", "only the rule of this `ID`")
	f.StringVar(&o.call, "call", "", "judge this `STEP` now, in place of a decision")
	f.StringVar(&o.session, "session", "", "session `ID` (default: the one used last)")
	return cmd
}

func runExplain(e *env, o explainOptions) error {
	q := hooks.Question{Dir: e.Dir, Session: o.session, Decision: o.decision, Rule: o.rule}
	if o.call != "" {
		if o.decision != "" || o.last {
			return cli.Usagef("explain: --call and a decision exclude each other")
		}
		s, err := hooks.ParseStep(o.call)
		if err != nil {
			return cli.Usagef("explain: %w", err)
		}
		if s.Do != "call" {
			return cli.Usagef("explain: %q is no call", o.call)
		}
		q.Step = &s
	}
	p, err := localPipeline(e, e.Harness)
	if err != nil {
		return err
	}
	x, err := p.Explain(q)
	switch {
	case errors.Is(err, hooks.ErrNoSession):
		return cli.WithHint(cli.Findingf("no session recorded for this directory"), "nothing was judged here yet; agentltl-hook explain --call 'git push' judges a call now")
	case errors.Is(err, hooks.ErrNoDecision) && o.decision != "":
		return cli.WithHint(cli.Findingf("no decision %s in this project", o.decision), "agentltl-hook trace --project --decisions lists them")
	case errors.Is(err, hooks.ErrNoDecision):
		return cli.WithHint(cli.Findingf("nothing was refused in this session yet"), "agentltl-hook explain --call STEP explains a call now")
	case err != nil:
		return err
	}
	if e.JSON {
		return cli.WriteJSON(e.Stdout, explainedJSON(x))
	}
	printExplained(e.Stdout, x)
	return nil
}

// explainedDoc is explain --json.
type explainedDoc struct {
	Version  int             `json:"version"`
	Session  string          `json:"session,omitempty"`
	Decision *state.Decision `json:"decision,omitempty"`
	Call     string          `json:"call"`
	Result   string          `json:"result,omitempty"`
	Text     string          `json:"text,omitempty"`
	Rules    []guard.Account `json:"rules"`
	Nearest  string          `json:"nearest,omitempty"`
	Excepted []string        `json:"excepted,omitempty"`
}

func explainedJSON(x hooks.Explained) explainedDoc {
	d := explainedDoc{
		Version: 1, Session: x.Session, Decision: x.Decision, Call: x.Call, Result: x.Result, Text: x.Text,
		Rules: x.Accounts, Nearest: x.Nearest, Excepted: x.Excepted,
	}
	if d.Rules == nil {
		d.Rules = []guard.Account{}
	}
	return d
}

func printExplained(w io.Writer, x hooks.Explained) {
	switch d := x.Decision; {
	case d != nil:
		fmt.Fprintf(w, "decision %s, %s: %s", d.ID, d.Time.Local().Format(time.DateTime), actionWords(d.Action))
		if d.Rule != "" {
			fmt.Fprintf(w, " by %s (%s)", guard.Name(d.Rule), d.Mode)
		}
		fmt.Fprintf(w, "\ncall: %s\n", guard.Clean(x.Call))
		if d.Problem != "" {
			fmt.Fprintf(w, "what broke it: %s\n", guard.Clean(d.Problem))
		}
		if list, ok := d.More["unread"].([]any); ok {
			for _, u := range list {
				fmt.Fprintf(w, "could not be read: %s\n", guard.Clean(fmt.Sprint(u)))
			}
		}
		fmt.Fprintf(w, "recorded then: %s in the session\n", cli.Count(d.Len, "call"))
	default:
		fmt.Fprintf(w, "call: %s\nnow: %s\n", guard.Clean(x.Call), x.Result)
	}
	switch {
	case x.NoRules:
		fmt.Fprintln(w, "No rule file is in force here.")
	case x.Gone:
		fmt.Fprintln(w, "The rule is not in force any more, or cannot react to this call now.")
	case len(x.Accounts) == 0:
		fmt.Fprintln(w, "No rule speaks of this call.")
	}
	for _, id := range x.Excepted {
		fmt.Fprintf(w, "An exception keeps %s from deciding.\n", guard.Name(id))
	}
	for i := range x.Accounts {
		a := x.Accounts[i]
		if d := x.Decision; d != nil && d.Rule == a.ID && d.Problem == a.Problem {
			a.Problem = "" // it stands above
		}
		printAccount(w, &a)
	}
	if x.Nearest != "" && x.Decision == nil {
		fmt.Fprintf(w, "\nnearest to refusing it: %s\n", guard.Name(x.Nearest))
	}
}

func printAccount(w io.Writer, a *guard.Account) {
	says := "lets it pass"
	if a.Refuses {
		says = "refuses it"
		if a.Maybe {
			says = "may refuse it: the files are known only at run time"
		}
	}
	fmt.Fprintf(w, "\n%s (%s, %s, %s layer) %s\n", guard.Name(a.ID), a.Mode, a.Scope, a.Layer, says)
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "  %-10s %s\n", name, strings.ReplaceAll(guard.Clean(text), "\n", "\n             "))
		}
	}
	line("says", short(a.Summary))
	if !a.Refuses {
		line("value", a.Verdict)
		line("trace", cli.Count(len(a.Calls)+a.Earlier, "recorded call")+" that it speaks of")
		return
	}
	line("why", a.Why)
	line("problem", a.Problem)
	if a.File != "" {
		line("from", fmt.Sprintf("%s:%d", a.File, a.Line))
	}
	if a.Pruned > 0 {
		line("pruned", fmt.Sprintf("the first %d calls of the trace are gone; checkpoints keep what they meant", a.Pruned))
	}
	if len(a.Calls) == 0 && a.Kind != "never" && a.Kind != "require" {
		line("trace", "no recorded call that it speaks of")
	}
	if a.Earlier > 0 {
		line("trace", fmt.Sprintf("%d earlier calls, then:", a.Earlier))
	}
	for _, c := range a.Calls {
		fmt.Fprintf(w, "  #%-9d %s%s\n", c.N, guard.Clean(c.Text), outcomeWords(c))
	}
	if a.Limit > 0 {
		line("tries", fmt.Sprintf("%d of %d so far", a.Tries, a.Limit))
	}
	line("fix", a.Fix)
	line("passes after", strings.Join(a.Comply, "\n"))
	line("off", a.Off)
	if a.Formula != "" {
		line("formula", fmt.Sprintf("%s: %s", short(a.Formula), a.Verdict))
	}
	for _, p := range a.Parts {
		if p.Depth > 0 {
			fmt.Fprintf(w, "  %s%s: %s\n", strings.Repeat("  ", p.Depth), short(p.Formula), p.Verdict)
		}
	}
}

func outcomeWords(c guard.AccountCall) string {
	switch {
	case c.Maybe:
		return "  (may not have run)"
	case c.Status == nil:
		return "  (status not known)"
	case *c.Status != 0:
		return fmt.Sprintf("  (status %d)", *c.Status)
	}
	return ""
}

// short keeps long texts to a line; --json has all of them.
func short(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:199]) + "…"
	}
	return s
}
