package ltl

import "github.com/agentltl/agentltl-hook/trace"

// A reg is the state of a whole-trace atom: the few numbers that its row in
// formulas.md 3.1 needs. Its zero value is that of the empty trace.
type reg struct {
	n, m  int    // counts, by atom
	step  int    // step of the call that was seen
	timed bool   // step is known
	done  uint8  // decided: the verdict + 1
	seen  string // all_before: which of the list came, a byte each
}

func (r *reg) decide(v Verdict) { r.done = uint8(v) + 1 }

// take steps the register over a call; moved says whether the atom's key did.
func (r *reg) take(f Formula, c *trace.Call, env Env) (moved bool) {
	if r.done != 0 {
		if g, ok := f.(CalledWithResult); ok { // decided, but still counting
			return r.result(g, c, env)
		}
		return false
	}
	switch f := f.(type) {
	case Called:
		return r.count(f.Tool, nil, c, env)
	case CalledWith:
		return r.count(f.Tool, f.Args, c, env)
	case CalledNTimes:
		return r.count(f.Tool, nil, c, env)
	case CalledWithResult:
		return r.result(f, c, env)
	case Before:
		r.before(f.A, 1, f.B, 1, c, env)
	case InstanceBefore:
		r.before(f.A, f.I, f.B, f.J, c, env)
	case After:
		a, b := f.A.called(c, nil, env), f.B.called(c, nil, env)
		switch {
		case a && r.m > 0:
			r.decide(True)
		case a:
			r.decide(False)
		case b:
			r.m = 1
		}
	case AllBefore:
		r.allBefore(f, c, env)
	case BranchCalled:
		if f.Correct.called(c, nil, env) {
			r.n = 1
		}
		if f.Wrong != nil && f.Wrong.called(c, nil, env) {
			r.m = 1
		}
	case CalledInOrder:
		r.inOrder(f, c, env)
	case WithinSteps:
		r.within(f, c, env)
	default: // newProgram makes registers of these alone
	}
	return false
}

func (r *reg) count(t Tool, args []Arg, c *trace.Call, env Env) bool {
	if !t.called(c, args, env) {
		return false
	}
	r.n++
	return true
}

func (r *reg) result(f CalledWithResult, c *trace.Call, env Env) bool {
	if !f.Tool.called(c, f.Args, env) {
		return false
	}
	if c.Outcome == nil || c.Outcome.Result == nil {
		if !fault(5) {
			r.m = 1
		}
		return false
	}
	r.n++
	if returned(*c.Outcome.Result, f.Result.lookup(env)) {
		r.decide(True)
	}
	return true
}

// before decides at the j-th b: the i-th a must have come in an earlier call,
// and in an earlier step where both have one.
func (r *reg) before(a Tool, i int, b Tool, j int, c *trace.Call, env Env) {
	step, timed := stepOf(c)
	earlier := i > 0 && r.n >= i
	if fault(2) && i > 0 && r.n == i-1 && a.called(c, nil, env) {
		earlier = true
	}
	if b.called(c, nil, env) {
		if r.m++; r.m == j {
			late := r.timed && timed && r.step >= step && !fault(1)
			if earlier && !late {
				r.decide(True)
			} else {
				r.decide(False)
			}
			return
		}
	}
	if !earlier && a.called(c, nil, env) {
		if r.n++; r.n == i {
			r.step, r.timed = step, timed
		}
	}
}

func (r *reg) allBefore(f AllBefore, c *trace.Call, env Env) {
	came := func(i int) bool { return i < len(r.seen) && r.seen[i] != 0 }
	if f.Target.called(c, nil, env) {
		v := True
		for i := range f.Tools {
			if !came(i) {
				v = False
			}
		}
		r.decide(v)
		return
	}
	for i, t := range f.Tools {
		if !came(i) && t.called(c, nil, env) {
			b := make([]byte, len(f.Tools))
			copy(b, r.seen)
			b[i] = 1
			r.seen = string(b)
		}
	}
}

func (r *reg) inOrder(f CalledInOrder, c *trace.Call, env Env) {
	if !f.Tools[r.n].called(c, nil, env) {
		return
	}
	step, timed := stepOf(c)
	if r.n > 0 && r.timed && timed && step <= r.step && (!fault(3) || step != r.step) {
		return
	}
	r.step, r.timed = step, timed
	if r.n++; r.n == len(f.Tools) {
		r.decide(True)
	}
}

// within counts in m the calls from the first a on, that one included.
func (r *reg) within(f WithinSteps, c *trace.Call, env Env) {
	if r.n == 0 {
		if !f.A.called(c, nil, env) {
			return
		}
		r.n = 1
	}
	switch {
	case r.m <= f.N && f.B.called(c, nil, env):
		r.decide(True)
	case r.m >= f.N && (!fault(4) || r.m != f.N):
		r.decide(False)
	}
	r.m++
}

// verdict is the atom's row of formulas.md 3.1.
func (r *reg) verdict(f Formula) Verdict {
	if r.done != 0 {
		return Verdict(r.done - 1)
	}
	switch f := f.(type) {
	case Called, CalledWith:
		return seenOr(PresumablyFalse, r.n > 0)
	case CalledWithResult:
		if r.m > 0 {
			return Pending
		}
		return PresumablyFalse
	case CalledNTimes:
		return countVerdict(f, r.n)
	case After:
		return PresumablyFalse
	case BranchCalled:
		switch {
		case r.m > 0:
			return False
		case r.n == 0:
			return Pending
		case f.Wrong == nil:
			return True
		default:
			return PresumablyTrue
		}
	default:
		return Pending
	}
}

// truth is the atom's if the trace ended now (formulas.md 3.5).
func (r *reg) truth(f Formula) bool {
	switch f := f.(type) {
	case CalledNTimes:
		return f.Cmp.holds(r.n, f.N)
	case BranchCalled:
		return r.n > 0 && r.m == 0
	default:
		return r.verdict(f) == True
	}
}

// appendKey is the atom's key: a count, or nothing.
func (r *reg) appendKey(b []byte, f Formula) []byte {
	switch f.(type) {
	case Called, CalledWith, CalledNTimes, CalledWithResult:
		return appendInt(append(b, 'n'), r.n)
	default:
		return append(b, '-')
	}
}
