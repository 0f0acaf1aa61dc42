package spec_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/shell/spec"
)

func words(line string) []spec.Word {
	var out []spec.Word
	for f := range strings.FieldsSeq(line) {
		w := spec.Word{Text: strings.Trim(f, "'"), Known: true}
		if strings.HasPrefix(f, "$") {
			w = spec.Word{Text: f, Split: true, Open: true}
		}
		out = append(out, w)
	}
	return out
}

// set holds a few commands that show one reading each.
func set(t *testing.T, text string) *spec.Set {
	t.Helper()
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
		cmds = append(cmds, c)
	}
	return spec.NewSet("", "", "").With(cmds)
}

// nodeOf makes a node of JSON, which is enough YAML for tests.
func nodeOf(t *testing.T, raw []byte) spec.Node {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	return readNode(t, dec)
}

func readNode(t *testing.T, dec *json.Decoder) spec.Node {
	tok, err := dec.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch v := tok.(type) {
	case json.Delim:
		n := spec.Node{Kind: spec.Seq, Line: 1}
		if v == '{' {
			n.Kind = spec.Mapping
		}
		for dec.More() {
			if v == '{' {
				n.Keys = append(n.Keys, readNode(t, dec))
			}
			n.Items = append(n.Items, readNode(t, dec))
		}
		if _, err := dec.Token(); err != nil {
			t.Fatal(err)
		}
		return n
	case bool:
		return spec.Node{Kind: spec.Boolean, Value: map[bool]string{true: "true", false: "false"}[v], Line: 1}
	case json.Number:
		return spec.Node{Kind: spec.Number, Value: v.String(), Line: 1}
	case string:
		return spec.Node{Kind: spec.String, Value: v, Line: 1}
	default:
		return spec.Node{Kind: spec.Null, Line: 1}
	}
}

const shapes = `{
"tool": {"options": [
	{"flags": ["-f", "--force"], "type": "bool"}, {"flags": ["-v"], "type": "count", "dest": "verbose"},
	{"flags": ["-o", "--out"]}, {"flags": ["-e"], "type": "list", "dest": "exclude"},
	{"flags": ["-i", "--in-place"], "type": "attached"}, {"flags": ["--lease"], "type": "optional"},
	{"flags": ["-j", "--jobs"], "type": "glued", "digits": true}, {"flags": ["--depth"], "type": "int"},
	{"flags": ["--label"], "type": "map"}, {"flags": ["--arg"], "type": "map", "pair": true}],
	"positionals": [{"name": "sources", "nargs": "+"}, {"name": "dest"}]},
"gnu": {"abbrev": true, "negations": true, "options": [{"flags": ["--recursive"], "type": "bool"}, {"flags": ["--force"], "type": "bool"}, {"flags": ["--format"]}, {"flags": ["-d", "--delimiter"]}], "positionals": [{"name": "paths", "nargs": "*"}]},
"run": {"posix": true, "options": [{"flags": ["-d"], "type": "bool", "dest": "detach"}], "positionals": ["image", {"name": "command", "nargs": "*"}], "run": {"from": "command", "kind": "argv", "remote": "container"}},
"deep": {"options": [{"flags": ["-C"], "dest": "cwd", "role": "cwd"}, {"flags": ["-n"], "dest": "ns", "global": true}], "subcommands": {"get": {"aliases": ["g"], "positionals": [{"name": "names", "nargs": "*"}]}, "set": {"tool": "deep_put", "after_dashdash": "rest"}}},
"java": {"dashes": "any", "options": [{"flags": ["-cp"], "dest": "classpath"}, {"flags": ["-D"], "type": "list", "dest": "define"}]}
}`

