// Package ltl judges traces of tool calls against temporal formulas.
//
// [Parse] reads a formula, [NewMonitor] makes its five-valued monitor, and
// [Monitor.Step] takes it over one call in time that does not depend on how
// long the trace is. [Evaluate] is the direct reading of the semantics
// (formulas.md 3), for finished traces, explanations and as the oracle of the
// tests. The package knows nothing of rule files, modes, users or clocks.
package ltl

// A Verdict is the value of a formula on a partial trace. The order is part of
// the meaning: conjunction is the minimum, disjunction the maximum, negation
// True-v.
type Verdict uint8

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
	default:
		return "holds"
	}
}

func (v Verdict) not() Verdict { return True - v }
