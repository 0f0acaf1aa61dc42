package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestHookOddInput: whatever arrives on stdin, the answer comes in time, holds no
// stack trace, and before a call it is no consent unless the event is one that
// nothing needs to be said about (rules.md 17).
func TestHookOddInput(t *testing.T) {
	p := newReportProject(t, vector{"kind": "hook", "rules": "rules: [{id: no-force, never: {tool: git_push, with: {force: true}}}]\n"})
	write := func(n int) string {
		return p.claude("PreToolUse", vector{
			"tool_name": "Write", "tool_use_id": fmt.Sprint("w", n),
			"tool_input": vector{"file_path": "/w/app/big.txt", "content": strings.Repeat("a line of a file\n", n/17)},
		})
	}
	for _, tt := range []struct {
		name, event, stdin string
		refused            bool
	}{
		{"empty", "PreToolUse", "", true},
		{"blank", "PreToolUse", " \n", true},
		{"not JSON", "PreToolUse", "hello", true},
		{"cut off", "PreToolUse", `{"hook_event_name":"PreToolUse","tool_name":"Ba`, true},
		{"a list", "PreToolUse", `[]`, true},
		{"null", "PreToolUse", `null`, true},
		{"no tool", "PreToolUse", `{"hook_event_name":"PreToolUse","session_id":"s"}`, true},
		{"zero bytes", "PreToolUse", "\x00\x00\x00", true},
		{"nested too deep", "PreToolUse", strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000), true},
		{"no event anywhere", "", `{"tool_name":"Bash"}`, true},
		{"no folder", "PreToolUse", `{"session_id":"s","tool_name":"Bash","tool_use_id":"n1","tool_input":{"command":"git push -f"}}`, true},
		{"a folder of a wrong type", "PreToolUse", `{"session_id":"s","cwd":5,"tool_name":"Bash","tool_use_id":"n2","tool_input":{"command":"git push -f"}}`, true},
		{"not JSON, after a call", "PostToolUse", "hello", false},
		{"not JSON, at the end", "Stop", "hello", false},
		{"unknown event", "SomethingNew", p.claude("SomethingNew", vector{}), false},
		{"10 MB", "PreToolUse", write(10 << 20), false},
		{"a forced push inside 1 MB of text", "PreToolUse", p.claude("PreToolUse", vector{
			"tool_name": "Bash", "tool_use_id": "b1",
			"tool_input": vector{"command": "echo '" + strings.Repeat("x", 1<<20) + "'; git push -f"},
		}), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			began := time.Now()
			stdout, stderr, status := p.hook("claude-code", tt.event, tt.stdin)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("answered after %v", took)
			}
			if all := stdout + stderr; strings.Contains(all, "goroutine") || strings.Contains(all, ".go:") {
				t.Errorf("a stack trace: %s", all)
			}
			refused := status == 2 && strings.TrimSpace(stderr) != "" ||
				status == 0 && (strings.Contains(stdout, `"deny"`) || strings.Contains(stdout, `"ask"`))
			if refused != tt.refused {
				t.Errorf("status %d, stdout %.300q, stderr %.300q", status, stdout, stderr)
			}
		})
	}
}

// TestHookNoEnv: with --no-env the variables that a repository can set change
// nothing (trust.md 5).
func TestHookNoEnv(t *testing.T) {
	p := newReportProject(t, vector{"kind": "hook", "rules": "rules: [{id: no-force, never: {tool: git_push, with: {force: true}}}]\n"})
	payload := p.claude("PreToolUse", vector{"tool_name": "Bash", "tool_use_id": "c1", "tool_input": vector{"command": "git push -f"}})
	hostile := []string{"AGENTLTL_SHADOW=1", "AGENTLTL_AUTO=0", "AGENTLTL_STATE_DIR=" + p.root + "/state", "AGENTLTL_USER_FILE=/dev/null", "COPILOT_CLI=1", "CODEX_HOME=" + p.root}
	for _, flags := range [][]string{{"--no-env"}, {"--no-env", "--allow-env"}} {
		args := append([]string{"hook", "claude-code", "PreToolUse", "--state-dir", p.home + "/s", "--user-dir", p.home + "/u"}, flags...)
		cmd := programCommand(t, p.root, args...)
		cmd.Env = append(p.env(), hostile...)
		cmd.Stdin = strings.NewReader(payload)
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Run(); err != nil {
			if _, ok := errors.AsType[*exec.ExitError](err); !ok {
				t.Fatal(err)
			}
		}
		if !strings.Contains(out.String(), `"deny"`) {
			t.Errorf("%q: %q", flags, out.String())
		}
	}
	if _, err := os.Stat(p.root + "/state"); err == nil {
		t.Error("the environment chose the state folder")
	}
}
