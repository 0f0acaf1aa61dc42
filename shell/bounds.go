package shell

import "strings"

// boundOf is what a word of several pieces, not all known, can be (shell.md 4.9).
func boundOf(ps []piece) bound {
	if b, ok := exactBound(ps); ok {
		return b
	}
	if b, ok := withinBound(ps); ok {
		return b
	}
	// Unknown text with a literal end: the end is certain when the unknown part
	// cannot bring a word's end of its own.
	last := ps[len(ps)-1]
	if !last.known || last.text == "" || strings.Contains(last.text, "/") {
		return bound{}
	}
	for _, p := range ps {
		if !p.known && (p.many || !p.quoted && !p.one) {
			return bound{}
		}
	}
	return bound{within: []string{"/*" + quoteGlob(last.text)}}
}

// exactBound joins the pieces in every combination, if those are few.
func exactBound(ps []piece) (bound, bool) {
	all := []string{""}
	for _, p := range ps {
		opts := p.bound.exact
		if p.known {
			opts = []string{p.text}
		}
		if len(opts) == 0 || len(all)*len(opts) > maxValues {
			return bound{}, false
		}
		next := make([]string, 0, len(all)*len(opts))
		for _, a := range all {
			for _, o := range opts {
				next = append(next, a+o)
			}
		}
		all = next
	}
	return bound{exact: all}, true
}

// withinBound is one bounded piece between known ones.
func withinBound(ps []piece) (bound, bool) {
	var head, tail string
	var globs []string
	for _, p := range ps {
		switch {
		case p.known && globs == nil:
			head += quoteGlob(p.text)
		case p.known:
			tail += quoteGlob(p.text)
		case globs != nil || len(p.bound.within) == 0:
			return bound{}, false
		default:
			globs = p.bound.within
		}
	}
	var b bound
	for _, g := range globs {
		if head != "" && strings.HasPrefix(g, "/") {
			return bound{}, false
		}
		b.within = append(b.within, head+g+tail)
	}
	return b, len(b.within) > 0
}

// absolute makes the texts of a bound absolute: they are paths as a command in
// d would read them.
func (b bound) absolute(d dir) bound {
	if !d.known {
		return bound{}
	}
	out := bound{}
	for _, s := range b.exact {
		for _, base := range append([]string{d.path}, d.alts...) {
			out.exact = append(out.exact, join(base, s))
		}
	}
	for _, s := range b.within {
		for _, base := range append([]string{d.path}, d.alts...) {
			out.within = append(out.within, join(base, s))
		}
	}
	return out
}
