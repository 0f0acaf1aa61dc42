package spec_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path"
	"reflect"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/shell/spec"
)

// TestVectors gives the words of every recorded line that is one plain command
// to the bundled specs. The whole lines run in package shell.
func TestVectors(t *testing.T) {
	for _, file := range []string{"shell.jsonl", "shell-beyond.jsonl"} {
		run(t, file)
	}
}

type call struct {
	Tool string
	Args map[string]any
	CLI  map[string]any
}

func run(t *testing.T, file string) {
	f, err := os.Open("../../testdata/vectors/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	n, bad := 0, 0
	for sc.Scan() {
		var v struct {
			ID, Command, Cwd, Cat string
			Expect                struct{ Calls []call }
		}
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		words := plainWords(v.Command)
		if words == nil || len(v.Expect.Calls) == 0 {
			continue
		}
		n++
		cwd := v.Cwd
		if cwd == "" {
			cwd = "/proj"
		}
		p := shell.Bundled().Parse(words)
		args := absolute(p, cwd)
		want := v.Expect.Calls[0]
		ok := match(p.Tool, args, want)
		for _, fm := range p.NamedForms(args) {
			ok = ok || match(fm.Tool, fm.Args, want)
		}
		if _, has := want.CLI["spec_matched"]; ok && file == "shell.jsonl" && has == p.Matched && len(p.Forms) == 0 {
			ok = false
		}
		if file != "shell.jsonl" && p.Tool != want.Tool {
			ok = false
		}
		if !ok {
			bad++
			a, _ := json.Marshal(args)
			b, _ := json.Marshal(want.Args)
			t.Errorf("%s %s\n got %s %s %v\nwant %s %s %v %v", v.ID, v.Command, p.Tool, a, p.Matched, want.Tool, b, want.CLI, p.Forms)
		}
	}
	t.Logf("%s: %d lines, %d differ", file, n, bad)
	if n < 200 {
		t.Errorf("%s: only %d lines are one plain command", file, n)
	}
}

func match(tool string, args map[string]any, want call) bool {
	if tool != want.Tool {
		return false
	}
	for k, w := range want.Args {
		if strings.HasPrefix(k, "redirect_") || k == "overwrite_to" || k == "unknown_paths" {
			continue
		}
		g, ok := args[k]
		if !ok {
			return false
		}
		gb, _ := json.Marshal(g)
		var gv any
		json.Unmarshal(gb, &gv)
		if !reflect.DeepEqual(gv, w) {
			return false
		}
	}
	return true
}

func absolute(p spec.Parsed, cwd string) map[string]any {
	out := map[string]any{}
	base := cwd
	for _, r := range p.Roles {
		if r.Role == "cwd" {
			base = abs(base, r.Value.Text)
		}
	}
	maps.Copy(out, p.Args)
	for _, f := range p.Fields {
		if !f.Path {
			continue
		}
		b := base
		if f.Start {
			b = cwd
		}
		var vals []any
		for _, v := range f.From {
			if v.Plain {
				vals = append(vals, v.Text)
			} else {
				vals = append(vals, abs(b, v.Text))
			}
		}
		if _, list := out[f.Name].([]any); list {
			if vals == nil {
				vals = []any{}
			}
			out[f.Name] = vals
		} else if len(vals) > 0 {
			out[f.Name] = vals[0]
		}
	}
	return out
}

func abs(cwd, p string) string {
	if p == "" || p[0] == '-' || strings.Contains(p, "://") {
		return p
	}
	if path.IsAbs(p) {
		return path.Clean(p)
	}
	return path.Join(cwd, p)
}

// plainWords splits a line that holds one command of literal words.
func plainWords(line string) []spec.Word {
	f, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil || len(f.Stmts) != 1 || f.Stmts[0].Background || f.Stmts[0].Negated || strings.ContainsAny(line, "$`") || strings.Contains(line, "(") && strings.ContainsAny(line, "<>") {
		return nil
	}
	c, ok := f.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Assigns) > 0 {
		return nil
	}
	var out []spec.Word
	for _, w := range c.Args {
		text, ok := literal(w)
		if !ok {
			return nil
		}
		out = append(out, spec.Word{Text: text, Known: true})
	}
	return out
}

func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[~{") {
				return "", false
			}
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				l, ok := q.(*syntax.Lit)
				if !ok || strings.Contains(l.Value, `\`) {
					return "", false
				}
				b.WriteString(l.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}
