package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/state"
)

// An Info is what doctor says about a store.
type Info struct {
	Path    string
	Root    string // project it was made for
	Format  string
	Program string // version that made it
	Calls   int    // ever recorded
	Kept    int    // of them with their entries
	Size    int64
	Pages   int
	Free    int       // pages
	Spool   int       // events that wait
	Oldest  time.Time // of them; zero: none
	Bad     int       // spool files that did not decode
}

// FreeShare is the part of the file that is free pages.
func (i *Info) FreeShare() float64 { return float64(i.Free) / float64(max(i.Pages, 1)) }

// Crowded says whether pruning would rewrite the file.
func (i *Info) Crowded() bool { return i.Free > freeLeast && i.FreeShare() > freeShare }

// Inspect opens the store to look at it, at the price of reading its list of
// free pages. It folds nothing in. A store that is not there is no error: Format
// is then "".
func (s *Session) Inspect() (i Info, err error) {
	i.Path = s.path
	if err := s.inspectSpool(&i); err != nil {
		return i, err
	}
	stats := *s
	stats.o.stats = true
	h, err := stats.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return i, nil
	}
	if err != nil {
		return i, err
	}
	err = h.use(func() error {
		return stats.reading(h, func(t *Tx) error {
			i.Root, i.Format, i.Program = t.Meta("root"), t.Meta("format"), t.Meta("program")
			if calls := t.root(bCalls); calls != nil {
				i.Calls = int(calls.Sequence())
				i.Kept = i.Calls - firstKey(calls)
			}
			i.Size = fileSize(h)
			i.Pages = int(t.core.tx.Size() / int64(h.db.Info().PageSize))
			i.Free = h.db.Stats().FreePageN
			return nil
		})
	})
	return i, err
}

func fileSize(h *handle) int64 {
	if info, err := h.file.Stat(); err == nil {
		return info.Size()
	}
	return 0
}

func (s *Session) inspectSpool(i *Info) error {
	names, err := spoolFiles(s.spoolDir())
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	i.Spool = len(names)
	if len(names) > 0 {
		if info, err := os.Stat(filepath.Join(s.spoolDir(), names[0])); err == nil {
			i.Oldest = info.ModTime()
		}
	}
	bad, err := filepath.Glob(filepath.Join(s.spoolDir(), "*"+badSuffix))
	i.Bad = len(bad)
	return err
}

// Verify reads every page that holds something, and the hash chain of the kept
// calls. It takes seconds for a large file. (bbolt's own check works in another
// goroutine, where what it does on damage cannot be caught.)
func (s *Session) Verify() error {
	return s.ViewTx(func(t *Tx) error {
		if t.core.tx == nil {
			return nil
		}
		page := newPager(t.core.tx)
		err := t.core.tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return walk(b, page) })
		if err != nil {
			return corrupt(s.path, err.Error())
		}
		return t.verifyChain()
	})
}

func walk(b *bbolt.Bucket, page *pager) error {
	var last []byte
	return b.ForEach(func(k, v []byte) error {
		if last != nil && bytes.Compare(last, k) >= 0 {
			return errors.New("keys are not in order")
		}
		last = append(last[:0], k...)
		if v == nil {
			return walk(b.Bucket(k), page)
		}
		page.passed(len(k) + len(v))
		return nil
	})
}

// A SessionInfo is one line of "trace --list".
type SessionInfo struct {
	ID     string
	Calls  int // ever recorded
	Pruned int
	Last   time.Time // of the last call, or the last use
	Memory state.Memory
}

// Sessions lists the sessions of the project, the one used last first.
func (t *Tx) Sessions() (list []SessionInfo) {
	t.eachSession(func(id string, _ *bbolt.Bucket) bool {
		of := t.in(id)
		if of.child() {
			return true
		}
		i := SessionInfo{ID: id, Calls: of.Len(state.Session), Pruned: of.First(state.Session), Memory: of.Memory(state.Session)}
		i.Last = i.Memory.LastUse
		if i.Calls > i.Pruned {
			if at := of.at(state.Session, i.Calls-1).Time; at.After(i.Last) {
				i.Last = at
			}
		}
		list = append(list, i)
		return true
	})
	slices.SortStableFunc(list, func(a, b SessionInfo) int { return b.Last.Compare(a.Last) })
	return list
}

