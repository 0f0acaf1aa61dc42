package ltl

import "strings"

// A Class says whether a formula can be enforced (formulas.md 6).
type Class uint8

// The classes.
const (
	Safe   Class = iota // can only be broken for good
	Unsafe              // can be "not met yet", which a refusal cannot mend
	Inert               // cannot be broken before the trace ends
)

func (c Class) String() string { return [...]string{"SAFE", "UNSAFE", "INERT"}[c] }

// A Reach is the set of verdicts that a formula can take at a call, one bit
// each. It may be too large, never too small.
type Reach uint8

func reach(vs ...Verdict) Reach {
	var r Reach
	for _, v := range vs {
		r |= 1 << v
	}
	return r
}

// Has says whether v is in the set.
func (r Reach) Has(v Verdict) bool { return r&(1<<v) != 0 }

// List is the set in order.
func (r Reach) List() []Verdict {
	var out []Verdict
	for v := False; v <= True; v++ {
		if r.Has(v) {
			out = append(out, v)
		}
	}
	return out
}

// String is the verdicts' digits in order.
func (r Reach) String() string {
	var b strings.Builder
	for _, v := range r.List() {
		b.WriteByte('0' + byte(v))
	}
	return b.String()
}

func (r Reach) each(f func(Verdict) Verdict) Reach {
	var out Reach
	for _, v := range r.List() {
		out |= reach(f(v))
	}
	return out
}

func (r Reach) not() Reach { return r.each(Verdict.not) }

func (r Reach) pairs(s Reach, f func(a, b Verdict) Verdict) Reach {
	var out Reach
	for _, a := range r.List() {
		for _, b := range s.List() {
			out |= reach(f(a, b))
		}
	}
	return out
}

func lower(a, b Verdict) Verdict  { return min(a, b) }
func higher(a, b Verdict) Verdict { return max(a, b) }

// A Classification is what [Classify] finds.
type Classification struct {
	Class  Class
	Reach  Reach
	Advice string // for UNSAFE and INERT: why a rule cannot be that, and forms that load
}

// Classify computes the verdicts that a formula can take, bottom-up and without
// looking for contradictions: rule files depend on its answers.
func Classify(f Formula) Classification {
	r := reachOf(f)
	switch {
	case r.Has(PresumablyFalse):
		return Classification{Unsafe, r, adviceUnsafe(f)}
	case r.Has(False):
		return Classification{Safe, r, ""}
	default:
		return Classification{Inert, r, adviceInert(f)}
	}
}

func reachOf(f Formula) Reach {
	switch f := f.(type) {
	case Called, CalledWith:
		return reach(PresumablyFalse, True)
	case CalledWithResult:
		return reach(PresumablyFalse, Pending, True)
	case CalledNTimes:
		return reachCount(f)
	case After:
		return reach(False, PresumablyFalse, True)
	case BranchCalled:
		if f.Wrong == nil {
			return reach(Pending, True)
		}
		return reach(False, Pending, PresumablyTrue)
	case CalledInOrder:
		return reach(Pending, True)
	case Before, AllBefore, InstanceBefore, WithinSteps, Now, NowWith, Match, CountBefore:
		return reach(False, Pending, True)
	case Const:
		return reach(seenOr(False, f.Value))
	case Not:
		return reachOf(f.Operand).not()
	case And:
		return reachOf(f.Left).pairs(reachOf(f.Right), lower)
	case Or:
		return reachOf(f.Left).pairs(reachOf(f.Right), higher)
	case Implies:
		return reachOf(f.Left).not().pairs(reachOf(f.Right), higher)
	default:
		return reachTemporal(f)
	}
}

// reachCount is the row of formulas.md 6 as it stands: <= and > with a negative
// bound keep the set of the others, as in the peer.
func reachCount(f CalledNTimes) Reach {
	switch f.Cmp {
	case LE, LT:
		if f.Cmp == LT && f.N <= 0 {
			return reach(False)
		}
		return reach(False, PresumablyTrue)
	case GE, GT:
		if f.Cmp == GE && f.N <= 0 {
			return reach(True)
		}
		return reach(PresumablyFalse, True)
	default:
		if f.N <= 0 {
			return reach(False, PresumablyTrue)
		}
		return reach(False, PresumablyFalse, PresumablyTrue)
	}
}

func reachTemporal(f Formula) Reach {
	atMost := func(r Reach, v Verdict) Reach { return r.each(func(w Verdict) Verdict { return min(v, w) }) | reach(v) }
	atLeast := func(r Reach, v Verdict) Reach { return r.each(func(w Verdict) Verdict { return max(v, w) }) | reach(v) }
	switch f := f.(type) {
	case Globally:
		return atMost(reachOf(f.Operand), Pending)
	case Eventually:
		return atLeast(reachOf(f.Operand), Pending)
	case Next:
		return reachOf(f.Operand) | reach(Pending)
	case Until:
		return reachUntil(reachOf(f.Left), reachOf(f.Right))
	case WeakUntil:
		return reachUntil(reachOf(f.Left), reachOf(f.Right))
	case Release:
		return reachUntil(reachOf(f.Left).not(), reachOf(f.Right).not()).not()
	case Previous:
		return reachOf(f.Operand) | reach(False, Pending)
	case Once:
		return reachOf(f.Operand) | reach(False, Pending)
	case Historically:
		return reachOf(f.Operand) | reach(Pending)
	case Since:
		return reachOf(f.Right).pairs(reachOf(f.Left)|reach(True), lower) | reach(False, Pending)
	case AtPosition:
		if f.Index < 0 {
			return reach(False)
		}
		return reachOf(f.Operand) | reach(Pending)
	case Forall:
		if isSeen(f.Dom) {
			return atMost(reachOf(f.Body), Pending)
		}
		return reachOf(f.Body) | reach(True)
	case Exists:
		if isSeen(f.Dom) {
			return atLeast(reachOf(f.Body), PresumablyFalse)
		}
		return reachOf(f.Body) | reach(False)
	default:
	}
	panic("ltl: no reach for " + f.String())
}

func reachUntil(l, r Reach) Reach {
	hit := r.pairs(l|reach(True), lower) | reach(False)
	wait := l.each(func(v Verdict) Verdict { return min(v, Pending) }) | reach(Pending)
	return hit.pairs(wait, higher)
}
