package rules

import (
	"strings"
	"unicode/utf8"
)

// A glob is a pattern of Python's fnmatch, case-sensitive and over the whole
// text: * crosses / and newlines, ** is *, ? is one character, [abc] [a-z] [!x]
// are classes, a lone [ is itself (rules.md 6).
type glob struct {
	text  string
	parts []globPart
	slash bool // the pattern names a folder: no match by the last path element
	// literal is set for a pattern without special characters.
	literal bool
}

type globPart struct {
	kind  byte // 'c' one character, '?' any, '*' any run, '[' class
	char  rune
	class *globClass
}

type globClass struct {
	negated bool
	ranges  [][2]rune
}

func (k *globClass) has(r rune) bool {
	for _, g := range k.ranges {
		if g[0] <= r && r <= g[1] {
			return !k.negated
		}
	}
	return k.negated
}

// newGlob reads a pattern. Every text is one.
func newGlob(text string) *glob {
	g := &glob{text: text, slash: strings.Contains(text, "/"), literal: true}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch r {
		case '*':
			g.literal = false
			if len(g.parts) == 0 || g.parts[len(g.parts)-1].kind != '*' {
				g.parts = append(g.parts, globPart{kind: '*'})
			}
		case '?':
			g.literal = false
			g.parts = append(g.parts, globPart{kind: '?'})
		case '[':
			class, end := readClass(text, i)
			if class == nil {
				g.parts = append(g.parts, globPart{kind: 'c', char: '['})
				break
			}
			g.literal = false
			g.parts = append(g.parts, globPart{kind: '[', class: class})
			i = end
			continue
		default:
			g.parts = append(g.parts, globPart{kind: 'c', char: r})
		}
		i += n
	}
	if g.literal {
		g.parts = nil
	}
	return g
}

// readClass reads [..] at i and gives the offset after it; nil: a lone [. The
// first character of a class may be ].
func readClass(text string, i int) (*globClass, int) {
	j := i + 1
	if j < len(text) && text[j] == '!' {
		j++
	}
	if j < len(text) && text[j] == ']' {
		j++
	}
	close := strings.IndexByte(text[min(j, len(text)):], ']')
	if close < 0 {
		return nil, 0
	}
	end := j + close
	inner := []rune(text[i+1 : end])
	class := &globClass{}
	if inner[0] == '!' {
		class.negated = true
		inner = inner[1:]
	}
	for k := 0; k < len(inner); {
		if k+2 < len(inner) && inner[k+1] == '-' {
			if inner[k] <= inner[k+2] {
				class.ranges = append(class.ranges, [2]rune{inner[k], inner[k+2]})
			}
			k += 3
			continue
		}
		class.ranges = append(class.ranges, [2]rune{inner[k], inner[k]})
		k++
	}
	return class, end + 1
}

// match says whether the whole text fits. It needs at most len(text) times the
// pattern's length steps.
func (g *glob) match(text string) bool {
	if g.literal {
		return g.text == text
	}
	i, p := 0, 0
	star, retry := -1, 0
	for i < len(text) || p < len(g.parts) {
		if p < len(g.parts) && g.parts[p].kind == '*' {
			if p == len(g.parts)-1 {
				return true
			}
			star, retry = p, i
			p++
			continue
		}
		if i < len(text) && p < len(g.parts) {
			r, n := utf8.DecodeRuneInString(text[i:])
			if g.parts[p].fits(r) {
				i += n
				p++
				continue
			}
		}
		if star < 0 || retry >= len(text) {
			return false
		}
		_, n := utf8.DecodeRuneInString(text[retry:])
		retry += n
		i, p = retry, star+1
	}
	return true
}

func (p globPart) fits(r rune) bool {
	switch p.kind {
	case 'c':
		return p.char == r
	case '?':
		return true
	default:
		return p.class.has(r)
	}
}

// escapeGlob writes text so that a pattern takes it literally.
func escapeGlob(text string) string {
	if !strings.ContainsAny(text, "*?[") {
		return text
	}
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(text)
}
