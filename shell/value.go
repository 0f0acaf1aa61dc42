package shell

import (
	"slices"
	"strings"
)

// A shape says how a known word is shown. The peer knows plain variables only;
// where it would keep a word as typed, so do the fields, and what we know is
// said by a bound (shell.md 4.9).
type shape uint8

const (
	plain  shape = iota // the text is the value
	direct              // begins with $HOME or $PWD: typed in plain fields, the value in path fields
	soft                // typed in every field; the value decides flags, names and bounds
)

// A bound is what an unknown word can be: one of exact, or something that one
// of the globs within matches. The zero bound says nothing.
type bound struct {
	exact  []string
	within []string
}

func (b bound) none() bool { return len(b.exact) == 0 && len(b.within) == 0 }

// maxConstants is how many constants a variable may hold as a bound (shell.md 4.9).
const maxConstants = 8

type valueKind uint8

const (
	unknown valueKind = iota // may be anything, unset included; bound says what
	unset
	text
	list  // an indexed array, all elements known
	table // an associative array, all known
)

// A value is what is known about a variable. The zero value is unknown.
type value struct {
	kind  valueKind
	text  string
	list  []string
	table map[string]string
	shape shape  // of a text: how a word made of it is shown
	bound bound  // of an unknown value
	head  string // of an unknown value: known text it begins with, up to a colon
	// oneWord: unknown, but never empty and never a flag, as a file name that
	// a glob made.
	oneWord bool
	fed     bool     // a placeholder that a runner fills
	closed  bool     // unknown, and constants of the line, those of the bound, are all it can be
	none    bool     // not known to the peer, and nothing in a fresh shell
	lists   [][]word // of $@: one of these, or what none says
}

func known(s string) value     { return value{kind: text, text: s} }
func softText(s string) value  { return value{kind: text, text: s, shape: soft} }
func oneOf(ss ...string) value { return value{bound: bound{exact: ss}} }

// same says whether two values are equal in all that matters later.
func (v value) same(u value) bool {
	if v.kind != u.kind || v.text != u.text || v.shape != u.shape || v.oneWord != u.oneWord || v.closed != u.closed || v.none != u.none {
		return false
	}
	if !slices.Equal(v.list, u.list) || len(v.table) != len(u.table) {
		return false
	}
	for k, x := range v.table {
		if y, ok := u.table[k]; !ok || x != y {
			return false
		}
	}
	return slices.Equal(v.bound.exact, u.bound.exact) && slices.Equal(v.bound.within, u.bound.within)
}

// certain says whether v is one of its options and nothing else.
func (v value) certain() bool { return v.kind == text || v.closed }

// options lists the texts v can be, if they are few and known.
func (v value) options() ([]string, bool) {
	switch v.kind {
	case text:
		return []string{v.text}, true
	case unknown:
		return v.bound.exact, len(v.bound.exact) > 0
	default:
		return nil, false
	}
}

// join is what is known where either of two values may stand.
func (v value) join(u value) value {
	if v.same(u) {
		return v
	}
	if v.kind == text && u.kind == text && v.text == u.text {
		v.shape = max(v.shape, u.shape)
		return v
	}
	a, ok := v.options()
	b, ok2 := u.options()
	if ok && ok2 {
		all := slices.Clone(a)
		for _, s := range b {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
		if len(all) <= maxConstants {
			return value{bound: bound{exact: all}, closed: v.certain() && u.certain()}
		}
		return value{}
	}
	if v.kind == unknown && u.kind == unknown && len(v.bound.within) > 0 && len(u.bound.within) > 0 {
		all := slices.Clone(v.bound.within)
		for _, s := range u.bound.within {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
		if len(all) <= maxConstants {
			return value{bound: bound{within: all}, oneWord: v.oneWord && u.oneWord}
		}
	}
	return value{}
}

// appendText is v after v+=s.
func (v value) appendText(s value) value {
	switch {
	case v.kind == unset:
		return s
	case v.kind == text && s.kind == text:
		return value{kind: text, text: v.text + s.text, shape: max(v.shape, s.shape)}
	default:
		return value{}
	}
}

// isName says whether s can name a variable.
func isName(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}
