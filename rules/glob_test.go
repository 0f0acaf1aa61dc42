package rules

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"db/*", "db/deep/x", true},
		{"db/*", "db", false},
		{"*.sql", "dump.sql", true},
		{"*.sql", "dump.SQL", false},
		{"**", "a/b", true},
		{"a**b", "a/x/b", true},
		{"*DROP *", "x\nDROP y", true},
		{"a?c", "aüc", true},
		{"a?c", "ac", false},
		{"[abc]x", "bx", true},
		{"[!abc]x", "bx", false},
		{"[!abc]x", "dx", true},
		{"[a-c]x", "bx", true},
		{"[c-a]x", "bx", false},
		{"[", "[", true},
		{"[a", "[a", true},
		{"[]]", "]", true},
		{"[!]]", "x", true},
		{"[*]", "*", true},
		{"[*]", "x", false},
		{"[[]x", "[x", true},
		{"a\\*", "a\\b", true},
		{"", "", true},
		{"", "x", false},
		{"*", "", true},
		{"a*a", "a", false},
		{"*a*b*", "xxaxxbxx", true},
		{"*ab*ab", "ab", false},
		{"*a[b]?", "xxabc", true},
	} {
		if got := newGlob(tt.pattern).match(tt.text); got != tt.want {
			t.Errorf("%q on %q: %v, want %v", tt.pattern, tt.text, got, tt.want)
		}
	}
}

// reference turns a pattern into a regular expression, class by class, as
// Python's fnmatch does.
func reference(pattern string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch c := runes[i]; c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteString(".")
		case '[':
			j := i + 1
			if j < len(runes) && runes[j] == '!' {
				j++
			}
			if j < len(runes) && runes[j] == ']' {
				j++
			}
			for j < len(runes) && runes[j] != ']' {
				j++
			}
			if j == len(runes) {
				b.WriteString(`\[`)
				break
			}
			b.WriteString(classReference(runes[i+1 : j]))
			i = j
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String())
}

func classReference(inner []rune) string {
	negated := inner[0] == '!'
	if negated {
		inner = inner[1:]
	}
	var b strings.Builder
	for k := 0; k < len(inner); k++ {
		lo, hi := inner[k], inner[k]
		if k+2 < len(inner) && inner[k+1] == '-' {
			hi = inner[k+2]
			k += 2
		}
		if lo <= hi {
			b.WriteString(regexp.QuoteMeta(string(lo)) + "-" + regexp.QuoteMeta(string(hi)))
		}
	}
	switch {
	case b.Len() == 0 && negated:
		return "."
	case b.Len() == 0:
		return `[^\x00-\x{10FFFF}]`
	case negated:
		return "[^" + classText(b.String()) + "]"
	}
	return "[" + classText(b.String()) + "]"
}

// classText escapes what QuoteMeta leaves alone but a class does not.
func classText(s string) string { return strings.ReplaceAll(s, "!", `\x21`) }

var (
	globTexts  = rapid.StringMatching(`[ab/*?\[\]!x-]{0,8}`)
	plainTexts = rapid.StringMatching(`[ab/x\]!-]{0,8}`)
)

func TestGlobReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern, text := globTexts.Draw(t, "pattern"), plainTexts.Draw(t, "text")
		if got, want := newGlob(pattern).match(text), reference(pattern).MatchString(text); got != want {
			t.Fatalf("%q on %q: %v, want %v", pattern, text, got, want)
		}
	})
}

// TestGlobMeets: two patterns meet exactly when some text fits both; over this
// alphabet a short one is among all texts of the length of both together.
func TestGlobMeets(t *testing.T) {
	alphabet := []string{"a", "b", "/"}
	var texts []string
	level := []string{""}
	for range 6 {
		texts = append(texts, level...)
		var next []string
		for _, s := range level {
			for _, c := range alphabet {
				next = append(next, s+c)
			}
		}
		level = next
	}
	patterns := rapid.StringMatching(`([ab/*?]|\[ab\]|\[!a\]){0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		g, h := newGlob(patterns.Draw(t, "g")), newGlob(patterns.Draw(t, "h"))
		got := g.meets(h)
		if got != h.meets(g) {
			t.Fatalf("%q and %q: not symmetric", g.text, h.text)
		}
		want := false
		for _, s := range texts {
			if g.match(s) && h.match(s) {
				want = true
				break
			}
		}
		if got != want {
			t.Fatalf("%q meets %q: %v, want %v", g.text, h.text, got, want)
		}
	})
}

func TestEscapeGlob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := globTexts.Draw(t, "s")
		if !newGlob(escapeGlob(s)).match(s) {
			t.Fatalf("%q does not fit its escape %q", s, escapeGlob(s))
		}
		if other := plainTexts.Draw(t, "other"); other != s && newGlob(escapeGlob(s)).match(other) {
			t.Fatalf("the escape of %q takes %q", s, other)
		}
	})
}
