package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// again parses words as shell text once more: eval, bash -c, trap, an alias.
// Parts that are not known stand in it as placeholders, which are unknown words
// there; what they may hold besides makes the whole a dynamic-script. A text of
// nothing but unknown parts lists nothing.
func (w *walker) again(st *state, c ctx, words []word, pos int) {
	if texts := alternatives(words); len(texts) > 0 {
		c = c.skippable()
		c.out.lose(c)
		for _, t := range texts {
			child := st.clone()
			w.script(child, c, t, pos)
			*st = *w.join(st, child)
		}
		return
	}
	text, whole, some := w.asText(words)
	if !whole {
		w.note("dynamic-script", joinTyped(words), pos)
		c.out.lose(c)
		if !some {
			w.forgetAll(st)
			return
		}
	}
	w.script(st, c, text, pos)
	if !whole {
		w.forgetAll(st)
	}
}

// alternatives are the texts that words can come to when all that is not known
// in them is one text or nothing.
func alternatives(words []word) []string {
	all, hidden := []string{""}, false
	for i, u := range words {
		ps := u.pieces
		if u.known && !u.fed {
			ps = []piece{{text: u.text, known: true}}
		} else if !u.closed {
			return nil
		}
		for _, p := range ps {
			opts := []string{p.text}
			if !p.known {
				opts, hidden = p.bound.exact, true
			}
			if len(all)*len(opts) > maxConstants {
				return nil
			}
			next := make([]string, 0, len(all)*len(opts))
			for _, a := range all {
				for _, o := range opts {
					next = append(next, a+o)
				}
			}
			all = next
		}
		if i+1 < len(words) {
			for j := range all {
				all[j] += " "
			}
		}
	}
	if !hidden {
		return nil
	}
	return all
}

// asText joins words by blanks. whole: all is known; some: there is more than
// unknown parts.
func (w *walker) asText(words []word) (s string, whole, some bool) {
	var b strings.Builder
	whole = true
	for i, u := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if u.known && !u.fed {
			b.WriteString(u.text)
			some = some || !blank(u.text)
			continue
		}
		whole = false
		if len(u.pieces) == 0 {
			b.WriteString(w.hole(hole{typed: u.typed, fed: u.fed, bound: u.bound}))
			continue
		}
		for _, p := range u.pieces {
			if p.known {
				b.WriteString(p.text)
				some = some || !blank(p.text)
			} else {
				b.WriteString(w.hole(hole{typed: p.typed, fed: p.fed, bound: p.bound}))
			}
		}
	}
	return b.String(), whole, some
}

func (w *walker) hole(h hole) string {
	w.holes = append(w.holes, h)
	return string(rune(holeBase + len(w.holes) - 1))
}

func joinTyped(words []word) string {
	l := make([]string, len(words))
	for i, u := range words {
		l[i] = u.typed
	}
	return strings.Join(l, " ")
}

// quotedText writes a word so that a shell reads it as that word again.
func (w *walker) quotedText(u word) string {
	if !u.known {
		return w.hole(hole{typed: u.typed, fed: u.fed, bound: u.bound})
	}
	q, err := syntax.Quote(u.text, syntax.LangBash)
	if err != nil {
		return w.hole(hole{typed: u.typed})
	}
	return q
}

// forgetAll is the state after text that is not known ran in the shell. The
// directory stays: the line is unresolved anyway, and what is read this way
// (a virtual environment, an agent's variables) rarely moves.
func (w *walker) forgetAll(st *state) {
	w.forgetVars(st)
	st.old = dir{path: st.old.path}
	st.params = params{zero: st.params.zero}
	st.noglob, st.nobrace = maybe, maybe
	st.stack, st.stackLost = nil, true
}

// aliased lists a use of an alias as typed, then its text with the words of the
// use behind it. Scripts of bash do not expand aliases, zsh does.
func (w *walker) aliased(st *state, c ctx, cmd command, name string) bool {
	l := st.aliases[name]
	if len(l) == 0 || c.noAlias == name {
		return false
	}
	in := c
	in.noAlias = name
	w.run(st, in, cmd, "")
	for _, a := range l {
		a.used = true
		in := c
		in.noAlias = name
		in = in.skippable()
		in.op, in.depth, in.wrappers = "wrap", c.depth+1, wrap(c.wrappers, "alias "+name)
		words := []word{a.text}
		for _, u := range cmd.words[1:] {
			if u.known {
				words = append(words, literal(w.quotedText(u), u.pos))
			} else {
				words = append(words, u)
			}
		}
		child := st.clone()
		w.again(child, in, words, cmd.pos)
		*st = *w.join(st, child)
	}
	return true
}
