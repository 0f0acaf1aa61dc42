package shell

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// words expands a list of words in order.
func (w *walker) words(st *state, c ctx, list []*syntax.Word) []word {
	out := make([]word, 0, len(list))
	for _, x := range list {
		out = append(out, w.word(st, c, x)...)
	}
	return out
}

// word expands one word as a command's argument: braces, then parameters and
// substitutions, then splitting. It may come to several words, or none.
func (w *walker) word(st *state, c ctx, x *syntax.Word) []word {
	if !w.spend(1) {
		return nil
	}
	if len(x.Parts) == 1 {
		if lit, ok := x.Parts[0].(*syntax.Lit); ok && simpleLit(lit.Value) {
			return []word{literal(lit.Value, w.pos(c, x))}
		}
	}
	list, whole := w.braces(st, x)
	if !whole {
		typed := c.src.slice(x.Pos(), x.End())
		return []word{{typed: typed, text: typed, split: true, dyn: true, pos: w.pos(c, x)}}
	}
	out := make([]word, 0, len(list))
	for _, b := range list {
		if len(list) > 1 && !w.spend(2) {
			return nil
		}
		ps := w.pieces(st, c, b.Parts, false)
		w.tilde(st, ps, b.Parts)
		made := w.assemble(st, ps)
		for i := range made {
			made[i].pos = w.pos(c, x)
			if (st.nobrace == maybe || w.req.Dialect == POSIX) && len(list) > 1 {
				made[i] = made[i].lost()
			}
		}
		out = append(out, made...)
	}
	return out
}

// lost is the word as one that is not known.
func (u word) lost() word {
	u.known, u.text, u.split, u.open, u.dyn, u.glob = false, u.typed, true, true, true, false
	u.bound = bound{}
	return u
}