// TestParse: one line a reading of shell.md 5.
func TestParse(t *testing.T) {
	s := set(t, shapes)
	for _, tt := range []struct{ name, line, tool, args string }{
		{"bundle", "tool -fvvo x a b", "tool", `{"force":true,"verbose":2,"out":"x","sources":["a"],"dest":"b"}`},
		{"glued value", "tool -ox a b", "tool", `{"out":"x","sources":["a"],"dest":"b"}`},
		{"equals", "tool --out=x --force=false a b c", "tool", `{"out":"x","sources":["a","b"],"dest":"c"}`},
		{"last counts", "tool --out x --out y a b", "tool", `{"out":"y","sources":["a"],"dest":"b"}`},
		{"list adds up", "tool -e 1 -e 2 a b", "tool", `{"exclude":["1","2"],"sources":["a"],"dest":"b"}`},
		{"attached", "tool -i.bak a b", "tool", `{"in_place":true,"in_place_suffix":".bak","sources":["a"],"dest":"b"}`},
		{"optional", "tool --lease=x a b", "tool", `{"lease":true,"lease_value":"x","sources":["a"],"dest":"b"}`},
		{"glued", "tool -j4 a b", "tool", `{"jobs":"4","sources":["a"],"dest":"b"}`},
		{"glued, alone", "tool a b -j", "tool", `{"jobs":true,"sources":["a"],"dest":"b"}`},
		{"glued, digits behind", "tool -j 4 a b", "tool", `{"jobs":"4","sources":["a"],"dest":"b"}`},
		{"int", "tool --depth 3 a b", "tool", `{"depth":3,"sources":["a"],"dest":"b"}`},
		{"map", "tool --label a=1 --label b=2 a b", "tool", `{"label":{"a":"1","b":"2"},"sources":["a"],"dest":"b"}`},
		{"pair", "tool --arg a 1 a b", "tool", `{"arg":{"a":"1"},"sources":["a"],"dest":"b"}`},
		{"unknown letter", "tool -fX a b", "tool", `{"force":true,"extra_args":["-X"],"sources":["a"],"dest":"b"}`},
		{"unknown letter before a value letter", "tool -fXox a b", "tool", `{"force":true,"extra_args":["-X","-ox"],"sources":["a"],"dest":"b"}`},
		{"unknown long", "tool --nope a b", "tool", `{"extra_args":["--nope"],"sources":["a"],"dest":"b"}`},
		{"after dashes", "tool -- -f b", "tool", `{"sources":["-f"],"dest":"b"}`},
		{"missing operand", "tool a", "tool", `{"sources":["a"],"argv":["a"]}`},
		{"missing value", "tool a b --out", "tool", `{"sources":["a"],"dest":"b","extra_args":["--out"],"argv":["a","b","--out"]}`},
		{"abbreviation", "gnu --recurs a", "gnu", `{"recursive":true,"paths":["a"]}`},
		{"ambiguous", "gnu --fo a", "gnu", `{"extra_args":["--fo"],"paths":["a"]}`},
		{"negation, the last counts", "gnu --force --no-force a", "gnu", `{"paths":["a"]}`},
		{"getopt keeps =", "gnu -d=x a", "gnu", `{"delimiter":"=x","paths":["a"]}`},
		{"posix", "run -d img -d x", "run", `{"detach":true,"image":"img","command":["-d","x"]}`},
		{"posix drops --", "run img -- ls", "run", `{"image":"img","command":["ls"]}`},
		{"subcommand", "deep -C d get a -n x", "deep_get", `{"cwd":"d","ns":"x","names":["a"]}`},
		{"subcommand alias", "deep g a", "deep_get", `{"names":["a"]}`},
		{"subcommand with a tool", "deep set -- a b", "deep_put", `{"rest":["a","b"]}`},
		{"undeclared subcommand", "deep -n x drop a", "deep_drop", `{"ns":"x","argv":["-n","x","drop","a"]}`},
		{"unknown subcommand", "deep $SUB a", "unknown_command", `{"argv":["$SUB","a"]}`},
		{"any dashes", "java --cp x -Da=b -D c", "java", `{"classpath":"x","define":["a=b","c"]}`},
		{"no spec", "other -x y", "other", `{"argv":["-x","y"]}`},
		{"no name", "@@ y", "unknown_command", `{"argv":["y"]}`},
	} {
		p := s.Parse(words(tt.line))
		if p.Tool != tt.tool {
			t.Errorf("%s: %q gives tool %s, want %s", tt.name, tt.line, p.Tool, tt.tool)
		}
		if diff := cmp.Diff(decode(t, tt.args), nonZero(t, p)); diff != "" {
			t.Errorf("%s: %q -want +got\n%s", tt.name, tt.line, diff)
		}
	}
}

func decode(t *testing.T, s string) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func nonZero(t *testing.T, p spec.Parsed) map[string]any {
	t.Helper()
	b, err := json.Marshal(p.Args)
	if err != nil {
		t.Fatal(err)
	}
	out := decode(t, string(b))
	for k, v := range out {
		if l, ok := v.([]any); v == false || v == 0.0 || ok && len(l) == 0 {
			delete(out, k)
		}
	}
	return out
}

// TestUncertain: what a word that the shell has yet to expand may change.
func TestUncertain(t *testing.T) {
	s := set(t, shapes)
	for _, tt := range []struct {
		line string
		want bool
	}{
		{"gnu a b", false},
		{"gnu $X b", true},
		{"gnu -- $X", false},
		{"run img $X", false}, // options ended before it
		{"run $IMG x", true},
		{"other $X", true},
	} {
		if got := s.Parse(words(tt.line)).UnknownArgs; got != tt.want {
			t.Errorf("%q: unknown args %v, want %v", tt.line, got, tt.want)
		}
	}
	if p := s.Parse(words("gnu --fo a")); !cmp.Equal(p.Unsure, []string{"force", "format"}) {
		t.Errorf("an ambiguous abbreviation makes %v unsure", p.Unsure)
	}
	if !s.Parse(words("deep $SUB")).DynamicTool {
		t.Error("an unknown subcommand leaves the tool unknown")
	}
}

