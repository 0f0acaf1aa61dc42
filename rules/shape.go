package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A shape is what a value of the rule file may look like: the loader checks
// with it, and the JSON Schema is made of it, so the two cannot disagree.
type shape interface {
	check(v any) string // what is wrong, in words that follow "KEY is "; "" if nothing
	schema() map[string]any
}

type textShape struct{ blank bool }

func (s textShape) check(v any) string {
	if t, ok := v.(string); !ok || !s.blank && strings.TrimSpace(t) == "" {
		return "text"
	}
	return ""
}

func (s textShape) schema() map[string]any {
	m := map[string]any{"type": "string"}
	if !s.blank {
		m["pattern"] = `\S`
	}
	return m
}

// A printedShape is text; other values are printed as text.
type printedShape struct{}

func (printedShape) check(any) string { return "" }

func (printedShape) schema() map[string]any { return map[string]any{} }

type boolShape struct{}

func (boolShape) check(v any) string {
	if _, ok := v.(bool); !ok {
		return "true or false"
	}
	return ""
}

func (boolShape) schema() map[string]any { return map[string]any{"type": "boolean"} }

type intShape struct{ min, max int }

func (s intShape) check(v any) string {
	n, ok := wholeNumber(v)
	if ok && n >= s.min && (s.max == 0 || n <= s.max) {
		return ""
	}
	if s.max != 0 {
		return fmt.Sprintf("a whole number from %d to %d", s.min, s.max)
	}
	return fmt.Sprintf("a whole number, %d or more", s.min)
}

func (s intShape) schema() map[string]any {
	m := map[string]any{"type": "integer", "minimum": s.min}
	if s.max != 0 {
		m["maximum"] = s.max
	}
	return m
}

type enumShape []string

func (s enumShape) check(v any) string {
	t, ok := v.(string)
	if ok && slices.Contains(s, t) {
		return ""
	}
	return "one of " + strings.Join(s, ", ")
}

// meant names the word that a wrong value of an enumeration is nearest to.
func meant(s shape, v any) string {
	words, isEnum := s.(enumShape)
	text, isText := v.(string)
	if !isEnum || !isText {
		return ""
	}
	return didYouMean(text, words)
}

func (s enumShape) schema() map[string]any { return map[string]any{"enum": stringList(s)} }

// A listShape is a list of texts.
type listShape struct{ of string }

func (s listShape) check(v any) string {
	items, ok := v.([]any)
	if !ok {
		return "a list of " + s.of
	}
	for _, e := range items {
		if _, ok := e.(string); !ok {
			return "a list of " + s.of
		}
	}
	return ""
}

func (s listShape) schema() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
}

// A pairOrShape is one of words, or a mapping that gives one for each half.
type pairOrShape struct {
	words  enumShape
	halves [2]string
}

func (s pairOrShape) check(v any) string {
	if m, ok := v.(map[string]any); ok {
		for k, e := range m {
			if k != s.halves[0] && k != s.halves[1] {
				return fmt.Sprintf("one of %s, or a mapping with %s and %s", strings.Join(s.words, ", "), s.halves[0], s.halves[1])
			}
			if msg := s.words.check(e); msg != "" {
				return k + ": " + msg
			}
		}
		return ""
	}
	if s.words.check(v) == "" {
		return ""
	}
	return fmt.Sprintf("one of %s, or a mapping with %s and %s", strings.Join(s.words, ", "), s.halves[0], s.halves[1])
}

func (s pairOrShape) schema() map[string]any {
	half := s.words.schema()
	return map[string]any{"anyOf": []any{half, map[string]any{
		"type": "object", "additionalProperties": false,
		"properties": map[string]any{s.halves[0]: half, s.halves[1]: half},
	}}}
}

type durationShape struct{}

func (durationShape) check(v any) string {
	if d, ok := duration(v); !ok || d < 0 {
		return "a duration such as 10m, or a number of seconds"
	}
	return ""
}

func (durationShape) schema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "number", "minimum": 0},
		map[string]any{"type": "string", "pattern": `^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*$|^\+?0$`},
	}}
}

type dateShape struct{}

