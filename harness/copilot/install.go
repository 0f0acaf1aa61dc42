package copilot

import (
	"fmt"
	"path/filepath"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
)

// A handler is one entry of a hook file. The file is ours: nothing is merged
// into it.
type handler struct {
	Type       string `json:"type"`
	Bash       string `json:"bash"`
	PowerShell string `json:"powershell"`
	TimeoutSec int    `json:"timeoutSec"`
}

// hookTimeout: a time-out lets the call run, so it is far above our own
// deadline of a second.
const hookTimeout = 30

func entry(o adapter.InstallOptions, event string) handler {
	return handler{
		Type:       "command",
		Bash:       o.HookLine(Name, event),
		PowerShell: o.PowerShellLine(Name, event),
		TimeoutSec: hookTimeout,
	}
}

func hookFile(o adapter.InstallOptions) ([]byte, error) {
	j, err := edit.ParseJSON(nil)
	if err != nil {
		return nil, err
	}
	if _, err := j.Set([]string{"version"}, edit.Raw(1)); err != nil {
		return nil, err
	}
	for _, event := range events() {
		if _, err := j.Append([]string{"hooks", event}, edit.Raw(entry(o, event))); err != nil {
			return nil, err
		}
	}
	return j.Bytes(), nil
}

func hookPath(o adapter.InstallOptions) string {
	if o.Project {
		return filepath.Join(o.Root, ".github", "hooks", "agentltl.json")
	}
	return filepath.Join(o.UserDir, "hooks", "agentltl.json")
}

// Install writes a hook file of our own; never beside the plugin, because
// nothing tells two runs of one call apart here.
func (a Adapter) Install(o adapter.InstallOptions) (adapter.Report, error) {
	switch {
	case o.Managed:
		return adapter.Report{}, fmt.Errorf("%s knows no managed hooks", Name)
	case o.Plugin:
		p, err := plugin(o)
		if err != nil {
			return adapter.Report{}, err
		}
		return o.InstallPlugin(p)
	}
	if place := elsewhere(o); place != "" && !o.Force {
		return adapter.Report{}, fmt.Errorf("the hooks are registered in %s already and every call would be recorded twice; "+
			"\"agentltl-hook uninstall %s\" first", place, Name)
	}
	src, err := hookFile(o)
	if err != nil {
		return adapter.Report{}, err
	}
	changed, err := o.Apply(Name, []adapter.File{{Path: hookPath(o), New: src, Mode: 0o644}})
	if err != nil {
		return adapter.Report{}, err
	}
	r := adapter.Report{Changed: changed, Warnings: a.Peers(o)}
	if o.Project {
		r.Next = append(r.Next, "Copilot CLI runs a repository's hooks only in a trusted folder: answer its question once, "+
			"or start it with --trust-folder")
	}
	return r, nil
}

// Remove takes the hook file away.
func (a Adapter) Remove(o adapter.InstallOptions) (adapter.Report, error) {
	if o.Managed {
		return adapter.Report{}, nil
	}
	if o.Plugin {
		p, err := plugin(o)
		if err != nil {
			return adapter.Report{}, err
		}
		return o.RemovePlugin(p)
	}
	c, err := o.Undo(hookPath(o), nil)
	if err != nil {
		return adapter.Report{}, err
	}
	return adapter.Report{Changed: []adapter.Change{c}}, nil
}

// elsewhere is another place that registers us, "" if there is none.
func elsewhere(o adapter.InstallOptions) string {
	other := o
	other.Project = !o.Project
	if p := hookPath(other); adapter.IsFile(p) && (other.Root != "" || !other.Project) {
		return p
	}
	if pluginOn(o) {
		return "the plugin " + adapter.PluginID
	}
	return ""
}
