package codex

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/edit"
	"github.com/agentltl/agentltl-hook/trace"
)

// Doctor checks the registration (rules.md 22.5).
func (a Adapter) Doctor(o adapter.InstallOptions) []adapter.Finding {
	regs := a.Registrations(o)
	return adapter.Checkup{
		Name:          Name,
		Program:       "codex",
		Tested:        []string{"0.171.0"},
		Events:        events(),
		Registrations: regs,
		Untrusted:     untrusted(o, regs),
		Off:           a.HooksOff(o.UserDir, o.Root),
		OffHeld:       pinned(o),
		Sample: adapter.Sample{
			Event: preToolUse,
			Payload: func(dir string) []byte {
				return edit.Raw(map[string]any{
					"session_id": hooks.ProbeSession, "hook_event_name": preToolUse, "cwd": dir,
					"tool_name": "view_image", "tool_use_id": "agentltl-doctor", "permission_mode": "default",
					"tool_input": map[string]any{"path": filepath.Join(dir, "nothing")},
				})
			},
			Env:  func(string) []string { return nil },
			Good: goodAnswer,
		},
	}.Findings(o)
}

// goodAnswer says whether Codex would obey an answer: an unknown key makes it
// invalid.
func goodAnswer(stdout []byte, status int) error {
	if status != 0 {
		return fmt.Errorf("exit status %d", status)
	}
	if len(stdout) == 0 {
		return nil
	}
	v, err := trace.DecodeJSON(stdout)
	m, ok := v.(map[string]any)
	if err != nil || !ok {
		return errors.New("the answer is not a JSON object")
	}
	for k := range m {
		switch k {
		case "systemMessage", "decision", "reason", "hookSpecificOutput":
		default:
			return fmt.Errorf("the answer has the key %q, which Codex does not know", k)
		}
	}
	return nil
}

// Registrations are all of ours over user, project, managed files and plugins.
func (Adapter) Registrations(o adapter.InstallOptions) []adapter.Registration {
	var regs []adapter.Registration
	files := []string{filepath.Join(o.UserDir, "hooks.json")}
	configs := []string{configPath(o)}
	if o.Root != "" {
		files = append(files, filepath.Join(o.Root, ".codex", "hooks.json"))
		configs = append(configs, filepath.Join(o.Root, ".codex", "config.toml"))
	}
	for _, f := range files {
		j, err := adapter.ReadJSON(f)
		if err != nil {
			continue
		}
		l := adapter.HookLists{JSON: j, Harness: Name}
		for _, event := range l.Events() {
			regs = append(regs, inGroups(o, f, event, l.Groups(event))...)
		}
	}
	managed := o
	managed.Managed, managed.AllowEnv = true, false
	for _, f := range append(configs, requirements(o)) {
		src, err := adapter.ReadSmall(f)
		if err != nil {
			continue
		}
		m, err := edit.TOML(src)
		if err != nil {
			continue
		}
		with := o
		if f == requirements(o) {
			with = managed
		}
		for event, v := range adapter.Object(m).Object("hooks") {
			list, _ := v.([]any)
			regs = append(regs, inGroups(with, f, event, list)...)
		}
	}
	if pluginOn(o) {
		for _, event := range events() {
			regs = append(regs, adapter.Registration{Place: "plugin " + adapter.PluginID, Event: event, Launcher: o.Launcher(Name)})
		}
	}
	return regs
}

func inGroups(o adapter.InstallOptions, place, event string, list []any) []adapter.Registration {
	var regs []adapter.Registration
	for _, g := range list {
		m, _ := g.(map[string]any)
		for _, h := range adapter.HandlersOf(g) {
			line := h.Text("command")
			words := adapter.Words(line)
			if !adapter.IsOurs(words, Name) {
				continue
			}
			r := adapter.Registration{Place: place, Event: event, Words: words, Line: line}
			switch matcher := adapter.Object(m).Text("matcher"); {
			case matcher != "" && matcher != "*":
				r.Fault = "the matcher " + matcher + " leaves out calls"
			case h.Bool("async"):
				r.Fault = "async: its answer is not waited for"
			default:
				r.Fault = adapter.LineFault(words, o, Name, event)
			}
			regs = append(regs, r)
		}
	}
	return regs
}

// untrusted says which of ours Codex would skip without a word.
func untrusted(o adapter.InstallOptions, regs []adapter.Registration) []string {
	program := o.Find("codex")
	if program == "" || len(regs) == 0 {
		return nil
	}
	var list []hook
	if err := withServer(o, program, func(s *server) error {
		var err error
		list, err = s.hooks(o.Root)
		return err
	}); err != nil {
		return []string{err.Error()}
	}
	seen, bad := 0, map[string]int{}
	for _, h := range list {
		if !adapter.IsOurs(adapter.Words(h.command), Name) {
			continue
		}
		seen++
		if !h.trusted() {
			state := h.status
			if !h.enabled {
				state = "switched off"
			}
			bad[h.source+": "+state]++
		}
	}
	var out []string
	for what, n := range bad {
		out = append(out, fmt.Sprintf("%s (%d hooks)", what, n))
	}
	if want := len(regs); seen < want && len(out) == 0 && !pluginOn(o) {
		out = append(out, fmt.Sprintf("Codex lists %d of %d hooks; a project's run only when the project is trusted", seen, want))
	}
	return out
}

// pinned says whether requirements.toml holds hooks on against every switch.
func pinned(o adapter.InstallOptions) bool {
	v, ok := feature(requirements(o))
	return ok && v
}

// feature reads [features] hooks.
func feature(path string) (on, ok bool) {
	src, err := adapter.ReadSmall(path)
	if err != nil {
		return false, false
	}
	m, err := edit.TOML(src)
	if err != nil {
		return false, false
	}
	on, ok = adapter.Object(m).Object("features")["hooks"].(bool)
	return on, ok
}

// HooksOff finds [features] hooks = false in the user's and the project's
// config.toml.
func (Adapter) HooksOff(userDir, root string) []adapter.Switch {
	files := []string{filepath.Join(userDir, "config.toml")}
	if root != "" {
		files = append(files, filepath.Join(root, ".codex", "config.toml"))
	}
	var found []adapter.Switch
	for _, f := range files {
		if on, ok := feature(f); ok && !on {
			found = append(found, adapter.Switch{File: f, Key: "[features] hooks = false"})
		}
	}
	return found
}

// Gaps are the calls no hook sees, and what holds nothing.
func (Adapter) Gaps() []string {
	return []string{
		"write_stdin types into a running process without a hook: refuse interactive shells",
		"web_search is done by the model's provider and reaches no hook",
		"a hook that crashes or times out lets the call run",
		"codex --disable hooks leaves out hooks, unless requirements.toml pins the feature",
	}
}
