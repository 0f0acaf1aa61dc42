package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
)

// harness makes the checks of one harness: the adapter's, and those that need
// the store and the rules.
func (d *doctor) harness(a adapter.Adapter) []finding {
	name := a.Profile().Name
	o := d.options[name]
	checks := a.Doctor(o)
	if len(d.regs[name]) == 0 {
		return checks
	}
	checks = append(checks, d.lastEvent(a))
	if r := a.Newest(o); r.Path != "" || name != "copilot-cli" {
		checks = append(checks, d.unchecked(a, r))
	}
	return append(checks, d.limits(a))
}

func (d *doctor) lastEvent(a adapter.Adapter) finding {
	name := a.Profile().Name
	id := "harness." + name + ".last_event"
	installed, known := d.options[name].InstalledAt(name)
	st, err := os.Stat(filepath.Join(d.options[name].StateDir, "last", name))
	switch {
	case err != nil && known:
		return check(id, adapter.Warn, "none since install, "+ago(d.e.Now(), installed),
			"start a session in a folder with an AGENTLTL.yaml")
	case err != nil:
		return check(id, adapter.Warn, "no event yet", "start a session in a folder with an AGENTLTL.yaml")
	case known && st.ModTime().Before(installed.Add(-time.Minute)):
		return check(id, adapter.Warn, fmt.Sprintf("none since install; the last one came %s", ago(d.e.Now(), st.ModTime())),
			"start a session in a folder with an AGENTLTL.yaml")
	}
	return check(id, adapter.OK, ago(d.e.Now(), st.ModTime()), "")
}

// ago words how long ago something was.
func ago(now, then time.Time) string {
	switch d := now.Sub(then); {
	case d < 2*time.Minute:
		return "just now"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d hours ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%d days ago", int(d.Hours()/24))
	}
}

// unchecked looks for calls of the newest session that no hook saw.
func (d *doctor) unchecked(a adapter.Adapter, r adapter.Record) finding {
	name := a.Profile().Name
	id := "harness." + name + ".unchecked_calls"
	if r.Path == "" {
		return check(id, adapter.OK, "no session yet", "")
	}
	f, err := os.Open(r.Path)
	if err != nil {
		return check(id, adapter.Warn, fmt.Sprintf("the newest session cannot be read: %v", err), "")
	}
	defer func() { _ = f.Close() }()
	since, _ := d.options[name].InstalledAt(name)
	seen, all, unjudged := 0, 0, 0
	look := d.lookups(a)
	for it, err := range a.Transcripts(f) {
		if err != nil {
			return check(id, adapter.Warn, fmt.Sprintf("the newest session cannot be read: %v", err), "")
		}
		if it.Skipped != "" || it.Call.Outcome == nil || it.Call.ID == "" || it.Call.Time.Before(since) && !it.Call.Time.IsZero() {
			continue
		}
		session, dir := r.Session, r.Dir
		if session == "" {
			session = it.Session
		}
		if dir == "" {
			dir = it.Call.Dir
		}
		known, judged, applies := look(dir, session, it.Call.ID)
		if !applies {
			continue
		}
		all++
		if known {
			seen++
		}
		if known && !judged {
			unjudged++
		}
	}
	fix := "look whether hooks were switched off: agentltl-hook doctor shows harness." + name + ".hooks_off"
	switch {
	case seen < all:
		return check(id, adapter.Warn, fmt.Sprintf("saw %d of %d calls of %s", seen, all, r.Path), fix)
	case unjudged > 0:
		return check(id, adapter.Warn, fmt.Sprintf("saw %d of %d calls, %d of them only after they had run", seen, all, unjudged), fix)
	case all == 0:
		return check(id, adapter.OK, "the newest session ran no call under rules", "")
	}
	return check(id, adapter.OK, fmt.Sprintf("saw %d of %d calls of the newest session", seen, all), "")
}

// lookups finds calls by id in the stores of their projects.
func (d *doctor) lookups(a adapter.Adapter) func(dir, session, id string) (known, judged, applies bool) {
	o := d.options[a.Profile().Name]
	type place struct{ dir, session string }
	type ids struct {
		applies  bool
		known    func(id string) bool
		unjudged map[string]bool
	}
	places := map[place]*ids{}
	return func(dir, session, id string) (bool, bool, bool) {
		p := places[place{dir, session}]
		if p == nil {
			p = &ids{unjudged: map[string]bool{}}
			places[place{dir, session}] = p
			s := store.Open(store.Options{Dir: o.StateDir, Root: d.storeRoot(dir), Session: session, Now: d.e.Now()})
			if st, err := os.Stat(s.Path()); dir != "" && err == nil && st.Mode().IsRegular() {
				p.applies = true
			}
			p.known = func(id string) (ok bool) {
				_ = s.View(func(tx state.Tx) error { _, ok = tx.CallID(id); return nil })
				return ok
			}
			if p.applies {
				_ = s.View(func(tx state.Tx) error {
					for _, c := range tx.Calls(state.Session, 0, nil) {
						if c.Unchecked {
							p.unjudged[c.ID] = true
						}
					}
					return nil
				})
			}
		}
		if !p.applies {
			return false, false, false
		}
		return p.known(id), !p.unjudged[id], true
	}
}

// limits names what the rules in force cannot hold here (rules.md 18).
func (d *doctor) limits(a adapter.Adapter) finding {
	id := "harness." + a.Profile().Name + ".limits"
	set, _ := d.pipeline(a).Load(d.e.Dir)
	n := 0
	for i := range set.Rules {
		if set.Rules[i].Layer != rules.BuiltIn {
			n++
		}
	}
	if n == 0 {
		return check(id, adapter.OK, "no rules in force here", "")
	}
	return judged(id, adapter.Warn, a.Gaps(), "", "docs/harnesses.md says what closes which gap")
}

// pipeline is what a hook of the harness would judge with.
func (d *doctor) pipeline(a adapter.Adapter) *hooks.Pipeline {
	o := d.options[a.Profile().Name]
	return newPipeline(d.e, a.Profile(), hookOptions{stateDir: o.StateDir, userDirs: nonEmpty(o.SharedDir, o.UserDir)})
}
