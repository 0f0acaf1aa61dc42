package guard

import (
	"fmt"

	"github.com/agentltl/agentltl-hook/contract"
	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/rules"
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

func newRunner(r *rules.Rule) *runner {
	if r.Contract != nil {
		return &runner{rule: r, contract: r.Contract.NewMonitor()}
	}
	return &runner{rule: r, formula: ltl.NewMonitor(r.Formula)}
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
func (m *runner) propose(c *trace.Call) fault {
	if m.contract != nil {
		p := m.contract.Propose(c)
		m.contract.Step(c)
		return fault{broken: p.Text != "", maybe: p.Maybe, problem: p.Text, retryAfter: p.RetryAfter}
	}
	j := m.formula.Step(*c)
	if j.Verdict >= ltl.Pending || len(j.New) == 0 {
		return fault{}
	}
	f := fault{broken: true, maybe: true, witness: j.New}
	for _, w := range j.New {
		f.maybe = f.maybe && w.Uncertain
	}
	return f
}

// step takes the runner over a call that ran.
func (m *runner) step(c *trace.Call) {
	if m.contract != nil {
		m.contract.Step(c)
		return
	}
	m.formula.Step(*c)
}

// end says whether the rule holds if the trace ended here.
func (m *runner) end() bool {
	if m.contract != nil {
		return m.contract.Status() != contract.Violated
	}
	return m.formula.End()
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
