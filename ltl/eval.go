package ltl

import (
	"errors"
	"strconv"

	"github.com/agentltl/agentltl-hook/trace"
)

// ErrBudget says that judging a formula would have taken more work than one
// call may cost: more than 100,000 residual nodes in a monitor, more than
// 10,000,000 pairs of sub-formula and position in an evaluation (formulas.md
// 8.6). Work is counted, never timed.
var ErrBudget = errors.New("formula over its budget")

const evalBudget = 10_000_000

// An Evaluation is a formula's direct reading on one trace (formulas.md 3): slow
// beside a monitor, and obviously right. Its cost is the length of the trace
// times the size of the formula, times the distinct values of its quantifiers.
type Evaluation struct {
	f       Formula
	root    *enode
	calls   []trace.Call
	columns map[string]*column
	seen    map[string][]any // values of a domain over all calls
	left    int              // of the budget
}

// Evaluate judges f on the trace that consists of calls. Its error is
// [ErrBudget].
func Evaluate(f Formula, calls []trace.Call) (e *Evaluation, err error) {
	e = &Evaluation{f: f, root: newTree(f), calls: calls, left: evalBudget}
	e.columns, e.seen = map[string]*column{}, map[string][]any{}
	defer e.guard(&err)
	if len(calls) > 0 {
		e.column(e.root, nil)
	}
	return e, nil
}

// guard turns the panic of an exhausted budget into an error.
func (e *Evaluation) guard(err *error) {
	switch r := recover(); r {
	case nil:
	case ErrBudget:
		*err = ErrBudget
	default:
		panic(r)
	}
}

// Verdict is the value of the formula at the first position.
func (e *Evaluation) Verdict() Verdict {
	if len(e.calls) == 0 {
		return emptyVerdict(e.f)
	}
	return e.at(e.root, nil, 0).v
}

// Finished is the formula's truth if the trace ended here (formulas.md 3.5).
func (e *Evaluation) Finished() bool {
	if len(e.calls) == 0 {
		return emptyTruth(e.f)
	}
	return e.column(e.root, nil).truth[0]
}

// An enode is a sub-formula with a number and the variables it depends on.
type enode struct {
	f       Formula
	id      int
	kids    []*enode
	free    []string
	settled bool
}

func newTree(f Formula) *enode {
	next := 0
	var build func(Formula) *enode
	build = func(f Formula) *enode {
		n := &enode{f: f, id: next, free: freeVars(f), settled: isSettled(f)}
		next++
		for _, k := range children(f) {
			n.kids = append(n.kids, build(k))
		}
		return n
	}
	return build(f)
}

// A binding is what the enclosing quantifiers bind, innermost first.
type binding struct {
	name  string
	value any
	outer *binding
}

func (b *binding) env() Env {
	var e Env
	for ; b != nil; b = b.outer {
		if e == nil {
			e = Env{}
		}
		if _, hidden := e[b.name]; !hidden {
			e[b.name] = b.value
		}
	}
	return e
}

func (b *binding) lookup(name string) any {
	for ; b != nil; b = b.outer {
		if b.name == name {
			return b.value
		}
	}
	return Fresh
}

// A value is a verdict, with whether a maybe among the deciding atoms made it.
type value struct {
	v Verdict
	u bool
}

func (a value) not() value { return value{a.v.not(), a.u} }

// Two sides decide together where they agree. A failing side that is certain
// leaves no doubt about a conjunction, a holding one none about a disjunction.
func both(a, b value) value {
	switch {
	case a.v < b.v:
		return a
	case b.v < a.v:
		return b
	case a.v == False:
		return value{a.v, a.u && b.u}
	default:
		return value{a.v, a.u || b.u}
	}
}

func either(a, b value) value { return both(a.not(), b.not()).not() }

// certain drops the doubt: it does not go through F, U, W, R and count_before.
func certain(a value) value { return value{a.v, false} }

// A column holds a sub-formula's value at every position, and its truth there
// on the finished trace.
type column struct {
	vals  []value
	truth []bool
	count []int // count_before: how often the operand held before
}

func (e *Evaluation) at(n *enode, b *binding, p int) value { return e.column(n, b).vals[p] }

// column computes, once for each sub-formula and binding, all positions. They
// are filled from the right for future operators and from the left for past
// ones, so that the whole is linear in the trace.
func (e *Evaluation) column(n *enode, b *binding) *column {
	at := strconv.AppendInt(nil, int64(n.id), 10)
	for _, name := range n.free {
		at = bindingKey(append(at, '|'), b.lookup(name))
	}
	key := string(at)
	if c := e.columns[key]; c != nil {
		return c
	}
	if e.left -= len(e.calls); e.left < 0 {
		panic(ErrBudget)
	}
	c := &column{vals: make([]value, len(e.calls)), truth: make([]bool, len(e.calls))}
	e.fill(c, n, b)
	e.columns[key] = c
	return c
}

func (e *Evaluation) fill(c *column, n *enode, b *binding) {
	switch f := n.f.(type) {
	case Now, NowWith, Match, Const:
		env := b.env()
		for p := range e.calls {
			hit, u := localHit(f, &e.calls[p], env)
			c.vals[p], c.truth[p] = value{False, u}, hit
			if hit {
				c.vals[p].v = True
			}
		}
	case Not, And, Or, Implies:
		e.fillConnective(c, n, b)
	case Globally, Eventually, Next, Until, WeakUntil, Release:
		e.fillFuture(c, n, b)
	case Previous, Once, Historically, Since, CountBefore:
		e.fillPast(c, n, b)
	case AtPosition:
		e.fillAt(c, f, n, b)
	case Forall:
		e.fillQuantifier(c, n, b, f.Var, f.Dom, true)
	case Exists:
		e.fillQuantifier(c, n, b, f.Var, f.Dom, false)
	default:
		v, t := wholeTrace(f, e.calls, b.env())
		for p := range e.calls {
			c.vals[p], c.truth[p] = value{v: v}, t
		}
	}
}

