package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/atomicfile"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
)

func newStoreCmd(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Move, export, import or migrate the project's store",
		Args:  cli.Args(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return cli.WithHint(cli.Usagef("store: unknown command %q", args[0]), "one of: move, export, import, migrate")
		},
	}
	cmd.AddCommand(newStoreMoveCmd(e), newStoreExportCmd(e), newStoreImportCmd(e), newStoreMigrateCmd(e))
	return cmd
}

type storeMoveOptions struct {
	old    string
	force  bool
	dryRun bool
}

func newStoreMoveCmd(e *env) *cobra.Command {
	o := storeMoveOptions{}
	cmd := &cobra.Command{
		Use:   "move OLD",
		Short: "Take over the store of the folder this project was in before",
		Long: "Make the store of a project that was moved here this project's. OLD is its former root,\n" +
			"or the store file. A store with recorded calls that is here already is refused; with\n" +
			"--force it is kept aside.",
		Args: cli.Args(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.old = args[0]
			return runStoreMove(e, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.force, "force", false, "keep a store that is here aside")
	f.BoolVar(&o.dryRun, "dry-run", false, "change nothing, say what would be moved")
	return cmd
}

func runStoreMove(e *env, o storeMoveOptions) error {
	s := projectStore(e)
	old, err := store.Find(stateDir(e), e.Path(o.old), store.Options{Now: e.Now()})
	var r store.MoveReport
	if err == nil {
		r, err = s.Move(old, o.force, o.dryRun)
	}
	switch {
	case errors.Is(err, store.ErrNoStore):
		return cli.WithHint(cli.Findingf("there is no store of %s", o.old), "agentltl-hook doctor lists stores whose project is gone")
	case errors.Is(err, store.ErrInUse):
		return cli.WithHint(cli.Findingf("%w", err), "--force keeps it aside")
	case err != nil:
		return storeTrouble(err)
	}
	if e.JSON {
		return cli.WriteJSON(e.Stdout, struct {
			Version  int    `json:"version"`
			From     string `json:"from"`
			To       string `json:"to"`
			Calls    int    `json:"calls"`
			Replaced string `json:"replaced,omitempty"`
			DryRun   bool   `json:"dry_run,omitempty"`
		}{1, r.From, r.To, r.Calls, r.Replaced, o.dryRun})
	}
	verb := "moved"
	if o.dryRun {
		verb = "would move"
	}
	fmt.Fprintf(e.Stdout, "%s %s from %s to %s\n", verb, cli.Count(r.Calls, "call"), r.From, r.To)
	if r.Replaced != "" {
		fmt.Fprintf(e.Stdout, "the store that was here: %s\n", r.Replaced)
	}
	return nil
}

type storeExportOptions struct {
	file    string
	session string
	calls   int
}

func newStoreExportCmd(e *env) *cobra.Command {
	o := storeExportOptions{}
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write the project's store to one file, for a cache or an artefact",
		Long: "Write the store as canonical JSON lines, compressed with gzip, with the hash chain of its\n" +
			"calls: for a job whose home folder vanishes. \"store import\" takes it back.",
		Args: cli.Args(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.file = args[0]
			return runStoreExport(e, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.session, "session", "", "only the session of this `ID`, without the project's memory")
	f.IntVar(&o.calls, "calls", 0, "only the newest `N` calls")
	return cmd
}

func runStoreExport(e *env, o storeExportOptions) error {
	if o.calls < 0 {
		return cli.Usagef("store export: --calls %d is no number of calls", o.calls)
	}
	var r store.ExportReport
	err := atomicfile.WriteFrom(e.Path(o.file), 0o600, func(w io.Writer) (err error) {
		r, err = projectStore(e).Export(w, store.ExportOptions{Session: o.session, Calls: o.calls})
		return err
	})
	switch {
	case errors.Is(err, store.ErrNoStore) && o.session != "":
		return noSession(o.session)
	case errors.Is(err, store.ErrNoStore):
		return cli.Findingf("nothing is recorded for this directory")
	case err != nil:
		return storeTrouble(err)
	}
	return printPorted(e, "exported", r, r.Calls, false)
}

type storeImportOptions struct {
	file   string
	merge  bool
	dryRun bool
}

func newStoreImportCmd(e *env) *cobra.Command {
	o := storeImportOptions{}
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Read a store that \"store export\" wrote",
		Long: "Put an exported store in this project's place, which must hold no calls; or, with\n" +
			"--merge, append the calls that are not here yet in the order of their times. A file that\n" +
			"does not verify changes nothing.",
		Args: cli.Args(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.file = args[0]
			return runStoreImport(e, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.merge, "merge", false, "append the calls that are not here yet")
	f.BoolVar(&o.dryRun, "dry-run", false, "change nothing, say what would be imported")
	return cmd
}

func runStoreImport(e *env, o storeImportOptions) error {
	s := projectStore(e)
	src := func() (io.ReadCloser, error) {
		f, err := os.Open(e.Path(o.file))
		if err != nil {
			return nil, cli.Input(fmt.Errorf("store import: %w", err))
		}
		return f, nil
	}
	var r store.ExportReport
	var err error
	added := 0
	if o.merge {
		r, added, err = s.Merge(src, o.dryRun)
	} else {
		r, err = s.Import(src, o.dryRun)
		added = r.Calls
	}
	switch {
	case errors.Is(err, store.ErrExport):
		return cli.Input(fmt.Errorf("%s: %w", o.file, err))
	case errors.Is(err, store.ErrInUse):
		return cli.WithHint(cli.Findingf("%w", err), "--merge appends the calls that are not here yet")
	case err != nil:
		return storeTrouble(err)
	}
	if o.merge && added > 0 && !o.dryRun {
		if err := catchUpAll(e, s); err != nil {
			return storeTrouble(err)
		}
	}
	verb := "imported"
	if o.dryRun {
		verb = "would import"
	}
	return printPorted(e, verb, r, added, o.dryRun)
}

// catchUpAll lets the monitors of every session step over calls that came from
// elsewhere.
func catchUpAll(e *env, s *store.Session) error {
	var ids []string
	err := s.ViewTx(func(tx *store.Tx) error {
		for _, i := range tx.Sessions() {
			ids = append(ids, i.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	x, err := records(e, "")
	if err != nil {
		return err
	}
	return x.CatchUp(ids)
}

// printPorted says what was exported or imported: {calls, sessions, head}.
func printPorted(e *env, verb string, r store.ExportReport, calls int, dryRun bool) error {
	if e.JSON {
		return cli.WriteJSON(e.Stdout, struct {
			Version  int    `json:"version"`
			Calls    int    `json:"calls"`
			Sessions int    `json:"sessions"`
			Head     string `json:"head"`
			DryRun   bool   `json:"dry_run,omitempty"`
		}{1, calls, r.Sessions, hex.EncodeToString(r.Head[:]), dryRun})
	}
	fmt.Fprintf(e.Stdout, "%s %s of %s, head %x\n", verb, cli.Count(calls, "call"), cli.Count(r.Sessions, "session"), r.Head[:8])
	return nil
}

func newStoreMigrateCmd(e *env) *cobra.Command {
	dryRun := false
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Raise the store to this program's major format",
		Long: "Raise the store to the newest major format. Programs that read only the old one are shut\n" +
			"out afterwards, so nothing else does it. There is one major format so far.",
		Args: cli.Args(0, 0),
		RunE: func(*cobra.Command, []string) error { return runStoreMigrate(e, dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "change nothing, say what would be done")
	return cmd
}

func runStoreMigrate(e *env, dryRun bool) error {
	have := ""
	err := projectStore(e).View(func(tx state.Tx) error { have = tx.Meta("format"); return nil })
	if err != nil {
		return storeTrouble(err) // a newer one is told as such
	}
	if have == "" {
		return cli.Findingf("nothing is recorded for this directory")
	}
	if e.JSON {
		return cli.WriteJSON(e.Stdout, struct {
			Version int    `json:"version"`
			From    string `json:"from"`
			To      string `json:"to"`
			DryRun  bool   `json:"dry_run,omitempty"`
		}{1, have, have, dryRun})
	}
	fmt.Fprintf(e.Stdout, "the store has format %s, which this program writes; nothing to do\n", have)
	return nil
}
