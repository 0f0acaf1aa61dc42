package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
)

type resetOptions struct {
	session string
	project bool
	all     bool
	corrupt bool
	rule    string
	store   string
}

func newResetCmd(e *env) *cobra.Command {
	o := resetOptions{}
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Forget the memory of a session, the project, or a rule",
		Long: "Forget what was recorded: of a session (by default the one used last), of the project,\n" +
			"or of all. --rule lets one rule begin anew everywhere. --corrupt keeps a damaged store\n" +
			"aside so that a new one is begun. --store removes a store whose project is gone.",
		Example: "  agentltl-hook reset\n  agentltl-hook reset --project\n  agentltl-hook reset --rule tests-first",
		Args:    cli.Args(0, 0),
		RunE:    func(*cobra.Command, []string) error { return runReset(e, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.session, "session", "", "the session of this `ID` (default: the one used last)")
	f.BoolVar(&o.project, "project", false, "the project's memory; sessions keep theirs")
	f.BoolVar(&o.all, "all", false, "all sessions, the project's memory, and what was allowed")
	f.BoolVar(&o.corrupt, "corrupt", false, "keep a damaged store aside and begin a new one")
	f.StringVar(&o.rule, "rule", "", "let the rule of this `ID` begin anew")
	f.StringVar(&o.store, "store", "", "remove this store `FILE`, whose project is gone")
	return cmd
}

// resetDoc is reset --json.
type resetDoc struct {
	Version int    `json:"version"`
	Reset   string `json:"reset"` // session, project, all, corrupt, rule, store
	Session string `json:"session,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Traces  int    `json:"traces,omitempty"` // in which the rule begins anew
	Kept    string `json:"kept,omitempty"`   // where the damaged file is now
	Store   string `json:"store,omitempty"`
	words   string
}

func runReset(e *env, o resetOptions) error {
	n := 0
	for _, set := range []bool{o.session != "", o.project, o.all, o.corrupt, o.rule != "", o.store != ""} {
		if set {
			n++
		}
	}
	if n > 1 {
		return cli.Usagef("reset: --session, --project, --all, --corrupt, --rule and --store exclude each other")
	}
	doc, err := o.run(e)
	if err != nil {
		return storeTrouble(err)
	}
	doc.Version = 1
	if e.JSON {
		return cli.WriteJSON(e.Stdout, doc)
	}
	fmt.Fprintln(e.Stdout, doc.words)
	return nil
}

func (o *resetOptions) run(e *env) (resetDoc, error) {
	switch {
	case o.store != "":
		return o.orphan(e)
	case o.corrupt:
		return o.damaged(e)
	}
	x, err := records(e, o.session)
	if err != nil {
		return resetDoc{}, err
	}
	switch {
	case o.rule != "":
		return o.ruleAnew(x)
	case o.project, o.all:
		return o.wide(x)
	}
	doc := resetDoc{Reset: "session", Session: x.Session(), words: "session " + flat(x.Session()) + " is forgotten; its calls stay in the project's trace"}
	return doc, x.Store().UpdateTx(func(tx *store.Tx) error {
		if !tx.Known() {
			return noSession(o.session)
		}
		_, err := tx.ResetSession()
		return err
	})
}

// wide resets the project or everything. An empty store has nothing to forget.
func (o *resetOptions) wide(x *hooks.Records) (resetDoc, error) {
	doc := resetDoc{Reset: "project", words: "the project's memory is forgotten; sessions keep theirs"}
	reset := (*store.Tx).ResetProject
	if o.all {
		doc = resetDoc{Reset: "all", words: "all sessions, the project's memory and what was allowed are forgotten"}
		reset = (*store.Tx).ResetAll
	}
	err := x.Store().ViewTx(func(tx *store.Tx) error {
		if tx.Len(state.Project) == 0 && len(tx.Sessions()) == 0 {
			return noSession("")
		}
		return nil
	})
	if err != nil {
		return doc, err
	}
	err = x.Store().UpdateTx(reset)
	if err == nil && o.all {
		_, err = x.Store().Prune(store.PruneOptions{}) // gives the space back
	}
	return doc, err
}

func (o *resetOptions) ruleAnew(x *hooks.Records) (resetDoc, error) {
	doc := resetDoc{Reset: "rule", Rule: o.rule}
	list, err := x.All()
	if err != nil {
		return doc, err
	}
	var ids []string
	found := false
	var digest state.Digest
	for _, r := range list {
		ids = append(ids, r.ID)
		if r.ID == o.rule {
			digest, found = r.Digest, true
		}
	}
	if !found {
		err := cli.Findingf("no rule %q is in force here", o.rule)
		if n := cli.Nearest(o.rule, ids); n != "" {
			return doc, cli.WithHint(err, "did you mean %q?", n)
		}
		return doc, err
	}
	err = x.Store().UpdateTx(func(tx *store.Tx) (err error) {
		doc.Traces, err = tx.ResetRule(digest)
		return err
	})
	doc.words = fmt.Sprintf("rule %s begins anew in %d traces", guard.Name(o.rule), doc.Traces)
	return doc, err
}

func (o *resetOptions) damaged(e *env) (resetDoc, error) {
	s := projectStore(e)
	kept, err := s.ResetCorrupt()
	doc := resetDoc{Reset: "corrupt", Store: s.Path(), Kept: kept}
	if errors.Is(err, store.ErrSound) {
		return doc, cli.Findingf("%w", err)
	}
	doc.words = "the damaged store is kept as " + doc.Kept + "; the next event begins a new one"
	return doc, err
}

// orphan removes a store of the state folder whose project is gone.
func (o *resetOptions) orphan(e *env) (resetDoc, error) {
	path := e.Path(o.store)
	doc := resetDoc{Reset: "store", Store: path, words: path + " is removed"}
	opts := store.Options{Now: e.Now()}
	list, err := store.Orphans(stateDir(e), opts)
	if err != nil {
		return doc, err
	}
	for _, orphan := range list {
		if filepath.Clean(orphan.Path) == filepath.Clean(path) {
			opts.Path = path
			return doc, hooks.RemoveStore(opts)
		}
	}
	return doc, cli.WithHint(cli.Findingf("%s is no store whose project is gone", path), "agentltl-hook doctor lists those")
}
