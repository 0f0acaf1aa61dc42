package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ifClause walks the condition, then each branch as conditional.
func (w *walker) ifClause(st *state, c ctx, x *syntax.IfClause) {
	in := c
	w.stmts(st, in, x.Cond)
	branch := c.skippable()
	branch.op = ";"
	yes, no := st.clone(), st.clone()
	if n := len(x.Cond); n > 0 && endsInCd(x.Cond[n-1]) {
		yes.dir = yes.dir.worked()
	}
	w.stmts(yes, branch, x.Then)
	branch.scope = &scope{c.scope}
	for e := x.Else; e != nil; e = nil {
		if len(e.Cond) == 0 { // else
			w.stmts(no, branch, e.Then)
			break
		}
		w.ifClause(no, branch, e)
	}
	*st = *w.join(no, yes)
}

// caseClause walks every item's body as conditional; patterns behind the first
// may not be looked at.
func (w *walker) caseClause(st *state, c ctx, x *syntax.CaseClause) {
	w.single(st, c, x.Word)
	body := c.skippable()
	body.op = ";"
	end := st.clone()
	through := (*state)(nil)
	first := true
	for _, item := range x.Items {
		for _, p := range item.Patterns {
			in := c
			if !first {
				in = c.skippable()
			}
			w.single(st, in, p)
			first = false
		}
		s := st.clone()
		if through != nil {
			s = w.join(s, through)
		}
		body.scope = &scope{c.scope}
		w.stmts(s, body, item.Stmts)
		through = nil
		if item.Op != syntax.Break {
			through = s
		}
		end = w.join(end, s)
	}
	*st = *end
}

// A mark is a point in the chain to go back to, when a loop has to be walked
// again because its body changed what was certain before it.
type mark struct {
	calls, unresolved, pipelines, files, trees, links, holes int
}

func (w *walker) mark() mark {
	return mark{len(w.calls), len(w.unresolved), w.pipelines, len(w.files), len(w.trees), len(w.links), len(w.holes)}
}

func (w *walker) back(m mark) {
	w.calls = w.calls[:m.calls]
	if !w.full {
		w.unresolved = w.unresolved[:m.unresolved]
	}
	w.pipelines = m.pipelines
	w.files, w.trees, w.links, w.holes = w.files[:m.files], w.trees[:m.trees], w.links[:m.links], w.holes[:m.holes]
}

// fixed walks a loop until what is certain before its body no longer changes
// with a second round: everything the body assigns, defines or moves counts from
// the start. round walks condition and body once and returns the states in
// which the body ends and in which the loop ends.
func (w *walker) fixed(st *state, round func(*state) (again, end *state)) {
	entry := st.clone()
	for try := 0; ; try++ {
		m := w.mark()
		again, end := round(entry.clone())
		next := w.join(entry, again)
		if w.full || try > 3 || w.same(next, entry) {
			*st = *end
			return
		}
		w.back(m)
		entry = next
		if try > 0 {
			w.widen(entry, again)
		}
	}
}

// widen gives up values that keep changing: counters.
func (w *walker) widen(st, other *state) {
	st.own(w)
	for n, v := range st.vars {
		if u, ok := other.vars[n]; !ok || !v.same(u.value) {
			v.value = value{}
			st.vars[n] = v
		}
	}
	if !st.dir.same(other.dir) {
		st.dir = dir{path: st.dir.path}
	}
	if !st.old.same(other.old) {
		st.old = dir{path: st.old.path}
	}
}

// while walks condition and body once: the condition repeated, the body
// conditional besides.
func (w *walker) while(st *state, c ctx, x *syntax.WhileClause) {
	c = c.looping(x)
	w.fixed(st, func(s *state) (*state, *state) {
		cond := c
		cond.repeated = true
		cond.loop = &loopInfo{}
		cond.reading = !x.Until && readsLine(x.Cond)
		w.stmts(s, cond, x.Cond)
		end := s.clone()
		if cond.reading {
			// The loop ends when read has found nothing.
			call := x.Cond[0].Cmd.(*syntax.CallExpr)
			w.read(end, w.words(s.clone(), c, call.Args[1:]), value{})
			cond.reading = false
		}
		if n := len(x.Cond); n > 0 && !x.Until && endsInCd(x.Cond[n-1]) {
			s.dir = s.dir.worked()
		}
		return w.loopBody(s, end, cond, x.Do)
	})
}

// loopBody walks a body that runs any number of times; end is how the loop
// looks when it is not entered again.
func (w *walker) loopBody(s, end *state, c ctx, body []*syntax.Stmt) (*state, *state) {
	c.op = ";"
	return w.loopBodyOp(s, end, c, body)
}

func (w *walker) loopBodyOp(s, end *state, c ctx, body []*syntax.Stmt) (*state, *state) {
	c = c.skippable()
	c.repeated = true
	if c.loop == nil {
		c.loop = &loopInfo{}
	}
	w.stmts(s, c, body)
	for _, e := range c.loop.exits {
		s = w.join(s, e)
		end = w.join(end, e)
	}
	return s, w.join(end, s)
}

