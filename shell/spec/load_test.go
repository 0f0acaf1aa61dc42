package spec_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/shell/spec"
)

// TestLoadProblems: all problems are reported, with what is wrong.
func TestLoadProblems(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"not a mapping", `5`, "spec of x: a mapping is wanted"},
		{"options no list", `{"options": 5}`, "options: a list is wanted"},
		{"option no mapping", `{"options": ["-f"]}`, "option: a mapping is wanted"},
		{"unknown key", `{"opts": []}`, `unknown key "opts"`},
		{"unknown option key", `{"options": [{"flags": ["-f"], "kind": "bool"}]}`, `unknown key "kind"`},
		{"no flags", `{"options": [{"dest": "x"}]}`, "an option needs flags"},
		{"bad flag", `{"options": [{"flags": ["force"]}]}`, `flag "force"`},
		{"bad type", `{"options": [{"flags": ["-f"], "type": "flag"}]}`, `type: there is no "flag"`},
		{"bad role", `{"options": [{"flags": ["-f"], "role": "magic"}]}`, `role: there is no "magic"`},
		{"flag twice", `{"options": [{"flags": ["-f"]}, {"flags": ["-f", "--x"]}]}`, "flag -f of x is declared twice"},
		{"operand twice", `{"positionals": ["a", "a"]}`, "operand a of x is declared twice"},
		{"nargs", `{"positionals": [{"name": "a", "nargs": 3}]}`, "nargs: one, ?, * or +"},
		{"operand without a name", `{"positionals": [{"nargs": "*"}]}`, "an operand needs a name"},
		{"boolean", `{"posix": "maybe"}`, "posix: true or false is wanted"},
		{"derive", `{"derive": ["x"]}`, `derive: there is no "x"`},
		{"run", `{"run": {"kind": "argv"}}`, "run needs from"},
		{"run kind", `{"run": {"from": "a", "kind": "shell"}}`, `kind: there is no "shell"`},
		{"effect", `{"effects": {"eat": ["a"]}}`, `unknown key "eat"`},
		{"example", `{"examples": [{"line": "x"}]}`, "an example needs line and tool"},
		{"example in a subcommand", `{"subcommands": {"y": {"examples": []}}}`, `unknown key "examples"`},
		{"like in a subcommand", `{"subcommands": {"y": {"like": "z"}}}`, `unknown key "like"`},
	} {
		_, problems := spec.Load("x", nodeOf(t, []byte(tt.text)))
		if !slices.ContainsFunc(problems, func(p spec.Problem) bool { return strings.Contains(p.Msg, tt.want) && p.Line == 1 }) {
			t.Errorf("%s: %s gives %v, want %q", tt.name, tt.text, problems, tt.want)
		}
	}
	_, problems := spec.Load("x", nodeOf(t, []byte(`{"a": 1, "options": 5, "posix": "x"}`)))
	if len(problems) != 3 {
		t.Errorf("three problems, %d reported: %v", len(problems), problems)
	}
}

