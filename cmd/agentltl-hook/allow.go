package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/state"
)

// Longest exceptions (trust.md 7).
const (
	onceFor  = time.Hour
	maxAllow = 24 * time.Hour
	maxPause = 8 * time.Hour
)

type allowOptions struct {
	decision string
	once     bool
	session  bool
	length   string
	reason   string
	list     bool
	revoke   int
}

func newAllowCmd(e *env) *cobra.Command {
	o := allowOptions{}
	cmd := &cobra.Command{
		Use:   "allow DECISION --reason TEXT",
		Short: "Let the exact call of a refusal pass (a person at a terminal)",
		Long: "Let the exact call of a decision break the rules that refused it there; every other\n" +
			"rule judges it as usual. Once within an hour, or for a while, or in its session. Needs a\n" +
			"terminal, and the rule's id typed. Managed rules are not reached.",
		Example: "  agentltl-hook allow 12 --reason 'hotfix agreed with ops'\n  agentltl-hook allow --list",
		Args:    cli.Args(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.decision = args[0]
			}
			return runAllow(e, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.once, "once", false, "one time within an hour (the default)")
	f.BoolVar(&o.session, "session", false, "as often as it comes, in that session")
	f.StringVar(&o.length, "for", "", "as often as it comes, in this project, for this `DURATION` (at most 24h)")
	f.StringVar(&o.reason, "reason", "", "`TEXT`: why (required)")
	f.BoolVar(&o.list, "list", false, "list the exceptions that count")
	f.IntVar(&o.revoke, "revoke", 0, "end the exception of this `NUMBER`")
	return cmd
}

func runAllow(e *env, o allowOptions) error {
	p, err := localPipeline(e, e.Harness)
	if err != nil {
		return err
	}
	office := p.Office(e.Dir)
	switch {
	case o.list:
		return listExceptions(e, office)
	case o.revoke > 0:
		return revokeException(e, office, o.revoke)
	case o.decision == "":
		return cli.WithHint(cli.Usagef("allow: DECISION missing"), "every refusal names its number; agentltl-hook trace --project --decisions lists them")
	}
	exception, err := o.exception(office)
	if err != nil {
		return err
	}
	petition, err := office.Petition(o.decision)
	if err != nil {
		return allowError(err, o.decision)
	}
	exception.Rules, exception.Key, exception.Call = petition.Rules, petition.Decision.Key, petition.Call
	exception.Decision, exception.Session = petition.Decision.ID, petition.Decision.Session
	if err := confirmPetition(e, petition, exception); err != nil {
		return err
	}
	exception.By = whoami(e)
	if exception.Number, err = office.Grant(exception); err != nil {
		return err
	}
	return printException(e, exception)
}

// exception is what the flags ask for.
func (o *allowOptions) exception(office *hooks.Office) (state.Exception, error) {
	x := state.Exception{Reason: strings.TrimSpace(o.reason), Scope: "once", Until: office.Now().Add(onceFor)}
	n := 0
	for _, set := range []bool{o.once, o.session, o.length != ""} {
		if set {
			n++
		}
	}
	switch {
	case n > 1:
		return x, cli.Usagef("allow: --once, --session and --for exclude each other")
	case x.Reason == "":
		return x, cli.Usagef("allow: --reason missing")
	case o.session:
		x.Scope, x.Until = "session", time.Time{}
	case o.length != "":
		d, err := time.ParseDuration(o.length)
		if err != nil || d <= 0 || d > maxAllow {
			return x, cli.Usagef("allow: --for %q is no duration of at most %s", o.length, maxAllow)
		}
		x.Scope, x.Until = "for", office.Now().Add(d)
	}
	return x, nil
}

func allowError(err error, id string) error {
	if _, ok := errors.AsType[*hooks.NotAllowedError](err); ok {
		return cli.Findingf("%w", err)
	}
	switch {
	case errors.Is(err, hooks.ErrNoDecision):
		return cli.WithHint(cli.Findingf("no decision %s in this project", id), "agentltl-hook trace --project --decisions lists them")
	case errors.Is(err, hooks.ErrNotRefused):
		return cli.Findingf("decision %s refused nothing", id)
	}
	return err
}

// needTerminal refuses where nobody can be sitting: an agent's commands have no
// terminal.
func needTerminal(e *env, what string) error {
	if e.Terminal(cli.In) && e.Terminal(cli.Err) {
		return nil
	}
	return cli.WithHint(cli.Findingf("%s needs a person at a terminal", what), "run it yourself in a terminal, not through the agent")
}

// confirmPetition shows what will be let through and wants the rule's id typed.
func confirmPetition(e *env, p hooks.Petition, x state.Exception) error {
	if err := needTerminal(e, "allow"); err != nil {
		return err
	}
	fmt.Fprintf(e.Stderr, "call:  %s\n", guard.Clean(p.Call))
	for _, id := range p.Rules {
		fmt.Fprintf(e.Stderr, "rule:  %s\n", guard.Name(id))
	}
	fmt.Fprintf(e.Stderr, "until: %s\n", untilWords(x))
	return typed(e, p.Rules[0])
}

// typed wants a word typed; nothing else answers.
func typed(e *env, word string) error {
	fmt.Fprintf(e.Stderr, "Type %s to confirm: ", guard.Name(word))
	line, _ := bufio.NewReader(e.Stdin).ReadString('\n')
	if !strings.HasSuffix(line, "\n") {
		fmt.Fprintln(e.Stderr)
	}
	if strings.TrimSpace(line) != word {
		return cli.Findingf("not confirmed: nothing was changed")
	}
	return nil
}

func untilWords(x state.Exception) string {
	switch x.Scope {
	case "once":
		return "once, by " + x.Until.Local().Format(time.DateTime)
	case "session":
		return "the end of session " + x.Session
	default:
		return x.Until.Local().Format(time.DateTime)
	}
}

// whoami names the person for the record.
func whoami(e *env) string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if v := e.Getenv(name); v != "" {
			return v
		}
	}
	return fmt.Sprintf("user %d", os.Getuid())
}

