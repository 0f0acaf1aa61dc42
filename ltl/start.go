package ltl

import "slices"

// start is what formula n comes to at the position, in the scope at hand: inst
// of formulas.md 8.3. With sure its doubts are dropped; without id its keys are
// not wanted.
func (r *run) start(n *pnode, sure, id bool) *node {
	s := r.m.sp
	s.touch()
	if n.settled {
		l := r.eval(n)
		if sure {
			l = l.plain()
		}
		var k *knode
		if id {
			k = r.keyOf(n)
		}
		return s.constant(l, l.verdict() == True, k)
	}
	switch n.op {
	case opWhole:
		return s.register(n.class.regs[n.slot], r.bind(n.class))
	case opNot:
		return s.not(r.start(n.l, sure, id))
	case opAnd:
		return s.join2(rMin, r.start(n.l, sure, false), r.start(n.r, sure, false))
	case opOr:
		return r.startOr(r.start(n.l, sure, id), n, sure, id)
	case opImplies:
		return r.startOr(s.not(r.start(n.l, sure, id)), n, sure, id)
	case opNext:
		return s.mark(rNext, n.l, r.bind(n.l.class), sure)
	case opAlways:
		if !n.l.local {
			return s.join2(rMin, s.capped, r.start(n.l, sure, false))
		}
		return s.join2(rMin, r.start(n.l, sure, false), s.mark(rAlways, n, r.bind(n.class), sure))
	case opEventually:
		if !n.l.local {
			return s.plain(s.join2(rMax, s.owed, r.start(n.l, true, false)))
		}
		return s.plain(s.join2(rMax, r.start(n.l, true, false), s.mark(rEventually, n, r.bind(n.class), true)))
	case opUntil:
		sure := !fault(21)
		held := s.join2(rMin, r.start(n.l, sure, false), s.mark(rUntil, n, r.bind(n.class), sure))
		return s.plain(s.join2(rMax, r.start(n.r, sure, false), held))
	case opRelease:
		held := s.join2(rMax, r.start(n.l, true, false), s.mark(rRelease, n, r.bind(n.class), true))
		return s.plain(s.join2(rMin, r.start(n.r, true, false), held))
	case opForall:
		e := s.ever
		r.each(n, func(*bound) { e = s.join2(rMin, e, r.start(n.l, sure, false)) })
		return e
	case opExists:
		e := s.never
		r.each(n, func(*bound) { e = s.join2(rMax, e, r.start(n.l, true, false)) })
		return s.plain(e)
	default:
		return r.startPast(n, sure)
	}
}

func (r *run) startOr(l *node, n *pnode, sure, id bool) *node {
	if isEver(l) {
		return r.m.sp.ever
	}
	return r.m.sp.or(l, r.start(n.r, sure, id), n.op == opImplies)
}

// startPast is the value of a cell.
func (r *run) startPast(n *pnode, sure bool) *node {
	s := r.m.sp
	var e *node
	switch {
	case n.isSelf():
		return r.start(n.l, sure, true)
	case n.op == opAt && n.n < 0:
		return s.never
	case n.op == opAt:
		if e = r.cell(n).open; e == nil {
			return s.mark(rAt, n, r.bind(n.class), sure)
		}
	default:
		e = r.cell(n).open
	}
	if sure {
		return s.sure(e)
	}
	return e
}

// progress is what a residual comes to by the call.
func (r *run) progress(e *node) *node {
	s := r.m.sp
	s.touch()
	switch e.op {
	case rConst, rRegister:
		return e
	case rNext, rAlways, rEventually, rUntil, rRelease, rAt:
		scope := r.enter(e.b)
		y := r.start(e.f, e.sure, e.op == rNext || e.op == rAt)
		r.leave(e.b, scope)
		return y
	default:
		return s.rebuild(e, r.progress)
	}
}

// level is the value of a residual after the call.
func (r *run) level(e *node) level {
	r.m.sp.touch()
	switch e.op {
	case rConst:
		return e.level
	case rRegister:
		return levelOf(r.register(e).verdict(e.f.f))
	case rNot:
		return r.level(e.kids[0]).not()
	case rPlain:
		return r.level(e.kids[0])
	case rMin:
		l := topmost
		for _, k := range e.kids {
			l = min(l, r.level(k))
		}
		return l
	case rMax, rOr:
		l := lowest
		for _, k := range e.kids {
			l = max(l, r.level(k))
		}
		return l
	default:
		return open
	}
}

// truth is the residual's if the trace ended after the call.
func (r *run) truth(e *node) bool {
	switch e.op {
	case rConst:
		return e.truth
	case rRegister:
		return r.register(e).truth(e.f.f)
	case rNot:
		return !r.truth(e.kids[0])
	case rPlain:
		return r.truth(e.kids[0])
	case rMin:
		for _, k := range e.kids {
			if !r.truth(k) {
				return false
			}
		}
		return true
	case rMax, rOr:
		return slices.ContainsFunc(e.kids, r.truth)
	case rAlways, rRelease:
		return true
	case rUntil:
		return e.f.weak && !fault(11)
	default:
		return false
	}
}

// moved says whether the key of a failing residual changed by the call.
func (r *run) moved(e *node) bool {
	switch e.op {
	case rRegister:
		a := r.find(e.b)
		if a == nil && r.m.kept.get(r.m, e.b) == nil {
			a = r.unmet[e.b.class.id]
		}
		return a != nil && a.moved[e.f.slot]
	case rNot:
		return r.moved(e.kids[0])
	case rOr:
		return r.level(e).verdict() != True && (r.moved(e.kids[0]) || r.moved(e.kids[1]) && !fault(12))
	default:
		return false
	}
}

// appendKey writes the key of a residual.
func (r *run) appendKey(b []byte, e *node) []byte {
	switch e.op {
	case rConst:
		return e.key.append(b)
	case rRegister:
		return r.register(e).appendKey(b, e.f.f)
	case rNot:
		return append(r.appendKey(append(b, "not("...), e.kids[0]), ')')
	case rOr:
		return r.appendOrKey(b, e)
	default:
		return append(b, '-')
	}
}

func (r *run) appendOrKey(b []byte, e *node) []byte {
	whole := r.level(e).verdict()
	if whole == True {
		return append(b, '-')
	}
	if e.imp {
		b = append(b, "imp("...)
	} else {
		b = append(b, "or("...)
	}
	for i, k := range e.kids {
		if i > 0 {
			b = append(b, ',')
		}
		if r.level(k).verdict() == whole {
			b = r.appendKey(b, k)
		} else {
			b = append(b, '-')
		}
	}
	return append(b, ')')
}
