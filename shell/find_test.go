package shell

import (
	"slices"
	"testing"
)

// What the files that find writes can be: -name in front of the action counts,
// and only the ways that come to one.
func TestFindNames(t *testing.T) {
	all := []string{"./*"}
	golang := []string{"./*.go", "./*/*.go"}
	for _, tt := range []struct {
		find string
		want []string
	}{
		{`find . -name '*.go'`, golang},
		{`find . -type f -name '*.go' -print0`, golang},
		{`find . -path ./vendor -prune -o -name '*.go' -print`, golang},
		{`find . \( -path ./vendor -o -name x \) -prune -o -name '*.go' -print`, golang},
		{`find . -path -prune -o -name '*.go' -print`, golang},
		{`find . -name '*.go' -newer "$X" -print`, golang},
		{`find . -name '*.go' ! -name '*_test.go'`, golang},
		{`find . -name '*.go' -o -name '*.c'`, append(slices.Clone(golang), "./*.c", "./*/*.c")},
		{`find . -path ./vendor -prune -o -name '*.go'`, all},
		{`find . -print -name '*.go'`, all},
		{`find . ! -name '*.go'`, all},
		{`find . -not -name '*.go' -print`, all},
		{`find . -name '*.go' , -name x -print`, all},
		{`find . -name '*.go' -print -o -print`, all},
		{`find . -name '*.go' $X -print`, all},
		{`find . \( -name '*.go' -o -print \)`, all},
		{`find . -iname '*.go'`, all},
		{`find . -files0-from list -name '*.go'`, nil},
		{`find "$X" -name '*.go'`, nil},
		{`find . -name '*.go' -printf '%f'`, nil},
	} {
		r := Translate(request("rm $("+tt.find+")", "", ""))
		c := r.Calls[len(r.Calls)-1]
		var got []string
		for _, b := range c.CLI.Bounds {
			got = append(got, b.Within...)
			if len(b.Exact) > 0 {
				t.Errorf("%s: exactly %v", tt.find, b.Exact)
			}
		}
		if c.Tool != "rm" || !covers(got, tt.want) {
			t.Errorf("%s: %s within %v, want %v", tt.find, c.Tool, got, tt.want)
		}
	}
}

// covers says whether bounds are what is wanted, below the project.
func covers(got, want []string) bool {
	var w []string
	for _, g := range want {
		w = append(w, "/proj"+g[1:])
	}
	if len(want) == 1 {
		w = append(w, "/proj")
	}
	slices.Sort(got)
	slices.Sort(w)
	return slices.Equal(got, w)
}

// A program below a folder of which nothing but the place is unknown is known.
func TestFolderOfProgram(t *testing.T) {
	for _, line := range []string{
		"$GITHUB_WORKSPACE/golangci-lint run", `"$GITHUB_WORKSPACE"/bin/golangci-lint run`, "$PWD/golangci-lint run",
		"$(pwd)/bin/golangci-lint run",
	} {
		r := Translate(request(line, "", ""))
		if last := r.Calls[len(r.Calls)-1]; len(r.Unresolved) > 0 || last.Tool != "golangci_lint" {
			t.Errorf("%s: %s %v", line, last.Tool, r.Unresolved)
		}
	}
	for _, line := range []string{"$GITHUB_WORKSPACE run", "GITHUB_WORKSPACE=$X; $GITHUB_WORKSPACE/a b", "$GITHUB_WORKSPACE$X b", "${GITHUB_WORKSPACE}/$X b"} {
		if r := Translate(request(line, "", "")); len(r.Unresolved) == 0 {
			t.Errorf("%s: nothing unresolved", line)
		}
	}
}
