package ltl

import (
	"slices"
	"strconv"
)

// op is the kind of a node of a compiled formula.
type op uint8

const (
	opConst op = iota
	opLocal    // now, now_with, now_ok, now_failed, match
	opWhole    // an atom over the whole trace
	opNot
	opAnd
	opOr
	opImplies
	opAlways
	opEventually
	opNext
	opUntil // strong or weak
	opRelease
	opPrevious
	opOnce
	opHistorically
	opSince
	opCount
	opAt
	opForall
	opExists
)

// A pnode is a node of a compiled formula. It is never changed after newProgram.
type pnode struct {
	op      op
	f       Formula
	id      int // pre-order
	l, r    *pnode
	n       int // of a count or @N
	cmp     Cmp
	weak    bool   // until: W
	dom     Domain // of a quantifier
	v       int    // variable of a quantifier
	class   *class // by the free variables
	slot    int    // register, cell or memo of the class
	settled bool   // its value at a call never changes once the call is known
	local   bool   // its value depends on the position
	keyable bool   // its key can be another than "-"
	conj    bool   // reached from the root through & G X Y @ forall alone
	list    bool   // a cell in that place whose operand divides: it keeps items
	parks   bool   // a mark of it can be kept with its binding
	side    string // under G: the sides of & between
	tools   []Tool // of an atom

	args []Arg // of an atom

	parksEvery bool // an open G of it can be kept with its binding
}

// A class is a set of variables, with the state that each of their bindings
// has.
type class struct {
	id    int
	vars  []int // ascending
	regs  []*pnode
	cells []*pnode
	memos int      // local atoms of class 0 whose answer is kept during a step
	atoms []*pnode // the atoms that name values of the variables
	parks bool     // bindings keep instances
	// lazy: a call that names no value of the variables changes a binding's state
	// in a way that the state of "no value met yet" tells afterwards, so that a
	// binding is touched only by calls that name it (formulas.md 8.5).
	lazy bool
}

// A program is a compiled formula: its nodes numbered, variables renamed apart,
// and for every set of variables the registers and cells its bindings have.
type program struct {
	f       Formula
	root    *pnode
	nodes   []*pnode
	classes []*class
	vars    []string // names by variable
	bounded bool     // there are classes with variables that have state
	parks   bool     // some of them keep instances
}

func newProgram(f Formula) *program {
	p := &program{f: f, classes: []*class{{lazy: true}}}
	p.root = p.compile(f, nil)
	markConjunctive(p.root, "")
	p.layout()
	return p
}

// scopeVar is a variable in force, innermost first.
type scopeVar struct {
	name  string
	v     int
	outer *scopeVar
}

func (s *scopeVar) find(name string) int {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s.v
		}
	}
	return -1
}

// freeIn are the variables in force that f depends on, ascending.
func (s *scopeVar) freeIn(f Formula) []int {
	var vars []int
	for _, name := range freeVars(f) {
		if v := s.find(name); v >= 0 && !slices.Contains(vars, v) {
			vars = append(vars, v)
		}
	}
	slices.Sort(vars)
	return vars
}

func (p *program) compile(f Formula, scope *scopeVar) *pnode {
	n := &pnode{f: f, id: len(p.nodes), settled: isSettled(f), local: isLocal(f), slot: -1}
	p.nodes = append(p.nodes, n)
	n.class = p.classes[0]
	if scope != nil {
		n.class = p.classOf(scope.freeIn(f))
	}
	n.tools, n.args = toolsOf(f), argsOf(f)
	n.fill(f)
	if n.op == opForall || n.op == opExists {
		n.v = len(p.vars)
		name := f.(interface{ variable() string }).variable()
		p.vars = append(p.vars, name)
		scope = &scopeVar{name, n.v, scope}
	}
	kids := children(f)
	if len(kids) > 0 {
		n.l = p.compile(kids[0], scope)
	}
	if len(kids) > 1 {
		n.r = p.compile(kids[1], scope)
	}
	switch n.op {
	case opNot, opOr, opImplies:
		n.keyable = true
	case opCount, opWhole:
		n.keyable = true
	case opPrevious, opOnce, opHistorically, opNext, opAt:
		n.keyable = n.l.keyable
	default:
	}
	return n
}

func (f Forall) variable() string { return f.Var }
func (f Exists) variable() string { return f.Var }

func (p *program) classOf(vars []int) *class {
	for _, c := range p.classes {
		if slices.Equal(c.vars, vars) {
			return c
		}
	}
	c := &class{id: len(p.classes), vars: vars, lazy: true}
	p.classes = append(p.classes, c)
	return c
}

