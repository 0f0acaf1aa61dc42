package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/state"
)

type pauseOptions struct {
	length string
	reason string
	end    bool
}

// pauseExample is the hint of a pause that lacks something.
const pauseExample = "agentltl-hook pause 30m --reason 'incident'"

func newPauseCmd(e *env) *cobra.Command {
	o := pauseOptions{}
	cmd := &cobra.Command{
		Use:   "pause DURATION --reason TEXT",
		Short: "Stop enforcing this project's rules for a while (a person at a terminal)",
		Long: "Judge without enforcing, for this project and all harnesses, for at most 8 hours.\n" +
			"Managed rules and protect-guard stay as they are. --end ends it.",
		Example: "  agentltl-hook pause 30m --reason 'incident'\n  agentltl-hook pause --end",
		Args:    cli.Args(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.length = args[0]
			}
			return runPause(e, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.reason, "reason", "", "`TEXT`: why (required)")
	f.BoolVar(&o.end, "end", false, "end the pause")
	return cmd
}

func runPause(e *env, o pauseOptions) error {
	p, err := localPipeline(e, e.Harness)
	if err != nil {
		return err
	}
	office := p.Office(e.Dir)
	if o.end {
		return endPause(e, office.List, office.Revoke)
	}
	d, err := time.ParseDuration(o.length)
	switch {
	case o.length == "":
		return cli.WithHint(cli.Usagef("pause: DURATION missing"), pauseExample)
	case err != nil || d <= 0 || d > maxPause:
		return cli.WithHint(cli.Usagef("pause: %q is no duration of at most 8h", o.length), pauseExample)
	case strings.TrimSpace(o.reason) == "":
		return cli.WithHint(cli.Usagef("pause: --reason missing"), pauseExample)
	}
	if err := needTerminal(e, "pause"); err != nil {
		return err
	}
	x := state.Exception{Scope: "pause", Until: office.Now().Add(d), Reason: strings.TrimSpace(o.reason), By: whoami(e), Call: "pause"}
	fmt.Fprintf(e.Stderr, "The rules of this project will not be enforced until %s.\n", x.Until.Local().Format(time.DateTime))
	if err := typed(e, "pause"); err != nil {
		return err
	}
	if x.Number, err = office.Grant(x); err != nil {
		return err
	}
	if e.JSON {
		doc := exceptionJSON(x)
		doc.Version = 1
		return cli.WriteJSON(e.Stdout, doc)
	}
	fmt.Fprintf(e.Stdout, "paused until %s; agentltl-hook pause --end ends it\n", x.Until.Local().Format(time.DateTime))
	return nil
}

// endPause ends every pause that runs.
func endPause(e *env, list func() ([]state.Exception, error), revoke func(int) (bool, error)) error {
	all, err := list()
	if err != nil {
		return err
	}
	n := 0
	for _, x := range all {
		if x.Scope != "pause" {
			continue
		}
		if _, err := revoke(x.Number); err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		return cli.Findingf("nothing is paused")
	}
	fmt.Fprintln(e.Stdout, "the rules are enforced again")
	return nil
}
