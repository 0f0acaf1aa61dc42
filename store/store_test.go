package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// testOptions is a store in a folder of its own.
func testOptions(t testing.TB) Options {
	return Options{Dir: t.TempDir(), Root: t.TempDir(), Session: "s1", Now: start, Codec: 3}
}

func update(t testing.TB, s *Session, fn func(*Tx) error) {
	t.Helper()
	if err := s.UpdateTx(fn); err != nil {
		t.Fatal(err)
	}
}

func view(t testing.TB, s *Session, fn func(*Tx)) {
	t.Helper()
	err := s.ViewTx(func(tx *Tx) error { fn(tx); return nil })
	if err != nil {
		t.Fatal(err)
	}
}

func call(tool string, i int) trace.Call {
	return trace.Call{
		Tool: tool, Args: trace.Args{"n": json.Number(fmt.Sprint(i))},
		ID: fmt.Sprintf("%s-%d", tool, i), Time: start.Add(time.Duration(i) * time.Second),
	}
}

func tools(tx *Tx, s state.Scope, from int) (list []string) {
	for i, c := range tx.Calls(s, from, nil) {
		list = append(list, fmt.Sprintf("%d %s", i, c.Tool))
	}
	return list
}

func TestViewOfNothingCreatesNothing(t *testing.T) {
	o := testOptions(t)
	o.Dir = filepath.Join(o.Dir, "not", "there")
	s := Open(o)
	view(t, s, func(tx *Tx) {
		if n := tx.Len(state.Project) + tx.Len(state.Session) + tx.First(state.Session); n != 0 {
			t.Errorf("an empty store counts %d", n)
		}
		if _, ok := tx.Checkpoint(state.Session, state.Digest{1}); ok {
			t.Error("an empty store has a checkpoint")
		}
		if got := tools(tx, state.Session, 0); len(got) > 0 {
			t.Errorf("an empty store has calls %v", got)
		}
		if tx.Head() != (state.Digest{}) {
			t.Error("an empty store has a head")
		}
		if err := tx.PutMeta("a", "b"); err == nil {
			t.Error("a view could be written to")
		}
	})
	if _, err := os.Stat(filepath.Dir(s.Path())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a view created its folder: %v", err)
	}
}

func TestCallsAreSharedAndChained(t *testing.T) {
	o := testOptions(t)
	a := Open(o)
	o.Session = "s2"
	b := Open(o)
	var head trace.Hash
	for i, s := range []*Session{a, b, a} {
		update(t, s, func(tx *Tx) error {
			c, err := tx.Append(call([]string{"x", "y", "z"}[i], i))
			c.Session = s.ID()
			head = trace.Chain(head, trace.AppendEntry(nil, &c))
			return err
		})
	}
	view(t, a, func(tx *Tx) {
		for _, tt := range []struct {
			name string
			got  any
			want any
		}{
			{"session", tools(tx, state.Session, 0), []string{"0 x", "1 z"}},
			{"project", tools(tx, state.Project, 0), []string{"0 x", "1 y", "2 z"}},
			{"project from 1", tools(tx, state.Project, 1), []string{"1 y", "2 z"}},
			{"other session", tools(tx.in("s2"), state.Session, 0), []string{"0 y"}},
			{"lengths", []int{tx.Len(state.Session), tx.Len(state.Project)}, []int{2, 3}},
			{"head", tx.Head(), head},
		} {
			if diff := cmp.Diff(tt.want, tt.got); diff != "" {
				t.Errorf("%s: %s", tt.name, diff)
			}
		}
	})
}

func TestAnErrorKeepsNothing(t *testing.T) {
	s := Open(testOptions(t))
	boom := errors.New("boom")
	err := s.Update(func(tx state.Tx) error {
		if _, err := tx.Append(call("x", 1)); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatalf("Update = %v", err)
	}
	view(t, s, func(tx *Tx) {
		if n := tx.Len(state.Project); n != 0 {
			t.Errorf("%d calls were kept", n)
		}
	})
}

func TestTimesNeverGoBack(t *testing.T) {
	s := Open(testOptions(t))
	update(t, s, func(tx *Tx) error {
		_, err := tx.Append(call("x", 100))
		return err
	})
	update(t, s, func(tx *Tx) error {
		c, err := tx.Append(call("y", 1))
		if want := start.Add(100 * time.Second); !c.Time.Equal(want) {
			t.Errorf("recorded at %v, want %v", c.Time, want)
		}
		return err
	})
}

func TestModes(t *testing.T) {
	o := testOptions(t)
	o.Dir = filepath.Join(o.Dir, "state")
	s := Open(o)
	update(t, s, func(tx *Tx) error { return tx.PutMeta("a", "b") })
	for path, want := range map[string]fs.FileMode{o.Dir: 0o700, s.Path(): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}
