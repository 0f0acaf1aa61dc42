package shell

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentltl/agentltl-hook/trace"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

// TestCommands reads testdata/<command>.txtar: lines in, calls and effects out.
// Every command of the packs has such a file, and every file such a command.
func TestCommands(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txtar")
		have = append(have, name)
		t.Run(name, func(t *testing.T) { runCommandFile(t, f) })
	}
	names := Bundled().Names()
	for _, n := range names {
		if !slices.Contains(have, n) {
			t.Errorf("%s has a spec and no testdata/%s.txtar", n, n)
		}
	}
	for _, n := range have {
		if !slices.Contains(names, n) {
			t.Errorf("testdata/%s.txtar is for a command without a spec", n)
		}
	}
}

func runCommandFile(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(ar.Files) != 2 || ar.Files[0].Name != "lines" || ar.Files[1].Name != "want" {
		t.Fatal("want the sections lines and want; with -update want may be empty")
	}
	lines := strings.Split(strings.TrimSuffix(string(ar.Files[0].Data), "\n"), "\n")
	if len(lines) < 2 {
		t.Error("at least two lines: plain use and flags")
	}
	var got strings.Builder
	name, named := strings.TrimSuffix(filepath.Base(file), ".txtar"), false
	for _, l := range lines {
		r := Translate(Request{Command: l, Dir: "/proj", Root: "/proj", Home: "/home/dev"})
		fmt.Fprintf(&got, "$ %s\n", l)
		for i := range r.Calls {
			writeCall(&got, &r.Calls[i])
			named = named || commandOf(r.Calls[i].Tool, name)
		}
		for _, u := range r.Unresolved {
			fmt.Fprintf(&got, "unresolved %s\n", u.Code)
		}
	}
	if !named {
		t.Errorf("no line gives a call of %s", name)
	}
	if *update {
		ar.Files[1].Data = []byte(got.String())
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(ar.Files[1].Data), got.String()); diff != "" {
		t.Errorf("-want +got (go test ./shell -run TestCommands -update rewrites it)\n%s", diff)
	}
}

// commandOf says whether a tool is one of a command's.
func commandOf(tool, command string) bool {
	c, ok := Bundled().Command(command)
	if !ok {
		return false
	}
	root := c.Tool
	if root == "" {
		root = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return '_'
		}, strings.ToLower(c.Name))
	}
	return tool == root || strings.HasPrefix(tool, root+"_")
}

// writeCall prints a call without the fields that have their zero value.
func writeCall(w *strings.Builder, c *trace.Call) {
	args := trace.Args{}
	for k, v := range c.Args {
		switch v := v.(type) {
		case bool:
			if !v {
				continue
			}
		case json.Number:
			if v == "0" {
				continue
			}
		case []any:
			if len(v) == 0 {
				continue
			}
		}
		args[k] = v
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(args); err != nil {
		w.WriteString(err.Error())
	}
	fmt.Fprintf(w, "%s %s", c.Tool, strings.TrimSuffix(b.String(), "\n"))
	if c.CLI != nil && c.CLI.Wrapper != "" {
		fmt.Fprintf(w, " by %s", c.CLI.Wrapper)
	}
	if c.CLI != nil && c.CLI.Remote != "" {
		fmt.Fprintf(w, " on another %s", c.CLI.Remote)
	}
	w.WriteString("\n")
	for _, f := range c.Forms {
		fmt.Fprintf(w, "  also %s\n", f.Tool)
	}
	for _, e := range c.Effects {
		fmt.Fprintf(w, "  %s %s %s", e.Certainty, e.Op, e.Target)
		if e.Recursive {
			w.WriteString(" and below")
		}
		w.WriteString("\n")
	}
}
