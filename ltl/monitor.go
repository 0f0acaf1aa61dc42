package ltl

import (
	"errors"

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

// A Monitor is one formula's progress on one trace. Its zero value is not
// usable; [NewMonitor] makes one at the start of a trace. A monitor and its
// clones share caches: they must not be used by several goroutines at a time.
type Monitor struct {
	f    Formula
	fall *fallback
}

// NewMonitor makes the monitor of f on the empty trace. A formula of the
// fallback ([Fallback]) is judged from the whole trace at every call.
func NewMonitor(f Formula) *Monitor { return NewFallback(f) }

// NewFallback makes a monitor that evaluates the whole trace at every call,
// whatever the formula.
func NewFallback(f Formula) *Monitor { return &Monitor{f: f, fall: newFallback(f)} }

// SetHistory says how to read the trace so far. A monitor of the fallback that
// was restored from a checkpoint, or skipped calls, needs it; one that saw every
// call from the start does not. Other monitors never call it.
func (m *Monitor) SetHistory(h History) { m.fall.history = h }

// SetVars makes bindings of quantified variables come from v instead of the
// checkpoint: AppendBinary then leaves them out, Changes gives those that differ
// from v.
func (m *Monitor) SetVars(v Vars) {}

// Changes lists the bindings that differ from those of SetVars, by key; nil
// means that the key is to be removed.
func (m *Monitor) Changes() map[string][]byte { return nil }

// Step takes the monitor over one call.
func (m *Monitor) Step(c trace.Call) Judgement { return m.fall.step(c) }

// Skip takes the monitor over n calls that [Tools] rules out.
func (m *Monitor) Skip(n int) { m.fall.skip(n) }

// Calls is the number of calls consumed.
func (m *Monitor) Calls() int { return m.fall.n }

// Verdict is the formula's value on the calls so far.
func (m *Monitor) Verdict() Verdict { return m.fall.verdict() }

// End is the formula's truth if the trace ended here.
func (m *Monitor) End() bool { return m.fall.end() }

// Err is what kept the monitor from judging: [ErrBudget], [ErrHistory], or what
// a History or Vars returned. Once it is set every call is refused.
func (m *Monitor) Err() error { return m.fall.err }

// Clone makes an independent copy, for judging calls that may not run. Its cost
// is the live instances, not the trace.
func (m *Monitor) Clone() *Monitor { return &Monitor{f: m.f, fall: m.fall.clone()} }

// AppendBinary appends the checkpoint: facts only, no caches, so that monitors
// that saw the same calls append the same bytes.
func (m *Monitor) AppendBinary(b []byte) ([]byte, error) { return m.fall.appendBinary(b), m.fall.err }

// UnmarshalBinary restores what AppendBinary wrote for the same formula.
func (m *Monitor) UnmarshalBinary(b []byte) error { return m.fall.unmarshal(b) }
