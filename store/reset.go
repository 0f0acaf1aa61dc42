package store

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/state"
)

// ErrSound means that the store is not damaged, so there is nothing to set aside.
var ErrSound = errors.New("store is not damaged")

// ResetSession forgets a session: its trace, counters and decisions. Its calls
// stay in the project's trace. false: there is no such session.
func (t *Tx) ResetSession() (bool, error) {
	if t.scope(state.Session) == nil {
		return false, nil
	}
	for _, r := range t.Reservations(state.Session) {
		if err := t.DropReservation(t.session, r.Ticket); err != nil {
			return false, err
		}
	}
	all, err := t.makeRoot(bSessions)
	if err != nil {
		return false, err
	}
	t.own = nil
	return true, all.DeleteBucket(name(t.session))
}

// ResetProject begins the project's trace anew. Sessions keep theirs, and the
// calls in the file that they share; the hash chain goes on.
func (t *Tx) ResetProject() error {
	length := t.Len(state.Project) + t.metaInt(mBase)
	if err := t.PutMeta(mBase, strconv.Itoa(length)); err != nil {
		return err
	}
	p, err := t.makeRoot(bProject)
	if err != nil {
		return err
	}
	for _, b := range []string{bCP, bPositions, bVars, bValues} {
		if p.Bucket([]byte(b)) != nil {
			if err := p.DeleteBucket([]byte(b)); err != nil {
				return err
			}
		}
	}
	return p.Delete([]byte(kState))
}

// ResetAll forgets all sessions, the project's trace, and what a person allowed.
// Numbers and the hash chain go on after what went; the last good rules stay.
func (t *Tx) ResetAll() error {
	head := t.Head()
	calls, err := t.makeRoot(bCalls)
	if err != nil {
		return err
	}
	sequence := calls.Sequence()
	for _, b := range []string{bCalls, bSessions, bProject, bExceptions} {
		if err := t.core.tx.DeleteBucket([]byte(b)); err != nil {
			return err
		}
		if _, err := t.makeRoot(b); err != nil {
			return err
		}
	}
	t.own = nil
	return errors.Join(
		t.root(bCalls).SetSequence(sequence),
		t.PutMeta(mBase, strconv.FormatUint(sequence, 10)),
		t.PutMeta(mPruned, hex.EncodeToString(head[:])),
		t.PutMeta(mNewest, ""), // no rule remembers a time any more
	)
}

// ResetRule lets a rule begin anew in every trace in which it stands somewhere:
// what was recorded so far no longer counts for it. It returns in how many.
func (t *Tx) ResetRule(rule state.Digest) (n int, err error) {
	views := []*Tx{t}
	t.eachSession(func(id string, _ *bbolt.Bucket) bool {
		views = append(views, t.in(id))
		return true
	})
	for i, v := range views {
		s := state.Session
		if i == 0 {
			s = state.Project
		}
		if !v.stands(s, rule) {
			continue
		}
		n++
		err = errors.Join(err, v.DropCheckpoint(s, rule), v.PutCheckpoint(s, rule, state.Checkpoint{Calls: v.Len(s)}))
	}
	return n, err
}

// stands says whether a rule has a position of any codec.
func (t *Tx) stands(s state.Scope, rule state.Digest) bool {
	if b := t.sub(s, bCP); b != nil && len(codecs(b, rule, false)) > 0 {
		return true
	}
	for _, p := range t.positions(s) {
		if t.setHas(p.set, state.RuleRef{Scope: s, Digest: rule}) {
			return true
		}
	}
	return false
}

// ResetCorrupt keeps a damaged file aside, so that the next event starts a new
// one, and returns its new name. Events that wait are kept for the new file.
func (s *Session) ResetCorrupt() (aside string, err error) {
	err = s.Verify()
	switch {
	case err == nil:
		return "", fmt.Errorf("%s: %w", s.path, ErrSound)
	case !errors.Is(err, ErrCorrupt):
		return "", err
	}
	timer := time.NewTimer(s.o.Deadline)
	defer timer.Stop()
	f, err := openLocked(s.path, true, timer.C)
	if err != nil {
		return "", fmt.Errorf("open store %s: %w", s.path, err)
	}
	defer f.Close()
	aside = s.aside(".corrupt-")
	fault("corrupt.rename.before")
	if err := os.Rename(s.path, aside); err != nil {
		return "", fmt.Errorf("keep the store aside: %w", err)
	}
	fault("corrupt.rename.after")
	return aside, syncDir(filepath.Dir(s.path))
}

// Remove deletes a store with its waiting events, under its lock.
func (s *Session) Remove() error {
	timer := time.NewTimer(s.o.Deadline)
	defer timer.Stop()
	f, err := openLocked(s.path, true, timer.C)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", s.path, ErrNoStore)
	}
	if err != nil {
		return fmt.Errorf("open store %s: %w", s.path, err)
	}
	defer f.Close()
	return errors.Join(os.Remove(s.path), os.RemoveAll(s.spoolDir()))
}
