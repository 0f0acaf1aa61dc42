package guard

import (
	"cmp"
	"slices"

	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// An Ending is what is owed when the agent wants to end its turn.
type Ending struct {
	Unmet  []Violation // the agent is sent back with all of these; none: it may end
	Spent  []Violation // unmet too, but the send-backs of this turn are used up
	Shadow []Violation // unmet rules in shadow
	Keep   bool        // counters change: finish again in an Update
}

// Finish judges the finally rules of both memories on their traces as they are
// and counts a send-back (rules.md 12). most is what the harness allows in a
// turn, 0 without a limit of its own.
func (j *Judge) Finish(tx state.Tx, most int, write bool) (Ending, error) {
	var e Ending
	list, err := j.Book.Finally()
	if err != nil || len(list) == 0 {
		return e, err
	}
	limit := j.Book.Settings().FinishRetries
	if most > 0 {
		limit = min(limit, most)
	}
	for _, s := range scopes {
		unmet, err := j.unmet(tx, s, list, &e)
		if err != nil {
			return e, err
		}
		if len(unmet) == 0 {
			continue
		}
		slices.SortStableFunc(unmet, func(a, b Violation) int { return cmp.Compare(b.Mode, a.Mode) }) // told strongest first, as by the peer
		m := tx.Memory(s)
		if m.Finishes >= limit {
			e.Spent = append(e.Spent, unmet...)
			continue
		}
		m.Finishes++
		e.Unmet, e.Keep = append(e.Unmet, unmet...), true
		if write {
			if err := tx.PutMemory(s, m); err != nil {
				return e, err
			}
		}
	}
	return e, nil
}

// unmet lists the finally rules of a scope that do not hold now.
func (j *Judge) unmet(tx state.Tx, s state.Scope, list []*rules.Rule, e *Ending) ([]Violation, error) {
	standings, err := j.ledger(tx, s).at(list)
	if err != nil {
		return nil, err
	}
	c := &check{Judge: j, tx: tx, p: &Proposal{}}
	var out []Violation
	for _, st := range standings {
		holds, err := st.end()
		if err != nil {
			return nil, err
		}
		if holds || !j.applies(tx, st.rule, nil) {
			continue
		}
		v := Violation{Rule: st.rule, Mode: st.rule.Mode, Fix: st.rule.Fix}
		if st.rule.Explain != nil {
			v.Problem = st.rule.Explain(rules.Explanation{
				Earlier: func() []trace.Call { return j.recorded(tx, s, st.rule) },
				First:   tx.First(s),
			})
		} else if st.rule.Formula != nil {
			v.Problem = "does not hold yet: " + st.rule.Formula.String()
		}
		if c.inShadow(st.rule) {
			e.Shadow = append(e.Shadow, v)
			continue
		}
		out = append(out, v)
	}
	return out, nil
}

// recorded lists the kept calls that a rule can react to.
func (j *Judge) recorded(tx state.Tx, s state.Scope, r *rules.Rule) []trace.Call {
	var calls []trace.Call
	may := func(tool string) bool { return reacts(r, []string{tool}) }
	for _, x := range tx.Calls(s, tx.First(s), may) {
		calls = append(calls, x)
	}
	return calls
}

// Turn starts a new turn: the user wrote. It lifts the latch, zeroes the count of
// send-backs and marks pending questions as answered.
func (j *Judge) Turn(tx state.Tx) error {
	for _, s := range scopes {
		m := tx.Memory(s)
		if s == state.Session {
			m.Latch = nil
			m.Resumes++
			for i := range m.Pending {
				m.Pending[i].Answered = true
			}
		} else if m.Finishes == 0 {
			continue
		}
		m.Finishes = 0
		if err := tx.PutMemory(s, m); err != nil {
			return err
		}
	}
	return nil
}
