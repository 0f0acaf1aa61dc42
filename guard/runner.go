package guard

import (
	"fmt"

	"github.com/agentltl/agentltl-hook/contract"
	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// A runner is one rule's progress on the trace of its scope, be it a formula or
// a contract.
type runner struct {
	rule     *rules.Rule
	formula  *ltl.Monitor
	contract contract.Monitor
}

// A fault is why a runner refuses a call; the zero fault lets it pass.
type fault struct {
	broken     bool
	maybe      bool // rests on a maybe
	witness    []ltl.Witness
	problem    string // of a contract
	retryAfter int64  // nanoseconds; 0: not a matter of time
}

// newRunner is a rule's progress on the empty trace of a memory. What its
// formula needs from there it reads through the ledger's transaction.
func newRunner(r *rules.Rule, l *ledger) *runner {
	if r.Contract != nil {
		return &runner{rule: r, contract: r.Contract.NewMonitor()}
	}
	m := &runner{rule: r, formula: ltl.NewMonitor(r.Formula)}
	m.formula.SetHistory(l.history(r))
	return m
}

func (m *runner) clone() *runner {
	if m.contract != nil {
		return &runner{rule: m.rule, contract: m.contract.Clone()}
	}
	return &runner{rule: m.rule, formula: m.formula.Clone()}
}

// propose takes the runner over a call that may run and says whether the call
// breaks the rule: its verdict is below Pending and the call created a failure
// of its own (formulas.md 5).
func (m *runner) propose(c *trace.Call) (fault, error) {
	if m.contract != nil {
		p := m.contract.Propose(c)
		m.contract.Step(c)
		return fault{broken: p.Text != "", maybe: p.Maybe, problem: p.Text, retryAfter: p.RetryAfter}, nil
	}
	j := m.formula.Step(*c)
	if err := m.err(); err != nil {
		return fault{}, err
	}
	if j.Verdict >= ltl.Pending || len(j.New) == 0 {
		return fault{}, nil
	}
	f := fault{broken: true, maybe: true, witness: j.New}
	for _, w := range j.New {
		f.maybe = f.maybe && w.Uncertain
	}
	return f, nil
}

// step takes the runner over a call that ran.
func (m *runner) step(c *trace.Call) error {
	if m.contract != nil {
		m.contract.Step(c)
		return nil
	}
	m.formula.Step(*c)
	return m.err()
}

// skip takes the runner over calls that it cannot react to.
func (m *runner) skip(n int) {
	if m.formula != nil && n > 0 {
		m.formula.Skip(n)
	}
}

// at brings the runner's own count of calls to n, where it is behind: the calls
// between cannot have changed it.
func (m *runner) at(n int) {
	if m.formula != nil {
		m.skip(n - m.formula.Calls())
	}
}

// err is why the formula could not judge: it went over its budget, or calls it
// needs are gone.
func (m *runner) err() error {
	if err := m.formula.Err(); err != nil {
		return fmt.Errorf("rule %s: %w", m.rule.ID, err)
	}
	return nil
}

// end says whether the rule holds if the trace ended here.
func (m *runner) end() (bool, error) {
	if m.contract != nil {
		return m.contract.Status() != contract.Violated, nil
	}
	return m.formula.End(), m.err()
}

// state is the runner's facts, for a checkpoint.
func (m *runner) state() ([]byte, error) {
	if m.contract != nil {
		return m.contract.AppendBinary(nil)
	}
	return m.formula.AppendBinary(nil)
}

// restore sets a fresh runner to saved facts; nil are those of the empty trace.
func (m *runner) restore(b []byte) error {
	if b == nil {
		return nil
	}
	var err error
	if m.contract != nil {
		err = m.contract.UnmarshalBinary(b)
	} else {
		err = m.formula.UnmarshalBinary(b)
	}
	if err != nil {
		return fmt.Errorf("checkpoint of rule %s: %w", m.rule.ID, err)
	}
	return nil
}

// storedVars reads a quantified rule's bindings from the store.
type storedVars struct {
	l     *ledger
	rule  state.Digest
	codec uint16
}

func (v storedVars) Var(key string) ([]byte, bool) {
	x, ok := v.l.tx.Var(v.l.scope, v.rule, v.codec, key)
	return x.State, ok
}

func (v storedVars) Each(fn func(string, []byte) error) error {
	for key, x := range v.l.tx.Vars(v.l.scope, v.rule, v.codec) {
		if err := fn(key, x.State); err != nil {
			return err
		}
	}
	return nil
}
