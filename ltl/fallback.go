package ltl

import (
	"encoding/binary"
	"slices"

	"github.com/agentltl/agentltl-hook/trace"
)

// A fallback judges by evaluating the whole trace at every call (formulas.md
// 8.6). It keeps the calls it saw; restored from a checkpoint, which holds only
// their number, it reads them from its History when it is asked something.
type fallback struct {
	f       Formula
	n       int // calls consumed
	calls   []trace.Call
	known   bool // calls are the first n; else they are read from history
	last    *Evaluation
	history History
	err     error
}

func newFallback(f Formula) *fallback { return &fallback{f: f, known: true} }

func (m *fallback) clone() *fallback {
	c := *m
	c.calls = slices.Clip(m.calls)
	return &c
}

// evaluation is that of the calls so far.
func (m *fallback) evaluation() *Evaluation {
	if m.last != nil || m.err != nil {
		return m.last
	}
	if !m.known {
		if m.history == nil {
			m.err = ErrHistory
			return nil
		}
		if m.calls, m.err = m.history(m.n); m.err == nil && len(m.calls) != m.n {
			m.err = ErrHistory
		}
		m.known = m.err == nil
	}
	if m.err == nil {
		m.last, m.err = Evaluate(m.f, m.calls)
	}
	return m.last
}

func (m *fallback) step(c trace.Call) Judgement {
	before := m.evaluation()
	if m.err != nil {
		return broken(m.err)
	}
	m.calls = append(m.calls, c)
	m.n++
	m.last = nil
	after := m.evaluation()
	if m.err != nil {
		return broken(m.err)
	}
	fresh, err := NewFailures(before, after)
	if err != nil {
		m.err = err
		return broken(m.err)
	}
	return Judgement{after.Verdict(), fresh}
}

func (m *fallback) skip(n int) {
	if n <= 0 {
		return
	}
	m.n += n
	m.calls, m.last, m.known = nil, nil, false
}

func (m *fallback) verdict() Verdict {
	if e := m.evaluation(); e != nil {
		return e.Verdict()
	}
	return False
}

func (m *fallback) end() bool {
	e := m.evaluation()
	return e != nil && e.Finished()
}

// appendBinary writes the number of calls: the trace itself is the state.
func (m *fallback) appendBinary(b []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, codecVersion()), uint64(m.n))
}

func (m *fallback) unmarshal(b []byte) error {
	r := &reader{b: b}
	v, n := r.uint(), r.uint()
	if r.bad || len(r.b) > 0 || !readable(uint64(v)) {
		return errCheckpoint
	}
	*m = fallback{f: m.f, n: n, known: n == 0, history: m.history}
	return nil
}
