package shell

import (
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// operated is ${name op word}.
func (w *walker) operated(st *state, c ctx, pe *syntax.ParamExp, v value, typed string, quoted bool) []piece {
	var out value
	var cands []string
	switch {
	case pe.Exp != nil:
		out, cands = w.expansion(st, c, pe, v, quoted)
	case pe.Slice != nil:
		out = w.sliceText(st, c, pe, v)
	case pe.Repl != nil:
		out = w.replaceText(st, c, pe, v)
	default: // ${a[i]}, ${!a}
		out = v
	}
	p := w.textPiece(out, "", typed, quoted)
	if p.known && (pe.Exp != nil || pe.Slice != nil || pe.Repl != nil) {
		p.shape, p.dyn = soft, true
	}
	p.cands = cands
	return []piece{p}
}

// expansion is ${name:-word}, ${name#word} and their like.
func (w *walker) expansion(st *state, c ctx, pe *syntax.ParamExp, v value, quoted bool) (value, []string) {
	op := pe.Exp.Op
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
		syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return w.defaulted(st, c, pe, v, quoted)
	}
	pat, patKnown := w.pattern(st, c, pe.Exp.Word)
	if !patKnown {
		return value{}, nil
	}
	f := func(s string) (string, bool) { return "", false }
	switch op {
	case syntax.RemSmallPrefix:
		f = func(s string) (string, bool) { return cutPrefix(s, pat, false), true }
	case syntax.RemLargePrefix:
		f = func(s string) (string, bool) { return cutPrefix(s, pat, true), true }
	case syntax.RemSmallSuffix:
		f = func(s string) (string, bool) { return cutSuffix(s, pat, false), true }
	case syntax.RemLargeSuffix:
		f = func(s string) (string, bool) { return cutSuffix(s, pat, true), true }
	case syntax.UpperAll, syntax.UpperFirst, syntax.LowerAll, syntax.LowerFirst:
		if pe.Exp.Word == nil {
			f = func(s string) (string, bool) { return changeCase(s, op), true }
		}
	}
	return mapValue(v, f), nil
}

// mapValue applies f to what v is or can be.
func mapValue(v value, f func(string) (string, bool)) value {
	switch v.kind {
	case unset:
		v = softText("")
		fallthrough
	case text:
		if len(v.text) > maxPattern {
			return value{}
		}
		if s, ok := f(v.text); ok {
			return softText(s)
		}
	case unknown:
		var out []string
		for _, s := range v.bound.exact {
			t, ok := f(s)
			if !ok {
				return value{}
			}
			out = append(out, t)
		}
		return value{bound: bound{exact: out}, closed: v.closed}
	default:
	}
	return value{}
}

// defaulted is ${name:-word}, ${name:=word}, ${name:+word}, ${name:?word}.
func (w *walker) defaulted(st *state, c ctx, pe *syntax.ParamExp, v value, quoted bool) (value, []string) {
	op := pe.Exp.Op
	null := op == syntax.DefaultUnsetOrNull || op == syntax.AssignUnsetOrNull ||
		op == syntax.AlternateUnsetOrNull || op == syntax.ErrorUnsetOrNull
	// missing: the word is used (or, for +, not used).
	missing := maybe
	switch v.kind {
	case unset:
		missing = on
	case text:
		missing = off
		if null && v.text == "" {
			missing = on
		}
	case list, table:
		missing = off
	default:
	}
	alternate := op == syntax.AlternateUnset || op == syntax.AlternateUnsetOrNull
	used := missing
	if alternate && missing != maybe {
		used = on - missing
	}
	in := c
	if used != on {
		in = c.skippable()
	}
	ist := st
	if used != on {
		ist = st.clone()
	}
	ps := []piece{}
	if pe.Exp.Word != nil {
		ps = w.pieces(ist, in, pe.Exp.Word.Parts, quoted)
		w.tilde(ist, ps, pe.Exp.Word.Parts)
	}
	u := wordValue(w.oneWord(ps, 0))
	if u.kind == text {
		u.shape = soft
	}
	if used != on && ist != st {
		*st = *w.join(st, ist)
	}
	switch op {
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if missing == on {
			return value{}, nil
		}
		return v, nil
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		switch missing {
		case on:
			return softText(""), nil
		case off:
			return u, nil
		default:
			return value{}, textsOf(u)
		}
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		name := pe.Param.Value
		if isName(name) && pe.Index == nil {
			switch missing {
			case on:
				w.set(st, name, u)
			case maybe:
				w.set(st, name, value{})
			default:
			}
		}
	}
	switch missing {
	case on:
		return u, nil
	case off:
		return v, nil
	default:
	}
	// A variable that holds constants only: any of them, or the word.
	if ex, ok := v.options(); ok {
		if d, ok := u.options(); ok {
			all := value{closed: v.closed && u.kind == text}
			for _, s := range ex {
				if s != "" || !null {
					all.bound.exact = append(all.bound.exact, s)
				}
			}
			all.bound.exact = append(all.bound.exact, d...)
			return all, textsOf(u)
		}
	}
	return value{}, textsOf(u)
}

