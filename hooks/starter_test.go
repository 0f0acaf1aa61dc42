//go:build collect

package hooks_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/trace"
)

// TestStarterBlocks plays the shell that repositories of the Go module cache and
// installed npm packages run themselves, unattended, under the preset "starter"
// as init writes it. Each refused block is printed with what refused it, to be
// judged: at most 0.5 % may be refused that do not do what an entry forbids.
//
//	go test -tags collect ./hooks -run TestStarterBlocks -v
func TestStarterBlocks(t *testing.T) {
	var tops []string
	for _, cmd := range [][]string{{"go", "env", "GOMODCACHE"}, {"npm", "root", "-g"}} {
		if out, err := exec.Command(cmd[0], cmd[1:]...).Output(); err == nil {
			tops = append(tops, strings.TrimSpace(string(out)))
		}
	}
	seen := map[string]bool{}
	found, sure, maybe, unread := 0, 0, 0, 0
	for _, dir := range repositories(tops) {
		for _, s := range rules.Scripts(os.DirFS(dir)) {
			found++
			if seen[s.Text] {
				continue
			}
			seen[s.Text] = true
			p := &hooks.Pipeline{
				Profile: hooks.Profile{Name: "claude-code", Agent: "the agent", FreshShell: true, ShellTools: map[string]string{"Bash": "command"}},
				Home:    "/home/dev", Without: []string{"protect-guard", "no-unguarded-subagents"},
				Files: []rules.File{{
					Layer: rules.ProjectFile, Path: filepath.Join(dir, rules.FileName),
					Text: []byte("settings: {unparseable: {auto: deny}}\nuse: [starter]\n"),
				}},
			}
			got, err := hooks.NewPlayer(p, dir, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).Play(t.Context(), hooks.Step{
				Do: "call", Text: s.Text, Tool: "Bash", Input: trace.Args{"command": s.Text}, Auto: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case got.Action == "none":
				continue
			case got.Rule == "":
				unread++
			case strings.Contains(got.Text, "known only at run time"):
				maybe++
			default:
				sure++
			}
			t.Logf("%s/%s:%d: %s %s\n%s\n%s", dir, s.File, s.Line, got.Action, got.Rule, s.Text, got.Text)
		}
	}
	n := len(seen)
	t.Logf("%d blocks, %d different: %d do what an entry forbids, %d refused on a maybe (%.2f %%), %d not read in full (%.2f %%)",
		found, n, sure, maybe, 100*float64(maybe)/float64(n), unread, 100*float64(unread)/float64(n))
	if maybe*200 > n {
		t.Errorf("%d of %d blocks refused on a maybe: at most 0.5 %% may be", maybe, n)
	}
}

// repositories lists the folders with something to run.
func repositories(tops []string) []string {
	var out []string
	at := map[string]bool{}
	add := func(dir string) {
		if !at[dir] {
			at[dir] = true
			out = append(out, dir)
		}
	}
	for _, top := range tops {
		_ = filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
			case d.IsDir() && d.Name() == ".github", !d.IsDir() && (d.Name() == "package.json" || d.Name() == "Makefile"):
				add(filepath.Dir(p))
			}
			return nil
		})
	}
	return out
}
