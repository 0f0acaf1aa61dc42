package guard

import (
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// Record appends the calls of a proposal that ran to both memories and takes the
// rules of the own set over them, in one Update. Their outcomes are set by the
// caller, see [Spread]. The reservation of the proposal is dropped.
func (j *Judge) Record(tx state.Tx, p Proposal) error {
	if err := j.Drop(tx, &p); err != nil {
		return err
	}
	chain, _ := p.Chain()
	if len(chain) == 0 {
		return nil
	}
	var books [len(scopes)]*ledger
	for _, s := range scopes {
		books[s] = j.ledger(tx, s)
		if err := books[s].prepare(chain); err != nil {
			return err
		}
	}
	for i := range chain {
		c := chain[i]
		if !j.Now.IsZero() {
			c.Time = j.Now // when it was recorded, not when it was proposed
		}
		if c.Harness == "" {
			c.Harness = j.Harness
		}
		c, err := tx.Append(c)
		if err != nil {
			return err
		}
		for _, s := range scopes {
			if err := books[s].advance(&c); err != nil {
				return err
			}
		}
	}
	return j.saveAll(tx, books[:])
}

// CatchUp brings every rule of the own set to the end of both traces and keeps
// it there: before calls are pruned, after calls were imported.
func (j *Judge) CatchUp(tx state.Tx) error {
	list, err := j.Book.All()
	if err != nil {
		return err
	}
	var books [len(scopes)]*ledger
	for _, s := range scopes {
		books[s] = j.ledger(tx, s)
		if _, err := books[s].at(list); err != nil {
			return err
		}
	}
	return j.saveAll(tx, books[:])
}

func (j *Judge) saveAll(tx state.Tx, books []*ledger) error {
	if !tx.HasSet(j.Book.Digest()) {
		if err := tx.PutSet(j.Book.Digest(), nil, j.Book.Refs()); err != nil {
			return err
		}
	}
	for _, l := range books {
		if err := l.save(); err != nil {
			return err
		}
	}
	return nil
}

// Drop ends a proposal's reservation: it ran, or it did not. Without a call id
// the oldest of equal calls ends first.
func (j *Judge) Drop(tx state.Tx, p *Proposal) error {
	key := p.key()
	for _, r := range tx.Reservations(state.Session) {
		if p.ID != "" && r.Ticket == p.ID || p.ID == "" && r.Key == key && r.Ticket != "" && r.Ticket[0] == '#' {
			return tx.DropReservation(tx.Session(), r.Ticket)
		}
	}
	return nil
}

// DropWhere ends the reservations of this session that a filter picks: of a batch
// or a subagent that is over, at a turn's end, at a prompt. It reports how many.
func (j *Judge) DropWhere(tx state.Tx, over func(state.Reservation) bool) (int, error) {
	n := 0
	for _, r := range tx.Reservations(state.Session) {
		if over(r) {
			if err := tx.DropReservation(tx.Session(), r.Ticket); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

// Spread gives the calls of a line their outcomes. Exit status and result belong
// to the last call; what that says about the others depends on how they are
// joined (rules.md 21, D7 and D8). status nil: not known.
func Spread(calls []trace.Call, status *int, result *any) {
	for i := range calls {
		calls[i].Outcome = &trace.Outcome{}
	}
	n := len(calls)
	if n == 0 {
		return
	}
	calls[n-1].Outcome.Result = result
	if native(calls) {
		for i := range calls {
			calls[i].Outcome.Status = status
		}
		return
	}
	// The calls at the end that are joined by && (or run one another) share their
	// fate when all went well.
	head := n - 1
	for head > 0 && joined(&calls[head]) {
		head--
	}
	for i := range calls {
		c, o := &calls[i], calls[i].Outcome
		switch {
		case !isZero(status) || i < head:
			o.Maybe = skippable(c)
		case branch(&calls[head]):
			o.Maybe = true
		case !unknowable(c):
			o.Status = status
		}
	}
	// A failure is known to be the last call's own only when nothing before it
	// could have kept it from running.
	if status != nil && !isZero(status) && head == n-1 && !skippable(&calls[head]) && !unknowable(&calls[head]) {
		calls[head].Outcome.Status = status
	}
}

// native says whether no call is from a shell line: one tool call may stand for
// several, a patch for its files, and all of them end as it does.
func native(calls []trace.Call) bool {
	for i := range calls {
		if calls[i].CLI != nil {
			return false
		}
	}
	return true
}

func isZero(status *int) bool { return status != nil && *status == 0 }

// joined says whether a call runs only after the one before it went well, or is
// run by it and gives it its status.
func joined(c *trace.Call) bool {
	return c.CLI != nil && (c.CLI.Operator == "&&" || c.CLI.Operator == "wrap")
}

// skippable says whether a call may not have run.
func skippable(c *trace.Call) bool { return c.CLI != nil && (c.CLI.Conditional || c.CLI.Repeated) }

// branch says whether a call stands in a branch or a loop, or behind ||.
func branch(c *trace.Call) bool { return skippable(c) && c.CLI.Operator != "&&" }

// unknowable says whether a call's own status is not the line's.
func unknowable(c *trace.Call) bool {
	return c.CLI != nil && (c.CLI.Background || c.CLI.Repeated || c.CLI.Operator == "$()")
}
