package ltl

import (
	"encoding/json"
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/agentltl/agentltl-hook/trace"
)

// Generators of the property tests: formulas over few tools and values, so that
// traces of the same meet them often. They draw from a seeded source, because
// rapid prefers small cases and few of those are interesting here; a failing
// case is made smaller by minimize.

// A gen makes random cases.
type gen struct {
	*rand.Rand
	tools []string
}

// genSource draws a source of cases.
func genSource() *rapid.Generator[*gen] {
	return rapid.Custom(func(t *rapid.T) *gen {
		seed := rapid.SliceOfN(rapid.Uint64(), 4, 4).Draw(t, "seed")
		var a uint64
		for _, x := range seed {
			a = mix(a ^ x + 1)
		}
		return sourceOf(a, []string{"a", "b", "c"})
	})
}

func sourceOf(seed uint64, tools []string) *gen {
	return &gen{rand.New(rand.NewPCG(seed, mix(seed))), tools}
}

func (g *gen) oneIn(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *gen, list ...T) T { return list[g.IntN(len(list))] }

func (g *gen) tool() string { return pick(g, g.tools...) }

func (g *gen) named() Tool { return Named(g.tool()) }

// A fakeTarget is a rule target as rules makes them: it may be unsure of a call
// whose argument "doubt" is set, and has a variable if Var is not empty.
type fakeTarget struct {
	tool, variable string
}

func (m fakeTarget) Match(c *trace.Call, env Env) trace.Answer {
	if c.Tool != m.tool {
		return trace.No
	}
	if c.Args["doubt"] == true {
		return trace.Maybe
	}
	if m.variable != "" && !trace.Equal(c.Args["k"], env[m.variable]) {
		return trace.No
	}
	if c.Outcome != nil && c.Outcome.Maybe {
		return trace.Maybe
	}
	return trace.Yes
}

func (m fakeTarget) Key() string     { return "{tool: " + m.tool + ", k: $" + m.variable + "}" }
func (m fakeTarget) Tools() []string { return []string{m.tool} }

func (m fakeTarget) Vars() []string {
	if m.variable == "" {
		return nil
	}
	return []string{m.variable}
}

func (m fakeTarget) Names(c *trace.Call, variable string) []any {
	if c.Tool != m.tool || variable != m.variable {
		return nil
	}
	return []any{c.Args["k"]}
}

func (g *gen) value() any {
	return pick[any](g, "x", "y", json.Number("1"), true, nil, "z", json.Number("1.0"), "w")
}

// call makes a call that ran, whose outcome can be unknown.
func (g *gen) call() trace.Call {
	c := trace.Call{Tool: g.tool(), Outcome: &trace.Outcome{}}
	switch g.IntN(6) {
	case 0, 1, 2:
		c.Args = trace.Args{"k": g.value()}
	case 3:
		c.Args = trace.Args{"k": []any{"x", "y", "x"}}
	case 4:
		c.Args = trace.Args{"k": g.value(), "l": g.value()}
	}
	if g.oneIn(8) {
		c.Args = trace.Args{"k": c.Args["k"], "l": c.Args["l"], "doubt": true}
	}
	if s := g.IntN(3); s < 2 {
		c.Outcome.Status = &s
	}
	if g.oneIn(2) {
		r := g.value()
		c.Outcome.Result = &r
	}
	if s := g.IntN(4); s > 1 {
		c.Step = &s
	}
	c.Outcome.Maybe = g.oneIn(10)
	if g.oneIn(10) {
		c.Forms = []trace.Form{{Tool: g.tool(), Args: trace.Args{"k": g.value()}}}
	}
	return c
}

func (g *gen) trace(limit int) []trace.Call {
	calls := make([]trace.Call, g.IntN(limit+1))
	for i := range calls {
		calls[i] = g.call()
	}
	return calls
}

// formula makes one of at most five operators around one another.
func (g *gen) formula() Formula {
	if g.oneIn(3) {
		return WithPolarity(g.perValue())
	}
	return WithPolarity(g.sub(1+g.IntN(5), shape{}))
}

