package ltl

import (
	"slices"

	"github.com/agentltl/agentltl-hook/trace"
)

// activate makes the state of a binding ready to be asked and moved in this
// step. A value that no call has named has the state of "no value met yet".
func (r *run) activate(c *class, b *bindings) *active {
	if b == nil {
		return r.act[0]
	}
	if a := r.index[b.id]; a != nil {
		return a
	}
	r.m.sp.touch()
	a := r.newActive(c, b)
	a.stored = r.m.kept.get(r.m, b)
	unmet := r.m.unmet[c.id]
	if a.stored == nil {
		if unmet.copyTo(&a.st); fault(17) {
			newState(c, false).copyTo(&a.st)
		}
		a.st.past = a.st.past[:0]
		if !fault(22) {
			r.rebindAll(a)
		}
	} else {
		a.stored.copyTo(&a.st)
		r.wake(a)
		if c.lazy {
			c.catchUp(&a.st, unmet, r.pos)
		}
	}
	r.stepRegisters(a)
	return a
}

// rebindAll puts the binding's values into what its state took over from "no
// value met yet".
func (r *run) rebindAll(a *active) {
	for i := range a.st.cells {
		c := &a.st.cells[i]
		if c.open != nil {
			c.open = r.rebind(c.open, a.b)
		}
		if len(c.items) == 0 {
			continue
		}
		items := slices.Clone(c.items)
		for k := range items {
			if items[k].e != nil {
				items[k].e = r.rebind(items[k].e, a.b)
			}
			items[k].b = r.rebound(items[k].b, a.b)
		}
		slices.SortFunc(items, compareItems)
		c.items = items
	}
}

// rebound is b with the values of to for variables that have none.
func (r *run) rebound(b, to *bindings) *bindings {
	if b == nil || !slices.Contains(b.vals, freshBound) {
		return b
	}
	old := slices.Clone(r.vals)
	defer copy(r.vals, old)
	for i, v := range b.class.vars {
		r.vals[v] = b.vals[i]
		if k := slices.Index(to.class.vars, v); k >= 0 && b.vals[i] == freshBound {
			r.vals[v] = to.vals[k]
		}
	}
	return r.m.sp.bind(b.class, r.vals)
}

func (r *run) rebind(e *node, to *bindings) *node {
	s := r.m.sp
	s.touch()
	switch e.op {
	case rConst:
		return e
	case rRegister:
		return s.register(e.f, r.rebound(e.b, to))
	case rNot, rPlain, rMin, rMax, rOr:
		return s.rebuild(e, func(k *node) *node { return r.rebind(k, to) })
	default:
		return s.mark(e.op, e.f, r.rebound(e.b, to), e.sure)
	}
}

// catchUp takes the state of a binding over the calls from st.at to upto, none
// of which named its values, by what those calls did to "no value met yet".
func (c *class) catchUp(st, unmet *envState, upto int) {
	for i, n := range c.cells {
		missed := fault(18) && n.op != opCount && upto-st.at == 1
		if x := &st.cells[i]; n.op != opPrevious && !missed {
			x.catchUp(n, &unmet.cells[i], &unmet.past[i], st.at)
		}
	}
	for i, n := range c.cells {
		if n.op == opPrevious && st.at < upto {
			x := &st.cells[i]
			if isCellsOnly(n.l, c) {
				x.level, x.key = c.stored(n.l, st)
			} else {
				x.level, x.key = unmet.cells[i].level, unmet.cells[i].key
			}
		}
	}
	st.at = upto
}

func (c *cell) catchUp(n *pnode, unmet *cell, p *past, from int) {
	switch n.op {
	case opCount:
		if !fault(24) {
			c.count += unmet.count // kept as the difference
		}
	case opOnce:
		for i, t := range thresholds {
			if p.up[i] >= from {
				c.level = max(c.level, t)
			}
		}
	case opHistorically:
		for i := len(thresholds) - 1; i >= 0; i-- {
			if p.down[i] >= from {
				c.level = min(c.level, below(i))
			}
		}
	case opSince:
		was := c.level
		c.level = lowest
		for i, t := range thresholds {
			held := was >= t && p.down[i] < from
			if p.up[i] >= from {
				held = p.down[i] <= p.up[i]
			}
			if held {
				c.level = t
			}
		}
		c.doubt = c.doubt || p.doubt >= from
	default:
	}
}

// below is the settled level next below a threshold.
func below(i int) level {
	if i == 0 {
		return lowest
	}
	return thresholds[i-1]
}

