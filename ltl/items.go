package ltl

import (
	"slices"
	"sort"
)

var noPlace = []string{""}

// spawn starts an instance of n at the position, divided down to the parts whose
// failures have paths of their own (the conjunctive split of formulas.md 8.3).
func (r *run) spawn(n *pnode) {
	r.m.sp.touch()
	switch {
	case n.op == opAnd:
		r.within("L/", n.l)
		r.within("R/", n.r)
	case n.op == opAlways:
		r.emit(item{kind: capItem})
		r.spawnAlways(n.l)
	case n.op == opNext:
		r.emit(item{kind: nextItem, f: n.l, b: r.bind(n.l.class), places: nextPlace})
	case n.op == opForall:
		r.each(n, func(b *bound) {
			at := len(r.path)
			r.path = append(append(append(r.path, "A="...), b.key...), '/')
			r.spawn(n.l)
			r.path = r.path[:at]
		})
	case n.isSelf():
		r.spawn(n.l)
	case n.op == opPrevious && r.pos == 0:
		r.leaf(r.m.sp.never, noPlace)
	case n.op == opPrevious:
		r.spawnPrevious(n)
	case n.op == opAt && n.list:
		r.spawnAt(n)
	case n.list: // H
		if y := r.cell(n); y.level.verdict() == False {
			r.again(y.items)
		}
	case n.settled:
		if l := r.eval(n); l != topmost {
			r.leaf(r.m.sp.constant(l, l.verdict() == True, r.keyOf(n)), noPlace)
		}
	default:
		r.leaf(r.start(n, false, true), noPlace)
	}
}

var nextPlace = []string{"X/"}

func (r *run) within(segment string, n *pnode) {
	at := len(r.path)
	r.path = append(r.path, segment...)
	r.spawn(n)
	r.path = r.path[:at]
}

// spawnAlways starts G n: at this position, and from here on if its value
// depends on it. G(f & g) is G f and G g.
func (r *run) spawnAlways(n *pnode) {
	switch {
	case n.op == opAnd:
		r.spawnAlways(n.l)
		r.spawnAlways(n.r)
	case !n.local && !fault(16):
		r.within("G*/"+n.side, n)
	default:
		r.spawnEvery(n)
		r.emit(item{kind: everyItem, f: n, b: r.bind(n.class), places: noPlace})
	}
}

// spawnEvery starts the operand of an open G at the position.
func (r *run) spawnEvery(n *pnode) {
	if n.settled && !n.divides() && r.eval(n) == topmost {
		return // the usual case: nothing to remember
	}
	at := len(r.path)
	r.path = append(appendInt(append(r.path, 'G'), r.pos), '/')
	r.path = append(r.path, n.side...)
	r.spawn(n)
	r.path = r.path[:at]
}

func (r *run) spawnPrevious(n *pnode) {
	at := len(r.path)
	r.path = append(r.path, "Y/"...)
	y := r.cell(n)
	switch {
	case n.list:
		r.again(y.items)
	case n.settled:
		if y.level != topmost {
			r.leaf(r.m.sp.constant(y.level, y.level.verdict() == True, y.key), noPlace)
		}
	default:
		r.leaf(y.open, noPlace)
	}
	r.path = r.path[:at]
}

func (r *run) spawnAt(n *pnode) {
	r.cell(n)
	if a := r.active(n.class); a.st.cells[n.slot].set {
		r.again(r.cell(n).items)
		return
	}
	r.emit(item{kind: atItem, f: n, b: r.bind(n.class), places: noPlace})
}

// again starts what a cell keeps in divided form.
func (r *run) again(items []item) {
	for _, it := range items {
		switch it.kind {
		case leafItem:
			r.leaf(it.e, it.places)
		default:
			r.emit(it)
		}
	}
}

// split is n at the position in divided form, for a cell.
func (r *run) split(n *pnode, prefix string) []item {
	return r.collected(func() { r.path = append(r.path, prefix...); r.spawn(n) })
}

