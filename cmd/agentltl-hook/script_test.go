package main

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expectations of the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"agentltl-hook": main, "agentltl": main})
}

// TestScript runs testdata/script: the whole program, in processes of its own.
// A script has a fresh HOME and no variable of the person who runs the test.
//
//	exits N PROGRAM ARG...   runs it; the status must be N
//	jsoncmp stdout FILE      compares JSON; "<any>" in FILE matches any value, and
//	                         an object with the key "..." may have other keys too
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   scriptExits,
			"jsoncmp": scriptJSONCmp,
		},
	})
}

// TestEveryCommandHasScript: the script of command x is x.txtar or x-*.txtar.
func TestEveryCommandHasScript(t *testing.T) {
	for _, c := range commands() {
		one, _ := filepath.Glob("testdata/script/" + c.name + ".txtar")
		more, _ := filepath.Glob("testdata/script/" + c.name + "-*.txtar")
		if len(one)+len(more) == 0 {
			t.Errorf("command %s has no script testdata/script/%s.txtar", c.name, c.name)
		}
	}
}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%s: %v", strings.Join(args[1:], " "), err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s exits %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

func scriptJSONCmp(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: jsoncmp FILE WANT")
	}
	got, want := decodeJSON(ts, args[0]), decodeJSON(ts, args[1])
	if diff := cmp.Diff(want, jsonLike(got, want)); diff != "" {
		ts.Fatalf("%s (+) is not %s (-):\n%s", args[0], args[1], diff)
	}
}

func decodeJSON(ts *testscript.TestScript, file string) any {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		ts.Fatalf("%s: %v", file, err)
	}
	if dec.More() {
		ts.Fatalf("%s: more than one document", file)
	}
	return v
}

// jsonLike returns got with what want leaves open replaced by want's words.
func jsonLike(got, want any) any {
	switch w := want.(type) {
	case string:
		if w == "<any>" {
			return w
		}
	case []any:
		if g, ok := got.([]any); ok {
			out := make([]any, len(g))
			for i := range g {
				out[i] = g[i]
				if i < len(w) {
					out[i] = jsonLike(g[i], w[i])
				}
			}
			return out
		}
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			return jsonObjectLike(g, w)
		}
	}
	return got
}

func jsonObjectLike(got, want map[string]any) any {
	open, isOpen := want["..."]
	out := map[string]any{}
	for k, v := range got {
		if w, ok := want[k]; ok {
			out[k] = jsonLike(v, w)
		} else if !isOpen {
			out[k] = v
		}
	}
	if isOpen {
		out["..."] = open
	}
	return out
}