func textsOf(v value) []string {
	if s, ok := v.options(); ok {
		return s
	}
	return nil
}

// pattern expands the pattern of an operator; quoted parts stand for themselves.
func (w *walker) pattern(st *state, c ctx, x *syntax.Word) (string, bool) {
	if x == nil {
		return "", true
	}
	ps := w.pieces(st, c, x.Parts, false)
	var b strings.Builder
	ok := true
	for i, p := range ps {
		if _, ext := x.Parts[min(i, len(x.Parts)-1)].(*syntax.ExtGlob); ext || !p.known {
			ok = false
			continue
		}
		// An unquoted backslash has quoted a character already: the text of a
		// literal is taken from the source again to keep it.
		if lit, isLit := partAt(x.Parts, i, len(ps)); isLit && !p.quoted {
			b.WriteString(lit)
			continue
		}
		if p.quoted {
			b.WriteString(quoteGlob(p.text))
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String(), ok
}

// partAt is the literal that made piece i, if parts and pieces correspond.
func partAt(parts []syntax.WordPart, i, n int) (string, bool) {
	if len(parts) != n {
		return "", false
	}
	lit, ok := parts[i].(*syntax.Lit)
	if !ok {
		return "", false
	}
	return lit.Value, true
}

func (w *walker) sliceText(st *state, c ctx, pe *syntax.ParamExp, v value) value {
	from, ok := w.arith(st, c, pe.Slice.Offset)
	n, ok2 := int64(-1<<62), true
	if pe.Slice.Length != nil {
		n, ok2 = w.arith(st, c, pe.Slice.Length)
	}
	if !ok || !ok2 || v.kind != text {
		return value{}
	}
	r := []rune(v.text)
	a, b, ok := bounds(from, n, int64(len(r)))
	if !ok {
		return softText("")
	}
	return softText(string(r[a:b]))
}

func (w *walker) sliceList(st *state, c ctx, pe *syntax.ParamExp, l []string) ([]string, bool) {
	from, ok := w.arith(st, c, pe.Slice.Offset)
	n, ok2 := int64(-1<<62), true
	if pe.Slice.Length != nil {
		n, ok2 = w.arith(st, c, pe.Slice.Length)
	}
	if !ok || !ok2 || n < 0 && pe.Slice.Length != nil {
		return nil, false
	}
	if pe.Param.Value == "@" || pe.Param.Value == "*" {
		if from < 1 {
			return nil, false // $0 belongs to it
		}
		from--
	}
	a, b, ok := bounds(from, n, int64(len(l)))
	if !ok {
		return nil, true
	}
	return l[a:b], true
}

// bounds are the ends of a slice of n from an offset; n below the smallest
// length means all the rest.
func bounds(from, n, size int64) (a, b int64, ok bool) {
	if from < 0 {
		from += size
	}
	if from < 0 || from > size {
		return 0, 0, false
	}
	end := size
	switch {
	case n == -1<<62:
	case n < 0:
		end = size + n
	case n < size-from:
		end = from + n
	}
	if end < from {
		return 0, 0, false
	}
	return from, end, true
}

func (w *walker) replaceText(st *state, c ctx, pe *syntax.ParamExp, v value) value {
	pat, ok := w.pattern(st, c, pe.Repl.Orig)
	with := literal("", 0)
	if pe.Repl.With != nil {
		with = w.single(st, c, pe.Repl.With)
	}
	if !ok || !with.known || strings.Contains(with.text, "&") {
		return value{}
	}
	w.spend(len(v.text) * (1 + len(pat)) / 256)
	return mapValue(v, func(s string) (string, bool) {
		return replace(s, pat, with.text, pe.Repl.All), true
	})
}

func changeCase(s string, op syntax.ParExpOperator) string {
	r := []rune(s)
	for i := range r {
		if i > 0 && (op == syntax.UpperFirst || op == syntax.LowerFirst) {
			break
		}
		if op == syntax.UpperAll || op == syntax.UpperFirst {
			r[i] = unicode.ToUpper(r[i])
		} else {
			r[i] = unicode.ToLower(r[i])
		}
	}
	return string(r)
}
