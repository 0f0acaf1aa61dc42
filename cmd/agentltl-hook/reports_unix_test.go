//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// lockedStore: somebody holds the store; every answer comes in time all the same.
func lockedStore(t *testing.T, p *reportProject, c vector) {
	t.Helper()
	needCommand(t, "trace")
	setup := object(c["setup"])
	var calls strings.Builder
	for i := range number(setup["trace_length"]) {
		fmt.Fprintf(&calls, `{"tool":"ls","args":{"n":%d},"status":0}`+"\n", i)
	}
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	if err := os.WriteFile(file, []byte(calls.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := programCommand(t, p.root, "trace", "import", file, "--session", "s1")
	cmd.Env = p.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}
	stores, err := filepath.Glob(filepath.Join(p.home, ".local", "state", "agentltl", "*.db"))
	if err != nil || len(stores) != 1 {
		t.Fatalf("stores: %q, %v", stores, err)
	}
	f, err := os.OpenFile(stores[0], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	limit := 10 * time.Duration(number(object(c["expected"])["every_answer_within_ms"])) * time.Millisecond // tenfold: the machine may be busy
	for i := range number(setup["parallel"]) {
		payload := p.claude("PreToolUse", vector{
			"tool_name": "Bash", "tool_input": vector{"command": "git commit -m x"}, "tool_use_id": fmt.Sprintf("t%d", i),
		})
		wg.Go(func() {
			began := time.Now()
			out, stderr, status := p.hook("claude-code", "PreToolUse", payload)
			if took := time.Since(began); took > limit {
				t.Errorf("answer %d took %v", i, took)
			}
			if status != 0 || !strings.Contains(out, `"ask"`) && !strings.Contains(out, `"deny"`) {
				t.Errorf("answer %d: status %d, %q, %q", i, status, out, stderr)
			}
		})
	}
	wg.Wait()
}
