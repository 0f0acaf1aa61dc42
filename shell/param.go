package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// isAt says whether an index is [@].
func isAt(x syntax.ArithmExpr) bool { return indexLit(x) == "@" }

func indexLit(x syntax.ArithmExpr) string {
	if wd, ok := x.(*syntax.Word); ok && wd != nil {
		return wd.Lit()
	}
	return ""
}

// param expands a parameter.
func (w *walker) param(st *state, c ctx, pe *syntax.ParamExp, quoted bool) []piece {
	typed := c.src.slice(pe.Pos(), pe.End())
	if pe.Param == nil || pe.Flags != nil || pe.NestedParam != nil || len(pe.Modifiers) > 0 || pe.Width || pe.IsSet {
		w.innerParts(st, c, pe, true)
		return []piece{{typed: typed, quoted: quoted, dyn: true}}
	}
	name := pe.Param.Value
	if pe.Names != 0 {
		return []piece{{typed: typed, quoted: quoted, dyn: true, many: true}}
	}
	v, many := w.paramValue(st, c, pe)
	v.none = v.none && w.req.Fresh
	simple := !pe.Excl && !pe.Length && pe.Index == nil && pe.Slice == nil && pe.Repl == nil && pe.Exp == nil
	w.promptText(c, pe, v)
	if pe.Excl {
		if v.kind == text && expandsAgain(v.text) {
			w.note("dynamic-script", typed, w.pos(c, pe))
		}
		v, many = w.indirect(st, v), false
	}
	if pe.Length {
		return []piece{w.length(v, many, name, typed, quoted)}
	}
	if many {
		return w.listPieces(st, c, pe, v, typed, quoted)
	}
	if simple {
		return []piece{w.textPiece(v, name, typed, quoted)}
	}
	return w.operated(st, c, pe, v, typed, quoted)
}

// paramValue is the value of a parameter before operators; many: it is all
// elements of a list, as of $@.
func (w *walker) paramValue(st *state, c ctx, pe *syntax.ParamExp) (v value, many bool) {
	name := pe.Param.Value
	switch name {
	case "@", "*":
		return st.params.all(), true
	case "#":
		if pe.Length {
			return value{}, false
		}
		return st.params.count(), false
	case "?", "$":
		return value{oneWord: true}, false
	case "-", "_", "!": // $! is nothing before the first background command
		return value{}, false
	case "0":
		v = wordValue(st.params.zero)
		v.shape = soft // shown as typed, as the peer has it
		return v, false
	}
	if n, err := strconv.Atoi(name); err == nil {
		return st.params.arg(n), false
	}
	switch name {
	case "RANDOM", "SECONDS", "LINENO", "EPOCHSECONDS", "UID", "EUID", "PPID", "BASHPID", "COLUMNS", "LINES":
		if _, ok := st.vars[name]; !ok {
			return value{oneWord: true}, false
		}
	}
	v = w.lookup(st, name)
	if lit := indexLit(pe.Index); name == "BASH_SOURCE" && c.script != nil && (pe.Index == nil || lit == "0") {
		v = wordValue(*c.script)
		v.shape = soft
		return v, false
	}
	if pe.Index == nil {
		switch v.kind {
		case list:
			if len(v.list) == 0 {
				return value{kind: unset}, false
			}
			return known(v.list[0]), false
		case table:
			return value{}, false
		default:
			return v, false
		}
	}
	if lit := indexLit(pe.Index); lit == "@" || lit == "*" {
		switch v.kind {
		case text:
			return value{kind: list, list: []string{v.text}}, true
		case unset:
			return value{kind: list}, true
		case table:
			// The order of keys is bash's own.
			if len(v.table) < 2 {
				for _, s := range v.table {
					return value{kind: list, list: []string{s}}, true
				}
			}
			return value{}, true
		default:
		}
		if _, assigned := st.vars[name]; !assigned {
			v.none = true
		}
		return v, true
	}
	return w.element(st, c, v, pe.Index), false
}

// element is one element of an array.
func (w *walker) element(st *state, c ctx, v value, index syntax.ArithmExpr) value {
	if v.kind == table {
		wd, ok := index.(*syntax.Word)
		if !ok {
			return value{}
		}
		k := w.single(st, c, wd)
		if !k.known {
			return value{}
		}
		if s, ok := v.table[k.text]; ok {
			return known(s)
		}
		return value{kind: unset}
	}
	n, ok := w.arith(st, c, index)
	switch {
	case !ok:
		return value{}
	case v.kind == text && n == 0:
		return v
	case v.kind != list:
		return value{}
	}
	if n < 0 {
		n += int64(len(v.list))
	}
	if n < 0 || n >= int64(len(v.list)) {
		return value{kind: unset}
	}
	return known(v.list[n])
}

// all is $@.
func (p params) all() value {
	if !p.known {
		return value{oneWord: p.feed, none: p.top, lists: p.lists}
	}
	v := value{kind: list}
	for _, u := range p.args {
		if !u.known || u.split {
			return value{}
		}
		v.list = append(v.list, u.text)
		v.shape = max(v.shape, u.shape)
	}
	return v
}

func (p params) count() value {
	if !p.known || slices.ContainsFunc(p.args, func(u word) bool { return u.split }) {
		return value{oneWord: true}
	}
	return softText(strconv.Itoa(len(p.args)))
}

