package ltl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// Witnesses lists the smallest parts whose verdict is below Pending, sorted by
// path (formulas.md 4). Its error is [ErrBudget].
func (e *Evaluation) Witnesses() (out []Witness, err error) {
	defer e.guard(&err)
	if len(e.calls) == 0 {
		if v := emptyVerdict(e.f); v.Failing() {
			return e.emptyWitnesses(e.f, "", nil), nil
		}
		return nil, nil
	}
	out = e.witnesses(e.root, nil, 0, "", nil)
	slices.SortFunc(out, func(a, b Witness) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(out, func(a, b Witness) bool { return a.Path == b.Path }), nil
}

// emptyWitnesses are those of the empty trace: no position exists, so only &
// divides it.
func (e *Evaluation) emptyWitnesses(f Formula, path string, out []Witness) []Witness {
	if g, ok := f.(And); ok {
		return e.emptyWitnesses(g.Right, path+"R/", e.emptyWitnesses(g.Left, path+"L/", out))
	}
	if v := emptyVerdict(f); v.Failing() {
		out = append(out, Witness{Path: path + emptyKey(f), Verdict: v})
	}
	return out
}

func emptyKey(f Formula) string {
	v := emptyVerdict(f)
	side := func(g Formula, v2 Verdict, negated bool) string {
		switch {
		case v2 != v:
			return "-"
		case negated:
			return "not(" + emptyKey(g) + ")"
		default:
			return emptyKey(g)
		}
	}
	switch f := f.(type) {
	case Called, CalledWith, CalledNTimes, CalledWithResult:
		return "n0"
	case Not:
		return "not(" + emptyKey(f.Operand) + ")"
	case Or:
		if v != True {
			return "or(" + side(f.Left, emptyVerdict(f.Left), false) + "," + side(f.Right, emptyVerdict(f.Right), false) + ")"
		}
	case Implies:
		if v != True {
			return "imp(" + side(f.Left, emptyVerdict(f.Left).not(), true) + "," + side(f.Right, emptyVerdict(f.Right), false) + ")"
		}
	default:
	}
	return "-"
}

// witnesses adds those of n at position p, each path behind prefix.
func (e *Evaluation) witnesses(n *enode, b *binding, p int, prefix string, out []Witness) []Witness {
	v := e.at(n, b, p)
	if !v.v.Failing() {
		return out
	}
	switch f := n.f.(type) {
	case And:
		out = e.witnesses(n.kids[0], b, p, prefix+"L/", out)
		return e.witnesses(n.kids[1], b, p, prefix+"R/", out)
	case Globally:
		return e.alwaysWitnesses(n.kids[0], b, p, prefix, "", out)
	case Next:
		return e.witnesses(n.kids[0], b, p+1, prefix+"X/", out)
	case Previous:
		if p > 0 {
			return e.witnesses(n.kids[0], b, p-1, prefix+"Y/", out)
		}
	case Once:
		if !isLocal(f.Operand) {
			return e.witnesses(n.kids[0], b, p, prefix, out)
		}
	case Historically:
		if !isLocal(f.Operand) {
			return e.witnesses(n.kids[0], b, p, prefix, out)
		}
		if n.kids[0].settled {
			j := e.worst(n.kids[0], b, p)
			return e.witnesses(n.kids[0], b, j, prefix+"H"+strconv.Itoa(j)+"/", out)
		}
	case AtPosition:
		if f.Index >= 0 && f.Index < len(e.calls) {
			return e.witnesses(n.kids[0], b, f.Index, prefix, out)
		}
	case Forall:
		for _, x := range e.domain(f.Dom, p) {
			out = e.witnesses(n.kids[0], &binding{f.Var, x, b}, p, prefix+"A="+string(bindingKey(nil, x))+"/", out)
		}
		return out
	default:
	}
	return append(out, Witness{Path: prefix + e.key(n, b, p), Verdict: v.v, Uncertain: v.u})
}

// alwaysWitnesses are those of G n: one a position, or one for all where n does
// not depend on the position. G(f & g) has those of G f and G g.
func (e *Evaluation) alwaysWitnesses(n *enode, b *binding, p int, prefix, side string, out []Witness) []Witness {
	if _, ok := n.f.(And); ok {
		out = e.alwaysWitnesses(n.kids[0], b, p, prefix, side+"L/", out)
		return e.alwaysWitnesses(n.kids[1], b, p, prefix, side+"R/", out)
	}
	if !isLocal(n.f) {
		return e.witnesses(n, b, p, prefix+"G*/"+side, out)
	}
	for i := p; i < len(e.calls); i++ {
		out = e.witnesses(n, b, i, prefix+"G"+strconv.Itoa(i)+"/"+side, out)
	}
	return out
}

// worst is the first position up to p with the lowest verdict.
func (e *Evaluation) worst(n *enode, b *binding, p int) int {
	c, best := e.column(n, b), 0
	for j := 1; j <= p; j++ {
		if c.vals[j].v < c.vals[best].v {
			best = j
		}
	}
	return best
}

// best is the first position up to p with the highest verdict.
func (e *Evaluation) best(n *enode, b *binding, p int) int {
	c, best := e.column(n, b), 0
	for j := 1; j <= p; j++ {
		if c.vals[j].v > c.vals[best].v {
			best = j
		}
	}
	return best
}

// key is the last segment of a path: it makes "one more of the same" a new
// failure.
func (e *Evaluation) key(n *enode, b *binding, p int) string {
	v := e.at(n, b, p).v
	switch f := n.f.(type) {
	case Called:
		return "n" + strconv.Itoa(countCalls(f.Tool, e.calls, nil, b.env()))
	case CalledWith:
		return "n" + strconv.Itoa(countCalls(f.Tool, e.calls, f.Args, b.env()))
	case CalledNTimes:
		return "n" + strconv.Itoa(countCalls(f.Tool, e.calls, nil, b.env()))
	case CalledWithResult:
		return "n" + strconv.Itoa(countResults(f, e.calls, b.env()))
	case CountBefore:
		return "#" + strconv.Itoa(e.column(n, b).count[p])
	case Not:
		return "not(" + e.key(n.kids[0], b, p) + ")"
	case Or:
		if v != True {
			return "or(" + e.side(n.kids[0], b, p, v, false) + "," + e.side(n.kids[1], b, p, v, false) + ")"
		}
	case Implies:
		if v != True {
			return "imp(" + e.side(n.kids[0], b, p, v, true) + "," + e.side(n.kids[1], b, p, v, false) + ")"
		}
	case Next:
		if p+1 < len(e.calls) {
			return e.key(n.kids[0], b, p+1)
		}
	case Previous:
		if p > 0 {
			return e.key(n.kids[0], b, p-1)
		}
	case AtPosition:
		if f.Index >= 0 && f.Index < len(e.calls) {
			return e.key(n.kids[0], b, f.Index)
		}
	case Once, Historically:
		return e.pastKey(n, b, p, v)
	default:
	}
	return "-"
}

// side is the key of a side of | or -> if it decides the whole's verdict.
func (e *Evaluation) side(n *enode, b *binding, p int, whole Verdict, negated bool) string {
	v := e.at(n, b, p).v
	if negated {
		v = v.not()
	}
	switch {
	case v != whole:
		return "-"
	case negated:
		return "not(" + e.key(n, b, p) + ")"
	default:
		return e.key(n, b, p)
	}
}

// pastKey is that of O and H: of a position-independent operand the operand's,
// of a settled one the key at the position that decides.
func (e *Evaluation) pastKey(n *enode, b *binding, p int, v Verdict) string {
	k := n.kids[0]
	if !isLocal(k.f) {
		return e.key(k, b, p)
	}
	if !k.settled {
		return "-"
	}
	if _, once := n.f.(Once); once {
		if !v.Failing() {
			return e.key(k, b, e.best(k, b, p))
		}
	} else if v.Failing() {
		return e.key(k, b, e.worst(k, b, p))
	}
	return "-"
}

func countResults(f CalledWithResult, calls []trace.Call, env Env) int {
	n := 0
	for i := range calls {
		c := &calls[i]
		if c.Outcome != nil && c.Outcome.Result != nil && f.Tool.called(c, f.Args, env) {
			n++
		}
	}
	return n
}

// NewFailures lists the failures that the last call created (formulas.md 5): of
// the witnesses after it, those that were not final before it. A failure that
// was final already is not this call's doing; an obligation not met yet is never
// final. On an empty trace before, every failure is new.
func NewFailures(before, after *Evaluation) ([]Witness, error) {
	now, err := after.Witnesses()
	if err != nil || len(before.calls) == 0 {
		return now, err
	}
	old, err := before.Witnesses()
	if err != nil {
		return nil, err
	}
	final := map[string]bool{}
	for _, w := range old {
		if w.Verdict == False {
			final[w.Path] = true
		}
	}
	return slices.DeleteFunc(now, func(w Witness) bool { return final[w.Path] }), nil
}
