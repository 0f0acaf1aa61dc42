package main

import (
	"encoding/json"
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

// TestReadmeCounts: the README's number of packaged rules and presets.
func TestReadmeCounts(t *testing.T) {
	presets := 0
	for _, e := range rules.Library() {
		if len(e.Include) > 0 {
			presets++
		}
	}
	want := fmt.Sprintf("%d packaged rules and %d presets", len(rules.Library())-presets, presets)
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), want) {
		t.Errorf("README.md does not say %q", want)
	}
}

// TestDocsKeys: docs/rules.md names every key of a rule file.
func TestDocsKeys(t *testing.T) {
	var schema struct {
		Properties map[string]any `json:"properties"`
		Defs       map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(rules.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]map[string]any{
		"top level": schema.Properties, "rule": schema.Defs["rule"].Properties, "settings": schema.Defs["settings"].Properties,
	}
	for place, keys := range places {
		if len(keys) < 10 {
			t.Errorf("%s: the schema has %d keys only", place, len(keys))
		}
		for k := range keys {
			if !strings.Contains(string(doc), "`"+k+"`") {
				t.Errorf("docs/rules.md does not name %s of %s", k, place)
			}
		}
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
