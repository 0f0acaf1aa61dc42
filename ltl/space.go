package ltl

import (
	"hash/maphash"
	"slices"
	"strconv"
)

// maxTable is the number of residuals kept for reuse before the table is
// emptied: it is a cache, and a long-lived process should not keep those that
// are gone.
const maxTable = 1 << 14

// A space makes the residuals of a monitor and its clones and finds equal ones
// again, so that a step that changes nothing allocates nothing.
type space struct {
	p      *program
	table  map[uint64]*node
	keys   map[knode]*knode
	bounds map[string]*bound
	binds  map[string]*bindings // by class and key
	seed   maphash.Seed
	pool   [][]*node // scratch lists of kids
	buf    []byte
	never  *node // C(False, false)
	ever   *node // C(True, true)
	capped *node // C(Pending, true)
	owed   *node // C(Pending, false)
	work   int   // residual nodes touched in this step
	run    run
}

func newSpace(p *program) *space {
	s := &space{p: p, table: map[uint64]*node{}}
	if p.quantified() {
		s.seed = maphash.MakeSeed()
		s.bounds, s.binds = map[string]*bound{}, map[string]*bindings{}
	}
	s.never = s.constant(lowest, false, nil)
	s.ever = s.constant(topmost, true, nil)
	s.capped = s.constant(open, true, nil)
	s.owed = s.constant(open, false, nil)
	s.run.init(p)
	return s
}

// touch counts a residual node that a step looks at.
func (s *space) touch() {
	if s.work++; s.work > maxWork {
		panic(ErrBudget)
	}
}

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// intern returns the node equal to n. Its kids are copied if it is new.
func (s *space) intern(n node) *node {
	s.touch()
	return s.add(n)
}

// add is intern without counting.
func (s *space) add(n node) *node {
	h := uint64(n.op) | uint64(n.level)<<8
	for i, bit := range [...]bool{n.truth, n.imp, n.sure} {
		if bit {
			h |= 1 << (16 + i)
		}
	}
	if n.f != nil {
		h |= uint64(n.f.id+1) << 20
	}
	h = mix(h)
	if n.key != nil {
		h = mix(h ^ n.key.hash())
		n.counts = n.key.counts()
	}
	if n.b != nil {
		h = mix(h ^ maphash.String(s.seed, n.b.id))
	}
	n.size = 1
	for _, k := range n.kids {
		h = mix(h ^ k.hash)
		n.size = min(n.size+k.size, 1<<20)
		n.counts = n.counts || k.counts
	}
	n.hash = h
	if !n.counts {
		for old := s.table[h]; old != nil; old = old.bucket {
			if compareNodes(old, &n, true) == 0 {
				return old
			}
		}
	}
	if len(s.table) >= maxTable {
		clear(s.table)
	}
	made := n
	made.kids = slices.Clone(n.kids)
	if !n.counts {
		made.bucket = s.table[h]
		s.table[h] = &made
	}
	return &made
}

func mix(h uint64) uint64 {
	h ^= h >> 31
	h *= 0x9e3779b97f4a7c15
	h ^= h >> 29
	return h
}

func (k *knode) hash() uint64 {
	if k == nil {
		return 0x51
	}
	return mix(uint64(k.op) ^ uint64(k.n)<<8 ^ k.a.hash()*3 ^ k.b.hash()*5)
}

// kids borrows an empty list; release gives it back.
func (s *space) kids() []*node {
	if n := len(s.pool); n > 0 {
		k := s.pool[n-1]
		s.pool = s.pool[:n-1]
		return k[:0]
	}
	return make([]*node, 0, 8)
}

func (s *space) release(k []*node) { s.pool = append(s.pool, k) }

func (s *space) constant(l level, truth bool, key *knode) *node {
	return s.intern(node{op: rConst, level: l, truth: truth, key: key})
}

func (s *space) register(f *pnode, b *bindings) *node {
	return s.intern(node{op: rRegister, f: f, b: b})
}

func (s *space) mark(op rop, f *pnode, b *bindings, sure bool) *node {
	return s.intern(node{op: op, f: f, b: b, sure: sure})
}

// keyed returns the one key node equal to k. Counts are without number and are
// not kept.
func (s *space) keyed(k knode) *knode {
	if old := s.keys[k]; old != nil {
		return old
	}
	made := k
	if s.keys == nil {
		s.keys = map[knode]*knode{}
	}
	if !made.counts() {
		s.keys[k] = &made
	}
	return &made
}

// bound is the value with its identity.
func (s *space) bound(v any) *bound {
	s.buf = bindingKey(s.buf[:0], v)
	if b := s.bounds[string(s.buf)]; b != nil {
		return b
	}
	if len(s.bounds) >= maxTable {
		clear(s.bounds)
	}
	b := &bound{string(s.buf), v}
	s.bounds[b.key] = b
	return b
}

// freshBound stands for any value that nothing has named.
var freshBound = &bound{"\x00", Fresh}

// bind is the binding of a class's variables to the values in force.
func (s *space) bind(c *class, vals []*bound) *bindings {
	if len(c.vars) == 0 {
		return nil
	}
	s.buf = append(s.buf[:0], byte(c.id), byte(c.id>>8))
	for _, v := range c.vars {
		s.buf = appendInt(s.buf, len(vals[v].key))
		s.buf = append(append(s.buf, ':'), vals[v].key...)
	}
	if b := s.binds[string(s.buf)]; b != nil {
		return b
	}
	if len(s.binds) >= maxTable {
		clear(s.binds)
	}
	b := &bindings{class: c, id: string(s.buf)}
	for _, v := range c.vars {
		b.vals = append(b.vals, vals[v])
	}
	s.binds[b.id] = b
	return b
}
