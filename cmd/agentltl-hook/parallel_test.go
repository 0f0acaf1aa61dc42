package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestParallelProposals: 64 processes ask at once for calls of which ten may
// run. Ten pass, the others are refused by the rule, and none because the store
// was busy. That deadline is wall time, so a machine busy with other tests may
// cost an attempt; the limit holds in each.
func TestParallelProposals(t *testing.T) {
	const attempts = 5
	for i := range attempts {
		passed, refused, busy := proposeAtOnce(t, 64)
		if passed > 10 {
			t.Fatalf("%d passed, and ten may", passed)
		}
		if passed == 10 && refused == 54 && busy == 0 {
			return
		}
		t.Logf("attempt %d: %d passed, %d refused, %d met a busy store", i, passed, refused, busy)
	}
	t.Errorf("in none of %d attempts did 10 pass and 54 meet the rule", attempts)
}

func proposeAtOnce(t *testing.T, n int) (passed, refused, busy int) {
	t.Helper()
	p := newReportProject(t, vector{"kind": "hook", "rules": "rules: [{id: ten-deploys, at_most: {call: deploy, times: 10}}]\n"})
	answers := make([]string, n)
	var wg sync.WaitGroup
	for i := range answers {
		payload := p.claude("PreToolUse", vector{
			"tool_name": "Bash", "tool_use_id": fmt.Sprintf("c%d", i), "tool_input": vector{"command": "deploy"},
		})
		wg.Go(func() { answers[i], _, _ = p.hook("claude-code", "PreToolUse", payload) })
	}
	wg.Wait()
	for _, a := range answers {
		switch {
		case strings.TrimSpace(a) == "":
			passed++
		case strings.Contains(a, `"deny"`) && strings.Contains(a, "ten-deploys"):
			refused++
		case strings.Contains(a, "store busy"):
			busy++
		default:
			t.Errorf("another answer: %s", a)
		}
	}
	return passed, refused, busy
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
