package ltl

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// step takes the monitor over one call (formulas.md 8.3): registers, then past
// cells, then live instances.
func (m *Monitor) step(c *trace.Call, miss bool) (j Judgement) {
	r := &m.sp.run
	r.begin(m, c, miss)
	r.stepCells()
	r.stepItems()
	r.commit()
	m.n++
	if len(r.fresh) > 1 {
		slices.SortFunc(r.fresh, func(a, b Witness) int { return strings.Compare(a.Path, b.Path) })
		r.fresh = slices.CompactFunc(r.fresh, func(a, b Witness) bool { return a.Path == b.Path })
	}
	return Judgement{m.live(), r.fresh}
}

// stepRegisters takes a binding's registers over the call as soon as it is
// active: what asks for them asks for their value after the call.
func (r *run) stepRegisters(a *active) {
	if r.miss || len(a.class.regs) == 0 {
		return
	}
	old := r.enter(a.b)
	env := r.names(a.class)
	for k, n := range a.class.regs {
		a.moved[k] = a.st.regs[k].take(n.f, r.c, env)
	}
	r.leave(a.b, old)
}

// stepCells moves the cells that nothing has asked for yet. Asking can make
// further bindings active.
func (r *run) stepCells() {
	for i := 0; i < len(r.act); i++ {
		a := r.act[i]
		if len(a.class.cells) == 0 {
			continue
		}
		old := r.enter(a.b)
		r.current[a.class.id] = a
		for _, n := range a.class.cells {
			r.cell(n)
		}
		r.leave(a.b, old)
	}
}

func (r *run) stepItems() {
	m := r.m
	r.next = r.next[:0]
	if m.n == 0 {
		r.prefix = noPlace
		r.spawn(m.p.root)
	}
	for _, it := range m.items {
		r.advance(it)
	}
	r.advanceWoken()
	r.park()
	// Instances can have made further bindings active, whose cells must not stay
	// behind the call.
	r.stepCells()
}

// commit keeps what changed.
func (r *run) commit() {
	m := r.m
	r.act[0].st.copyTo(&m.base)
	if !slices.EqualFunc(m.items, r.next, sameItem) {
		m.items = append(m.items[:0:0], r.next...)
		m.large = outgrows(m.items)
	} else {
		for i := range m.items {
			m.items[i].was = r.next[i].was
		}
	}
	if !m.p.bounded {
		return
	}
	for _, a := range r.act[1:] {
		if a.unmet {
			r.commitUnmet(a)
		}
	}
	for _, a := range r.act[1:] {
		if !a.unmet {
			r.commitBinding(a)
		}
	}
}

func (r *run) commitUnmet(a *active) {
	if a.st.same(a.stored) && slices.Equal(a.st.past, a.stored.past) {
		return
	}
	r.m.unmet[a.class.id] = a.st.clone()
}

// commitBinding keeps the state of a binding, unless what is kept already comes
// to the same: "no value met yet" has that state, or had the call not named the
// values, the kept state would have come to it.
func (r *run) commitBinding(a *active) {
	c, unmet := a.class, r.m.unmet[a.class.id]
	a.items = a.st.items
	r.m.parked, r.m.owed = r.m.parked+len(a.st.items), r.m.owed+a.st.owed
	if a.stored != nil {
		r.m.parked, r.m.owed = r.m.parked-len(a.stored.items), r.m.owed-a.stored.owed
	}
	if a.st.same(unmet) {
		if a.stored != nil {
			r.m.kept.drop(a.b)
		}
		return
	}
	if a.stored != nil {
		if !c.lazy {
			if a.st.same(a.stored) {
				return
			}
		} else {
			a.stored.copyTo(&r.expected)
			c.catchUp(&r.expected, unmet, r.pos+1)
			if a.st.same(&r.expected) {
				return
			}
		}
	}
	st := a.st.clone()
	st.at, st.past = r.pos+1, nil
	if c.lazy {
		for i, n := range c.cells {
			if n.op == opCount {
				st.cells[i].count -= unmet.cells[i].count
			}
		}
	}
	r.m.kept.put(a.b, st)
}

// outgrows says whether the live instances are more than a monitor should carry.
// Those of different bindings do not add up: there is one set for each value.
func outgrows(items []item) bool {
	size := 0
	for _, it := range items {
		switch {
		case it.e == nil:
		case it.e.size > maxState:
			return true
		case !it.e.bound():
			size += it.e.size
		}
	}
	return size > maxState
}

// live is the verdict now.
func (m *Monitor) live() Verdict {
	v := m.settled
	if m.parked > 0 {
		v = min(v, Pending)
	}
	for i := range m.items {
		if m.items[i].kind == leafItem {
			v = min(v, m.items[i].was)
		} else {
			v = min(v, Pending)
		}
	}
	return v
}
