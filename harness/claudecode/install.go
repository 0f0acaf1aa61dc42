package claudecode

import (
	"fmt"
	"path/filepath"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
)

// Command is Claude Code's program.
func (Adapter) Command() string { return "claude" }

// Peers names the Python plugin of the same name in the settings.
func (Adapter) Peers(o adapter.InstallOptions) []string {
	src, err := adapter.ReadSmall(settingsPath(o))
	if err != nil {
		return nil
	}
	o.NoPeers = false
	found, _, err := switchOffPeers(o, src)
	if err != nil {
		return nil
	}
	return found
}

// Install registers the hooks in the user's or the project's settings, as a
// managed drop-in, or as a plugin; never twice.
func (a Adapter) Install(o adapter.InstallOptions) (adapter.Report, error) {
	switch {
	case o.Managed:
		return a.installManaged(o)
	case o.Plugin:
		p, err := plugin(o)
		if err != nil {
			return adapter.Report{}, err
		}
		return o.InstallPlugin(p)
	}
	path := settingsPath(o)
	src, err := adapter.ReadOrNothing(path)
	if err != nil {
		return adapter.Report{}, err
	}
	if pluginOn(o) && !o.Force {
		return adapter.Report{}, &adapter.TwiceError{Path: filepath.Join(o.UserDir, "settings.json")}
	}
	if err := plainJSON(path, src); err != nil {
		return adapter.Report{}, err
	}
	out, made, err := register(src, o, o.Project)
	if err != nil {
		return adapter.Report{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	peers, out, err := switchOffPeers(o, out)
	if err != nil {
		return adapter.Report{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	changed, err := o.Apply(Name, []adapter.File{{Path: path, New: out, Mode: 0o600, Made: made, Cut: cutAll}})
	if err != nil {
		return adapter.Report{}, err
	}
	r := adapter.Report{Changed: changed, Warnings: peers}
	if o.Project {
		r.Next = append(r.Next, "Claude Code asks once whether this folder is trusted; \"claude -p\" runs the hooks without asking")
	}
	return r, nil
}

// Remove takes the registration out of the place that the options name.
func (a Adapter) Remove(o adapter.InstallOptions) (adapter.Report, error) {
	switch {
	case o.Managed:
		return a.removeManaged(o)
	case o.Plugin:
		p, err := plugin(o)
		if err != nil {
			return adapter.Report{}, err
		}
		return o.RemovePlugin(p)
	}
	c, err := o.Undo(settingsPath(o), cutAll)
	if err != nil {
		return adapter.Report{}, err
	}
	return adapter.Report{Changed: []adapter.Change{c}}, nil
}

func settingsPath(o adapter.InstallOptions) string {
	if o.Project {
		return filepath.Join(o.Root, ".claude", "settings.json")
	}
	return filepath.Join(o.UserDir, "settings.json")
}

// plainJSON refuses a settings file that Claude Code would ignore (measured:
// with a comment or a trailing comma in it, no hook of it runs).
func plainJSON(path string, src []byte) error {
	j, err := edit.ParseJSON(src)
	if err == nil && !j.Strict() {
		return adapter.NotStrict(path, "Claude Code")
	}
	return nil
}

// takeOutHooks removes the hooks from the user's settings because another
// registration takes their place; a status line of ours stays.
func takeOutHooks(o adapter.InstallOptions) (adapter.Change, error) {
	path := settingsPath(o)
	src, err := adapter.ReadOrNothing(path)
	if err != nil {
		return adapter.Change{}, err
	}
	out, err := cutAll(src, nil)
	if err != nil {
		return adapter.Change{}, err
	}
	onlyHooks, err := cutHooks(src, nil)
	if err != nil {
		return adapter.Change{}, err
	}
	if string(out) == string(onlyHooks) { // no status line of ours
		return o.Undo(path, cutHooks)
	}
	return o.Rewrite(path, onlyHooks)
}
