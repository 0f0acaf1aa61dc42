package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Shapes of the values of a rule. Targets and kinds are checked by compiling
// them, so their shapes only give the schema.

type targetShape struct{}

func (targetShape) check(v any) string {
	r := targetReader{ctx: &Context{}}
	if r.target(v); len(r.problems) > 0 {
		return "a target (" + strings.Join(r.problems, "; ") + ")"
	}
	return ""
}

func (targetShape) schema() map[string]any { return ref("target") }

func ref(name string) map[string]any { return map[string]any{"$ref": "#/$defs/" + name} }

type argumentsShape struct{}

func (argumentsShape) check(v any) string {
	if _, ok := v.(map[string]any); !ok {
		return "a mapping of arguments"
	}
	return ""
}

func (argumentsShape) schema() map[string]any { return ref("mapping") }

type patternsShape struct{}

func (patternsShape) check(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return "a mapping of arguments to patterns"
	}
	for _, k := range sortedKeys(m) {
		r := targetReader{ctx: &Context{}}
		if items, ok := m[k].([]any); ok && len(items) == 0 {
			continue
		}
		if r.patterns(k, m[k], "a pattern or a list of patterns"); len(r.problems) > 0 {
			return "a mapping of arguments to patterns (" + r.problems[0] + ")"
		}
	}
	return ""
}

func (patternsShape) schema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": ref("globs")}
}

type examplesShape struct{}

func (examplesShape) check(v any) string {
	const want = "a mapping with refused and allowed, each a list of lines"
	m, ok := v.(map[string]any)
	if !ok {
		return want
	}
	for _, k := range sortedKeys(m) {
		if k != "refused" && k != "allowed" {
			return want + fmt.Sprintf("; unknown key %q%s", k, didYouMean(k, []string{"refused", "allowed"}))
		}
		items, ok := m[k].([]any)
		if !ok && m[k] != nil {
			return want
		}
		for _, e := range items {
			if !isLine(e) {
				return want + ": a line is text, or a list of texts, not " + describe(e)
			}
		}
	}
	return ""
}

// isLine says whether a value is a line, or a sequence of them.
func isLine(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v) != ""
	case []any:
		for _, e := range v {
			if s, ok := e.(string); !ok || strings.TrimSpace(s) == "" {
				return false
			}
		}
		return len(v) > 0
	}
	return false
}

func (examplesShape) schema() map[string]any {
	line := map[string]any{"type": "string", "pattern": `\S`}
	lines := map[string]any{"type": []any{"array", "null"}, "items": map[string]any{"anyOf": []any{
		line, map[string]any{"type": "array", "minItems": 1, "items": line},
	}}}
	return map[string]any{
		"type": "object", "additionalProperties": false,
		"properties": map[string]any{"refused": lines, "allowed": lines},
	}
}

type approveShape struct{}

func (approveShape) check(v any) string {
	if v == "session" {
		return "once (session belongs to a later release)"
	}
	return enumShape{"once"}.check(v)
}

func (approveShape) schema() map[string]any { return enumShape{"once"}.schema() }

type letShape struct{}

func (letShape) check(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return "a mapping of names to targets"
	}
	for _, k := range sortedKeys(m) {
		if msg := (targetShape{}).check(m[k]); msg != "" {
			return "a mapping of names to targets (" + k + ": " + msg + ")"
		}
	}
	return ""
}

func (letShape) schema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": ref("target")}
}

type exceptShape struct{}

func (exceptShape) check(v any) string {
	items, ok := v.([]any)
	if !ok {
		return "a list of {call, until, reason, by}"
	}
	for _, e := range items {
		if msg := exceptKeys.check(e); msg != "" {
			return "a list, each element " + msg
		}
	}
	return ""
}

func (exceptShape) schema() map[string]any {
	return map[string]any{"type": "array", "items": exceptKeys.schema()}
}

// An exprShape is a condition. It is compiled with the rule.
type exprShape struct{}

func (exprShape) check(v any) string { return textShape{}.check(v) }

func (exprShape) schema() map[string]any { return ref("expression") }

type beforeShape struct{}

func (beforeShape) check(any) string { return "" }
func (beforeShape) schema() map[string]any {
	t := ref("target")
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "array", "items": t, "minItems": 2, "maxItems": 2},
		map[string]any{
			"type": "object", "required": []any{"first", "then"}, "additionalProperties": false,
			"properties": map[string]any{"first": t, "then": t, "since": orNull(t)},
		},
	}}
}

// orNull allows a key to be left empty. It adds null to what there is rather than
// a choice around it: validators then say what is wrong inside, and not only that
// none of the choices fits.
func orNull(s map[string]any) map[string]any {
	if t, ok := s["type"].(string); ok && s["enum"] == nil && s["anyOf"] == nil && s["oneOf"] == nil {
		s = maps.Clone(s)
		s["type"] = []any{t, "null"}
		return s
	}
	if words, ok := s["enum"].([]any); ok && s["type"] == nil {
		s = maps.Clone(s)
		s["enum"] = append(slices.Clone(words), nil)
		return s
	}
	if choices, ok := s["anyOf"].([]any); ok && s["type"] == nil {
		s = maps.Clone(s)
		s["anyOf"] = append(slices.Clone(choices), map[string]any{"type": "null"})
		return s
	}
	return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
}

// A pairShape is a list of two targets, or a mapping with two keys.
type pairShape [2]string

func (pairShape) check(any) string { return "" }
func (s pairShape) schema() map[string]any {
	t := ref("target")
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "array", "items": t, "minItems": 2, "maxItems": 2},
		map[string]any{
			"type": "object", "required": []any{s[0], s[1]}, "additionalProperties": false,
			"properties": map[string]any{s[0]: t, s[1]: t},
		},
	}}
}

// A callShape is a mapping with call and further keys; bare: a target alone, too.
type callShape struct {
	keys, optional []string
	bare           bool
}

func (callShape) check(any) string { return "" }
func (s callShape) schema() map[string]any {
	props := map[string]any{"call": ref("target")}
	required := []any{"call"}
	for _, k := range s.keys {
		switch k {
		case "times":
			props[k] = intShape{min: 0}.schema()
		case "limit":
			props[k] = map[string]any{"type": "number", "minimum": 0}
		case "field":
			props[k] = textShape{}.schema()
		case "negative":
			props[k] = orNull(enumShape{"refuse", "allow", "zero"}.schema())
		case "per":
			props[k] = durationShape{}.schema()
		case "since":
			props[k] = orNull(ref("target"))
		}
		if k != "negative" && k != "since" {
			required = append(required, k)
		}
	}
	m := map[string]any{"type": "object", "required": required, "properties": props, "additionalProperties": false}
	if !s.bare {
		return m
	}
	return map[string]any{"anyOf": []any{m, ref("target")}}
}

type anyOneShape struct{}

func (anyOneShape) check(any) string { return "" }
func (anyOneShape) schema() map[string]any {
	items := map[string]any{"type": "array", "minItems": 2, "items": ref("target")}
	return map[string]any{"anyOf": []any{items, map[string]any{
		"type": "object", "required": []any{"any_one_of"}, "additionalProperties": false,
		"properties": map[string]any{"any_one_of": items},
	}}}
}

type nodeShape struct{}

func (nodeShape) check(any) string       { return "" }
func (nodeShape) schema() map[string]any { return ref("formulaNode") }
