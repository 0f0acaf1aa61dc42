package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// What a target may cost (trust.md 13, row 22).
const (
	maxPattern = 4096 // characters of one glob or regular expression
	maxTargets = 5000 // parts of one target
)

// A targetReader turns decoded JSON into targets. Problems are collected, so
// that all of them are told.
type targetReader struct {
	ctx         *Context
	with, where map[string]any // of the rule: added to every part, winning over its own
	problems    []string
	parts       int
}

func (r *targetReader) failf(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// target reads one target; the result is only to be used if no problem came up.
func (r *targetReader) target(v any) *target {
	t := &target{ctx: r.ctx}
	r.add(t, v)
	return t
}

func (r *targetReader) add(t *target, v any) {
	if r.parts++; r.parts > maxTargets {
		if r.parts == maxTargets+1 {
			r.failf("a target of more than %d parts", maxTargets)
		}
		return
	}
	switch v := v.(type) {
	case string:
		r.name(t, []any{v})
	case []any:
		if !slices.ContainsFunc(v, func(e any) bool { _, ok := e.(map[string]any); return ok }) {
			r.name(t, v)
			return
		}
		for _, e := range v {
			r.add(t, e)
		}
	case map[string]any:
		r.mapping(t, v)
	case nil:
		r.failf("a target is missing")
	default:
		r.failf("a target is a tool name, a list of names, or a mapping with tool, not %s", describe(v))
	}
}

// name adds a part for one name or any of a list of names.
func (r *targetReader) name(t *target, names []any) {
	var p part
	p.tools = r.tools(names)
	r.narrow(&p, nil, nil)
	t.parts = append(t.parts, p)
}

func (r *targetReader) tools(v any) []toolName {
	var list []any
	switch v := v.(type) {
	case string:
		list = []any{v}
	case []any:
		list = v
	case nil:
	default:
		r.failf("tool is a name or a list of names, not %s", describe(v))
		return nil
	}
	if len(list) == 0 {
		r.failf("tool needs a name, or a list with at least one")
	}
	var out []toolName
	for _, e := range list {
		s, ok := e.(string)
		if !ok || strings.TrimSpace(s) == "" {
			r.failf("tool is a name or a list of names, not %s", describe(e))
			return nil
		}
		n := toolName{name: s}
		if strings.Contains(s, "*") {
			r.length(s)
			n.glob = newGlob(s)
		}
		out = append(out, n)
	}
	return out
}

func (r *targetReader) mapping(t *target, m map[string]any) {
	var p part
	for _, k := range sortedKeys(m) {
		if !slices.Contains(targetKeyNames(), k) {
			r.failf("unknown key %q in a target%s; a target takes %s", clip(k, 40), didYouMean(k, targetKeyNames()), list(targetKeyNames(), "and"))
		}
	}
	tool, effect := m["tool"], m["effect"]
	switch {
	case tool != nil && effect != nil:
		r.failf("a target takes tool or effect, not both")
	case effect != nil:
		p.effects = r.effects(effect)
	case tool == nil:
		r.failf("a target needs tool: a name or a list of names (or effect)")
	default:
		p.tools = r.tools(tool)
	}
	p.remote = r.boolean(m, "remote")
	p.exists = r.boolean(m, "exists")
	p.succeeded = r.boolean(m, "succeeded")
	p.each = r.globs("each", m["each"])
	p.outside = r.folders("outside", m["outside"])
	p.inside = r.folders("inside", m["inside"])
	if not := m["not"]; not != nil {
		inner := targetReader{ctx: r.ctx}
		p.not = inner.target(not)
		for _, msg := range inner.problems {
			r.failf("not: %s", msg)
		}
	}
	r.regex(&p, m)
	r.narrow(&p, m["with"], m["where"])
	t.parts = append(t.parts, p)
}

// narrow fills with and where, the rule's own keys winning.
func (r *targetReader) narrow(p *part, with, where any) {
	p.with = r.with_(mergeMaps(r.mapOf("with", with), r.with))
	p.where = r.globs("where", anyMap(mergeMaps(r.mapOf("where", where), r.where)))
}

func anyMap(m map[string]any) any {
	if m == nil {
		return nil
	}
	return m
}

func mergeMaps(a, b map[string]any) map[string]any {
	if len(b) == 0 {
		return a
	}
	out := map[string]any{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

func (r *targetReader) mapOf(key string, v any) map[string]any {
	switch v := v.(type) {
	case nil:
		return nil
	case map[string]any:
		return v
	}
	r.failf("%s is a mapping of arguments, not %s", key, describe(v))
	return nil
}

func (r *targetReader) with_(m map[string]any) []withCond {
	var out []withCond
	for _, k := range sortedKeys(m) {
		w := withCond{arg: k, expected: m[k]}
		if s, ok := m[k].(string); ok {
			switch {
			case isVariable(s):
				w.variable, w.expected = s[1:], nil
			case strings.HasPrefix(s, "$$") && isVariable(s[1:]):
				w.expected = s[1:]
			}
		}
		out = append(out, w)
	}
	return out
}

func (r *targetReader) globs(key string, v any) []globCond {
	m := r.mapOf(key, v)
	var out []globCond
	for _, k := range sortedKeys(m) {
		c := globCond{arg: k, globs: &globSet{}}
		if items, ok := m[k].([]any); !ok || len(items) > 0 { // an empty list matches nothing
			c.patterns = r.patterns(key+"."+k, m[k], "a pattern or a list of patterns")
		}
		for _, s := range c.patterns {
			r.length(s)
		}
		out = append(out, c)
	}
	return out
}

func (r *targetReader) folders(key string, v any) []string {
	if v == nil {
		return nil
	}
	return r.patterns(key, v, "a folder or a list of folders")
}

// patterns reads text or a list of text that is not empty.
func (r *targetReader) patterns(key string, v any, what string) []string {
	items, ok := v.([]any)
	if !ok {
		items = []any{v}
	}
	if len(items) == 0 {
		r.failf("%s is %s: the list is empty", key, what)
	}
	var out []string
	for _, e := range items {
		s, ok := e.(string)
		if !ok {
			r.failf("%s is %s, not %s", key, what, describe(e))
			return nil
		}
		out = append(out, s)
	}
	return out
}

// length checks a pattern's: matching costs its length for each character.
func (r *targetReader) length(s string) {
	if len(s) > maxPattern && utf8.RuneCountInString(s) > maxPattern {
		r.failf("a pattern of more than %d characters", maxPattern)
	}
}

func (r *targetReader) boolean(m map[string]any, key string) *bool {
	v, ok := m[key]
	if !ok || v == nil {
		return nil
	}
	b, ok := v.(bool)
	if !ok {
		r.failf("%s is true or false, not %s", key, describe(v))
		return nil
	}
	return &b
}

// effectNames are what a call can do (shell.md 6).
var effectNames = [...]string{"append", "delete", "exec", "meta", "net", "read", "truncate", "write"}

func (r *targetReader) effects(v any) []string {
	names := r.patterns("effect", v, "an effect or a list of effects")
	for _, n := range names {
		if !slices.Contains(effectNames[:], n) {
			r.failf("unknown effect %q%s; effects are %s", n, didYouMean(n, effectNames[:]), list(effectNames[:], "and"))
		}
	}
	return names
}

func (r *targetReader) regex(p *part, m map[string]any) {
	source, field := m["matches"], m["field"]
	if source == nil {
		for _, k := range []string{"field", "case"} {
			if m[k] != nil {
				r.failf("%s needs matches: a regular expression", k)
			}
		}
		return
	}
	text, ok := source.(string)
	if !ok {
		r.failf("matches is a regular expression, not %s", describe(source))
		return
	}
	name, ok := field.(string)
	if field != nil && (!ok || name == "") {
		r.failf("field is the name of an argument, not %s", describe(field))
	}
	sensitive := false
	if c := r.boolean(m, "case"); c != nil {
		sensitive = *c
	}
	if len(text) > maxPattern {
		r.failf("matches: more than %d characters", maxPattern)
		return
	}
	var err error
	if p.regex, err = newRegexCond(text, name, sensitive); err != nil {
		r.failf("matches: %s", regexWords(err))
	}
}

func parseRegexp(s string) (*syntax.Regexp, error) { return syntax.Parse(s, syntax.Perl) }

// regexWords says what is wrong with a regular expression, with a hint for what
// other engines know and RE2 does not.
func regexWords(err error) string {
	msg := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	for _, s := range []string{"(?=", "(?!", "(?<=", "(?<!", "invalid or unsupported Perl syntax"} {
		if strings.Contains(msg, s) {
			return msg + " (RE2 has no look-around and no back-references)"
		}
	}
	return msg
}

// describe names a value of the wrong type without repeating long text.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case bool:
		return fmt.Sprint(v)
	case json.Number:
		return "the number " + string(v)
	case string:
		if v == "" {
			return "empty text"
		}
		if strings.TrimSpace(v) == "" {
			return "blank text"
		}
		return fmt.Sprintf("the text %q", clip(v, 40))
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list"
	case map[string]any:
		return "a mapping"
	}
	return fmt.Sprintf("%T", v)
}

// kindOf names a value without its content: what stands in place of a whole
// section may be no rule file of ours at all (trust.md 2).
func kindOf(v any) string {
	if _, ok := v.(string); ok {
		return "text"
	}
	return describe(v)
}

// clip cuts text to n characters.
func clip(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// targetKeyNames are the keys of a target written as a mapping.
func targetKeyNames() []string {
	return []string{"tool", "effect", "with", "where", "exists", "succeeded", "each", "outside", "inside", "not", "matches", "field", "case", "remote"}
}
