package main

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
)

type pruneOptions struct {
	session string
	project bool
	keep    int
	before  string
	dryRun  bool
}

func newPruneCmd(e *env) *cobra.Command {
	o := pruneOptions{}
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old raw calls; what rules made of them stays",
		Long: "Remove old raw calls from the traces of all sessions and of the project, down to what\n" +
			"settings.keep says. Checkpoints stay, so no rule forgets anything; a rule that is new or\n" +
			"edited later is judged on the calls that are kept. A call that a rule used in the last 30\n" +
			"days has not consumed stays. The file is written anew when much of it is free.",
		Example: "  agentltl-hook prune --dry-run\n  agentltl-hook prune --keep 1000\n  agentltl-hook prune --before 2026-01-01",
		Args:    cli.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("keep") {
				o.keep = -1
			} else if o.keep < 0 {
				return cli.Usagef("prune: --keep %d is no number of calls", o.keep)
			}
			return runPrune(e, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.session, "session", "", "only the trace of the session of this `ID`")
	f.BoolVar(&o.project, "project", false, "only the project's trace (calls that go from it go from sessions, too)")
	f.IntVar(&o.keep, "keep", 0, "newest `N` calls to keep (default: settings.keep)")
	f.StringVar(&o.before, "before", "", "remove calls before this `TIME`, RFC 3339 or a date")
	f.BoolVar(&o.dryRun, "dry-run", false, "change nothing, say what would go")
	return cmd
}

func runPrune(e *env, o pruneOptions) error {
	x, err := records(e, o.session)
	if err != nil {
		return err
	}
	opts, err := o.options(x)
	if err != nil {
		return err
	}
	if o.session != "" {
		err := x.Store().ViewTx(func(tx *store.Tx) error {
			if !tx.Known() {
				return noSession(o.session)
			}
			return nil
		})
		if err != nil {
			return storeTrouble(err)
		}
	}
	r, err := prune(x, opts)
	if err != nil {
		return storeTrouble(err)
	}
	doc, err := o.doc(x, r)
	if err != nil {
		return err
	}
	if e.JSON {
		return cli.WriteJSON(e.Stdout, doc)
	}
	printPruned(e, doc)
	return nil
}

// prune lets the rule sets that are behind catch up first: what they have not
// consumed may not go.
func prune(x *hooks.Records, o store.PruneOptions) (store.PruneReport, error) {
	dry := o
	dry.DryRun = true
	r, err := x.Store().Prune(dry)
	if err != nil || len(r.Holds) == 0 {
		if err != nil || o.DryRun {
			return r, err
		}
		return x.Store().Prune(o)
	}
	if o.DryRun {
		return r, nil
	}
	behind := map[string]bool{}
	for _, h := range r.Holds {
		behind[h.Session] = true
	}
	delete(behind, "")
	if err := x.CatchUp(slices.Sorted(maps.Keys(behind))); err != nil {
		return r, err
	}
	return x.Store().Prune(o)
}

func (o *pruneOptions) options(x *hooks.Records) (store.PruneOptions, error) {
	p := store.PruneOptions{
		Sessions: o.session != "" || !o.project, Session: o.session, Project: o.project || o.session == "",
		DryRun: o.dryRun, Keep: store.Keep{Session: o.keep, Project: o.keep},
	}
	if o.before != "" {
		at, err := pruneTime(o.before)
		if err != nil {
			return p, cli.Usagef("prune: --before %q is neither a time of RFC 3339 nor a date", o.before)
		}
		p.Before = at
	}
	if o.keep >= 0 || o.before != "" {
		return p, nil
	}
	keep, err := x.Keep()
	p.Keep = keep
	return p, storeTrouble(err)
}

func pruneTime(s string) (time.Time, error) {
	if t, err := time.ParseInLocation(time.DateOnly, s, time.Local); err == nil {
		return t, nil
	}
	return time.Parse(time.RFC3339, s)
}

// pruneDoc is prune --json.
type pruneDoc struct {
	Version   int            `json:"version"`
	DryRun    bool           `json:"dry_run"`
	Project   int            `json:"project"`
	Sessions  map[string]int `json:"sessions"`
	Held      []heldDoc      `json:"held"`
	Whole     []string       `json:"whole"` // rules that are judged from all calls
	Rewritten bool           `json:"rewritten"`
	Before    int64          `json:"bytes_before"`
	After     int64          `json:"bytes_after"`
}

// heldDoc is a rule that keeps calls from going.
type heldDoc struct {
	Rule    string `json:"rule"` // its id; of one that is not in force its digest
	Session string `json:"session,omitempty"`
	Calls   int    `json:"calls"` // it has consumed
	Used    string `json:"used"`
}

func (o *pruneOptions) doc(x *hooks.Records, r store.PruneReport) (pruneDoc, error) {
	d := pruneDoc{
		Version: 1, DryRun: o.dryRun, Project: r.Project, Sessions: r.Sessions, Held: []heldDoc{}, Whole: []string{},
		Rewritten: r.Rewritten, Before: r.Before, After: r.After,
	}
	list, err := x.All()
	if err != nil {
		return d, err
	}
	for _, rule := range list {
		if rule.Formula != nil && ltl.Fallback(rule.Formula) {
			d.Whole = append(d.Whole, rule.ID)
		}
	}
	for _, h := range r.Holds {
		held := heldDoc{Rule: ruleName(list, h.Rule), Session: h.Session, Calls: h.Calls, Used: h.Used.Format(time.DateOnly)}
		if !slices.Contains(d.Held, held) {
			d.Held = append(d.Held, held)
		}
	}
	return d, nil
}

// ruleName is the id of the rule in force that says what the digest names.
func ruleName(list []*rules.Rule, digest state.Digest) string {
	for _, r := range list {
		if r.Digest == digest {
			return r.ID
		}
	}
	return hex.EncodeToString(digest[:8])
}

func printPruned(e *env, d pruneDoc) {
	w := e.Stdout
	verb := "removed"
	if d.DryRun {
		verb = "would remove"
	}
	total := 0
	for _, n := range d.Sessions {
		total += n
	}
	fmt.Fprintf(w, "%s %d calls from the project's trace, %d from those of %d sessions\n", verb, d.Project, total, len(d.Sessions))
	if d.Rewritten {
		fmt.Fprintf(w, "the file was written anew: %s, before %s\n", size(d.After), size(d.Before))
	}
	if len(d.Whole) > 0 && d.Project+total > 0 {
		fmt.Fprintf(w, "judged from all calls each time, and not any more once some are gone: %s\n", strings.Join(cleaned(d.Whole), ", "))
	}
	for _, h := range d.Held {
		where := "the project's trace"
		if h.Session != "" {
			where = "session " + flat(h.Session)
		}
		fmt.Fprintf(w, "kept for rule %s, used %s: it has consumed %d calls of %s\n", guard.Name(h.Rule), h.Used, h.Calls, where)
	}
	if d.Project+total > 0 && !e.Quiet {
		fmt.Fprintln(w, "No rule forgets anything; rules that are new or edited from now on are judged on the calls that are kept.")
	}
}

func cleaned(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = guard.Name(id)
	}
	return out
}
