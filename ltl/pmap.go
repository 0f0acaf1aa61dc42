package ltl

import "math/bits"

// A pmap is a map whose copies are free: put makes a new one that shares all but
// a path with the old. Monitors and their clones hold the bindings of quantified
// variables in one.
type pmap struct {
	root *pnodeMap
	size int
}

type pentry struct {
	hash uint64
	b    *bindings
	st   *envState // nil: dropped
	next *pentry   // equal hash
}

// A pnodeMap has a slot, entry or further node, for each set bit.
type pnodeMap struct {
	bitmap uint32
	slots  []any
}

const pmapBits = 5

func (m pmap) get(hash uint64, id string) (*envState, bool) {
	n, shift := m.root, 0
	for n != nil {
		bit := uint32(1) << (hash >> shift & (1<<pmapBits - 1))
		if n.bitmap&bit == 0 {
			return nil, false
		}
		switch s := n.slots[bits.OnesCount32(n.bitmap&(bit-1))].(type) {
		case *pnodeMap:
			n, shift = s, shift+pmapBits
		case *pentry:
			for ; s != nil; s = s.next {
				if s.hash == hash && s.b.id == id {
					return s.st, true
				}
			}
			return nil, false
		}
	}
	return nil, false
}

func (m pmap) put(hash uint64, b *bindings, st *envState) pmap {
	if _, known := m.get(hash, b.id); !known {
		m.size++
	}
	m.root = m.root.put(&pentry{hash: hash, b: b, st: st}, 0)
	return m
}

func (n *pnodeMap) put(e *pentry, shift int) *pnodeMap {
	if n == nil {
		n = &pnodeMap{}
	}
	bit := uint32(1) << (e.hash >> shift & (1<<pmapBits - 1))
	at := bits.OnesCount32(n.bitmap & (bit - 1))
	made := &pnodeMap{bitmap: n.bitmap | bit}
	if n.bitmap&bit == 0 {
		made.slots = make([]any, 0, len(n.slots)+1)
		made.slots = append(append(append(made.slots, n.slots[:at]...), e), n.slots[at:]...)
		return made
	}
	made.slots = append(made.slots, n.slots...)
	switch s := n.slots[at].(type) {
	case *pnodeMap:
		made.slots[at] = s.put(e, shift+pmapBits)
	case *pentry:
		if s.hash == e.hash {
			made.slots[at] = s.with(e)
		} else {
			var below *pnodeMap
			made.slots[at] = below.put(s, shift+pmapBits).put(e, shift+pmapBits)
		}
	}
	return made
}

// with is the list of entries of one hash with e in place of its equal.
func (s *pentry) with(e *pentry) *pentry {
	if s == nil {
		return e
	}
	if s.b.id == e.b.id {
		return &pentry{e.hash, e.b, e.st, s.next}
	}
	return &pentry{s.hash, s.b, s.st, s.next.with(e)}
}

func (m pmap) each(f func(b *bindings, st *envState)) { m.root.each(f) }

func (n *pnodeMap) each(f func(b *bindings, st *envState)) {
	if n == nil {
		return
	}
	for _, s := range n.slots {
		switch s := s.(type) {
		case *pnodeMap:
			s.each(f)
		case *pentry:
			for ; s != nil; s = s.next {
				f(s.b, s.st)
			}
		}
	}
}
