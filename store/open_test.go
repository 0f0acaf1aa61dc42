package store

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

func TestBusyUntilTheDeadline(t *testing.T) {
	o := testOptions(t)
	appendCalls(t, Open(o), 1)
	h, err := Open(o).open(true)
	if err != nil {
		t.Fatal(err)
	}
	o.Deadline = 30 * time.Millisecond
	for _, run := range []func() error{
		func() error { return Open(o).View(func(state.Tx) error { return nil }) },
		func() error { return Open(o).Update(func(state.Tx) error { return nil }) },
	} {
		begin := time.Now()
		err := run()
		if !errors.Is(err, ErrBusy) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(begin); took < o.Deadline || took > 10*o.Deadline {
			t.Errorf("it waited %v", took)
		}
	}
	o.Deadline = 0
	done := make(chan error)
	go func() { done <- Open(o).View(func(state.Tx) error { return nil }) }()
	time.Sleep(5 * time.Millisecond)
	if err := h.use(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the lock was free at last: %v", err)
	}
}

func TestReadersShare(t *testing.T) {
	o := testOptions(t)
	appendCalls(t, Open(o), 1)
	o.Deadline = 50 * time.Millisecond
	view(t, Open(o), func(*Tx) {
		view(t, Open(o), func(tx *Tx) {
			if tx.Len(state.Project) != 1 {
				t.Error("nothing to read")
			}
		})
		if err := Open(o).UpdateTx(func(tx *Tx) error { return tx.PutMeta("a", "b") }); !errors.Is(err, ErrBusy) {
			t.Errorf("a writer got in: %v", err)
		}
	})
}

func TestOtherFormats(t *testing.T) {
	for _, tt := range []struct {
		format string
		want   error
	}{{"1.0", nil}, {"1.7", nil}, {"2.0", ErrNewer}, {"10.1", ErrNewer}, {"", ErrCorrupt}, {"x", ErrCorrupt}, {"0.9", ErrCorrupt}} {
		o := testOptions(t)
		s := Open(o)
		update(t, s, func(tx *Tx) error { return tx.PutMeta("format", tt.format) })
		err := s.View(func(state.Tx) error { return nil })
		if !errors.Is(err, tt.want) {
			t.Errorf("format %q: %v, want %v", tt.format, err, tt.want)
		}
		if uerr := s.Update(func(state.Tx) error { return nil }); !errors.Is(uerr, tt.want) {
			t.Errorf("format %q: update: %v", tt.format, uerr)
		}
		if !errors.Is(tt.want, ErrNewer) {
			continue
		}
		if n, ok := errors.AsType[*NewerError](err); !ok || n.Have != tt.format || n.Want != format {
			t.Errorf("format %q: %v names no versions", tt.format, err)
		}
	}
}

func TestUnsafeFiles(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(path string) error
	}{
		{"symbolic link", func(path string) error {
			if err := os.Rename(path, path+".real"); err != nil {
				return err
			}
			return os.Symlink(path+".real", path)
		}},
		{"others may write", func(path string) error { return os.Chmod(path, 0o666) }},
		{"folder", func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }},
		{"folder of all", func(path string) error { return os.Chmod(filepath.Dir(path), 0o777) }},
	} {
		s := Open(testOptions(t))
		appendCalls(t, s, 1)
		if err := tt.make(s.Path()); err != nil {
			t.Fatal(err)
		}
		if err := s.View(func(state.Tx) error { return nil }); !errors.Is(err, ErrUnsafe) {
			t.Errorf("%s: view: %v", tt.name, err)
		}
	}
}

// Whatever a file holds, the worst is an ErrCorrupt or an error: no panic, no
// fault, no hang, and never silently an empty store.
func TestDamagedFiles(t *testing.T) {
	o := testOptions(t)
	o.NoSync = true
	s := Open(o)
	appendCalls(t, s, 300)
	update(t, s, func(tx *Tx) error {
		return errors.Join(reserve(tx, "r"), tx.PutSet(digest(100), map[string][]byte{"head": []byte("h")}, refs(1)),
			tx.PutSetPosition(state.Session, digest(100), 10), tx.PutMemory(state.Session, state.Memory{Finishes: 1}))
	})
	sound, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	read := func(tx *Tx) error {
		tx.Memory(state.Session)
		tx.Reservations(state.Project)
		tx.Checkpoint(state.Session, digest(1))
		n := 0
		for range tx.Calls(state.Session, 0, nil) {
			n++
		}
		if n != 300 {
			return errors.New("calls are missing")
		}
		return nil
	}
	rng := rand.New(rand.NewPCG(5, 6))
	damages := map[string]func() []byte{
		"empty":     func() []byte { return nil },
		"text":      func() []byte { return []byte("no store") },
		"zeros":     func() []byte { return make([]byte, len(sound)) },
		"cut":       func() []byte { return slices.Clone(sound[:len(sound)/2]) },
		"one page":  func() []byte { return slices.Clone(sound[:os.Getpagesize()]) },
		"cut short": func() []byte { return slices.Clone(sound[:3*os.Getpagesize()]) },
	}
	for range 300 {
		damages["random "+string(rune('a'+len(damages)))] = func() []byte {
			data := slices.Clone(sound)
			for range 1 + rng.IntN(40) {
				data[rng.IntN(len(data))] = byte(rng.IntN(256))
			}
			return data
		}
	}
	corrupt := 0
	for name, damage := range damages {
		if err := os.WriteFile(s.Path(), damage(), 0o600); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		verr := s.ViewTx(read)
		uerr := s.UpdateTx(func(tx *Tx) error {
			if err := read(tx); err != nil {
				return err
			}
			_, err := tx.Append(call("y", 1000))
			return err
		})
		if took := time.Since(begin); took > 4*Deadline {
			t.Errorf("%s: it took %v: %v, %v", name, took, verr, uerr)
		}
		for _, err := range []error{verr, uerr} {
			if errors.Is(err, ErrCorrupt) {
				corrupt++
			}
			if err == nil && !strings.HasPrefix(name, "random") {
				t.Errorf("%s: went unnoticed", name)
			}
		}
		if !strings.HasPrefix(name, "random") && !errors.Is(verr, ErrCorrupt) {
			t.Errorf("%s: %v is no ErrCorrupt", name, verr)
		}
	}
	if corrupt < 100 {
		t.Errorf("only %d damages were told as such", corrupt)
	}
}