// fill takes over what a node's type says.
func (n *pnode) fill(f Formula) {
	switch f := f.(type) {
	case Const:
		n.op = opConst
	case Now, NowWith, Match:
		n.op = opLocal
	case Not:
		n.op = opNot
	case And:
		n.op = opAnd
	case Or:
		n.op = opOr
	case Implies:
		n.op = opImplies
	case Globally:
		n.op = opAlways
	case Eventually:
		n.op = opEventually
	case Next:
		n.op = opNext
	case Until:
		n.op = opUntil
	case WeakUntil:
		n.op, n.weak = opUntil, true
	case Release:
		n.op = opRelease
	case Previous:
		n.op = opPrevious
	case Once:
		n.op = opOnce
	case Historically:
		n.op = opHistorically
	case Since:
		n.op = opSince
	case CountBefore:
		n.op, n.cmp, n.n = opCount, f.Cmp, f.N
	case AtPosition:
		n.op, n.n = opAt, f.Index
	case Forall:
		n.op, n.dom = opForall, f.Dom
	case Exists:
		n.op, n.dom = opExists, f.Dom
	default:
		n.op = opWhole
	}
}

// isSelf says whether O n or H n is n itself (formulas.md 4).
func (n *pnode) isSelf() bool { return (n.op == opOnce || n.op == opHistorically) && !n.l.local }

// hasCell says whether the node keeps a past cell.
func (n *pnode) hasCell() bool {
	switch n.op {
	case opPrevious, opSince, opCount:
		return true
	case opOnce, opHistorically:
		return !n.isSelf()
	case opAt:
		return n.n >= 0
	default:
		return false
	}
}

// markConjunctive finds the nodes whose failures are told apart by path: those
// that are reached from the root through conjunctive operators alone.
func markConjunctive(n *pnode, side string) {
	n.conj, n.side = true, side
	switch {
	case n.op == opAnd:
		markConjunctive(n.l, side+"L/")
		markConjunctive(n.r, side+"R/")
	case n.op == opAlways, n.op == opNext, n.op == opForall, n.isSelf():
		markConjunctive(n.l, "")
	case n.op == opPrevious, n.op == opAt:
		markConjunctive(n.l, "")
		n.list = n.hasCell() && n.l.divides()
	case n.op == opHistorically && n.l.settled:
		markConjunctive(n.l, "")
		n.list = true
	}
}

// divides says whether the witnesses of a conjunctive node are those of parts.
func (n *pnode) divides() bool {
	switch n.op {
	case opAnd, opAlways, opNext, opForall, opPrevious, opAt:
		return true
	case opHistorically:
		return n.l.settled || n.isSelf() && n.l.divides()
	case opOnce:
		return n.isSelf() && n.l.divides()
	default:
		return false
	}
}

// layout gives registers, cells and memos their places. Equal atoms share one.
func (p *program) layout() {
	var places map[string]int
	place := func(n *pnode, next int) (int, bool) {
		b := append(strconv.AppendInt(nil, int64(n.class.id), 10), byte('a'+n.op))
		b = append(b, n.f.String()...)
		for _, t := range n.tools { // the text of a plain name does not tell
			b = strconv.AppendBool(append(b, 0), t.Maybe)
		}
		key := string(b)
		if at, ok := places[key]; ok {
			return at, false
		}
		if places == nil {
			places = map[string]int{}
		}
		places[key] = next
		return next, true
	}
	for _, n := range p.nodes {
		c, fresh := n.class, false
		switch {
		case n.op == opWhole:
			if n.slot, fresh = place(n, len(c.regs)); fresh {
				c.regs = append(c.regs, n)
			}
		case n.hasCell():
			n.slot = len(c.cells)
			c.cells = append(c.cells, n)
		case n.op == opLocal && len(c.vars) == 0 && !isPlainName(n.f):
			if n.slot, fresh = place(n, c.memos); fresh {
				c.memos++
			}
		}
		if (n.op == opLocal || n.op == opWhole) && len(c.vars) > 0 {
			c.atoms = append(c.atoms, n)
		}
	}
	for _, c := range p.classes[1:] {
		for _, n := range c.regs {
			c.lazy = c.lazy && namesAll(n)
		}
		for _, n := range c.cells {
			c.lazy = c.lazy && n.isLazy()
		}
	}
	p.markParkable()
	for _, c := range p.classes[1:] {
		p.bounded, p.parks = p.bounded || c.hasState(), p.parks || c.parks
	}
}

// isPlainName says whether an atom is quicker asked than remembered.
func isPlainName(f Formula) bool {
	n, ok := f.(Now)
	return ok && n.Tool.Target == nil
}

// hasState says whether bindings of the class have something to keep.
func (c *class) hasState() bool { return len(c.regs)+len(c.cells) > 0 || c.parks }
