package rules_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/rules"
)

// TestLibrary loads every packaged entry, lints it and judges its examples.
func TestLibrary(t *testing.T) {
	entries := rules.Library()
	if len(entries) < 75 {
		t.Fatalf("%d entries", len(entries))
	}
	refused, allowed := 0, 0
	for _, e := range entries {
		t.Run(e.ID, func(t *testing.T) {
			if e.Summary == "" || len(e.Tags) == 0 || e.Rev < 1 {
				t.Errorf("summary %q, tags %v, rev %d", e.Summary, e.Tags, e.Rev)
			}
			for _, harness := range harnessesOf(e) {
				p := &hooks.Pipeline{Profile: hooks.Profile{Name: harness, Agent: "the agent", ShellTools: map[string]string{"Bash": "command"}}, Home: "/home/dev"}
				set, problems := rules.LoadEntry(e.ID, rules.LoadOptions{
					Harness: harness, Context: &rules.Context{Root: "/proj", Home: "/home/dev", Tmp: "/tmp"}, Judge: p.Judge("/proj"),
				})
				for _, q := range problems {
					t.Error(q)
				}
				for _, f := range rules.Lint(set, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
					if f.Level != rules.LevelI {
						t.Error(f)
					}
				}
				for i := range set.Rules {
					if r := &set.Rules[i]; len(r.Examples) == 0 && r.Layer != rules.BuiltIn {
						t.Errorf("rule %s has no examples", r.ID)
					}
					for _, x := range set.Rules[i].Examples {
						if x.Refused {
							refused++
						} else {
							allowed++
						}
					}
				}
			}
		})
	}
	t.Logf("%d entries, %d refused and %d allowed lines", len(entries), refused, allowed)
	if refused < 150 || allowed < 150 {
		t.Errorf("only %d refused and %d allowed lines were judged", refused, allowed)
	}
}

func harnessesOf(e rules.Entry) []string {
	if len(e.Harnesses) > 0 {
		return e.Harnesses
	}
	return []string{"claude-code"}
}

// TestLibraryOnDisk plays the steps of entries that look at files.
// The bans on printing secrets stay bans under a weaker default of the file, as in
// the peer; entries without a mode take it.
func TestEntriesWithAModeOfTheirOwn(t *testing.T) {
	set, problems := rules.Load([]rules.File{{
		Layer: rules.ProjectFile, Path: "/p/AGENTLTL.yaml",
		Text: []byte("settings: {mode: warn}\nuse: [no-env-dumps, no-secrets-in-commands, no-force-push]\n"),
	}}, rules.LoadOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for i := range set.Rules {
		got = append(got, set.Rules[i].ID+" "+set.Rules[i].Mode.String())
	}
	if want := []string{"no-env-dumps block", "no-secrets-in-commands block", "no-force-push warn"}; !slices.Equal(got, want) {
		t.Errorf("rules %q, want %q", got, want)
	}
}

func TestLibraryOnDisk(t *testing.T) {
	files, err := filepath.Glob("testdata/library/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		id := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(id, func(t *testing.T) { playOnDisk(t, id, file) })
	}
}

func playOnDisk(t *testing.T, id, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	var steps string
	for _, f := range ar.Files {
		name, onDisk := strings.CutPrefix(f.Name, "disk/")
		switch {
		case onDisk:
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		case f.Name == "steps":
			steps = string(f.Data)
		default:
			t.Fatalf("unknown section %s", f.Name)
		}
	}
	p := &hooks.Pipeline{
		Profile: hooks.Profile{Name: "claude-code", Agent: "the agent", ShellTools: map[string]string{"Bash": "command"}},
		Home:    "/home/dev", Without: []string{"protect-guard", "no-unguarded-subagents"},
		Files: []rules.File{{Layer: rules.ProjectFile, Path: filepath.Join(root, rules.FileName), Text: []byte("use: [" + id + "]\n")}},
	}
	player := hooks.NewPlayer(p, root, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	played := 0
	for line := range strings.Lines(steps) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		s, err := hooks.ParseStep(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		got, err := player.Play(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		played++
		if !got.OK {
			t.Errorf("%s: %s", strings.TrimSpace(line), got.Reason)
		}
	}
	if played < 2 {
		t.Errorf("only %d steps", played)
	}
}
