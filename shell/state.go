package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A dir is where a shell stands.
type dir struct {
	path  string   // taken to be; where relative paths are made absolute even if it is not known
	known bool     // false: relative paths may be anywhere
	alts  []string // where it stands instead if a cd did not work
	ok    []string // alts that remain if the last cd worked
	sure  bool     // the last cd did work
}

func at(path string) dir { return dir{path: path, known: true} }

func (d dir) same(e dir) bool {
	return d.path == e.path && d.known == e.known && slices.Equal(d.alts, e.alts)
}

// worked is d after it was seen that the last cd worked.
func (d dir) worked() dir { d.alts = d.ok; return d }

// A variable is a value and whether child processes see it.
type variable struct {
	value
	exported bool
}

// params are the positional parameters.
type params struct {
	known bool
	zero  word     // $0
	args  []word   // when known; single words may be unknown
	feed  bool     // unknown ones are paths a runner adds
	top   bool     // those of the line itself, not known
	lists [][]word // or one of these
}

// A function is a definition.
type function struct {
	name   string
	decl   *syntax.FuncDecl
	src    *source
	called bool
}

// A funcSet is the definitions a name may stand for; sure: one of them does.
type funcSet struct {
	list []*function
	sure bool
}

// An alias is text that may stand for a word.
type alias struct {
	name string
	text word
	used bool
	pos  int
}

// A state is what is certain while a shell executes a line. A subshell gets a
// clone; maps are copied on the first write after that.
type state struct {
	dir, old   dir
	stack      []dir // pushd; the current directory is not in it
	stackLost  bool
	vars       map[string]variable
	envLost    bool // names that are not in vars were taken away (env -i) or replaced (sudo)
	funcs      map[string]funcSet
	exportedFn map[string]bool
	aliases    map[string][]*alias
	params     params
	noglob     tri
	nobrace    tri
	errexit    tri
	expand     bool // expand_aliases
	ended      bool // exit or exec ran: the rest of this shell is conditional
	returned   bool // return ran: the rest of this function is conditional
	// left and leftFn mark what runs only if no exit, or return, on some other
	// way was taken: it has not run for sure where the shell, or the function,
	// is over. See sink.surely.
	left, leftFn *scope
	lastpipe     bool
	shared       bool // the maps belong to another state, too
}

// A tri is an option that may be on, off, or either.
type tri uint8

const (
	off tri = iota
	maybe
	on
)

func (st *state) clone() *state {
	st.shared = true
	c := *st
	return &c
}

// own makes the maps writable.
func (st *state) own(w *walker) {
	if !st.shared {
		return
	}
	w.spend((len(st.vars) + len(st.funcs) + len(st.aliases)) / copyCost)
	st.vars = maps.Clone(st.vars)
	st.funcs = maps.Clone(st.funcs)
	st.aliases = maps.Clone(st.aliases)
	st.exportedFn = maps.Clone(st.exportedFn)
	st.shared = false
}

// set binds a variable; what was exported stays so.
func (w *walker) set(st *state, name string, v value) {
	st.own(w)
	if v.shape == direct {
		v.shape = soft
	}
	old := st.vars[name]
	st.vars[name] = variable{v, old.exported || w.inherits(name)}
	switch name {
	case "OLDPWD":
		st.old = dir{path: st.dir.path}
		if v.kind == text {
			st.old = at(v.text)
		}
	}
}

// inherits says whether a name is an environment variable from the start, so
// that an assignment to it is seen by child processes.
func (w *walker) inherits(name string) bool {
	switch name {
	case "HOME", "PATH", "PWD", "OLDPWD", "USER", "SHELL", "TERM", "LANG":
		return true
	}
	_, ok := w.req.Env[name]
	return ok
}

func (w *walker) export(st *state, name string, exported bool) {
	st.own(w)
	v, ok := st.vars[name]
	if !ok {
		v.value = w.lookup(st, name)
	}
	v.exported = exported
	st.vars[name] = v
}

