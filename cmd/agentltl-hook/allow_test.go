package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/internal/cli"
)

// A desk is a project with a person at a terminal.
type desk struct {
	t         *testing.T
	dir, home string
	now       time.Time
}

func newDesk(t *testing.T, rules string) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), home: t.TempDir(), now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	for name, text := range map[string]string{".git/HEAD": "ref: refs/heads/main\n", "AGENTLTL.yaml": rules} {
		path := filepath.Join(d.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// run runs a command with what the person types.
func (d *desk) run(typed string, args ...string) (status int, stdout, stderr string) {
	d.t.Helper()
	d.now = d.now.Add(time.Second)
	var out, errs bytes.Buffer
	e := &env{
		Ctx: context.Background(), Name: "agentltl-hook", Stdin: strings.NewReader(typed), Stdout: &out, Stderr: &errs, Dir: d.dir,
		Getenv: func(name string) string {
			return map[string]string{"HOME": d.home, "USER": "dev", "CLAUDE_PROJECT_DIR": d.dir}[name]
		},
		Environ: func() []string { return nil },
		Now:     func() time.Time { return d.now }, Home: func() string { return d.home },
		Executable: os.Executable, Terminal: func(cli.Stream) bool { return true }, Look: func(string) string { return "" },
		Exit: func(int) {},
	}
	status = run(args, e)
	return status, out.String(), errs.String()
}

// propose asks the hook about an edit of a file.
func (d *desk) propose(id, session, file string) string {
	d.t.Helper()
	payload := `{"session_id": "` + session + `", "hook_event_name": "PreToolUse", "cwd": "` + d.dir + `", "tool_name": "Edit", "tool_input": {"file_path": "` +
		filepath.Join(d.dir, file) + `"}, "tool_use_id": "` + id + `"}`
	_, out, _ := d.run(payload, "hook", "claude-code", "PreToolUse")
	switch {
	case strings.Contains(out, `"permissionDecision":"deny"`):
		return "deny"
	case strings.Contains(out, `"permissionDecision":"ask"`):
		return "ask"
	default:
		return "allow"
	}
}

func TestAllowOnce(t *testing.T) {
	d := newDesk(t, "rules: [{id: no-edits, never: Edit}]\n")
	if got := d.propose("t1", "s1", "a"); got != "deny" {
		t.Fatalf("before: %s", got)
	}
	if status, _, stderr := d.run("yes\n", "allow", "1", "--reason", "hotfix"); status != 1 || !strings.Contains(stderr, "not confirmed") {
		t.Errorf("a wrong word was taken: %d %s", status, stderr)
	}
	status, out, stderr := d.run("no-edits\n", "allow", "1", "--reason", "hotfix", "--json")
	if status != 0 || !strings.Contains(out, `"exception"`) {
		t.Fatalf("allow: %d %s %s", status, out, stderr)
	}
	if !strings.Contains(stderr, "no-edits") || !strings.Contains(stderr, "Edit") {
		t.Errorf("the person was not shown rule and call: %s", stderr)
	}
	for i, want := range []string{"allow", "deny"} {
		if got := d.propose("t"+string(rune('2'+i)), "s1", "a"); got != want {
			t.Errorf("repeat %d: %s, want %s", i, got, want)
		}
	}
	if got := d.propose("t8", "s1", "b"); got != "deny" {
		t.Errorf("another call passed: %s", got)
	}
}

func TestAllowForAndRevoke(t *testing.T) {
	d := newDesk(t, "rules: [{id: no-edits, never: Edit}]\n")
	d.propose("t1", "s1", "a")
	if status, _, stderr := d.run("no-edits\n", "allow", "1", "--for", "2h", "--reason", "hotfix"); status != 0 {
		t.Fatal(stderr)
	}
	if got := d.propose("t2", "s2", "a") + d.propose("t3", "s1", "a"); got != "allowallow" {
		t.Errorf("within its time: %s", got)
	}
	_, out, _ := d.run("", "allow", "--list")
	if !strings.Contains(out, "hotfix") {
		t.Errorf("--list: %s", out)
	}
	if status, _, stderr := d.run("", "allow", "--revoke", "1"); status != 0 {
		t.Fatal(stderr)
	}
	if got := d.propose("t4", "s1", "a"); got != "deny" {
		t.Errorf("after the revocation: %s", got)
	}
}

func TestPause(t *testing.T) {
	d := newDesk(t, "rules: [{id: no-edits, never: Edit}]\n")
	if status, _, stderr := d.run("pause\n", "pause", "1h", "--reason", "incident"); status != 0 {
		t.Fatal(stderr)
	}
	if got := d.propose("t1", "s1", "a"); got != "allow" {
		t.Errorf("paused: %s", got)
	}
	if got := d.propose("t2", "s1", "AGENTLTL.yaml"); got != "ask" {
		t.Errorf("the pause reached protect-guard: %s", got)
	}
	if status, _, stderr := d.run("", "pause", "--end"); status != 0 {
		t.Fatal(stderr)
	}
	if got := d.propose("t3", "s1", "a"); got != "deny" {
		t.Errorf("after the pause: %s", got)
	}
	if status, _, stderr := d.run("pause\n", "pause", "1h", "--reason", "incident"); status != 0 {
		t.Fatal(stderr)
	}
	d.now = d.now.Add(61 * time.Minute)
	if got := d.propose("t4", "s1", "a"); got != "deny" {
		t.Errorf("a pause outlived its hour: %s", got)
	}
}