// TestLookup: names a program can be called by.
func TestLookup(t *testing.T) {
	for _, tt := range []struct{ name, tool string }{
		{"rm", "rm"},
		{"/bin/rm", "rm"},
		{"./rm", "rm"},
		{"RM", "rm"},
		{"rm.exe", "rm"},
		{`C:\bin\RM.EXE`, "rm"},
		{"python3.12", "python"},
		{"pip3.12", "pip"},
		{"mkfs.ext4", "mkfs"},
		{"mkfs.btrfs", "mkfs"},
		{"base64", "base64"},
		{"egrep", "grep"},
		{"podman", "podman"},
		{"rmx", "rmx"},
		{"a.b-c_d", "a_b_c_d"},
	} {
		if got := shell.Bundled().Parse(words(tt.name)).Tool; got != tt.tool {
			t.Errorf("%s is %s, want %s", tt.name, got, tt.tool)
		}
	}
	p := shell.Bundled().Parse(words("/usr/lib/git-core/git-push -f"))
	if p.Tool != "git_push" || p.Args["force"] != true {
		t.Errorf("git-push -f is %s %v", p.Tool, p.Args)
	}
}

// TestForms: the names and arguments that files written for the peer use.
func TestForms(t *testing.T) {
	for _, tt := range []struct{ line, tool, args string }{
		{"npm install x", "npm", `{"argv":["install","x"]}`},
		{"docker image rm i", "docker_image", `{"argv":["image","rm","i"]}`},
		{"terraform state push x", "terraform_state_push", `{"argv":["state","push","x"]}`},
		{"gmake all", "gmake", `{"argv":["all"]}`},
		{"valkey-cli FLUSHALL", "valkey_cli", `{"argv":["FLUSHALL"]}`},
		{"aws ec2 terminate-instances", "aws_ec2", `{"argv":["ec2","terminate-instances"]}`},
		{"gcloud pubsub lite-topics delete t", "gcloud_pubsub", `{"argv":["pubsub","lite-topics","delete","t"]}`},
		{"npx rimraf@5 dist", "rimraf", `{"argv":["dist"]}`},
	} {
		p := shell.Bundled().Parse(words(tt.line))
		found := false
		for _, f := range p.NamedForms(p.Args) {
			b, err := json.Marshal(f.Args)
			if err != nil {
				t.Fatal(err)
			}
			found = found || f.Tool == tt.tool && cmp.Equal(decode(t, string(b)), decode(t, tt.args))
		}
		if !found {
			t.Errorf("%q has forms %v, want %s %s among them", tt.line, p.Forms, tt.tool, tt.args)
		}
	}
	// An option only we declare stays in extra_args for the peer.
	p := shell.Bundled().Parse(words("git commit --fixup=x -m y"))
	f := p.NamedForms(p.Args)
	if len(f) != 1 || f[0].Tool != "git_commit" || f[0].Args["fixup"] != nil || !cmp.Equal(f[0].Args["extra_args"], []any{"--fixup=x"}) {
		t.Errorf("git commit --fixup=x has forms %v", f)
	}
	// One it would misread has no such form.
	if p := shell.Bundled().Parse(words("git push -o ci.skip origin")); len(p.Forms) != 0 {
		t.Errorf("git push -o has forms %v", p.Forms)
	}
}

// FuzzParse: whatever the words, the answer is well formed: a tool name rules can
// write, fields that point at words that are there and stand in the arguments,
// left-over words only on a call that does not match its spec, and the same
// answer for the same words.
func FuzzParse(f *testing.F) {
	for _, l := range []string{"git push -qf origin +main", "rm -rfI x", "tar xzf a", "find . ( -name a ) -delete", "aws s3 cp a b", "kill -9 -1", "head -20f x", "sed -i '' x", "docker run -it --rm a b", "az group delete -n x", "su - bob", "jq --arg a b .", "npx x@1", "sed s/[/]/x/;1e x", "gcloud $A delete"} {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, line string) {
		w := words(line)
		if len(w) == 0 {
			t.Skip()
		}
		p := shell.Bundled().Parse(w)
		if p.Tool == "" || strings.Trim(p.Tool, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			t.Fatalf("%q has the tool %q", line, p.Tool)
		}
		for _, field := range p.Fields {
			if _, ok := p.Args[field.Name]; !ok {
				t.Fatalf("%q: field %s is not in %v", line, field.Name, p.Args)
			}
			for _, v := range field.From {
				if v.Word >= len(w) || v.Word < -1 {
					t.Fatalf("%q: field %s points at word %d", line, field.Name, v.Word)
				}
			}
		}
		_, argv := p.Args["argv"]
		_, extra := p.Args["extra_args"]
		if p.Matched && (argv || extra) {
			t.Fatalf("%q matches its spec and has words left over: %v", line, p.Args)
		}
		if again := shell.Bundled().Parse(w); !cmp.Equal(p, again) {
			t.Fatalf("%q is read differently the second time: %s", line, cmp.Diff(p, again))
		}
	})
}
