package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/rules"
)

const libraryDoc = "../../docs/library.md"

// TestDocsLibrary keeps docs/library.md what the packaged rules say; -update
// writes it.
func TestDocsLibrary(t *testing.T) {
	want := libraryPage(t)
	if *update {
		if err := os.WriteFile(libraryDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(libraryDoc)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/library.md is not current: go test ./cmd/agentltl-hook -run TestDocsLibrary -update")
	}
}

func libraryPage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Packaged rules\n\n" +
		"<!-- written by go test ./cmd/agentltl-hook -run TestDocsLibrary -update -->\n\n" +
		"Switched on with `use: [ID]` in a rule file or `agentltl-hook use ID`; `agentltl-hook library ID` prints an entry in full.\n")
	var bundles, entries []rules.Entry
	for _, e := range rules.Library() {
		if len(e.Include) > 0 {
			bundles = append(bundles, e)
		} else {
			entries = append(entries, e)
		}
	}
	b.WriteString("\n## Presets\n\n| id | what it is | entries |\n|---|---|---|\n")
	for _, e := range bundles {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.ID, cell(e.Summary), "`"+strings.Join(e.Include, "` `")+"`")
	}
	b.WriteString("\n## Entries\n\n| id | what it does | tags |\n|---|---|---|\n")
	for _, e := range entries {
		summary := cell(e.Summary)
		if len(e.Harnesses) > 0 {
			summary += " (" + strings.Join(e.Harnesses, ", ") + " only)"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.ID, summary, strings.Join(e.Tags, ", "))
	}
	if len(entries) < 70 {
		t.Errorf("%d packaged entries", len(entries))
	}
	return b.String()
}

// cell makes text fit into a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", "\\|")
}
