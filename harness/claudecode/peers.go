package claudecode

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
)

// pluginID is our plugin in our marketplace.
const pluginID = "agentltl@agentltl"

// ourPlugin is the enabled plugin of ours in the user's settings, "" if none.
func ourPlugin(o adapter.InstallOptions) string {
	src, err := readOrNothing(filepath.Join(o.UserDir, "settings.json"))
	if err != nil {
		return ""
	}
	j, err := edit.ParseJSON(src)
	if err != nil {
		return ""
	}
	if on, _ := j.Get("enabledPlugins", pluginID); on == true {
		return pluginID
	}
	return ""
}

// switchOffPeers finds the Python plugin of the same name in a settings file:
// enabled plugins called agentltl of another marketplace, and hooks of its
// program. With NoPeers they are switched off; else they are only told.
func switchOffPeers(o adapter.InstallOptions, src []byte) (warnings []string, out []byte, err error) {
	j, err := edit.ParseJSON(src)
	if err != nil {
		return nil, nil, err
	}
	on, _ := j.Get("enabledPlugins")
	plugins, _ := on.(map[string]any)
	for _, id := range slices.Sorted(maps.Keys(plugins)) {
		name, _, _ := strings.Cut(id, "@")
		if plugins[id] != true || id == pluginID || (name != "agentltl" && name != "agentltl-coding") {
			continue
		}
		if !o.NoPeers {
			warnings = append(warnings, "the Python plugin "+id+" is enabled and judges every call too")
			continue
		}
		if _, err := j.Set([]string{"enabledPlugins", id}, edit.Raw(false)); err != nil {
			return nil, nil, err
		}
		warnings = append(warnings, "the Python plugin "+id+" was switched off")
	}
	for _, event := range j.Keys("hooks") {
		list, _ := j.Get("hooks", event)
		groups, _ := list.([]any)
		for i, g := range slices.Backward(groups) {
			handlers := handlersOf(g)
			for k, h := range slices.Backward(handlers) {
				if !adapter.IsPeer(wordsOf(h), Name) {
					continue
				}
				line := strings.Join(wordsOf(h), " ")
				if !o.NoPeers {
					warnings = append(warnings, "a hook of the Python plugin judges every call too: "+line)
					continue
				}
				path := []string{"hooks", event, strconv.Itoa(i)}
				if len(handlers) > 1 {
					path = append(path, "hooks", strconv.Itoa(k))
				}
				if err := j.Remove(path...); err != nil {
					return nil, nil, err
				}
				warnings = append(warnings, "a hook of the Python plugin was taken out: "+line)
			}
		}
	}
	if !o.NoPeers {
		return warnings, src, nil
	}
	return warnings, j.Bytes(), nil
}
