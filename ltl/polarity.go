package ltl

// WithPolarity decides for every atom how a call that only may match it counts:
// as a match where matches speak against the formula, not where they speak for
// it, so that a doubtful call is never an excuse. [Parse] does it by itself;
// trees built from the node types need it once, at the root, unless their
// builder sets Maybe.
func WithPolarity(f Formula) Formula { return withPolarity(f, false) }

// Below count_before only certain calls count (rules.md 5, at_most).
func withPolarity(f Formula, against bool) Formula {
	for_ := func(g Formula) Formula { return withPolarity(g, against) }
	switch f := f.(type) {
	case Match:
		f.Maybe = against
		return f
	case Now:
		f.Tool = f.Tool.maybe(against)
		return f
	case NowWith:
		f.Tools = maybes(f.Tools, against)
		return f
	case Called:
		f.Tool = f.Tool.maybe(against)
		return f
	case CalledWith:
		f.Tool = f.Tool.maybe(against)
		return f
	case CalledWithResult:
		f.Tool = f.Tool.maybe(against)
		return f
	case CalledNTimes:
		// More calls break <= and < and help >= and >; for == only certain calls count.
		f.Tool = f.Tool.maybe(f.Cmp != EQ && (f.Cmp == LE || f.Cmp == LT) != against)
		return f
	case Before:
		f.A, f.B = f.A.maybe(against), f.B.maybe(!against)
		return f
	case After:
		f.A, f.B = f.A.maybe(!against), f.B.maybe(against)
		return f
	case AllBefore:
		f.Tools, f.Target = maybes(f.Tools, against), f.Target.maybe(!against)
		return f
	case BranchCalled:
		f.Correct = f.Correct.maybe(against)
		if f.Wrong != nil {
			w := f.Wrong.maybe(!against)
			f.Wrong = &w
		}
		return f
	case InstanceBefore:
		f.A, f.B = f.A.maybe(against), f.B.maybe(!against)
		return f
	case CalledInOrder:
		f.Tools = maybes(f.Tools, against)
		return f
	case WithinSteps:
		f.A, f.B = f.A.maybe(!against), f.B.maybe(against)
		return f
	case Not:
		return Not{withPolarity(f.Operand, !against)}
	case And:
		return And{for_(f.Left), for_(f.Right)}
	case Or:
		return Or{for_(f.Left), for_(f.Right)}
	case Implies:
		return Implies{withPolarity(f.Left, !against), for_(f.Right)}
	case Globally:
		return Globally{for_(f.Operand)}
	case Eventually:
		return Eventually{for_(f.Operand)}
	case Next:
		return Next{for_(f.Operand)}
	case AtPosition:
		return AtPosition{f.Index, for_(f.Operand)}
	case Until:
		return Until{for_(f.Left), for_(f.Right)}
	case WeakUntil:
		return WeakUntil{for_(f.Left), for_(f.Right)}
	case Release:
		return Release{for_(f.Left), for_(f.Right)}
	case Previous:
		return Previous{for_(f.Operand)}
	case Once:
		return Once{for_(f.Operand)}
	case Historically:
		return Historically{for_(f.Operand)}
	case Since:
		return Since{for_(f.Left), for_(f.Right)}
	case CountBefore:
		return CountBefore{withPolarity(f.Operand, false), f.Cmp, f.N}
	case Forall:
		return Forall{f.Var, f.Dom, for_(f.Body)}
	case Exists:
		return Exists{f.Var, f.Dom, for_(f.Body)}
	default:
		return f
	}
}

func (t Tool) maybe(yes bool) Tool {
	t.Maybe = yes
	return t
}

func maybes(tools []Tool, yes bool) []Tool {
	out := make([]Tool, len(tools))
	for i, t := range tools {
		out[i] = t.maybe(yes)
	}
	return out
}
