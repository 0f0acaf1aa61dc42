package ltl

import "slices"

// not mirrors a residual and keeps its identity.
func (s *space) not(e *node) *node {
	if e.op == rConst {
		return s.constant(e.level.not(), !e.truth, s.keyed(knode{op: 'n', a: e.key}))
	}
	k := append(s.kids(), e)
	defer s.release(k)
	return s.intern(node{op: rNot, kids: k})
}

// or is | or ->, whose sides keep their identity.
func (s *space) or(l, r *node, imp bool) *node {
	if l == s.ever || r == s.ever || isEver(l) || isEver(r) {
		return s.ever
	}
	if l.op == rConst && r.op == rConst {
		return s.constant(max(l.level, r.level), l.truth || r.truth, s.orKey(l, r, imp))
	}
	k := append(s.kids(), l, r)
	defer s.release(k)
	return s.intern(node{op: rOr, imp: imp, kids: k})
}

func isEver(e *node) bool { return e.op == rConst && e.level == topmost }

func (s *space) orKey(l, r *node, imp bool) *knode {
	whole := max(l.level, r.level).verdict()
	if whole == True {
		return nil
	}
	k := knode{op: 'o'}
	if imp {
		k.op = 'i'
	}
	if l.level.verdict() == whole {
		k.a = l.key
	}
	if r.level.verdict() == whole {
		k.b = r.key
	}
	return s.keyed(k)
}

// strip drops identity: keys, and the order of the sides of | and ->.
func (s *space) strip(e *node) *node {
	switch e.op {
	case rConst:
		if e.key != nil {
			return s.constant(e.level, e.truth, nil)
		}
	case rPlain:
		return e.kids[0]
	case rOr:
		return s.strip(s.join(rMax, e.kids))
	case rNot:
		return s.mirror(s.strip(e.kids[0]))
	default:
	}
	return e
}

// mirror is not without identity.
func (s *space) mirror(e *node) *node {
	switch e.op {
	case rConst:
		return s.constant(e.level.not(), !e.truth, nil)
	case rNot:
		return e.kids[0]
	default:
		k := append(s.kids(), e)
		defer s.release(k)
		return s.intern(node{op: rNot, kids: k})
	}
}

// plain is e without identity, also where it stands alone.
func (s *space) plain(e *node) *node {
	e = s.strip(e)
	switch e.op {
	case rRegister, rNot, rNext, rAt:
		k := append(s.kids(), e)
		defer s.release(k)
		return s.intern(node{op: rPlain, kids: k})
	default:
		return e
	}
}

// sure drops the doubts of e, now and later.
func (s *space) sure(e *node) *node {
	switch e.op {
	case rConst:
		if e.level.doubtful() {
			return s.constant(e.level.plain(), e.truth, e.key)
		}
		return e
	case rNext, rAlways, rEventually, rUntil, rRelease, rAt:
		if e.sure {
			return e
		}
		return s.mark(e.op, e.f, e.b, true)
	case rRegister:
		return e
	default:
	}
	return s.rebuild(e, s.sure)
}

// rebuild applies f to the kids and puts them together again; e itself comes
// back when nothing changed.
func (s *space) rebuild(e *node, f func(*node) *node) *node {
	k := s.kids()
	same := true
	for _, x := range e.kids {
		y := f(x)
		same = same && y == x
		k = append(k, y)
	}
	defer func() { s.release(k) }()
	if same {
		return e
	}
	switch e.op {
	case rNot:
		return s.not(k[0])
	case rPlain:
		return s.plain(k[0])
	case rOr:
		return s.or(k[0], k[1], e.imp)
	default:
		return s.join(e.op, k)
	}
}

func (s *space) join2(op rop, a, b *node) *node {
	k := append(s.kids(), a, b)
	defer s.release(k)
	return s.join(op, k)
}

// join is the minimum or maximum of kids in normal form: flat, sorted, without
// duplicates, constants folded, and without what the context decides.
func (s *space) join(op rop, kids []*node) *node {
	unit, end := s.ever, lowest
	if op == rMax {
		unit, end = s.never, topmost
	}
	level, truth := unit.level, unit.truth
	out := s.kids()
	defer func() { s.release(out) }()
	fold := func(e *node) {
		if op == rMin {
			level, truth = min(level, e.level), truth && (e.truth || fault(15))
		} else {
			level, truth = max(level, e.level), truth || e.truth
		}
	}
	for _, e := range kids {
		e = s.strip(e)
		switch e.op {
		case rConst:
			fold(e)
		case op:
			for _, x := range e.kids {
				if x.op == rConst {
					fold(x)
				} else {
					out = append(out, x)
				}
			}
		default:
			out = append(out, e)
		}
	}
	if level == end || len(out) == 0 {
		return s.constant(level, truth, nil)
	}
	if level != unit.level || truth != unit.truth {
		out = append(out, s.constant(level, truth, nil))
	}
	slices.SortFunc(out, func(a, b *node) int { return compareNodes(a, b, true) })
	out = slices.CompactFunc(out, sameNode)
	if s.absorb(op, out) {
		return s.join(op, out)
	}
	if len(out) == 1 {
		return s.plain(out[0])
	}
	return s.intern(node{op: op, kids: out})
}

// absorb replaces the kids that are minima or maxima by what is left of them
// beside their siblings, and says whether that changed any: below max(a, …) a
// nested max need not name a, and dually. Without it `called("x") U called("y")`
// grows by two levels a call (formulas.md 8.3).
func (s *space) absorb(op rop, kids []*node) bool {
	changed := false
	siblings := s.kids()
	defer func() { s.release(siblings) }()
	for i, x := range kids {
		if x.op != rMin && x.op != rMax {
			continue
		}
		siblings = siblings[:0]
		for j, y := range kids {
			if j != i {
				siblings = append(siblings, y)
			}
		}
		var y *node
		if op == rMin {
			y = s.within(x, nil, siblings)
		} else {
			y = s.within(x, siblings, nil)
		}
		if y != x {
			kids[i], changed = y, true
		}
	}
	return changed
}

// within is e below a maximum with the members maxs and a minimum with the
// members mins.
func (s *space) within(e *node, maxs, mins []*node) *node {
	s.touch()
	drop := maxs
	if (e.op == rMin) != fault(14) {
		drop = mins
	}
	left := s.kids()
	out := s.kids()
	defer func() { s.release(left); s.release(out) }()
	for _, k := range e.kids {
		if !slices.ContainsFunc(drop, func(x *node) bool { return sameNode(x, k) }) {
			left = append(left, k)
		}
	}
	changed := len(left) != len(e.kids)
	for i, k := range left {
		if k.op != rMin && k.op != rMax {
			out = append(out, k)
			continue
		}
		rest := append(s.kids(), drop...)
		rest = append(append(rest, left[:i]...), left[i+1:]...)
		var y *node
		if e.op == rMin {
			y = s.within(k, maxs, rest)
		} else {
			y = s.within(k, rest, mins)
		}
		s.release(rest)
		changed = changed || y != k
		out = append(out, y)
	}
	if !changed {
		return e
	}
	return s.strip(s.join(e.op, out))
}
