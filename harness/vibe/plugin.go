package vibe

import (
	"path/filepath"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/plugins"
)

// Vibe runs no hooks of plugins, so its "plugin" is the hooks of hooks.toml and
// the skills in the user's skill folder.

func skillFiles(o adapter.InstallOptions) ([]adapter.File, error) {
	files, err := plugins.Skills("agentltl-")
	if err != nil {
		return nil, err
	}
	var out []adapter.File
	for _, f := range files {
		out = append(out, adapter.File{
			Path: filepath.Join(o.UserDir, "skills", filepath.FromSlash(f.Path)), New: f.Data, Mode: 0o644,
		})
	}
	return out, nil
}

func (a Adapter) installPlugin(o adapter.InstallOptions) (adapter.Report, error) {
	o.Plugin = false
	r, err := a.Install(o)
	if err != nil {
		return r, err
	}
	files, err := skillFiles(o)
	if err != nil {
		return r, err
	}
	changed, err := o.Apply(Name, files)
	r.Changed = append(r.Changed, changed...)
	return r, err
}

// removePlugin takes the skills away; the hooks are removed like any others.
func (a Adapter) removePlugin(o adapter.InstallOptions) (adapter.Report, error) {
	files, err := skillFiles(o)
	if err != nil {
		return adapter.Report{}, err
	}
	var r adapter.Report
	for _, f := range files {
		c, err := o.Undo(f.Path, nil)
		if err != nil {
			return r, err
		}
		r.Changed = append(r.Changed, c)
	}
	return r, nil
}
