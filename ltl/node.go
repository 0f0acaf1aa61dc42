package ltl

import (
	"cmp"
	"slices"
	"strings"
)

// rop is the kind of a residual.
type rop uint8

const (
	rConst    rop = iota // a settled level, with its truth if the trace ended now
	rRegister            // the value of a whole-trace atom
	rNot                 // mirror
	rMin                 // minimum; nothing inside has an identity
	rMax                 // maximum; nothing inside has an identity
	rOr                  // | or ->: a maximum whose sides keep their identity
	rPlain               // its only kid without identity
	// What the next call will start. Pending now; true on a finished trace for G,
	// W and R, false for X, F, U and @.
	rNext
	rAlways
	rEventually
	rUntil
	rRelease
	rAt
)

// A node is a residual: what an instance still owes, as an expression over
// settled levels, registers and what later calls will start (formulas.md 8.2).
// Nodes are never changed, and equal ones are as a rule one.
type node struct {
	op     rop
	level  level // rConst
	truth  bool  // rConst
	imp    bool  // rOr: written ->
	sure   bool  // a mark whose doubts are dropped
	key    *knode
	f      *pnode // register, mark
	b      *bindings
	kids   []*node
	size   int // nodes of the tree, capped
	hash   uint64
	counts bool  // a count is in its keys: such nodes are without number, and not kept
	bucket *node // in the space's table
}

// A knode is the key of something settled: nil is "-".
type knode struct {
	op   byte // n not, o or, i implies, # count
	a, b *knode
	n    int
}

func (k *knode) append(b []byte) []byte {
	if k == nil {
		return append(b, '-')
	}
	switch k.op {
	case 'n':
		return append(k.a.append(append(b, "not("...)), ')')
	case '#':
		return appendInt(append(b, '#'), k.n)
	case 'o':
		b = append(b, "or("...)
	default:
		b = append(b, "imp("...)
	}
	b = append(k.a.append(b), ',')
	return append(k.b.append(b), ')')
}

// counts says whether a count is in the key: such keys are without number.
func (k *knode) counts() bool { return k != nil && (k.op == '#' || k.a.counts() || k.b.counts()) }

// compareKeys orders keys by structure; exact looks at counts as well.
func compareKeys(a, b *knode, exact bool) int {
	if a == b {
		return 0
	}
	if a == nil || b == nil {
		return compareBool(a != nil, b != nil)
	}
	if d := cmp.Compare(a.op, b.op); d != 0 {
		return d
	}
	if exact && a.n != b.n {
		return cmp.Compare(a.n, b.n)
	}
	if d := compareKeys(a.a, b.a, exact); d != 0 {
		return d
	}
	return compareKeys(a.b, b.b, exact)
}

// compareNodes orders residuals by structure. Not exact, it leaves out the
// counts in keys: instances that differ in these alone are kept as one, or their
// number would grow with the trace. The first one's key is shown for all.
func compareNodes(a, b *node, exact bool) int {
	if a == b {
		return 0
	}
	if d := cmp.Or(cmp.Compare(a.op, b.op), cmp.Compare(a.level, b.level), compareBool(a.truth, b.truth),
		compareBool(a.imp, b.imp), compareBool(a.sure, b.sure), cmp.Compare(len(a.kids), len(b.kids))); d != 0 {
		return d
	}
	if a.f != b.f {
		if d := cmp.Compare(a.f.id, b.f.id); d != 0 {
			return d
		}
	}
	if d := cmp.Or(compareBindings(a.b, b.b), compareKeys(a.key, b.key, exact)); d != 0 {
		return d
	}
	for i := range a.kids {
		if d := compareNodes(a.kids[i], b.kids[i], exact); d != 0 {
			return d
		}
	}
	return 0
}

// bound says whether e speaks of a binding.
func (e *node) bound() bool {
	return e.b != nil || slices.ContainsFunc(e.kids, (*node).bound)
}

// sameNode is exact equality.
func sameNode(a, b *node) bool { return a == b || a.hash == b.hash && compareNodes(a, b, true) == 0 }

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// bindings are the values of a class's variables.
type bindings struct {
	class *class
	vals  []*bound
	id    string // class and values: equal bindings, equal ids
}

// A bound is a value of a variable.
type bound struct {
	key string
	v   any
}

func compareBindings(a, b *bindings) int {
	if a == b || fault(20) {
		return 0
	}
	if a == nil || b == nil {
		if a == nil {
			return -1
		}
		return 1
	}
	return strings.Compare(a.id, b.id)
}
