package claudecode

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/edit"
	"github.com/agentltl/agentltl-hook/trace"
)

// Doctor checks the registration (rules.md 22.5).
func (a Adapter) Doctor(o adapter.InstallOptions) []adapter.Finding {
	return adapter.Checkup{
		Name:          Name,
		Program:       "claude",
		Tested:        []string{"2.1.332"},
		Events:        events(),
		Registrations: a.Registrations(o),
		Untrusted:     untrusted(o),
		Off:           a.HooksOff(o.UserDir, o.Root),
		OffHeld:       adapter.IsFile(managedPath(o)),
		Sample: adapter.Sample{
			Event: preToolUse,
			Payload: func(dir string) []byte {
				return edit.Raw(map[string]any{
					"session_id": hooks.ProbeSession, "hook_event_name": preToolUse, "cwd": dir,
					"tool_name": "Read", "tool_use_id": "agentltl-doctor",
					"tool_input": map[string]any{"file_path": filepath.Join(dir, "nothing")},
				})
			},
			Env:  func(dir string) []string { return []string{"CLAUDE_PROJECT_DIR=" + dir} },
			Good: goodAnswer,
		},
	}.Findings(o)
}

// goodAnswer says whether the program would obey an answer to a harmless call.
func goodAnswer(stdout []byte, status int) error {
	if status != 0 {
		return fmt.Errorf("exit status %d", status)
	}
	if len(stdout) == 0 {
		return nil
	}
	v, err := trace.DecodeJSON(stdout)
	if err != nil {
		return errors.New("the answer is not JSON")
	}
	m, _ := v.(map[string]any)
	if s := adapter.Object(m).Object("hookSpecificOutput"); s != nil && s.Text("hookEventName") != preToolUse {
		return errors.New("the answer names another event")
	}
	return nil
}

// Registrations are all of ours over user, project, managed settings and plugins.
func (Adapter) Registrations(o adapter.InstallOptions) []adapter.Registration {
	var regs []adapter.Registration
	add := func(path string, o adapter.InstallOptions, line bool) {
		j, err := adapter.ReadJSON(path)
		if err != nil {
			return
		}
		regs = append(regs, registrationsIn(adapter.HookLists{JSON: j, Harness: Name}, path, o, line)...)
	}
	user, managed := o, o
	user.Managed, managed.Managed, managed.AllowEnv = false, true, false
	add(filepath.Join(o.UserDir, "settings.json"), user, false)
	if o.Root != "" {
		add(filepath.Join(o.Root, ".claude", "settings.json"), user, true)
		add(filepath.Join(o.Root, ".claude", "settings.local.json"), user, true)
	}
	add(managedPath(o), managed, false)
	if pluginOn(o) {
		for _, event := range events() {
			regs = append(regs, adapter.Registration{Place: "plugin " + adapter.PluginID, Event: event, Launcher: o.Launcher(Name)})
		}
	}
	return regs
}

func registrationsIn(l adapter.HookLists, path string, o adapter.InstallOptions, line bool) []adapter.Registration {
	var regs []adapter.Registration
	for _, event := range l.Events() {
		for _, g := range l.Groups(event) {
			for _, h := range adapter.HandlersOf(g) {
				words := adapter.HandlerWords(h)
				if !adapter.IsOurs(words, Name) {
					continue
				}
				r := adapter.Registration{Place: path, Event: event, Words: words}
				if !h.Has("args") {
					r.Line = h.Text("command")
				}
				r.Fault = fault(o, event, g, h, r, line)
				regs = append(regs, r)
			}
		}
	}
	return regs
}

// fault says how a registration differs from what install writes. The program's
// own path is another check's subject.
func fault(o adapter.InstallOptions, event string, g any, h adapter.Object, r adapter.Registration, line bool) string {
	want := entry(o, event, line)
	group, _ := g.(map[string]any)
	switch m := adapter.Object(group).Text("matcher"); {
	case !slices.Contains(events(), event):
		return "an event that install does not register"
	case m != "" && m != "*":
		return "the matcher " + m + " leaves out calls"
	case h.Text("type") != "command":
		return "not of type command"
	case want.Hooks[0].OnFailure != "" && h.Text("onFailure") != want.Hooks[0].OnFailure:
		return `without "onFailure": "block" a failing hook lets the call run`
	case h.Bool("async"):
		return "async: its answer is not waited for"
	case h.Text("if") != "":
		return `"if" leaves out calls`
	case !line && r.Line != "":
		return "not in exec form"
	}
	return adapter.LineFault(r.Words, o, Name, event)
}

// untrusted says why hooks of the project's settings would not run.
func untrusted(o adapter.InstallOptions) []string {
	for _, path := range []string{filepath.Join(o.UserDir, "settings.json"), filepath.Join(o.Root, ".claude", "settings.json")} {
		src, err := adapter.ReadSmall(path)
		if err != nil || o.Root == "" && path != filepath.Join(o.UserDir, "settings.json") {
			continue
		}
		if j, err := edit.ParseJSON(src); err != nil || !j.Strict() {
			return []string{path + " is not plain JSON (a comment, a trailing comma): Claude Code ignores all of it without a word"}
		}
	}
	if adapter.SettingIs(filepath.Join(filepath.Dir(managedPath(o)), "..", "managed-settings.json"), true, "allowManagedHooksOnly") &&
		!adapter.IsFile(managedPath(o)) {
		return []string{"managed settings allow managed hooks only: install --managed"}
	}
	return nil
}

// HooksOff finds disableAllHooks. It takes effect at the next start; managed
// hooks run all the same.
func (Adapter) HooksOff(userDir, root string) []adapter.Switch {
	var found []adapter.Switch
	files := []string{filepath.Join(userDir, "settings.json")}
	if root != "" {
		files = append(files,
			filepath.Join(root, ".claude", "settings.json"),
			filepath.Join(root, ".claude", "settings.local.json"))
	}
	for _, f := range files {
		if adapter.SettingIs(f, true, "disableAllHooks") {
			found = append(found, adapter.Switch{File: f, Key: "disableAllHooks"})
		}
	}
	return found
}

// Gaps are the calls no hook sees, and what holds nothing.
func (Adapter) Gaps() []string {
	return []string{
		"what a background command does is judged at its start; how it ends is never known",
		"claude --bare, --safe-mode and --restricted leave out hooks that are not managed",
	}
}