func (e *Evaluation) fillConnective(c *column, n *enode, b *binding) {
	l := e.column(n.kids[0], b)
	if _, ok := n.f.(Not); ok {
		for p := range c.vals {
			c.vals[p], c.truth[p] = l.vals[p].not(), !l.truth[p]
		}
		return
	}
	r := e.column(n.kids[1], b)
	for p := range c.vals {
		switch n.f.(type) {
		case And:
			c.vals[p], c.truth[p] = both(l.vals[p], r.vals[p]), l.truth[p] && r.truth[p]
		case Or:
			c.vals[p], c.truth[p] = either(l.vals[p], r.vals[p]), l.truth[p] || r.truth[p]
		case Implies:
			c.vals[p], c.truth[p] = either(l.vals[p].not(), r.vals[p]), !l.truth[p] || r.truth[p]
		default:
		}
	}
}

// fillFuture goes from the last position to the first; next is the operator's
// own value there, Pending beyond the end.
func (e *Evaluation) fillFuture(c *column, n *enode, b *binding) {
	l := e.column(n.kids[0], b)
	r := l
	if len(n.kids) == 2 {
		r = e.column(n.kids[1], b)
	}
	next, ends := value{v: Pending}, false
	switch n.f.(type) {
	case Globally, WeakUntil, Release:
		ends = true
	default:
	}
	for p := len(c.vals) - 1; p >= 0; p-- {
		x, y := l.vals[p], r.vals[p]
		s, t := l.truth[p], r.truth[p]
		switch n.f.(type) {
		case Globally:
			next, ends = both(x, next), s && ends
		case Eventually:
			next, ends = certain(either(x, next)), s || ends
		case Until, WeakUntil:
			next, ends = certain(either(y, both(x, next))), t || s && ends
		case Release:
			next, ends = certain(both(y, either(x, next))), t && (s || ends)
		case Next:
			c.vals[p], c.truth[p] = next, ends
			next, ends = x, s
			continue
		default:
		}
		c.vals[p], c.truth[p] = next, ends
	}
}

// fillPast goes from the first position to the last; last is the operator's own
// value one position before.
func (e *Evaluation) fillPast(c *column, n *enode, b *binding) {
	l := e.column(n.kids[0], b)
	r := l
	if len(n.kids) == 2 {
		r = e.column(n.kids[1], b)
	}
	last, held, doubt, seen := value{v: False}, false, false, 0
	if _, ok := n.f.(Historically); ok {
		last, held = value{v: True}, true
	}
	for p := range c.vals {
		x, y := l.vals[p], r.vals[p]
		s, t := l.truth[p], r.truth[p]
		switch f := n.f.(type) {
		case Previous:
			c.vals[p], c.truth[p] = last, held
			last, held = x, s
			continue
		case Once:
			last, held = either(x, last), s || held
		case Historically:
			last, held = both(x, last), s && held
		case Since:
			last, held = either(y, both(x, last)), t || s && held
			// A failing S rests on a maybe of any of its positions (formulas.md 4).
			doubt = doubt || x.u || y.u
			c.vals[p], c.truth[p] = last, held
			if n.settled && last.v.Failing() {
				c.vals[p].u = doubt
			}
			continue
		case CountBefore:
			ok := f.Cmp.holds(seen, f.N)
			c.vals[p], c.truth[p] = value{v: False}, ok
			if ok {
				c.vals[p].v = True
			}
			c.count = append(c.count, seen)
			if x.v == True {
				seen++
			}
			continue
		default:
		}
		c.vals[p], c.truth[p] = last, held
	}
}

func (e *Evaluation) fillAt(c *column, f AtPosition, n *enode, b *binding) {
	v, t := value{v: False}, false
	if f.Index >= len(e.calls) {
		v = value{v: Pending}
	} else if f.Index >= 0 {
		k := e.column(n.kids[0], b)
		v, t = k.vals[f.Index], k.truth[f.Index]
	}
	for p := range c.vals {
		c.vals[p], c.truth[p] = v, t
	}
}

func (e *Evaluation) fillQuantifier(c *column, n *enode, b *binding, name string, d Domain, all bool) {
	for p := range c.vals {
		v, t := value{v: False}, false
		if all {
			v, t = value{v: True}, true
		}
		if isSeen(d) {
			v.v = PresumablyFalse
			if all {
				v.v = Pending
			}
		}
		for _, x := range e.domain(d, p) {
			k := e.column(n.kids[0], &binding{name, x, b})
			if all {
				v, t = both(v, k.vals[p]), t && k.truth[p]
			} else {
				v, t = certain(either(v, k.vals[p])), t || k.truth[p]
			}
		}
		c.vals[p], c.truth[p] = v, t
	}
}

// domain lists the values that a quantifier at position p ranges over.
func (e *Evaluation) domain(d Domain, p int) []any {
	if !isSeen(d) {
		return d.Values(&e.calls[p])
	}
	if out, ok := e.seen[d.Key()]; ok {
		return out
	}
	var out []any
	known := map[string]bool{}
	for i := range e.calls {
		for _, v := range d.Values(&e.calls[i]) {
			if k := string(bindingKey(nil, v)); !known[k] {
				known[k] = true
				out = append(out, v)
			}
		}
	}
	e.seen[d.Key()] = out
	return out
}
