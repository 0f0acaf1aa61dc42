package rules

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// A glob is a pattern of Python's fnmatch, case-sensitive and over the whole
// text: * crosses / and newlines, ** is *, ? is one character, [abc] [a-z] [!x]
// are classes, a lone [ is itself (rules.md 6). It is taken apart when it is
// first matched: most patterns of a rule set never are.
type glob struct {
	text  string
	slash bool // the pattern names a folder: no match by the last path element

	once    sync.Once
	literal bool       // no special characters: the text itself
	words   []string   // only * is special: the literal pieces between the stars
	parts   []globPart // anything else
	needs   string     // of parts: a piece that every match holds
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
	return &glob{text: text, slash: strings.IndexByte(text, '/') >= 0}
}

func (g *glob) read() {
	switch {
	case strings.IndexByte(g.text, '*') < 0 && strings.IndexByte(g.text, '?') < 0 && strings.IndexByte(g.text, '[') < 0:
		g.literal = true
	case strings.IndexByte(g.text, '?') < 0 && strings.IndexByte(g.text, '[') < 0:
		g.words = strings.Split(g.text, "*")
	default:
		g.parts = globParts(g.text)
		g.needs = longestLiteral(g.parts)
	}
}

func globParts(text string) []globPart {
	var parts []globPart
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch r {
		case '*':
			if len(parts) == 0 || parts[len(parts)-1].kind != '*' {
				parts = append(parts, globPart{kind: '*'})
			}
		case '?':
			parts = append(parts, globPart{kind: '?'})
		case '[':
			class, end := readClass(text, i)
			if class == nil {
				parts = append(parts, globPart{kind: 'c', char: '['})
				break
			}
			parts = append(parts, globPart{kind: '[', class: class})
			i = end
			continue
		default:
			parts = append(parts, globPart{kind: 'c', char: r})
		}
		i += n
	}
	return parts
}

// longestLiteral is the longest run of plain characters.
func longestLiteral(parts []globPart) string {
	var best, run []rune
	for _, p := range parts {
		if p.kind != 'c' || p.char == utf8.RuneError {
			run = nil
			continue
		}
		if run = append(run, p.char); len(run) > len(best) {
			best = run
		}
	}
	return string(best)
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
	n := strings.IndexByte(text[min(j, len(text)):], ']')
	if n < 0 {
		return nil, 0
	}
	end := j + n
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

// match says whether the whole text fits. With stars alone it needs one pass
// over the text, else at most the text's length times the pattern's.
func (g *glob) match(text string) bool {
	g.once.Do(g.read)
	switch {
	case g.literal:
		return g.text == text
	case g.words != nil:
		return matchWords(g.words, text)
	case !strings.Contains(text, g.needs):
		return false
	}
	return matchParts(g.parts, text)
}

// matchWords matches pieces with stars between them: the first begins the text,
// the last ends it, the others follow each other.
func matchWords(words []string, text string) bool {
	text, ok := strings.CutPrefix(text, words[0])
	if !ok {
		return false
	}
	last := len(words) - 1
	if text, ok = strings.CutSuffix(text, words[last]); !ok {
		return false
	}
	for _, w := range words[1:last] {
		i := strings.Index(text, w)
		if i < 0 {
			return false
		}
		text = text[i+len(w):]
	}
	return true
}

func matchParts(parts []globPart, text string) bool {
	i, p := 0, 0
	star, retry := -1, 0
	for i < len(text) || p < len(parts) {
		if p < len(parts) && parts[p].kind == '*' {
			if p == len(parts)-1 {
				return true
			}
			star, retry = p, i
			p++
			continue
		}
		if i < len(text) && p < len(parts) {
			r, n := utf8.DecodeRuneInString(text[i:])
			if parts[p].fits(r) {
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