// forClause walks for and select.
func (w *walker) forClause(st *state, c ctx, x *syntax.ForClause) {
	c = c.looping(x)
	switch l := x.Loop.(type) {
	case *syntax.CStyleLoop:
		w.arithOpt(st, c, l.Init)
		w.fixed(st, func(s *state) (*state, *state) {
			w.arithOpt(s, c, l.Cond)
			end := s.clone()
			in := c
			in.loop = &loopInfo{}
			s, end = w.loopBodyOp(s, end, in, x.Do)
			w.arithOpt(s, c, l.Post)
			return s, end
		})
	case *syntax.WordIter:
		w.forWords(st, c, x, l)
	}
}

// looping is the place of a loop's parts, which run again.
func (c ctx) looping(loop syntax.Node) ctx {
	if c.again == 0 {
		c.again = int(loop.Pos().Offset()) + c.src.offset + 1
	}
	return c
}

func (w *walker) arithOpt(st *state, c ctx, x syntax.ArithmExpr) {
	if x != nil {
		w.arith(st, c, x)
	}
}

// forWords unrolls a loop over known words, and walks any other once.
func (w *walker) forWords(st *state, c ctx, x *syntax.ForClause, l *syntax.WordIter) {
	var words []word
	whole := true
	if l.InPos.IsValid() {
		words = w.words(st, c, l.Items)
	} else {
		words, whole = st.params.args, st.params.known
	}
	for _, u := range words {
		if !u.known || u.glob {
			whole = false
		}
	}
	name := l.Name.Value
	if whole && len(words) <= maxValues && !x.Select && !assignsTo(name, x.Do) {
		if w.unroll(st, c, x.Do, name, words) {
			return
		}
	}
	v := loopValue(words)
	w.fixed(st, func(s *state) (*state, *state) {
		end := s.clone()
		w.set(s, name, v)
		if x.Select {
			w.set(s, "REPLY", value{})
		}
		in := c
		in.loop = &loopInfo{}
		return w.loopBodyOp(s, end, in, x.Do)
	})
	if _, ok := st.vars[name]; ok && st.vars[name].same(v) {
		w.set(st, name, value{bound: v.bound})
	}
}

// loopValue is what a loop variable can be.
func loopValue(words []word) value {
	v := value{oneWord: true}
	globs := false
	for _, u := range words {
		switch {
		case u.glob:
			globs = true
			v.bound.within = append(v.bound.within, u.text)
			if strings.HasPrefix(u.text, "-") {
				v.oneWord = false
			}
		case u.known:
			v.bound.exact = append(v.bound.exact, u.text)
			v.bound.within = append(v.bound.within, quoteGlob(u.text))
			v.oneWord = v.oneWord && !strings.HasPrefix(u.text, "-") && !strings.ContainsFunc(u.text, isBlank)
		case len(u.bound.within) > 0 && u.bound.exact == nil:
			globs = true
			v.bound.within = append(v.bound.within, u.bound.within...)
		default:
			return value{}
		}
	}
	if len(words) == 0 || len(v.bound.within) > maxValues {
		return value{}
	}
	if globs {
		v.bound.exact = nil
	} else {
		v.bound.within = nil
	}
	return v
}

// unroll walks a body once per word. False: the body turned out to rebind the
// variable, and nothing was listed.
func (w *walker) unroll(st *state, c ctx, body []*syntax.Stmt, name string, words []word) bool {
	m := w.mark()
	start := st.clone()
	in := c
	in.loop = &loopInfo{}
	leaves := leavesLoop(body)
	if leaves {
		in = in.skippable()
	}
	for i, u := range words {
		v := known(u.text)
		v.shape = u.shape
		w.set(st, name, v)
		in.unrolled = &unrolled{name, u.text, c.unrolled}
		v = st.vars[name].value
		if i > 0 {
			in.op = ";"
		}
		before := st.clone()
		w.stmts(st, in, body)
		if leaves {
			*st = *w.join(before, st)
			for _, e := range in.loop.exits {
				*st = *w.join(st, e)
			}
		}
		if !leaves && !st.vars[name].same(v) && !st.ended {
			w.back(m)
			*st = *start
			return false
		}
	}
	return true
}

// leavesLoop says whether a body holds break or continue for this loop.
func leavesLoop(body []*syntax.Stmt) bool {
	for _, s := range body {
		if leavesFrom(s, 1) {
			return true
		}
	}
	return false
}

// leavesFrom looks for a break or continue that leaves the loop depth levels up.
func leavesFrom(n syntax.Node, depth int) (found bool) {
	syntax.Walk(n, func(x syntax.Node) bool {
		switch x := x.(type) {
		case *syntax.WhileClause, *syntax.ForClause:
			if x != n {
				found = found || leavesFrom(x, depth+1)
				return false
			}
		case *syntax.CallExpr:
			found = found || breaks(x, depth)
		}
		return !found
	})
	return found
}

// breaks says whether a command is a break or continue of at least depth levels.
func breaks(call *syntax.CallExpr, depth int) bool {
	for i, a := range call.Args {
		switch a.Lit() {
		case "break", "continue":
			if i+1 == len(call.Args) {
				return depth == 1
			}
			n, ok := arithNumber(call.Args[i+1].Lit())
			return !ok || n >= int64(depth)
		case "command", "builtin":
		default:
			return false
		}
	}
	return false
}
