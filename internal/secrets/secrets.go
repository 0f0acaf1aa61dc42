// Package secrets knows what credentials look like.
//
// [Scan] finds them in text, [Redact] replaces them, [RedactValue] does so in
// all texts of a JSON value. Patterns are compiled when a literal part of theirs
// occurs in the text, so that scanning ordinary output costs a few substring
// searches. The package never returns or prints a value it found.
package secrets

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// MaxScan is how many characters of a text are looked at (rules.md 13).
const MaxScan = 1_000_000

// A Finding is one credential in a text: what it is and where it stands.
type Finding struct {
	Kind       string
	Start, End int // byte offsets
}

// A pattern is one kind of credential. It is tried only where one of its
// literals occurs.
type pattern struct {
	kind     string
	literals []string
	re       func() *regexp.Regexp
}

func kind(name, expr string, literals ...string) pattern {
	return pattern{name, literals, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// patterns are tried in this order; of two that overlap the earlier counts.
var patterns = sync.OnceValue(func() []pattern {
	return []pattern{
		kind("private key", `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s]*)`, "PRIVATE KEY"),
		kind("age secret key", `\bAGE-SECRET-KEY-1[0-9A-Z]{50,}`, "AGE-SECRET-KEY-1"),
		kind("AWS access key ID", `\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`, "AKIA", "ASIA"),
		kind("GitHub token", `\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
		kind("GitLab token", `\bglpat-[A-Za-z0-9_-]{20,}`, "glpat-"),
		kind("Slack token", `\bxox[abprs]-[A-Za-z0-9-]{10,}`, "xox"),
		kind("Stripe key", `\b[rs]k_live_[A-Za-z0-9]{16,}`, "k_live_"),
		kind("Google API key", `\bAIza[A-Za-z0-9_-]{35}`, "AIza"),
		kind("Anthropic API key", `\bsk-ant-[A-Za-z0-9_-]{20,}`, "sk-ant-"),
		kind("OpenAI API key", `\bsk-[A-Za-z0-9_-]{40,}`, "sk-"),
		kind("npm token", `\bnpm_[A-Za-z0-9]{36}\b`, "npm_"),
		kind("JSON web token", `\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`, "eyJ"),
		kind("Azure shared access signature", `[?&]sig=[A-Za-z0-9%+/]{30,}(?:%3[dD]|=)*`, "sig="),
		kind("Google service account key", `"private_key_id"\s*:\s*"[0-9a-f]{40}"`, "private_key_id"),
	}
})

// Extra compiles patterns of settings.scan_extra. One that is no RE2 expression
// is an error.
func Extra(exprs []string) ([]*regexp.Regexp, error) {
	var out []*regexp.Regexp
	for _, e := range exprs {
		re, err := regexp.Compile(e)
		if err != nil {
			return nil, fmt.Errorf("scan_extra %q: %w", e, err)
		}
		out = append(out, re)
	}
	return out, nil
}

// extraKind names what a pattern of scan_extra found.
const extraKind = "value that scan_extra names"

// Scan finds credentials in the first [MaxScan] characters of a text, in order
// of place.
func Scan(text string, extra ...*regexp.Regexp) []Finding {
	text = head(text)
	var found []Finding
	add := func(kind string, spans [][]int) {
		for _, s := range spans {
			f := Finding{kind, s[0], s[1]}
			if f.Start < f.End && !slices.ContainsFunc(found, f.overlaps) {
				found = append(found, f)
			}
		}
	}
	for _, p := range patterns() {
		if slices.ContainsFunc(p.literals, func(l string) bool { return strings.Contains(text, l) }) {
			add(p.kind, p.re().FindAllStringIndex(text, -1))
		}
	}
	for _, re := range extra {
		add(extraKind, re.FindAllStringIndex(text, -1))
	}
	slices.SortFunc(found, func(a, b Finding) int { return a.Start - b.Start })
	return found
}

func (f Finding) overlaps(g Finding) bool { return f.Start < g.End && g.Start < f.End }

// head is the part of a text that is scanned.
func head(text string) string {
	if len(text) <= MaxScan {
		return text
	}
	n := 0
	for i := range text {
		if n == MaxScan {
			return text[:i]
		}
		n++
	}
	return text
}

// Kinds lists the kinds of findings, each once, in order.
func Kinds(found []Finding) []string {
	var out []string
	for _, f := range found {
		if !slices.Contains(out, f.Kind) {
			out = append(out, f.Kind)
		}
	}
	return out
}

// Redact replaces each credential in a text by words that name its kind.
func Redact(text string, extra ...*regexp.Regexp) (string, []string) {
	found := Scan(text, extra...)
	if len(found) == 0 {
		return text, nil
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Start])
		fmt.Fprintf(&b, "[redacted: %s]", f.Kind)
		at = f.End
	}
	b.WriteString(text[at:])
	return b.String(), Kinds(found)
}

// RedactValue redacts all texts of a decoded JSON value, keys too. It returns a
// new value where something was found, else the same.
func RedactValue(v any, extra ...*regexp.Regexp) (any, []string) {
	r := redactor{extra: extra, left: MaxScan}
	out := r.value(v)
	return out, r.kinds
}

// A redactor walks a value; left is how many characters are still scanned.
type redactor struct {
	extra []*regexp.Regexp
	kinds []string
	left  int
}

func (r *redactor) value(v any) any {
	switch v := v.(type) {
	case string:
		return r.text(v)
	case []any:
		var out []any
		for i, e := range v {
			if n := r.value(e); out != nil || !same(n, e) {
				if out == nil {
					out = slices.Clone(v)
				}
				out[i] = n
			}
		}
		if out != nil {
			return out
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		out := make(map[string]any, len(v))
		changed := false
		for _, k := range keys {
			nk, nv := r.text(k), r.value(v[k])
			changed = changed || nk != k || !same(nv, v[k])
			out[nk] = nv
		}
		if changed {
			return out
		}
	}
	return v
}

func (r *redactor) text(s string) string {
	if r.left <= 0 || len(s) < 8 {
		return s
	}
	r.left -= utf8.RuneCountInString(s)
	out, kinds := Redact(s, r.extra...)
	for _, k := range kinds {
		if !slices.Contains(r.kinds, k) {
			r.kinds = append(r.kinds, k)
		}
	}
	return out
}

// same says whether a walk left a value as it was: texts by value, the rest by
// being handed back.
func same(a, b any) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && a == b
	case []any:
		b, ok := b.([]any)
		return ok && len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !same(v, w) {
				return false
			}
		}
		return true
	default:
		return true // numbers, booleans and null are never changed
	}
}
