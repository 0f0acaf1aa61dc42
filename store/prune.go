package store

import (
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// PruneOptions say which raw calls may go. Checkpoints never go with them, and a
// call stays as long as a rule used lately has not consumed it.
type PruneOptions struct {
	Sessions bool      // the traces of sessions: all, or the one named
	Session  string    // only this one; "": all
	Project  bool      // the project's trace, and with it what sessions share with it
	Keep     Keep      // newest calls to keep
	Before   time.Time // keep only calls from then on; zero: all
	DryRun   bool
}

// Keep is how many of the newest calls of a trace stay; negative: all.
type Keep struct{ Session, Project int }

// A PruneReport says what went, or would go.
type PruneReport struct {
	Project   int            // calls removed from the project's trace
	Sessions  map[string]int // calls removed from the traces of sessions, by id
	Holds     []Hold         // rules that keep more from going
	Rewritten bool
	Before    int64 // size of the file
	After     int64
}

const (
	// pruneBatch calls go in one transaction: it holds their pages in memory.
	pruneBatch = 10_000
	// dailyRewrite is the largest file a hook rewrites: others wait for the lock
	// meanwhile, about a second for this size. A larger one is left to "prune".
	dailyRewrite = 128 << 20
)

// Prune removes raw calls and rewrites the file when much of it is free.
func (s *Session) Prune(o PruneOptions) (r PruneReport, err error) {
	whole, err := s.planned(o)
	r = whole.report
	if err != nil || o.DryRun {
		return r, err
	}
	if whole.share() > freeShare {
		err = s.cutInCopy(o)
		r.Rewritten = err == nil
	} else {
		for more := true; more && err == nil; {
			more, err = s.pruneStep(o, pruneBatch)
		}
		if err == nil {
			r.Rewritten, err = s.rewriteIfFree(0)
		}
	}
	r.After = s.size()
	return r, err
}

// mPruneDay is the day of the last daily prune.
const mPruneDay = "prune-day"

// Daily does the chores of a day once, for a hook with little time: it removes
// raw calls beyond keep, at most some thousand a day, and checkpoints of older
// codecs that nobody used for a month. ran: this was the first time today.
func (s *Session) Daily(keep Keep) (r PruneReport, ran bool, err error) {
	o := PruneOptions{Sessions: true, Project: true, Keep: keep}
	due := false
	err = s.ViewTx(func(t *Tx) error { // most starts take no exclusive lock
		due = t.core.tx != nil && t.Meta(mPruneDay) != fmt.Sprint(t.today())
		return nil
	})
	if err != nil || !due {
		return r, false, err
	}
	err = s.update(func(t *Tx) error {
		today := fmt.Sprint(t.today())
		if t.Meta(mPruneDay) == today || t.Len(state.Project) == 0 {
			return nil
		}
		ran = true
		p := t.plan(o, pruneBatch)
		r = p.report
		return errors.Join(t.apply(p), t.forgetOld(), t.PutMeta(mPruneDay, today))
	})
	if err == nil && ran {
		s.sweep()
		r.Rewritten, err = s.rewriteIfFree(dailyRewrite)
	}
	return r, ran, err
}

// planned is the plan for all that o asks for.
func (s *Session) planned(o PruneOptions) (p plan, err error) {
	err = s.ViewTx(func(t *Tx) error {
		p = t.plan(o, 0)
		return nil
	})
	p.report.Before = s.size()
	p.report.After = p.report.Before
	return p, err
}

// pruneStep removes at most so many calls of each trace.
func (s *Session) pruneStep(o PruneOptions, most int) (more bool, err error) {
	err = s.update(func(t *Tx) error {
		p := t.plan(o, most)
		more = !p.empty()
		return t.apply(p)
	})
	return more, err
}

// cutInCopy removes all at once, by leaving it out of a copy of the file: for
// nine calls of ten that takes a tenth of the time and leaves no free pages.
func (s *Session) cutInCopy(o PruneOptions) error {
	h, err := s.open(true)
	if err != nil {
		return err
	}
	return h.use(func() error {
		var p plan
		var last trace.Hash
		var newest time.Time
		err := s.reading(h, func(t *Tx) error {
			p = t.plan(o, 0) // again: now under the lock
			last, newest = t.hashBefore(p.number), t.newest()
			return nil
		})
		if err != nil || p.empty() {
			return err
		}
		return s.rewrite(h, p.keeps, func(t *Tx) error {
			if p.report.Project == 0 {
				return nil
			}
			return t.putPruned(last, newest)
		})
	})
}

// rewriteIfFree writes the file anew when enough of it is free; a file over the
// limit (0: none) is left.
func (s *Session) rewriteIfFree(limit int64) (bool, error) {
	stats := *s
	stats.o.stats = true
	h, err := stats.open(true)
	if err != nil {
		return false, err
	}
	done := false
	err = h.use(func() error {
		var size int64
		err := s.reading(h, func(t *Tx) error { size = t.core.tx.Size(); return nil })
		i := Info{Pages: int(size / int64(h.db.Info().PageSize)), Free: h.db.Stats().FreePageN}
		if err != nil || !i.Crowded() || limit > 0 && size > limit {
			return err
		}
		done = true
		return s.rewrite(h, nil, nil)
	})
	return done && err == nil, err
}

// reading runs fn in a read transaction of a file that is open for writing.
func (s *Session) reading(h *handle, fn func(*Tx) error) error {
	tx, err := h.begin(false)
	if err != nil {
		return err
	}
	t := newTx(s, tx)
	if err = t.check(h); err == nil {
		err = fn(t)
	}
	return errors.Join(err, tx.Rollback())
}

// apply removes what a plan says.
func (t *Tx) apply(p plan) error {
	if p.empty() {
		return nil
	}
	calls, err := t.makeRoot(bCalls)
	if err != nil {
		return err
	}
	if p.report.Project > 0 {
		if err := t.putPruned(t.hashBefore(p.number), t.newest()); err != nil {
			return err
		}
		if err := deleteBelow(calls, p.number); err != nil {
			return err
		}
	}
	all, err := t.makeRoot(bSessions)
	if err != nil {
		return err
	}
	for session, first := range p.sessions {
		if err := deleteBelow(all.Bucket([]byte(session)).Bucket([]byte(bList)), first); err != nil {
			return err
		}
	}
	return nil
}

// putPruned keeps what the calls that go leave behind.
func (t *Tx) putPruned(last trace.Hash, newest time.Time) error {
	return errors.Join(t.PutMeta(mPruned, hex.EncodeToString(last[:])), t.PutMeta(mNewest, trace.FormatTime(newest)))
}

// deleteBelow removes the keys before a number.
func deleteBelow(b *bbolt.Bucket, n int) error {
	var keys [][]byte
	c := b.Cursor()
	for k, _ := c.First(); k != nil && fromNumber(k) < n; k, _ = c.Next() {
		keys = append(keys, number(fromNumber(k)))
	}
	for _, k := range keys {
		if err := del(b, k, "prune"); err != nil {
			return err
		}
	}
	return nil
}

// hashBefore is the hash of the call in front of a number.
func (t *Tx) hashBefore(n int) trace.Hash {
	if v := get(t.root(bCalls), number(n-1)); len(v) >= hashLen {
		return trace.Hash(v[:hashLen])
	}
	return t.prunedHash()
}
