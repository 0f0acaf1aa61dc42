package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPacks: local and named packs, their digests, and sets that are stale once
// a pack has changed.
func TestPacks(t *testing.T) {
	top := tree(t, map[string]string{
		"p/.git/": "", "p/rules/team.yaml": "rules: [{id: team, never: x}]\n", "p/.agentltl/packs/org/base.yaml": "rules: [{id: base, never: y, mode: ask}]\n",
		"shared/org/base.yaml": "rules: [{id: base, never: y, mode: stop}]\n",
	})
	load := func(text string) (*Set, Problems) {
		return Load([]File{{Layer: ProjectFile, Path: top + "/p/AGENTLTL.yaml", Text: []byte(text)}}, LoadOptions{
			Context: &Context{Root: top + "/p"}, PackDirs: []string{top + "/managed", top + "/shared"},
		})
	}
	set, problems := load("use: [./rules/team.yaml, org/base]\n")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got, want := setText(set), "team block project, base stop project"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if set.Rules[0].Source != "pack:./rules/team.yaml" || len(set.Packs) != 2 {
		t.Errorf("%s, %d packs", set.Rules[0].Source, len(set.Packs))
	}

	parts := set.Parts()
	open := func() *Compiled {
		c, err := OpenSet(func(n string) ([]byte, bool) { b, ok := parts[n]; return b, ok }, &Context{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if open().Stale() {
		t.Error("stale from the start")
	}
	if err := os.WriteFile(filepath.Join(top, "p/rules/team.yaml"), []byte("rules: [{id: team, never: z}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !open().Stale() {
		t.Error("a changed pack goes unnoticed")
	}

	entry, _ := LibraryEntry("no-force-push")
	for _, tt := range []struct{ text, says string }{
		{"use: [{no-force-push: {expect: \"" + entry.Digest + "\"}}]", ""},
		{"use: [{no-force-push: {expect: \"sha256:" + strings.Repeat("0", 64) + "\"}}]", "its digest is " + entry.Digest},
		{"use: [{no-force-push: {expect: md5}}]", "sha256: and 64 hexadecimal digits"},
		{"use: [org/none]", "in none of its places"},
		{"use: [./none.yaml]", "not there"},
	} {
		_, problems := load(tt.text)
		if (tt.says == "") != (len(problems) == 0) || !strings.Contains(problems.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.text, problems, tt.says)
		}
	}
}
