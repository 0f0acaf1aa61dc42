package rules

import (
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/trace"
)

// FuzzLoad reads any text as a rule file. Whatever it is: no panic, problems
// with places in the file, and a set that its own parts and its resolved form
// bring back.
func FuzzLoad(f *testing.F) {
	for _, text := range ruleFiles(f) {
		f.Add(text)
	}
	f.Add("rules: [{id: a, never: {tool: x, where: {p: '[!'}}}]")
	f.Add("{\"rules\": [{\"id\": \"\\ud83d\\ude00\", \"never\": \"x\"}]}")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 8<<10 {
			t.Skip()
		}
		file := File{Layer: ProjectFile, Path: "/p/AGENTLTL.yaml", Text: []byte(text)}
		ctx := &Context{Root: "/p", Home: "/h"}
		set, problems := Load([]File{file}, LoadOptions{Context: ctx})
		lines := strings.Count(text, "\n") + 1
		for _, p := range problems {
			if p.Pos.Line < 0 || p.Pos.Line > lines || p.Msg == "" {
				t.Fatalf("%q: problem %+v", text, p)
			}
		}
		if len(problems) > 0 {
			return
		}
		parts := set.Parts()
		c, err := OpenSet(func(n string) ([]byte, bool) { b, ok := parts[n]; return b, ok }, ctx)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		all, err := c.All()
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		resolved := set.Resolved()
		again, _ := Load([]File{{Layer: ProjectFile, Path: file.Path, Text: []byte("no mapping")}}, LoadOptions{Context: ctx, LastGood: func(key string) [][]byte {
			return [][]byte{resolved[key]}
		}})
		if len(again.Rules) != len(all) {
			t.Fatalf("%q: %d rules, %d of the last good set", text, len(all), len(again.Rules))
		}
		for i, r := range all {
			if r.Digest != set.Rules[i].Digest || again.Rules[i].Digest != r.Digest {
				t.Fatalf("%q: rule %s comes back otherwise", text, r.ID)
			}
		}
	})
}

// FuzzTarget reads any JSON as a target: no panic, its key is a target of the
// same key, and it answers for any call.
func FuzzTarget(f *testing.F) {
	f.Add(`{"tool": "rm", "where": {"paths": ["db/*"]}}`, `{"paths": ["/p/db/x", "$X"]}`)
	f.Add(`[{"tool": "*", "not": {"tool": "echo"}, "with": {"a.b": "$v"}}, "x"]`, `{"a": {"b": [1, null, "y"]}}`)
	f.Add(`{"effect": "delete", "outside": ["${root}"], "matches": "(a|b)+"}`, `{"command": "a"}`)
	f.Fuzz(func(t *testing.T, text, args string) {
		if len(text)+len(args) > 8<<10 {
			t.Skip()
		}
		v, err := trace.DecodeJSON([]byte(text))
		if err != nil {
			t.Skip()
		}
		ctx := &Context{Root: "/p", Home: "/h", Tmp: "/tmp"}
		r := targetReader{ctx: ctx}
		x := r.target(v)
		if len(r.problems) > 0 {
			return
		}
		w, err := trace.DecodeJSON([]byte(x.key()))
		if err != nil {
			t.Fatalf("%s: key %s: %v", text, x.key(), err)
		}
		again := targetReader{ctx: ctx}
		if y := again.target(w); len(again.problems) > 0 || y.key() != x.key() {
			t.Fatalf("%s: key %s reads as %s, %v", text, x.key(), y.key(), again.problems)
		}
		a, err := trace.DecodeJSON([]byte(args))
		m, ok := a.(map[string]any)
		if err != nil || !ok {
			return
		}
		for _, c := range []trace.Call{
			{Tool: "rm", Args: m, Dir: "/p"},
			{Tool: "rm", Args: m, Dir: "/p", CLI: &trace.CLI{DynamicArgs: []string{"$X"}, UnknownPaths: []string{"paths"}, UnknownArgs: true, Remote: "host"}, Effects: []trace.Effect{{Op: "delete", Target: "/p/x", Recursive: true}}},
		} {
			got := x.match(&c, nil)
			certain := c
			certain.Outcome = &trace.Outcome{Maybe: true}
			if x.ran(&certain, nil) > trace.Maybe {
				t.Fatalf("%s: a call that may not have run matches for certain", text)
			}
			_, _ = got, x.words()
			_ = x.broken(&c, false)
		}
	})
}
