package edit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// files are settings files as people write them.
func files() map[string]string {
	return map[string]string{
		"empty":          "",
		"blank":          "  \n",
		"empty object":   "{}",
		"with newline":   "{}\n",
		"two spaces":     "{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []}\n    ]\n  }\n}\n",
		"four spaces":    "{\n    \"model\": \"x\"\n}\n",
		"tabs":           "{\n\t\"model\": \"x\",\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{\n\t\t\t\t\"matcher\": \"Bash\"\n\t\t\t}\n\t\t]\n\t}\n}",
		"no newline":     "{\n  \"model\": \"x\"\n}",
		"CRLF":           "{\r\n  \"model\": \"x\",\r\n  \"hooks\": {\"PreToolUse\": [{\"matcher\": \"a\"}]}\r\n}\r\n",
		"minified":       `{"model":"x","hooks":{"PreToolUse":[{"matcher":"a"}]}}`,
		"minified empty": `{"model":"x","hooks":{"PreToolUse":[]}}`,
		"spaced line":    `{"model": "x", "hooks": {"PreToolUse": [{"matcher": "a"}, {"matcher": "b"}]}}` + "\n",
		"line comments":  "{\n  // which model\n  \"model\": \"x\", // the small one\n  \"hooks\": {\n    // mine\n    \"PreToolUse\": [\n      {\"matcher\": \"a\"} // last\n      // end\n    ]\n    /* tail */\n  }\n  // bye\n}\n",
		"trailing comma": "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"a\"}, // one\n    ],\n  },\n}\n",
		"BOM":            "\ufeff{\n  \"model\": \"x\"\n}\n",
		"hooks last":     "{\n  \"a\": {\"b\": 1},\n  \"hooks\": {}\n}\n",
	}
}

type group struct {
	Hooks []handler `json:"hooks"`
}

type handler struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func ours() json.RawMessage {
	return Raw(group{Hooks: []handler{{Type: "command", Command: "/opt/a&b<c>", Args: []string{"x", "y"}}}})
}

// TestAppendThenRemove holds that what was added goes without a trace: the
// file has its old bytes back.
func TestAppendThenRemove(t *testing.T) {
	for name, src := range files() {
		t.Run(name, func(t *testing.T) {
			j, err := ParseJSON([]byte(src))
			if err != nil {
				t.Fatal(err)
			}
			before := string(j.Bytes())
			made, err := j.Append([]string{"hooks", "PreToolUse"}, ours())
			if err != nil {
				t.Fatal(err)
			}
			got, ok := j.Get("hooks", "PreToolUse")
			if !ok {
				t.Fatal("nothing there")
			}
			list := got.([]any)
			last := list[len(list)-1].(map[string]any)["hooks"].([]any)[0].(map[string]any)
			if last["command"] != "/opt/a&b<c>" {
				t.Errorf("command is %q", last["command"])
			}
			if strings.Contains(before, "\r\n") && strings.Contains(strings.ReplaceAll(string(j.Bytes()), "\r\n", ""), "\n") {
				t.Error("mixed line endings")
			}
			t.Logf("\n%s", j.Bytes())
			remove(t, j, made, len(list)-1)
			if d := cmp.Diff(before, string(j.Bytes())); d != "" {
				t.Error(d)
			}
		})
	}
}

func remove(t *testing.T, j *JSON, made [][]string, index int) {
	t.Helper()
	if err := j.Remove("hooks", "PreToolUse", itoa(index)); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Prune(made, "hooks", "PreToolUse"); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Prune(made, "hooks"); err != nil {
		t.Fatal(err)
	}
}

func itoa(i int) string { return string(rune('0' + i)) }

