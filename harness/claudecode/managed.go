package claudecode

import (
	"path/filepath"
	"runtime"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
)

// managedPath is our own drop-in beside managed-settings.json (trust.md 9). No
// switch of a user or a repository reaches its hooks.
func managedPath(o adapter.InstallOptions) string {
	dir := "/etc/claude-code"
	switch runtime.GOOS {
	case "darwin":
		dir = "/Library/Application Support/ClaudeCode"
	case "windows":
		dir = `C:\Program Files\ClaudeCode`
	}
	return filepath.Join(o.ManagedPath(dir), "managed-settings.d", "50-agentltl.json")
}

func (a Adapter) installManaged(o adapter.InstallOptions) (adapter.Report, error) {
	o.Managed = true
	if err := o.CheckManagedProgram(); err != nil {
		return adapter.Report{}, err
	}
	out, _, err := register(nil, o, false)
	if err != nil {
		return adapter.Report{}, err
	}
	if o.Only {
		j, err := edit.ParseJSON(out)
		if err != nil {
			return adapter.Report{}, err
		}
		if _, err := j.Set([]string{"allowManagedHooksOnly"}, edit.Raw(true)); err != nil {
			return adapter.Report{}, err
		}
		out = j.Bytes()
	}
	changed, err := o.Apply(Name, []adapter.File{{Path: managedPath(o), New: out, Mode: 0o644}})
	if err != nil {
		return adapter.Report{}, err
	}
	r := adapter.Report{Changed: changed}
	// The user's own registration beside it would judge every call twice.
	user := o
	user.Managed = false
	c, err := takeOutHooks(user)
	if err != nil {
		return r, err
	}
	if c.Action != "unchanged" {
		r.Changed = append(r.Changed, c)
	}
	return r, nil
}

func (a Adapter) removeManaged(o adapter.InstallOptions) (adapter.Report, error) {
	c, err := o.Undo(managedPath(o), nil)
	if err != nil {
		return adapter.Report{}, err
	}
	return adapter.Report{Changed: []adapter.Change{c}}, nil
}
