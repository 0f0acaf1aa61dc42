package guard

import (
	"slices"

	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// A finding is one rule broken by one call of a chain.
type finding struct {
	rule  *rules.Rule
	scope state.Scope
	call  int
	fault fault
	mode  rules.Mode // what it does here
	// inFlight names the call in flight without which the call would pass.
	inFlight string
	pruned   int // calls that the rule never saw, because they were gone when it began
}

// unreadCall stands for a line with unread parts: it is judged, and recorded,
// under the shell tool's name, and matches the pseudo-tool unanalysed once for
// each reason (rules.md 11).
func (p *Proposal) unreadCall() (trace.Call, bool) {
	if len(p.Unresolved) == 0 {
		return trace.Call{}, false
	}
	c := trace.Call{Tool: p.Shell, Args: trace.Args{"command": p.Line}, Source: p.Line, Native: p.Shell, ID: p.ID, Batch: p.Batch, Agent: p.Agent}
	if len(p.Calls) > 0 {
		c.Dir = p.Calls[0].Dir
	}
	if c.Tool == "" {
		c.Tool = "unanalysed"
	}
	var commands []any
	for i := range p.Calls {
		if name := any(p.Calls[i].Tool); !slices.Contains(commands, name) {
			commands = append(commands, name)
		}
	}
	if commands == nil {
		commands = []any{}
	}
	var seen []string
	for _, u := range p.Unresolved {
		if slices.Contains(seen, u.Code) {
			continue
		}
		seen = append(seen, u.Code)
		c.Forms = append(c.Forms, trace.Form{Tool: "unanalysed", Args: trace.Args{
			"command": p.Line, "reason": u.Code, "commands": commands,
		}})
	}
	return c, true
}

// Chain is all calls of a proposal that are judged, the one for unread parts
// last. read is how many stand before that one.
func (p *Proposal) Chain() (calls []trace.Call, read int) {
	calls, read = p.Calls, len(p.Calls)
	if c, ok := p.unreadCall(); ok {
		calls = append(slices.Clip(calls), c)
	}
	return calls, read
}

// chainTools lists the tool names that the calls can be matched under.
func chainTools(calls []trace.Call) []string {
	var t toolSet
	for i := range calls {
		t.add(toolsOf(&calls[i])...)
	}
	return t.names
}

// find judges the calls of a chain in order, each with the earlier ones as
// already done, by the given rules of one scope. Every rule is judged even after
// a refusal: the answer names several, the strongest mode decides, and one
// repeat covers every warn rule of the line.
func (j *Judge) find(tx state.Tx, l *ledger, list []*rules.Rule, chain []trace.Call, flight []trace.Call) ([]finding, error) {
	runners, err := l.at(list)
	if err != nil {
		return nil, err
	}
	var out []finding
	for _, s := range runners {
		if s.rule.Finally {
			continue
		}
		found, err := j.findRule(tx, l.scope, s, chain, flight)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	// In order of the calls, and for one call in the order of the rules.
	slices.SortStableFunc(out, func(a, b finding) int { return a.call - b.call })
	return out, nil
}

// findRule judges the chain by one rule. A limit is only ever nearer with calls in
// flight, a general formula can go either way: it is judged with and without
// them, and either refusal counts (contracts.md 1.5).
func (j *Judge) findRule(tx state.Tx, scope state.Scope, s *standing, chain, flight []trace.Call) ([]finding, error) {
	readings := []*runner{s.clone()}
	with, err := s.within(flight)
	if err != nil {
		return nil, err
	}
	if with != nil {
		readings = append(readings, with)
	}
	var out []finding
	for i := range chain {
		c := &chain[i]
		reacting := reacts(s.rule, toolsOf(c))
		if reacting && s.rule.Layer == rules.BuiltIn && j.Spares != nil && j.Spares(s.rule.ID, c) {
			reacting = false
		}
		var worst finding
		for k, m := range readings {
			// A since in flight may come to its end between two calls of the line.
			if k == 1 && i > 0 && s.rule.Kind == "before" {
				if err := s.fly(m, flight); err != nil {
					return nil, err
				}
			}
			if !reacting {
				if err := m.step(c); err != nil { // not skipped: what is not recorded cannot be read again
					return nil, err
				}
				continue
			}
			f, err := m.propose(c)
			if err != nil {
				return nil, err
			}
			if !f.broken {
				continue
			}
			found := finding{rule: s.rule, scope: scope, call: i, fault: f, mode: maybeMode(s.rule, c, f.maybe)}
			if s.partial && helpedByCalls(s.rule) {
				found.pruned = tx.First(scope)
			}
			if k == 1 && !worst.fault.broken {
				found.inFlight = firstOf(flight, s.rule)
			}
			if !worst.fault.broken || found.mode > worst.mode {
				worst = found
			}
		}
		if worst.fault.broken && j.applies(tx, s.rule, c) {
			out = append(out, worst)
		}
	}
	return out, nil
}

// within is a copy of the runner with the calls in flight appended; nil: none
// that the rule is a limit for.
func (s *standing) within(flight []trace.Call) (*runner, error) {
	if !s.rule.Limit || len(flight) == 0 {
		return nil, nil
	}
	if firstOf(flight, s.rule) == "" {
		return nil, nil
	}
	with := s.clone()
	return with, s.fly(with, flight)
}

// fly takes a runner over the calls in flight that the rule speaks of.
func (s *standing) fly(m *runner, flight []trace.Call) error {
	for i := range flight {
		if !reacts(s.rule, toolsOf(&flight[i])) {
			continue
		}
		if err := m.step(&flight[i]); err != nil {
			return err
		}
	}
	return nil
}

// firstOf names the first call in flight that a rule speaks of.
func firstOf(flight []trace.Call, r *rules.Rule) string {
	for i := range flight {
		if reacts(r, toolsOf(&flight[i])) {
			return describe(&flight[i])
		}
	}
	return ""
}

// maybeMode is what a rule does with a call that breaks it: its mode, or, when
// all rests on a maybe, what the rule's maybe says for reads and for writes
// (rules.md 4).
func maybeMode(r *rules.Rule, c *trace.Call, maybe bool) rules.Mode {
	if !maybe {
		return r.Mode
	}
	say := r.Maybe.Write
	if readsOnly(c) {
		say = r.Maybe.Read
	}
	switch say {
	case rules.MaybeNote:
		return rules.Log
	case rules.MaybeAsk:
		return min(r.Mode, rules.Ask)
	default:
		return r.Mode
	}
}

// readsOnly says whether all a call does to its files is read them. A call whose
// effects are not known may do anything.
func readsOnly(c *trace.Call) bool {
	switch c.Tool {
	case "Read", "Grep", "Glob", "LS":
		return true
	}
	files := 0
	for _, e := range c.Effects {
		switch e.Op {
		case "read":
			files++
		case "exec", "net":
		default:
			return false
		}
	}
	return files > 0
}

// flight lists the calls of proposals whose end is not known yet, oldest first,
// as calls that may have run: they count against, never for (contracts.md 1.5).
// own is the ticket of the proposal being judged.
func (j *Judge) flight(tx state.Tx, s state.Scope, own string) []trace.Call {
	ttl := time10m
	if t := j.Book.Settings().ReservationTTL; t > 0 {
		ttl = t
	}
	var out []trace.Call
	for _, r := range tx.Reservations(s) {
		if r.Quiet || r.Session == tx.Session() && own != "" && r.Ticket == own || !j.Now.IsZero() && j.Now.Sub(r.Time).Nanoseconds() > ttl {
			continue
		}
		for _, c := range r.Calls {
			c.Outcome = &trace.Outcome{Maybe: true}
			c.Time = r.Time
			out = append(out, c)
		}
	}
	return out
}

const time10m = int64(10 * 60 * 1e9)
