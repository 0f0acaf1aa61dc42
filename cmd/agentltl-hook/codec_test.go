package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Two builds with different codecs of checkpoints alternate on one store: no
// call is lost, none asked about, and both know at every call what the other one
// recorded (trust.md 8). AGENTLTL_CODEC_ROUNDS and AGENTLTL_CODEC_CALLS make it
// as long as the promise: 200 and 100000.
func TestTwoCodecsOnOneStore(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	rounds, calls := fromEnv("AGENTLTL_CODEC_ROUNDS", 20), fromEnv("AGENTLTL_CODEC_CALLS", 500)
	dir := t.TempDir()
	var programs []string
	for _, codec := range []string{"7", "8"} {
		path := filepath.Join(dir, "agentltl-hook-"+codec)
		build := exec.Command("go", "build", "-ldflags", "-X github.com/agentltl/agentltl-hook/internal/version.Codec="+codec, "-o", path, ".")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, out)
		}
		programs = append(programs, path)
	}
	root, home := filepath.Join(dir, "project"), filepath.Join(dir, "home")
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(filepath.Join(root, "AGENTLTL.yaml"), fmt.Sprintf(`rules:
  - {id: few-lists, at_most: {call: ls, times: %d}}
  - {id: all-lists, scope: project, at_most: {call: ls, times: %d}}
  - {id: tests-first, before: {first: {tool: pytest, succeeded: true}, then: git_push, since: [Edit, Write]}}
  - {id: quiet, ltl: 'G(now("deploy") -> X(G(!now("deploy"))))'}
`, rounds, rounds))
	var lines strings.Builder
	for i := range calls {
		fmt.Fprintf(&lines, "{\"tool\":\"pytest\",\"args\":{\"n\":%d},\"status\":0}\n", i)
	}
	write(filepath.Join(dir, "calls.jsonl"), lines.String())
	run := func(program, in string, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = root
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + root}
		cmd.Stdin = strings.NewReader(in)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", filepath.Base(program), args, err, out)
		}
		return string(out)
	}
	event := func(program, event, id, line string) string {
		data, err := json.Marshal(map[string]any{
			"session_id": "s1", "hook_event_name": event, "cwd": root, "tool_name": "Bash", "tool_use_id": id,
			"tool_input": map[string]any{"command": line}, "tool_response": map[string]any{"stdout": ""},
		})
		if err != nil {
			t.Fatal(err)
		}
		return run(program, string(data), "hook", "claude-code", event)
	}
	run(programs[0], "", "trace", "import", "--session", "s1", "--harness", "claude-code", filepath.Join(dir, "calls.jsonl"))
	for i := range rounds {
		program := programs[i%2]
		for _, line := range []string{"git push", "ls"} { // the tests ran, in either program's book
			if out := event(program, "PreToolUse", fmt.Sprint(line, i), line); strings.Contains(out, "permissionDecision") {
				t.Fatalf("round %d: %s: %s", i, line, out)
			}
		}
		event(program, "PostToolUse", fmt.Sprint("ls", i), "ls")
	}
	for _, program := range programs { // each counted what both did
		out := event(program, "PreToolUse", "more "+filepath.Base(program), "ls")
		if !strings.Contains(out, `"deny"`) || !strings.Contains(out, "few-lists") {
			t.Errorf("one more than allowed: %s", out)
		}
	}
	var doc struct{ Calls []struct{ Tool string } }
	if err := json.Unmarshal([]byte(run(programs[1], "", "trace", "--session", "s1", "--json")), &doc); err != nil {
		t.Fatal(err)
	}
	if want := calls + rounds; len(doc.Calls) != want {
		t.Errorf("%d calls are recorded, want %d", len(doc.Calls), want)
	}
}

func fromEnv(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}
