package ltl

// emptyVerdict is the value on the trace without calls (formulas.md 3.4). It is
// only ever shown to people.
func emptyVerdict(f Formula) Verdict {
	switch f := f.(type) {
	case Const:
		return seenOr(False, f.Value)
	case Not:
		return emptyVerdict(f.Operand).not()
	case And:
		return min(emptyVerdict(f.Left), emptyVerdict(f.Right))
	case Or:
		return max(emptyVerdict(f.Left), emptyVerdict(f.Right))
	case Implies:
		return max(emptyVerdict(f.Left).not(), emptyVerdict(f.Right))
	case Previous:
		return False // the first call has none before it
	case AtPosition:
		if f.Index < 0 {
			return False
		}
		return Pending
	case Exists:
		if isSeen(f.Dom) {
			return PresumablyFalse
		}
		return Pending
	case Now, NowWith, Match, Next, Globally, Eventually, Until, WeakUntil, Release, Once, Historically, Since,
		CountBefore, Forall:
		return Pending
	default:
		v, _ := wholeTrace(f, nil, nil)
		return v
	}
}

// emptyTruth is the truth of the finished trace without calls (formulas.md 3.5).
func emptyTruth(f Formula) bool {
	switch f := f.(type) {
	case Const:
		return f.Value
	case Not:
		return !emptyTruth(f.Operand)
	case And:
		return emptyTruth(f.Left) && emptyTruth(f.Right)
	case Or:
		return emptyTruth(f.Left) || emptyTruth(f.Right)
	case Implies:
		return !emptyTruth(f.Left) || emptyTruth(f.Right)
	case Globally, Historically, WeakUntil, Release, Forall:
		return true
	case CountBefore:
		return f.Cmp.holds(0, f.N)
	case Now, NowWith, Match, Next, Eventually, Until, AtPosition, Previous, Once, Since, Exists:
		return false
	default:
		_, t := wholeTrace(f, nil, nil)
		return t
	}
}
