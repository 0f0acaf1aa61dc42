package ltl

import "strconv"

// cell is what the past operator, or @N, of node n yields at the position, in
// the scope at hand. The first to ask moves it (formulas.md 8.3); inner cells
// move by being asked.
func (r *run) cell(n *pnode) *now {
	a := r.active(n.class)
	y := &a.now[n.slot]
	if y.done {
		return y
	}
	y.done = true
	old := a.st.cells[n.slot]
	var moved cell
	switch {
	case n.op == opAt:
		moved = r.stepAt(n, old, y)
	case n.settled:
		moved = r.stepSettled(n, a, old, y)
	default:
		moved = r.stepOpen(n, old, y)
	}
	a.st.cells[n.slot] = moved
	return y
}

// stepSettled moves a cell whose operand has a settled level at the position.
func (r *run) stepSettled(n *pnode, a *active, c cell, y *now) cell {
	switch n.op {
	case opPrevious:
		y.level, y.key, y.items = c.level, c.key, c.items
		if fault(10) && r.pos == 0 {
			y.level = topmost
		}
		if n.list {
			y.items = r.later(c.items)
			c.items = r.split(n.l, "")
		}
		c.level, c.key = r.eval(n.l), r.keyOf(n.l)
		return c
	case opOnce:
		l := r.eval(n.l)
		a.note(n, l, topmost, r.pos)
		if fault(6) {
			c.level = lowest
		}
		if l = max(l, c.level); l.verdict() > c.level.verdict() {
			c.key = r.keyOf(n.l)
		}
		c.level = l
	case opHistorically:
		l := r.eval(n.l)
		a.note(n, lowest, l, r.pos)
		if fault(7) {
			c.level = topmost
		}
		if l = min(l, c.level); l.verdict() < c.level.verdict() {
			c.key = r.keyOf(n.l)
			if n.list {
				c.items = r.split(n.l, "H"+strconv.Itoa(r.pos)+"/")
			}
		}
		c.level = l
		y.items = c.items
	case opSince:
		f, g := r.eval(n.l), r.eval(n.r)
		a.note(n, g, f, r.pos)
		if c.level = max(g, min(f, c.level)); fault(8) {
			c.level = g
		}
		c.doubt = c.doubt || f.doubtful() || g.doubtful()
		y.level = c.since()
		return c
	case opCount:
		if fault(9) && r.eval(n.l).verdict() == True {
			c.count++
		}
		y.level, y.count = atomLevel(n.cmp.holds(c.count, n.n), false), c.count
		if r.eval(n.l).verdict() == True {
			c.count++
		}
		return c
	default:
	}
	y.level, y.key = c.level, c.key
	return c
}

// since is what S yields: failing, it rests on a maybe of any of its positions.
func (c *cell) since() level {
	if c.doubt && c.level == lowest && !fault(23) {
		return mayFail
	}
	return c.level
}

// note tells the state of "no value met yet" what moved the cell: up what can
// raise it, down what it cannot stay above.
func (a *active) note(n *pnode, up, down level, pos int) {
	if !a.unmet || len(a.st.past) == 0 {
		return
	}
	p := &a.st.past[n.slot]
	for i, t := range thresholds {
		if up >= t {
			p.up[i] = pos
		}
		if down < t {
			p.down[i] = pos
		}
	}
	if up.doubtful() || down.doubtful() {
		p.doubt = pos
	}
}

// stepOpen moves a cell whose operand may stay open.
func (r *run) stepOpen(n *pnode, c cell, y *now) cell {
	s := r.m.sp
	if n.op == opPrevious {
		if n.list {
			y.items = r.later(c.items)
			c.items = r.split(n.l, "")
			return c
		}
		y.open = s.never
		if c.open != nil {
			y.open = r.progress(c.open)
		}
		c.open = r.start(n.l, false, true)
		return c
	}
	old := c.open
	switch {
	case old != nil:
		old = r.progress(old)
	case n.op == opHistorically:
		old = s.ever
	default:
		old = s.never
	}
	switch n.op {
	case opOnce:
		c.open = s.plain(s.join2(rMax, r.start(n.l, false, false), old))
	case opHistorically:
		c.open = s.plain(s.join2(rMin, r.start(n.l, false, false), old))
	case opSince:
		held := s.join2(rMin, r.start(n.l, false, false), old)
		c.open = s.plain(s.join2(rMax, r.start(n.r, false, false), held))
	default:
	}
	y.open = c.open
	return c
}

// stepAt moves the cell of @N: from call N on, what its operand started there.
func (r *run) stepAt(n *pnode, c cell, y *now) cell {
	switch {
	case n.list && c.set:
		c.items = r.later(c.items)
	case c.set:
		c.open = r.progress(c.open)
	case r.pos == n.n && n.list:
		c.set, c.items = true, r.split(n.l, "")
	case r.pos == n.n:
		c.set, c.open = true, r.start(n.l, false, true)
	}
	if c.set {
		y.open, y.items = c.open, c.items
	}
	return c
}

// keyOf is the key at the position of a settled formula (formulas.md 4).
func (r *run) keyOf(n *pnode) *knode {
	if !n.keyable {
		return nil
	}
	s := r.m.sp
	switch n.op {
	case opNot:
		return s.keyed(knode{op: 'n', a: r.keyOf(n.l)})
	case opOr, opImplies:
		left := r.eval(n.l)
		k := knode{op: 'o'}
		if n.op == opImplies {
			left, k.op = left.not(), 'i'
		}
		right := r.eval(n.r)
		whole := max(left, right).verdict()
		if whole == True {
			return nil
		}
		if left.verdict() == whole {
			k.a = r.keyOf(n.l)
			if n.op == opImplies {
				k.a = s.keyed(knode{op: 'n', a: k.a})
			}
		}
		if right.verdict() == whole {
			k.b = r.keyOf(n.r)
		}
		return s.keyed(k)
	case opOnce, opHistorically:
		if n.isSelf() {
			return r.keyOf(n.l)
		}
		y := r.cell(n)
		if failing := y.level.verdict().Failing(); failing == (n.op == opOnce) {
			return nil
		}
		return y.key
	case opPrevious:
		return r.cell(n).key
	case opCount:
		return s.keyed(knode{op: '#', n: r.cell(n).count})
	default:
		return nil
	}
}
