package harness_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentltl/agentltl-hook/harness"
	"github.com/agentltl/agentltl-hook/hooks"
)

// TestPluginHooks: the hooks of the plugin trees name every event that an
// installation registers, start the launcher, and ask the harness to fail closed
// where it can.
func TestPluginHooks(t *testing.T) {
	for name, file := range map[string]string{
		"claude-code": "claudecode/hooks/hooks.json", "copilot-cli": "copilot/hooks.json", "codex": "codex/hooks/hooks.json",
	} {
		b, err := os.ReadFile(filepath.Join("..", "plugins", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		var v struct{ Hooks map[string][]map[string]any }
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		a := harness.Find(name)
		o := options(t.TempDir(), a)
		if _, err := a.Install(o); err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, r := range a.Registrations(o) {
			want = append(want, r.Event)
		}
		for event, groups := range v.Hooks {
			got = append(got, event)
			handlers := groups
			if inner, ok := groups[0]["hooks"].([]any); ok {
				handlers = []map[string]any{inner[0].(map[string]any)}
			}
			h := handlers[0]
			_, e, err := harness.Decode(a, testEnv(), event, samplePayload(name, event))
			if err != nil {
				t.Fatal(err)
			}
			if name == "claude-code" {
				pre := e.Kind == hooks.PreTool
				if h["command"] != "/bin/sh" || h["args"] == nil || h["timeout"] == nil || (h["onFailure"] == "block") != pre {
					t.Errorf("%s %s: %v", name, event, h)
				}
			}
			if len(groups) != 1 || len(handlers) != 1 {
				t.Errorf("%s %s: %d groups", name, event, len(groups))
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Errorf("%s: the plugin registers %q, install %q", name, got, want)
		}
	}
}
