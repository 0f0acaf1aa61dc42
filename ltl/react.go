package ltl

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// Tools lists the names, or globs, of the tools whose calls can change f's
// monitor. Always means that no tool name rules a call out: an atom takes any
// tool, or the monitor moves on calls that match nothing (X, @N, within_steps,
// an open U, a Y over the call itself: architecture.md 6), or that such calls can
// be refused: as long as an obligation is not met, or at once because the formula
// is about the first call. A call of another tool changes no byte of the monitor
// but its count: [Monitor.Skip] stands for stepping over it.
func Tools(f Formula) (names []string, always bool) {
	walk(f, func(g Formula) bool {
		for _, t := range toolsOf(g) {
			if t.Target == nil {
				names = append(names, t.Name)
				continue
			}
			ts := t.Target.Tools()
			names, always = append(names, ts...), always || ts == nil
		}
		if d := domainOf(g); d != nil {
			ts := d.Tools()
			names, always = append(names, ts...), always || ts == nil
		}
		return true
	})
	q := quiet{}
	q.value(f)
	slices.Sort(names)
	return slices.Compact(names), always || q.restless || refusesStrangers(f)
}

// refusesStrangers says whether a call that matches nothing can break f.
func refusesStrangers(f Formula) bool {
	if reachOf(f).Has(PresumablyFalse) {
		return true
	}
	e, err := Evaluate(f, []trace.Call{{Tool: "\x00"}})
	return err != nil || e.Verdict().Failing()
}

func domainOf(f Formula) Domain {
	switch f := f.(type) {
	case Forall:
		return f.Dom
	case Exists:
		return f.Dom
	default:
		return nil
	}
}

// React says whether the call can change f's monitor. False is certain, true is
// not.
func React(f Formula, c *trace.Call) bool {
	if _, always := Tools(f); always {
		return true
	}
	return !walk(f, func(g Formula) bool { return !reacts(g, c) })
}

func reacts(f Formula, c *trace.Call) bool {
	if d := domainOf(f); d != nil {
		return callsOne(d.Tools(), c)
	}
	args := slices.DeleteFunc(slices.Clone(argsOf(f)), func(a Arg) bool { return a.Value.Var != "" })
	for _, t := range toolsOf(f) {
		if t.Target != nil && len(t.Target.Vars()) > 0 {
			if callsOne(t.Target.Tools(), c) {
				return true
			}
			continue
		}
		if t.answer(c, args, nil) != trace.No {
			return true
		}
	}
	return false
}

// callsOne says whether the call or one of its forms can be of one of the tools;
// a glob is taken to match.
func callsOne(tools []string, c *trace.Call) bool {
	if tools == nil {
		return true
	}
	for _, t := range tools {
		if t == c.Tool || strings.Contains(t, "*") {
			return true
		}
		for _, f := range c.Forms {
			if t == f.Tool {
				return true
			}
		}
	}
	return false
}

// A quietness is what a sub-formula is at a call that matches none of its atoms.
type quietness uint8

const (
	steady quietness = iota // what it was at the call before
	never                   // false, certain and settled
	ever                    // true, certain and settled
)

// quiet finds out whether a monitor stands still at a call that matches nothing.
// The rules are those of formulas.md 8.3 with every local atom false: a past
// cell keeps its value, an open obligation progresses to itself, G starts
// nothing.
type quiet struct{ restless bool }

func (q *quiet) value(f Formula) quietness {
	switch f := f.(type) {
	case Const:
		if f.Value {
			return ever
		}
		return never
	case Now, NowWith, Match:
		return never
	case WithinSteps, Next, AtPosition:
		q.restless = true
		return steady
	case Not:
		return negated(q.value(f.Operand))
	case And:
		return conjoined(q.value(f.Left), q.value(f.Right))
	case Or:
		return negated(conjoined(negated(q.value(f.Left)), negated(q.value(f.Right))))
	case Implies:
		return negated(conjoined(q.value(f.Left), negated(q.value(f.Right))))
	case Globally:
		q.needs(q.value(f.Operand) == ever || !isLocal(f.Operand))
	case Eventually:
		q.needs(q.value(f.Operand) == never || !isLocal(f.Operand))
	case Until:
		q.waiting(f.Left, f.Right)
	case WeakUntil:
		q.waiting(f.Left, f.Right)
	case Release:
		l, r := q.value(f.Left), q.value(f.Right)
		q.needs(l == never && r == ever)
	case Previous:
		q.value(f.Operand)
		q.needs(onlyCells(f.Operand))
	case Once:
		q.needs(q.value(f.Operand) == never || onlyCells(f.Operand))
	case Historically:
		q.needs(q.value(f.Operand) == ever || onlyCells(f.Operand))
	case Since:
		l, r := q.value(f.Left), q.value(f.Right)
		q.needs(l == ever && r == never || isSettled(f) && onlyCells(f.Left) && onlyCells(f.Right))
	case CountBefore:
		q.needs(q.value(f.Operand) == never)
	case Forall:
		q.value(f.Body)
		return ever
	case Exists:
		q.value(f.Body)
		return never
	default:
	}
	return steady
}

func (q *quiet) needs(ok bool) { q.restless = q.restless || !ok }

func (q *quiet) waiting(left, right Formula) {
	l, r := q.value(left), q.value(right)
	q.needs(l == ever && r == never)
}

func negated(k quietness) quietness {
	switch k {
	case never:
		return ever
	case ever:
		return never
	default:
		return steady
	}
}

func conjoined(a, b quietness) quietness {
	switch {
	case a == never || b == never:
		return never
	case a == ever:
		return b
	case b == ever:
		return a
	default:
		return steady
	}
}

// onlyCells says whether f's value at a position is a function of whole-trace
// atoms and of O, H and S alone, so that it is the same at the next call when
// that one matches nothing.
func onlyCells(f Formula) bool {
	switch f := f.(type) {
	case Const, Once, Historically, Since:
		return true
	case Not, And, Or, Implies:
		for _, k := range children(f) {
			if !onlyCells(k) {
				return false
			}
		}
		return true
	default:
		return isWholeTrace(f)
	}
}

// Fallback says whether f is judged by evaluating the whole trace at every call
// (formulas.md 8.6): its cost grows with the trace, and its monitor needs the
// recorded calls.
func Fallback(f Formula) bool {
	quantified := !walk(f, func(g Formula) bool { return domainOf(g) == nil })
	return quantified && !sliceable(newProgram(f))
}
