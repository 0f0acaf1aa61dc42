package codex

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
)

func hooksPath(o adapter.InstallOptions) string {
	if o.Project {
		return filepath.Join(o.Root, ".codex", "hooks.json")
	}
	return filepath.Join(o.UserDir, "hooks.json")
}

func configPath(o adapter.InstallOptions) string { return filepath.Join(o.UserDir, "config.toml") }

// Install writes user hooks (or the project's) and lets Codex trust them: an
// untrusted hook is skipped without a word.
func (a Adapter) Install(o adapter.InstallOptions) (adapter.Report, error) {
	switch {
	case o.Managed:
		return a.installManaged(o)
	case o.Plugin:
		p, err := a.plugin(o)
		if err != nil {
			return adapter.Report{}, err
		}
		return o.InstallPlugin(p)
	}
	if pluginOn(o) && !o.Force {
		return adapter.Report{}, &adapter.TwiceError{Path: configPath(o)}
	}
	path := hooksPath(o)
	src, err := adapter.ReadOrNothing(path)
	if err != nil {
		return adapter.Report{}, err
	}
	if j, err := edit.ParseJSON(src); err == nil && !j.Strict() {
		return adapter.Report{}, adapter.NotStrict(path, "Codex") // measured
	}
	out, made, err := register(src, o)
	if err != nil {
		return adapter.Report{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	peers := a.Peers(o)
	if o.NoPeers {
		if out, err = cutPeers(out); err != nil {
			return adapter.Report{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
		}
	}
	changed, err := o.Apply(Name, []adapter.File{{Path: path, New: out, Mode: 0o600, Made: made, Cut: cut}})
	if err != nil {
		return adapter.Report{}, err
	}
	r := adapter.Report{Changed: changed, Warnings: peers}
	c, err := a.trust(o, path, out)
	if err != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("Codex does not trust the hooks yet and skips them without a word: %v", err))
		r.Next = append(r.Next, "start codex and answer \"Hooks need review\" with \"Trust all and continue\"")
		return r, nil
	}
	r.Changed = append(r.Changed, c)
	return r, nil
}

// trust makes Codex run the hooks of path, whose text is src.
func (a Adapter) trust(o adapter.InstallOptions, path string, src []byte) (adapter.Change, error) {
	real := path
	if p, err := filepath.EvalSymlinks(path); err == nil {
		real = p
	}
	keys, names := keysIn(src, real)
	lines := []string{}
	for _, event := range names {
		lines = append(lines, event+": "+o.HookLine(Name, event))
	}
	config := configPath(o)
	if o.DryRun {
		return adapter.Change{Path: config, Action: "would change", Note: "trust entries for these hooks"}, nil
	}
	yes, err := o.Agreed("Let Codex trust these hooks?", lines)
	if err != nil {
		return adapter.Change{}, err
	}
	if !yes {
		return adapter.Change{}, errors.New("you said no")
	}
	var made [][]string
	for _, k := range keys {
		made = append(made, []string{"hooks", "state", k})
	}
	if program := o.Find("codex"); program != "" {
		c, err := o.Track(Name, config, made, func() error {
			return withServer(o, program, func(s *server) error { return s.trust(o, isMine(path)) })
		})
		c.Note = "trusted by Codex itself"
		return c, err
	}
	old, err := adapter.ReadOrNothing(config)
	if err != nil {
		return adapter.Change{}, err
	}
	out, err := edit.SetBlock(old, stateBlock(o, keys, names))
	if err != nil {
		return adapter.Change{}, fmt.Errorf("%s: %w", config, err)
	}
	changed, err := o.Apply(Name, []adapter.File{{Path: config, New: out, Mode: 0o600, Made: made, Cut: cutState}})
	if err != nil {
		return adapter.Change{}, err
	}
	changed[0].Note = "no codex program was found: trusted by computed hashes"
	return changed[0], nil
}

// Remove takes the hooks and their trust entries out again.
func (a Adapter) Remove(o adapter.InstallOptions) (adapter.Report, error) {
	switch {
	case o.Managed:
		return a.removeManaged(o)
	case o.Plugin:
		p, err := a.plugin(o)
		if err != nil {
			return adapter.Report{}, err
		}
		return o.RemovePlugin(p)
	}
	c, err := o.Undo(hooksPath(o), cut)
	if err != nil {
		return adapter.Report{}, err
	}
	r := adapter.Report{Changed: []adapter.Change{c}}
	if o.Project && c.Action == "unchanged" {
		return r, nil
	}
	if c, err = o.Undo(configPath(o), cutState); err != nil {
		return r, err
	}
	r.Changed = append(r.Changed, c)
	return r, nil
}

// Peers names hooks of the Python plugin of the same name.
func (Adapter) Peers(o adapter.InstallOptions) []string {
	var found []string
	if src, err := adapter.ReadSmall(hooksPath(o)); err == nil {
		if l, err := adapter.ParseHookLists(src, Name); err == nil {
			for _, event := range l.Events() {
				for _, g := range l.Groups(event) {
					for _, h := range adapter.HandlersOf(g) {
						if adapter.IsPeer(adapter.Words(h.Text("command")), Name) {
							found = append(found, "a hook of the Python plugin judges every call too: "+h.Text("command"))
						}
					}
				}
			}
		}
	}
	for id, p := range pluginTables(o) {
		name, _, _ := strings.Cut(id, "@")
		if id != adapter.PluginID && (name == "agentltl" || name == "agentltl-coding") && p["enabled"] != false {
			found = append(found, "the Python plugin "+id+" is enabled and judges every call too; \"codex plugin remove "+id+"\"")
		}
	}
	return found
}

// cutPeers takes hooks of the Python plugin out of a hooks.json.
func cutPeers(src []byte) ([]byte, error) {
	l, err := adapter.ParseHookLists(src, Name)
	if err != nil {
		return nil, err
	}
	for _, event := range l.Events() {
		for i, g := range slices.Backward(l.Groups(event)) {
			hs := adapter.HandlersOf(g)
			if len(hs) == 1 && adapter.IsPeer(adapter.Words(hs[0].Text("command")), Name) {
				if err := l.Remove("hooks", event, fmt.Sprint(i)); err != nil {
					return nil, err
				}
			}
		}
	}
	return l.Bytes(), nil
}

// pluginTables are the plugin tables of the user's config.toml.
func pluginTables(o adapter.InstallOptions) map[string]adapter.Object {
	src, err := adapter.ReadSmall(configPath(o))
	if err != nil {
		return nil
	}
	m, err := edit.TOML(src)
	if err != nil {
		return nil
	}
	out := map[string]adapter.Object{}
	for id, v := range adapter.Object(m).Object("plugins") {
		if t, ok := v.(map[string]any); ok {
			out[id] = t
		}
	}
	return out
}

func pluginOn(o adapter.InstallOptions) bool {
	p, ok := pluginTables(o)[adapter.PluginID]
	return ok && p["enabled"] != false
}
