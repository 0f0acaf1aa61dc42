package copilot

import (
	"fmt"
	"path/filepath"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
	"github.com/agentltl/agentltl-hook/plugins"
)

// otherPlugins are the harnesses that share the marketplace.
func otherPlugins() []string { return []string{"claude-code", "codex"} }

func marketplace(o adapter.InstallOptions) ([]adapter.PluginFile, error) {
	files, err := plugins.Marketplace(Name, o.Version)
	if err != nil {
		return nil, err
	}
	var out []adapter.PluginFile
	for _, f := range files {
		out = append(out, adapter.PluginFile{Path: f.Path, Data: f.Data, Exec: f.Exec})
	}
	return out, nil
}

func userSettings(o adapter.InstallOptions) string { return filepath.Join(o.UserDir, "settings.json") }

// launcher is the plugin's launcher where install put it, "" if the plugin came
// from elsewhere.
func launcher(o adapter.InstallOptions) string {
	p := filepath.Join(o.MarketplaceDir(), Name, "bin", "launch")
	if !adapter.IsFile(p) {
		return ""
	}
	return p
}

// installPlugin writes the marketplace and lets Copilot CLI install the plugin
// from it. The hook file goes: nothing would tell the two apart.
func (a Adapter) installPlugin(o adapter.InstallOptions) (adapter.Report, error) {
	tree, err := marketplace(o)
	if err != nil {
		return adapter.Report{}, err
	}
	var r adapter.Report
	if r.Changed, err = o.WriteMarketplace(Name, tree); err != nil {
		return r, err
	}
	file := o
	file.Plugin = false
	c, err := file.Undo(hookPath(file), nil)
	if err != nil {
		return r, err
	}
	if c.Action != "unchanged" {
		r.Changed = append(r.Changed, c)
	}
	program := o.Find("copilot")
	if program == "" || o.DryRun {
		r.Next = append(r.Next, fmt.Sprintf("copilot plugin marketplace add %s", adapter.Quote(o.MarketplaceDir())),
			"copilot plugin install "+pluginID)
		return r, nil
	}
	env := []string{"COPILOT_HOME=" + o.UserDir, "COPILOT_AUTO_UPDATE=false"}
	made := [][]string{{"enabledPlugins", pluginID}, {"extraKnownMarketplaces", "agentltl"}, {"enabledPlugins"}, {"extraKnownMarketplaces"}}
	c, err = o.Track(Name, userSettings(o), made, func() error {
		if err := o.CommandLine(env, program, "plugin", "marketplace", "add", o.MarketplaceDir()); err != nil {
			return err
		}
		return o.CommandLine(env, program, "plugin", "install", pluginID)
	})
	if err != nil {
		_, _ = o.RemoveMarketplace(Name, tree, otherPlugins())
		return r, err
	}
	r.Changed = append(r.Changed, c)
	return r, nil
}

// removePlugin lets Copilot CLI forget plugin and marketplace, then takes the
// files away.
func (a Adapter) removePlugin(o adapter.InstallOptions) (adapter.Report, error) {
	tree, err := marketplace(o)
	if err != nil {
		return adapter.Report{}, err
	}
	var r adapter.Report
	if pluginOn(o) || launcher(o) != "" {
		program := o.Find("copilot")
		switch {
		case o.DryRun:
			r.Changed = append(r.Changed, adapter.Change{Path: userSettings(o), Action: "would change", Note: "plugin " + pluginID})
		case program == "":
			r.Next = append(r.Next, "copilot plugin uninstall "+pluginID, "copilot plugin marketplace remove agentltl")
		default:
			env := []string{"COPILOT_HOME=" + o.UserDir, "COPILOT_AUTO_UPDATE=false"}
			// Either may be gone already; what counts is the settings file.
			_ = o.CommandLine(env, program, "plugin", "uninstall", pluginID)
			_ = o.CommandLine(env, program, "plugin", "marketplace", "remove", "agentltl")
			c, err := o.UndoTracked(userSettings(o), cutPlugin)
			if err != nil {
				return r, err
			}
			r.Changed = append(r.Changed, c)
		}
	}
	gone, err := o.RemoveMarketplace(Name, tree, otherPlugins())
	r.Changed = append(r.Changed, gone...)
	return r, err
}

// cutPlugin takes what the plugin's installation added out of a settings file.
func cutPlugin(src []byte, made [][]string) ([]byte, error) {
	j, err := edit.ParseJSON(src)
	if err != nil {
		return nil, err
	}
	found := false
	for _, p := range [][]string{{"enabledPlugins", pluginID}, {"extraKnownMarketplaces", "agentltl"}} {
		if _, ok := j.Get(p...); ok {
			found = true
			if err := j.Remove(p...); err != nil {
				return nil, err
			}
		}
		if made == nil {
			made = [][]string{{"enabledPlugins"}, {"extraKnownMarketplaces"}}
		}
		gone, err := j.Prune(made, p[0])
		if err != nil {
			return nil, err
		}
		found = found || gone
	}
	if !found {
		return src, nil
	}
	return j.Bytes(), nil
}
