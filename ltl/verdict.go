package ltl

// A Verdict is the value of a formula on a partial trace. The order is part of
// the meaning: conjunction is the minimum, disjunction the maximum, negation
// True-v.
type Verdict uint8

// The verdicts, by their names in the literature.
const (
	False           Verdict = iota // violated, whatever follows
	PresumablyFalse                // an obligation is still open
	Pending                        // not triggered, or not decided
	PresumablyTrue                 // holds, and a later call may break it
	True                           // holds, whatever follows
)

func (v Verdict) String() string {
	switch v {
	case False:
		return "violated"
	case PresumablyFalse:
		return "not met yet"
	case Pending:
		return "pending"
	case PresumablyTrue:
		return "holds so far"
	case True:
		return "holds"
	default:
		return "unknown verdict"
	}
}

// Failing says whether the verdict breaks a rule.
func (v Verdict) Failing() bool { return v < Pending }

func (v Verdict) not() Verdict { return True - v }

// A Witness is one failing instance: a position of G, a side of &, a value of a
// quantified variable (formulas.md 4). Equal paths are the same failure.
type Witness struct {
	Path      string
	Verdict   Verdict
	Uncertain bool // a "maybe" answer is among the atoms that decide it
}

// A Judgement is a verdict with the failing instances behind it.
type Judgement struct {
	Verdict Verdict
	New     []Witness // failures this call created: the call answers for these only
}

// Refused says whether the call must not go ahead (formulas.md 5): the formula
// is broken, and this call did it.
func (j Judgement) Refused() bool { return j.Verdict.Failing() && len(j.New) > 0 }

// Uncertain says that the call created failures and all of them rest on a
// maybe.
func (j Judgement) Uncertain() bool {
	for _, w := range j.New {
		if !w.Uncertain {
			return false
		}
	}
	return len(j.New) > 0
}
