package copilot

import (
	"path/filepath"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/plugins"
)

func userSettings(o adapter.InstallOptions) string { return filepath.Join(o.UserDir, "settings.json") }

// plugin says how Copilot CLI installs the plugin, in place of the hook file:
// nothing would tell the two apart.
func plugin(o adapter.InstallOptions) (adapter.Plugin, error) {
	tree, err := adapter.PluginTree(plugins.Marketplace(Name, o.Version))
	return adapter.Plugin{
		Harness: Name, Program: "copilot", Add: "install", Remove: "uninstall",
		Env:      []string{"COPILOT_HOME=" + o.UserDir, "COPILOT_AUTO_UPDATE=false"},
		Settings: userSettings(o), Made: adapter.JSONPluginMade(), Cut: adapter.CutJSONPlugin,
		Tree: tree, Others: plugins.Others(Name), On: pluginOn(o),
		Replace: func() ([]adapter.Change, error) {
			c, err := o.Undo(hookPath(o), nil)
			return []adapter.Change{c}, err
		},
	}, err
}

func pluginOn(o adapter.InstallOptions) bool {
	return adapter.SettingIs(userSettings(o), true, "enabledPlugins", adapter.PluginID)
}
