package claudecode

import (
	"fmt"
	"path/filepath"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
	"github.com/agentltl/agentltl-hook/plugins"
)

// otherPlugins are the harnesses that share the marketplace.
func otherPlugins() []string { return []string{"copilot-cli", "codex"} }

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

// installPlugin writes the marketplace and lets Claude Code install the plugin
// from it. The hooks in the user's settings go: both would judge every call.
func (a Adapter) installPlugin(o adapter.InstallOptions) (adapter.Report, error) {
	tree, err := marketplace(o)
	if err != nil {
		return adapter.Report{}, err
	}
	var r adapter.Report
	if r.Changed, err = o.WriteMarketplace(Name, tree); err != nil {
		return r, err
	}
	settings := o
	settings.Plugin = false
	c, err := takeOutHooks(settings)
	if err != nil {
		return r, err
	}
	if c.Action != "unchanged" {
		r.Changed = append(r.Changed, c)
	}
	add := []string{"plugin", "marketplace", "add", o.MarketplaceDir()}
	install := []string{"plugin", "install", pluginID}
	program := o.Find("claude")
	if program == "" || o.DryRun {
		r.Next = append(r.Next, fmt.Sprintf("claude plugin marketplace add %s", adapter.Quote(o.MarketplaceDir())),
			"claude plugin install "+pluginID)
		return r, nil
	}
	env := []string{"CLAUDE_CONFIG_DIR=" + o.UserDir}
	if o.UserDir == filepath.Join(o.Home, ".claude") {
		env = nil // naming the default folder moves other files too
	}
	made := [][]string{{"enabledPlugins", pluginID}, {"extraKnownMarketplaces", "agentltl"}, {"enabledPlugins"}, {"extraKnownMarketplaces"}}
	c, err = o.Track(Name, settingsPath(settings), made, func() error {
		if err := o.CommandLine(env, append([]string{program}, add...)...); err != nil {
			return err
		}
		return o.CommandLine(env, append([]string{program}, install...)...)
	})
	if err != nil {
		_, _ = o.RemoveMarketplace(Name, tree, otherPlugins())
		return r, err
	}
	r.Changed = append(r.Changed, c)
	return r, nil
}

// removePlugin lets Claude Code forget plugin and marketplace, then takes the
// files away.
func (a Adapter) removePlugin(o adapter.InstallOptions) (adapter.Report, error) {
	tree, err := marketplace(o)
	if err != nil {
		return adapter.Report{}, err
	}
	var r adapter.Report
	settings := o
	settings.Plugin = false
	if ourPlugin(o) != "" || launcher(o) != "" {
		program := o.Find("claude")
		switch {
		case o.DryRun:
			r.Changed = append(r.Changed, adapter.Change{Path: settingsPath(settings), Action: "would change", Note: "plugin " + pluginID})
		case program == "":
			r.Next = append(r.Next, "claude plugin uninstall "+pluginID, "claude plugin marketplace remove agentltl")
		default:
			var env []string
			if o.UserDir != filepath.Join(o.Home, ".claude") {
				env = []string{"CLAUDE_CONFIG_DIR=" + o.UserDir}
			}
			// Either may be gone already; what counts is the settings file.
			_ = o.CommandLine(env, program, "plugin", "uninstall", pluginID)
			_ = o.CommandLine(env, program, "plugin", "marketplace", "remove", "agentltl")
			c, err := o.UndoTracked(settingsPath(settings), cutPlugin)
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
		gone, err := j.Prune(madeOr(made, p[0]), p[0])
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