// simpleLit says whether a literal stands for itself.
func simpleLit(s string) bool {
	if s == "" || s[0] == '~' {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\', '*', '?', '[', '{', '=':
			return false
		}
		if s[i] >= 0xF3 { // placeholders of eval are beyond
			return false
		}
	}
	return true
}

// braces expands braces; false when there are too many words.
func (w *walker) braces(st *state, x *syntax.Word) ([]*syntax.Word, bool) {
	if st.nobrace == on {
		return []*syntax.Word{x}, true
	}
	split := &syntax.Word{Parts: x.Parts}
	if !syntax.SplitBraces(split) {
		return []*syntax.Word{x}, true
	}
	var list []*syntax.Word
	for b, err := range expand.BracesSeq(nil, split) {
		if err != nil || len(list) == maxBraces {
			return nil, false
		}
		list = append(list, b)
	}
	return list, true
}

// single expands a word that stays one word: an assigned value, the word of a
// case, a here-string.
func (w *walker) single(st *state, c ctx, x *syntax.Word) word {
	if x == nil {
		return literal("", 0)
	}
	ps := w.pieces(st, c, x.Parts, false)
	w.tilde(st, ps, x.Parts)
	return w.oneWord(ps, w.pos(c, x))
}

// assigned expands the value of an assignment: tildes count after colons, too.
func (w *walker) assigned(st *state, c ctx, x *syntax.Word) word {
	if x == nil {
		return literal("", 0)
	}
	ps := w.pieces(st, c, x.Parts, false)
	w.tilde(st, ps, x.Parts)
	for i := range ps {
		if p := &ps[i]; p.known && !p.quoted && !p.split && strings.Contains(p.text, ":~") {
			home := w.lookup(st, "HOME")
			p.known = home.kind == text
			p.text = strings.ReplaceAll(p.text+":", ":~/", ":"+home.text+"/")
			p.text = strings.TrimSuffix(strings.ReplaceAll(p.text, ":~:", ":"+home.text+":"), ":")
		}
	}
	return w.oneWord(ps, w.pos(c, x))
}

// oneWord puts pieces together without splitting and without globbing.
func (w *walker) oneWord(ps []piece, pos int) word {
	for i := range ps {
		ps[i].split, ps[i].glob, ps[i].brk = false, false, false
		if i > 0 && ps[i].many {
			ps[i].one = false
		}
	}
	u := makeWord(ps)
	u.split = false
	u.pos = pos
	return u
}

// pieces expands the parts of a word.
func (w *walker) pieces(st *state, c ctx, parts []syntax.WordPart, quoted bool) []piece {
	ps := make([]piece, 0, len(parts))
	for i, part := range parts {
		switch x := part.(type) {
		case *syntax.Lit:
			before := len(ps)
			if quoted {
				ps = w.addLiteral(ps, unescape(x.Value, "$`\"\\"), true)
			} else {
				next := i+1 < len(parts)
				ps = w.unquotedLit(ps, x.Value, next)
			}
			if looksDynamic(x.Value, quoted) {
				for j := range ps[before:] {
					ps[before+j].dyn = true
				}
			}
		case *syntax.SglQuoted:
			s := x.Value
			if x.Dollar {
				s = ansiC(s)
			}
			ps = w.addLiteral(ps, s, true)
		case *syntax.DblQuoted:
			inner := w.pieces(st, c, x.Parts, true)
			if len(inner) == 0 && !emptyList(x.Parts) {
				inner = []piece{{known: true, quoted: true}}
			}
			ps = append(ps, inner...)
		case *syntax.ParamExp:
			ps = append(ps, w.param(st, c, x, quoted)...)
		case *syntax.CmdSubst:
			ps = append(ps, w.substitution(st, c, x, quoted))
		case *syntax.ArithmExp:
			typed := c.src.slice(x.Pos(), x.End())
			p := piece{typed: typed, quoted: quoted, dyn: true, one: true}
			if n, ok := w.arith(st, c, x.X); ok {
				p.known, p.text, p.shape, p.one = true, itoa(n), soft, false
			}
			ps = append(ps, p)
		case *syntax.ProcSubst:
			out := w.procSubst(st, c, x)
			p := piece{typed: c.src.slice(x.Pos(), x.End()), dyn: true, one: true, quoted: true}
			p.bound.exact = []string{"/dev/fd/63"} // no file
			if text, ok := out.known(); ok && x.Op == syntax.CmdIn {
				p.file = &text
			}
			ps = append(ps, p)
		case *syntax.ExtGlob:
			s := x.Op.String() + x.Pattern.Value + ")"
			ps = append(ps, piece{typed: s, text: s, known: true, glob: true})
		default:
			s := c.src.slice(part.Pos(), part.End())
			ps = append(ps, piece{typed: s, dyn: true})
		}
	}
	return ps
}

// emptyList says whether a quoted part is nothing but "$@" or "${a[@]}", which
// without elements is no word at all.
func emptyList(parts []syntax.WordPart) bool {
	if len(parts) != 1 {
		return false
	}
	pe, ok := parts[0].(*syntax.ParamExp)
	if !ok {
		return false
	}
	return pe.Param != nil && pe.Param.Value == "@" || isAt(pe.Index)
}

// addLiteral adds known text, and unknown pieces where it holds placeholders.
func (w *walker) addLiteral(ps []piece, s string, quoted bool) []piece {
	if len(w.holes) == 0 || !strings.ContainsFunc(s, w.isHole) {
		return append(ps, piece{typed: s, text: s, known: true, quoted: quoted})
	}
	start := 0
	for i, r := range s {
		if !w.isHole(r) {
			continue
		}
		if i > start {
			ps = append(ps, piece{typed: s[start:i], text: s[start:i], known: true, quoted: quoted})
		}
		h := w.holes[r-holeBase]
		ps = append(ps, piece{typed: h.typed, quoted: quoted, dyn: true, fed: h.fed, bound: h.bound, hole: true})
		start = i + len(string(r))
	}
	if start < len(s) {
		ps = append(ps, piece{typed: s[start:], text: s[start:], known: true, quoted: quoted})
	}
	return ps
}

// unquotedLit adds an unquoted literal: a backslash quotes the next character.
func (w *walker) unquotedLit(ps []piece, s string, followed bool) []piece {
	if !strings.ContainsAny(s, "\\*?[") {
		return w.addLiteral(ps, s, false)
	}
	var b strings.Builder
	glob, escaped := false, false
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; ch {
		case '\\':
			if i+1 < len(s) {
				i++
				escaped = true
			}
			b.WriteByte(s[i])
		case '*', '?':
			glob = true
			b.WriteByte(ch)
		case '[':
			// A lone bracket is itself; one that is closed may match.
			glob = glob || strings.IndexByte(s[i+1:], ']') >= 0 || followed
			b.WriteByte(ch)
		default:
			b.WriteByte(ch)
		}
	}
	before := len(ps)
	ps = w.addLiteral(ps, b.String(), false)
	for i := before; i < len(ps); i++ {
		ps[i].glob = glob && ps[i].known
		ps[i].escaped = escaped
	}
	return ps
}

// looksDynamic says whether the peer takes a literal for one that the shell would
// still expand: grep "x$" f, echo [a.
func looksDynamic(s string, quoted bool) bool {
	if s == "[" {
		return false // the command
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '$', s[i] == '[' && !quoted:
			return true
		}
	}
	return false
}

// unescape removes backslashes before the given characters.
func unescape(s, special string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] == '\n' {
				i++
				continue
			}
			if strings.IndexByte(special, s[i+1]) >= 0 {
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
