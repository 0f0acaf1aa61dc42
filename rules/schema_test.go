package rules

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentltl/agentltl-hook/trace"
)

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(SchemaID, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(SchemaID)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// schemaValue is a rule file as a schema sees it: JSON, in the types the
// validator knows.
func schemaValue(t *testing.T, text []byte) (any, bool) {
	t.Helper()
	root, err := parseYAML(text)
	if err != nil {
		return nil, false
	}
	var v any
	if root != nil {
		v = value(root)
	}
	out, err2 := jsonschema.UnmarshalJSON(strings.NewReader(trace.Canonical(v)))
	if err2 != nil {
		t.Fatal(err2)
	}
	return out, true
}

// beyondSchema names the error cases that a schema cannot tell: they are about
// what texts mean, not about shapes.
var beyondSchema = map[string]bool{
	"error-ltl-syntax": false, "error-ltl-unsafe": true, "error-use-unknown": true,
	"error-variable-one-side": true, "error-require-bare": true,
}

// TestSchemaVectors holds the schema against the loader on every recorded file.
func TestSchemaVectors(t *testing.T) {
	schema := compiledSchema(t)
	files, err := filepath.Glob("../testdata/vectors/rules/*/*.yaml")
	if err != nil || len(files) < 190 {
		t.Fatalf("vectors: %d files, %v", len(files), err)
	}
	refused := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(path))
		v, ok := schemaValue(t, text)
		if !ok {
			continue
		}
		_, problems := Load([]File{{Layer: ProjectFile, Path: path, Text: text}}, LoadOptions{Context: &Context{Root: "/p"}})
		err = schema.Validate(v)
		switch {
		case err != nil && len(problems) == 0:
			t.Errorf("%s: the schema refuses what loads: %v", path, err)
		case err == nil && len(problems) > 0 && !beyondSchema[name]:
			t.Errorf("%s: the schema takes what does not load: %v", path, problems)
		case err != nil:
			refused++
		}
	}
	if refused < 30 {
		t.Errorf("the schema refused only %d files", refused)
	}
}

// TestSchemaShapes holds both against each other on files of our own.
func TestSchemaShapes(t *testing.T) {
	schema := compiledSchema(t)
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"", true},
		{"rules: [{id: a, never: {tool: rm, each: {paths: x}, not: {tool: x}, outside: [a, b]}}]", true},
		{"rules: [{id: a, never: {effect: delete, where: {target: x}}}]", true},
		{"rules: [{id: a, never: {effect: destroy}}]", false},
		{"rules: [{id: a, never: {tool: a, effect: delete}}]", false},
		{"rules: [{id: a, rate_limit: {call: x, times: 3, per: 10m}}]", true},
		{"rules: [{id: a, rate_limit: {call: x, times: 3, per: soon}}]", false},
		{"rules: [{id: a, at_most_total: {call: x, field: y, limit: 1.5, negative: zero}}]", true},
		{"rules: [{id: a, at_most_total: {call: x, field: y, limit: 1, negative: maybe}}]", false},
		{"rules: [{id: a, mutually_exclusive: [x, y, z]}]", true},
		{"rules: [{id: a, mutually_exclusive: [x]}]", false},
		{"rules: [{id: a, never_after: {call: x, after: y}}]", true},
		{"rules: [{id: a, never: x, maybe: {read: note}, except: [{call: x, until: 2027-01-01, reason: r}]}]", true},
		{"rules: [{id: a, never: x, except: [{call: x, until: soon, reason: r}]}]", false},
		{"rules: [{id: a, never: x, examples: {refused: [x, [a, b]], allowed: }}]", true},
		{"rules: [{id: a, never: x, examples: {refused: x}}]", false},
		{"rules: [{id: a, never: x, nevr: y}]", false},
		{"rules: [{id: a, ltl: 'G(!now(\"x\"))', let: {x: {tool: y}}}]", true},
		{"rules: [{id: a, never: x, let: {x: y}}]", false},
		{"rules: [{id: a, formula: {type: Not, args: {operand: {type: Called, args: {tool: x}}}}}]", true},
		{"rules: [{id: a, formula: {type: Nope, args: {}}}]", false},
		{"settings: {keep: {session: 10}, project_memory: repo, on_error: deny, locked: true}", true},
		{"settings: {keep: 10}", false},
		{"settings: {lookahead: note}", false},
		{"use: [no-force-push, {no-force-push: {mode: ask, maybe: {read: note}, shadow: true}}]", true},
		{"use: [{no-force-push: {colour: red}}]", false},
		{"tools: {x: {options: [{flags: [-a], type: bool}], subcommands: {y: {posix: true}}}}", true},
		{"tools: {x: {colour: red}}", false},
		{"groups: {a: []}\ncontracts: [{template: must_precede, args: [a, b]}]", true},
		{"contracts: [{template: must_follow, args: [a, b]}]", false},
		{"facts: [repo]", true},
		{"facts: [kube]", false},
		{"include: [x]", false},
	} {
		v, ok := schemaValue(t, []byte(tt.text))
		if !ok {
			t.Fatalf("no YAML: %s", tt.text)
		}
		_, problems := Load([]File{{Layer: ProjectFile, Path: "/p/AGENTLTL.yaml", Text: []byte(tt.text)}}, LoadOptions{Context: &Context{Root: "/p"}})
		if got := len(problems) == 0; got != tt.want {
			t.Errorf("loads = %v, want %v: %s\n%v", got, tt.want, tt.text, problems)
		}
		if err := schema.Validate(v); (err == nil) != tt.want {
			t.Errorf("schema takes = %v, want %v: %s\n%v", err == nil, tt.want, tt.text, err)
		}
	}
}

