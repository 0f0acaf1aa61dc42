package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

// TestCurrent fails when the embedded data is not what the packs give.
func TestCurrent(t *testing.T) {
	index, data, paths, err := generate("../packs")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]byte{"packs.gen.idx": index, "packs.gen.json": data, "packs.gen.paths": paths} {
		got, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not current: run go generate ./shell", file)
		}
	}
}

// TestGenerateErrors names file and line of what is wrong in a pack.
func TestGenerateErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"unknown key", "a:\n  option: []\n", `a.yaml:2: spec of a: unknown key "option"`},
		{"no flags", "a:\n  options:\n    - {type: bool}\n", "a.yaml:3: an option needs flags"},
		{"twice", "a:\n  options: [{flags: [-x]}, {flags: [-x]}]\n", "a.yaml:2: flag -x of a is declared twice"},
		{"type", "a:\n  options: [{flags: [-x], type: text}]\n", `a.yaml:2: type: there is no "text"`},
		{"derive", "a:\n  derive: [magic]\n", `a.yaml:2: derive: there is no "magic"`},
		{"name twice", "a: {}\nb: {aliases: [a]}\n", `two specs have the name "a"`},
		{"not yaml", "a: [\n", "a.yaml: yaml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, _, _, err := generate(dir)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%q: got %v, want %q in it", tt.text, err, tt.want)
			}
		})
	}
}

// TestAnchors reads what packs share: an anchor, and a merge whose own keys win.
func TestAnchors(t *testing.T) {
	dir := t.TempDir()
	text := `x-shared: &common {options: [{flags: [-f, --force], type: bool}], positionals: [a]}
one: *common
two: {<<: *common, positionals: [b]}
`
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	index, data, paths, err := generate(dir)
	if err != nil {
		t.Fatal(err)
	}
	set := spec.NewSet(string(index), string(data), string(paths))
	for name, operand := range map[string]string{"one": "a", "two": "b"} {
		p := set.Parse([]spec.Word{{Text: name, Known: true}, {Text: "-f", Known: true}, {Text: "v", Known: true}})
		if p.Args["force"] != true || p.Args[operand] != "v" {
			t.Errorf("%s: %v", name, p.Args)
		}
	}
}
