package rules_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/rules"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestKinds plays the golden case of every rule kind: rules and steps in,
// decisions and what breaks the rule out.
func TestKinds(t *testing.T) {
	for _, kind := range rules.Kinds() {
		file := filepath.Join("testdata", "kinds", "kind_"+kind+".txtar")
		t.Run(kind, func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatalf("every kind has a golden case: %v", err)
			}
			sections := map[string]*txtar.File{}
			for i := range ar.Files {
				sections[ar.Files[i].Name] = &ar.Files[i]
			}
			got := playKind(t, string(sections["AGENTLTL.yaml"].Data), string(sections["steps"].Data))
			if *update {
				sections["want"].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(sections["want"].Data), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func playKind(t *testing.T, text, steps string) string {
	t.Helper()
	p := &hooks.Pipeline{
		Profile: hooks.Profile{Name: "claude-code", Agent: "the agent", ShellTools: map[string]string{"Bash": "command"}},
		Home:    "/home/dev", Without: []string{"protect-guard", "no-unguarded-subagents", "memory-first"}, NoDisk: true,
		Files: []rules.File{{Layer: rules.ProjectFile, Path: "/proj/AGENTLTL.yaml", Text: []byte(text)}},
	}
	player := hooks.NewPlayer(p, "/proj", time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	var out strings.Builder
	for line := range strings.Lines(steps) {
		line = strings.TrimSpace(line)
		s, err := hooks.ParseStep(strings.ReplaceAll(line, "\x00", "\n"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := player.Play(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		result := got.Result
		if got.Rule != "" {
			result += " " + got.Rule
		}
		if got.Do == "finish" {
			result = strings.TrimSpace(got.Action + " " + strings.Join(got.Rules, " "))
		}
		fmt.Fprintf(&out, "%s: %s\n", line, result)
		for said := range strings.Lines(got.Text) {
			if _, problem, ok := strings.Cut(strings.TrimSpace(said), "What breaks it: "); ok {
				fmt.Fprintf(&out, "    %s\n", problem)
			}
		}
	}
	return out.String()
}
