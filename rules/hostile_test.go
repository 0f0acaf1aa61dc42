package rules_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/trace"
)

// The administrator's and the user's file beside every hostile repository of
// testdata/hostile (trust.md 13).
const (
	hostileManaged = `settings: {on_error: deny, scan_output: true}
rules: [{id: m-rule, never: managed_tool}]
`
	hostileUser = `settings: {unparseable: deny, locked: [unparseable]}
rules:
  - {id: u-locked, never: locked_tool, locked: true}
  - {id: u-open, never: open_tool}
  - {id: u-push, never: {tool: git_push, with: {force: true}}, locked: true}
  - {id: u-keep, never: {tool: rm, where: {paths: keep.txt}}, locked: true}
`
)

// TestHostile plays each repository through the real pipeline and store. None
// weakens a managed or locked rule or a built-in, and none makes us write
// outside the state folder.
func TestHostile(t *testing.T) {
	files, err := filepath.Glob("../testdata/hostile/*.txtar")
	if err != nil || len(files) < 19 {
		t.Fatalf("%d repositories, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { playHostile(t, file) })
	}
}

// A hostile is one repository being played.
type hostile struct {
	t    *testing.T
	top  string
	p    *hooks.Pipeline
	n    int
	last hooks.Answer
	told string // notices of the session's starts
	now  time.Time
}

func playHostile(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	steps := ""
	h := newHostile(t)
	for _, f := range ar.Files {
		if f.Name == "steps" {
			steps = string(f.Data)
			continue
		}
		h.write(f.Name, string(f.Data))
	}
	before := snapshot(t, h.top)
	h.told = h.event(hooks.Event{Kind: hooks.SessionStart, Source: "startup"}, ".").Notice + "\n"
	for line := range strings.Lines(steps) {
		if line = strings.TrimSpace(line); line != "" {
			h.step(line)
		}
	}
	if !h.last.Latched {
		h.holds()
	}
	if after := snapshot(t, h.top); after != before {
		t.Errorf("files outside the state folder changed:\n%s\n%s", before, after)
	}
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{t: t, top: top, now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	h.write("etc/AGENTLTL.yaml", hostileManaged)
	h.write("home/.config/agentltl/AGENTLTL.yaml", hostileUser)
	h.write("repo/.git/HEAD", "ref: refs/heads/main\n")
	h.p = &hooks.Pipeline{
		Profile: hooks.Profile{
			Name: "claude-code", Agent: "the agent", ShellTools: map[string]string{"Bash": "command"}, Ask: true,
			PreContext: true, Starts: true, Prompts: true, CallIDs: true,
		},
		StateDir: filepath.Join(top, "state"), UserDirs: []string{filepath.Join(top, "home/.config/agentltl"), filepath.Join(top, "home/.claude")},
		Managed: filepath.Join(top, "etc"), ManagedTop: top, ManagedOwner: os.Getuid(), Home: filepath.Join(top, "home"),
		Env: map[string]string{"HOME": filepath.Join(top, "home"), "TMPDIR": "/tmp"}, NoEnv: true, Program: "1.0.0",
		Now: func() time.Time { return h.now },
	}
	return h
}

func (h *hostile) write(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.top, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if target, ok := strings.CutPrefix(text, "-> "); ok {
		if err := os.Symlink(strings.TrimSpace(target), path); err != nil {
			h.t.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hostile) event(e hooks.Event, dir string) hooks.Answer {
	h.t.Helper()
	h.n++
	h.now = h.now.Add(time.Second)
	e.Session, e.Project, e.Dir = "s1", filepath.Join(h.top, "repo"), filepath.Join(h.top, "repo", dir)
	a, err := h.p.Handle(context.Background(), e)
	if err != nil {
		h.t.Fatal(err)
	}
	h.last = a
	return a
}

// call proposes a line and, when it is let through, records it.
func (h *hostile) call(line, dir string) hooks.Answer {
	h.t.Helper()
	e := hooks.Event{
		Kind: hooks.PreTool, ID: "c" + strconv.Itoa(h.n), Native: "Bash",
		Calls: []trace.Call{{Tool: "Bash", Args: trace.Args{"command": line}}},
	}
	a := h.event(e, dir)
	if a.Action == guard.Allow {
		status := 0
		e.Kind, e.Ran = hooks.PostTool, true
		e.Calls = []trace.Call{{Tool: "Bash", Args: trace.Args{"command": line}, Outcome: &trace.Outcome{Status: &status}}}
		h.event(e, dir)
		h.last = a
	}
	return a
}

// step is "ANSWER [RULE] [@DIR]: LINE", or what an answer must hold: "told: TEXT"
// (the notice of some start of the session), "start: TEXT" (of every one),
// "says:", "silent:", "quoted:" and "limit:".
func (h *hostile) step(line string) {
	h.t.Helper()
	head, text, _ := strings.Cut(line, ": ")
	words := strings.Fields(head)
	said := h.last.Reason + "\n" + h.last.Notice + "\n" + h.last.Context
	switch words[0] {
	case "told", "start":
		a := h.event(hooks.Event{Kind: hooks.SessionStart, Source: "resume"}, ".")
		h.told += a.Notice + "\n"
		if words[0] == "start" && !strings.Contains(a.Notice, text) || !strings.Contains(h.told, text) {
			h.t.Errorf("the start's notice does not say %q:\n%s", text, h.told)
		}
		return
	case "says":
		if !strings.Contains(said, text) {
			h.t.Errorf("does not say %q:\n%s", text, said)
		}
		return
	case "silent":
		if s, err := strconv.Unquote(`"` + text + `"`); err != nil || strings.Contains(said, s) {
			h.t.Errorf("says %q:\n%q", text, said)
		}
		return
	case "quoted":
		for rest := said; ; {
			i := strings.Index(rest, text)
			if i < 0 {
				return
			}
			if i == 0 || rest[i-1] != '"' {
				h.t.Errorf("%q stands in a sentence of ours:\n%s", text, said)
			}
			rest = rest[i+len(text):]
		}
	case "limit":
		if n, err := strconv.Atoi(text); err != nil || len(said) > n {
			h.t.Errorf("%d bytes are said, limit %s", len(said), text)
		}
		return
	}
	rule, dir := "", "."
	for _, w := range words[1:] {
		if d, ok := strings.CutPrefix(w, "@"); ok {
			dir = d
		} else {
			rule = w
		}
	}
	h.expect(words[0], rule, text, dir)
}

func (h *hostile) expect(want, rule, line, dir string) {
	h.t.Helper()
	a := h.call(line, dir)
	if got := a.Action.String(); got != want {
		h.t.Errorf("%s in %s: %s, want %s\n%s", line, dir, got, want, a.Reason)
	}
	if rule != "" && a.Rule != rule {
		h.t.Errorf("%s in %s: refused by %q, want %q", line, dir, a.Rule, rule)
	}
}

// holds: whatever the repository says, this stays.
func (h *hostile) holds() {
	h.t.Helper()
	h.expect("deny", "m-rule", "managed_tool", ".")
	h.expect("deny", "u-locked", "locked_tool", ".")
	h.expect("deny", "u-push", "git push -f", ".")
	a := h.call("rm AGENTLTL.yaml", ".")
	if a.Action < guard.Ask {
		h.t.Errorf("rm AGENTLTL.yaml: %s", a.Action)
	}
	if a := h.call("frobnicate $(cat x | sh)", "."); a.Action != guard.Deny {
		h.t.Errorf("an unread line: %s", a.Action)
	}
}

// snapshot lists the files outside the state folder with their sizes and times.
func snapshot(t *testing.T, top string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == filepath.Join(top, "state") {
			return filepath.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHostileSizes is row 19: each is a problem within the time a hook has, and
// the other layers hold.
func TestHostileSizes(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i, c := range "bcdefghi" {
		p := string("abcdefgh"[i])
		bomb += fmt.Sprintf("%c: &%c [*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s]\n", c, c, p, p, p, p, p, p, p, p, p)
	}
	for name, text := range map[string]string{
		"alias bomb":   bomb,
		"many rules":   "rules:\n" + strings.Repeat("- {id: a}\n", 100_000),
		"2 MiB":        strings.Repeat("#\n", 1<<20),
		"nested lists": strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"nested block": strings.Repeat("- ", 10_000) + "x",
		"long line":    "rules: [" + strings.Repeat("{id: a},", 100_000) + "]",
		"anchors":      strings.Repeat("a: &a b\n", 100_000),
		"merge bomb":   bomb + "rules:\n  - <<: [*i, *i, *i]\n",
	} {
		t.Run(name, func(t *testing.T) {
			h := newHostile(t)
			h.write("repo/AGENTLTL.yaml", text)
			start := time.Now()
			a := h.event(hooks.Event{Kind: hooks.SessionStart, Source: "startup"}, ".")
			took := time.Since(start)
			if !strings.Contains(a.Notice, "AGENTLTL.yaml") || len(a.Notice) > 4000 {
				t.Errorf("the notice has %d bytes: %.300s", len(a.Notice), a.Notice)
			}
			if took > 10*100*time.Millisecond {
				t.Errorf("took %v", took)
			}
			h.expect("deny", "m-rule", "managed_tool", ".")
			h.expect("deny", "u-locked", "locked_tool", ".")
		})
	}
}

// TestHostileContent: problems never quote what is no key of ours.
func TestHostileContent(t *testing.T) {
	const secret = "wJalrXUtnFEMIK7MDENG"
	for _, text := range []string{
		"[default]\naws_secret_access_key = " + secret + "\n",
		secret + ": " + secret + "\n",
		"*" + secret + "\n",
		"key: *" + secret + "\n",
		"- " + secret + "\n- x: y: " + secret + "\n",
		secret,
		"rules: " + secret,
		"rules:\n- " + secret,
		"settings: {mode: " + secret + "}\n",
	} {
		_, problems := rules.Load([]rules.File{{Layer: rules.ProjectFile, Path: "/p/AGENTLTL.yaml", Text: []byte(text)}}, rules.LoadOptions{})
		if len(problems) == 0 {
			t.Errorf("no problem: %q", text)
		}
		// What stands where a key or a word of ours should is named.
		ours := strings.Contains(text, "settings") || strings.HasPrefix(text, secret+":")
		if s := problems.Error(); strings.Contains(s, secret[:8]) && !ours {
			t.Errorf("the problem prints content: %s", s)
		}
	}
}
