package rules

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEditList(t *testing.T) {
	ask := ListItem{ID: "b", Options: []string{"mode: ask"}}
	for _, tt := range []struct {
		name, in string
		add      []ListItem
		remove   []string
		want     string
	}{
		{"empty file", "", []ListItem{{ID: "a"}}, nil, "use:\n  - a\n"},
		{"comment only", "# mine\n", []ListItem{{ID: "a"}}, nil, "# mine\nuse:\n  - a\n"},
		{"key absent", "rules: []\n", []ListItem{{ID: "a"}}, nil, "rules: []\nuse:\n  - a\n"},
		{"no line end", "rules: []", []ListItem{{ID: "a"}}, nil, "rules: []\nuse:\n  - a\n"},
		{"empty key", "use: # packaged\n\nrules: []\n", []ListItem{{ID: "a"}}, nil, "use: # packaged\n  - a\n\nrules: []\n"},
		{"empty key at the end", "use:", []ListItem{{ID: "a"}}, nil, "use:\n  - a\n"},
		{"block", "use:\n- a # first\n\n# the rules\nrules: []\n", []ListItem{{ID: "b"}}, nil, "use:\n- a # first\n- b\n\n# the rules\nrules: []\n"},
		{"block indented", "use:\n    - a\n    - c:\n        mode: ask\nrules: []\n", []ListItem{{ID: "b"}}, nil, "use:\n    - a\n    - c:\n        mode: ask\n    - b\nrules: []\n"},
		{"flow", "use: [a] # x\n", []ListItem{{ID: "b"}}, nil, "use: [a, b] # x\n"},
		{"flow empty", "use: []\n", []ListItem{ask}, nil, "use: [{b: {mode: ask}}]\n"},
		{"flow lines", "use: [\n  a,\n  c\n]\n", []ListItem{{ID: "b"}}, nil, "use: [\n  a,\n  c,\n  b\n]\n"},
		{"flow comma", "use: [a,]\n", []ListItem{{ID: "b"}}, nil, "use: [a, b]\n"},
		{"flow root", "{rules: []}\n", []ListItem{{ID: "b"}}, nil, "{rules: [], use: [b]}\n"},
		{"JSON root", `{"rules": []}`, []ListItem{{ID: "b"}}, nil, `{"rules": [], "use": ["b"]}`},
		{"there already", "use: [a, b]\n", []ListItem{{ID: "b"}}, nil, "use: [a, b]\n"},
		{"new options", "use: [a, b, c]\n", []ListItem{ask}, nil, "use: [a, {b: {mode: ask}}, c]\n"},
		{"new options in a block", "use:\n  - b # mine\n  - c\n", []ListItem{ask}, nil, "use:\n  - {b: {mode: ask}} # mine\n  - c\n"},
		{"remove from a flow", "use: [a, 'b', c]\n", nil, []string{"b"}, "use: [a, c]\n"},
		{"remove the last of a flow", "use: [a, {b: {mode: ask}}]\n", nil, []string{"b"}, "use: [a]\n"},
		{"remove all", "use: [b]\n", nil, []string{"b"}, "use: []\n"},
		{"remove from a block", "use:\n  - a\n  # why b\n  - b: {mode: ask}\n  - c\n", nil, []string{"b"}, "use:\n  - a\n  # why b\n  - c\n"},
		{"remove lines", "use:\n  - a\n  - b:\n      mode: ask\n      scope: project\n\nrules: []\n", nil, []string{"b"}, "use:\n  - a\n\nrules: []\n"},
		{"remove all of a block", "use: # x\n  - b\nrules: []\n", nil, []string{"b"}, "use: [] # x\nrules: []\n"},
		{"quoted id", "use: [a]\n", []ListItem{{ID: "yes"}}, nil, "use: [a, \"yes\"]\n"},
		{"wide characters", "# ü\nuse: [ü, a]\n", nil, []string{"a"}, "# ü\nuse: [ü]\n"},
	} {
		got, _, err := EditList([]byte(tt.in), "use", tt.add, tt.remove)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %q, %v\nwant %q", tt.name, got, err, tt.want)
		}
	}
	if _, _, err := EditList([]byte("x: &x [a]\nuse: *x\n"), "use", []ListItem{{ID: "b"}}, nil); err == nil {
		t.Error("an alias was edited")
	}
}

// TestEditListRandom adds and removes in any order in lists of any layout: the
// list reads as a plain one would, and everything else keeps its bytes.
func TestEditListRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SampledFrom([]string{"a", "b-c", "d", "yes", "1.10", "x y"})
		start := rapid.SliceOfNDistinct(ids, 0, 4, rapid.ID[string]).Draw(t, "start")
		before := rapid.SampledFrom([]string{"", "# top\n", "rules: []\n\n", "a: {b: [c, 'd]']}\n"}).Draw(t, "before")
		after := rapid.SampledFrom([]string{"", "rules2: [x]\n", "\n# end\n", "z:\n  - - 1\n"}).Draw(t, "after")
		text := before + layout(t, start) + after
		model := append([]string{}, start...)
		for range rapid.IntRange(1, 4).Draw(t, "n") {
			id := ids.Draw(t, "id")
			var err error
			var out []byte
			if rapid.Bool().Draw(t, "add") {
				out, _, err = EditList([]byte(text), "use", []ListItem{{ID: id}}, nil)
				if !slices.Contains(model, id) {
					model = append(model, id)
				}
			} else {
				out, _, err = EditList([]byte(text), "use", nil, []string{id})
				model = without(model, id)
			}
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if !strings.HasPrefix(string(out), before) || !strings.HasSuffix(string(out), after) {
				t.Fatalf("other bytes changed: %q -> %q", text, out)
			}
			root, yerr := parseYAML(out)
			if yerr != nil {
				t.Fatalf("%q -> %q: %s", text, out, yerr.msg)
			}
			var got []string
			if root != nil {
				for _, f := range fields(root) {
					if f.key == "use" {
						for _, v := range value(f.node).([]any) {
							got = append(got, v.(string))
						}
					}
				}
			}
			if strings.Join(got, "|") != strings.Join(model, "|") {
				t.Fatalf("%q -> %q reads as %q, want %q", text, out, got, model)
			}
			text = string(out)
		}
	})
}

func layout(t *rapid.T, ids []string) string {
	var quoted []string
	for _, id := range ids {
		quoted = append(quoted, quoteIfNeeded(id))
	}
	if len(ids) == 0 {
		return rapid.SampledFrom([]string{"use: []\n", "use: [ ] # none\n"}).Draw(t, "empty")
	}
	switch rapid.IntRange(0, 3).Draw(t, "layout") {
	case 0:
		return "use: [" + strings.Join(quoted, ", ") + "]\n"
	case 1:
		return "use:\n- " + strings.Join(quoted, "\n- ") + "\n"
	case 2:
		return "use:\n  - " + strings.Join(quoted, " # note\n\n  # about the next\n  - ") + "\n"
	}
	return "use: [\n    " + strings.Join(quoted, ",\n    ") + ",\n  ]\n"
}

func without(list []string, s string) []string {
	var out []string
	for _, e := range list {
		if e != s {
			out = append(out, e)
		}
	}
	return out
}