// exceptionDoc is one exception as --json prints it.
type exceptionDoc struct {
	Version   int      `json:"version,omitempty"`
	Exception int      `json:"exception"`
	Rules     []string `json:"rules"`
	Call      string   `json:"call"`
	Until     string   `json:"until,omitempty"`
	Scope     string   `json:"scope"`
	Session   string   `json:"session,omitempty"`
	By        string   `json:"by,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	Used      int      `json:"used,omitempty"`
}

func exceptionJSON(x state.Exception) exceptionDoc {
	d := exceptionDoc{Exception: x.Number, Rules: x.Rules, Call: x.Call, Scope: x.Scope, By: x.By, Reason: x.Reason, Used: x.Used}
	if x.Scope == "session" {
		d.Session = x.Session
	}
	if !x.Until.IsZero() {
		d.Until = x.Until.UTC().Format(time.RFC3339)
	}
	if d.Rules == nil {
		d.Rules = []string{}
	}
	return d
}

func printException(e *env, x state.Exception) error {
	if e.JSON {
		d := exceptionJSON(x)
		d.Version = 1
		return cli.WriteJSON(e.Stdout, d)
	}
	fmt.Fprintf(e.Stdout, "exception %d: %s, %s\n", x.Number, guard.Clean(x.Call), untilWords(x))
	return nil
}

func listExceptions(e *env, office *hooks.Office) error {
	list, err := office.List()
	if err != nil {
		return err
	}
	if e.JSON {
		doc := struct {
			Version    int            `json:"version"`
			Exceptions []exceptionDoc `json:"exceptions"`
		}{Version: 1, Exceptions: []exceptionDoc{}}
		for _, x := range list {
			doc.Exceptions = append(doc.Exceptions, exceptionJSON(x))
		}
		return cli.WriteJSON(e.Stdout, doc)
	}
	if len(list) == 0 {
		fmt.Fprintln(e.Stdout, "no exceptions")
	}
	for _, x := range list {
		what := guard.Clean(x.Call)
		if x.Scope == "pause" {
			what = "pause"
		}
		fmt.Fprintf(e.Stdout, "%d  %s  %s  (%s: %s)\n", x.Number, untilWords(x), what, x.By, guard.Clean(x.Reason))
	}
	return nil
}

func revokeException(e *env, office *hooks.Office, n int) error {
	found, err := office.Revoke(n)
	if err != nil {
		return err
	}
	if !found {
		return cli.Findingf("no exception %d that counts", n)
	}
	fmt.Fprintf(e.Stdout, "exception %d no longer counts\n", n)
	return nil
}
