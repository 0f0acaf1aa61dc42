package hooks

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
)

// An Office makes, lists and ends the exceptions of a person in one project
// (trust.md 7). Whether a person asks is for the caller to know.
type Office struct {
	p     *Pipeline
	dir   string
	store *store.Session
	now   time.Time
}

// Office opens the project of a folder.
func (p *Pipeline) Office(dir string) *Office {
	o := &Office{p: p, dir: dir, now: p.clock()}
	o.store = store.Open(store.Options{Dir: p.StateDir, Root: p.StoreRoot(dir), Now: o.now})
	return o
}

// ErrNotRefused means that a decision has nothing to make an exception from.
var ErrNotRefused = errors.New("nothing was refused in that decision")

// A NotAllowedError names a rule that a person's exceptions do not reach.
type NotAllowedError struct{ Rule string }

func (e *NotAllowedError) Error() string {
	return fmt.Sprintf("no exception can be made from rule %s: it is managed, or the settings allow none", e.Rule)
}

// A Petition is what an exception from one decision would cover.
type Petition struct {
	Decision state.Decision
	Rules    []string
	Call     string
}

// Petition says what an exception from a decision would cover.
func (o *Office) Petition(id string) (Petition, error) {
	var d state.Decision
	found := false
	err := o.store.View(func(tx state.Tx) error { d, found = tx.Decision(id); return nil })
	if err != nil {
		return Petition{}, err
	}
	p := Petition{Decision: d, Rules: d.Rules}
	switch {
	case !found:
		return p, ErrNoDecision
	case d.Key == "" || d.Action != "deny" && d.Action != "ask" && d.Action != "stop":
		return p, ErrNotRefused
	}
	if len(p.Rules) == 0 {
		p.Rules = []string{guard.Unread}
	}
	calls, _ := callsOf(&d, o.dir)
	p.Call = callWords(guard.Proposal{Calls: calls})
	if d.Source != "" {
		p.Call = d.Source
	}
	return p, o.mayExcept(p.Rules)
}

// mayExcept holds the rules against their layers and the settings.
func (o *Office) mayExcept(ids []string) error {
	set, _ := o.p.Load(o.dir)
	for _, id := range ids {
		if id == guard.Unread {
			if set.Settings.Exceptions == "none" {
				return &NotAllowedError{id}
			}
			continue
		}
		i := slices.IndexFunc(set.Rules, func(r rules.Rule) bool { return r.ID == id })
		if i < 0 {
			continue // not in force any more: an exception does no harm
		}
		if !guard.MayExcept(&set.Rules[i], &set.Settings) {
			return &NotAllowedError{id}
		}
	}
	return nil
}

// Grant keeps an exception and a line of it among the decisions; it returns its
// number.
func (o *Office) Grant(e state.Exception) (number int, err error) {
	e.Made = o.now
	err = o.store.Update(func(tx state.Tx) error {
		if number, err = tx.PutException(e); err != nil {
			return err
		}
		e.Number = number
		return o.note(tx, e, "exception made")
	})
	return number, err
}

// note keeps a line about an exception in the ring of the session it is about.
func (o *Office) note(tx state.Tx, e state.Exception, what string) error {
	if e.Session != "" {
		tx = tx.In(e.Session)
	}
	d := state.Decision{
		Time: o.now, Session: tx.Session(), Action: "exception", Problem: what, Key: e.Key, Source: e.Call, Rules: e.Rules,
		More: map[string]any{"by": e.By, "reason": e.Reason, "exception": fmt.Sprint(e.Number), "scope": e.Scope},
	}
	if !e.Until.IsZero() {
		d.More["until"] = e.Until.UTC().Format(time.RFC3339)
	}
	if len(e.Rules) > 0 {
		d.Rule = e.Rules[0]
	}
	_, err := tx.PutDecision(d)
	return err
}

// List gives the exceptions that can still count.
func (o *Office) List() (list []state.Exception, err error) {
	err = o.store.View(func(tx state.Tx) error {
		for _, e := range tx.Exceptions() {
			over := e.Revoked || !e.Until.IsZero() && !e.Until.After(o.now) || e.Scope == "once" && e.Used > 0
			if !over {
				list = append(list, e)
			}
		}
		return nil
	})
	return list, err
}

// Revoke ends an exception; false: there is none of that number that counts.
func (o *Office) Revoke(number int) (found bool, err error) {
	err = o.store.Update(func(tx state.Tx) error {
		for _, e := range tx.Exceptions() {
			if e.Number != number || e.Revoked {
				continue
			}
			e.Revoked, found = true, true
			if _, err := tx.PutException(e); err != nil {
				return err
			}
			return o.note(tx, e, "exception revoked")
		}
		return nil
	})
	return found, err
}

// Paused is the end of the running pause; zero: none runs.
func (o *Office) Paused() (until time.Time, err error) {
	list, err := o.List()
	for _, e := range list {
		if e.Scope == "pause" && e.Until.After(until) {
			until = e.Until
		}
	}
	return until, err
}

// Now is the time of the office's clock.
func (o *Office) Now() time.Time { return o.now }
