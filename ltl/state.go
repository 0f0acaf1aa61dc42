package ltl

import "slices"

// A cell is the state of a past operator or of @N under one binding.
type cell struct {
	level level  // settled: O H S their value, Y that of its operand at the last call
	doubt bool   // S: a maybe was among the answers so far
	count int    // count_before
	key   *knode // O, H, Y: the operand's key at the call that decides
	open  *node  // not settled: the residual
	// Cells whose operand's failures are told apart by path keep them as they
	// were split: Y and @N what to go on with, H what failed first.
	items []item
	set   bool // @N: the call came
}

func (c *cell) same(d *cell) bool {
	return c.level == d.level && c.doubt == d.doubt && c.count == d.count && c.set == d.set &&
		compareKeys(c.key, d.key, true) == 0 && (c.open == d.open || c.open != nil && d.open != nil && sameNode(c.open, d.open)) &&
		slices.EqualFunc(c.items, d.items, sameItem)
}

// A past tells, for a lazy cell of "no value met yet", when its operand last
// moved it: for each level from mayFail on, the last position at which the
// operand of O, or the right side of S, was at least that; and at which that of
// H, or the left side of S, was below it. -1: never.
type past struct {
	up, down [3]int
	doubt    int
}

var neverPast = past{[3]int{-1, -1, -1}, [3]int{-1, -1, -1}, -1}

// thresholds are the levels that a settled formula can reach above lowest.
var thresholds = [3]level{mayFail, mayHold, topmost}

// An envState is the state of one binding of a class: of the calls before at.
type envState struct {
	at    int
	regs  []reg
	cells []cell
	past  []past // only of "no value met yet", of a lazy class
	items []item // instances that only calls naming the values move; sorted
	owed  int    // of these, false if the trace ended now
}

func newState(c *class, unmet bool) *envState {
	e := &envState{regs: make([]reg, len(c.regs)), cells: make([]cell, len(c.cells))}
	for i, n := range c.cells {
		if n.op == opHistorically {
			e.cells[i].level = topmost
		}
	}
	if unmet && c.lazy {
		e.past = slices.Repeat([]past{neverPast}, len(c.cells))
	}
	return e
}

// copyTo makes d a copy of e that can be changed, in d's own memory.
func (e *envState) copyTo(d *envState) {
	d.at = e.at
	d.regs = append(d.regs[:0], e.regs...)
	d.cells = append(d.cells[:0], e.cells...)
	d.past = append(d.past[:0], e.past...)
	d.items, d.owed = e.items, e.owed
}

func (e *envState) clone() *envState {
	return &envState{e.at, slices.Clone(e.regs), slices.Clone(e.cells), slices.Clone(e.past), slices.Clone(e.items), e.owed}
}

// same compares facts; at and past are about how they are kept.
func (e *envState) same(d *envState) bool {
	return e.owed == d.owed && slices.EqualFunc(e.items, d.items, sameItem) && slices.Equal(e.regs, d.regs) && slices.EqualFunc(e.cells, d.cells, func(a, b cell) bool { return a.same(&b) })
}

// itemKind is what a live instance waits for.
type itemKind uint8

const (
	leafItem  itemKind = iota // its residual
	everyItem                 // an open G: starts its operand at every call
	nextItem                  // an open X: starts its operand at the next call
	atItem                    // a @N whose call has not come
	capItem                   // in cells only: a G among them
)

// An item is a live instance: a part of the formula whose failures have paths
// of their own.
type item struct {
	kind   itemKind
	e      *node  // leaf
	f      *pnode // others
	b      *bindings
	was    Verdict // leaf: after the last call
	places []string
}

// maxPlaces is the number of paths kept for an instance; of more, the last place
// holds the newest. Instances that are equal are one, and the list of all their
// paths would grow with the trace (formulas.md 8.4).
const maxPlaces = 16

func sameItem(a, b item) bool {
	return a.kind == b.kind && a.f == b.f && compareBindings(a.b, b.b) == 0 &&
		(a.e == b.e || a.e != nil && b.e != nil && sameNode(a.e, b.e)) && slices.Equal(a.places, b.places)
}

func addPlace(places []string, p string) []string {
	if slices.Contains(places, p) {
		return places
	}
	if len(places) == maxPlaces {
		places = slices.Clone(places)
		places[maxPlaces-1] = p
		return places
	}
	return append(slices.Clip(places), p)
}

func compareItems(a, b item) int {
	if a.kind != b.kind {
		return int(a.kind) - int(b.kind)
	}
	if a.kind == leafItem {
		return compareNodes(a.e, b.e, false)
	}
	if a.f != b.f {
		return a.f.id - b.f.id
	}
	return compareBindings(a.b, b.b)
}
