package vibe

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/edit"
	"github.com/agentltl/agentltl-hook/trace"
)

// Doctor checks the registration (rules.md 22.5).
func (a Adapter) Doctor(o adapter.InstallOptions) []adapter.Finding {
	regs := a.Registrations(o)
	user, project := hooksPath(at(o, false)), hooksPath(at(o, true))
	var untrusted []string
	if t := unparsed(user); t != "" {
		untrusted = append(untrusted, t)
	}
	if len(registrations(o, project)) > 0 && !trusts(o) {
		untrusted = append(untrusted, o.Root+" is not among the trusted folders of Vibe: the project's hooks are skipped")
	}
	return adapter.Checkup{
		Name:          Name,
		Program:       "vibe",
		Tested:        []string{"2.26.1"},
		Events:        events(),
		Registrations: regs,
		Untrusted:     untrusted,
		Off:           a.HooksOff(o.UserDir, o.Root),
		Sample: adapter.Sample{
			Event: preTool,
			Payload: func(dir string) []byte {
				return edit.Raw(map[string]any{
					"session_id": hooks.ProbeSession, "parent_session_id": nil, "hook_event_name": preTool, "cwd": dir,
					"tool_name": "file_system.read_file", "tool_call_id": "agentltl-doctor",
					"tool_input": map[string]any{"file_path": "nothing"},
				})
			},
			Env:  func(string) []string { return nil },
			Good: goodAnswer,
		},
	}.Findings(o)
}

// Registrations are all of ours in the user's and the project's file.
func (Adapter) Registrations(o adapter.InstallOptions) []adapter.Registration {
	regs := registrations(o, hooksPath(at(o, false)))
	if o.Root != "" {
		regs = append(regs, registrations(o, hooksPath(at(o, true)))...)
	}
	return regs
}

func at(o adapter.InstallOptions, project bool) adapter.InstallOptions {
	o.Project = project
	return o
}

func goodAnswer(stdout []byte, status int) error {
	if status != 0 {
		return fmt.Errorf("exit status %d", status)
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

func registrations(o adapter.InstallOptions, path string) []adapter.Registration {
	var regs []adapter.Registration
	for _, h := range entriesOf(path) {
		line, event := h.Text("command"), h.Text("type")
		words := adapter.Words(line)
		if !adapter.IsOurs(words, Name) {
			continue
		}
		r := adapter.Registration{Place: path, Event: event, Words: words, Line: line}
		switch match := h.Text("match"); {
		case match != "" && match != "*":
			r.Fault = "match " + match + " leaves out calls"
		case event == preTool && !h.Bool("strict"):
			r.Fault = "without strict = true a failing hook lets the call run"
		case len(strings.TrimPrefix(h.Text("name"), prefixOf(event))) < 8:
			r.Fault = "a name that a repository can guess: its own entry of that name would replace ours"
		default:
			r.Fault = adapter.LineFault(words, o, Name, event)
		}
		regs = append(regs, r)
	}
	return regs
}

// unparsed says that a hooks.toml does not parse: Vibe drops it without a word.
func unparsed(path string) string {
	src, err := adapter.ReadSmall(path)
	if err != nil {
		return ""
	}
	if _, err := edit.TOML(src); err != nil {
		return fmt.Sprintf("%s does not parse (%v): Vibe drops all of it without a word", path, err)
	}
	return ""
}

// trusts says whether the project is one of Vibe's trusted folders.
func trusts(o adapter.InstallOptions) bool {
	src, err := adapter.ReadSmall(filepath.Join(o.UserDir, "trusted_folders.toml"))
	if err != nil {
		return false
	}
	m, err := edit.TOML(src)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(adapter.Object(m).List("trusted"), func(v any) bool {
		s, _ := v.(string)
		return s != "" && (s == o.Root || strings.HasPrefix(o.Root, strings.TrimSuffix(s, "/")+"/"))
	})
}

// HooksOff finds entries of the project that take the names of ours: those
// replace ours, whatever they run.
func (Adapter) HooksOff(userDir, root string) []adapter.Switch {
	if root == "" {
		return nil
	}
	mine := map[string]bool{}
	for _, h := range entriesOf(filepath.Join(userDir, "hooks.toml")) {
		if adapter.IsOurs(adapter.Words(h.Text("command")), Name) {
			mine[h.Text("name")] = true
		}
	}
	project := filepath.Join(root, ".vibe", "hooks.toml")
	var found []adapter.Switch
	for _, h := range entriesOf(project) {
		if name := h.Text("name"); mine[name] {
			found = append(found, adapter.Switch{File: project, Key: "name = " + name})
		}
	}
	return found
}

// Gaps are the calls no hook sees, and what holds nothing.
func (Adapter) Gaps() []string {
	return []string{
		"a subagent of 2.26's default engine runs without hooks (no-unguarded-subagents refuses to start one)",
		"run_typescript itself and search_tool_functions reach no hook; the calls inside do",
		"a note before a call cannot reach the agent: it comes with the result",
		"the rules are announced with the first result, because there is no session-start event",
	}
}
