package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// Negative says what an amount below zero does to a sum.
type Negative uint8

// What it can do.
const (
	RefuseNegative Negative = iota // the call is refused
	AllowNegative                  // it is added, and gives credit
	ZeroNegative                   // it counts as 0
)

// A Total lets calls pass while the sum of one argument over those that ran
// stays within Limit (contracts.md 1.2, at_most_total). Sums are exact. A call
// whose amount cannot be read is refused; one that ran all the same adds
// nothing.
type Total struct {
	Call     Matcher
	Field    string // argument, or a dotted path into one
	Limit    json.Number
	Negative Negative
}

// Key implements [Contract].
func (t *Total) Key() string {
	return trace.Canonical([]any{"at_most_total", t.Call.Key(), t.Field, t.Limit, int(t.Negative)})
}

// Tools implements [Contract].
func (t *Total) Tools() []string { return t.Call.Tools() }

// NewMonitor implements [Contract].
func (t *Total) NewMonitor() Monitor { return &totalMonitor{def: t} }

type totalMonitor struct {
	def      *Total
	sum      *big.Rat // nil is 0; never changed in place, so clones share it
	violated bool
}

// Propose implements [Monitor].
func (m *totalMonitor) Propose(c *trace.Call) Problem {
	a := m.def.Call.Match(c)
	if a == trace.No {
		return Problem{}
	}
	return m.judge(c, a == trace.Maybe)
}

func (m *totalMonitor) judge(c *trace.Call, maybe bool) Problem {
	amount, ok := m.def.amount(c)
	if !ok {
		return Problem{Maybe: maybe, Text: fmt.Sprintf("%s has no readable amount%s; the budget rule cannot let it through.", c.Tool, shown(reach(c.Args, m.def.Field)))}
	}
	if amount.Sign() < 0 && m.def.Negative == RefuseNegative {
		return Problem{Maybe: maybe, Text: fmt.Sprintf("This %s of %s is below zero; the budget rule cannot let it through.", c.Tool, decimal(amount))}
	}
	limit, _ := trace.Rat(m.def.Limit)
	total := new(big.Rat).Add(m.so(), m.counted(amount))
	if total.Cmp(limit) <= 0 {
		return Problem{}
	}
	return Problem{Maybe: maybe, Text: fmt.Sprintf("This %s of %s would bring the total of %s to %s; the limit is %s (%s so far).",
		c.Tool, decimal(amount), m.def.Field, decimal(total), decimal(limit), decimal(m.so()))}
}

// Step implements [Monitor].
func (m *totalMonitor) Step(c *trace.Call) bool {
	if m.def.Call.Match(c) == trace.No {
		return false
	}
	broke := m.judge(c, false).Text != ""
	changed := broke && !m.violated
	m.violated = m.violated || broke
	amount, ok := m.def.amount(c)
	if !ok {
		return changed
	}
	if amount = m.counted(amount); amount.Sign() == 0 || amount.Sign() < 0 && m.def.Negative == RefuseNegative {
		return changed
	}
	m.sum = new(big.Rat).Add(m.so(), amount)
	return true
}

// Clone implements [Monitor].
func (m *totalMonitor) Clone() Monitor {
	c := *m
	return &c
}

// Status implements [Monitor].
func (m *totalMonitor) Status() Status { return latched(m.violated) }

func latched(violated bool) Status {
	if violated {
		return Violated
	}
	return Unknown
}

func (m *totalMonitor) so() *big.Rat {
	if m.sum == nil {
		return new(big.Rat)
	}
	return m.sum
}

func (m *totalMonitor) counted(amount *big.Rat) *big.Rat {
	if amount.Sign() < 0 && m.def.Negative == ZeroNegative {
		return new(big.Rat)
	}
	return amount
}

// amount reads the summed argument: a JSON number and nothing else.
func (t *Total) amount(c *trace.Call) (*big.Rat, bool) {
	n, ok := reach(c.Args, t.Field).(json.Number)
	if !ok {
		return nil, false
	}
	return trace.Rat(n)
}

// AppendBinary implements [Monitor]: a flag, then the sum as text.
func (m *totalMonitor) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, flag(m.violated))
	if m.sum == nil {
		return b, nil
	}
	return m.sum.AppendText(b)
}

// UnmarshalBinary implements [Monitor].
func (m *totalMonitor) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] > 1 {
		return errState
	}
	m.violated, m.sum = b[0] == 1, nil
	if len(b) == 1 {
		return nil
	}
	sum, ok := new(big.Rat).SetString(string(b[1:]))
	if !ok {
		return errState
	}
	m.sum = sum
	return nil
}

var errState = errors.New("contract: state does not decode")

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// reach finds an argument by its own name, else along a dotted path into maps.
func reach(args trace.Args, field string) any {
	if v, ok := args[field]; ok {
		return v
	}
	v := any(map[string]any(args))
	for name := range strings.SplitSeq(field, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

// shown quotes an unreadable amount as it was written.
func shown(v any) string {
	if v == nil {
		return ""
	}
	s := trace.Canonical(v)
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	return " (" + strings.ToValidUTF8(s, "") + ")"
}

// decimal writes an exact number the way people do.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	if prec, exact := r.FloatPrec(); exact {
		return r.FloatString(prec)
	}
	return r.RatString()
}
