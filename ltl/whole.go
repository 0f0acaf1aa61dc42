package ltl

import "github.com/agentltl/agentltl-hook/trace"

// wholeTrace is the value of a whole-trace atom (formulas.md 3.1), and its truth
// if the trace ended here.
func wholeTrace(f Formula, calls []trace.Call, env Env) (Verdict, bool) {
	v := wholeVerdict(f, calls, env)
	switch f := f.(type) {
	case CalledNTimes:
		return v, f.Cmp.holds(countCalls(f.Tool, calls, nil, env), f.N)
	case BranchCalled:
		return v, first(f.Correct, calls, env) >= 0 && v != False
	default:
		return v, v == True
	}
}

func wholeVerdict(f Formula, calls []trace.Call, env Env) Verdict {
	switch f := f.(type) {
	case Called:
		return seenOr(PresumablyFalse, countCalls(f.Tool, calls, nil, env) > 0)
	case CalledWith:
		return seenOr(PresumablyFalse, countCalls(f.Tool, calls, f.Args, env) > 0)
	case CalledWithResult:
		return resultVerdict(f, calls, env)
	case CalledNTimes:
		return countVerdict(f, countCalls(f.Tool, calls, nil, env))
	case Before:
		return beforeVerdict(first(f.A, calls, env), first(f.B, calls, env), calls)
	case After:
		a, b := first(f.A, calls, env), first(f.B, calls, env)
		switch {
		case a < 0:
			return PresumablyFalse
		case b >= 0 && b < a:
			return True
		default:
			return False
		}
	case AllBefore:
		return allBefore(f, calls, env)
	case BranchCalled:
		return branchVerdict(f, calls, env)
	case InstanceBefore:
		b := nth(f.B, f.J, calls, env)
		if f.J <= 0 {
			b = -1
		}
		a := -1
		if f.I > 0 {
			a = nth(f.A, f.I, calls, env)
		}
		return beforeVerdict(a, b, calls)
	case CalledInOrder:
		return inOrder(f, calls, env)
	case WithinSteps:
		return within(f, calls, env)
	default:
	}
	panic("ltl: " + f.String() + " is no whole-trace atom")
}

func seenOr(v Verdict, seen bool) Verdict {
	if seen {
		return True
	}
	return v
}

func countCalls(t Tool, calls []trace.Call, args []Arg, env Env) int {
	n := 0
	for i := range calls {
		if t.called(&calls[i], args, env) {
			n++
		}
	}
	return n
}

// first position of a call of t, or -1.
func first(t Tool, calls []trace.Call, env Env) int { return nth(t, 1, calls, env) }

// nth is the position of the k-th call of t, counted from 1, or -1.
func nth(t Tool, k int, calls []trace.Call, env Env) int {
	for i := range calls {
		if t.called(&calls[i], nil, env) {
			if k--; k == 0 {
				return i
			}
		}
	}
	return -1
}

func resultVerdict(f CalledWithResult, calls []trace.Call, env Env) Verdict {
	v := PresumablyFalse
	for i := range calls {
		c := &calls[i]
		if !f.Tool.called(c, f.Args, env) {
			continue
		}
		if c.Outcome == nil || c.Outcome.Result == nil {
			v = Pending
		} else if returned(*c.Outcome.Result, f.Result.lookup(env)) {
			return True
		}
	}
	return v
}

func countVerdict(f CalledNTimes, n int) Verdict {
	ok := f.Cmp.holds(n, f.N)
	switch f.Cmp {
	case LE, LT:
		if ok {
			return PresumablyTrue
		}
		return False
	case GE, GT:
		return seenOr(PresumablyFalse, ok)
	default:
		switch {
		case n > f.N:
			return False
		case ok:
			return PresumablyTrue
		default:
			return PresumablyFalse
		}
	}
}

// beforeVerdict judges the call at a against the deciding one at b: it must come
// earlier, and in an earlier step where both have one.
func beforeVerdict(a, b int, calls []trace.Call) Verdict {
	if b < 0 {
		return Pending
	}
	if a < 0 || a >= b {
		return False
	}
	s, ok1 := stepOf(&calls[a])
	t, ok2 := stepOf(&calls[b])
	if ok1 && ok2 && s >= t {
		return False
	}
	return True
}

func allBefore(f AllBefore, calls []trace.Call, env Env) Verdict {
	t := first(f.Target, calls, env)
	if t < 0 {
		return Pending
	}
	for _, tool := range f.Tools {
		if p := first(tool, calls, env); p < 0 || p >= t {
			return False
		}
	}
	return True
}

func branchVerdict(f BranchCalled, calls []trace.Call, env Env) Verdict {
	if f.Wrong != nil && first(*f.Wrong, calls, env) >= 0 {
		return False
	}
	if first(f.Correct, calls, env) < 0 {
		return Pending
	}
	if f.Wrong == nil {
		return True
	}
	return PresumablyTrue
}

func inOrder(f CalledInOrder, calls []trace.Call, env Env) Verdict {
	next := 0
	last, known := 0, false // step of the element matched last
	for i := range calls {
		if next == len(f.Tools) {
			break
		}
		c := &calls[i]
		if !f.Tools[next].called(c, nil, env) {
			continue
		}
		s, ok := stepOf(c)
		if next > 0 && ok && known && s <= last {
			continue
		}
		last, known = s, ok
		next++
	}
	return seenOr(Pending, next == len(f.Tools))
}

func within(f WithinSteps, calls []trace.Call, env Env) Verdict {
	a := first(f.A, calls, env)
	if a < 0 {
		return Pending
	}
	for i := a; i < len(calls) && i <= a+f.N; i++ {
		if f.B.called(&calls[i], nil, env) {
			return True
		}
	}
	if len(calls)-a > f.N {
		return False
	}
	return Pending
}
