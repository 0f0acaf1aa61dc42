package ltl

import (
	"errors"
	"slices"

	"github.com/agentltl/agentltl-hook/trace"
)

// ErrHistory says that a formula of the fallback was asked about a call before
// it could read the trace so far: see [Monitor.SetHistory].
var ErrHistory = errors.New("the formula needs the recorded trace")

// A History reads the first n calls of the trace a monitor stands on.
type History func(n int) ([]trace.Call, error)

// Vars reads the stored bindings of a quantified rule, as [Monitor.Changes] gave
// them.
type Vars interface {
	Var(key string) ([]byte, bool)
	Each(func(key string, val []byte) error) error
}

// A Monitor is one formula's progress on one trace. [NewMonitor] makes one at
// the start of a trace. A monitor and its clones share caches: they must not be
// used by several goroutines at a time.
//
// The state is that of formulas.md 8.2: a register for each whole-trace atom, a
// cell for each past operator, what is still owed by live instances, and the
// minimum of what is settled. It holds facts only, and none of it grows with
// the trace but by the distinct values of quantified variables.
type Monitor struct {
	f       Formula
	p       *program
	sp      *space
	n       int // calls consumed
	settled Verdict
	ends    bool // all that is settled is true on a finished trace
	base    envState
	unmet   []*envState // by class: "no value met yet"; nil where bindings have no state
	kept    keeper      // the bindings that differ from it
	items   []item      // sorted
	parked  int         // instances kept with bindings: see park.go; all of them pending
	owed    int         // of these, false if the trace ended now
	large   bool        // the state is beyond maxState
	fall    *fallback   // not nil: the evaluator judges
	history History
	err     error
}

// NewMonitor makes the monitor of f on the empty trace. A formula of the
// fallback ([Fallback]) is judged from the whole trace at every call.
func NewMonitor(f Formula) *Monitor {
	p := newProgram(f)
	if p.quantified() && !sliceable(p) {
		return NewFallback(f)
	}
	m := &Monitor{f: f, p: p, sp: newSpace(p)}
	m.reset()
	return m
}

// reset is the state of the empty trace.
func (m *Monitor) reset() {
	m.n, m.settled, m.ends, m.items, m.large, m.err = 0, True, true, nil, false, nil
	m.parked, m.owed = 0, 0
	m.base = *newState(m.p.classes[0], false)
	m.unmet = make([]*envState, len(m.p.classes))
	for _, c := range m.p.classes[1:] {
		if c.hasState() {
			m.unmet[c.id] = newState(c, true)
		}
	}
	m.kept.own, m.kept.loaded = pmap{}, nil
	if m.p.quantified() {
		m.kept.loaded = map[string]*envState{}
	}
}

// NewFallback makes a monitor that evaluates the whole trace at every call,
// whatever the formula.
func NewFallback(f Formula) *Monitor { return &Monitor{f: f, fall: newFallback(f)} }

// SetHistory says how to read the trace so far. A monitor of the fallback that
// was restored from a checkpoint, or skipped calls, needs it; one that saw every
// call from the start does not. Any other monitor turns to it when its state
// grows beyond 4,096 nodes, which no rule in sight does.
func (m *Monitor) SetHistory(h History) {
	m.history = h
	if m.fall != nil {
		m.fall.history = h
	}
}

// SetVars makes bindings of quantified variables come from v in place of the
// checkpoint: AppendBinary leaves them out, and Changes gives those that differ
// from v. It is set before UnmarshalBinary.
func (m *Monitor) SetVars(v Vars) { m.kept.stored = v }

// Changes lists the bindings that differ from those of SetVars, by key; nil
// means that the key is to be removed. Whoever stores them must store the
// checkpoint with them.
func (m *Monitor) Changes() map[string][]byte {
	var out map[string][]byte
	m.kept.own.each(func(b *bindings, st *envState) {
		if out == nil {
			out = map[string][]byte{}
		}
		if st == nil {
			out[varKey(b)] = nil
		} else {
			out[varKey(b)] = appendVar(b, st)
		}
	})
	return out
}

