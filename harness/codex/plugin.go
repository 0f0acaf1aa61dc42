package codex

import (
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
	"github.com/agentltl/agentltl-hook/plugins"
)

// plugin says how Codex installs the plugin, in place of the user's hooks, and
// trusts its hooks. It is not the default: every update of the plugin takes the
// trust away without a word.
func (a Adapter) plugin(o adapter.InstallOptions) (adapter.Plugin, error) {
	tree, err := adapter.PluginTree(plugins.Marketplace(Name, o.Version))
	made := [][]string{{"plugins", adapter.PluginID}, {"marketplaces", adapter.Marketplace}}
	for _, event := range events() {
		made = append(made, []string{"hooks", "state", trustKey(adapter.PluginID+":hooks/hooks.json", event, 0)})
	}
	return adapter.Plugin{
		Harness: Name, Program: "codex", Add: "add", Remove: "remove",
		Env:      []string{"CODEX_HOME=" + o.UserDir},
		Settings: configPath(o), Made: made, Cut: cutPlugin,
		Tree: tree, Others: plugins.Others(Name), On: pluginOn(o),
		Replace: func() ([]adapter.Change, error) {
			hooks := o
			hooks.Plugin = false
			mine, err := a.Remove(hooks)
			return mine.Changed, err
		},
		After: func(program string) error {
			return withServer(o, program, func(s *server) error { return s.trust(o, isPlugins) })
		},
		Note: "plugin " + adapter.PluginID + ", its hooks trusted by Codex itself",
		Warnings: []string{"each update of the plugin takes the trust of its hooks away without a word; " +
			"user hooks (without --plugin) keep it"},
		Next: []string{"start codex and trust the hooks it asks about"},
	}, err
}

// isPlugins says which of Codex's hooks are our plugin's.
func isPlugins(h hook) bool { return strings.HasPrefix(h.key, adapter.PluginID+":") }

// cutPlugin takes the plugin's tables out of a config.toml: its own, its
// marketplace's and the trust entries of its hooks.
func cutPlugin(src []byte, _ [][]string) ([]byte, error) {
	return edit.CutTables(src, func(t []string) bool {
		switch {
		case len(t) == 2 && t[0] == "plugins":
			return t[1] == adapter.PluginID
		case len(t) == 2 && t[0] == "marketplaces":
			return t[1] == adapter.Marketplace
		case len(t) == 3 && t[0] == "hooks" && t[1] == "state":
			return isPlugins(hook{key: t[2]})
		}
		return false
	})
}
