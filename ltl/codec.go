package ltl

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/internal/version"
)

// A checkpoint holds, behind the codec's version and the number of calls, the
// facts of formulas.md 8.7: settled, registers, cells, the state of "no value
// met yet", live instances, and the bindings unless they are stored apart.
// Residuals are written where they first occur and by number afterwards, with
// sub-formulas by their pre-order number. Everything is in the order of the
// formula or of structure, so that equal states give equal bytes.

// codecVersion is what this program writes; it reads the two before it too.
func codecVersion() uint64 { return uint64(version.CodecVersion()) }

func readable(v uint64) bool { return v >= 1 && v <= codecVersion() && v+2 >= codecVersion() }

// outgrown stands where the settled verdict is otherwise.
const outgrown = 0xff

type writer struct {
	b     []byte
	nodes map[uint64][]written
	count int
	binds map[string]int
}

// written is a residual that has a number.
type written struct {
	e  *node
	at int
}

func (w *writer) uint(n int) { w.b = binary.AppendUvarint(w.b, uint64(n)) }
func (w *writer) int(n int)  { w.b = binary.AppendVarint(w.b, int64(n)) }
func (w *writer) byte(b byte) {
	w.b = append(w.b, b)
}

func (w *writer) text(s string) {
	w.uint(len(s))
	w.b = append(w.b, s...)
}

func (w *writer) flags(bits ...bool) {
	var b byte
	for i, set := range bits {
		if set {
			b |= 1 << i
		}
	}
	w.byte(b)
}

// appendState writes the whole monitor.
func (m *Monitor) appendState(b []byte) []byte {
	w := &writer{b: b, nodes: map[uint64][]written{}, binds: map[string]int{}}
	w.uint(int(codecVersion()))
	if m.fall != nil { // the state became too large: from here on the trace is the state
		w.uint(m.fall.n)
		w.byte(outgrown)
		return w.b
	}
	w.uint(m.n)
	if m.n == 0 {
		return w.b
	}
	w.byte(byte(m.settled))
	w.flags(m.ends)
	w.state(m.p.classes[0], &m.base)
	for _, c := range m.p.classes[1:] {
		if u := m.unmet[c.id]; u != nil {
			w.state(c, u)
			for i, n := range c.cells {
				if len(u.past) > 0 {
					w.past(n, &u.past[i])
				}
			}
		}
	}
	w.items(m.items)
	if m.p.parks {
		w.uint(m.parked)
		w.uint(m.owed)
	}
	if m.p.bounded && m.kept.stored == nil {
		w.bindings(m)
	}
	return w.b
}

// bindings writes those kept in memory, ordered by their identity.
func (w *writer) bindings(m *Monitor) {
	var all []*bindings
	states := map[string]*envState{}
	m.kept.own.each(func(b *bindings, st *envState) {
		if st != nil {
			all, states[b.id] = append(all, b), st
		}
	})
	slices.SortFunc(all, func(a, b *bindings) int { return strings.Compare(a.id, b.id) })
	w.uint(len(all))
	for _, b := range all {
		w.binding(b, states[b.id])
	}
}

func (w *writer) binding(b *bindings, st *envState) {
	w.bind(b)
	w.uint(st.at)
	w.state(b.class, st)
	if b.class.parks {
		w.items(st.items)
		w.uint(st.owed)
	}
}

// appendVar writes one binding for Changes.
func appendVar(b *bindings, st *envState) []byte {
	w := &writer{nodes: map[uint64][]written{}, binds: map[string]int{}}
	w.uint(int(codecVersion()))
	w.binding(b, st)
	return w.b
}

func (w *writer) state(c *class, st *envState) {
	for i := range st.regs {
		w.reg(&st.regs[i])
	}
	for i, n := range c.cells {
		w.cell(n, &st.cells[i])
	}
}

func (w *writer) reg(r *reg) {
	w.flags(r.n != 0, r.m != 0, r.timed, r.done != 0, r.seen != "")
	if r.n != 0 {
		w.uint(r.n)
	}
	if r.m != 0 {
		w.uint(r.m)
	}
	if r.timed {
		w.int(r.step)
	}
	if r.done != 0 {
		w.byte(r.done)
	}
	if r.seen != "" {
		w.text(r.seen)
	}
}

func (w *writer) cell(n *pnode, c *cell) {
	w.flags(c.doubt, c.count != 0, c.key != nil, c.open != nil, len(c.items) > 0, c.set)
	if n.settled {
		w.byte(byte(c.level))
	}
	if c.count != 0 {
		w.int(c.count)
	}
	if c.key != nil {
		w.key(c.key)
	}
	if c.open != nil {
		w.node(c.open)
	}
	if len(c.items) > 0 {
		w.items(c.items)
	}
}

func (w *writer) past(n *pnode, p *past) {
	if n.op == opOnce || n.op == opSince {
		for _, at := range p.up {
			w.uint(at + 1)
		}
	}
	if n.op == opHistorically || n.op == opSince {
		for _, at := range p.down {
			w.uint(at + 1)
		}
	}
	if n.op == opSince {
		w.uint(p.doubt + 1)
	}
}

func (w *writer) items(items []item) {
	w.uint(len(items))
	for _, it := range items {
		w.byte(byte(it.kind))
		switch it.kind {
		case leafItem:
			w.node(it.e)
			if fault(19) {
				w.byte(byte(Pending))
				break
			}
			w.byte(byte(it.was))
		case capItem:
			continue
		default:
			w.uint(it.f.id)
			w.bind(it.b)
		}
		w.uint(len(it.places))
		for _, p := range it.places {
			w.text(p)
		}
	}
}

func (w *writer) key(k *knode) {
	if k == nil {
		w.byte(0)
		return
	}
	w.byte(k.op)
	if k.op == '#' {
		w.uint(k.n)
		return
	}
	w.key(k.a)
	if k.op != 'n' {
		w.key(k.b)
	}
}

// bind writes a binding, or the number it got when it was written.
func (w *writer) bind(b *bindings) {
	if b == nil {
		w.uint(0)
		return
	}
	if at, ok := w.binds[b.id]; ok {
		w.uint(at + 2)
		return
	}
	w.binds[b.id] = len(w.binds)
	w.uint(1)
	w.uint(b.class.id)
	for _, v := range b.vals {
		if v == freshBound {
			w.text("")
		} else {
			w.text(v.key)
		}
	}
}

// node writes a residual, or the number it got when it was written.
func (w *writer) node(e *node) {
	for _, k := range w.nodes[e.hash] {
		if compareNodes(k.e, e, true) == 0 {
			w.uint(k.at + 1)
			return
		}
	}
	w.uint(0)
	w.byte(byte(e.op))
	switch e.op {
	case rConst:
		w.byte(byte(e.level))
		w.flags(e.truth)
		w.key(e.key)
	case rRegister:
		w.uint(e.f.id)
		w.bind(e.b)
	case rNot, rPlain, rMin, rMax, rOr:
		w.flags(e.imp)
		w.uint(len(e.kids))
		for _, k := range e.kids {
			w.node(k)
		}
	default:
		w.flags(e.sure)
		w.uint(e.f.id)
		w.bind(e.b)
	}
	w.nodes[e.hash] = append(w.nodes[e.hash], written{e, w.count})
	w.count++
}
