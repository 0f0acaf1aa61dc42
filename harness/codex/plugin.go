package codex

import (
	"fmt"
	"path/filepath"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
	"github.com/agentltl/agentltl-hook/plugins"
)

// otherPlugins are the harnesses that share the marketplace.
func otherPlugins() []string { return []string{"claude-code", "copilot-cli"} }

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

// launcher is the plugin's launcher where install put it, "" if the plugin came
// from elsewhere.
func launcher(o adapter.InstallOptions) string {
	p := filepath.Join(o.MarketplaceDir(), Name, "bin", "launch")
	if !adapter.IsFile(p) {
		return ""
	}
	return p
}

// installPlugin writes the marketplace and lets Codex install the plugin from
// it, then trust its hooks. It is not the default: every update of the plugin
// takes the trust away without a word.
func (a Adapter) installPlugin(o adapter.InstallOptions) (adapter.Report, error) {
	tree, err := marketplace(o)
	if err != nil {
		return adapter.Report{}, err
	}
	var r adapter.Report
	if r.Changed, err = o.WriteMarketplace(Name, tree); err != nil {
		return r, err
	}
	hooks := o
	hooks.Plugin = false
	mine, err := a.Remove(hooks)
	if err != nil {
		return r, err
	}
	for _, c := range mine.Changed {
		if c.Action != "unchanged" {
			r.Changed = append(r.Changed, c)
		}
	}
	program := o.Find("codex")
	if program == "" || o.DryRun {
		r.Next = append(r.Next, fmt.Sprintf("codex plugin marketplace add %s", adapter.Quote(o.MarketplaceDir())),
			"codex plugin add "+pluginID, "start codex and trust the hooks it asks about")
		return r, nil
	}
	env := []string{"CODEX_HOME=" + o.UserDir}
	made := [][]string{{"plugins", pluginID}, {"marketplaces", "agentltl"}}
	for _, event := range events() {
		made = append(made, []string{"hooks", "state", trustKey(pluginID+":hooks/hooks.json", event, 0)})
	}
	c, err := o.Track(Name, configPath(o), made, func() error {
		if err := o.CommandLine(env, program, "plugin", "marketplace", "add", o.MarketplaceDir()); err != nil {
			return err
		}
		if err := o.CommandLine(env, program, "plugin", "add", pluginID); err != nil {
			return err
		}
		return withServer(o, program, func(s *server) error { return s.trust(o, isPlugins) })
	})
	if err != nil {
		_, _ = o.RemoveMarketplace(Name, tree, otherPlugins())
		return r, err
	}
	c.Note = "plugin " + pluginID + ", its hooks trusted by Codex itself"
	r.Changed = append(r.Changed, c)
	r.Warnings = append(r.Warnings, "each update of the plugin takes the trust of its hooks away without a word; "+
		"user hooks (without --plugin) keep it")
	return r, nil
}

// isPlugins says which of Codex's hooks are our plugin's.
func isPlugins(h hook) bool {
	return len(h.key) > len(pluginID) && h.key[:len(pluginID)+1] == pluginID+":"
}

// removePlugin lets Codex forget plugin and marketplace, then takes the files
// away.
func (a Adapter) removePlugin(o adapter.InstallOptions) (adapter.Report, error) {
	tree, err := marketplace(o)
	if err != nil {
		return adapter.Report{}, err
	}
	var r adapter.Report
	if pluginOn(o) || launcher(o) != "" {
		program := o.Find("codex")
		switch {
		case o.DryRun:
			r.Changed = append(r.Changed, adapter.Change{Path: configPath(o), Action: "would change", Note: "plugin " + pluginID})
		case program == "":
			r.Next = append(r.Next, "codex plugin remove "+pluginID, "codex plugin marketplace remove agentltl")
		default:
			env := []string{"CODEX_HOME=" + o.UserDir}
			// Either may be gone already; what counts is the configuration.
			_ = o.CommandLine(env, program, "plugin", "remove", pluginID)
			_ = o.CommandLine(env, program, "plugin", "marketplace", "remove", "agentltl")
			c, err := o.UndoTracked(configPath(o), cutPlugin)
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

// cutPlugin takes the plugin's tables out of a config.toml: its own, its
// marketplace's and the trust entries of its hooks.
func cutPlugin(src []byte, _ [][]string) ([]byte, error) {
	return edit.CutTables(src, func(t []string) bool {
		switch {
		case len(t) == 2 && t[0] == "plugins":
			return t[1] == pluginID
		case len(t) == 2 && t[0] == "marketplaces":
			return t[1] == "agentltl"
		case len(t) == 3 && t[0] == "hooks" && t[1] == "state":
			return isPlugins(hook{key: t[2]})
		}
		return false
	})
}