// perValue makes what rules with a variable compile to, and what is near it.
func (g *gen) perValue() Formula {
	s := shape{vars: []string{"f"}}
	now := func() Formula {
		f := g.local(s)
		if g.oneIn(4) {
			f = Not{f}
		}
		return f
	}
	cell := func() Formula {
		switch g.IntN(3) {
		case 0:
			return Once{now()}
		case 1:
			return Historically{now()}
		default:
			return Since{now(), now()}
		}
	}
	var body Formula
	switch g.IntN(10) {
	case 0, 1:
		body = Previous{cell()}
	case 2:
		body = Previous{pick[Formula](g, Or{cell(), cell()}, And{cell(), Not{cell()}}, Implies{cell(), cell()})}
	case 3:
		body = Previous{now()}
	case 4:
		body = CountBefore{now(), g.cmp(), g.IntN(4)}
	case 5:
		body = Next{WeakUntil{now(), now()}}
	case 6:
		body = Implies{now(), pick[Formula](g, cell(), Previous{cell()}, Next{cell()})}
	case 7:
		body = Next{Globally{Implies{now(), pick[Formula](g, Previous{cell()}, CountBefore{now(), g.cmp(), 1})}}}
	default:
		body = g.sub(1+g.IntN(3), s)
	}
	var f Formula = Forall{"f", Here{g.tool(), "k"}, body}
	if g.oneIn(8) {
		f = Exists{"f", Here{g.tool(), "k"}, body}
	}
	return pick[Formula](g, Globally{f}, Globally{f}, Globally{Implies{g.local(shape{}), f}}, f, Next{f}, Not{Eventually{Not{f}}},
		Globally{And{f, Not{g.local(shape{})}}}, AtPosition{g.IntN(3), f})
}

// A shape says what a formula may be made of.
type shape struct {
	settled bool
	vars    []string // bound by enclosing quantifiers
}

func (g *gen) sub(depth int, s shape) Formula {
	if depth == 0 || g.oneIn(10) {
		if s.settled || len(s.vars) > 0 && g.oneIn(2) || g.IntN(5) < 3 {
			return g.local(s)
		}
		return g.whole(s)
	}
	sub := func() Formula { return g.sub(depth-1, s) }
	limit := 26
	if s.settled {
		limit = 13
	}
	switch g.IntN(limit) {
	case 0:
		return Not{sub()}
	case 1, 11:
		return And{sub(), sub()}
	case 2:
		return Or{sub(), sub()}
	case 3, 12:
		return Implies{sub(), sub()}
	case 4:
		return Previous{sub()}
	case 5:
		return Once{sub()}
	case 6:
		return Historically{sub()}
	case 7:
		return Since{sub(), sub()}
	case 8:
		return CountBefore{g.sub(depth-1, shape{true, s.vars}), g.cmp(), g.IntN(5) - 1}
	case 9:
		return g.quantifier(depth, s, true)
	case 10:
		return g.quantifier(depth, s, g.oneIn(2))
	case 13, 14, 15:
		return Globally{sub()}
	case 16:
		return Eventually{sub()}
	case 17, 18:
		return Next{sub()}
	case 19, 23:
		return Until{sub(), sub()}
	case 20, 24:
		return WeakUntil{sub(), sub()}
	case 21, 25:
		return Release{sub(), sub()}
	default:
		return AtPosition{g.IntN(5) - 1, sub()}
	}
}

func (g *gen) quantifier(depth int, s shape, all bool) Formula {
	name := pick(g, "f", "g")
	vars := append(append([]string{}, s.vars...), name)
	if g.oneIn(2) {
		vars = []string{name} // the body speaks of one variable, as rules do
	}
	dom := Here{g.tool(), pick(g, "k", "k", "l")}
	body := g.sub(depth-1, shape{s.settled, vars})
	if all {
		return Forall{name, dom, body}
	}
	return Exists{name, dom, body}
}

func (g *gen) cmp() Cmp { return pick(g, LE, GE, EQ, LT, GT) }

func (g *gen) args(s shape) []Arg {
	v := Value{JSON: g.value()}
	if len(s.vars) > 0 && g.IntN(4) > 0 {
		v = Value{Var: pick(g, s.vars...)}
	}
	return []Arg{{pick(g, "k", "k", "l"), v}}
}