func TestPanicsOfOthersGoOn(t *testing.T) {
	var nothing *error
	s := Open(testOptions(t))
	appendCalls(t, s, 1)
	for name, run := range map[string]func(){
		"view":   func() { _ = s.View(func(state.Tx) error { panic("mine") }) },
		"update": func() { _ = s.Update(func(tx state.Tx) error { _ = tx.PutMeta("a", "b"); panic("mine") }) },
		"nil":    func() { _ = s.View(func(state.Tx) error { return *nothing }) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			run()
		}()
	}
	// The lock is free and nothing was kept.
	view(t, s, func(tx *Tx) {
		if tx.Meta("a") != "" {
			t.Error("a write before a panic was kept")
		}
	})
	appendCalls(t, s, 1)
}

// An empty folder of a bbolt file that is none of ours is damage, not an empty
// store.
func TestForeignFile(t *testing.T) {
	s := Open(testOptions(t))
	db, err := bbolt.Open(s.Path(), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.View(func(state.Tx) error { return nil }); !errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}

func TestUnwritableFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes everywhere")
	}
	o := testOptions(t)
	if err := os.Chmod(o.Dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := Open(o).Update(func(tx state.Tx) error { return tx.PutMeta("a", "b") }); err == nil {
		t.Error("written")
	}
}

func TestNothingWrittenNothingSynced(t *testing.T) {
	s := Open(testOptions(t))
	appendCalls(t, s, 1)
	before, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	update(t, s, func(tx *Tx) error { tx.Len(state.Project); return tx.PutMeta("root", tx.Meta("root")) })
	after, err := os.ReadFile(s.Path())
	if err != nil || !slices.Equal(before, after) {
		t.Error("a transaction without writes changed the file")
	}
}

func TestPaths(t *testing.T) {
	root := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	if ID(root) != ID(link) || ID(root) != ID(root+"/./") {
		t.Error("two ways to one project are two projects")
	}
	if ID(filepath.Join(link, "gone", "deep")) != ID(filepath.Join(root, "gone", "deep")) {
		t.Error("of a folder that is gone the links above are not resolved")
	}
	if id := ID("/"); len(id) != 16 || strings.Trim(id, "0123456789abcdef") != "" {
		t.Errorf("ID = %q", id)
	}
}

func TestSpoolFoldsInByTime(t *testing.T) {
	o := testOptions(t)
	s := Open(o)
	appendCalls(t, s, 1)
	update(t, s, func(tx *Tx) error { return reserve(tx, "t1") })
	event := func(session, id string, after int) {
		o.Session = session
		c := call("y", after)
		c.ID = id
		e := Spooled{Time: c.Time, ID: id, Ticket: id, Calls: []trace.Call{c}}
		if err := Open(o).Spool(e); err != nil {
			t.Fatal(err)
		}
	}
	event("s2", "late", 20)
	event("s1", "t1", 10)
	event("s1", "t1", 11) // the same event again
	if err := os.WriteFile(filepath.Join(s.spoolDir(), "0-bad.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if i, err := s.Inspect(); err != nil || i.Spool != 4 || i.Oldest.IsZero() {
		t.Errorf("%+v, %v", i, err)
	}
	view(t, s, func(tx *Tx) {
		var got []string
		for _, c := range tx.Calls(state.Project, 0, nil) {
			got = append(got, c.Session+" "+c.ID)
		}
		if want := []string{"s1 x-0", "s1 t1", "s2 late"}; !slices.Equal(got, want) {
			t.Errorf("recorded %v, want %v", got, want)
		}
		if left := tx.Reservations(state.Session); len(left) > 0 {
			t.Errorf("reservations left: %v", left)
		}
		if c, ok := tx.CallID("t1"); !ok || c.State != Recorded {
			t.Errorf("call id: %v %v", c, ok)
		}
	})
	if i, err := s.Inspect(); err != nil || i.Spool != 0 || i.Bad != 1 {
		t.Errorf("afterwards: %+v, %v", i, err)
	}
	update(t, s, func(tx *Tx) error { return tx.PutMeta("a", "b") })
	view(t, s, func(tx *Tx) {
		if k, _ := tx.root(bFolded).Cursor().First(); k != nil {
			t.Errorf("still remembers %s", k)
		}
	})
}

// Events of a store that does not exist any more make it again.
func TestSpoolWithoutAStore(t *testing.T) {
	s := Open(testOptions(t))
	if err := s.Spool(Spooled{Time: start, Calls: []trace.Call{call("x", 1)}}); err != nil {
		t.Fatal(err)
	}
	view(t, s, func(tx *Tx) {
		if tx.Len(state.Session) != 1 {
			t.Error("not recorded")
		}
	})
}
