package claudecode

import (
	"path/filepath"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/plugins"
)

// plugin says how Claude Code installs the plugin, in place of the hooks in the
// user's settings.
func plugin(o adapter.InstallOptions) (adapter.Plugin, error) {
	tree, err := adapter.PluginTree(plugins.Marketplace(Name, o.Version))
	p := adapter.Plugin{
		Harness: Name, Program: "claude", Add: "install", Remove: "uninstall",
		Settings: settingsPath(o), Made: adapter.JSONPluginMade(), Cut: adapter.CutJSONPlugin,
		Tree: tree, Others: plugins.Others(Name), On: pluginOn(o),
		Replace: func() ([]adapter.Change, error) {
			c, err := takeOutHooks(o)
			return []adapter.Change{c}, err
		},
	}
	if o.UserDir != filepath.Join(o.Home, ".claude") { // naming the default folder moves other files too
		p.Env = []string{"CLAUDE_CONFIG_DIR=" + o.UserDir}
	}
	return p, err
}

// pluginOn says whether the user's settings enable the plugin.
func pluginOn(o adapter.InstallOptions) bool {
	return adapter.SettingIs(filepath.Join(o.UserDir, "settings.json"), true, "enabledPlugins", adapter.PluginID)
}