func (g *gen) local(s shape) Formula {
	kind := g.IntN(10)
	switch {
	case len(s.vars) > 0 && kind < 6 || kind == 0:
		f := NowWith{Tools: []Tool{g.named()}, Args: g.args(s)}
		f.Result = pick(g, AnyResult, AnyResult, Ok, Failed)
		return f
	case kind == 1:
		return NowWith{Tools: []Tool{g.named()}, Result: pick(g, Ok, Failed)}
	case kind == 2 || kind == 6:
		m := fakeTarget{tool: g.tool()}
		if len(s.vars) > 0 && g.IntN(3) > 0 {
			m.variable = pick(g, s.vars...)
		}
		return Match{M: m}
	case kind == 3:
		return Const{g.oneIn(2)}
	default:
		return Now{g.named()}
	}
}

func (g *gen) whole(s shape) Formula {
	n := func() int { return g.IntN(5) - 1 }
	kind := g.IntN(12)
	if len(s.vars) > 0 && g.oneIn(2) {
		kind = g.IntN(2)
	}
	if g.oneIn(6) {
		m := fakeTarget{tool: g.tool()}
		if len(s.vars) > 0 {
			m.variable = pick(g, s.vars...)
		}
		return pick[Formula](g, Called{Tool{Target: m}}, CalledNTimes{Tool{Target: m}, g.cmp(), n()}, Before{Tool{Target: m}, Tool{Target: m}})
	}
	switch kind {
	case 0:
		return CalledWith{g.named(), g.args(s)}
	case 1:
		return CalledWithResult{g.named(), g.args(s), Value{JSON: g.value()}}
	case 2, 3:
		return CalledNTimes{g.named(), g.cmp(), n()}
	case 4:
		return Before{g.named(), g.named()}
	case 5:
		return After{g.named(), g.named()}
	case 6:
		return AllBefore{[]Tool{g.named(), g.named()}, g.named()}
	case 7:
		f := BranchCalled{Correct: g.named()}
		if g.oneIn(2) {
			w := g.named()
			f.Wrong = &w
		}
		return f
	case 8:
		return InstanceBefore{g.named(), n(), g.named(), n()}
	case 9:
		return CalledInOrder{[]Tool{g.named(), g.named()}}
	case 10:
		return WithinSteps{g.named(), g.named(), n()}
	default:
		return Called{g.named()}
	}
}

// minimize makes a failing case smaller as long as it fails.
func minimize(f Formula, calls []trace.Call, fails func(Formula, []trace.Call) bool) (Formula, []trace.Call) {
	for again := true; again; {
		again = false
		for i := range calls {
			less := append(append([]trace.Call{}, calls[:i]...), calls[i+1:]...)
			if fails(f, less) {
				calls, again = less, true
				break
			}
		}
		for _, g := range smaller(f) {
			if fails(g, calls) {
				f, again = g, true
				break
			}
		}
	}
	return f, calls
}

// smaller lists f with one part replaced by something simpler.
func smaller(f Formula) []Formula {
	out := append([]Formula{}, children(f)...)
	switch f.(type) {
	case Const:
		return nil
	default:
		out = append(out, Const{true}, Const{false})
	}
	for i, k := range children(f) {
		for _, s := range smaller(k) {
			out = append(out, withChild(f, i, s))
		}
	}
	return out
}

func withChild(f Formula, i int, k Formula) Formula {
	l, r := k, k
	if ks := children(f); len(ks) == 2 {
		l, r = ks[0], ks[1]
		if i == 0 {
			l = k
		} else {
			r = k
		}
	}
	switch f := f.(type) {
	case Not:
		return Not{k}
	case Globally:
		return Globally{k}
	case Eventually:
		return Eventually{k}
	case Next:
		return Next{k}
	case AtPosition:
		return AtPosition{f.Index, k}
	case Previous:
		return Previous{k}
	case Once:
		return Once{k}
	case Historically:
		return Historically{k}
	case CountBefore:
		if !isSettled(k) {
			return f
		}
		return CountBefore{k, f.Cmp, f.N}
	case And:
		return And{l, r}
	case Or:
		return Or{l, r}
	case Implies:
		return Implies{l, r}
	case Until:
		return Until{l, r}
	case WeakUntil:
		return WeakUntil{l, r}
	case Release:
		return Release{l, r}
	case Since:
		return Since{l, r}
	case Forall:
		return Forall{f.Var, f.Dom, k}
	case Exists:
		return Exists{f.Var, f.Dom, k}
	default:
		return f
	}
}
