package ltl

// Instances of one binding that a call cannot move unless it names the binding's
// values are kept with the binding and not in the monitor: the lock of a file
// does not care for calls about other files, and 50,000 locks must not make
// every call slow (formulas.md 8.5).

// parkable says whether obligations started by n can be kept with a binding: n
// speaks of its values alone, and a call that matches none of its atoms leaves
// it as it is. As the operand of a G, it must hold there.
func parkable(n *pnode, every bool) bool {
	if len(n.class.vars) == 0 || !n.class.lazy || !ownAtoms(n, n.class) {
		return false
	}
	q := quiet{}
	v := q.value(n.f)
	return !q.restless && (!every || v == ever)
}

// ownAtoms says whether all atoms of n have exactly the variables of c.
func ownAtoms(n *pnode, c *class) bool {
	if n == nil {
		return true
	}
	switch n.op {
	case opLocal, opWhole:
		return n.class == c
	case opForall, opExists, opNext, opAt:
		return false
	default:
		return ownAtoms(n.l, c) && ownAtoms(n.r, c)
	}
}

// markParkable finds the nodes whose obligations can be kept with bindings.
func (p *program) markParkable() {
	for _, n := range p.nodes {
		switch n.op {
		case opAlways, opEventually, opUntil, opRelease:
			n.parks = parkable(n, false)
		default:
		}
		n.parksEvery = n.conj && n.local && parkable(n, true)
		n.class.parks = n.class.parks || n.parks || n.parksEvery
	}
}

// home is the binding that an instance can be kept with, nil if there is none.
func (it *item) home() *bindings {
	switch {
	case it.kind == everyItem && it.f.parksEvery:
		return it.b
	case it.kind == leafItem && it.was == Pending:
		if b, ok := it.e.home(nil); ok {
			return b
		}
	}
	return nil
}

// home is the one binding that all of e speaks of; b is that found so far.
func (e *node) home(b *bindings) (*bindings, bool) {
	switch e.op {
	case rConst:
		return b, true
	case rNext, rAt:
		return nil, false
	case rRegister:
		return e.b, e.b != nil && e.b.class.parks && (b == nil || compareBindings(b, e.b) == 0)
	case rAlways, rEventually, rUntil, rRelease:
		return e.b, e.f.parks && (b == nil || compareBindings(b, e.b) == 0)
	default:
	}
	for _, k := range e.kids {
		var ok bool
		if b, ok = k.home(b); !ok {
			return nil, false
		}
	}
	return b, true
}

// park puts instances where they are kept. A binding that gets one becomes
// active; what it has already moves with it, so that equal ones are one.
func (r *run) park() {
	if !r.m.p.parks {
		return
	}
	for again := true; again; {
		again = false
		for i := 0; i < len(r.next); i++ {
			if b := r.next[i].home(); b != nil && r.find(b) == nil {
				r.activate(b.class, b)
				again = true
			}
		}
		r.advanceWoken()
	}
	stay := r.next[:0]
	for _, it := range r.next {
		b := it.home()
		if b == nil {
			stay = append(stay, it)
			continue
		}
		a := r.find(b)
		a.st.items = append(a.st.items, it)
		if it.kind == leafItem && !r.truth(it.e) {
			a.st.owed++
		}
	}
	clear(r.next[len(stay):])
	r.next = stay
}

// wake takes the instances kept with a binding out, to be moved by the call.
func (r *run) wake(a *active) {
	r.woken = append(r.woken, a.st.items...)
	a.st.items, a.st.owed = a.items[:0], 0
}

func (r *run) advanceWoken() {
	for len(r.woken) > 0 {
		it := r.woken[len(r.woken)-1]
		r.woken = r.woken[:len(r.woken)-1]
		r.advance(it)
	}
}
