package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// demoEnv is an environment whose program logs each of its starts and then
// runs as this test binary under the program's name.
func demoEnv(t *testing.T) (e *env, out *strings.Builder, log string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in program is a shell script")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log = filepath.Join(dir, "starts")
	link := filepath.Join(dir, "bin", "agentltl-hook")
	if err := os.Mkdir(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >> %s\nexec %s \"$@\"\n", log, link)
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	out = &strings.Builder{}
	return &env{
		Ctx: context.Background(), Name: "agentltl-hook", Stdout: out, Stderr: os.Stderr, Dir: dir,
		Getenv: os.Getenv, Environ: os.Environ, Now: time.Now,
		Executable: func() (string, error) { return program, nil },
	}, out, log
}

func playDemo(t *testing.T, rules string) (out string, starts int) {
	t.Helper()
	e, b, log := demoEnv(t)
	if err := runDemo(t.Context(), e, demoOptions{rules: rules}); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), strings.Count(string(data), "hook claude-code")
}

// TestDemo: the story has its turns, and each answer is a process's.
func TestDemo(t *testing.T) {
	out, starts := playDemo(t, demoRules)
	want := []string{
		"agent> git status\n  allowed",
		"agent> cd app && sudo git push -f\n  refused",
		"no-force-push",
		"A force push rewrites what others have already fetched.",
		"agent> git push\n  allowed",
		"agent> make deploy-prod\n  refused",
		"staging-first",
		"Staging shows what the tests did not.",
		"make deploy-staging",
		"agent> make deploy-staging\n  allowed",
		"agent> make deploy-prod\n  allowed",
		"a new session",
		"agent> make deploy-prod\n  refused",
		"7 calls, 11 processes, median ",
		"agentltl-hook install",
	}
	rest := out
	for _, w := range want {
		_, after, ok := strings.Cut(rest, w)
		if !ok {
			t.Fatalf("no %q in its place in\n%s", w, out)
		}
		rest = after
	}
	if starts != 11 {
		t.Errorf("%d processes, want 11", starts)
	}
	if strings.Contains(out, "hook_event_name") || strings.Contains(out, "{\"") {
		t.Error("the demo prints payloads")
	}
}

// TestDemoFollowsItsRules: with another rule and fix the output is another.
func TestDemoFollowsItsRules(t *testing.T) {
	out, starts := playDemo(t, `rules:
  - id: look-first
    before: [git_log, git_push]
    why: The log is shorter than the repair.
    fix: git log --oneline -5
`)
	for _, w := range []string{"look-first", "The log is shorter than the repair.", "git log --oneline -5", "agent> git push\n  refused", "agent> make deploy-prod\n  allowed"} {
		if !strings.Contains(out, w) {
			t.Errorf("no %q in\n%s", w, out)
		}
	}
	for _, w := range []string{"staging-first", "no-force-push"} {
		if strings.Contains(out, w) {
			t.Errorf("%q is told of, although its rule is gone", w)
		}
	}
	if starts != 12 { // seven calls, five of them allowed
		t.Errorf("%d processes, want 12", starts)
	}
}
