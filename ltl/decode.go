package ltl

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/agentltl/agentltl-hook/trace"
)

// errCheckpoint says that bytes are no checkpoint of the formula, or of a codec
// that this program does not read.
var errCheckpoint = errors.New("not a checkpoint of this formula")

// maxDepth bounds the nesting of what a checkpoint holds.
const maxDepth = 10_000

// A reader decodes; the first mistake sticks, and everything read after it is
// zero.
type reader struct {
	m     *Monitor
	b     []byte
	bad   bool
	depth int
	nodes []*node
	binds []*bindings
}

func (r *reader) fail() { r.bad, r.b = true, nil }

func (r *reader) uint() int {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || n > 1<<40 {
		r.fail()
		return 0
	}
	r.b = r.b[size:]
	return int(n)
}

func (r *reader) int() int {
	n, size := binary.Varint(r.b)
	if size <= 0 || n > 1<<40 || n < -1<<40 {
		r.fail()
		return 0
	}
	r.b = r.b[size:]
	return int(n)
}

// upTo is a number from 0 to limit.
func (r *reader) upTo(limit int) int {
	n := r.uint()
	if n > limit {
		r.fail()
		return 0
	}
	return n
}

// length of a list whose elements take at least a byte each.
func (r *reader) length() int {
	n := r.uint()
	if n > len(r.b) {
		r.fail()
		return 0
	}
	return n
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) byteUpTo(limit byte) byte {
	c := r.byte()
	if c > limit {
		r.fail()
		return 0
	}
	return c
}

func (r *reader) flags(known int) (f [8]bool) {
	c := r.byteUpTo(1<<known - 1)
	for i := range f {
		f[i] = c>>i&1 != 0
	}
	return f
}

