package claudecode

import (
	"errors"
	"testing"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
)

func env(vars map[string]string) adapter.Env {
	return adapter.Env{Getenv: func(n string) string { return vars[n] }, Dir: "/elsewhere"}
}

func TestFailureStatus(t *testing.T) {
	for text, want := range map[string]int{
		"Exit code 3\nout": 3, "Exit code 143\nCommand timed out after 1s": 143, "Exit code 0\n": 1, "no such file": 1, "": 1,
		"Exit code \n": 1, "Exit code 99999999999999999999": 1, "out\nExit code 5": 1,
	} {
		if got := failureStatus(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestSession: the session's folder is the project's, wherever the model went; a
// variable of the repository makes nobody of Copilot.
func TestSession(t *testing.T) {
	payload := []byte(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/repo/sub","tool_name":"Bash","tool_input":{},"tool_use_id":"t","permission_mode":"auto"}`)
	e, err := Adapter{}.Decode(env(map[string]string{"CLAUDE_PROJECT_DIR": "/repo", "COPILOT_CLI": "1"}), "PreToolUse", payload)
	if err != nil || e.Project != "/repo" || e.Dir != "/repo/sub" || !e.Auto || e.Unattended {
		t.Errorf("%+v, %v", e, err)
	}
	e, err = Adapter{}.Decode(env(map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "0"}), "", payload)
	if err != nil || e.Project != "/repo/sub" || !e.Unattended {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestCopilotPayload: a payload is Copilot's by what is in it.
func TestCopilotPayload(t *testing.T) {
	for payload, want := range map[string]bool{
		`{"hook_event_name":"PreToolUse","timestamp":"2026-01-01T00:00:00Z","tool_name":"Bash","tool_input":{}}`:                   true,
		`{"hook_event_name":"SessionStart","timestamp":"2026-01-01T00:00:00Z","source":"new"}`:                                     true,
		`{"hook_event_name":"PreToolUse","timestamp":"2026-01-01T00:00:00Z","tool_name":"Bash","tool_input":{},"tool_use_id":"t"}`: false,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"timestamp":1}}`:                                         false,
		`{"hook_event_name":"Stop","timestamp":"2026-01-01T00:00:00Z","prompt_id":"p"}`:                                            false,
	} {
		_, err := Adapter{}.Decode(env(nil), "", []byte(payload))
		f, foreign := errors.AsType[*adapter.ForeignError](err)
		if foreign != want || foreign && f.Harness != "copilot-cli" {
			t.Errorf("%s: %v", payload, err)
		}
	}
}

func TestPersons(t *testing.T) {
	for prompt, want := range map[string]bool{
		"go on": true, "<task-notification>\n<task-id>x</task-id>": false, "Continue from where you left off.": false,
		"Continue from where you left off. And push.": true, " <task-notification>": true,
	} {
		if got := writtenByPerson(prompt); got != want {
			t.Errorf("%q: %v", prompt, got)
		}
	}
}

// TestBackground: how a call that goes on ends is not known.
func TestBackground(t *testing.T) {
	for _, tt := range []struct {
		native   string
		response any
		known    bool
	}{
		{"Bash", map[string]any{"stdout": ""}, true},
		{"Bash", map[string]any{"backgroundTaskId": "x"}, false},
		{"Bash", map[string]any{"interrupted": true}, false},
		{"Agent", map[string]any{"status": "async_launched"}, false},
		{"Agent", map[string]any{"status": "completed"}, true},
		{"Monitor", map[string]any{"taskId": "x"}, false},
		{"mcp__a__b", []any{}, true},
		{"Read", nil, true},
	} {
		if got := status(tt.native, tt.response); (got != nil) != tt.known {
			t.Errorf("%s %v: %v", tt.native, tt.response, got)
		}
	}
}

// TestMonitor: the tool that watches a command runs it.
func TestMonitor(t *testing.T) {
	for input, want := range map[string]string{
		`{"command":"rm -rf x","description":"d"}`: "Bash", `{"ws":{"url":"wss://x"}}`: "Monitor",
	} {
		e, err := Adapter{}.Decode(env(nil), "PreToolUse", []byte(`{"tool_name":"Monitor","tool_use_id":"t","tool_input":`+input+`}`))
		if err != nil || e.Calls[0].Tool != want || e.Native != "Monitor" {
			t.Errorf("%s: %+v, %v", input, e.Calls, err)
		}
	}
}

func TestSkillShellLine(t *testing.T) {
	e, err := Adapter{}.Decode(env(nil), "PreSkillShellCommand", []byte(`{"tool_name":"Bash","tool_use_id":"t:preamble-0","tool_input":{"command":"ls"}}`))
	if err != nil || e.Kind != hooks.PreTool || !e.NoPost {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestInShape: a replaced result has the shape of the tool's own, else the model
// would read the original.
func TestInShape(t *testing.T) {
	bash := inShape(map[string]any{"stdout": "old", "stderr": "e", "interrupted": false}, "new").(map[string]any)
	if bash["stdout"] != "new" || bash["stderr"] != "" || bash["interrupted"] != false {
		t.Errorf("Bash: %v", bash)
	}
	read := inShape(map[string]any{"type": "text", "file": map[string]any{"content": "old", "filePath": "/a"}}, "new").(map[string]any)
	if f := read["file"].(map[string]any); f["content"] != "new" || f["filePath"] != "/a" {
		t.Errorf("Read: %v", read)
	}
	mcp := inShape([]any{map[string]any{"type": "text", "text": "old"}}, "new").([]any)
	if len(mcp) != 1 || mcp[0].(map[string]any)["text"] != "new" {
		t.Errorf("MCP: %v", mcp)
	}
	own := map[string]any{"stdout": "redacted"}
	if got := inShape(map[string]any{"stdout": "old"}, own).(map[string]any); got["stdout"] != "redacted" {
		t.Errorf("a value of the right shape: %v", got)
	}
}
