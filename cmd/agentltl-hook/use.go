package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/atomicfile"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/rules"
)

type useOptions struct {
	ids    []string
	user   bool
	mode   string
	scope  string
	from   []string
	shadow bool
}

func newUseCmd(e *env) *cobra.Command {
	o := useOptions{}
	cmd := &cobra.Command{
		Use:     "use ID..",
		Short:   "Switch packaged rules on",
		Long:    "Switch packaged rules on in AGENTLTL.yaml. Only the list under use is changed; comments\nand layout stay. agentltl-hook library lists what there is.",
		Example: "  agentltl-hook use no-force-push tests-before-push\n  agentltl-hook use ask-before-sudo --mode block",
		Args:    cli.Args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ids = args
			return runUse(cmd.Context(), e, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.user, "user", false, "edit the user's file, not the project's")
	f.StringVar(&o.mode, "mode", "", "`MODE` of the entry's rules")
	f.StringVar(&o.scope, "scope", "", "`SCOPE` of the entry's memory: session or project")
	f.StringArrayVar(&o.from, "from", nil, "`ID` of the statement the entry stands for (may be repeated)")
	f.BoolVar(&o.shadow, "shadow", false, "judge and record, refuse nothing")
	return cmd
}

func newUnuseCmd(e *env) *cobra.Command {
	return listCommand(e, "unuse ID..", "Switch packaged rules off", "Take packaged rules out of the list under use.",
		func(e *env, user bool, ids []string) error { return runList(e, user, "use", nil, ids) })
}

func newDisableCmd(e *env) *cobra.Command {
	return listCommand(e, "disable ID..", "Switch rules off by id", "Add rule ids to the list under disable: those of a bundle, of the user's file, or built-in ones.",
		func(e *env, user bool, ids []string) error { return runList(e, user, "disable", listItems(ids), nil) })
}

func newEnableCmd(e *env) *cobra.Command {
	return listCommand(e, "enable ID..", "Undo disable", "Take rule ids out of the list under disable.",
		func(e *env, user bool, ids []string) error { return runList(e, user, "disable", nil, ids) })
}

func listCommand(e *env, use, short, long string, run func(e *env, user bool, ids []string) error) *cobra.Command {
	var user bool
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: cli.Args(1, -1),
		RunE: func(_ *cobra.Command, args []string) error { return run(e, user, args) },
	}
	cmd.Flags().BoolVar(&user, "user", false, "edit the user's file, not the project's")
	return cmd
}

func listItems(ids []string) []rules.ListItem {
	out := make([]rules.ListItem, len(ids))
	for i, id := range ids {
		out[i] = rules.ListItem{ID: id}
	}
	return out
}

func runUse(_ context.Context, e *env, o useOptions) error {
	p, err := localPipeline(e, e.Harness)
	if err != nil {
		return err
	}
	for _, id := range o.ids {
		if strings.ContainsAny(id, "/.") {
			continue // a pack: loading says what is wrong with it
		}
		entry, ok := rules.LibraryEntry(id)
		if !ok {
			return unknownEntry(id)
		}
		if e.Harness != "" && len(entry.Harnesses) > 0 && !slices.Contains(entry.Harnesses, p.Profile.Name) {
			return cli.Findingf("%s is for %s", id, strings.Join(entry.Harnesses, ", "))
		}
	}
	var options []string
	add := func(key, value string) {
		if value != "" {
			options = append(options, key+": "+value)
		}
	}
	add("mode", o.mode)
	add("scope", o.scope)
	switch len(o.from) {
	case 0:
	case 1:
		add("from", `"`+o.from[0]+`"`)
	default:
		add("from", `["`+strings.Join(o.from, `", "`)+`"]`)
	}
	if o.shadow {
		add("shadow", "true")
	}
	list := listItems(o.ids)
	for i := range list {
		list[i].Options = options
	}
	return runList(e, o.user, "use", list, nil)
}

func unknownEntry(id string) error {
	var names []string
	for _, entry := range rules.Library() {
		names = append(names, entry.ID)
	}
	err := cli.Findingf("there is no packaged rule %s", id)
	if n := cli.Nearest(id, names); n != "" {
		return cli.WithHint(err, "did you mean %s?", n)
	}
	return cli.WithHint(err, "agentltl-hook library lists them")
}