func (r *reader) text() string {
	n := r.length()
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

// readState restores the whole monitor, which is fresh.
func (m *Monitor) readState(b []byte) error {
	r := &reader{m: m, b: b}
	if v := r.uint(); !readable(uint64(v)) {
		return errCheckpoint
	}
	m.n = r.uint()
	switch {
	case m.n == 0 || r.bad:
	case len(r.b) == 1 && r.b[0] == outgrown:
		m.turnToFallback()
		return nil
	default:
		r.monitor()
		m.large = outgrows(m.items)
	}
	if r.bad || len(r.b) > 0 {
		return errCheckpoint
	}
	return nil
}

func (r *reader) monitor() {
	m := r.m
	m.settled = Verdict(r.byteUpTo(byte(True)))
	m.ends = r.flags(1)[0]
	r.state(m.p.classes[0], &m.base)
	for _, c := range m.p.classes[1:] {
		u := m.unmet[c.id]
		if u == nil {
			continue
		}
		u = u.clone()
		r.state(c, u)
		for i, n := range c.cells {
			if len(u.past) > 0 {
				r.past(n, &u.past[i])
			}
		}
		m.unmet[c.id] = u
	}
	m.items = r.items()
	if m.p.parks {
		m.parked = r.uint()
		m.owed = r.upTo(m.parked)
	}
	if m.p.bounded && m.kept.stored == nil {
		for range r.length() {
			if b, st := r.binding(); !r.bad {
				m.kept.put(b, st)
			}
		}
	}
}

// decodeVar reads one binding as Changes gave it.
func decodeVar(m *Monitor, val []byte) (*bindings, *envState, error) {
	r := &reader{m: m, b: val}
	if v := r.uint(); !readable(uint64(v)) {
		return nil, nil, errCheckpoint
	}
	b, st := r.binding()
	if r.bad || len(r.b) > 0 {
		return nil, nil, errCheckpoint
	}
	return b, st, nil
}

func (r *reader) binding() (*bindings, *envState) {
	b := r.bind()
	if b == nil || r.m.unmet[b.class.id] == nil {
		r.fail()
		return nil, nil
	}
	st := newState(b.class, false)
	st.at = r.uint()
	r.state(b.class, st)
	if b.class.parks {
		st.items = r.items()
		st.owed = r.upTo(len(st.items))
	}
	return b, st
}

func (r *reader) state(c *class, st *envState) {
	for i, n := range c.regs {
		st.regs[i] = r.reg(n)
	}
	for i, n := range c.cells {
		st.cells[i] = r.cell(n)
	}
}

func (r *reader) reg(n *pnode) (x reg) {
	f := r.flags(5)
	if f[0] {
		x.n = r.uint()
	}
	if f[1] {
		x.m = r.uint()
	}
	if x.timed = f[2]; f[2] {
		x.step = r.int()
	}
	if f[3] {
		x.done = r.byteUpTo(byte(True) + 1)
	}
	if f[4] {
		x.seen = r.text()
	}
	switch a := n.f.(type) {
	case CalledInOrder:
		if x.done == 0 && x.n >= len(a.Tools) {
			r.fail()
		}
	case AllBefore:
		if x.seen != "" && len(x.seen) != len(a.Tools) {
			r.fail()
		}
	default:
	}
	return x
}

func (r *reader) cell(n *pnode) (c cell) {
	f := r.flags(6)
	c.doubt, c.set = f[0], f[5]
	if n.settled {
		c.level = level(r.byteUpTo(byte(topmost)))
	}
	if f[1] {
		c.count = r.int()
	}
	if f[2] {
		c.key = r.key()
	}
	if f[3] {
		c.open = r.node()
	}
	if f[4] {
		c.items = r.items()
	}
	if n.op == opAt && c.set && !n.list && c.open == nil || n.settled && (c.open != nil || c.level > lowest && c.level < mayHold && c.level != mayFail) {
		r.fail()
	}
	return c
}

func (r *reader) past(n *pnode, p *past) {
	at := func() int { return r.upTo(r.m.n) - 1 }
	if n.op == opOnce || n.op == opSince {
		for i := range p.up {
			p.up[i] = at()
		}
	}
	if n.op == opHistorically || n.op == opSince {
		for i := range p.down {
			p.down[i] = at()
		}
	}
	if n.op == opSince {
		p.doubt = at()
	}
}

func (r *reader) items() []item {
	n := r.length()
	out := make([]item, 0, min(n, 64))
	for range n {
		out = append(out, r.item())
		if r.bad {
			return nil
		}
	}
	if !slices.IsSortedFunc(out, compareItems) {
		r.fail()
		return nil
	}
	return out
}

func (r *reader) item() (it item) {
	it.kind = itemKind(r.byteUpTo(byte(capItem)))
	switch it.kind {
	case capItem:
		return it
	case leafItem:
		it.e = r.node()
		it.was = Verdict(r.byteUpTo(byte(True)))
	default:
		it.f, it.b = r.scoped()
		if !r.bad && (!it.f.conj || it.kind == atItem && (it.f.op != opAt || !it.f.list)) {
			r.fail()
		}
	}
	n := r.length()
	if n == 0 || n > maxPlaces {
		r.fail()
		return it
	}
	for range n {
		it.places = append(it.places, r.text())
	}
	return it
}

func (r *reader) key() *knode {
	if !r.deeper() {
		return nil
	}
	defer func() { r.depth-- }()
	k := knode{op: r.byte()}
	switch k.op {
	case 0:
		return nil
	case '#':
		k.n = r.uint()
	case 'n':
		k.a = r.key()
	case 'o', 'i':
		k.a, k.b = r.key(), r.key()
	default:
		r.fail()
		return nil
	}
	return r.m.sp.keyed(k)
}

func (r *reader) deeper() bool {
	if r.depth++; r.depth > maxDepth {
		r.fail()
	}
	return !r.bad
}

func (r *reader) bind() *bindings {
	switch at := r.uint(); {
	case at == 0:
		return nil
	case at > 1:
		if at-2 >= len(r.binds) {
			r.fail()
			return nil
		}
		return r.binds[at-2]
	}
	id := r.uint()
	if id == 0 || id >= len(r.m.p.classes) {
		r.fail()
		return nil
	}
	c := r.m.p.classes[id]
	vals := make([]*bound, len(r.m.p.vars))
	for _, v := range c.vars {
		text := r.text()
		if text == "" {
			vals[v] = freshBound
			continue
		}
		x, err := trace.DecodeJSON([]byte(text))
		if err != nil {
			r.fail()
			return nil
		}
		vals[v] = r.m.sp.bound(x)
	}
	b := r.m.sp.bind(c, vals)
	r.binds = append(r.binds, b)
	return b
}

func (r *reader) formula() *pnode {
	id := r.uint()
	if id >= len(r.m.p.nodes) {
		r.fail()
		return nil
	}
	return r.m.p.nodes[id]
}

// scoped reads a sub-formula and the binding of its free variables.
func (r *reader) scoped() (*pnode, *bindings) {
	f, b := r.formula(), r.bind()
	if r.bad || (b == nil) != (len(f.class.vars) == 0) || b != nil && b.class != f.class {
		r.fail()
		return nil, nil
	}
	return f, b
}

func (r *reader) node() *node {
	at := r.uint()
	if at > 0 {
		if at > len(r.nodes) {
			r.fail()
			return nil
		}
		return r.nodes[at-1]
	}
	if !r.deeper() {
		return nil
	}
	defer func() { r.depth-- }()
	e := r.definition()
	if r.bad {
		return nil
	}
	made := r.m.sp.add(e)
	r.nodes = append(r.nodes, made)
	return made
}

func (r *reader) definition() node {
	e := node{op: rop(r.byteUpTo(byte(rAt)))}
	switch e.op {
	case rConst:
		e.level = level(r.byteUpTo(byte(topmost)))
		e.truth = r.flags(1)[0]
		e.key = r.key()
	case rNot, rPlain, rMin, rMax, rOr:
		e.imp = r.flags(1)[0]
		n := r.length()
		for range n {
			e.kids = append(e.kids, r.node())
		}
		single := e.op == rNot || e.op == rPlain
		if n == 0 || single && n != 1 || e.op == rOr && n != 2 || !single && n < 2 {
			r.fail()
		}
	case rRegister:
		if e.f, e.b = r.scoped(); !r.bad && (e.f.op != opWhole || e.f != e.f.class.regs[e.f.slot]) {
			r.fail()
		}
	default:
		e.sure = r.flags(1)[0]
		e.f, e.b = r.scoped()
		if !r.bad && !startedBy(e.op, e.f) {
			r.fail()
		}
	}
	return e
}

// startedBy says whether a mark can be of that sub-formula.
func startedBy(op rop, f *pnode) bool {
	switch op {
	case rNext:
		return true
	case rAlways:
		return f.op == opAlways
	case rEventually:
		return f.op == opEventually
	case rUntil:
		return f.op == opUntil
	case rRelease:
		return f.op == opRelease
	default:
		return f.op == opAt && f.n >= 0
	}
}
