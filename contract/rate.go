package contract

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/trace"
)

// MaxRate is the largest number of calls a [Rate] can allow in its window: it
// remembers that many times.
const MaxRate = 10_000

// A Rate lets at most Times calls run within any window of length Per
// (contracts.md 1.2, rate_limit). The window is closed: a call exactly Per
// after the oldest of the last Times is refused. Time is the calls' own; a call
// without one is not judged.
type Rate struct {
	Call  Matcher
	Times int // 1 to MaxRate
	Per   time.Duration
}

// Key implements [Contract].
func (r *Rate) Key() string {
	return trace.Canonical([]any{"rate_limit", r.Call.Key(), r.Times, int(r.Per)})
}

// Tools implements [Contract].
func (r *Rate) Tools() []string { return r.Call.Tools() }

// NewMonitor implements [Contract].
func (r *Rate) NewMonitor() Monitor { return &rateMonitor{def: r} }

// A rateMonitor holds the times of the last calls, oldest first. The slice is
// replaced, never changed, so clones share it.
type rateMonitor struct {
	def      *Rate
	times    []int64 // nanoseconds
	violated bool
}

// Propose implements [Monitor].
func (m *rateMonitor) Propose(c *trace.Call) Problem {
	a := m.def.Call.Match(c)
	if a == trace.No || c.Time.IsZero() {
		return Problem{}
	}
	p := m.judge(c)
	p.Maybe = a == trace.Maybe
	return p
}

func (m *rateMonitor) judge(c *trace.Call) Problem {
	if len(m.times) < m.def.Times {
		return Problem{}
	}
	wait := m.times[0] + int64(m.def.Per) - m.at(c)
	if wait < 0 {
		return Problem{}
	}
	wait++ // one nanosecond after the window closed
	return Problem{RetryAfter: wait, Text: fmt.Sprintf("%s ran %d %s in the last %s; the next one may run in %s.",
		c.Tool, m.def.Times, plural(m.def.Times, "time", "times"), words(m.def.Per), words(roundUp(wait)))}
}

// at is the call's time, never before the newest one known.
func (m *rateMonitor) at(c *trace.Call) int64 {
	t := c.Time.UnixNano()
	if n := len(m.times); n > 0 {
		t = max(t, m.times[n-1])
	}
	return t
}

// Step implements [Monitor].
func (m *rateMonitor) Step(c *trace.Call) bool {
	if c.Time.IsZero() || m.def.Call.Match(c) == trace.No {
		return false
	}
	broke := m.judge(c).Text != "" && !m.violated
	m.violated = m.violated || broke
	keep := m.times
	if len(keep) >= m.def.Times {
		keep = keep[len(keep)-m.def.Times+1:]
	}
	at := m.at(c)
	next := make([]int64, len(keep)+1)
	copy(next, keep)
	next[len(keep)] = at
	changed := broke || !slices.Equal(next, m.times) // one more at the same instant may push out its like
	m.times = next
	return changed
}

// Clone implements [Monitor].
func (m *rateMonitor) Clone() Monitor {
	c := *m
	return &c
}

// Status implements [Monitor].
func (m *rateMonitor) Status() Status { return latched(m.violated) }

// AppendBinary implements [Monitor]: a flag, then the times as differences.
func (m *rateMonitor) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, flag(m.violated))
	last := int64(0)
	for _, t := range m.times {
		b = binary.AppendVarint(b, t-last)
		last = t
	}
	return b, nil
}

// UnmarshalBinary implements [Monitor].
func (m *rateMonitor) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] > 1 {
		return errState
	}
	violated, rest := b[0] == 1, b[1:]
	var times []int64
	last := int64(0)
	for len(rest) > 0 {
		d, n := binary.Varint(rest)
		if n <= 0 || len(times) == m.def.Times {
			return errState
		}
		last += d
		times, rest = append(times, last), rest[n:]
	}
	m.violated, m.times = violated, times
	return nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// roundUp rounds a wait up to what people read: tenths of a second.
func roundUp(ns int64) time.Duration {
	const step = int64(100 * time.Millisecond)
	return time.Duration((ns + step - 1) / step * step)
}

// words writes a duration without empty units: 60s, 10m, 12.4s.
func words(d time.Duration) string {
	if d%time.Minute != 0 || d <= time.Minute {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + "s"
	}
	s := strings.TrimSuffix(d.String(), "0s")
	if h, ok := strings.CutSuffix(s, "h0m"); ok {
		return h + "h"
	}
	return s
}
