package rules

import (
	"gopkg.in/yaml.v3"
)

// oddities notes what YAML reads otherwise than people expect (L017): keys
// written twice, plain yes and no, and version-like numbers.
func (r *fileReader) oddities(n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			if seen[k.Value] && k.Kind == yaml.ScalarNode && k.ShortTag() != "!!merge" {
				r.warn("L017", k.Line, "the key "+clip(k.Value, 40)+" is written twice; the last one counts")
			}
			seen[k.Value] = true
			r.oddities(v)
		}
	case yaml.SequenceNode:
		for _, c := range n.Content {
			r.oddities(c)
		}
	case yaml.ScalarNode:
		if b, ok := oldBoolean(n); ok && n.ShortTag() == "!!str" {
			word := "false"
			if b {
				word = "true"
			}
			r.warn("L017", n.Line, n.Value+" without quotes is read as "+word)
		}
		if n.ShortTag() == "!!float" && len(n.Value) > 2 && n.Value[len(n.Value)-1] == '0' && countDots(n.Value) == 1 {
			r.warn("L017", n.Line, n.Value+" without quotes is the number "+plainValue(scalar(n)))
		}
	default: // an alias: its anchor is looked at
	}
}

func countDots(s string) int {
	n := 0
	for _, c := range s {
		if c == '.' {
			n++
		}
	}
	return n
}

func (r *fileReader) warn(code string, line int, msg string) {
	r.warnings = append(r.warnings, warning{code: code, line: line, msg: msg})
}
