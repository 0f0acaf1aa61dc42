package rules

import "testing"

// A complaint names the line that a person must look at, not the one where the
// parser noticed.
func TestLineOfAYAMLError(t *testing.T) {
	for text, want := range map[string]int{
		"rules:\n  - id: a\n\t    never: x\nuse: [x]\n":             3,
		"rules:\n  - id: a\n    never: x\n\t\n":                     4,
		"rules:\n  - id: a\n    never: x\n\twhy: x\n    fix: y\n":   4,
		"rules:\n  - {id: a, never: x}\n\t\n":                       3,
		"rules:\n  - {id: a, never: x}\n\t":                         3,
		" settings: {}\nrules: []\nuse: []\n# end\n":                2,
		"rules:\n  - id: a\n    never: @x\nuse: []\n":               3,
		"rules:\n  - {id: a, never: x\n  - {id: b}\nuse: []\n":      3,
		"rules: []\nuse: [a, b]]\n":                                 2,
		"rules:\n  - id: a\n    never: {tool: rm\n    mode: warn\n": 4,
	} {
		_, err := parseYAML([]byte(text))
		if err == nil || err.line != want {
			t.Errorf("%q: %+v, want line %d", text, err, want)
		}
	}
}
