package ltl

import "slices"

// These rules say which state of a binding need not be touched by calls that
// name none of its values (formulas.md 8.5). At such a call every atom with the
// variables answers as for the value that nothing has named, so the binding's
// state moves as that one's would; where the move can be told afterwards from
// when it last happened, it is made up for at the next call that names a value.

// isLazy is that for a cell of a class with variables.
func (n *pnode) isLazy() bool {
	if !n.settled || n.list {
		return false
	}
	switch n.op {
	case opOnce, opHistorically:
		return isNowOnly(n.l, n.class) && !n.l.keyable
	case opSince:
		return isNowOnly(n.l, n.class) && isNowOnly(n.r, n.class)
	case opCount:
		return isNowOnly(n.l, n.class)
	case opPrevious:
		return isNowOnly(n.l, n.class) || isCellsOnly(n.l, n.class)
	default:
		return false
	}
}

// isNowOnly says whether only local atoms of n depend on the variables of c.
func isNowOnly(n *pnode, c *class) bool {
	if n == nil || !n.class.shares(c) {
		return true
	}
	switch n.op {
	case opLocal:
		return true
	case opNot, opAnd, opOr, opImplies:
		return isNowOnly(n.l, c) && isNowOnly(n.r, c)
	default:
		return false
	}
}

// isCellsOnly says whether n is made of O, H and S of class c alone: its value
// at the last call can be read from their cells.
func isCellsOnly(n *pnode, c *class) bool {
	switch n.op {
	case opConst:
		return true
	case opOnce, opHistorically, opSince:
		return n.class == c && !n.isSelf()
	case opNot:
		return isCellsOnly(n.l, c)
	case opAnd, opOr, opImplies:
		return isCellsOnly(n.l, c) && isCellsOnly(n.r, c)
	default:
		return false
	}
}

func (c *class) shares(d *class) bool {
	return slices.ContainsFunc(c.vars, func(v int) bool { return slices.Contains(d.vars, v) })
}

// namesAll says whether a call that is one of the atom's names all variables of
// the atom.
func namesAll(n *pnode) bool {
	if _, ok := n.f.(WithinSteps); ok {
		return false // it counts calls of all kinds
	}
	want := freeVars(n.f)
	for _, t := range toolsOf(n.f) {
		var have []string
		if t.Target != nil {
			have = t.Target.Vars()
		}
		for _, a := range argsOf(n.f) {
			have = append(have, a.Value.Var)
		}
		for _, v := range want {
			if !slices.Contains(have, v) {
				return false
			}
		}
	}
	return true
}

// sliceable says whether the bindings of f can be kept apart: every atom below
// something with state speaks of all variables of that state or of none, no
// domain grows, and it can be told which values a call names. What is not
// sliceable is judged by the fallback.
func sliceable(p *program) bool {
	for _, n := range p.nodes {
		switch f := n.f.(type) {
		case Forall, Exists:
			if isSeen(domainOf(f)) {
				return false
			}
		case CalledWithResult:
			if f.Result.Var != "" {
				return false // an object matches results that have more members
			}
		default:
		}
		for _, t := range toolsOf(n.f) {
			if t.Target == nil || len(t.Target.Vars()) == 0 {
				continue
			}
			if _, ok := t.Target.(Namer); !ok {
				return false
			}
		}
		if len(n.class.vars) > 0 && (n.hasCell() || n.op == opWhole) && !atomsAgree(n, n.class) {
			return false
		}
	}
	return true
}

func atomsAgree(n *pnode, c *class) bool {
	if n == nil {
		return true
	}
	if (n.op == opLocal || n.op == opWhole) && n.class.shares(c) && n.class != c {
		return false
	}
	return atomsAgree(n.l, c) && atomsAgree(n.r, c)
}