// runList edits one list of a rule file, and takes the edit back if the file
// would not load with it.
func runList(e *env, user bool, key string, add []rules.ListItem, remove []string) error {
	path, err := editedFile(e, user)
	if err != nil {
		return err
	}
	before, err := os.ReadFile(path)
	exists := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cli.Input(err)
	}
	after, changed, err := rules.EditList(before, key, add, remove)
	if err != nil {
		return cli.Input(fmt.Errorf("%s: %s: %w", path, key, err))
	}
	left, ok := stillLoads(e, path, user, before, after)
	if !ok {
		return cli.WithHint(badFiles(e, left), "%s was left as it is", shortPath(e, path))
	}
	if len(changed) > 0 {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := atomicfile.Write(path, after, modeOf(path)); err != nil {
			return err
		}
	}
	if err := tellEdit(e, path, key, exists, add, remove, changed); err != nil || len(left) == 0 {
		return err
	}
	return cli.WithHint(badFiles(e, left), "%s had problems before, and still has: it does not load", shortPath(e, path))
}

// stillLoads reads the file as it would be, and gives its problems. If it had
// some before they are no reason to refuse the edit: ok is true.
func stillLoads(e *env, path string, user bool, before, after []byte) (left rules.Problems, ok bool) {
	problems := func(text []byte) rules.Problems {
		layer := rules.ProjectFile
		if user {
			layer = rules.User
		}
		p, err := localPipeline(e, e.Harness)
		if err != nil {
			return nil
		}
		p.Files = []rules.File{{Layer: layer, Path: path, Text: text}}
		_, found := p.Load(filepath.Dir(path))
		return found
	}
	left = problems(after)
	return left, len(left) == 0 || len(problems(before)) > 0
}

func modeOf(path string) fs.FileMode {
	if st, err := os.Stat(path); err == nil {
		return st.Mode().Perm()
	}
	return 0o644
}

// editedFile is the rule file that a command changes: the project's in force,
// else a new one at the project's root; for the user, the file that every harness
// reads, or that of the harness asked for.
func editedFile(e *env, user bool) (string, error) {
	if user {
		p, err := localPipeline(e, e.Harness)
		if err != nil {
			return "", err
		}
		if p.UserFile != "" {
			return p.UserFile, nil
		}
		if len(p.UserDirs) == 0 {
			return "", cli.Usagef("there is no home folder to keep a user file in")
		}
		dir := p.UserDirs[0]
		if e.Harness != "" {
			dir = p.UserDirs[len(p.UserDirs)-1]
		}
		return filepath.Join(dir, rules.FileName), nil
	}
	if file, _ := rules.Upwards(e.Dir); file != "" {
		return file, nil
	}
	return filepath.Join(rules.GitRoot(e.Dir), rules.FileName), nil
}

// edited is what the list commands print as JSON.
type edited struct {
	Version int      `json:"version"`
	File    string   `json:"file"`
	List    string   `json:"list"`
	Changed []string `json:"changed"`
	Created bool     `json:"created,omitempty"`
}

func tellEdit(e *env, path, key string, exists bool, add []rules.ListItem, remove, changed []string) error {
	if e.JSON {
		return cli.WriteJSON(e.Stdout, edited{1, path, key, append([]string{}, changed...), !exists && len(changed) > 0})
	}
	var want []string
	for _, i := range add {
		want = append(want, i.ID)
	}
	for _, id := range append(want, remove...) {
		switch {
		case slices.Contains(changed, id) && slices.Contains(remove, id):
			fmt.Fprintf(e.Stdout, "%s: %s taken out of %s\n", shortPath(e, path), id, key)
		case slices.Contains(changed, id):
			fmt.Fprintf(e.Stdout, "%s: %s added to %s\n", shortPath(e, path), id, key)
		case slices.Contains(remove, id):
			fmt.Fprintf(e.Stderr, "%s: %s is not in the list %s of %s\n", e.Name, id, key, shortPath(e, path))
		default:
			fmt.Fprintf(e.Stdout, "%s: %s is in %s already\n", shortPath(e, path), id, key)
		}
	}
	return nil
}
