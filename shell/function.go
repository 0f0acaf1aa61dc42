package shell

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// An fnInfo collects what happens while a function is walked.
type fnInfo struct {
	saved   map[string]variable // values that local variables hide
	returns []*state            // where return left it
}

// define records a function: nothing runs yet.
func (w *walker) define(st *state, c ctx, d *syntax.FuncDecl) {
	names := []*syntax.Lit{d.Name}
	if d.Name == nil {
		names = d.Names
	}
	if len(names) == 0 {
		// An anonymous function of zsh runs at once.
		w.stmt(st, c, d.Body)
		return
	}
	st.own(w)
	for _, n := range names {
		f := &function{name: n.Value, decl: d, src: c.src}
		for _, g := range w.defined {
			if g.decl == d && g.name == n.Value {
				f = g
			}
		}
		if !slices.Contains(w.defined, f) {
			w.defined = append(w.defined, f)
		}
		st.funcs[n.Value] = funcSet{list: []*function{f}, sure: true}
	}
}

// callFunction lists a call of a function as typed, then what its body runs.
func (w *walker) callFunction(st *state, c ctx, cmd command, set funcSet) {
	i, p := w.emit(st, c, cmd)
	if i < 0 {
		return
	}
	if !set.sure {
		// Maybe the program of that name.
		w.runs(st.clone(), c, cmd, p, i)
	}
	in := within(w.opened(st, c, cmd), "function "+cmd.words[0].text)
	in.loop = nil
	if !set.sure || len(set.list) > 1 {
		in = in.skippable()
	}
	entry := st
	var ends []*state
	for _, f := range set.list {
		one := st
		if in.cond != c.cond {
			one = entry.clone()
			ends = append(ends, one)
		}
		w.body(one, in, f, cmd)
	}
	for _, e := range ends {
		*st = *w.join(st, e)
	}
	w.fileWritten(st, c, &cmd.rs, in.out)
}

// body walks the body of a function with its parameters bound.
func (w *walker) body(st *state, c ctx, f *function, cmd command) {
	f.called = true
	if slices.Contains(w.calling, f) || len(w.calling) >= maxDepth {
		w.note("recursion", cmd.src, cmd.pos)
		w.forgetVars(st)
		return
	}
	w.calling = append(w.calling, f)
	defer func() { w.calling = w.calling[:len(w.calling)-1] }()
	outer, leftFn := st.params, st.leftFn
	hidden := map[string]variable{}
	for _, e := range cmd.env {
		hidden[e.name] = variable{w.lookup(st, e.name), st.vars[e.name].exported || w.inherits(e.name)}
		w.set(st, e.name, e.val)
		w.export(st, e.name, true)
	}
	st.params = params{known: true, zero: outer.zero, args: cmd.words[1:]}
	c.fn = &fnInfo{saved: map[string]variable{}}
	c.src, c.script = f.src, f.src.script
	w.bodyStmt(st, c, f)
	if st.returned && len(c.fn.returns) > 0 {
		*st = *c.fn.returns[0]
	}
	for _, r := range c.fn.returns {
		*st = *w.join(st, r)
	}
	st.returned, st.leftFn = false, leftFn
	st.own(w)
	maps.Copy(st.vars, c.fn.saved)
	maps.Copy(st.vars, hidden)
	st.params = outer
}

// bodyStmt walks the body; its braces are those of the function, no further
// group.
func (w *walker) bodyStmt(st *state, c ctx, f *function) {
	if _, ok := f.decl.Body.Cmd.(*syntax.Block); ok {
		c.depth--
	}
	w.stmt(st, c, f.decl.Body)
}

// leave walks return: the rest of the function is conditional.
func (w *walker) leave(st *state, c ctx) {
	if c.fn == nil {
		st.ended = true
		return
	}
	r := st.clone()
	c.fn.returns = append(c.fn.returns, r)
	st.returned = true
}

// leftovers lists once, as conditional, what was defined and never called: a
// later command may call it.
func (w *walker) leftovers(st *state) {
	c := w.startCtx()
	c.op, c.cond, c.depth = ";", true, 1
	for i := 0; i < len(w.defined); i++ {
		f := w.defined[i]
		if f.called {
			continue
		}
		in := c
		in.wrappers = []string{"function " + f.name}
		end := st.clone()
		end.ended = false
		w.bodyUnknown(end, in, f)
	}
	for i := 0; i < len(w.named); i++ {
		a := w.named[i]
		if a.used {
			continue
		}
		a.used = true
		in := c
		in.wrappers = []string{"alias " + a.name}
		w.again(st.clone(), in, []word{a.text}, a.pos)
	}
}

// bodyUnknown walks the body of a function that nothing called: its parameters
// may be anything.
func (w *walker) bodyUnknown(st *state, c ctx, f *function) {
	f.called = true
	w.calling = append(w.calling, f)
	st.params = params{zero: st.params.zero}
	c.fn = &fnInfo{saved: map[string]variable{}}
	c.src, c.script = f.src, f.src.script
	w.bodyStmt(st, c, f)
	w.calling = w.calling[:len(w.calling)-1]
}
