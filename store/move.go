package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

var (
	// ErrNoStore means that there is no store where one was to be taken from.
	ErrNoStore = errors.New("no store there")
	// ErrInUse means that a store with recorded calls is in the way.
	ErrInUse = errors.New("a store with recorded calls is here already")
)

// A MoveReport says what Move did, or would do.
type MoveReport struct {
	From, To string
	Calls    int
	Replaced string // where the store that was here is kept; "": there was none with calls
}

// Find is the store file that a person means by old: a store file, or the former
// root of a project, below the state directory dir.
func Find(dir, old string, o Options) (string, error) {
	if strings.HasSuffix(old, ".db") {
		if info, err := os.Lstat(old); err == nil && info.Mode().IsRegular() {
			return filepath.Abs(old)
		}
	}
	path := Path(dir, old)
	if _, err := os.Lstat(path); err == nil {
		return path, nil
	}
	// The way to a folder that is gone may have led over links: ask the stores.
	abs, err := filepath.Abs(old)
	if err != nil {
		return "", err
	}
	paths, err := List(dir)
	for _, p := range paths {
		o.Path = p
		if i, err := Open(o).Inspect(); err == nil && (i.Root == old || i.Root == abs) {
			return p, nil
		}
	}
	if err != nil {
		return "", err
	}
	return "", fmt.Errorf("%s: %w", old, ErrNoStore)
}

// Move makes the store in the file old this project's: under both locks its
// root is rewritten and the file renamed, its waiting events with it. A store
// with recorded calls that is here is refused, or with force kept aside.
func (s *Session) Move(old string, force, dryRun bool) (r MoveReport, err error) {
	r.From, r.To = old, s.path
	if old == s.path {
		return r, fmt.Errorf("%s: %w", old, ErrInUse)
	}
	from := *s
	from.path = old
	if _, err := os.Lstat(old); errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("%s: %w", old, ErrNoStore)
	}
	err = from.ViewTx(func(t *Tx) error {
		r.Calls = t.Len(state.Project)
		return nil
	})
	if err != nil {
		return r, err
	}
	h, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		if dryRun {
			return r, nil
		}
		return r, from.moveTo(s)
	}
	if err != nil {
		return r, err
	}
	here := 0
	err = h.use(func() error {
		return s.reading(h, func(t *Tx) error { here = t.Len(state.Project); return nil })
	})
	if err != nil {
		return r, err
	}
	if here > 0 && !force {
		return r, fmt.Errorf("%s: %w (%d calls)", s.path, ErrInUse, here)
	}
	if here > 0 {
		r.Replaced = s.aside(".replaced-")
	}
	if dryRun {
		return r, nil
	}
	return r, s.moveHere(&from, r.Replaced)
}

// aside is a free name beside the store for keeping it.
func (s *Session) aside(mark string) string {
	stamp := s.o.Now.UTC().Format("20060102T150405Z")
	path := s.path + mark + stamp
	for i := 2; ; i++ {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path
		}
		path = fmt.Sprintf("%s%s%s-%d", s.path, mark, stamp, i)
	}
}

// moveHere is the rest of Move where a store is in the way: it holds that one's
// lock, so nobody records a call in it that would be lost.
func (s *Session) moveHere(from *Session, replaced string) error {
	h, err := s.open(true)
	if err != nil {
		return err
	}
	return h.use(func() error {
		if replaced != "" {
			fault("move.aside.before")
			if err := os.Rename(s.path, replaced); err != nil {
				return fmt.Errorf("keep the store aside: %w", err)
			}
			fault("move.aside.after")
		}
		return from.moveTo(s)
	})
}

// moveTo renames the file under its lock. The new root is in it before: a crash
// in between leaves a store that Find still finds.
func (s *Session) moveTo(to *Session) error {
	if err := os.MkdirAll(filepath.Dir(to.path), 0o700); err != nil {
		return fmt.Errorf("store folder: %w", err)
	}
	h, err := s.open(true)
	if err != nil {
		return err
	}
	return h.use(func() error {
		root := ""
		if to.o.Root != "" {
			root = RealPath(to.o.Root)
		}
		err := s.write(h, func(t *Tx) error {
			return errors.Join(t.PutMeta("root", root), t.PutMeta("moved", trace.FormatTime(s.o.Now)))
		})
		if err != nil {
			return err
		}
		fault("move.rename.before")
		err = os.Rename(s.path, to.path)
		if errors.Is(err, syscall.EXDEV) {
			if err = to.rewrite(h, nil, nil); err == nil {
				err = os.Remove(s.path)
			}
		}
		if err != nil {
			return fmt.Errorf("move store: %w", err)
		}
		fault("move.rename.after")
		return syncDir(filepath.Dir(to.path))
	})
}
