package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// tilde resolves a tilde at the beginning of a word: ~, ~/x, ~+, ~-. That of
// another user stays unknown.
func (w *walker) tilde(st *state, ps []piece, parts []syntax.WordPart) {
	if len(ps) == 0 || len(parts) == 0 || ps[0].quoted || !ps[0].known || ps[0].escaped ||
		!strings.HasPrefix(ps[0].text, "~") {
		return
	}
	if _, ok := parts[0].(*syntax.Lit); !ok {
		return
	}
	p := &ps[0]
	name, rest, cut := strings.Cut(p.text, "/")
	if cut {
		rest = "/" + rest
	} else if !endsTilde(ps[1:]) {
		return // ~$X and ~"x" are no tilde
	}
	var v value
	switch name {
	case "~":
		v = w.lookup(st, "HOME")
	case "~+":
		v = w.lookup(st, "PWD")
	case "~-":
		v = w.lookup(st, "OLDPWD")
	}
	p.home = true
	if v.kind == text {
		p.text = strings.TrimSuffix(v.text, "/") + rest
		if p.text == "" {
			p.text = "/"
		}
		// The directory is one word whatever it holds.
		p.quoted = !p.glob
		return
	}
	p.known, p.one, p.dyn, p.glob = false, true, true, false
	p.text = ""
	if ex, ok := v.options(); ok {
		for _, s := range ex {
			p.bound.exact = append(p.bound.exact, s+rest)
		}
	}
}

// endsTilde says whether what follows a tilde ends its name: nothing, or a
// slash that braces brought.
func endsTilde(ps []piece) bool {
	for _, p := range ps {
		if p.known && p.text == "" && !p.quoted {
			continue
		}
		return p.known && !p.quoted && !p.split && strings.HasPrefix(p.text, "/")
	}
	return true
}

// assemble makes words of pieces: unquoted known values are split, an empty
// one vanishes, elements of "$@" end words.
func (w *walker) assemble(st *state, ps []piece) []word {
	ifs := w.lookup(st, "IFS")
	if !needsSplit(ps) {
		u := makeWord(ps)
		if u.known && u.text == "" && !u.quoted {
			return nil
		}
		w.globbing(st, &u)
		return []word{u}
	}
	var out []word
	var cur []piece
	flush := func(force bool) {
		if len(cur) == 0 {
			return
		}
		u := makeWord(cur)
		cur = nil
		if u.known && u.text == "" && !u.quoted && !force {
			return
		}
		w.globbing(st, &u)
		out = append(out, u)
	}
	for _, p := range ps {
		if p.brk {
			flush(false)
		}
		if !p.split || !p.known {
			cur = append(cur, p)
			continue
		}
		fields, lead, trail, ok := splitFields(p.text, ifs)
		if !ok {
			p.known, p.split, p.glob, p.dyn = false, false, false, true
			cur = append(cur, p)
			continue
		}
		if lead {
			flush(false)
		}
		for i, f := range fields {
			if i > 0 {
				flush(true)
			}
			q := p
			q.text, q.split = f, false
			if len(fields) > 1 {
				if i > 0 {
					q.dyn = false
				}
				if p.shape == plain {
					q.typed = f
				} else {
					q.shape, q.shown = plain, p.typed
				}
			}
			cur = append(cur, q)
		}
		if trail {
			flush(false)
		}
	}
	flush(false)
	return out
}

func needsSplit(ps []piece) bool {
	for _, p := range ps {
		if p.split && p.known || p.brk {
			return true
		}
	}
	return false
}

// splitFields splits a value at IFS; lead and trail say that separators stood
// at its ends. Not ok: how it splits is not known.
func splitFields(s string, ifs value) (fields []string, lead, trail, ok bool) {
	switch {
	case ifs.kind == unset, ifs.kind == text && ifs.text == " \t\n":
		fields = strings.FieldsFunc(s, isBlank)
		if s != "" {
			lead = isBlank(rune(s[0]))
			trail = isBlank(rune(s[len(s)-1]))
		}
		return fields, lead, trail, true
	case ifs.kind == text && !strings.ContainsAny(s, ifs.text):
		if s == "" {
			return nil, false, false, true
		}
		return []string{s}, false, false, true
	}
	return nil, false, false, false
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

// makeWord puts the pieces of one word together.
func makeWord(ps []piece) word {
	if len(ps) == 1 && ps[0].known {
		p := ps[0]
		return word{
			typed: p.typed, text: p.text, known: true, shape: p.shape, dyn: p.dyn, glob: p.glob,
			quoted: p.quoted, fed: p.fed, tilde: p.home, shownDyn: p.shown,
		}
	}
	u := word{known: true, closed: true, none: true}
	var typed, text strings.Builder
	lead := true // only empty text so far
	for _, p := range ps {
		if p.known && p.shape == plain && !p.home {
			typed.WriteString(p.text) // of "$A/$X" as much as is known, as the peer shows it
		} else {
			typed.WriteString(p.typed)
		}
		u.quoted = u.quoted || p.quoted
		u.dyn = u.dyn || p.dyn
		u.fed = u.fed || p.fed
		u.tilde = u.tilde || p.home
		if u.shownDyn == "" {
			u.shownDyn = p.shown
		}
		if p.known {
			text.WriteString(p.text)
			u.glob = u.glob || p.glob
			u.shape = max(u.shape, p.shape)
			if p.text != "" {
				lead = false
			}
			continue
		}
		u.known = false
		u.closed = u.closed && p.closed
		u.none = u.none && p.none
		if lead {
			u.hole = u.hole || p.hole
			u.cands = append(u.cands, p.cands...)
		}
		if !p.one && lead || strings.HasPrefix(text.String(), "-") {
			u.open = true
		}
		if p.many || !p.quoted && !p.one {
			u.split = true
		}
		lead = false
	}
	u.typed = typed.String()
	u.none = u.none && text.Len() == 0
	if u.known {
		u.text, u.closed, u.none = text.String(), false, false
		return u
	}
	u.text, u.glob = u.typed, false
	u.bound = boundOf(ps)
	u.pieces = ps
	if len(ps) == 1 {
		u.lists, u.file = ps[0].lists, ps[0].file
	}
	return u
}

// globbing settles whether a word with glob characters is expanded.
func (w *walker) globbing(st *state, u *word) {
	if !u.glob {
		return
	}
	switch st.noglob {
	case on:
		u.glob = false
		return
	case maybe:
		u.known, u.split, u.open, u.glob = false, true, false, false
		u.text = u.typed
	default:
	}
	u.dyn = true
}
