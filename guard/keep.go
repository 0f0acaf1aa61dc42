package guard

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// allow notes what a call that is let through changes: it forgets the warn
// pointers and refusals in a row, uses up the question and the exceptions that
// let it pass, and reserves where it could count against a later call.
func (c *check) allow() {
	for _, s := range scopes {
		m := &c.mem[s]
		if m.Warned != nil || len(m.Runs) > 0 {
			m.Warned, m.Runs = nil, nil
			c.dirty[s] = true
		}
	}
	if c.answered {
		c.dropPending()
	}
	if len(c.used) > 0 || len(c.d.Override) > 0 || len(c.excepted) > 0 || len(c.shadowed) > 0 || len(c.d.Notes) > 0 {
		c.d.Keep = true
	}
	c.d.Excepted = c.excepted
	for i := range c.shadowed {
		c.d.Shadowed = append(c.d.Shadowed, c.violation(&c.shadowed[i]))
	}
	for _, e := range c.used {
		c.d.Exceptions = append(c.d.Exceptions, e.Number)
	}
	c.d.Reserve = c.reserves()
	if c.d.Reserve || c.p.Hold {
		c.d.Keep = true
	}
}

// refuse notes what a refusal changes.
func (c *check) refuse() {
	c.d.Keep = true
	switch {
	case c.d.ByUnread:
	case c.d.Mode() == rules.Warn:
		c.pointWarn()
	case c.d.Mode() == rules.Retry:
		c.settleTry()
	case c.d.Mode() == rules.Stop && c.d.Action == Stop:
		c.latch()
	}
	if c.d.Action == Ask && c.NoAsk && !c.Alone {
		c.ask()
	}
}

// pointWarn remembers the refused call and every warn rule the line broke, in
// the memory each of them looks at: one repeat covers them all (D5).
func (c *check) pointWarn() {
	var notes []string
	for _, n := range c.d.Notes {
		notes = append(notes, n.Rule.ID)
	}
	for _, s := range scopes {
		var ids []string
		for i := range c.all {
			if f := &c.all[i]; f.scope == s && f.mode == rules.Warn {
				ids = appendNew(ids, f.rule.ID)
			}
		}
		m := &c.mem[s]
		switch {
		case len(ids) > 0:
			m.Warned = &state.Warned{Key: c.key, Batch: c.p.Batch, ID: c.p.ID, Rules: ids, Notes: notes}
		case m.Warned == nil:
			continue
		default:
			m.Warned = nil // another call was warned of
		}
		c.dirty[s] = true
	}
}

// settleTry saves the counts of a refusal in mode retry.
func (c *check) settleTry() {
	for i := range c.found {
		f := &c.found[i]
		if f.rule != c.d.Broken[0].Rule {
			continue
		}
		m := &c.mem[f.scope]
		if c.d.Escalated && c.d.Action == Ask {
			delete(m.Retries, f.rule.ID)
			delete(m.Runs, f.rule.ID)
		}
		c.dirty[f.scope] = true
		break
	}
	if c.d.Escalated && c.d.Action == Stop {
		c.latch()
	}
}

// latch stops the session until the user writes.
func (c *check) latch() {
	if c.NoLatch {
		return
	}
	r := c.d.Broken[0].Rule
	c.mem[state.Session].Latch = &state.Latch{Rule: r.ID, Why: r.Why, Layer: r.Layer.String(), Time: c.Now}
	c.dirty[state.Session] = true
}

// maxPending is how many questions put by a refusal are kept (rules.md 9).
const maxPending = 20

// ask remembers the call as a question that the user's next message answers.
func (c *check) ask() {
	m := &c.mem[state.Session]
	kept := m.Pending[:0:0]
	for _, q := range m.Pending {
		if q.Key != c.key {
			kept = append(kept, q)
		}
	}
	kept = append(kept, state.Pending{Key: c.key, Rule: c.d.Rule()})
	if len(kept) > maxPending {
		kept = kept[len(kept)-maxPending:]
	}
	m.Pending = kept
	c.dirty[state.Session] = true
}

// pending is the question about this very call, if there is one.
func (c *check) pending() *state.Pending {
	m := &c.mem[state.Session]
	for i := range m.Pending {
		if m.Pending[i].Key == c.key {
			return &m.Pending[i]
		}
	}
	return &state.Pending{}
}

func (c *check) wasAnswered() bool { return c.NoAsk && c.pending().Answered }

func (c *check) dropPending() {
	m := &c.mem[state.Session]
	var kept []state.Pending
	for _, q := range m.Pending {
		if q.Key != c.key {
			kept = append(kept, q)
		}
	}
	m.Pending = kept
	c.dirty[state.Session] = true
}

// reserves says whether the call, let through, could count against a later one.
func (c *check) reserves() bool {
	list, err := c.Book.Reacting(c.chain)
	if err != nil {
		return false
	}
	for _, r := range list {
		if !r.Limit {
			continue
		}
		for i := range c.chain {
			if reserves(r, &c.chain[i]) {
				return true
			}
		}
	}
	return false
}

