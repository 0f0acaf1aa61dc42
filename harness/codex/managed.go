package codex

import (
	"fmt"
	"os"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
)

// requirements is the administrator's file: its hooks need no trust, and the
// pinned feature holds against every switch (trust.md 9).
func requirements(o adapter.InstallOptions) string {
	return o.ManagedPath("/etc/codex/requirements.toml")
}

func managedBlock(o adapter.InstallOptions) string {
	var b strings.Builder
	b.WriteString("[features]\nhooks = true\n")
	for _, event := range events() {
		fmt.Fprintf(&b, "\n[[hooks.%s]]\n[[hooks.%s.hooks]]\ntype = \"command\"\ncommand = %s\ntimeout = %d\n",
			event, event, edit.Literal(o.HookLine(Name, event)), timeout(event))
	}
	return b.String()
}

func (a Adapter) installManaged(o adapter.InstallOptions) (adapter.Report, error) {
	if o.Only {
		return adapter.Report{}, fmt.Errorf("%s knows no setting that leaves out other hooks", Name)
	}
	if err := o.CheckManagedProgram(); err != nil {
		return adapter.Report{}, err
	}
	path := requirements(o)
	src, err := adapter.ReadOrNothing(path)
	if err != nil {
		return adapter.Report{}, err
	}
	rest, err := edit.CutBlock(src)
	if err != nil {
		return adapter.Report{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	m, err := edit.TOML(rest)
	if err != nil {
		return adapter.Report{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	for _, table := range []string{"features", "hooks"} {
		if _, ok := m[table]; ok {
			return adapter.Report{}, &adapter.ManualError{
				Path: path, Why: "has a [" + table + "] table of its own", Lines: managedBlock(o),
			}
		}
	}
	out, err := edit.SetBlock(src, managedBlock(o))
	if err != nil {
		return adapter.Report{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	changed, err := o.Apply(Name, []adapter.File{{
		Path: path, New: out, Mode: 0o644,
		Cut: func(src []byte, _ [][]string) ([]byte, error) { return edit.CutBlock(src) },
	}})
	if err != nil {
		return adapter.Report{}, err
	}
	r := adapter.Report{Changed: changed}
	// The user's own registration beside it would judge every call twice.
	user := o
	user.Managed = false
	mine, err := a.Remove(user)
	if err != nil {
		return r, err
	}
	for _, c := range mine.Changed {
		if c.Action != "unchanged" {
			r.Changed = append(r.Changed, c)
		}
	}
	return r, nil
}

func (a Adapter) removeManaged(o adapter.InstallOptions) (adapter.Report, error) {
	path := requirements(o)
	c, err := o.Undo(path, func(src []byte, _ [][]string) ([]byte, error) { return edit.CutBlock(src) })
	if err != nil {
		return adapter.Report{}, err
	}
	// Another user's install leaves no record here: an empty file was ours.
	if left, err := os.ReadFile(path); err == nil && len(left) == 0 && c.Action == "changed" {
		if err := os.Remove(path); err != nil {
			return adapter.Report{}, err
		}
		c.Action = "removed"
	}
	return adapter.Report{Changed: []adapter.Change{c}}, nil
}