// TestRemoveKeepsTheRest takes ours out of files that were edited around it.
func TestRemoveKeepsTheRest(t *testing.T) {
	for _, tt := range []struct{ name, src, path, want string }{
		{"first of two", `{"a": [1, 2]}`, "a.0", `{"a": [ 2]}`},
		{"last of two", `{"a": [1, 2]}`, "a.1", `{"a": [1]}`},
		{"middle", "{\"a\": [\n  1,\n  2,\n  3\n]}", "a.1", "{\"a\": [\n  1,\n  3\n]}"},
		{"comment in front stays", "{\"a\": [\n  1, // one\n  2\n]}", "a.1", "{\"a\": [\n  1 // one\n]}"},
		{"comment behind stays", "{\"a\": [\n  1,\n  2 // two\n]}", "a.1", "{\"a\": [\n  1 // two\n]}"},
		{"trailing comma", "{\"a\": [\n  1,\n  2,\n]}", "a.1", "{\"a\": [\n  1,\n]}"},
		{"only one", `{"a": [1]}`, "a.0", `{"a": []}`},
		{"comment and bracket", "{\"a\": [ // one\n  1]}", "a.0", "{\"a\": [ // one\n  ]}"},
		{"comment alone", "{\"a\": [ /* x */ 1 ]}", "a.0", "{\"a\": [ /* x */  ]}"},
		{"member", "{\n  \"a\": 1,\n  \"b\": 2\n}", "b", "{\n  \"a\": 1\n}"},
		{"first member", "{\n  \"a\": 1,\n  \"b\": 2\n}", "a", "{\n  \"b\": 2\n}"},
		{"absent", `{"a": 1}`, "b", `{"a": 1}`},
		{"equal names", `{"a": 1, "a": 2}`, "a", `{"a": 1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j, err := ParseJSON([]byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if err := j.Remove(strings.Split(tt.path, ".")...); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, string(j.Bytes())); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSetReplacesAndRestores(t *testing.T) {
	src := "{\n  // keep\n  \"statusLine\": {\"type\": \"command\"},\n  \"x\": 1\n}\n"
	j, err := ParseJSON([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Set([]string{"statusLine"}, Raw("new")); err != nil {
		t.Fatal(err)
	}
	if got := string(j.Bytes()); !strings.Contains(got, `"statusLine": "new",`) || !strings.Contains(got, "// keep") {
		t.Errorf("got %s", got)
	}
	if _, err := j.Set([]string{"plugins", "a@b"}, Raw(true)); err != nil {
		t.Fatal(err)
	}
	if v, _ := j.Get("plugins", "a@b"); v != true {
		t.Errorf("plugins.a@b is %v", v)
	}
}

func TestRefuses(t *testing.T) {
	for _, src := range []string{"[]", "nonsense", `{"a": }`, `"x"`, "{} {}"} {
		if _, err := ParseJSON([]byte(src)); err == nil {
			t.Errorf("%q was accepted", src)
		}
	}
	j, err := ParseJSON([]byte(`{"hooks": [], "deep": {"a": 1}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range [][]string{{"hooks", "PreToolUse"}, {"deep", "a"}} {
		if _, err := j.Append(path, Raw(1)); err == nil {
			t.Errorf("appended to %v", path)
		}
	}
}

// TestAppendRemoveProperty does the same on files of any layout.
func TestAppendRemoveProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		ind := rapid.SampledFrom([]string{"", "  ", "\t", "    "}).Draw(t, "indent")
		n := rapid.IntRange(0, 3).Draw(t, "groups")
		note := rapid.SampledFrom([]string{"", " // c", " /* c */"}).Draw(t, "comment")
		var b strings.Builder
		b.WriteString("{" + eol + ind + `"hooks": {` + eol + ind + ind + `"PreToolUse": [`)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(eol + ind + ind + ind + `{"matcher": "m"}`)
		}
		if n > 0 {
			b.WriteString(note + eol + ind + ind)
		}
		b.WriteString("]" + eol + ind + "}" + eol + "}" + eol)
		src := b.String()
		j, err := ParseJSON([]byte(src))
		if err != nil {
			t.Skip()
		}
		made, err := j.Append([]string{"hooks", "PreToolUse"}, ours())
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Remove("hooks", "PreToolUse", itoa(n)); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Prune(made, "hooks", "PreToolUse"); err != nil {
			t.Fatal(err)
		}
		if got := string(j.Bytes()); got != src {
			t.Fatalf("got %q, want %q", got, src)
		}
	})
}
