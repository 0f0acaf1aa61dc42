package ltl

import (
	"slices"

	"github.com/agentltl/agentltl-hook/trace"
)

// Budgets of a monitor (formulas.md 8.6): nodes touched by one call, and nodes
// of a rule's state, beyond which the fallback judges it.
const (
	maxWork  = 100_000
	maxState = 4096
)

// A run is the scratch of one step: the call, the bindings it concerns, and
// what was computed for its position so far. Values are computed when they are
// asked for, once.
type run struct {
	m    *Monitor
	c    *trace.Call
	call trace.Call // of Step
	pos  int
	miss bool // stands for any call that matches nothing: see Monitor.Skip

	vals    []*bound // by variable, in the scope at hand
	values  []any    // scratch: what domains and names give
	env     Env      // those of an atom, by name
	act     []*active
	current []*active // by class: that of the scope at hand; nil: not looked up yet
	unmet   []*active // by class: "no value met yet"
	index   map[string]*active
	spare   []*active
	memo    []level // answers of the local atoms without variables

	prefix  []string // paths of the instance at hand
	path    []byte   // what follows them
	collect *[]item  // not nil: instances go here, for a cell
	next    []item   // the live instances after the call
	woken   []item   // kept with bindings that became active
	fresh   []Witness

	expected envState // scratch of commitBinding
}

// An active is the state of one binding during a step.
type active struct {
	class  *class
	b      *bindings // nil: of no variable
	unmet  bool      // "no value met yet"
	stored *envState // as it was kept; nil: not kept
	st     envState  // as it will be
	now    []now     // by cell
	items  []item    // memory for st.items
	moved  []bool    // by register: its key did in this step
}

// A now is what a cell yields at the position.
type now struct {
	done  bool
	level level
	key   *knode
	count int // count_before
	open  *node
	items []item
}

func (r *run) init(p *program) {
	if p.quantified() {
		r.vals = make([]*bound, len(p.vars))
		r.env = Env{}
		r.index = map[string]*active{}
	}
	r.current = make([]*active, len(p.classes))
	r.unmet = make([]*active, len(p.classes))
	r.memo = make([]level, p.classes[0].memos)
}

func (r *run) begin(m *Monitor, c *trace.Call, miss bool) {
	r.m, r.c, r.pos, r.miss = m, c, m.n, miss
	for i := range r.memo {
		r.memo[i] = noLevel
	}
	for i := range r.vals {
		r.vals[i] = freshBound
	}
	clear(r.index)
	clear(r.current)
	r.spare = append(r.spare, r.act...)
	r.act = r.act[:0]
	r.fresh = nil
	r.path = r.path[:0]
	r.collect = nil
	r.woken = r.woken[:0]
	m.sp.work = 0
	base := r.newActive(m.p.classes[0], nil)
	m.base.copyTo(&base.st)
	r.current[0] = base
	r.stepRegisters(base)
	if !m.p.bounded {
		return
	}
	for _, k := range m.p.classes[1:] {
		if !k.hasState() {
			continue
		}
		a := r.newActive(k, r.bind(k))
		a.unmet, a.stored = true, m.unmet[k.id]
		r.unmet[k.id] = a
		a.stored.copyTo(&a.st)
		r.stepRegisters(a)
	}
	for _, k := range m.p.classes[1:] {
		r.activateNamed(k)
	}
}

// idle makes the run answer for m between calls.
func (r *run) idle(m *Monitor) {
	r.m, r.c = m, nil
	clear(r.unmet)
	m.sp.work = 0
	clear(r.index)
	r.spare = append(r.spare, r.act...)
	r.act = r.act[:0]
	m.base.copyTo(&r.newActive(m.p.classes[0], nil).st)
}

func (r *run) newActive(c *class, b *bindings) *active {
	var a *active
	if n := len(r.spare); n > 0 {
		a, r.spare = r.spare[n-1], r.spare[:n-1]
	} else {
		a = &active{}
	}
	a.class, a.b, a.unmet, a.stored = c, b, false, nil
	a.now = append(a.now[:0], make([]now, len(c.cells))...)
	a.moved = append(a.moved[:0], make([]bool, len(c.regs))...)
	r.act = append(r.act, a)
	if b != nil {
		r.index[b.id] = a
	}
	return a
}

