package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// twoSessions have three calls together, a rule that stands in each trace, a
// reservation each, and an exception.
func twoSessions(t *testing.T) (*Session, Options) {
	o := testOptions(t)
	for i, id := range []string{"a", "b", "a"} {
		o.Session = id
		update(t, Open(o), func(tx *Tx) error {
			if _, err := tx.Append(call("xyz"[i:i+1], i)); err != nil {
				return err
			}
			_, err := tx.PutException(state.Exception{Scope: "once"})
			return errors.Join(err, reserve(tx, "r"),
				tx.PutCheckpoint(state.Session, digest(1), state.Checkpoint{Calls: tx.Len(state.Session), State: []byte("s")}),
				tx.PutCheckpoint(state.Project, digest(1), state.Checkpoint{Calls: tx.Len(state.Project), State: []byte("p")}),
				tx.PutMemory(state.Session, state.Memory{Finishes: 1}))
		})
	}
	return Open(o), o
}

type traces struct{ Project, A, B []string }

func tracesOf(tx *Tx) traces {
	return traces{tools(tx, state.Project, 0), tools(tx.in("a"), state.Session, 0), tools(tx.in("b"), state.Session, 0)}
}

func TestResets(t *testing.T) {
	for _, tt := range []struct {
		name         string
		reset        func(tx *Tx) error
		want         traces
		reservations int
		rule         bool // the project's rule still stands where it did
	}{
		{"session", func(tx *Tx) error {
			if ok, err := tx.in("unknown").ResetSession(); ok || err != nil {
				t.Errorf("an unknown session: %v %v", ok, err)
			}
			_, err := tx.in("a").ResetSession()
			return err
		}, traces{[]string{"0 x", "1 y", "2 z"}, nil, []string{"0 y"}}, 1, true},
		{"project", (*Tx).ResetProject, traces{nil, []string{"0 x", "1 z"}, []string{"0 y"}}, 2, false},
		{"all", (*Tx).ResetAll, traces{}, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := twoSessions(t)
			var head trace.Hash
			view(t, s, func(tx *Tx) { head = tx.Head() })
			update(t, s, tt.reset)
			view(t, s, func(tx *Tx) {
				if diff := cmp.Diff(tt.want, tracesOf(tx)); diff != "" {
					t.Error(diff)
				}
				if n := len(tx.Reservations(state.Project)); n != tt.reservations {
					t.Errorf("%d reservations, want %d", n, tt.reservations)
				}
				if _, ok := tx.Checkpoint(state.Project, digest(1)); ok != tt.rule {
					t.Errorf("the project's rule stands: %v", ok)
				}
				if tx.Head() != head {
					t.Error("the hash chain was broken off")
				}
				if len(tx.Exceptions()) == 0 != (tt.name == "all") {
					t.Errorf("exceptions %v", tx.Exceptions())
				}
			})
			// Life goes on.
			for range 2 {
				update(t, s, func(tx *Tx) error { _, err := tx.in("a").Append(call("new", 50)); return err })
			}
			view(t, s, func(tx *Tx) {
				if want := len(tt.want.Project) + 2; tx.Len(state.Project) != want || len(tools(tx, state.Project, 0)) != want {
					t.Errorf("the project has %d calls, %v", tx.Len(state.Project), tools(tx, state.Project, 0))
				}
			})
			if err := s.Verify(); err != nil {
				t.Error(err)
			}
			if _, err := s.Prune(PruneOptions{Sessions: true, Project: true, Keep: Keep{1, 1}}); err != nil {
				t.Error(err)
			}
			view(t, s, func(tx *Tx) {
				if got := tools(tx, state.Project, 0); len(got) > 2 {
					t.Errorf("pruned to %v", got)
				}
			})
			if err := s.Verify(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestResetRule(t *testing.T) {
	s, o := twoSessions(t)
	o.Codec = 2
	update(t, Open(o), func(tx *Tx) error {
		return tx.PutCheckpoint(state.Project, digest(1), state.Checkpoint{Calls: 3, State: []byte("old codec")})
	})
	update(t, s, func(tx *Tx) error {
		if n, err := tx.ResetRule(digest(9)); n != 0 || err != nil {
			t.Errorf("an unknown rule: %d, %v", n, err)
		}
		n, err := tx.ResetRule(digest(1))
		if n != 3 {
			t.Errorf("reset in %d traces", n)
		}
		return err
	})
	view(t, s, func(tx *Tx) {
		for name, got := range map[string]func() (state.Checkpoint, bool){
			"project": func() (state.Checkpoint, bool) { return tx.Checkpoint(state.Project, digest(1)) },
			"a":       func() (state.Checkpoint, bool) { return tx.in("a").Checkpoint(state.Session, digest(1)) },
		} {
			want := map[string]int{"project": 3, "a": 2}[name]
			if cp, ok := got(); !ok || cp.State != nil || cp.Calls != want {
				t.Errorf("%s: %+v", name, cp)
			}
		}
	})
}

func TestResetCorruptKeepsTheFile(t *testing.T) {
	s, _ := twoSessions(t)
	if _, err := s.ResetCorrupt(); !errors.Is(err, ErrSound) {
		t.Errorf("of a sound store: %v", err)
	}
	data, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range [][]byte{[]byte("x"), {}, data[:len(data)/2]} {
		if err := os.WriteFile(s.Path(), broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.Spool(Spooled{Time: start, Calls: []trace.Call{call("waits", 1)}}); err != nil {
			t.Fatal(err)
		}
		if err := s.View(func(state.Tx) error { return nil }); !errors.Is(err, ErrCorrupt) {
			t.Errorf("view: %v", err)
		}
		aside, err := s.ResetCorrupt()
		if err != nil || !strings.Contains(aside, ".db.corrupt-20260301T") {
			t.Fatalf("%q, %v", aside, err)
		}
		kept, err := os.ReadFile(aside)
		if err != nil || string(kept) != string(broken) {
			t.Errorf("kept %d bytes, %v", len(kept), err)
		}
		view(t, s, func(tx *Tx) {
			if got := tools(tx, state.Project, 0); len(got) != 1 || got[0] != "0 waits" {
				t.Errorf("the new store has %v", got)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	s, _ := twoSessions(t)
	if err := s.Remove(); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(); !errors.Is(err, ErrNoStore) {
		t.Errorf("twice: %v", err)
	}
	view(t, s, func(tx *Tx) {
		if tx.Len(state.Project) != 0 {
			t.Error("not gone")
		}
	})
}

func TestInspectAndSessions(t *testing.T) {
	s, o := twoSessions(t)
	i, err := s.Inspect()
	if err != nil || i.Root != RealPath(o.Root) || i.Format != format || i.Calls != 3 || i.Kept != 3 || i.Size == 0 || i.Crowded() {
		t.Errorf("%+v, %v", i, err)
	}
	o.Now = start.Add(time.Hour)
	o.Session = "b"
	update(t, Open(o), func(tx *Tx) error { return tx.PutMemory(state.Session, state.Memory{Folder: "/x"}) })
	view(t, s, func(tx *Tx) {
		list := tx.Sessions()
		if len(list) != 2 || list[0].ID != "b" || list[0].Calls != 1 || list[1].Calls != 2 || tx.LastSession() != "b" {
			t.Errorf("%+v", list)
		}
	})
	gone := o
	gone.Root = filepath.Join(t.TempDir(), "gone")
	appendCalls(t, Open(gone), 2)
	orphans, err := Orphans(o.Dir, Options{})
	want := []Orphan{{Path: Open(gone).Path(), Root: RealPath(gone.Root), Calls: 2}}
	if diff := cmp.Diff(want, orphans); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	none := Open(Options{Dir: t.TempDir(), Root: "/"})
	if i, err := none.Inspect(); err != nil || i.Format != "" {
		t.Errorf("of nothing: %+v, %v", i, err)
	}
}

func TestPermissions(t *testing.T) {
	o := testOptions(t)
	o.Dir = filepath.Join(o.Dir, "state")
	s := Open(o)
	appendCalls(t, s, 1)
	check := func(what string, want ...Fault) {
		t.Helper()
		got, err := Permissions(o.Dir)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", what, err, diff)
		}
	}
	check("as made")
	if err := errors.Join(os.Chmod(s.Path(), 0o644), os.Chmod(o.Dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	check("readable", Fault{o.Dir, "has mode 0755"}, Fault{s.Path(), "has mode 0644"})
	if err := errors.Join(os.Chmod(s.Path(), 0o600), os.Chmod(o.Dir, 0o700), os.Symlink(s.Path(), filepath.Join(o.Dir, "0000000000000000.db"))); err != nil {
		t.Fatal(err)
	}
	check("link", Fault{filepath.Join(o.Dir, "0000000000000000.db"), "is a symbolic link"})
	if got, err := Permissions(filepath.Join(o.Dir, "none")); got != nil || err != nil {
		t.Errorf("no folder: %v %v", got, err)
	}
}
