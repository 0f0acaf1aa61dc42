package adapter

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func testOptions() InstallOptions {
	return InstallOptions{
		Program: "/opt/my tools/agentltl-hook", StateDir: "/home/d'or/.local/state/agentltl",
		SharedDir: "/home/d'or/.config/agentltl", UserDir: "/home/d'or/.claude", Home: "/home/d'or",
	}
}

func TestHookLine(t *testing.T) {
	o := testOptions()
	want := append([]string{o.Program}, o.HookArgs("codex", "Stop")...)
	line := o.HookLine("codex", "Stop")
	if got := Words(line); !slices.Equal(got, want) {
		t.Errorf("%s splits into %q", line, got)
	}
	if got := Words(DoubleQuoted(line)); !slices.Equal(got, want) {
		t.Errorf("%s splits into %q", DoubleQuoted(line), got)
	}
	out, err := exec.Command("/bin/sh", "-c", "printf '%s\\n' "+line).Output()
	if err != nil {
		t.Skip("no shell")
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"); !slices.Equal(got, want) {
		t.Errorf("a shell splits %s into %q", line, got)
	}
	o.Managed = true
	if got := o.HookArgs("codex", "Stop"); !slices.Equal(got, []string{"hook", "codex", "Stop", "--no-env"}) {
		t.Errorf("a managed line has %q", got)
	}
	o.AllowEnv = true
	if got := o.HookArgs("codex", "Stop"); !slices.Equal(got, []string{"hook", "codex", "Stop", "--allow-env"}) {
		t.Errorf("with --allow-env: %q", got)
	}
}

func TestQuoteProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z'"\\$ ;&*\n-]{1,8}`), 1, 5).Draw(t, "words")
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, Quote(w))
		}
		if got := Words(strings.Join(quoted, " ")); !slices.Equal(got, words) {
			t.Fatalf("%q came back as %q", words, got)
		}
	})
}

func TestIsOurs(t *testing.T) {
	for _, tt := range []struct {
		line       string
		ours, peer bool
	}{
		{"/usr/local/bin/agentltl-hook hook codex PreToolUse --no-env", true, false},
		{"'/opt/my tools/agentltl-hook' hook codex PreToolUse", true, false},
		{`C:\tools\agentltl-hook.exe hook codex PreToolUse`, false, false}, // Words eats the backslashes
		{"agentltl hook codex PreToolUse", true, false},
		{"agentltl-hook hook claude-code PreToolUse", false, false},
		{"python3 -m agentltl_coding.hook codex", false, true},
		{"/home/dev/.venv/bin/agentltl-codex-hook pre", false, true},
		{"echo hi", false, false},
	} {
		words := Words(tt.line)
		if got := IsOurs(words, "codex"); got != tt.ours {
			t.Errorf("IsOurs(%q) = %v", tt.line, got)
		}
		if got := IsPeer(words, "codex"); got != tt.peer {
			t.Errorf("IsPeer(%q) = %v", tt.line, got)
		}
	}
	if !IsOurs([]string{`C:\tools\agentltl-hook.exe`, "hook", "codex", "PreToolUse"}, "codex") {
		t.Error("the exec form on Windows is not recognised")
	}
}
