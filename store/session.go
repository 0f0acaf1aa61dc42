package store

import (
	"path/filepath"
	"time"

	"github.com/agentltl/agentltl-hook/internal/version"
	"github.com/agentltl/agentltl-hook/state"
)

// Options say which store, for whom, and since when. Dir and Root, or Path, are
// needed; the rest has useful zero values.
type Options struct {
	Dir      string        // state directory
	Root     string        // root of the project
	Path     string        // the file itself, in place of Dir; Root may be ""
	Session  string        // id of the session; "": "default" (rules.md 10)
	Now      time.Time     // when this process started: nothing here reads a clock
	Deadline time.Duration // how long to wait for the lock; zero: Deadline
	Codec    uint16        // codec version of checkpoints; zero: this program's
	Program  string        // version of the program; "": this program's
	NoSync   bool          // tests only: a crash of the machine may lose all
	stats    bool          // count free pages when opening
}

// A Session is a session and its project in a store. It is safe for concurrent
// use and holds neither file nor lock between its transactions.
type Session struct {
	o    Options
	path string
}

var _ state.Store = (*Session)(nil)

// Open names a session of a store. Nothing is opened or created before the
// first transaction, and a missing file is an empty store.
func Open(o Options) *Session {
	if o.Session == "" {
		o.Session = "default"
	}
	if o.Deadline == 0 {
		o.Deadline = Deadline
	}
	if o.Codec == 0 {
		o.Codec = version.CodecVersion()
	}
	if o.Program == "" {
		o.Program = version.String()
	}
	path := o.Path
	if path == "" {
		path = Path(o.Dir, o.Root)
	}
	return &Session{o: o, path: filepath.Clean(path)}
}

// Path is the store's file.
func (s *Session) Path() string { return s.path }

// ID is the session's id.
func (s *Session) ID() string { return s.o.Session }

// View runs fn on the store as it is. It takes a shared lock and creates
// nothing; calls that wait in the spool are folded in first, which takes an
// exclusive one.
func (s *Session) View(fn func(state.Tx) error) error {
	return s.ViewTx(func(t *Tx) error { return fn(t) })
}

// Update runs fn under the exclusive lock and keeps all it wrote, synced to
// disk, or, if fn returns an error, nothing.
func (s *Session) Update(fn func(state.Tx) error) error {
	return s.UpdateTx(func(t *Tx) error { return fn(t) })
}

// ViewTx is View for those who need more than state.Tx.
func (s *Session) ViewTx(fn func(*Tx) error) error {
	if s.spooled() {
		if err := s.UpdateTx(func(*Tx) error { return nil }); err != nil {
			return err
		}
	}
	return s.view(fn)
}

// UpdateTx is Update for those who need more than state.Tx.
func (s *Session) UpdateTx(fn func(*Tx) error) error { return s.update(fn) }