// LastSession is the id of the session used last; "": there is none.
func (t *Tx) LastSession() string {
	if list := t.Sessions(); len(list) > 0 {
		return list[0].ID
	}
	return ""
}

// SetsAt names the sets that have a position in the scope, of our codec.
func (t *Tx) SetsAt(s state.Scope) (list []state.Digest) {
	for _, p := range t.positions(s) {
		if p.codec == t.core.s.o.Codec {
			list = append(list, p.set)
		}
	}
	return list
}

// List names the stores of a state directory, in order.
func List(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".db"); ok && len(id) == 16 && isHex(id) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdef") == ""
}

// An Orphan is a store whose project is no longer where it was.
type Orphan struct {
	Path, Root string
	Calls      int
}

// Orphans finds those among the stores of a state directory. What cannot be
// opened is passed over: it is no orphan as far as anybody knows.
func Orphans(dir string, o Options) (list []Orphan, err error) {
	paths, err := List(dir)
	for _, p := range paths {
		o.Path = p
		i, err := Open(o).Inspect()
		if err != nil || i.Root == "" {
			continue
		}
		if _, err := os.Stat(i.Root); errors.Is(err, fs.ErrNotExist) || ID(i.Root)+".db" != filepath.Base(p) {
			list = append(list, Orphan{Path: p, Root: i.Root, Calls: i.Calls})
		}
	}
	return list, err
}

// A Fault is something wrong with the modes of a state directory.
type Fault struct{ Path, What string }

// Permissions looks for files and folders that others can read or write, that
// are not ours, or that are links (doctor: state.permissions).
func Permissions(dir string) (faults []Fault, err error) {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	faults = permissionFault(faults, dir, info)
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !strings.Contains(e.Name(), ".db") {
			continue
		}
		if info, err := os.Lstat(path); err == nil {
			faults = permissionFault(faults, path, info)
		}
	}
	return faults, err
}

func permissionFault(faults []Fault, path string, info fs.FileInfo) []Fault {
	uid, known := owner(info)
	switch perm := info.Mode().Perm(); {
	case info.Mode()&fs.ModeSymlink != 0:
		return append(faults, Fault{path, "is a symbolic link"})
	case known && uid != os.Geteuid():
		return append(faults, Fault{path, fmt.Sprintf("belongs to user %d", uid)})
	case ownLock && perm&0o077 != 0:
		return append(faults, Fault{path, fmt.Sprintf("has mode %04o", perm)})
	}
	return faults
}

// Known says whether anything was ever kept for this session.
func (t *Tx) Known() bool { return t.scope(state.Session) != nil && !t.child() }

// child says whether all that is kept is whose child the session is.
func (t *Tx) child() bool {
	return t.Len(state.Session) == 0 && get(t.scope(state.Session), []byte(kState)) == nil &&
		get(t.sub(state.Session, bAgents), name(t.session)) != nil
}

// AllDecisions are those of every session, newest first.
func (t *Tx) AllDecisions() iter.Seq2[string, state.Decision] {
	return func(yield func(string, state.Decision) bool) {
		byNumber := map[int][]byte{}
		t.eachSession(func(_ string, b *bbolt.Bucket) bool {
			each(child(b, bDecisions), nil, func(k, v []byte) bool {
				byNumber[fromNumber(k)] = v
				return true
			})
			return true
		})
		numbers := slices.Sorted(maps.Keys(byNumber))
		for _, n := range slices.Backward(numbers) {
			var d state.Decision
			decode(byNumber[n], &d, "decision")
			if !yield(strconv.Itoa(n), d) {
				return
			}
		}
	}
}
