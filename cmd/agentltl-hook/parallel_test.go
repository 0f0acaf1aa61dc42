package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestParallelProposals: 64 processes ask at once for calls of which ten may
// run. Ten pass, the others are refused by the rule, and none because the store
// was busy.
func TestParallelProposals(t *testing.T) {
	p := newReportProject(t, vector{"kind": "hook", "rules": "rules: [{id: ten-deploys, at_most: {call: deploy, times: 10}}]\n"})
	answers := make([]string, 64)
	var wg sync.WaitGroup
	for i := range answers {
		payload := p.claude("PreToolUse", vector{
			"tool_name": "Bash", "tool_use_id": fmt.Sprintf("c%d", i), "tool_input": vector{"command": "deploy"},
		})
		wg.Go(func() { answers[i], _, _ = p.hook("claude-code", "PreToolUse", payload) })
	}
	wg.Wait()
	passed, refused := 0, 0
	for _, a := range answers {
		switch {
		case strings.TrimSpace(a) == "":
			passed++
		case strings.Contains(a, `"deny"`) && strings.Contains(a, "ten-deploys"):
			refused++
		default:
			t.Errorf("another answer: %s", a)
		}
	}
	if passed != 10 || refused != 54 {
		t.Errorf("%d passed and %d were refused, want 10 and 54", passed, refused)
	}
}

// TestParallelRecords: 16 processes record at once; nothing is lost or doubled,
// although each event arrives twice.
func TestParallelRecords(t *testing.T) {
	needCommand(t, "trace")
	p := newReportProject(t, vector{"kind": "hook"})
	var wg sync.WaitGroup
	for i := range 32 {
		call := vector{
			"tool_name": "Bash", "tool_use_id": fmt.Sprintf("c%d", i/2), "tool_input": vector{"command": fmt.Sprintf("step %d", i/2)},
		}
		wg.Go(func() {
			p.hook("claude-code", "PreToolUse", p.claude("PreToolUse", call))
			call["tool_response"] = vector{"stdout": ""}
			if out, stderr, status := p.hook("claude-code", "PostToolUse", p.claude("PostToolUse", call)); status != 0 || strings.Contains(out, "not recorded") {
				t.Errorf("record %d: %d %s %s", i, status, out, stderr)
			}
		})
	}
	wg.Wait()
	if n := p.count(); n != 16 {
		t.Errorf("%d calls are recorded, want 16", n)
	}
}