// reserves says whether a call counts against later ones by a rule.
func reserves(r *rules.Rule, c *trace.Call) bool {
	return r.Reserves != nil && r.Reserves(c)
}

// ticket names the proposal until its end is known.
func (c *check) ticket() string { return c.p.ID }

// Save writes what a decision needs, in the Update it was made in. It fills in
// the decision's id.
func (c *check) save() error {
	if !c.d.Keep {
		return nil
	}
	if c.d.Action != Allow || len(c.d.Override) > 0 || len(c.excepted) > 0 || len(c.shadowed) > 0 || len(c.d.Notes) > 0 {
		id, err := c.tx.PutDecision(c.record())
		if err != nil {
			return fmt.Errorf("keep the decision: %w", err)
		}
		c.d.ID = id
		if l := c.mem[state.Session].Latch; l != nil && l.Decision == "" {
			l.Decision = id
		}
	}
	for _, s := range scopes {
		if c.dirty[s] {
			if err := c.tx.PutMemory(s, c.mem[s]); err != nil {
				return err
			}
		}
	}
	asked := c.d.Action == Ask && !c.NoAsk && !c.Alone
	if c.d.Action == Allow || asked { // one that let nothing through is not used up
		for _, e := range c.used {
			e.Used++
			if _, err := c.tx.PutException(e); err != nil {
				return err
			}
		}
	}
	if c.d.Action == Allow && c.d.Reserve || c.p.Hold && (c.d.Action == Allow || asked) {
		return c.reserve()
	}
	return nil
}

// reserve keeps the proposal as in flight, unless its ticket holds one already.
func (c *check) reserve() error {
	r := state.Reservation{
		Ticket: c.p.ID, Session: c.tx.Session(), Key: c.key, Agent: c.p.Agent, Batch: c.p.Batch, Time: c.Now, Calls: c.p.Calls,
		Quiet: !c.d.Reserve,
	}
	if c.d.Reserve {
		r.Calls = c.chain
	}
	open := c.tx.Reservations(state.Session)
	taken := map[string]bool{}
	for _, o := range open {
		taken[o.Ticket] = true
	}
	if r.Ticket == "" {
		// Without call ids equal calls are told apart by number; the oldest ends first.
		for n := 1; r.Ticket == ""; n++ {
			if t := "#" + strconv.Itoa(n) + " " + c.key; !taken[t] {
				r.Ticket = t
			}
		}
	} else if taken[r.Ticket] {
		return nil
	}
	return c.tx.PutReservation(r)
}

// record is the decision as it is kept for explain.
func (c *check) record() state.Decision {
	d := state.Decision{
		Time: c.Now, Session: c.tx.Session(), Harness: c.Harness, Action: c.d.Action.String(),
		Key: c.key, Call: c.d.Call, Len: c.tx.Len(state.Session), Source: trace.ClipText(c.p.Line),
	}
	switch {
	case len(c.d.Broken) > 0:
		v := c.d.Broken[0]
		d.Rule, d.Mode, d.Layer, d.Problem = v.Rule.ID, v.Rule.Mode.String(), v.Rule.Layer.String(), v.Problem
	case len(c.d.Override) > 0:
		d.Action, d.Rule = "override", c.d.Override[0]
	case len(c.excepted) > 0:
		d.Action, d.Rule = "exception", c.excepted[0]
	case len(c.d.Notes) > 0:
		v := c.d.Notes[0]
		d.Action, d.Rule, d.Mode, d.Layer, d.Problem = "note", v.Rule.ID, v.Rule.Mode.String(), v.Rule.Layer.String(), v.Problem
	case len(c.d.Shadowed) > 0:
		v := c.d.Shadowed[0]
		d.Action, d.Rule, d.Mode, d.Layer, d.Problem = "would_deny", v.Rule.ID, v.Rule.Mode.String(), v.Rule.Layer.String(), v.Problem
	}
	for _, v := range c.d.Broken {
		d.Rules = append(d.Rules, v.Rule.ID)
	}
	d.More = map[string]any{"project_len": json.Number(strconv.Itoa(c.tx.Len(state.Project)))}
	if len(c.chain) > 0 && c.chain[0].Dir != "" {
		d.More["dir"] = c.chain[0].Dir
	}
	if len(c.d.Unread) > 0 {
		var codes []any
		for _, u := range c.d.Unread {
			codes = append(codes, u.Code+": "+u.Reason)
		}
		d.More["unread"] = codes
	}
	if i := min(c.d.Call, len(c.chain)-1); i >= 0 {
		x := trace.Clip(c.chain[i])
		d.Tool, d.Args = x.Tool, x.Args
		if d.Source == "" {
			d.Source = x.Source
		}
	}
	return d
}
