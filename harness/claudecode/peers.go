package claudecode

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
)

// switchOffPeers finds the Python plugin of the same name in a settings file:
// enabled plugins called agentltl of another marketplace, and hooks of its
// program. With NoPeers they are switched off; else they are only told.
func switchOffPeers(o adapter.InstallOptions, src []byte) (warnings []string, out []byte, err error) {
	l, err := adapter.ParseHookLists(src, Name)
	if err != nil {
		return nil, nil, err
	}
	on, _ := l.Get("enabledPlugins")
	plugins, _ := on.(map[string]any)
	for _, id := range slices.Sorted(maps.Keys(plugins)) {
		name, _, _ := strings.Cut(id, "@")
		if plugins[id] != true || id == adapter.PluginID || (name != "agentltl" && name != "agentltl-coding") {
			continue
		}
		if !o.NoPeers {
			warnings = append(warnings, "the Python plugin "+id+" is enabled and judges every call too")
			continue
		}
		if _, err := l.Set([]string{"enabledPlugins", id}, edit.Raw(false)); err != nil {
			return nil, nil, err
		}
		warnings = append(warnings, "the Python plugin "+id+" was switched off")
	}
	for _, event := range l.Events() {
		for i, g := range slices.Backward(l.Groups(event)) {
			handlers := adapter.HandlersOf(g)
			for k, h := range slices.Backward(handlers) {
				words := adapter.HandlerWords(h)
				if !adapter.IsPeer(words, Name) {
					continue
				}
				line := strings.Join(words, " ")
				if !o.NoPeers {
					warnings = append(warnings, "a hook of the Python plugin judges every call too: "+line)
					continue
				}
				path := []string{"hooks", event, strconv.Itoa(i)}
				if len(handlers) > 1 {
					path = append(path, "hooks", strconv.Itoa(k))
				}
				if err := l.Remove(path...); err != nil {
					return nil, nil, err
				}
				warnings = append(warnings, "a hook of the Python plugin was taken out: "+line)
			}
		}
	}
	if !o.NoPeers {
		return warnings, src, nil
	}
	return warnings, l.Bytes(), nil
}
