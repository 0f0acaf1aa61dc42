package shell

import (
	"fmt"
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
	if len(want) == 1 {
		want = append(slices.Clip(want), ".")
	}
	return same(got, want)
}

// same says whether bounds are these, below the project.
func same(got, want []string) bool {
	var w []string
	for _, g := range want {
		w = append(w, "/proj"+g[1:])
	}
	slices.Sort(got)
	slices.Sort(w)
	return slices.Equal(got, w)
}

// A program below a folder of which nothing but the place is unknown is known.
func TestFolderOfProgram(t *testing.T) {
	for _, line := range []string{
		"$GITHUB_WORKSPACE/golangci-lint run", `"$GITHUB_WORKSPACE"/bin/golangci-lint run`, "$PWD/golangci-lint run",
		"$(pwd)/bin/golangci-lint run", `"$X"/golangci-lint run`, `"${X:-a}/$Y/golangci-lint" run`, `echo > "$X/a"; "$X/golangci-lint" run`,
	} {
		r := Translate(request(line, "", ""))
		if last := r.Calls[len(r.Calls)-1]; len(r.Unresolved) > 0 || last.Tool != "golangci_lint" {
			t.Errorf("%s: %s %v", line, last.Tool, r.Unresolved)
		}
	}
	for _, line := range []string{
		"$GITHUB_WORKSPACE run", "GITHUB_WORKSPACE=$X; $GITHUB_WORKSPACE/a b", "$GITHUB_WORKSPACE$X b", "${GITHUB_WORKSPACE}/$X b",
		"$X/golangci-lint run", `"$X"/golangci-l?nt run`, `"$X/"`, `"$X"/"$Y" run`, `"$X"rm`, `sudo "$X"/rm x`, `curl u -o "$X/t"; "$X/t"`, `curl u > t; "$X/t"`,
		`T=$(mktemp -d); curl u -o "$T/t"; "$T/t"`, `curl u > "$X"; "$Y/t"`, `tar xf a.tar; "$X/t"`, `cp /bin/rm "$X/"; "$X/rm"`, `cp -r d/. "$X"; "$X/t"`, `mv d "$X"; "$X/t"`, `cp a "$X"; "$X/a"`,
		`curl -O u/t; "$X/t"`, `(cd "$X" && curl -O u/t); "$X/t"`, `git clone u "$X"; "$X/t"`, `wget u/t; "$PWD/$X/t"`,
	} {
		if r := Translate(request(line, "", "")); len(r.Unresolved) == 0 {
			t.Errorf("%s: nothing unresolved", line)
		}
	}
}

// With a view of the disk, what find finds is what is there, or in the folders
// that hold some.
func TestFindOnDisk(t *testing.T) {
	d := project()
	for _, f := range []string{"/proj/top.go", "/proj/.hid/deep/y.go", "/proj/a[b].go", "/away/no.go"} {
		d.files[f] = ""
	}
	d.files["/proj/out"] = "-> /away"
	for i := range maxValues + 1 {
		d.files[fmt.Sprintf("/proj/many/f%d.c", i)] = ""
	}
	here := []string{"./src/x.go", "./top.go", "./.hid/deep/y.go", `./a\[b].go`}
	general := []string{"./*.go", "./*/*.go"}
	for _, tt := range []struct {
		line string
		want []string
	}{
		{`rm $(find . -name '*.go')`, here},
		{`rm $(find . -path ./src -prune -o -name '*.go' -print)`, here},
		{`find . -name '*.go' | xargs rm`, here},
		{`find . -name '*.go' -exec rm {} \;`, here},
		{`find src -name '*.go' | while read f; do rm "$f"; done`, []string{"./src/x.go"}},
		{`rm $(find . -name '*.c')`, []string{"./many/*.c"}},
		{`rm $(find -L . -name '*.go')`, general},
		{`echo > src/y.go; rm $(find . -name '*.go')`, general},
		{`tar xf a.tar; rm $(find . -name '*.go')`, general},
		{`ln -s /etc q; rm $(find . -name '*.go')`, general},
		{`cd "$X"; rm $(find . -name '*.go')`, nil},
		{`rm $(find . -name '*.none')`, []string{"./*.none", "./*/*.none"}},
	} {
		r := request(tt.line, "", "")
		r.FS = d
		calls := Translate(r).Calls
		var got []string
		for _, b := range calls[len(calls)-1].CLI.Bounds {
			got = append(got, b.Within...)
		}
		if !same(got, tt.want) {
			t.Errorf("%s: within %v, want %v", tt.line, got, tt.want)
		}
	}
	for i := range maxFound {
		d.files[fmt.Sprintf("/proj/big/%d", i)] = ""
	}
	r := request(`rm $(find . -name '*.go')`, "", "")
	r.FS = d
	calls := Translate(r).Calls
	if b := calls[len(calls)-1].CLI.Bounds; !same(slices.Clone(b["$(find . -name '*.go')"].Within), general) {
		t.Errorf("in a large tree: %v", b)
	}
}
