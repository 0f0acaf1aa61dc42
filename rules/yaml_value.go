package rules

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// deref follows aliases.
func deref(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// isNull says whether a value is absent or empty ("rules:").
func isNull(n *yaml.Node) bool {
	n = deref(n)
	return n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// A field is one key of a mapping with its value.
type field struct {
	key  string
	node *yaml.Node // the value
	line int        // of the key
}

// fields lists a mapping's keys in file order. "<<" is merged in: keys written
// out win, and of several merged mappings the first. Of a key written twice the
// last counts, in the place of the first.
func fields(n *yaml.Node) []field {
	n = deref(n)
	var out, merged []field
	at := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind == yaml.ScalarNode && k.ShortTag() == "!!merge" {
			merged = append(merged, mergedFields(v)...)
			continue
		}
		key := deref(k).Value
		if j, ok := at[key]; ok {
			out[j] = field{key, v, k.Line}
			continue
		}
		at[key] = len(out)
		out = append(out, field{key, v, k.Line})
	}
	for _, f := range merged {
		if _, ok := at[f.key]; !ok {
			at[f.key] = len(out)
			out = append(out, f)
		}
	}
	return out
}

func mergedFields(v *yaml.Node) []field {
	switch v = deref(v); v.Kind {
	case yaml.MappingNode:
		return fields(v)
	case yaml.SequenceNode:
		var out []field
		for _, c := range v.Content {
			if c = deref(c); c.Kind == yaml.MappingNode {
				out = append(out, fields(c)...)
			}
		}
		return out
	default:
		return nil
	}
}

// value turns a node into decoded JSON: nil, bool, json.Number, string, []any,
// map[string]any.
func value(n *yaml.Node) any {
	n = deref(n)
	if n == nil {
		return nil
	}
	switch n.Kind {
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, c := range n.Content {
			list[i] = value(c)
		}
		return list
	case yaml.MappingNode:
		m := map[string]any{}
		for _, f := range fields(n) {
			m[f.key] = value(f.node)
		}
		return m
	default:
		return scalar(n)
	}
}

// scalar reads one scalar as yaml.v3 does, but plain yes, no, on and off are
// booleans, as in YAML 1.1 (rules.md 2). Dates stay text.
func scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!str":
		if b, ok := oldBoolean(n); ok {
			return b
		}
		return n.Value
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		var v any
		if n.Decode(&v) == nil {
			if num, ok := number(v); ok {
				return num
			}
		}
	case "!!binary":
		var s string
		if n.Decode(&s) == nil {
			return s
		}
	}
	return n.Value
}

// oldBoolean says whether a plain scalar is one of YAML 1.1's other booleans.
func oldBoolean(n *yaml.Node) (value, ok bool) {
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0 {
		return false, false
	}
	switch n.Value {
	case "yes", "Yes", "YES", "on", "On", "ON":
		return true, true
	case "no", "No", "NO", "off", "Off", "OFF":
		return false, true
	}
	return false, false
}

// number writes a decoded number as a JSON literal. A whole float keeps its
// ".0": it is how the text of an argument is compared with it (rules.md 6).
func number(v any) (json.Number, bool) {
	switch v := v.(type) {
	case int:
		return json.Number(strconv.Itoa(v)), true
	case int64:
		return json.Number(strconv.FormatInt(v, 10)), true
	case uint64:
		return json.Number(strconv.FormatUint(v, 10)), true
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return "", false
		}
		s := strconv.FormatFloat(v, 'f', -1, 64)
		if abs := math.Abs(v); abs >= 1e16 || abs != 0 && abs < 1e-4 {
			s = strconv.FormatFloat(v, 'e', -1, 64)
		}
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return json.Number(s), true
	}
	return "", false
}

// date reads YYYY-MM-DD.
func date(v any) (string, bool) {
	s, ok := v.(string)
	if !ok {
		return "", false
	}
	_, err := time.Parse(time.DateOnly, s)
	return s, err == nil
}