// later is what the items of a cell come to by the call.
func (r *run) later(items []item) []item {
	if len(items) == 0 {
		return nil
	}
	return r.collected(func() {
		for _, it := range items {
			r.advance(it)
		}
	})
}

func (r *run) collected(f func()) []item {
	var out []item
	prefix, path, collect := r.prefix, r.path, r.collect
	r.prefix, r.path, r.collect = noPlace, nil, &out
	f()
	r.prefix, r.path, r.collect = prefix, path, collect
	return out
}

// advance takes an instance over the call.
func (r *run) advance(it item) {
	r.m.sp.touch()
	r.prefix = it.places
	switch it.kind {
	case capItem:
		r.emit(it)
	case leafItem:
		r.settle(it, r.progress(it.e))
	case everyItem:
		old := r.enter(it.b)
		r.spawnEvery(it.f)
		r.leave(it.b, old)
		r.keep(it)
	case nextItem:
		old := r.enter(it.b)
		r.spawn(it.f)
		r.leave(it.b, old)
	case atItem:
		old := r.enter(it.b)
		r.spawnAt(it.f)
		r.leave(it.b, old)
	}
}

// settle goes on with a leaf that has become e.
func (r *run) settle(it item, e *node) {
	l := r.level(e)
	v := l.verdict()
	if r.collect == nil && v.Failing() && (v != False || it.was != False || r.moved(e) || fault(13)) {
		for _, p := range it.places {
			r.fail(p, nil, e, l)
		}
	}
	if r.drop(e, l) {
		return
	}
	it.e, it.was = e, v
	r.keep(it)
}

// leaf starts a leaf, at each of the paths that lead to the position.
func (r *run) leaf(e *node, rest []string) {
	l := r.level(e)
	v := l.verdict()
	if r.collect == nil && v.Failing() {
		for _, p := range r.prefix {
			for _, q := range rest {
				r.fail(p, []byte(q), e, l)
			}
		}
	}
	if r.drop(e, l) {
		return
	}
	r.keep(item{kind: leafItem, e: e, was: v, places: r.placesFor(rest)})
}

// drop forgets a leaf that holds for good, and folds one that is settled into
// the monitor; a cell keeps those that count.
func (r *run) drop(e *node, l level) bool {
	if l == topmost {
		return true
	}
	if e.op != rConst || r.collect != nil {
		return false
	}
	r.m.settled, r.m.ends = min(r.m.settled, l.verdict()), r.m.ends && e.truth
	return true
}

func (r *run) fail(prefix string, rest []byte, e *node, l level) {
	b := r.m.sp.buf[:0]
	b = append(b, prefix...)
	if rest != nil {
		b = append(append(b, r.path...), rest...)
	}
	b = r.appendKey(b, e)
	r.m.sp.buf = b
	r.fresh = append(r.fresh, Witness{Path: string(b), Verdict: l.verdict(), Uncertain: l.doubtful()})
}

// emit starts an instance other than a leaf.
func (r *run) emit(it item) {
	if it.kind == capItem {
		if r.collect == nil {
			r.m.settled = min(r.m.settled, Pending)
			return
		}
		it.places = nil
		r.keep(it)
		return
	}
	it.places = r.placesFor(it.places)
	r.keep(it)
}

// placesFor are the paths to the position followed by each of rest.
func (r *run) placesFor(rest []string) []string {
	if len(r.path) == 0 && len(rest) == 1 && rest[0] == "" {
		return r.prefix
	}
	var out []string
	for _, p := range r.prefix {
		for _, q := range rest {
			out = addPlace(out, p+string(r.path)+q)
		}
	}
	return out
}

// keep adds an instance to those after the call; equal ones are one.
func (r *run) keep(it item) {
	list := &r.next
	if r.collect != nil {
		list = r.collect
	}
	at := sort.Search(len(*list), func(i int) bool { return compareItems((*list)[i], it) >= 0 })
	if at < len(*list) && compareItems((*list)[at], it) == 0 {
		old := &(*list)[at]
		for _, p := range it.places {
			old.places = addPlace(old.places, p)
		}
		return
	}
	*list = slices.Insert(*list, at, it)
}