// lookup is what is known about a variable.
func (w *walker) lookup(st *state, name string) value {
	if v, ok := st.vars[name]; ok {
		return v.value
	}
	switch name {
	case "IFS":
		return known(" \t\n")
	case "PWD":
		if st.dir.known && len(st.dir.alts) == 0 {
			return value{kind: text, text: st.dir.path, shape: direct}
		}
		if st.dir.known {
			return oneOf(append([]string{st.dir.path}, st.dir.alts...)...)
		}
		return value{}
	case "OLDPWD":
		if st.old.known && len(st.old.alts) == 0 {
			return value{kind: text, text: st.old.path, shape: direct}
		}
		return value{}
	}
	if st.envLost {
		return value{}
	}
	if name == "HOME" && w.req.Home != "" {
		return value{kind: text, text: w.req.Home, shape: direct}
	}
	if s, ok := w.req.Env[name]; ok {
		return value{kind: text, text: s, shape: direct}
	}
	if file, ok := w.runnerFile(name); ok {
		// CI runners keep these folders free of blanks: the value is one word
		// without quotes, too.
		v := oneOf(file)
		v.oneWord = !strings.ContainsFunc(file, isBlank) && !hasGlob(file)
		return v
	}
	return value{oneWord: name == "PATH"}
}

// join is the state where one of two ways was taken: what both agree on. A way
// that left the shell does not come here. The first is the one in which less
// happened: its directory is the base of paths whose directory is not known.
func (w *walker) join(a, b *state) *state {
	switch {
	case a == b:
		return a
	case a.ended != b.ended:
		if a.ended {
			a = b
		}
		c := a.clone()
		c.left = &scope{a.left}
		return c
	}
	c := a.clone()
	c.left, c.leftFn = joinScope(a.left, b.left), joinScope(a.leftFn, b.leftFn)
	if a.returned != b.returned {
		c.leftFn = &scope{c.leftFn}
	}
	c.own(w)
	for name, v := range a.vars {
		u, ok := b.vars[name]
		if !ok {
			u = variable{w.lookup(b, name), w.inherits(name)}
		}
		if !v.same(u.value) || v.exported != u.exported {
			c.vars[name] = variable{v.join(u.value), v.exported || u.exported}
		}
	}
	for name, u := range b.vars {
		if _, ok := a.vars[name]; !ok {
			c.vars[name] = variable{w.lookup(a, name).join(u.value), u.exported}
		}
	}
	c.funcs = joinFuncs(a.funcs, b.funcs)
	for n, l := range b.aliases {
		for _, x := range l {
			if !slices.Contains(c.aliases[n], x) {
				c.aliases[n] = append(slices.Clip(c.aliases[n]), x)
			}
		}
	}
	for n := range b.exportedFn {
		c.exportedFn[n] = true
	}
	if !a.dir.same(b.dir) {
		c.dir = joinDir(a.dir, b.dir)
	}
	if !a.old.same(b.old) {
		c.old = dir{path: a.old.path}
	}
	if !slices.EqualFunc(a.stack, b.stack, dir.same) || a.stackLost != b.stackLost {
		c.stack, c.stackLost = nil, true
	}
	if !a.params.same(b.params) {
		c.params = joinParams(a.params, b.params)
	}
	c.noglob, c.nobrace = joinTri(a.noglob, b.noglob), joinTri(a.nobrace, b.nobrace)
	c.errexit = joinTri(a.errexit, b.errexit)
	c.expand = a.expand || b.expand
	c.lastpipe = a.lastpipe || b.lastpipe
	c.envLost = a.envLost || b.envLost
	c.ended, c.returned = a.ended && b.ended, a.returned && b.returned
	return c
}

