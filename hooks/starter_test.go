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
// judged: at most 0.5 % of the blocks, counted as found, may be refused that do
// not do what an entry forbids, be it on a maybe or because they are not read in
// full. The same is printed for the different texts among them.
//
//	go test -tags collect ./hooks -run TestStarterBlocks -v
func TestStarterBlocks(t *testing.T) {
	var tops []string
	for _, cmd := range [][]string{{"go", "env", "GOMODCACHE"}, {"npm", "root", "-g"}} {
		if out, err := exec.Command(cmd[0], cmd[1:]...).Output(); err == nil {
			tops = append(tops, strings.TrimSpace(string(out)))
		}
	}
	const (
		passes = iota
		forbidden
		maybe
		unread
	)
	seen := map[string]int{}
	var found, different [unread + 1]int
	for _, dir := range repositories(tops) {
		for _, s := range rules.Scripts(os.DirFS(dir)) {
			if outcome, ok := seen[s.Text]; ok {
				found[outcome]++
				continue
			}
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
			outcome := forbidden
			switch {
			case got.Action == "none":
				outcome = passes
			case got.Rule == "":
				outcome = unread
			case strings.Contains(got.Text, "known only at run time"):
				outcome = maybe
			}
			seen[s.Text] = outcome
			found[outcome]++
			different[outcome]++
			if outcome == passes {
				continue
			}
			t.Logf("%s/%s:%d: %s %s\n%s\n%s", dir, s.File, s.Line, got.Action, got.Rule, s.Text, got.Text)
		}
	}
	n := found[passes] + found[forbidden] + found[maybe] + found[unread]
	beyond := found[maybe] + found[unread]
	t.Logf("%d blocks: %d do what an entry forbids; beyond that %d refused on a maybe and %d not read in full (%.2f %%)",
		n, found[forbidden], found[maybe], found[unread], 100*float64(beyond)/float64(n))
	t.Logf("%d different blocks: %d do what an entry forbids; beyond that %d refused on a maybe and %d not read in full (%.2f %%)",
		len(seen), different[forbidden], different[maybe], different[unread], 100*float64(different[maybe]+different[unread])/float64(len(seen)))
	if beyond*200 > n {
		t.Errorf("%d of %d blocks refused beyond what an entry forbids: at most 0.5 %% may be", beyond, n)
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
