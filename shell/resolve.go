package shell

import (
	"slices"
	"strings"
)

// A resolved path is an operand as a path field shows it, with what is not
// certain about it.
type resolved struct {
	shown   string
	unknown bool
	glob    bool
	alts    []string // other places, where a cd may not have worked
	bound   bound    // absolute
}

// resolve makes an operand absolute from a directory.
func (w *walker) resolve(base dir, u word) resolved {
	if u.known && u.shape != soft {
		r := resolved{shown: u.text, glob: u.glob}
		switch {
		case u.shape == plain && holdsExpansion(u.text) && !homeText(u.text):
			// Quoted, so it is a plain name; but the peer takes the characters
			// for an expansion, and a script may be meant to make one of it.
			r.unknown = true
			if !startsExpansion(u.text) {
				r.shown = join(base.path, u.text)
			}
			return r
		case staysAsTyped(u.text):
			return r
		}
		r.shown = join(base.path, u.text)
		if !strings.HasPrefix(u.text, "/") {
			r.unknown = !base.known
			if base.known {
				for _, a := range base.alts {
					r.alts = append(r.alts, join(a, u.text))
				}
			}
		}
		if r.glob {
			r.bound = w.globBound(base, u.text)
		}
		return r
	}
	r := resolved{shown: u.typed, unknown: true}
	switch {
	case u.known:
		if b := (bound{exact: []string{u.text}}); !staysAsTyped(u.text) || u.text == "" {
			r.bound = b.absolute(base)
		}
	default:
		r.bound = u.bound.absolute(base)
	}
	if len(u.pieces) > 0 && u.pieces[0].known && homeText(u.typed) {
		r.shown = join(base.path, u.pieces[0].text+strings.TrimPrefix(u.typed, u.pieces[0].typed))
	} else if !startsExpansion(u.typed) && !strings.HasPrefix(u.typed, "~") && !staysAsTyped(u.typed) {
		r.shown = join(base.path, u.typed)
	}
	return r
}

// staysAsTyped names operands that are no paths below a directory.
func staysAsTyped(s string) bool {
	return s == "" || s[0] == '-' || isURL(s)
}

func startsExpansion(s string) bool {
	return strings.HasPrefix(s, "$") || strings.HasPrefix(s, "`") || strings.HasPrefix(s, "<(") || strings.HasPrefix(s, ">(")
}

func holdsExpansion(s string) bool {
	return strings.ContainsAny(s, "$`") || strings.Contains(s, "{}") || strings.Contains(s, "<(")
}

func homeText(s string) bool {
	return strings.HasPrefix(s, "$HOME") || strings.HasPrefix(s, "${HOME}")
}

// pathKey is how a file is known by name within one line.
func (w *walker) pathKey(base dir, u word) string {
	r := w.resolve(base, u)
	if r.unknown && len(r.bound.exact) == 1 {
		return r.bound.exact[0]
	}
	return r.shown
}

// places are the files that a word may name: the first is its pathKey.
func (w *walker) places(base dir, u word) []string {
	r := w.resolve(base, u)
	return slices.Concat([]string{w.pathKey(base, u)}, r.alts, r.bound.exact)
}
