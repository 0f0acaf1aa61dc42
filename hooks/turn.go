package hooks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/state"
)

// prompt takes note that the user wrote: a latch is lifted, a turn begins,
// questions count as answered. It comes before the rule files are looked at, so
// that a broken one cannot keep a session stopped.
func (r *run) prompt() error {
	if r.e.Kind != UserPrompt || !r.e.Person || r.e.Agent != "" || !r.storeThere() {
		return nil
	}
	return r.update(r.newTurn)
}

// newTurn starts a turn of the session.
func (r *run) newTurn(tx state.Tx) error {
	j := guard.Judge{Now: r.now}
	if err := j.Turn(tx); err != nil {
		return err
	}
	m := tx.Memory(state.Session)
	m.TurnEnded, m.SentBack = false, false
	if err := tx.PutMemory(state.Session, m); err != nil {
		return err
	}
	_, err := j.DropWhere(tx, func(res state.Reservation) bool { return res.Agent == "" })
	return err
}

// prompted is what goes with a prompt: an announcement that is owed.
func (r *run) prompted() (Answer, error) {
	var a Answer
	if !r.mem.Owed && len(r.mem.OwedText) == 0 {
		return a, nil
	}
	err := r.update(func(tx state.Tx) error {
		if err := r.keepSet(tx); err != nil {
			return err
		}
		return r.keepMemory(tx, func(m *state.Memory) { r.carry(m, &a) })
	})
	return a, err
}

// turnEnd asks whether the agent may end its turn.
func (r *run) turnEnd() (Answer, error) {
	if r.e.Agent != "" {
		return r.subagentEnd()
	}
	j := r.judge()
	var end guard.Ending
	keep := false
	err := r.view(func(tx state.Tx) (err error) {
		end, err = j.Finish(tx, r.p.Profile.SendBacks, false)
		m := tx.Memory(state.Session)
		keep = end.Keep || len(end.Spent) > 0 || len(m.OwedLines) > 0 || !r.p.Profile.Prompts && (!m.TurnEnded || m.SentBack)
		for _, res := range tx.Reservations(state.Session) {
			keep = keep || res.Agent == ""
		}
		return err
	})
	if err != nil || !keep {
		return Answer{Notice: r.switchLines()}, err
	}
	var a Answer
	err = r.update(func(tx state.Tx) (err error) {
		a, err = r.endTurn(tx, j)
		return err
	})
	a.Notice = join(a.Notice, r.switchLines())
	return a, err
}

func (r *run) endTurn(tx state.Tx, j *guard.Judge) (Answer, error) {
	var a Answer
	if err := r.keepSet(tx); err != nil {
		return a, err
	}
	if _, err := j.DropWhere(tx, func(res state.Reservation) bool { return res.Agent == "" }); err != nil {
		return a, err
	}
	end, err := j.Finish(tx, r.p.Profile.SendBacks, true)
	if err != nil {
		return a, err
	}
	a.SendBack = len(end.Unmet) > 0
	for _, v := range end.Unmet {
		a.Rules = append(a.Rules, v.Rule.ID)
	}
	if a.SendBack {
		a.Rule = a.Rules[0]
		a.Reason = guard.OwedWords(end.Unmet)
	}
	return a, r.keepMemory(tx, func(m *state.Memory) {
		for _, l := range m.OwedLines {
			a.Notice = join(a.Notice, l)
		}
		m.OwedLines = nil
		m.TurnEnded, m.SentBack = true, a.SendBack
		if len(end.Spent) > 0 && !a.SendBack && told(m, "spent", strconv.Itoa(m.Resumes)) {
			a.Notice = join(a.Notice, spentLine(end.Spent))
		}
	})
}

func spentLine(list []guard.Violation) string {
	ids := make([]string, len(list))
	for i, v := range list {
		ids[i] = guard.Name(v.Rule.ID)
	}
	return "agentltl: the agent ended its turn without meeting " + strings.Join(ids, ", ")
}

// batchEnd drops what was let through in the batch and did not run. The number
// of the batch rises only when something was kept under it.
func (r *run) batchEnd() (Answer, error) {
	batch := r.batch()
	over := func(res state.Reservation) bool { return res.Agent == r.e.Agent && res.Batch == batch }
	kept := func(tx state.Tx) bool {
		if r.mem.Told["announced"] == "" && r.mem.Told["batches"] == "" {
			return true
		}
		for _, s := range []state.Scope{state.Session, state.Project} {
			if w := tx.Memory(s).Warned; w != nil && w.Batch == batch {
				return true
			}
		}
		return slices.ContainsFunc(tx.Reservations(state.Session), over)
	}
	found := false
	if err := r.view(func(tx state.Tx) error { found = kept(tx); return nil }); err != nil || !found {
		return Answer{}, err
	}
	return Answer{}, r.update(func(tx state.Tx) error {
		j := guard.Judge{Now: r.now}
		if _, err := j.DropWhere(tx, over); err != nil {
			return err
		}
		return r.keepMemory(tx, func(m *state.Memory) {
			told(m, "batches", "yes")
			if r.e.Agent == "" {
				m.Batch++
				return
			}
			n, _ := strconv.Atoi(m.Told["batch "+r.e.Agent])
			told(m, "batch "+r.e.Agent, strconv.Itoa(n+1))
		})
	})
}

// subagentEnd drops what the subagent was let and did not run. Its end is no
// turn end: finally rules wait for the session's.
func (r *run) subagentEnd() (Answer, error) {
	over := func(res state.Reservation) bool { return r.e.Agent != "" && res.Agent == r.e.Agent }
	found := false
	err := r.view(func(tx state.Tx) error {
		for _, res := range tx.Reservations(state.Session) {
			found = found || over(res)
		}
		return nil
	})
	if err != nil || !found {
		return Answer{}, err
	}
	return Answer{}, r.update(func(tx state.Tx) error {
		j := guard.Judge{Now: r.now}
		_, err := j.DropWhere(tx, over)
		return err
	})
}

// compaction is told before it happens where nothing is told after it: the
// announcement is owed.
func (r *run) compaction() (Answer, error) {
	return Answer{}, r.update(func(tx state.Tx) error {
		return r.keepMemory(tx, func(m *state.Memory) { m.Owed = true })
	})
}

// switchLines name what will keep the next session in this folder from being
// guarded (trust.md 6), a line each.
func (r *run) switchLines() string {
	if r.p.Switches == nil || r.set == nil {
		return ""
	}
	var s string
	for _, w := range r.p.Switches() {
		s = join(s, fmt.Sprintf("agentltl: the next start in this folder runs without the guard: %s", guard.Clean(w)))
	}
	return s
}