// bind is the class's binding in the scope at hand.
func (r *run) bind(c *class) *bindings { return r.m.sp.bind(c, r.vals) }

// active is the state of the class's binding in the scope at hand.
func (r *run) active(c *class) *active {
	a := r.current[c.id]
	if a == nil {
		a = r.activate(c, r.bind(c))
		r.current[c.id] = a
	}
	return a
}

// set puts a variable into the scope.
func (r *run) set(v int, b *bound) {
	if r.vals[v] == b {
		return
	}
	r.vals[v] = b
	for _, c := range r.m.p.classes[1:] {
		if slices.Contains(c.vars, v) {
			r.current[c.id] = nil
		}
	}
}

// A saved scope is what enter hid: few formulas have more than two variables.
type saved struct {
	vals [2]*bound
	more []*bound
}

// enter puts a binding into the scope until leave.
func (r *run) enter(b *bindings) (old saved) {
	if b == nil {
		return old
	}
	for i, v := range b.class.vars {
		if i < len(old.vals) {
			old.vals[i] = r.vals[v]
		} else {
			old.more = append(old.more, r.vals[v])
		}
		r.set(v, b.vals[i])
	}
	return old
}

func (r *run) leave(b *bindings, old saved) {
	if b == nil {
		return
	}
	for i, v := range b.class.vars {
		if i < len(old.vals) {
			r.set(v, old.vals[i])
		} else {
			r.set(v, old.more[i-len(old.vals)])
		}
	}
}

// names puts the values of a class's variables where matchers look for them.
func (r *run) names(c *class) Env {
	for _, v := range c.vars {
		r.env[r.m.p.vars[v]] = r.vals[v].v
	}
	return r.env
}

// each runs f with the variable of quantifier n set to each value of its domain
// at the call.
func (r *run) each(n *pnode, f func(b *bound)) {
	if r.miss {
		return
	}
	from := len(r.values)
	if d, ok := n.dom.(Here); ok {
		r.values = appendValues(r.values, r.c, d.Tool, d.Arg)
	} else {
		r.values = append(r.values, n.dom.Values(r.c)...)
	}
	old := r.vals[n.v]
	for i, to := from, len(r.values); i < to; i++ {
		b := r.m.sp.bound(r.values[i])
		r.set(n.v, b)
		f(b)
	}
	r.set(n.v, old)
	r.values = r.values[:from]
}

// atom is the level of a local atom.
func (r *run) atom(n *pnode) level {
	if r.miss {
		return lowest
	}
	if n.slot < 0 {
		return atomLevel(localHit(n.f, r.c, r.names(n.class)))
	}
	if r.memo[n.slot] == noLevel {
		r.memo[n.slot] = atomLevel(localHit(n.f, r.c, nil))
	}
	return r.memo[n.slot]
}

// eval is the level at the position of a settled formula.
func (r *run) eval(n *pnode) level {
	switch n.op {
	case opConst:
		if n.f.(Const).Value {
			return topmost
		}
		return lowest
	case opLocal:
		return r.atom(n)
	case opNot:
		return r.eval(n.l).not()
	case opAnd:
		if l := r.eval(n.l); l != lowest {
			return min(l, r.eval(n.r))
		}
		return lowest
	case opOr:
		if l := r.eval(n.l); l != topmost {
			return max(l, r.eval(n.r))
		}
		return topmost
	case opImplies:
		if l := r.eval(n.l).not(); l != topmost {
			return max(l, r.eval(n.r))
		}
		return topmost
	case opForall:
		l := topmost
		r.each(n, func(*bound) { l = min(l, r.eval(n.l)) })
		return l
	case opExists:
		l := lowest
		r.each(n, func(*bound) { l = max(l, r.eval(n.l).plain()) })
		return l
	case opOnce, opHistorically:
		if n.isSelf() {
			return r.eval(n.l)
		}
	default:
	}
	return r.cell(n).level
}
