package hooks

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatementIDIgnoresMarkup(t *testing.T) {
	want := StatementID("Never force push to main")
	for _, s := range []string{"**Never** force  push to `main`", "> never force push to main", "| Never force push | to main |", "NEVER FORCE PUSH\nTO MAIN"} {
		if got := StatementID(s); got != want {
			t.Errorf("StatementID(%q) = %s, want %s", s, got, want)
		}
	}
	if StatementID("Never force push") == want {
		t.Error("another text has the same id")
	}
}

func TestStatements(t *testing.T) {
	text := `---
name: x
---
# Project

We build a web shop in Go.

## Git

- **Never** force push: ` + "`git push --force`" + `
- When releasing:
  - run ` + "`make test`" + ` first
    and wait for it
- The branch is called main.

Run this before a commit:

` + "```sh\nmake lint\nmake fmt\n```" + `

| command | use |
|---|---|
| npm run build | never by hand |

1. Ask before installing packages.

<!-- not a statement:
never do this -->
`
	type row struct {
		Line             int
		Text, Section    string
		Context          string
		Code             []string
		Modality         string
		Emphasis, Candid bool
	}
	var got []row
	for _, s := range Statements("CLAUDE.md", text, false) {
		got = append(got, row{s.Line, s.Text, s.Section, s.Context, s.Code, s.Modality, s.Emphasis, s.Candidate})
	}
	want := []row{
		{6, "We build a web shop in Go.", "Project", "", nil, "", false, false},
		{10, "**Never** force push: `git push --force`", "Project > Git", "", []string{"git push --force"}, "never", true, true},
		{12, "run `make test` first and wait for it", "Project > Git", "When releasing:", []string{"make test"}, "before", false, true},
		{14, "The branch is called main.", "Project > Git", "", nil, "", false, false},
		{16, "Run this before a commit:", "Project > Git", "", []string{"make lint\nmake fmt"}, "before", false, true},
		{25, "npm run build | never by hand", "Project > Git", "", nil, "never", false, true},
		{27, "Ask before installing packages.", "Project > Git", "", nil, "before", false, true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestWholeFileStatement(t *testing.T) {
	got := Statements("memory/deploy.md", "---\nname: d\n---\nAlways deploy to staging first.\n\nThen look.", true)
	if len(got) != 1 || got[0].Text != "Always deploy to staging first.\n\nThen look." || !got[0].Candidate {
		t.Errorf("got %+v", got)
	}
}
