package hooks

import (
	"slices"
	"time"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
	"github.com/agentltl/agentltl-hook/trace"
)

// Records are the recorded calls of one project, for commands that list, add,
// prune or forget them.
type Records struct {
	r     *run
	store *store.Session
}

// Records opens those of a folder's project, seen from a session ("": the one
// used last, or "default"). What the rules in force are is read when needed.
func (p *Pipeline) Records(dir, session string) (*Records, error) {
	r := &run{p: p, e: Event{Kind: SessionEnd, Dir: dir, Project: dir, Session: session}, folder: dir, now: p.clock()}
	r.find(r.findOptions())
	x, root := &Records{r: r}, p.StoreRoot(dir)
	open := func() *store.Session {
		return store.Open(store.Options{Dir: p.StateDir, Root: root, Session: r.e.Session, Now: r.now})
	}
	x.store = open()
	if session != "" {
		return x, nil
	}
	err := x.store.ViewTx(func(tx *store.Tx) error {
		r.e.Session = tx.LastSession()
		return nil
	})
	x.store = open()
	return x, err
}

// Store is the project's, as seen from the session.
func (x *Records) Store() *store.Session { return x.store }

// Session is the session's id.
func (x *Records) Session() string { return x.store.ID() }

// inForce brings the run to the rules in force; r.set stays nil without any.
func (x *Records) inForce() error {
	if x.r.store != nil {
		return nil
	}
	r, err := x.r.p.begin(x.r.e)
	if err == nil {
		x.r = r
	}
	return err
}

// Keep is how many raw calls the settings in force keep.
func (x *Records) Keep() (store.Keep, error) {
	if err := x.inForce(); err != nil {
		return store.Keep{}, err
	}
	if x.r.set == nil {
		set, _ := x.r.p.Load(x.r.folder) // no file: the defaults
		return keepOf(&set.Settings), nil
	}
	return keepOf(x.r.set.Settings()), nil
}

func keepOf(s *rules.Settings) store.Keep {
	return store.Keep{Session: s.KeepSession, Project: s.KeepProject}
}

// All are the rules in force; nil without any.
func (x *Records) All() (list []*rules.Rule, err error) {
	if err := x.inForce(); err != nil || x.r.set == nil {
		return nil, err
	}
	err = x.r.view(func(state.Tx) (err error) { // the compiled set is read from the store
		list, err = x.r.set.All()
		return err
	})
	return list, err
}

// Import records calls as if they had run, in one transaction, and steps the
// rules in force over them. Each has its own time.
func (x *Records) Import(calls []trace.Call) error {
	if err := x.inForce(); err != nil {
		return err
	}
	return x.r.update(func(tx state.Tx) error {
		if x.r.set == nil {
			for _, c := range calls {
				if _, err := tx.Append(c); err != nil {
					return err
				}
			}
			return nil
		}
		if err := x.r.keepSet(tx); err != nil {
			return err
		}
		j := x.r.judge()
		j.Now = time.Time{} // the calls have times of their own
		return j.Record(tx, guard.Proposal{Calls: calls})
	})
}

// CatchUp brings every rule set that was seen lately, and whose rules this
// program can still read, to the end of the traces of some sessions and of the
// project, so that pruning need not wait for it.
func (x *Records) CatchUp(sessions []string) error {
	if err := x.inForce(); err != nil {
		return err
	}
	if len(sessions) == 0 {
		sessions = []string{x.Session()}
	}
	for _, id := range sessions {
		err := x.store.UpdateTx(func(tx *store.Tx) error {
			of := tx.In(id)
			sets := slices.Concat(of.(*store.Tx).SetsAt(state.Session), tx.SetsAt(state.Project))
			slices.SortFunc(sets, compareDigests)
			for _, set := range slices.Compact(sets) {
				if err := x.catchUp(of, set); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func compareDigests(a, b state.Digest) int { return slices.Compare(a[:], b[:]) }

// catchUp does so for one set; one that is no longer cached is left.
func (x *Records) catchUp(tx state.Tx, set state.Digest) error {
	c, err := rules.OpenSet(func(name string) ([]byte, bool) { return tx.SetPart(set, name) }, x.r.context())
	if err != nil {
		return nil
	}
	j := guard.Judge{Book: guard.Book(c, set), Harness: x.r.p.Profile.Name, Now: x.r.now, Context: x.r.context()}
	return j.CatchUp(tx)
}
