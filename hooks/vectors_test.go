package hooks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
)

const vectorsDir = "../testdata/vectors"

var vectorStart = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// plain is the profile of the recorded cases: a shell tool and nothing else.
func plain(name string) Profile {
	p := Profile{Name: name, Agent: "the agent", ShellTools: map[string]string{"Bash": "command", "PowerShell": "command"}, Ask: true, PreContext: true}
	if name == "claude-code" {
		p.MemoryFiles = []string{"CLAUDE.md", "CLAUDE.local.md", "*/.claude/rules/*", "*/.claude/projects/*/memory/*"}
	}
	return p
}

// quiet leaves out our own built-ins, as a user file could.
var quiet = []string{guard.ProtectGuard, guard.NoUnguarded}

// A folderCase is one folder of recorded rule cases, set up on disk.
type folderCase struct {
	file StepFile
	root string
	home string
	dir  string
}

func setUp(t *testing.T, dir string) folderCase {
	t.Helper()
	base := t.TempDir()
	c := folderCase{root: filepath.Join(base, "root"), home: filepath.Join(base, "home")}
	place := strings.NewReplacer("$ROOT", c.root, "$HOMEDIR", c.home)
	text, err := os.ReadFile(filepath.Join(dir, "case.json"))
	must(t, err)
	put := func(path, content string) {
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(place.Replace(content)), 0o644))
	}
	must(t, os.MkdirAll(filepath.Join(c.root, ".git"), 0o755))
	if b, err := os.ReadFile(filepath.Join(dir, "AGENTLTL.yaml")); err == nil {
		put(filepath.Join(c.root, "AGENTLTL.yaml"), string(b))
	}
	if b, err := os.ReadFile(filepath.Join(dir, "user.yaml")); err == nil {
		put(filepath.Join(c.home, "user", "AGENTLTL.yaml"), string(b))
	}
	for name, content := range diskOf(t, text) {
		put(filepath.Join(c.root, name), content)
	}
	c.file, err = ReadSteps(text, place)
	must(t, err)
	c.dir = filepath.Join(c.root, c.file.Dir)
	must(t, os.MkdirAll(c.dir, 0o755))
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (c folderCase) pipeline() *Pipeline {
	return &Pipeline{
		Profile: plain(c.file.Harness), UserFile: filepath.Join(c.home, "user", "AGENTLTL.yaml"), Home: c.home,
		Managed: filepath.Join(c.home, "no-managed"), Without: quiet, Env: map[string]string{"HOME": c.home},
	}
}

func TestVectorsRules(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(vectorsDir, "rules", "*", "case.json"))
	if err != nil || len(dirs) != 199 {
		t.Fatalf("%d cases, want 199 (%v)", len(dirs), err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) { playFolder(t, setUp(t, dir)) })
	}
}

func playFolder(t *testing.T, c folderCase) {
	p := c.pipeline()
	pl := NewPlayer(p, c.dir, vectorStart)
	for i, s := range c.file.Steps {
		switch s.Do {
		case "disk":
			path := filepath.Join(c.root, s.Path)
			if s.File == nil {
				must(t, os.RemoveAll(path))
				continue
			}
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must(t, os.WriteFile(path, []byte(*s.File), 0o644))
		case "load":
			set, problems := p.Load(c.dir)
			if d := loadDiffers(s.Want.Load, set, problems); d != "" {
				t.Errorf("step %d load: %s", i, d)
			}
		default:
			got, err := pl.Play(context.Background(), s)
			must(t, err)
			if !got.OK {
				t.Errorf("step %d %s: %s\n%s", i, s.Text, got.Reason, got.Text)
			}
			if s.Want != nil && s.Want.Leaks == nil && len(got.Leaks) > 0 {
				t.Errorf("step %d %s: leaks %v, want none", i, s.Text, got.Leaks)
			}
		}
	}
}

// loadDiffers holds loaded rule files against what a case expects.
func loadDiffers(want map[string]any, set *rules.Set, problems rules.Problems) string {
	if want["ok"] == false {
		return problemsDiffer(want["problems"].([]any), problems)
	}
	if len(problems) > 0 {
		return problems.Error()
	}
	if list, ok := want["files"].([]any); ok {
		var have []any
		for _, f := range set.Files {
			have = append(have, f.Path)
		}
		if fmt.Sprint(list) != fmt.Sprint(have) {
			return fmt.Sprintf("files %v, want %v", have, list)
		}
	}
	if list, ok := want["rules"].([]any); ok {
		if len(list) != len(set.Rules) {
			return fmt.Sprintf("%d rules, want %d", len(set.Rules), len(list))
		}
		for i, w := range list {
			r := set.Rules[i]
			have := map[string]any{"id": r.ID, "kind": r.Kind, "mode": r.Mode.String(), "scope": r.Scope.String(), "from": r.Source}
			for k, v := range w.(map[string]any) {
				if have[k] != v {
					return fmt.Sprintf("rule %d: %s is %v, want %v", i, k, have[k], v)
				}
			}
		}
	}
	if m, ok := want["settings"].(map[string]any); ok {
		s := set.Settings
		have := map[string]string{
			"report": fmt.Sprint(s.Report), "retries": fmt.Sprint(s.Retries), "unparseable_interactive": s.UnparseableAsked.String(),
			"unparseable_auto": s.UnparseableAuto.String(), "retry_counting": s.RetryCounting, "finish_retries": fmt.Sprint(s.FinishRetries),
			"announce": fmt.Sprint(s.Announce), "scan_output": fmt.Sprint(s.ScanOutput), "memory_first": fmt.Sprint(s.MemoryFirst),
		}
		for k, v := range m {
			if got, known := have[k]; !known || got != fmt.Sprint(v) {
				return fmt.Sprintf("settings.%s is %q, want %v", k, got, v)
			}
		}
	}
	return ""
}

func problemsDiffer(want []any, got rules.Problems) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d problems, want %d: %v", len(got), len(want), got)
	}
	for i, w := range want {
		m := w.(map[string]any)
		if line := fmt.Sprint(m["line"]); m["line"] != nil && line != fmt.Sprint(got[i].Pos.Line) {
			return fmt.Sprintf("problem %d at line %d, want %s: %v", i, got[i].Pos.Line, line, got[i])
		}
		text := strings.ToLower(got[i].Error())
		for _, about := range m["about"].([]any) {
			if !strings.Contains(text, strings.ToLower(about.(string))) {
				return fmt.Sprintf("problem %d lacks %q: %v", i, about, got[i])
			}
		}
	}
	return ""
}
