package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assign carries out an assignment in the shell itself.
func (w *walker) assign(st *state, c ctx, a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	if a.Naked {
		return
	}
	v := w.assignedValue(st, c, a)
	if c.loop != nil && c.repeated && v.kind == text {
		v.shape = soft // another round may have another value
	}
	w.set(st, name, v)
	if w.inherits(name) || st.vars[name].exported {
		w.envExec(name, v, c.src.slice(a.Pos(), a.End()), w.pos(c, a))
	}
	if name == "PS4" && v.kind == text && expandsAgain(v.text) {
		w.note("dynamic-script", c.src.slice(a.Pos(), a.End()), w.pos(c, a)) // set -x runs it
	}
	w.envLine(st, c, name, v, w.pos(c, a)) // the environment may well hold it
}

// assignedValue is what the variable is afterwards.
func (w *walker) assignedValue(st *state, c ctx, a *syntax.Assign) value {
	old := value{kind: unset}
	if a.Append || a.Index != nil {
		old = w.lookup(st, a.Name.Value)
	}
	switch {
	case a.Array != nil:
		return w.arrayValue(st, c, old, a)
	case a.Index != nil:
		return w.elementSet(st, c, old, a)
	}
	u := w.assigned(st, c, a.Value)
	v := wordValue(u)
	if u.glob {
		v = known(u.text)
	}
	if a.Append {
		return old.appendText(v)
	}
	return v
}

func (w *walker) arrayValue(st *state, c ctx, old value, a *syntax.Assign) value {
	v := value{kind: list}
	if w.lookup(st, a.Name.Value).kind == table || slices.ContainsFunc(a.Array.Elems, func(e *syntax.ArrayElem) bool { return e.Index != nil }) {
		return w.tableValue(st, c, a)
	}
	if a.Append {
		switch old.kind {
		case list:
			v.list = slices.Clone(old.list)
		case text:
			v.list = []string{old.text}
		case unset:
		default:
			v.kind = unknown
		}
	}
	for _, e := range a.Array.Elems {
		for _, u := range w.word(st, c, e.Value) {
			if !u.known || u.glob {
				v.kind = unknown
			}
			v.list = append(v.list, u.text)
		}
	}
	if v.kind == unknown || len(v.list) > maxBraces {
		return value{}
	}
	return v
}

// tableValue is an associative array, or an indexed one with explicit indexes,
// of which the elements are not followed.
func (w *walker) tableValue(st *state, c ctx, a *syntax.Assign) value {
	v := value{kind: table, table: map[string]string{}}
	assoc := w.lookup(st, a.Name.Value).kind == table
	for _, e := range a.Array.Elems {
		var u word
		if e.Value != nil {
			u = w.single(st, c, e.Value)
		}
		wd, ok := e.Index.(*syntax.Word)
		if !ok || e.Value != nil && !u.known {
			v.kind = unknown
			continue
		}
		k := w.single(st, c, wd)
		if !k.known {
			v.kind = unknown
			continue
		}
		v.table[k.text] = u.text
	}
	if v.kind == unknown || !assoc || a.Append {
		return value{}
	}
	return v
}

// elementSet is the array after a[i]=v.
func (w *walker) elementSet(st *state, c ctx, old value, a *syntax.Assign) value {
	if old.kind == table {
		wd, ok := a.Index.(*syntax.Word)
		u := w.assigned(st, c, a.Value)
		if !ok || !u.known || a.Append {
			return value{}
		}
		k := w.single(st, c, wd)
		if !k.known {
			return value{}
		}
		t := maps.Clone(old.table)
		t[k.text] = u.text
		return value{kind: table, table: t}
	}
	n, ok := w.arith(st, c, a.Index)
	u := w.assigned(st, c, a.Value)
	if !ok || !u.known || a.Append || n < 0 {
		return value{}
	}
	var l []string
	switch old.kind {
	case list:
		l = slices.Clone(old.list)
	case text:
		l = []string{old.text}
	case unset:
	default:
		return value{}
	}
	switch {
	case n < int64(len(l)):
		l[n] = u.text
	case n == int64(len(l)) && n < maxBraces:
		l = append(l, u.text)
	default:
		return value{}
	}
	return value{kind: list, list: l}
}

// prefix is a NAME=value in front of a command.
func (w *walker) prefix(st *state, c ctx, a *syntax.Assign) pair {
	name := a.Name.Value
	if a.Array != nil || a.Index != nil {
		v := w.assignedValue(st.clone(), c, a)
		return pair{name, c.src.slice(a.Pos(), a.End()), v}
	}
	u := w.assigned(st, c, a.Value)
	v := wordValue(u)
	if u.glob {
		v = known(u.text)
	}
	if a.Append {
		v = w.lookup(st, name).appendText(v)
	}
	return pair{name, u.shownPart(u.text), v}
}