func (dateShape) check(v any) string {
	if _, ok := date(v); !ok {
		return "a date such as " + time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	return ""
}

func (dateShape) schema() map[string]any {
	return map[string]any{"type": "string", "format": "date", "pattern": `^\d{4}-\d{2}-\d{2}$`}
}

// An objectShape is a mapping with known keys.
type objectShape struct {
	keys []key
	min  int // fewest keys
}

// A key is one key of a mapping: the loader's table and the schema's.
type key struct {
	name     string
	shape    shape
	doc      string // one sentence
	example  string // YAML
	required bool
	later    bool // belongs to a later release: refused with words that say so
}

func keyNames(keys []key) []string {
	var names []string
	for _, k := range keys {
		if !k.later {
			names = append(names, k.name)
		}
	}
	return names
}

func findKey(keys []key, name string) *key {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

// unknownKey words a key that is not known, or not yet.
func unknownKey(where, name string, keys []key) string {
	if k := findKey(keys, name); k != nil && k.later {
		return fmt.Sprintf("%s: %s belongs to a later release", where, name)
	}
	return fmt.Sprintf("%s: unknown key %q%s", where, clip(name, 40), didYouMean(name, keyNames(keys)))
}

func (s objectShape) check(v any) string {
	m, ok := v.(map[string]any)
	if !ok || len(m) < s.min {
		return "a mapping with " + list(keyNames(s.keys), "and")
	}
	for _, name := range sortedKeys(m) {
		k := findKey(s.keys, name)
		if k == nil || k.later {
			return "a mapping with " + list(keyNames(s.keys), "and") + fmt.Sprintf("; unknown key %q%s", name, didYouMean(name, keyNames(s.keys)))
		}
		if m[name] == nil && !k.required {
			continue
		}
		if msg := k.shape.check(m[name]); msg != "" {
			return fmt.Sprintf("a mapping whose %s is %s, not %s", name, msg, describe(m[name]))
		}
	}
	for _, k := range s.keys {
		if k.required && m[k.name] == nil {
			return "a mapping that needs " + k.name
		}
	}
	return ""
}

func (s objectShape) schema() map[string]any {
	props := map[string]any{}
	var required []any
	for _, k := range s.keys {
		if k.later {
			continue
		}
		if k.required {
			required = append(required, k.name)
		}
		props[k.name] = k.described(k.required)
	}
	m := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
	if s.min > 0 {
		m["minProperties"] = s.min
	}
	if required != nil {
		m["required"] = required
	}
	return m
}

// described is the key's schema with its sentence and example. A key that is
// not required may be left empty.
func (k key) described(required bool) map[string]any {
	s := map[string]any{}
	inner := k.shape.schema()
	if required {
		maps.Copy(s, inner)
	} else {
		maps.Copy(s, orNull(inner))
	}
	if k.doc != "" {
		s["description"] = k.doc + " Example: `" + k.name + ": " + k.example + "`"
	}
	return s
}

// A listOrShape is one of a kind, or a list of them.
type listOrShape struct{ of shape }

func (s listOrShape) check(v any) string {
	items, ok := v.([]any)
	if !ok {
		return s.of.check(v)
	}
	for _, e := range items {
		if msg := s.of.check(e); msg != "" {
			return msg
		}
	}
	return ""
}

func (s listOrShape) schema() map[string]any {
	one := s.of.schema()
	return map[string]any{"anyOf": []any{one, map[string]any{"type": "array", "items": one}}}
}

// An anyShape takes the first of its shapes that fits.
type anyShape []shape

func (s anyShape) check(v any) string {
	var msgs []string
	for _, one := range s {
		msg := one.check(v)
		if msg == "" {
			return ""
		}
		msgs = append(msgs, msg)
	}
	return strings.Join(msgs, ", or ")
}

func (s anyShape) schema() map[string]any {
	var of []any
	for _, one := range s {
		of = append(of, one.schema())
	}
	return map[string]any{"anyOf": of}
}

// A freeShape takes any value.
type freeShape struct{}

func (freeShape) check(any) string       { return "" }
func (freeShape) schema() map[string]any { return map[string]any{} }