// joinDir is where a shell stands that may have changed its directory in a
// branch: not known (shell.md 3.3).
func joinDir(a, b dir) dir {
	if a.known && b.known && a.path == b.path {
		for _, p := range b.alts {
			if !slices.Contains(a.alts, p) {
				a.alts = append(slices.Clip(a.alts), p)
			}
		}
		return a
	}
	return dir{path: a.path}
}

// joinChain is the state behind a chain of && and ||, of which the last part may
// not have run: a cd in it may not have happened.
func (w *walker) joinChain(bad, ok *state) *state {
	c := w.join(bad, ok)
	if bad == ok || bad.ended != ok.ended || bad.dir.same(ok.dir) {
		return c
	}
	c.dir = ok.dir
	if ok.dir.known && bad.dir.known {
		for _, p := range append([]string{bad.dir.path}, bad.dir.alts...) {
			if p != c.dir.path && !slices.Contains(c.dir.alts, p) {
				c.dir.alts = append(slices.Clip(c.dir.alts), p)
			}
		}
	}
	if len(c.dir.alts) > maxAlts || !bad.dir.known {
		c.dir = dir{path: bad.dir.path}
	}
	return c
}

// joinScope is the deeper of two scopes, if one is within the other.
func joinScope(a, b *scope) *scope {
	switch {
	case a.holds(b):
		return b
	case b.holds(a):
		return a
	}
	return &scope{a}
}

func joinTri(a, b tri) tri {
	if a == b {
		return a
	}
	return maybe
}

func joinFuncs(a, b map[string]funcSet) map[string]funcSet {
	c := maps.Clone(a)
	for n, set := range a {
		if _, ok := b[n]; !ok {
			set.sure = false
			c[n] = set
		}
	}
	for n, set := range b {
		have, ok := c[n]
		for _, f := range set.list {
			if !slices.Contains(have.list, f) {
				have.list = append(slices.Clip(have.list), f)
			}
		}
		have.sure = ok && have.sure && set.sure
		c[n] = have
	}
	return c
}

// joinParams is what is known where one of two lists of parameters may stand.
func joinParams(a, b params) params {
	p := params{zero: a.zero, top: a.top || b.top}
	for _, q := range []params{a, b} {
		switch {
		case q.known && allKnown(q.args):
			p.addList(q.args)
		case !q.known && q.top:
			for _, l := range q.lists {
				p.addList(l)
			}
		default:
			return params{zero: a.zero}
		}
	}
	if len(p.lists) > maxConstants {
		return params{zero: a.zero}
	}
	return p
}

func (p *params) addList(l []word) {
	for _, have := range p.lists {
		if slices.EqualFunc(have, l, word.same) {
			return
		}
	}
	p.lists = append(p.lists, l)
}

func (p params) same(q params) bool {
	return slices.EqualFunc(p.lists, q.lists, func(x, y []word) bool { return slices.EqualFunc(x, y, word.same) }) &&
		p.known == q.known && p.feed == q.feed && p.top == q.top && p.zero.same(q.zero) && slices.EqualFunc(p.args, q.args, word.same)
}

// same says whether two states agree in all that later commands see.
func (w *walker) same(a, b *state) bool {
	if len(a.vars) != len(b.vars) || len(a.funcs) != len(b.funcs) || len(a.aliases) != len(b.aliases) {
		return false
	}
	for name, v := range a.vars {
		u, ok := b.vars[name]
		if !ok || !v.same(u.value) || v.exported != u.exported {
			return false
		}
	}
	for n, set := range a.funcs {
		if set.sure != b.funcs[n].sure || !slices.Equal(set.list, b.funcs[n].list) {
			return false
		}
	}
	for n, l := range a.aliases {
		if !slices.Equal(l, b.aliases[n]) {
			return false
		}
	}
	return a.dir.same(b.dir) && a.old.same(b.old) && a.params.same(b.params) &&
		a.noglob == b.noglob && a.nobrace == b.nobrace && a.errexit == b.errexit &&
		slices.EqualFunc(a.stack, b.stack, dir.same) && a.stackLost == b.stackLost
}
