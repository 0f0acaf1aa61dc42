package trace

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep arrays and objects may nest, as in encoding/json; deeper
// documents count as broken (rules.md 17), and the parser recurses.
const maxDepth = 10_000

// DecodeJSON reads one JSON document as the values that Args holds. It answers
// as encoding/json with UseNumber does: number literals are kept as they came,
// the last of equal keys counts, bytes that are not UTF-8 become U+FFFD. Text
// after the document is an error. It is written out here because every hook
// reads its payload and every catch-up each entry of a trace through it: it
// takes a third of the time, and the strings of a document share one copy of it.
func DecodeJSON(data []byte) (any, error) { return decodeText(string(data)) }

func decodeText(text string) (any, error) {
	p := parser{s: text}
	v, err := p.document()
	if err != nil {
		return nil, err
	}
	return v, nil
}

// A parser reads the document s from position i on.
type parser struct {
	s     string
	i     int
	depth int
}

func (p *parser) document() (any, error) {
	p.space()
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	p.space()
	if p.i < len(p.s) {
		return nil, fmt.Errorf("text after the JSON document at byte %d", p.i)
	}
	return v, nil
}

func (p *parser) fail(want string) error {
	if p.i >= len(p.s) {
		return fmt.Errorf("the JSON text ends at byte %d, where %s should stand", len(p.s), want)
	}
	return fmt.Errorf("no JSON at byte %d: %q where %s should stand", p.i, p.s[p.i], want)
}

func (p *parser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\r', '\n':
			p.i++
		default:
			return
		}
	}
}

// peek is the next byte, 0 at the end: no JSON text holds a bare NUL.
func (p *parser) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *parser) value() (any, error) {
	switch c := p.peek(); c {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return p.text()
	case 't':
		return true, p.word("true")
	case 'f':
		return false, p.word("false")
	case 'n':
		return nil, p.word("null")
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return p.number()
		}
		return nil, p.fail("a value")
	}
}

func (p *parser) word(w string) error {
	if !strings.HasPrefix(p.s[p.i:], w) {
		return p.fail("a value")
	}
	p.i += len(w)
	return nil
}

func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return fmt.Errorf("JSON nested deeper than %d levels at byte %d", maxDepth, p.i)
	}
	p.i++
	p.space()
	return nil
}

func (p *parser) leave() {
	p.depth--
	p.i++
}

func (p *parser) object() (any, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	m := map[string]any{}
	if p.peek() == '}' {
		p.leave()
		return m, nil
	}
	for {
		if p.peek() != '"' {
			return nil, p.fail("a key")
		}
		k, err := p.text()
		if err != nil {
			return nil, err
		}
		p.space()
		if p.peek() != ':' {
			return nil, p.fail("a colon")
		}
		p.i++
		p.space()
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		m[k] = v
		p.space()
		switch p.peek() {
		case ',':
			p.i++
			p.space()
		case '}':
			p.leave()
			return m, nil
		default:
			return nil, p.fail("a comma or the end of the object")
		}
	}
}

func (p *parser) array() (any, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	list := []any{}
	if p.peek() == ']' {
		p.leave()
		return list, nil
	}
	for {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		p.space()
		switch p.peek() {
		case ',':
			p.i++
			p.space()
		case ']':
			p.leave()
			return list, nil
		default:
			return nil, p.fail("a comma or the end of the list")
		}
	}
}

func (p *parser) number() (any, error) {
	start := p.i
	if p.peek() == '-' {
		p.i++
	}
	switch {
	case p.peek() == '0':
		p.i++
	case !p.digits():
		return nil, p.fail("a digit")
	}
	if p.peek() == '.' {
		p.i++
		if !p.digits() {
			return nil, p.fail("a digit")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.i++
		if c := p.peek(); c == '+' || c == '-' {
			p.i++
		}
		if !p.digits() {
			return nil, p.fail("a digit")
		}
	}
	return json.Number(p.s[start:p.i]), nil
}

func (p *parser) digits() bool {
	start := p.i
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.i++
	}
	return p.i > start
}

// text reads a string; one without escapes and broken bytes is a part of s.
func (p *parser) text() (string, error) {
	p.i++
	start := p.i
	plain := true // so far only bytes below 0x80
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '"':
			t := p.s[start:p.i]
			p.i++
			if !plain && !utf8.ValidString(t) {
				t = replaceBroken(t)
			}
			return t, nil
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			return "", p.fail("a character of a string")
		default:
			plain = plain && c < utf8.RuneSelf
			p.i++
		}
	}
	return "", p.fail("the end of the string")
}

// replaceBroken puts one U+FFFD for each byte that is not UTF-8.
func replaceBroken(s string) string { return string([]rune(s)) }

// escaped goes on from the first backslash of a string.
func (p *parser) escaped(start int) (string, error) {
	b := append(make([]byte, 0, 2*(p.i-start)+32), p.s[start:p.i]...)
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '"':
			p.i++
			if t := string(b); utf8.ValidString(t) {
				return t, nil
			}
			return replaceBroken(string(b)), nil
		case c < 0x20:
			return "", p.fail("a character of a string")
		case c != '\\':
			b = append(b, c)
			p.i++
		default:
			p.i++
			var err error
			if b, err = p.escape(b); err != nil {
				return "", err
			}
		}
	}
	return "", p.fail("the end of the string")
}

func (p *parser) escape(b []byte) ([]byte, error) {
	c := p.peek()
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return p.unicode(b)
	default:
		return nil, p.fail("an escape")
	}
	p.i++
	return append(b, c), nil
}

// unicode reads what follows "\u". Half of a surrogate pair is U+FFFD.
func (p *parser) unicode(b []byte) ([]byte, error) {
	r, ok := hex4(p.s, p.i+1)
	if !ok {
		return nil, p.fail("four hexadecimal digits")
	}
	p.i += 5
	if utf16.IsSurrogate(r) {
		low, ok := rune(0), false
		if strings.HasPrefix(p.s[p.i:], `\u`) {
			low, ok = hex4(p.s, p.i+2)
		}
		if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
			p.i += 6
		}
	}
	return utf8.AppendRune(b, r), nil
}

func hex4(s string, i int) (r rune, ok bool) {
	if len(s) < i+4 {
		return 0, false
	}
	for _, c := range []byte(s[i : i+4]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