// declare walks export, declare, local, readonly, typeset: a call with the words
// as written, and the assignments.
func (w *walker) declare(st *state, c ctx, s *syntax.Stmt, d *syntax.DeclClause) {
	words := []word{literal(d.Variant.Value, w.pos(c, s))}
	var flags strings.Builder
	var plainWords []word
	type job struct {
		a *syntax.Assign
		v value
	}
	var jobs []job
	for _, a := range d.Args {
		raw := w.raw(st, c, a)
		words = append(words, word{typed: raw, text: raw, known: true, dyn: strings.ContainsAny(raw, "$`"), pos: w.pos(c, a)})
		if a.Name == nil {
			for _, u := range w.word(st, c, a.Value) {
				if u.known && len(u.text) > 1 && (u.text[0] == '-' || u.text[0] == '+') {
					flags.WriteString(u.text[1:])
					continue
				}
				plainWords = append(plainWords, u)
			}
			continue
		}
		j := job{a: a}
		if !a.Naked {
			if strings.Contains(flags.String(), "A") && w.lookup(st, a.Name.Value).kind != table {
				w.set(st, a.Name.Value, value{kind: table})
			}
			j.v = w.assignedValue(st, c, a)
		}
		jobs = append(jobs, j)
	}
	cmd := command{words: words, rs: w.redirects(st, c, s.Redirs), src: w.sourceOf(c, s), pos: w.pos(c, s)}
	w.listed(st, c, cmd)
	opts := flags.String()
	for _, j := range jobs {
		name := j.a.Name.Value
		w.localize(st, c, d.Variant.Value, name, opts)
		if !j.a.Naked {
			w.set(st, name, j.v)
		} else if strings.Contains(opts, "A") {
			w.set(st, name, value{kind: table})
		} else if d.Variant.Value == "local" || c.fn != nil && d.Variant.Value != "export" && d.Variant.Value != "readonly" && !strings.Contains(opts, "p") {
			w.set(st, name, value{kind: unset})
		}
		w.declared(st, c, d.Variant.Value, name, opts, c.src.slice(j.a.Pos(), j.a.End()), w.pos(c, j.a))
	}
	for _, u := range plainWords {
		w.declareWord(st, c, d.Variant.Value, opts, u)
	}
}

// declared settles what the options of a declaration change about a variable.
func (w *walker) declared(st *state, c ctx, variant, name, opts, src string, pos int) {
	if v := w.lookup(st, name); v.kind == text && strings.ContainsAny(opts, "ni") && variant != "export" && expandsAgain(v.text) {
		w.note("dynamic-script", src, pos) // the value is a name, or a sum
	}
	if strings.ContainsAny(opts, "ilunt") && variant != "export" {
		// Values are computed, folded, or another variable's.
		w.set(st, name, value{})
	}
	switch {
	case variant == "export" && strings.Contains(opts, "n"):
		w.export(st, name, false)
	case variant == "export" && !strings.Contains(opts, "f"), strings.Contains(opts, "x"):
		w.export(st, name, true)
		w.envExec(name, w.lookup(st, name), src, pos)
		w.envLine(st, c, name, w.lookup(st, name), pos)
	}
	if variant == "export" && strings.Contains(opts, "f") {
		st.own(w)
		st.exportedFn[name] = true
	}
}

// declareWord carries out a declaration whose word had to be expanded first:
// export "A=$X", declare $ARGS.
func (w *walker) declareWord(st *state, c ctx, variant, opts string, u word) {
	name, val, has := strings.Cut(u.text, "=")
	name, add := strings.CutSuffix(name, "+")
	if !u.known {
		// The name is certain when it stands before the unknown part.
		name, _, has = strings.Cut(u.typed, "=")
		if !has || !isName(name) {
			w.forgetVars(st)
			return
		}
		w.localize(st, c, variant, name, opts)
		w.set(st, name, value{})
		w.declared(st, c, variant, name, opts, u.typed, u.pos)
		return
	}
	if !isName(name) {
		w.subscripts([]word{u})
		return
	}
	w.localize(st, c, variant, name, opts)
	if has {
		v := known(val)
		v.shape = u.shape
		if add {
			v = w.lookup(st, name).appendText(v)
		}
		w.set(st, name, v)
	}
	w.declared(st, c, variant, name, opts, u.text, u.pos)
}

// localize remembers the value that a local variable hides.
func (w *walker) localize(st *state, c ctx, variant, name, opts string) {
	if c.fn == nil || variant == "export" || variant == "readonly" || strings.Contains(opts, "g") {
		return
	}
	if _, ok := c.fn.saved[name]; ok {
		return
	}
	v, ok := st.vars[name]
	if !ok {
		v = variable{w.lookup(st, name), w.inherits(name)}
	}
	c.fn.saved[name] = v
}

// forgetVars makes every variable unknown.
func (w *walker) forgetVars(st *state) {
	st.own(w)
	for n, v := range st.vars {
		v.value = value{}
		st.vars[n] = v
	}
	st.envLost = true
}
