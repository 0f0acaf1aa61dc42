package ltl

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A ParseError says where a formula text is wrong.
type ParseError struct {
	Pos  int    // offset of the offending token in characters, from 0; the text's length for its end
	Want string // what could stand there
	Got  string // the token, or "end"
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("character %d: want %s, got %s", e.Pos, e.Want, e.Got)
}

// kind is a token's class; punctuation is its own kind.
type kind uint8

const (
	tokEnd kind = iota
	tokName
	tokString
	tokNumber
	tokVar
	tokCmp
	tokArrow
	tokMatch // a whole match(...) atom, read by the caller's hook
	tokPunct
)

type token struct {
	kind  kind
	text  string // without quotes and $
	at    int    // offset in characters
	match Matcher
}

// is says whether the token is that punctuation.
func (t token) is(punct string) bool { return t.kind == tokPunct && t.text == punct }

// word is the token as an error shows it.
func (t token) word() string {
	switch t.kind {
	case tokEnd:
		return "end"
	case tokString:
		return `"` + t.text + `"`
	case tokVar:
		return "$" + t.text
	default:
		return t.text
	}
}

type lexer struct {
	text string
	i    int // byte
	at   int // character
	hook func(src string, at int) (Matcher, int, error)
	toks []token
}

// lex reads the whole text first: an unknown character is reported before any
// mistake of grammar in front of it, as the Python parser does.
func lex(text string, hook func(string, int) (Matcher, int, error)) ([]token, error) {
	l := &lexer{text: text, hook: hook}
	for l.i < len(l.text) {
		if err := l.next(); err != nil {
			return nil, err
		}
	}
	return append(l.toks, token{kind: tokEnd, at: l.at}), nil
}

func (l *lexer) next() error {
	rest := l.text[l.i:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == ' ' || r == '\t' || r == '\r' || r == '\n':
		l.skip(1)
	case r == '"':
		end := strings.IndexByte(rest[1:], '"')
		if end < 0 {
			return &ParseError{l.at, "a closing quote", `"`}
		}
		l.emit(tokString, rest[1:end+1], end+2)
	case strings.HasPrefix(rest, "->"):
		l.emit(tokArrow, "->", 2)
	case r >= '0' && r <= '9', r == '-' && len(rest) > 1 && isDigit(rest[1]):
		n := numberLen(rest)
		l.emit(tokNumber, rest[:n], n)
	case r == '<' || r == '>':
		n := 1
		if len(rest) > 1 && rest[1] == '=' {
			n = 2
		}
		l.emit(tokCmp, rest[:n], n)
	case strings.HasPrefix(rest, "=="):
		l.emit(tokCmp, "==", 2)
	case nameLen(rest) > 0:
		n := nameLen(rest)
		l.emit(tokName, rest[:n], n)
		if l.hook != nil && strings.EqualFold(rest[:n], "match") {
			return l.matchAtom()
		}
	case r == '$' && nameLen(rest[1:]) > 0:
		n := nameLen(rest[1:]) + 1
		l.emit(tokVar, rest[1:n], n)
	case strings.ContainsRune("()[],!&|=:@", r):
		l.emit(tokPunct, rest[:1], 1)
	default:
		return &ParseError{l.at, "a token", rest[:size]}
	}
	return nil
}

// matchAtom lets the hook read what stands between the parentheses of match(…):
// its text follows another grammar.
func (l *lexer) matchAtom() error {
	l.space()
	if l.i == len(l.text) || l.text[l.i] != '(' {
		return nil // the parser says what is missing
	}
	l.skip(1)
	l.space()
	m, end, err := l.hook(l.text, l.i)
	if err != nil {
		if p, ok := errors.AsType[*ParseError](err); ok {
			return p
		}
		return &ParseError{l.at, "a target (" + err.Error() + ")", firstRune(l.text[l.i:])}
	}
	l.skip(end - l.i)
	last := &l.toks[len(l.toks)-1]
	last.kind, last.match = tokMatch, m
	return nil
}

func (l *lexer) space() {
	for l.i < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.i]) >= 0 {
		l.skip(1)
	}
}

func (l *lexer) emit(k kind, text string, size int) {
	l.toks = append(l.toks, token{kind: k, text: text, at: l.at})
	l.skip(size)
}

func (l *lexer) skip(size int) {
	l.at += utf8.RuneCountInString(l.text[l.i : l.i+size])
	l.i += size
}

func firstRune(s string) string {
	if s == "" {
		return "end"
	}
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// numberLen is the length of -?digits[.digits] at the start of s.
func numberLen(s string) int {
	n := 0
	if s[0] == '-' {
		n++
	}
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n+1 < len(s) && s[n] == '.' && isDigit(s[n+1]) {
		for n++; n < len(s) && isDigit(s[n]); n++ {
		}
	}
	return n
}

// nameLen is the length of the name at the start of s, 0 if there is none.
func nameLen(s string) int {
	for i := range len(s) {
		c := s[i]
		if c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && isDigit(c) {
			continue
		}
		return i
	}
	return len(s)
}

func isName(s string) bool { return s != "" && nameLen(s) == len(s) }
