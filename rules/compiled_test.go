package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentltl/agentltl-hook/trace"
)

// ruleFiles are all rule files of the recorded cases that load, and the
// packaged entries.
func ruleFiles(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{"five": fiveRules, "many": manyRules(40)}
	paths, err := filepath.Glob("../testdata/vectors/rules/*/*.yaml")
	if err != nil || len(paths) < 100 {
		t.Fatalf("vectors: %d, %v", len(paths), err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = string(b)
	}
	for _, e := range Library() {
		out["library:"+e.ID] = "use: [" + e.ID + "]\n"
	}
	golden, err := filepath.Glob("testdata/kinds/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range golden {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(b), "-- AGENTLTL.yaml --\n")
		text, _, _ = strings.Cut(text, "-- steps --")
		out[path] = text
	}
	return out
}

// TestCompiledSet: a set read back from its parts says what the loaded one says.
func TestCompiledSet(t *testing.T) {
	ctx := &Context{Root: "/p", Home: "/h", Tmp: "/tmp"}
	compared := 0
	for name, text := range ruleFiles(t) {
		set, problems := Load([]File{{Layer: ProjectFile, Path: "/p/AGENTLTL.yaml", Text: []byte(text)}}, LoadOptions{Context: ctx})
		if len(problems) > 0 {
			continue
		}
		parts := set.Parts()
		c, err := OpenSet(func(n string) ([]byte, bool) { b, ok := parts[n]; return b, ok }, ctx)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(set.Settings, *c.Settings()); diff != "" {
			t.Errorf("%s: settings: %s", name, diff)
		}
		all, err := c.All()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, r := range all {
			compared++
			if diff := cmp.Diff(ruleFacts(&set.Rules[i]), ruleFacts(r)); diff != "" {
				t.Errorf("%s: rule %d: %s", name, i, diff)
			}
		}
		compareReacting(t, name, set, c)
	}
	if compared < 300 {
		t.Errorf("only %d rules compared", compared)
	}
}

// ruleFacts is all of a rule that can be compared.
func ruleFacts(r *Rule) map[string]any {
	m := map[string]any{
		"id": r.ID, "kind": r.Kind, "why": r.Why, "fix": r.Fix, "summary": r.Summary, "mode": r.Mode, "scope": r.Scope, "finally": r.Finally,
		"maybe": r.Maybe, "layer": r.Layer, "source": r.Source, "from": r.From, "review": r.ReviewBy, "shadow": r.Shadow, "locked": r.Locked,
		"limit": r.Limit, "tools": fmt.Sprint(r.Tools), "always": r.Always, "retries": r.Retries, "pos": r.Pos, "digest": r.Digest, "exists": r.Exists,
		"reserves": r.Reserves != nil, "excepts": len(r.Except),
	}
	if r.Formula != nil {
		m["formula"] = r.Formula.String()
	}
	if r.Contract != nil {
		m["contract"] = r.Contract.Key()
	}
	if r.When != nil {
		m["when"] = r.When.String()
	}
	return m
}

// compareReacting: the index finds the rules that a scan finds, and no rule that
// matches a call is missed.
func compareReacting(t *testing.T, name string, set *Set, c *Compiled) {
	t.Helper()
	for _, call := range []trace.Call{
		{Tool: "git_push", Args: trace.Args{"force": true}},
		{Tool: "rm", Args: trace.Args{"paths": []any{"/p/x"}}, Effects: []trace.Effect{{Op: "delete", Target: "/p/x", Certainty: "sure"}}},
		{Tool: "echo", Args: trace.Args{"redirect_to": []any{"/p/a"}, "overwrite_to": []any{"/p/a"}}, Effects: []trace.Effect{{Op: "write", Target: "/p/a", Certainty: "sure"}}},
		{Tool: "Edit", Args: trace.Args{"file_path": "/p/a.go"}},
		{Tool: "mcp__a__b"},
		{Tool: "kubectl_get"},
		{Tool: "Agent"},
		{Tool: "npm_install", Forms: []trace.Form{{Tool: "npm", Args: trace.Args{"argv": []any{"install"}}}}},
	} {
		got, err := c.Reacting(CallNames([]trace.Call{call}))
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, r := range got {
			ids[r.ID] = true
		}
		for i := range set.Rules {
			r := &set.Rules[i]
			b := build(&set.defs[i], &Context{Root: "/p"})
			touched := slices.ContainsFunc(b.targets, func(x *target) bool { return x.match(&call, nil) != trace.No })
			if touched && !ids[r.ID] {
				t.Errorf("%s: rule %s matches %s and is not found", name, r.ID, call.Tool)
			}
			named := r.Always || slices.ContainsFunc(r.Tools, func(n string) bool { return callHasTool(&call, n) })
			if ids[r.ID] && !named {
				t.Errorf("%s: rule %s is found for %s and cannot react", name, r.ID, call.Tool)
			}
		}
	}
}

// TestCompiledDamaged: parts that are cut or changed are errors, never a panic.
func TestCompiledDamaged(t *testing.T) {
	parts := loadText(t, fiveRules).Parts()
	for name, whole := range parts {
		for cut := range len(whole) {
			part := func(n string) ([]byte, bool) {
				if n == name {
					return whole[:cut], true
				}
				b, ok := parts[n]
				return b, ok
			}
			c, err := OpenSet(part, &Context{})
			if err != nil {
				continue
			}
			_, _ = c.All()
			_, _ = c.Listed()
			_, _ = c.Reacting([]string{"git_push", "Edit"})
		}
	}
	if _, err := OpenSet(func(string) ([]byte, bool) { return nil, false }, &Context{}); err == nil {
		t.Error("a set without parts opens")
	}
}

// TestDigest: a digest covers what evaluation depends on and nothing else.
func TestDigest(t *testing.T) {
	digest := func(rule string) [32]byte { return loadText(t, "rules: ["+rule+"]").Rules[0].Digest }
	base := digest("{id: a, never: {tool: x, with: {f: 1}}}")
	for _, same := range []string{
		"{id: b, never: {tool: [x], with: {f: 1}}, mode: log, why: w, fix: f, maybe: note, shadow: true, group: g, review_by: 2030-01-01}",
		"{id: a, never: x, with: {f: 1}, except: [{call: x, until: 2030-01-01, reason: r}]}",
	} {
		if digest(same) != base {
			t.Errorf("the digest differs: %s", same)
		}
	}
	for _, other := range []string{
		"{id: a, never: {tool: x, with: {f: 2}}}", "{id: a, never: {tool: x, with: {f: 1}}, scope: project}",
		"{id: a, never: {tool: x, with: {f: 1}}, when: 'harness == \"codex\"'}", "{id: a, at_most: {call: {tool: x, with: {f: 1}}, times: 0}}",
	} {
		if digest(other) == base {
			t.Errorf("the digest is the same: %s", other)
		}
	}
}

// TestLastGood: the resolved form of a layer stands in for its broken files, and
// only for that layer's.
func TestLastGood(t *testing.T) {
	kept := map[string][][]byte{}
	load := func(user, project string) (*Set, Problems) {
		set, problems := Load([]File{
			{Layer: User, Path: "/h/AGENTLTL.yaml", Text: []byte(user)}, {Layer: ProjectFile, Path: "/p/AGENTLTL.yaml", Text: []byte(project)},
		}, LoadOptions{LastGood: func(key string) [][]byte { return kept[key] }, Context: &Context{Root: "/p"}})
		for key, b := range set.Resolved() {
			kept[key] = append([][]byte{b}, kept[key]...)
		}
		return set, problems
	}
	const good = "use: [no-force-push]\nsettings: {report: 7}\ntools: {dbtool: {options: [{flags: [-e], dest: env}]}}\nrules: [{id: p, never: {tool: dbtool, with: {env: prod}}, mode: ask}]\n"
	first, problems := load("rules: [{id: u, never: x}]", good)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	broken, problems := load("rules: [{id: u2, never: x}]", "rules: [{id: p, nevr: x}]")
	if len(problems) != 1 || len(broken.Broken) != 1 || broken.Broken[0].Layer != ProjectFile || !broken.Broken[0].LastGood {
		t.Fatalf("%v %+v", problems, broken.Broken)
	}
	if got, want := setText(broken), "u2 block user, no-force-push block project, p ask project"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if broken.Settings.Report != 7 || first.Rules[1].Digest != broken.Rules[1].Digest || first.Rules[2].Digest != broken.Rules[2].Digest {
		t.Error("the last good set is not what loaded")
	}
	if _, ok := broken.Specs.Command("dbtool"); !ok {
		t.Error("the spec is lost")
	}

	// None known: what did load applies, and the layer is named.
	kept = map[string][][]byte{}
	alone, _ := load("rules: [{id: u, never: x}]", "rules: [{id: p, nevr: x}]")
	if len(alone.Broken) != 1 || alone.Broken[0].LastGood || setText(alone) != "u block user" {
		t.Errorf("%+v %s", alone.Broken, setText(alone))
	}

	// A form that this program cannot read is passed over for an older one.
	kept = map[string][][]byte{}
	if _, problems := load("", good); len(problems) > 0 {
		t.Fatal(problems)
	}
	kept["project:/p/AGENTLTL.yaml"] = append([][]byte{[]byte(`[{"rules":[{"kind":"from_the_future"}]}]`), []byte("junk")}, kept["project:/p/AGENTLTL.yaml"]...)
	older, _ := load("", "x")
	if got, want := setText(older), "no-force-push block project, p ask project"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
