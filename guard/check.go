package guard

import (
	"slices"

	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// A check is the work on one proposal in one transaction.
type check struct {
	*Judge
	tx       state.Tx
	p        *Proposal
	key      string
	chain    []trace.Call
	read     int // calls before the one that stands for unread parts
	ledgers  [len(scopes)]*ledger
	mem      [len(scopes)]state.Memory
	dirty    [len(scopes)]bool
	found    []finding // all that count, warn repeats and exceptions taken out
	all      []finding // before that
	answered bool      // the user was asked about this very call and has written since
	used     []state.Exception
	excepted []string // rules that an exception kept from deciding
	shadowed []finding
	passed   []finding // warnings that this call insists past
	d        Decision
}

// Look judges a proposed call and changes nothing, as a View demands. A decision
// with Keep set must be made again by Check.
func (j *Judge) Look(tx state.Tx, p Proposal) (Decision, error) { return j.check(tx, p, false) }

// Check judges a proposed call in an Update and saves what the decision needs:
// counters, the warn pointer, a latch, pending questions, a reservation, an entry
// in the ring of decisions.
func (j *Judge) Check(tx state.Tx, p Proposal) (Decision, error) { return j.check(tx, p, true) }

func (j *Judge) check(tx state.Tx, p Proposal, write bool) (Decision, error) {
	c := &check{Judge: j, tx: tx, p: &p, key: p.key()}
	for _, s := range scopes {
		c.mem[s] = tx.Memory(s)
	}
	if l := c.mem[state.Session].Latch; l != nil && !j.NoLatch {
		return c.latched(l), nil
	}
	if j.Book.Len() == 0 {
		return Decision{}, nil
	}
	c.chain, c.read = p.Chain()
	c.d.Chain = c.chain
	if err := c.judge(); err != nil {
		return Decision{}, err
	}
	c.decide()
	if c.d.Action == Allow {
		c.allow()
	} else {
		c.refuse()
	}
	c.d.Keep = c.d.Keep || c.dirty[state.Session] || c.dirty[state.Project]
	if !write {
		return c.d, nil
	}
	return c.d, c.save()
}

// latched is the answer while the session is stopped.
func (c *check) latched(l *state.Latch) Decision {
	r := &rules.Rule{ID: l.Rule, Why: l.Why, Mode: rules.Stop}
	if list, err := c.Book.All(); err == nil {
		for _, x := range list {
			if x.ID == l.Rule {
				r = x
			}
		}
	}
	return Decision{ID: l.Decision, Action: Stop, Latched: true, Broken: []Violation{{Rule: r, Mode: rules.Stop}}}
}

// judge collects what the chain breaks in both memories.
func (c *check) judge() error {
	list, err := c.Book.Reacting(c.chain)
	if err != nil {
		return err
	}
	for _, s := range scopes {
		c.ledgers[s] = c.ledger(c.tx, s)
		found, err := c.find(c.tx, c.ledgers[s], list, c.chain, c.flight(c.tx, s, c.ticket()))
		if err != nil {
			return err
		}
		c.all = append(c.all, found...)
	}
	for _, r := range list {
		c.d.Looked = append(c.d.Looked, r.ID)
	}
	c.answered = c.wasAnswered()
	for _, f := range c.all {
		c.d.Faults = appendNew(c.d.Faults, f.rule.ID)
		if c.counts(&f) {
			c.found = append(c.found, f)
		}
	}
	return nil
}

// counts says whether a finding has a say, and notes why not.
func (c *check) counts(f *finding) bool {
	switch {
	case c.exceptedByFile(f), c.exceptedByPerson(f):
		c.excepted = append(c.excepted, f.rule.ID)
		return false
	case c.inShadow(f.rule):
		c.shadowed = append(c.shadowed, *f)
		return false
	case f.mode == rules.Warn && c.insists(f):
		c.d.Override = appendNew(c.d.Override, f.rule.ID)
		c.passed = append(c.passed, *f)
		return false
	case f.mode == rules.Ask && c.answered:
		return false
	case f.mode == rules.Retry && c.answered && c.pending().Rule == f.rule.ID:
		return false
	}
	return true
}

// insists says whether this is the exact call that a warn refusal named the rule
// for, made again in a later batch. The same call id, or an equal call of the
// same batch, is no repeat (rules.md 9, D18).
func (c *check) insists(f *finding) bool {
	w := c.mem[f.scope].Warned
	return w != nil && w.Key == c.key && (c.p.ID == "" || c.p.ID != w.ID) && !sameBatch(w.Batch, c.p.Batch) &&
		slices.Contains(w.Rules, f.rule.ID)
}

// decide lets the strongest broken mode speak: the first refused call of the line
// in each memory, the line's unread parts, and the setting for these. The
// strictest wins (rules.md 8 and 11).
func (c *check) decide() {
	c.notes()
	best, ok := c.strongest(func(f *finding) bool { return f.call < c.read })
	if un, found := c.strongest(func(f *finding) bool { return f.call >= c.read }); found && (!ok || un[0].rank() > best[0].rank()) {
		best, ok = un, true
	}
	if ok {
		c.violate(best)
	}
	if len(c.p.Unresolved) == 0 || c.answered && c.pending().Rule == "" {
		return
	}
	if c.unreadExcepted() {
		c.excepted = append(c.excepted, Unread)
		return
	}
	var say Action
	switch c.unparseable() {
	case rules.UnparseableAllow:
		return
	case rules.UnparseableNote:
		say = Allow
	case rules.UnparseableAsk:
		say = Ask
	default:
		say = Deny
	}
	if say > c.d.Action {
		c.d.Action, c.d.Broken, c.d.ByUnread, c.d.Call = say, nil, true, c.read
		c.d.Attempt, c.d.Try, c.d.Limit, c.d.Escalated = 0, 0, 0, false
	}
	if c.d.ByUnread || c.d.Action == Allow {
		c.d.Unread = c.p.Unresolved
	}
}

// unparseable is the setting for lines with unread parts.
func (c *check) unparseable() rules.Unparseable {
	s := c.Book.Settings()
	switch {
	case c.Stricter:
		return max(s.UnparseableAsked, s.UnparseableAuto)
	case c.Auto:
		return s.UnparseableAuto
	default:
		return s.UnparseableAsked
	}
}

// rank is how strongly a finding speaks: by its mode, and of two that stop the
// certain one more.
func (f *finding) rank() int {
	r := 2 * int(f.mode)
	if f.mode == rules.Stop && !f.fault.maybe {
		r++
	}
	return r
}

// strongest picks, of the findings that refuse, those that decide, the first of
// them in front: in each memory those of the first refused call with its strongest
// mode; of both memories the stronger mode, the session's first.
func (c *check) strongest(ok func(*finding) bool) ([]finding, bool) {
	var best []finding
	for _, s := range scopes {
		here := c.firstRefused(s, ok)
		switch {
		case len(here) == 0:
		case len(best) == 0 || here[0].rank() > best[0].rank():
			if len(best) > 0 && best[0].mode == here[0].mode && best[0].call == here[0].call {
				here = append(here, best...)
			}
			best = here
		case here[0].mode == best[0].mode && here[0].call == best[0].call:
			best = append(best, here...)
		}
	}
	return best, len(best) > 0
}

// firstRefused are the findings of one memory about its first refused call that
// have the strongest mode, the deciding one first.
func (c *check) firstRefused(s state.Scope, ok func(*finding) bool) []finding {
	var here []finding
	for i := range c.found {
		f := &c.found[i]
		if f.scope != s || f.mode == rules.Log || !ok(f) || len(here) > 0 && f.call > here[0].call {
			continue
		}
		switch {
		case len(here) == 0 || f.mode > here[0].mode:
			here = append(here[:0], *f)
		case f.mode == here[0].mode && f.rank() > here[0].rank():
			here = slices.Insert(here, 0, *f)
		case f.mode == here[0].mode:
			here = append(here, *f)
		}
	}
	return here
}

// violate makes findings the decision: the first decides, then, up to the
// setting report, others of the same mode, those with advice first.
func (c *check) violate(list []finding) {
	first := list[0]
	others := slices.Clone(list[1:])
	slices.SortStableFunc(others, func(a, b finding) int { return boolRank(a.rule.Fix == "") - boolRank(b.rule.Fix == "") })
	report := max(1, c.Book.Settings().Report)
	for _, f := range append([]finding{first}, others...) {
		if len(c.d.Broken) < report {
			c.d.Broken = append(c.d.Broken, c.violation(&f))
		}
	}
	c.d.Call = first.call
	if v := &c.d.Broken[0]; v.InFlight == "" && v.RetryAfter == 0 {
		v.Comply = c.suggest(v.Rule)
	}
	switch first.mode {
	case rules.Warn, rules.Block:
		c.d.Action = Deny
	case rules.Retry:
		c.countTry(&first)
	case rules.Ask:
		c.d.Action = Ask
	case rules.Stop:
		c.d.Action = Stop
		if first.fault.maybe {
			c.d.Action = Deny
		}
	case rules.Log: // it refuses nothing and is never the first
	}
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// countTry counts one more refusal of a rule of mode retry; the try that reaches
// the limit gives up with a question and starts anew.
func (c *check) countTry(f *finding) {
	limit, runs, counting := c.retryLimits(f.rule)
	m := &c.mem[f.scope]
	if m.Retries == nil {
		m.Retries = map[string]int{}
	}
	if m.Runs == nil {
		m.Runs = map[string]int{}
	}
	m.Retries[f.rule.ID]++
	m.Runs[f.rule.ID]++
	total, run := m.Retries[f.rule.ID], m.Runs[f.rule.ID]
	c.d.Attempt, c.d.Try, c.d.Limit = total, total, limit
	up := total >= limit
	switch counting {
	case "consecutive":
		up = run >= limit
		c.d.Try = run
	case "hybrid":
		up = up || run >= runs
	}
	c.d.Action = Deny
	if up {
		c.d.Action, c.d.Escalated = Ask, true
		if c.Escalate == Stop {
			c.d.Action = Stop
		}
	}
}

// retryLimits are the limits for a rule: of its own file for a managed or locked
// rule, else of the settings in force.
func (c *check) retryLimits(r *rules.Rule) (limit, runs int, counting string) {
	s := c.Book.Settings()
	limit, counting = s.Retries, s.RetryCounting
	if r.Retries > 0 {
		limit = r.Retries
	}
	if r.Counting != "" {
		counting = r.Counting
	}
	limit = max(1, limit)
	runs = limit
	if c.Runs > 0 {
		runs = c.Runs
	}
	return limit, runs, counting
}

// notes are what rules of mode log have to say, and rules whose maybe only notes.
func (c *check) notes() {
	first := len(c.chain)
	if best, ok := c.strongest(func(*finding) bool { return true }); ok {
		first = best[0].call
	}
	seen := map[string]bool{}
	for i := range c.found {
		f := &c.found[i]
		if f.mode != rules.Log || f.call > first || seen[f.rule.ID] || c.told(f) {
			continue
		}
		seen[f.rule.ID] = true
		c.d.Notes = append(c.d.Notes, c.violation(f))
	}
}

// told says whether the agent heard this note with the warning that it insists
// past: one about the very call, from the same memory. Notes about other calls of
// the line are given again, as by the peer.
func (c *check) told(f *finding) bool {
	return slices.ContainsFunc(c.passed, func(p finding) bool { return p.call == f.call && p.scope == f.scope }) &&
		slices.Contains(c.mem[f.scope].Warned.Notes, f.rule.ID)
}

// violation words a finding.
func (c *check) violation(f *finding) Violation {
	v := Violation{
		Rule: f.rule, Call: f.call, Mode: f.mode, Maybe: f.fault.maybe, Fix: f.rule.Fix,
		InFlight: f.inFlight, Pruned: f.pruned, RetryAfter: f.fault.retryAfter,
	}
	v.Problem = c.problem(f)
	return v
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
