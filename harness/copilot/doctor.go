package copilot

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
	var untrusted []string
	if o.Root != "" && len(registrationsIn(o, hookPath(at(o, true)))) > 0 && !trusts(o) {
		untrusted = append(untrusted, o.Root+" is not a trusted folder of Copilot CLI: the repository's hooks are skipped")
	}
	return adapter.Checkup{
		Name:          Name,
		Program:       "copilot",
		Tested:        []string{"1.0.102"},
		Events:        events(),
		Registrations: a.Registrations(o),
		Untrusted:     untrusted,
		Off:           a.HooksOff(o.UserDir, o.Root),
		Sample: adapter.Sample{
			Event: "preToolUse",
			Payload: func(dir string) []byte {
				return edit.Raw(map[string]any{
					"sessionId": hooks.ProbeSession, "timestamp": 1, "cwd": dir,
					"toolName": "view", "toolArgs": map[string]any{"path": filepath.Join(dir, "nothing")},
				})
			},
			Env:  func(dir string) []string { return []string{"COPILOT_PROJECT_DIR=" + dir} },
			Good: goodAnswer,
		},
	}.Findings(o)
}

// Registrations are all of ours in hook files and as a plugin.
func (Adapter) Registrations(o adapter.InstallOptions) []adapter.Registration {
	regs := registrationsIn(o, hookPath(at(o, false)))
	if o.Root != "" {
		regs = append(regs, registrationsIn(o, hookPath(at(o, true)))...)
	}
	if pluginOn(o) {
		for _, event := range events() {
			regs = append(regs, adapter.Registration{Place: "plugin " + adapter.PluginID, Event: event, Launcher: o.Launcher(Name)})
		}
	}
	return regs
}

func at(o adapter.InstallOptions, project bool) adapter.InstallOptions {
	o.Project = project
	return o
}

// goodAnswer says whether the program would obey an answer to a harmless call.
func goodAnswer(stdout []byte, status int) error {
	if status != 0 {
		return fmt.Errorf("exit status %d, which refuses every call", status)
	}
	if len(stdout) == 0 {
		return nil
	}
	v, err := trace.DecodeJSON(stdout)
	if _, ok := v.(map[string]any); err != nil || !ok {
		return errors.New("the answer is not a JSON object")
	}
	return nil
}

// registrationsIn are ours in one hook file.
func registrationsIn(o adapter.InstallOptions, path string) []adapter.Registration {
	j, err := adapter.ReadJSON(path)
	if err != nil {
		return nil
	}
	var regs []adapter.Registration
	for _, event := range j.Keys("hooks") {
		v, _ := j.Get("hooks", event)
		list, _ := v.([]any)
		for _, e := range list {
			m, _ := e.(map[string]any)
			h := adapter.Object(m)
			line := h.Text("bash", "command")
			words := adapter.Words(line)
			if !adapter.IsOurs(words, Name) {
				continue
			}
			r := adapter.Registration{Place: path, Event: event, Words: words, Line: line}
			if matcher := h.Text("matcher"); matcher != "" && matcher != ".*" {
				r.Fault = "the matcher " + matcher + " leaves out calls"
			} else {
				r.Fault = adapter.LineFault(words, o, Name, event)
			}
			regs = append(regs, r)
		}
	}
	return regs
}

// trusts says whether the project is one of Copilot's trusted folders.
func trusts(o adapter.InstallOptions) bool {
	j, err := adapter.ReadJSON(filepath.Join(o.UserDir, "config.json"))
	if err != nil {
		return false
	}
	for _, key := range []string{"trustedFolders", "trusted_folders"} {
		v, _ := j.Get(key)
		list, _ := v.([]any)
		for _, f := range list {
			if f == o.Root {
				return true
			}
		}
	}
	return false
}

// HooksOff finds disableAllHooks: in the user's settings it switches off the
// hooks of that file only, in a trusted folder's settings all of them.
func (Adapter) HooksOff(_, root string) []adapter.Switch {
	if root == "" {
		return nil
	}
	var found []adapter.Switch
	for _, f := range []string{
		filepath.Join(root, ".github", "copilot", "settings.json"),
		filepath.Join(root, ".github", "copilot", "settings.local.json"),
		filepath.Join(root, ".claude", "settings.json"),
		filepath.Join(root, ".claude", "settings.local.json"),
	} {
		if adapter.SettingIs(f, true, "disableAllHooks") {
			found = append(found, adapter.Switch{File: f, Key: "disableAllHooks"})
		}
	}
	return found
}

// Peers names the Python plugin of the same name.
func (Adapter) Peers(o adapter.InstallOptions) []string {
	var found []string
	files, err := filepath.Glob(filepath.Join(o.UserDir, "hooks", "*.json"))
	if err != nil {
		return nil
	}
	for _, f := range files {
		j, err := adapter.ReadJSON(f)
		if err != nil {
			continue
		}
		for _, event := range j.Keys("hooks") {
			v, _ := j.Get("hooks", event)
			list, _ := v.([]any)
			for _, e := range list {
				m, _ := e.(map[string]any)
				line := adapter.Object(m).Text("bash", "command")
				if adapter.IsPeer(adapter.Words(line), Name) {
					found = append(found, "a hook of the Python plugin judges every call too: "+line+"; take it out of "+f)
				}
			}
		}
	}
	return found
}

// StandsAside says whether a registration of Copilot's own judges the calls of
// this session: then the Claude Code hook of the repository, which Copilot runs
// too, has nothing to do.
func (Adapter) StandsAside(env adapter.Env, payload []byte) bool {
	o := adapter.InstallOptions{UserDir: env.Getenv("COPILOT_HOME")}
	if o.UserDir == "" && env.Home != "" {
		o.UserDir = filepath.Join(env.Home, ".copilot")
	}
	if p, err := adapter.ParseObject(payload); err == nil {
		o.Root = p.Text("cwd")
	}
	if o.UserDir != "" && (len(registrationsIn(o, hookPath(o))) > 0 || pluginOn(o)) {
		return true
	}
	return o.Root != "" && len(registrationsIn(o, hookPath(at(o, true)))) > 0
}

// Gaps are the calls no hook sees, and what holds nothing.
func (Adapter) Gaps() []string {
	return []string{
		"a hook that times out lets the call run",
		"calls have no ids: two registrations of the hook would count every call twice",
		"a trusted repository can switch the user's hooks off (disableAllHooks)",
		"read_bash results that the runtime adds itself reach no hook",
	}
}