func (p params) arg(n int) value {
	if !p.known {
		return value{}
	}
	for i := range min(n, len(p.args)) {
		if p.args[i].split || p.args[i].glob {
			return value{}
		}
	}
	if n < 1 || n > len(p.args) {
		return value{kind: unset}
	}
	return wordValue(p.args[n-1])
}

// wordValue is a word as the value of a parameter.
func wordValue(u word) value {
	if u.known && !u.glob {
		return value{kind: text, text: u.text, shape: u.shape}
	}
	if u.glob {
		return value{bound: bound{within: []string{u.text}}, oneWord: true}
	}
	v := value{bound: u.bound, oneWord: !u.open && !u.split, fed: u.fed}
	for _, p := range u.pieces {
		if !p.known {
			break
		}
		v.head += p.text
	}
	return v
}

// textPiece is the value of $name in a word.
func (w *walker) textPiece(v value, name, typed string, quoted bool) piece {
	p := piece{typed: typed, quoted: quoted}
	switch v.kind {
	case unset:
		p.known, p.split = true, !quoted
	case text:
		p.known, p.text, p.shape, p.split = true, v.text, v.shape, !quoted
		p.dyn = v.shape != plain
		p.glob = !quoted && hasGlob(v.text)
		if name == "IFS" {
			p.shape, p.dyn = plain, false
		}
	case list, table:
		p.dyn = true
	default:
		p.dyn, p.bound, p.one, p.fed, p.closed, p.none = true, v.bound, v.oneWord, v.fed, v.closed, v.none
	}
	return p
}

// listPieces are the elements of "$@", $*, "${a[@]}".
func (w *walker) listPieces(st *state, c ctx, pe *syntax.ParamExp, v value, typed string, quoted bool) []piece {
	if pe.Slice != nil || pe.Repl != nil || pe.Exp != nil {
		if v.kind == list && pe.Slice != nil {
			if cut, ok := w.sliceList(st, c, pe, v.list); ok {
				v.list = cut
			} else {
				v = value{}
			}
		} else {
			w.innerParts(st, c, pe, true)
			v = value{}
		}
		typed = c.src.slice(pe.Pos(), pe.End())
	}
	star := pe.Param.Value == "*" || indexLit(pe.Index) == "*"
	if v.kind != list {
		return []piece{{typed: typed, quoted: quoted, dyn: true, many: !star || !quoted, fed: v.fed, none: v.none && (!star || !quoted), lists: v.lists}}
	}
	if star && quoted {
		sep := " "
		if ifs := w.lookup(st, "IFS"); ifs.kind == text {
			sep = ifs.text[:min(1, len(ifs.text))]
		} else if ifs.kind == unknown {
			return []piece{{typed: typed, quoted: true, dyn: true}}
		}
		return []piece{{typed: typed, text: strings.Join(v.list, sep), known: true, quoted: true, shape: v.shape, dyn: v.shape != plain}}
	}
	ps := make([]piece, 0, len(v.list))
	for i, s := range v.list {
		ps = append(ps, piece{
			typed: s, text: s, known: true, quoted: quoted, split: !quoted, brk: i > 0,
			glob: !quoted && hasGlob(s),
		})
	}
	return ps
}

// length is ${#name}.
func (w *walker) length(v value, many bool, name, typed string, quoted bool) piece {
	p := piece{typed: typed, quoted: quoted, dyn: true, one: true}
	switch {
	case v.kind == list && many:
		p.known, p.text, p.shape, p.one = true, strconv.Itoa(len(v.list)), soft, false
	case v.kind == text && name != "#":
		p.known, p.text, p.shape, p.one = true, strconv.Itoa(len([]rune(v.text))), soft, false
	}
	return p
}

// indirect is ${!name}.
func (w *walker) indirect(st *state, v value) value {
	if v.kind != text || !isName(v.text) {
		return value{}
	}
	u := w.lookup(st, v.text)
	if u.kind == text {
		u.shape = soft
	}
	return u
}

// innerParts walks the substitutions inside an expansion whose value is not
// followed. They may not run.
func (w *walker) innerParts(st *state, c ctx, n syntax.Node, cond bool) {
	if cond {
		c = c.skippable()
	}
	for _, x := range innerWords(n) {
		w.single(st.clone(), c, x)
	}
}

// innerWords are the words below a parameter expansion.
func innerWords(n syntax.Node) []*syntax.Word {
	var out []*syntax.Word
	syntax.Walk(n, func(x syntax.Node) bool {
		if wd, ok := x.(*syntax.Word); ok {
			out = append(out, wd)
			return false
		}
		if part, ok := x.(syntax.WordPart); ok && x != n {
			switch part.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.DblQuoted, *syntax.ParamExp:
				out = append(out, &syntax.Word{Parts: []syntax.WordPart{part}})
				return false
			}
		}
		return true
	})
	return out
}

func hasGlob(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*', '?':
			return true
		case '[':
			if strings.IndexByte(s[i+1:], ']') >= 0 {
				return true
			}
		case '(':
			if i > 0 && strings.IndexByte("?*+@!", s[i-1]) >= 0 {
				return true
			}
		}
	}
	return false
}
