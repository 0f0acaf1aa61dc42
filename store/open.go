package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// A handle is the open, locked file.
type handle struct {
	db   *bbolt.DB
	tx   *bbolt.Tx // open, for a panic to roll back
	file *os.File
	path string
}

// view runs fn on a read transaction; without a file on one of an empty store.
func (s *Session) view(fn func(*Tx) error) error {
	h, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return fn(newTx(s, nil))
	}
	if err != nil {
		return err
	}
	return h.use(func() error {
		tx, err := h.begin(false)
		if err != nil {
			return err
		}
		t := newTx(s, tx)
		if err = t.check(h); err == nil {
			err = fn(t)
		}
		return errors.Join(err, tx.Rollback())
	})
}

// update runs fn in a write transaction after folding in the spool, and commits
// if anything was written.
func (s *Session) update(fn func(*Tx) error) error {
	h, err := s.open(true)
	if err != nil {
		return err
	}
	return h.use(func() error { return s.write(h, fn) })
}

// write is update on an open file.
func (s *Session) write(h *handle, fn func(*Tx) error) error {
	tx, err := h.begin(true)
	if err != nil {
		return err
	}
	t := newTx(s, tx)
	var folded []string
	if err = t.check(h); err == nil {
		folded, err = t.fold()
	}
	if err == nil {
		err = fn(t)
	}
	if err != nil || !t.core.dirty {
		return errors.Join(err, tx.Rollback())
	}
	fault("commit.before")
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("write store %s: %w", s.path, err)
	}
	fault("commit.after")
	return s.unspool(folded)
}

// open opens and locks the file; for writing it makes it first if it is missing.
func (s *Session) open(write bool) (*handle, error) {
	timer := time.NewTimer(s.o.Deadline)
	defer timer.Stop()
	if write {
		if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
			return nil, fmt.Errorf("store folder: %w", err)
		}
	}
	for {
		h, err := openFile(s.path, write, s.o, timer.C)
		if !write || !errors.Is(err, fs.ErrNotExist) {
			return h, err
		}
		if err := s.create(); err != nil {
			return nil, err
		}
	}
}

// openFile opens a store file under the lock. The caller closes it through use.
func openFile(path string, write bool, o Options, done <-chan time.Time) (*handle, error) {
	h := &handle{path: path}
	opts := &bbolt.Options{
		ReadOnly:     !write,
		NoStatistics: !o.stats,
		NoSync:       o.NoSync,

		PreLoadFreelist: o.stats,
		// The lock is held when bbolt asks for it; where it is not (Windows), bbolt waits.
		Timeout: max(o.Deadline, time.Millisecond),
		OpenFile: func(string, int, os.FileMode) (f *os.File, err error) {
			if h.file, err = openLocked(path, write, done); err != nil {
				return nil, err
			}
			if info, err := h.file.Stat(); err == nil && info.Size() == 0 {
				return nil, corrupt(path, "the file is empty") // bbolt would start anew
			}
			return h.file, nil
		},
	}
	var err error
	err = guarded(path, func() (err error) {
		h.db, err = bbolt.Open(path, 0o600, opts)
		return err
	})
	switch {
	case err == nil:
		h.db.AllocSize = allocSize
		return h, nil
	case errors.Is(err, berrors.ErrTimeout):
		err = ErrBusy
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		err = corrupt(path, err.Error())
	case strings.HasPrefix(err.Error(), "file size too small"):
		err = corrupt(path, err.Error())
	}
	if h.file != nil {
		abandon(h.file)
	}
	if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrUnsafe) {
		return nil, err
	}
	return nil, fmt.Errorf("open store %s: %w", path, err)
}

// openLocked opens the file and takes its lock. Whoever waited may hold the lock
// of a file that was replaced meanwhile: then it opens the new one.
func openLocked(path string, write bool, done <-chan time.Time) (*os.File, error) {
	flag := os.O_RDONLY
	if write {
		flag = os.O_RDWR
	}
	for {
		f, err := os.OpenFile(path, flag|noFollow, 0)
		if err != nil {
			return nil, symlinked(path, err)
		}
		same, err := lockChecked(f, path, write, done)
		if err != nil {
			_ = f.Close()
			return nil, err
		}
		if same {
			return f, nil
		}
		_ = f.Close()
	}
}

func lockChecked(f *os.File, path string, write bool, done <-chan time.Time) (same bool, err error) {
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}
	if err := errors.Join(checkFile(path, opened), checkDir(filepath.Dir(path))); err != nil {
		return false, err
	}
	if err := lock(f, write, done); err != nil {
		return false, err
	}
	there, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return err == nil && os.SameFile(opened, there), nil
}

// symlinked names the trouble that opening without following links reports in
// words of the system.
func symlinked(path string, err error) error {
	if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("store %s: %w: a symbolic link", path, ErrUnsafe)
	}
	return err
}

func (h *handle) begin(write bool) (*bbolt.Tx, error) {
	tx, err := h.db.Begin(write)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", h.path, err)
	}
	h.tx = tx
	return tx, nil
}

// use runs fn and closes the file, also after a panic. After damage bbolt's own
// locks may be held, and closing through it would hang: then only the
// descriptor, and with it the lock, goes.
func (h *handle) use(fn func() error) (err error) {
	done := false
	defer func() {
		if !done && h.tx != nil {
			_ = h.tx.Rollback()
		}
		if errors.Is(err, ErrCorrupt) {
			abandon(h.file)
			return
		}
		if cerr := h.db.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("close store %s: %w", h.path, cerr)
		}
	}()
	err = guarded(h.path, fn)
	done = true
	return err
}

// abandon gives up a file that bbolt cannot close any more. The lock is dropped
// first: as long as the file is mapped it outlives the descriptor.
func abandon(f *os.File) {
	unlock(f)
	_ = f.Close()
}

// guarded runs fn and turns what a damaged file makes bbolt or our decoding do
// (panics, memory faults beyond the end of the file) into an ErrCorrupt. A panic
// of anybody else goes on.
func guarded(path string, fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		what, ours := damageIn(p)
		if !ours {
			panic(p)
		}
		err = corrupt(path, what)
	}()
	return fn()
}

// damageIn says in words what a recovered panic tells about the file; false: it
// is none of the file's.
func damageIn(p any) (what string, ours bool) {
	if d, ok := p.(damage); ok {
		return d.what, true
	}
	if f, ok := p.(interface{ Addr() uintptr }); ok && f.Addr() != 0 {
		return "the file ends too early", true
	}
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprint(p), strings.HasPrefix(frame.Function, "go.etcd.io/bbolt")
		}
		if !more {
			return "", false
		}
	}
}

// check looks whether the file is a store that this program may use.
func (t *Tx) check(h *handle) error {
	info, err := h.file.Stat()
	if err != nil {
		return fmt.Errorf("open store %s: %w", h.path, err)
	}
	if info.Size() < t.core.tx.Size() {
		return corrupt(h.path, fmt.Sprintf("%d bytes of %d are there", info.Size(), t.core.tx.Size()))
	}
	have := t.Meta("format")
	maj, _, _ := strings.Cut(have, ".")
	n, err := strconv.Atoi(maj)
	switch {
	case err != nil || n < 1:
		return corrupt(h.path, "no format version in it")
	case n > major:
		return fmt.Errorf("open store %s: %w", h.path, &NewerError{Have: have, Want: format})
	}
	return nil
}

// size of the file; 0: not there.
func (s *Session) size() int64 {
	info, err := os.Stat(s.path)
	if err != nil {
		return 0
	}
	return info.Size()
}
