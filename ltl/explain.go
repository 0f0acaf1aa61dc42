package ltl

// A Part is a sub-formula with its value at a position.
type Part struct {
	Formula Formula
	Depth   int // 0 for the whole
	Verdict Verdict
}

// Parts lists the formula and all below it, before its operands, with their
// values at call p, counted from 0. Bodies of quantifiers are left out: they
// have a value for each binding. Its error is [ErrBudget].
func (e *Evaluation) Parts(p int) (out []Part, err error) {
	defer e.guard(&err)
	if p < 0 || p >= len(e.calls) {
		return nil, nil
	}
	var visit func(n *enode, depth int)
	visit = func(n *enode, depth int) {
		out = append(out, Part{n.f, depth, e.at(n, nil, p).v})
		if domainOf(n.f) != nil {
			return
		}
		for _, k := range n.kids {
			visit(k, depth+1)
		}
	}
	visit(e.root, 0)
	return out, nil
}
