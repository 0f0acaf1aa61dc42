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
	"github.com/agentltl/agentltl-hook/store"
	"github.com/agentltl/agentltl-hook/trace"
)

type traceOptions struct {
	session   string
	project   bool
	limit     int
	decisions bool
	list      bool
}

func newTraceCmd(e *env) *cobra.Command {
	o := traceOptions{}
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Show the recorded calls and the last interventions",
		Long: "Show the calls recorded for a session, or for the project, and what was refused,\n" +
			"asked or noted lately. Without --session it is the session used last.",
		Example: "  agentltl-hook trace --limit 5\n  agentltl-hook trace --decisions\n  agentltl-hook trace --list",
		Args:    cli.Args(0, 0),
		RunE:    func(*cobra.Command, []string) error { return runTrace(e, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.session, "session", "", "session `ID` (default: the one used last)")
	f.BoolVar(&o.project, "project", false, "the project's calls, of all sessions")
	f.IntVar(&o.limit, "limit", 0, "only the newest `N` calls (default: 20; with --json all)")
	f.BoolVar(&o.decisions, "decisions", false, "the kept decisions, newest first")
	f.BoolVar(&o.list, "list", false, "list the sessions")
	cmd.AddCommand(newTraceImportCmd(e))
	return cmd
}

// shownCalls and shownDecisions are what fits a screen.
const (
	shownCalls     = 20
	shownDecisions = 5
)

func runTrace(e *env, o traceOptions) error {
	if o.list && (o.session != "" || o.project || o.decisions) {
		return cli.Usagef("trace: --list excludes --session, --project and --decisions")
	}
	if o.limit < 0 {
		return cli.Usagef("trace: --limit %d is no number of calls", o.limit)
	}
	x, err := records(e, o.session)
	if err != nil {
		return err
	}
	if o.list {
		return listSessions(e, x)
	}
	doc, err := o.read(e, x)
	if err != nil {
		return err
	}
	if e.JSON {
		return cli.WriteJSON(e.Stdout, doc)
	}
	printTrace(e.Stdout, doc, o)
	return nil
}

// records opens the recorded calls of the working directory's project.
func records(e *env, session string) (*hooks.Records, error) {
	p, err := localPipeline(e, e.Harness)
	if err != nil {
		return nil, err
	}
	x, err := p.Records(e.Dir, session)
	return x, storeTrouble(err)
}

// storeTrouble adds what helps to trouble with a store.
func storeTrouble(err error) error {
	for _, known := range []error{store.ErrBusy, store.ErrCorrupt, store.ErrNewer, store.ErrUnsafe} {
		if errors.Is(err, known) {
			return cli.WithHint(err, "%s", storeFix(err))
		}
	}
	return err
}

func noSession(session string) error {
	if session != "" {
		return cli.WithHint(cli.Findingf("no session %q recorded for this directory", session), `"agentltl-hook trace --list" lists those there are`)
	}
	return cli.WithHint(cli.Findingf("no session recorded for this directory"), `pass --session, or run "agentltl-hook trace --list"`)
}

// traceDoc is trace --json (rules.md 22).
type traceDoc struct {
	Version   int              `json:"version"`
	Scope     string           `json:"scope"`
	Session   string           `json:"session"`
	Pruned    int              `json:"pruned"`
	Calls     []tracedCall     `json:"calls"`
	Decisions []state.Decision `json:"decisions,omitzero"`

	total int
	first int // position of the first call shown
}

type tracedCall struct {
	Tool      string     `json:"tool"`
	Args      trace.Args `json:"args"`
	ID        string     `json:"id"`
	Agent     string     `json:"agent"`
	Harness   string     `json:"harness"`
	Source    string     `json:"source"`
	Status    *int       `json:"status"`
	Time      string     `json:"t"`
	Unchecked bool       `json:"unchecked"`

	session string
	maybe   bool
}

// read fills the document from the store.
func (o *traceOptions) read(e *env, x *hooks.Records) (traceDoc, error) {
	doc := traceDoc{Version: 1, Scope: "session", Session: x.Session(), Calls: []tracedCall{}}
	scope := state.Session
	if o.project {
		scope, doc.Scope = state.Project, "project"
	}
	limit := o.limit
	if limit == 0 && !e.JSON {
		limit = shownCalls
	}
	err := x.Store().ViewTx(func(tx *store.Tx) error {
		// A project where nothing ran yet may have refusals to show.
		if !o.project && !tx.Known() || o.project && tx.Len(state.Project) == 0 && !refusals(tx) {
			return noSession(o.session)
		}
		doc.total, doc.Pruned = tx.Len(scope), tx.First(scope)
		doc.first = doc.Pruned
		if limit > 0 {
			doc.first = max(doc.first, doc.total-limit)
		}
		for _, c := range tx.Calls(scope, doc.first, nil) {
			doc.Calls = append(doc.Calls, traced(&c))
		}
		if o.decisions || !e.JSON {
			doc.Decisions = decisionsOf(tx, o)
		}
		return nil
	})
	return doc, storeTrouble(err)
}

func refusals(tx *store.Tx) bool {
	for range tx.AllDecisions() {
		return true
	}
	return false
}

func decisionsOf(tx *store.Tx, o *traceOptions) []state.Decision {
	list := []state.Decision{}
	of := tx.Decisions()
	if o.project {
		of = tx.AllDecisions()
	}
	for _, d := range of {
		if !o.decisions && len(list) == shownDecisions {
			break
		}
		list = append(list, d)
	}
	return list
}

func traced(c *trace.Call) tracedCall {
	t := tracedCall{
		Tool: c.Tool, Args: c.Args, ID: c.ID, Agent: c.Agent, Harness: c.Harness, Source: c.Source,
		Unchecked: c.Unchecked, session: c.Session,
	}
	if c.Outcome != nil {
		t.Status, t.maybe = c.Outcome.Status, c.Outcome.Maybe
	}
	if !c.Time.IsZero() {
		t.Time = trace.FormatTime(c.Time)
	}
	return t
}

func printTrace(w io.Writer, doc traceDoc, o traceOptions) {
	what := "session " + guard.Clean(doc.Session)
	if o.project {
		what = "project"
	}
	fmt.Fprintf(w, "%s: %s", what, cli.Count(doc.total, "call"))
	if doc.Pruned > 0 {
		fmt.Fprintf(w, ", the first %d pruned (rules keep what they meant)", doc.Pruned)
	}
	fmt.Fprintln(w)
	if !o.decisions {
		for i := range doc.Calls {
			c := &doc.Calls[i]
			fmt.Fprintf(w, "#%-6d %s  %s%s\n", doc.first+i, localTime(c.Time), callText(c.Tool, c.Args), callNotes(c, o.project))
		}
	}
	if len(doc.Decisions) == 0 {
		if o.decisions {
			fmt.Fprintln(w, "nothing was refused, asked or noted yet")
		}
		return
	}
	fmt.Fprintln(w, "\nlast interventions:")
	for i := range doc.Decisions {
		printDecision(w, &doc.Decisions[i])
	}
	fmt.Fprintln(w, `"agentltl-hook explain NUMBER" says why`)
}

func printDecision(w io.Writer, d *state.Decision) {
	by := guard.Name(d.Rule)
	if d.Rule == "" {
		by = "a setting"
	}
	if d.Mode != "" {
		by += " (" + d.Mode + ")"
	}
	call := short(d.Source)
	if call == "" {
		call = callText(d.Tool, d.Args)
	}
	fmt.Fprintf(w, "%-6s %s  %s by %s: %s\n", d.ID, d.Time.Local().Format(time.DateTime), actionWords(d.Action), by, flat(call))
}

// actionWords are what became of a call. A rule in shadow, or of a paused
// project, says what it would have done.
func actionWords(action string) string {
	if would, ok := strings.CutPrefix(action, "would_"); ok {
		return "not enforced: would " + would
	}
	return action
}

func localTime(t string) string {
	at, err := time.Parse(time.RFC3339Nano, t)
	if err != nil {
		return strings.Repeat(" ", len(time.DateTime))
	}
	return at.Local().Format(time.DateTime)
}

func callText(tool string, args trace.Args) string {
	return flat(short(tool + " " + trace.Canonical(sayingArgs(args))))
}

func flat(s string) string {
	return strings.ReplaceAll(guard.Clean(s), "\n", " ")
}

func callNotes(c *tracedCall, project bool) string {
	var notes []string
	switch {
	case c.maybe:
		notes = append(notes, "may not have run")
	case c.Status == nil:
		notes = append(notes, "status not known")
	case *c.Status != 0:
		notes = append(notes, fmt.Sprintf("status %d", *c.Status))
	}
	if c.Unchecked {
		notes = append(notes, "was not checked")
	}
	if c.Agent != "" {
		notes = append(notes, "subagent "+c.Agent)
	}
	if project {
		notes = append(notes, "session "+c.session)
	}
	if len(notes) == 0 {
		return ""
	}
	return "  (" + flat(strings.Join(notes, ", ")) + ")"
}

// sessionDoc is one line of trace --list --json.
type sessionDoc struct {
	Session string `json:"session"`
	Calls   int    `json:"calls"`
	Pruned  int    `json:"pruned"`
	Last    string `json:"last,omitempty"`
	Folder  string `json:"folder,omitempty"`
	Stopped string `json:"stopped,omitempty"` // the rule whose stop holds
}

func listSessions(e *env, x *hooks.Records) error {
	doc := struct {
		Version  int          `json:"version"`
		Sessions []sessionDoc `json:"sessions"`
	}{Version: 1, Sessions: []sessionDoc{}}
	err := x.Store().ViewTx(func(tx *store.Tx) error {
		for _, s := range tx.Sessions() {
			d := sessionDoc{Session: s.ID, Calls: s.Calls, Pruned: s.Pruned, Folder: s.Memory.Folder}
			if !s.Last.IsZero() {
				d.Last = trace.FormatTime(s.Last)
			}
			if s.Memory.Latch != nil {
				d.Stopped = s.Memory.Latch.Rule
			}
			doc.Sessions = append(doc.Sessions, d)
		}
		return nil
	})
	if err != nil {
		return storeTrouble(err)
	}
	if e.JSON {
		return cli.WriteJSON(e.Stdout, doc)
	}
	if len(doc.Sessions) == 0 {
		fmt.Fprintln(e.Stdout, "no sessions recorded for this directory")
	}
	for _, d := range doc.Sessions {
		fmt.Fprintf(e.Stdout, "%s  %6d calls  %s", localTime(d.Last), d.Calls, flat(d.Session))
		if d.Stopped != "" {
			fmt.Fprintf(e.Stdout, "  stopped by %s", guard.Name(d.Stopped))
		}
		fmt.Fprintln(e.Stdout)
	}
	return nil
}