// stored reads a formula made of cells alone off a state.
func (c *class) stored(n *pnode, st *envState) (level, *knode) {
	switch n.op {
	case opConst:
		if n.f.(Const).Value {
			return topmost, nil
		}
		return lowest, nil
	case opNot:
		l, k := c.stored(n.l, st)
		return l.not(), &knode{op: 'n', a: k}
	case opAnd:
		l, _ := c.stored(n.l, st)
		m, _ := c.stored(n.r, st)
		return min(l, m), nil
	case opOr, opImplies:
		l, k := c.stored(n.l, st)
		m, j := c.stored(n.r, st)
		key := knode{op: 'o', a: k, b: j}
		if n.op == opImplies {
			l, key.op, key.a = l.not(), 'i', &knode{op: 'n', a: k}
		}
		return max(l, m), key.deciding(l, m)
	case opSince:
		return st.cells[n.slot].since(), nil
	default:
		return st.cells[n.slot].level, nil
	}
}

// deciding is the key of | or -> with sides of these levels.
func (k knode) deciding(l, m level) *knode {
	whole := max(l, m).verdict()
	if whole == True {
		return nil
	}
	if l.verdict() != whole {
		k.a = nil
	}
	if m.verdict() != whole {
		k.b = nil
	}
	return &k
}

// find is the binding's state in this step if it has one.
func (r *run) find(b *bindings) *active {
	if b == nil {
		return r.act[0]
	}
	return r.index[b.id]
}

// register reads the register of a residual.
func (r *run) register(e *node) *reg {
	if a := r.find(e.b); a != nil {
		return &a.st.regs[e.f.slot]
	}
	if !e.b.class.lazy && r.c != nil {
		return &r.activate(e.b.class, e.b).st.regs[e.f.slot]
	}
	// A call that does not name the values leaves the register as it was.
	if st := r.m.kept.get(r.m, e.b); st != nil {
		return &st.regs[e.f.slot]
	}
	if a := r.unmet[e.b.class.id]; a != nil {
		return &a.st.regs[e.f.slot]
	}
	return &r.m.unmet[e.b.class.id].regs[e.f.slot]
}

// activateNamed makes those bindings of a class active that the call names, and
// where that is not enough all that are kept.
func (r *run) activateNamed(c *class) {
	if !c.hasState() {
		return
	}
	if !c.lazy || r.concernsAll(c) {
		r.m.kept.each(r.m, c, func(b *bindings) { r.activate(c, b) })
	}
	if r.miss {
		return
	}
	for _, n := range c.atoms {
		r.nameAll(c, n, 0)
	}
	for _, v := range c.vars {
		r.set(v, freshBound)
	}
}

// concernsAll says whether the call may match an atom for every value: a target
// that is unsure of it. Past cells make up for such a call later, registers and
// instances kept with a binding must see it.
func (r *run) concernsAll(c *class) bool {
	if r.miss || len(c.regs) == 0 && !c.parks {
		return false
	}
	env := r.names(c)
	for _, n := range c.atoms {
		for _, t := range n.tools {
			if t.Target != nil && t.Target.Match(r.c, env) != trace.No {
				return true
			}
		}
	}
	return false
}

// nameAll goes through all combinations of the values of c's variables, from the
// i-th on, that the call names by atom n.
func (r *run) nameAll(c *class, n *pnode, i int) {
	if i == len(c.vars) {
		r.activate(c, r.bind(c))
		return
	}
	v, from := c.vars[i], len(r.values)
	for k := range n.tools {
		r.values = appendNamed(r.values, from, &n.tools[k], n.args, r.m.p.vars[v], r.c)
	}
	for k, to := from, len(r.values); k < to; k++ {
		r.set(v, r.m.sp.bound(r.values[k]))
		r.nameAll(c, n, i+1)
	}
	r.values = r.values[:from]
}

// appendNamed adds to out, from the given place on, the values of a variable
// with which an atom of tool t could match the call.
func appendNamed(out []any, from int, t *Tool, args []Arg, name string, c *trace.Call) []any {
	if n, ok := t.Target.(Namer); ok && slices.Contains(t.Target.Vars(), name) {
		for _, v := range n.Names(c, name) {
			out = appendNew(out, from, v)
		}
	}
	for _, a := range args {
		if a.Value.Var != name {
			continue
		}
		if t.Target != nil || c.Tool == t.Name {
			out = appendNew(out, from, c.Args[a.Name])
		}
		for _, g := range c.Forms {
			if g.Tool == t.Name {
				out = appendNew(out, from, g.Args[a.Name])
			}
		}
	}
	return out
}