// TestExtend: a spec of a rule file adds to the bundled one, or replaces it, and
// survives being kept as JSON.
func TestExtend(t *testing.T) {
	with := func(text string) *spec.Set {
		var doc map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		var cmds []*spec.Command
		for name, raw := range doc {
			c, problems := spec.Load(name, nodeOf(t, raw))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			b, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			kept := &spec.Command{}
			if err := json.Unmarshal(b, kept); err != nil {
				t.Fatal(err)
			}
			cmds = append(cmds, kept)
		}
		return shell.Bundled().With(cmds)
	}
	for _, tt := range []struct{ name, spec, line, tool, args string }{
		{
			"an option more", `{"rm": {"options": [{"flags": ["--trash"], "type": "bool"}]}}`,
			"rm -r --trash a", "rm", `{"recursive":true,"trash":true,"paths":["a"]}`,
		},
		{
			"an option instead", `{"rm": {"options": [{"flags": ["-r"], "dest": "reverse", "type": "bool"}]}}`,
			"rm -r a", "rm", `{"reverse":true,"paths":["a"]}`,
		},
		{
			"a subcommand more", `{"git": {"subcommands": {"ship": {"positionals": ["where"]}}}}`,
			"git ship prod", "git_ship", `{"where":"prod"}`,
		},
		{
			"other subcommands stay", `{"git": {"subcommands": {"ship": {}}}}`,
			"git push -f", "git_push", `{"force":true,"branches_unknown":true}`,
		},
		{
			"an option of a subcommand", `{"git": {"subcommands": {"push": {"options": [{"flags": ["--really"], "type": "bool"}]}}}}`,
			"git push --really -f", "git_push", `{"force":true,"really":true,"branches_unknown":true}`,
		},
		{
			"by an alias of the bundled one", `{"python3": {"options": [{"flags": ["--fast"], "type": "bool"}]}}`,
			"python --fast x.py", "python", `{"fast":true,"script":"x.py"}`,
		},
		{
			"replaced", `{"kubectl": {"extend": false, "subcommands": {"rollout": {}}}}`,
			"kubectl get pods", "kubectl_get", `{"argv":["get","pods"]}`,
		},
		{
			"a key switched off", `{"docker": {"subcommands": {"run": {"posix": false}}}}`,
			"docker run a --rm", "docker_run", `{"image":"a","rm":true}`,
		},
		{
			"a wrapper", `{"mywrap": {"run": {"from": "argv", "kind": "argv"}}}`,
			"mywrap rm x", "mywrap", `{"argv":["rm","x"]}`,
		},
		{
			"like another", `{"k8s": {"like": "kubectl"}}`,
			"k8s delete pod x", "k8s_delete", `{"resource":"pod","names":["x"]}`,
		},
	} {
		p := with(tt.spec).Parse(words(tt.line))
		if p.Tool != tt.tool {
			t.Errorf("%s: tool %s, want %s", tt.name, p.Tool, tt.tool)
		}
		if diff := cmp.Diff(decode(t, tt.args), nonZero(t, p)); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
	p := with(`{"mywrap": {"run": {"from": "argv", "kind": "argv"}}}`).Parse(words("mywrap rm x"))
	if len(p.Run) != 1 || len(p.Run[0].Words) != 2 || p.Run[0].Words[0].Text != "rm" || p.Run[0].Wrapper != "mywrap" {
		t.Errorf("mywrap runs %v", p.Run)
	}
}

// TestTools lists what rules can name.
func TestTools(t *testing.T) {
	s := shell.Bundled()
	tools := s.Tools()
	if len(tools) < 1000 || !slices.IsSortedFunc(tools, func(a, b spec.Tool) int { return strings.Compare(a.Name, b.Name) }) {
		t.Fatalf("%d tools, sorted by name", len(tools))
	}
	push, known, _ := s.Tool("git_push")
	if !known || push.Command != "git push" {
		t.Fatalf("git_push: %v %v", push, known)
	}
	types := map[string]string{}
	for _, p := range push.Params {
		types[p.Name] = p.Type
	}
	for name, want := range map[string]string{"force": "bool", "remote": "text", "refspecs": "list", "branches": "list", "cwd": "text", "force_with_lease_value": "text"} {
		if types[name] != want {
			t.Errorf("git_push %s is %q, want %q", name, types[name], want)
		}
	}
	if _, known, parent := s.Tool("git_frobnicate"); known || parent != "git" {
		t.Errorf("git_frobnicate: known %v, parent %q", known, parent)
	}
	if _, known, parent := s.Tool("nonesuch"); known || parent != "" {
		t.Errorf("nonesuch: known %v, parent %q", known, parent)
	}
	for _, name := range []string{"docker_rmi", "podman_rmi", "tofu_apply", "7z_x", "gcloud_projects_delete"} {
		if _, known, _ := s.Tool(name); !known {
			t.Errorf("%s is not known", name)
		}
	}
}

// TestPathField: fields that hold paths though their names do not say so, of
// bundled specs and of a rule file's own.
func TestPathField(t *testing.T) {
	s := shell.Bundled()
	for _, tt := range []struct {
		tool, field string
		want        bool
	}{
		{"python", "script", true},
		{"ln", "target_dir", true},
		{"git_push", "work_tree", true}, // of git itself
		{"git_push", "remote", false},
		{"kubectl_get", "output", false},
		{"nonesuch", "script", false},
	} {
		if got := s.PathField(tt.tool, tt.field); got != tt.want {
			t.Errorf("%s %s: %v, want %v", tt.tool, tt.field, got, tt.want)
		}
	}
	c, problems := spec.Load("ship", nodeOf(t, []byte(`{"options": [{"flags": ["--plan"], "path": true}], "subcommands": {"it": {}}}`)))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	own := s.With([]*spec.Command{c})
	if !own.PathField("ship", "plan") || !own.PathField("ship_it", "plan") || own.PathField("ship", "plans") || !own.PathField("python", "script") {
		t.Error("a rule file's own path field is not one, or hides the bundled ones")
	}
}

// TestOpenFlags: words that begin with "-" and end in something unknown.
func TestOpenFlags(t *testing.T) {
	open := func(text string) spec.Word { return spec.Word{Text: text, Open: true} }
	parse := func(ws ...spec.Word) spec.Parsed { return shell.Bundled().Parse(ws) }
	known := func(text string) spec.Word { return spec.Word{Text: text, Known: true} }
	p := parse(known("rm"), open("-r$F"), known("x"))
	if p.Args["recursive"] != true || p.Args["force"] != false || !p.UnknownArgs || !cmp.Equal(p.Args["paths"], []any{"x"}) {
		t.Errorf("rm -r$F x: %v", p.Args)
	}
	p = parse(known("curl"), open("--output=$F"), known("https://a.example"))
	if p.Args["output"] != "$F" || p.UnknownArgs {
		t.Errorf("curl --output=$F: %v, unknown args %v", p.Args, p.UnknownArgs)
	}
	p = parse(known("curl"), open("-so$F"))
	if p.Args["output"] != "$F" || p.Args["silent"] != true {
		t.Errorf("curl -so$F: %v", p.Args)
	}
	p = parse(known("grep"), known("-q"), open("$X"))
	if len(p.Effects) != 1 || p.Effects[0].Op != "read" || !p.Effects[0].Maybe {
		t.Errorf("grep only reads, whatever $X is: %v", p.Effects)
	}
}