// TestSchemaLibrary holds the schema against the rules of the packaged entries.
func TestSchemaLibrary(t *testing.T) {
	schema := compiledSchema(t)
	for _, e := range Library() {
		root, _ := parseYAML(e.Text)
		m := value(root).(map[string]any)
		v, _ := jsonschema.UnmarshalJSON(strings.NewReader(trace.Canonical(map[string]any{"rules": m["rules"], "tools": m["tools"]})))
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", e.ID, err)
		}
	}
}

// TestSchemaNamesMistakes: an editor that shows what the schema says names the
// wrong key or word, and not only that the whole part is wrong.
func TestSchemaNamesMistakes(t *testing.T) {
	schema := compiledSchema(t)
	for _, c := range []struct{ text, where, names string }{
		{"settings: {unparsable: ask}", "/settings", "unparsable"},
		{"settings: {mode: blok}", "/settings/mode", "block"},
		{"rules: [{id: a, nevr: Edit}]", "/rules/0", "nevr"},
		{"rules: [{id: a, never: Edit, mode: blok}]", "/rules/0/mode", "block"},
	} {
		v, ok := schemaValue(t, []byte(c.text))
		if !ok {
			t.Fatalf("%s: not YAML", c.text)
		}
		err := schema.Validate(v)
		if err == nil {
			t.Errorf("%s: taken", c.text)
			continue
		}
		if !slices.ContainsFunc(strings.Split(err.Error(), "\n"), func(line string) bool {
			return strings.Contains(line, "'"+c.where+"'") && strings.Contains(line, c.names)
		}) {
			t.Errorf("%s: no line names %s at %s:\n%v", c.text, c.names, c.where, err)
		}
	}
	for _, text := range []string{"settings:\nuse:\nrules:", "settings: {mode: }", "rules: [{id: a, never: Edit, mode: , why: }]"} {
		if v, ok := schemaValue(t, []byte(text)); !ok || schema.Validate(v) != nil {
			t.Errorf("%q, with keys left empty, is refused: %v", text, schema.Validate(v))
		}
	}
}
