package hooks

import (
	"time"

	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
)

// statusDeadline is how long a status line waits for the store: it is drawn
// after every change, and nobody minds an old one.
const statusDeadline = 3 * time.Millisecond

// A Status is what a status line shows of a session.
type Status struct {
	Rules   map[rules.Mode]int // in force, by mode; built-ins left out
	AtEnd   int                // of them, those judged at turn end only
	None    bool               // no rule file in any layer
	Broken  []string           // layers whose files have problems
	Notices []string           // codes of what was found wrong with files: managed-owner, ...
	Stopped string             // the rule that stopped the session; "" it is not stopped
	Shadow  bool               // everything is observed, nothing refused
	Paused  time.Time          // zero: not paused
}

// Status looks at the rules in force for a session and at its state. It writes
// nothing and does not wait for the store: without it, the files tell.
func (p *Pipeline) Status(e Event) Status {
	q := *p
	if q.Store == nil {
		q.Store = func(project, session string) (state.Store, error) {
			return store.Open(store.Options{
				Dir: p.StateDir, Root: project, Session: session, Now: q.clock(), Deadline: statusDeadline,
			}), nil
		}
	}
	e.Kind = None
	r, err := q.begin(e)
	if err != nil && r.set == nil && r.applies() {
		r.loaded, _ = rules.Load(r.found.Files, rules.LoadOptions{
			Program: p.Program, Harness: p.Profile.Name, Context: r.context(), PackDirs: p.packDirs(),
		})
		r.set = r.loaded.Compiled()
	}
	s := Status{Rules: map[rules.Mode]int{}, None: !r.applies()}
	if r.set == nil {
		return s
	}
	list := r.listed() // of rules just loaded; a cached set is read from the store
	_ = r.view(func(tx state.Tx) error {
		if list == nil {
			list = r.listed()
		}
		for _, x := range tx.Exceptions() {
			if x.Scope == "pause" && !x.Revoked && x.Until.After(r.now) && x.Until.After(s.Paused) {
				s.Paused = x.Until
			}
		}
		return nil
	})
	for _, l := range list {
		switch {
		case l.Layer == rules.BuiltIn:
		case l.Finally:
			s.AtEnd++
		default:
			s.Rules[l.Mode]++
		}
	}
	if r.loaded != nil {
		for _, b := range r.loaded.Broken {
			s.Broken = append(s.Broken, b.Layer.String())
		}
	}
	for _, n := range r.found.Notices {
		s.Notices = append(s.Notices, n.Code)
	}
	s.Shadow = p.Shadow || r.set.Settings().Shadow
	if r.mem.Latch != nil {
		s.Stopped = r.mem.Latch.Rule
	}
	return s
}