// Step takes the monitor over one call.
func (m *Monitor) Step(c trace.Call) Judgement {
	if m.sp == nil {
		return m.fall.step(c)
	}
	m.sp.run.call = c // the run holds it, or every step would allocate one
	return m.take(&m.sp.run.call, false)
}

func (m *Monitor) take(c *trace.Call, miss bool) (j Judgement) {
	if m.large && m.fall == nil {
		m.turnToFallback()
	}
	switch {
	case m.err != nil:
		return broken(m.err)
	case m.fall != nil:
		return m.fall.step(*c)
	}
	defer func() {
		switch r := recover(); r {
		case nil:
		case ErrBudget:
			m.err = ErrBudget
			j = broken(m.err)
		default:
			panic(r)
		}
	}()
	j = m.step(c, miss)
	if m.err != nil {
		return broken(m.err)
	}
	return j
}

// broken is the judgement of a monitor that cannot judge: refused, so that a
// caller that does not look at Err is safe.
func broken(err error) Judgement {
	return Judgement{False, []Witness{{Path: err.Error(), Verdict: False}}}
}

func (m *Monitor) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// turnToFallback gives the rest of the trace to the evaluator.
func (m *Monitor) turnToFallback() {
	m.fall = newFallback(m.f)
	m.fall.history = m.history
	m.fall.skip(m.n)
}

// Skip takes the monitor over n calls that [Tools] rules out.
func (m *Monitor) Skip(n int) {
	switch {
	case n <= 0:
		return
	case m.fall != nil:
		m.fall.skip(n)
		return
	case m.n == 0:
		// The first call starts the instance of the whole formula, whatever it is.
		m.take(&trace.Call{}, true)
		n--
	}
	m.n += n
}

// Calls is the number of calls consumed.
func (m *Monitor) Calls() int {
	if m.fall != nil {
		return m.fall.n
	}
	return m.n
}

// Verdict is the formula's value on the calls so far.
func (m *Monitor) Verdict() Verdict {
	switch {
	case m.fall != nil:
		return m.fall.verdict()
	case m.err != nil:
		return False
	case m.n == 0:
		return emptyVerdict(m.f)
	default:
		return m.live()
	}
}

// End is the formula's truth if the trace ended here.
func (m *Monitor) End() bool {
	switch {
	case m.fall != nil:
		return m.fall.end()
	case m.err != nil:
		return false
	case m.n == 0:
		return emptyTruth(m.f)
	}
	r := &m.sp.run
	r.idle(m)
	for _, it := range m.items {
		switch it.kind {
		case leafItem:
			if !r.truth(it.e) {
				return false
			}
		case nextItem, atItem:
			return false
		default:
		}
	}
	return m.ends && m.owed == 0
}

// Err is what kept the monitor from judging: [ErrBudget], [ErrHistory], or what
// a History or Vars returned. Once it is set every call is refused.
func (m *Monitor) Err() error {
	if m.fall != nil {
		return m.fall.err
	}
	return m.err
}

// Clone makes an independent copy, for judging calls that may not run. Its cost
// is the live instances, not the trace.
func (m *Monitor) Clone() *Monitor {
	c := *m
	if m.fall != nil {
		c.fall = m.fall.clone()
		return &c
	}
	c.base = *m.base.clone()
	c.unmet = slices.Clone(m.unmet)
	c.items = slices.Clone(m.items)
	return &c
}

// AppendBinary appends the checkpoint: facts only, no caches, so that monitors
// that saw the same calls append the same bytes.
func (m *Monitor) AppendBinary(b []byte) ([]byte, error) {
	if err := m.Err(); err != nil {
		return b, err
	}
	if m.p == nil {
		return m.fall.appendBinary(b), nil
	}
	return m.appendState(b), nil
}

// UnmarshalBinary restores what AppendBinary wrote for the same formula.
func (m *Monitor) UnmarshalBinary(b []byte) error {
	if m.p == nil {
		return m.fall.unmarshal(b)
	}
	m.fall = nil
	m.reset()
	if err := m.readState(b); err != nil {
		m.reset()
		return err
	}
	return nil
}

func (p *program) quantified() bool { return len(p.vars) > 0 }
