package store

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentltl/agentltl-hook/state"
)

// A model of the calls of a store: what pruning must come to.
type pruneModel struct {
	sessions map[string][]int // numbers of calls, all ever recorded
	first    map[string]int   // position of the first one kept
	calls    int
	from     int // first number kept
}

// Whatever is pruned, the kept calls are the newest ones, positions stay what
// they were, no session lists a call that is gone, the chain verifies, and
// nothing goes that a rule used lately has not consumed.
func TestPruneAgainstAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := testOptions(t)
		o.NoSync = true
		m := pruneModel{sessions: map[string][]int{}, first: map[string]int{}}
		held := map[string]int{} // session ("" project) -> position of its rule, if used lately
		ids := []string{"a", "b", "c"}
		ruleDay := map[string]time.Time{}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			o.Now = o.Now.Add(time.Duration(rapid.IntRange(0, 20).Draw(rt, "days")) * 24 * time.Hour)
			o.Session = rapid.SampledFrom(ids).Draw(rt, "session")
			s := Open(o)
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0, 1: // record
				n := rapid.IntRange(1, 30).Draw(rt, "n")
				rule := rapid.SampledFrom([]string{"", "", o.Session, "project"}).Draw(rt, "rule")
				must(rt, s.UpdateTx(func(tx *Tx) error {
					for range n {
						c := call("x", m.calls)
						if _, err := tx.Append(c); err != nil {
							return err
						}
						m.sessions[o.Session] = append(m.sessions[o.Session], m.calls)
						m.calls++
					}
					if rule == "" {
						return nil
					}
					scope := state.Session
					if rule == "project" {
						scope = state.Project
					}
					held[rule], ruleDay[rule] = tx.Len(scope), o.Now
					return tx.PutCheckpoint(scope, digest(1), state.Checkpoint{Calls: tx.Len(scope)})
				}))
			case 2, 3:
				p := PruneOptions{Keep: Keep{Session: -1, Project: -1}}
				k := rapid.IntRange(0, 40).Draw(rt, "keep")
				if rapid.Bool().Draw(rt, "project") {
					p.Project, p.Keep.Project = true, k
				}
				if !p.Project || rapid.Bool().Draw(rt, "sessions") {
					p.Sessions, p.Keep.Session = true, k
					if rapid.Bool().Draw(rt, "one") {
						p.Session = o.Session
					}
				}
				lately := func(rule string) bool {
					return !ruleDay[rule].IsZero() && o.Now.Sub(ruleDay[rule]) < (usedDays+1)*24*time.Hour-12*time.Hour
				}
				m.prune(p, held, lately)
				_, err := s.Prune(p)
				must(rt, err)
			}
			m.check(rt, o)
		}
	})
}

func must(rt *rapid.T, err error) {
	if err != nil {
		rt.Fatal(err)
	}
}

func (m *pruneModel) prune(p PruneOptions, held map[string]int, lately func(string) bool) {
	ids := slices.Sorted(func(yield func(string) bool) {
		for id := range m.sessions {
			if !yield(id) {
				return
			}
		}
	})
	from := m.from
	if p.Project {
		want := max(from, m.calls-p.Keep.Project)
		if lately("project") && held["project"] < want {
			want = max(from, held["project"])
		}
		for _, id := range ids {
			if !lately(id) {
				continue
			}
			pos := max(held[id], m.first[id])
			if pos < len(m.sessions[id]) && m.sessions[id][pos] < want {
				want = max(from, m.sessions[id][pos])
			}
		}
		m.from = want
	}
	for _, id := range ids {
		cut := m.first[id]
		for cut < len(m.sessions[id]) && m.sessions[id][cut] < m.from {
			cut++
		}
		if p.Sessions && (p.Session == "" || p.Session == id) {
			want := max(m.first[id], len(m.sessions[id])-p.Keep.Session)
			if lately(id) && held[id] < want {
				want = max(m.first[id], held[id])
			}
			cut = max(cut, want)
		}
		m.first[id] = cut
	}
}

func (m *pruneModel) check(rt *rapid.T, o Options) {
	must(rt, Open(o).Verify())
	must(rt, Open(o).ViewTx(func(tx *Tx) error {
		type trace struct {
			Len, First int
			Numbers    []int
		}
		read := func(tx *Tx, s state.Scope) trace {
			tr := trace{Len: tx.Len(s), First: tx.First(s)}
			for i, c := range tx.Calls(s, 0, nil) {
				if i != tr.First+len(tr.Numbers) {
					rt.Fatalf("position %d follows %d", i, tr.First+len(tr.Numbers)-1)
				}
				var n int
				fmt.Sscanf(c.ID, "x-%d", &n)
				tr.Numbers = append(tr.Numbers, n)
			}
			return tr
		}
		want := trace{Len: m.calls, First: m.from}
		for n := m.from; n < m.calls; n++ {
			want.Numbers = append(want.Numbers, n)
		}
		if diff := cmp.Diff(want, read(tx, state.Project)); diff != "" {
			rt.Fatalf("project: %s", diff)
		}
		for id, list := range m.sessions {
			want := trace{Len: len(list), First: m.first[id], Numbers: slices.Clone(list[m.first[id]:])}
			if len(want.Numbers) == 0 {
				want.Numbers = nil
			}
			if diff := cmp.Diff(want, read(tx.in(id), state.Session)); diff != "" {
				rt.Fatalf("session %s: %s", id, diff)
			}
		}
		return nil
	}))
}

func TestPruneSaysWhatHolds(t *testing.T) {
	o := testOptions(t)
	s := Open(o)
	appendCalls(t, s, 10)
	update(t, s, func(tx *Tx) error {
		if err := tx.PutSet(digest(100), nil, []state.RuleRef{{Digest: digest(1)}, {Scope: state.Project, Digest: digest(2)}}); err != nil {
			return err
		}
		if err := tx.PutSetPosition(state.Session, digest(100), 6); err != nil {
			return err
		}
		return tx.PutSetPosition(state.Project, digest(100), 8)
	})
	all := PruneOptions{Sessions: true, Project: true, DryRun: true}
	r, err := s.Prune(all)
	if err != nil {
		t.Fatal(err)
	}
	day := start.Truncate(24 * time.Hour)
	want := []Hold{
		{Rule: digest(2), Codec: 3, Calls: 8, Used: day},
		{Session: "s1", Rule: digest(1), Codec: 3, Calls: 6, Used: day},
		{Session: "s1", Rule: digest(1), Codec: 3, Calls: 6, Used: day},
	}
	if diff := cmp.Diff(want, r.Holds); diff != "" || r.Project != 6 || r.Sessions["s1"] != 6 {
		t.Errorf("%+v\n%s", r, diff)
	}
	view(t, s, func(tx *Tx) {
		if tx.First(state.Project) != 0 {
			t.Error("a dry run pruned")
		}
	})
	o.Now = start.Add((usedDays + 1) * 24 * time.Hour)
	all.DryRun = false
	if r, err = Open(o).Prune(all); err != nil || r.Project != 10 || len(r.Holds) != 0 {
		t.Errorf("a month later: %+v, %v", r, err)
	}
	head := state.Digest{}
	view(t, s, func(tx *Tx) { head = tx.Head() })
	if head == (state.Digest{}) {
		t.Error("with the last call the hash of the trace went")
	}
	appendCalls(t, s, 1)
	if err := s.Verify(); err != nil {
		t.Error(err)
	}
}

func TestPruneBeforeATime(t *testing.T) {
	s := Open(testOptions(t))
	appendCalls(t, s, 10)
	o := PruneOptions{Sessions: true, Project: true, Keep: Keep{-1, -1}, Before: start.Add(4 * time.Second)}
	if _, err := s.Prune(o); err != nil {
		t.Fatal(err)
	}
	view(t, s, func(tx *Tx) {
		if tx.First(state.Project) != 4 || tx.First(state.Session) != 4 {
			t.Errorf("traces begin at %d and %d", tx.First(state.Project), tx.First(state.Session))
		}
	})
}

// A clock that went back stands at the newest recorded time, be that call still
// here or not: rules that saw it and rules that come later agree on the time.
func TestPrunedCallsKeepTheClock(t *testing.T) {
	for name, prune := range map[string]func(*Session, Keep) error{
		"in a copy": func(s *Session, k Keep) error {
			_, err := s.Prune(PruneOptions{Sessions: true, Project: true, Keep: k})
			return err
		},
		"in place": func(s *Session, k Keep) error {
			_, _, err := s.Daily(k)
			return err
		},
	} {
		for keep := range 2 {
			s := Open(testOptions(t))
			appendCalls(t, s, 10)
			if err := prune(s, Keep{keep, keep}); err != nil {
				t.Fatal(err)
			}
			update(t, s, func(tx *Tx) error {
				if n := 10 - tx.First(state.Project); n != keep {
					t.Errorf("%s: %d calls kept, want %d", name, n, keep)
				}
				c := call("late", 0)
				c.Time = start.Add(-time.Hour)
				c, err := tx.Append(c)
				if want := start.Add(9 * time.Second); !c.Time.Equal(want) {
					t.Errorf("%s, %d kept: the next call is of %v, want %v", name, keep, c.Time, want)
				}
				return err
			})
		}
	}
}

func TestDailyRunsOnceADay(t *testing.T) {
	o := testOptions(t)
	s := Open(o)
	appendCalls(t, s, 10)
	old := o
	old.Codec = 2
	update(t, Open(old), func(tx *Tx) error {
		if err := tx.PutVar(state.Session, digest(1), "x", []byte("v")); err != nil {
			return err
		}
		return tx.PutCheckpoint(state.Session, digest(1), state.Checkpoint{Calls: 10})
	})
	for _, tt := range []struct {
		after time.Duration
		keep  int
		ran   bool
		first int
		old   bool
	}{
		{0, 8, true, 2, true},
		{time.Hour, 5, false, 2, true},
		{25 * time.Hour, 5, true, 5, true},
		{(usedDays + 1) * 24 * time.Hour, 5, true, 5, false},
	} {
		o.Now = start.Add(tt.after)
		_, ran, err := Open(o).Daily(Keep{tt.keep, tt.keep})
		if ran != tt.ran || err != nil {
			t.Errorf("after %v: ran %v, %v", tt.after, ran, err)
		}
		view(t, Open(o), func(tx *Tx) {
			if got := tx.First(state.Session); got != tt.first {
				t.Errorf("after %v: the trace begins at %d", tt.after, got)
			}
			_, cp := tx.checkpoint(state.Session, digest(1), 2)
			if vars := tx.vars(state.Session, digest(1), 2) != nil; cp != tt.old || vars != tt.old {
				t.Errorf("after %v: old checkpoint %v, its sub-monitors %v", tt.after, cp, vars)
			}
		})
	}
}

func TestDailySweeps(t *testing.T) {
	o := testOptions(t)
	o.Now = time.Now()
	s := Open(o)
	appendCalls(t, s, 1)
	old, young := s.Path()+tempMark+"1", s.Path()+tempMark+"2"
	for _, p := range []string{old, young} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, o.Now, o.Now.Add(-25*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, ran, err := s.Daily(Keep{1, 1}); !ran || err != nil {
		t.Fatalf("%v %v", ran, err)
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old one: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("the young one: %v", err)
	}
}

func TestDailyOfAnEmptyStore(t *testing.T) {
	o := testOptions(t)
	if _, ran, err := Open(o).Daily(Keep{1, 1}); ran || err != nil {
		t.Errorf("ran %v, %v", ran, err)
	}
}

func TestRewriteGivesSpaceBack(t *testing.T) {
	o := testOptions(t)
	o.NoSync = true
	s := Open(o)
	update(t, s, func(tx *Tx) error {
		for i := range 5000 {
			if _, err := tx.Append(benchCall(i)); err != nil {
				return err
			}
		}
		// Something of another version, three buckets deep.
		b, err := tx.core.tx.CreateBucket([]byte("later"))
		if err != nil {
			return err
		}
		b, err = b.CreateBucket([]byte("in"))
		if err != nil {
			return err
		}
		if err := b.SetSequence(77); err != nil {
			return err
		}
		return b.Put([]byte("k"), []byte("v"))
	})
	before := s.size()
	info, err := os.Stat(s.path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Prune(PruneOptions{Sessions: true, Project: true, Keep: Keep{500, 500}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Rewritten || r.Before != before || r.After > before/5 {
		t.Errorf("%+v", r)
	}
	after, err := os.Stat(s.path)
	if err != nil || os.SameFile(info, after) || after.Mode().Perm() != 0o600 {
		t.Errorf("not a new file of mode 0600: %v %v", after.Mode(), err)
	}
	i, err := s.Inspect()
	if err != nil || i.Free > 2 || i.Calls != 5000 || i.Kept != 500 {
		t.Errorf("%+v, %v", i, err)
	}
	view(t, s, func(tx *Tx) {
		b := tx.root("later").Bucket([]byte("in"))
		if b.Sequence() != 77 || string(b.Get([]byte("k"))) != "v" {
			t.Error("a bucket of another version did not come along")
		}
	})
	appendCalls(t, s, 1)
	if err := s.Verify(); err != nil {
		t.Error(err)
	}
	entries, _ := os.ReadDir(o.Dir)
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// Free pages that another way made are given back, too: a small prune ends in a
// rewrite when the file is crowded.
func TestCrowdedFileIsRewritten(t *testing.T) {
	o := testOptions(t)
	o.NoSync = true
	s := Open(o)
	update(t, s, func(tx *Tx) error {
		for i := range 2000 {
			if err := tx.PutValue(state.Project, fmt.Sprint("k", i), make([]byte, 1000)); err != nil {
				return err
			}
		}
		return nil
	})
	appendCalls(t, s, 10)
	update(t, s, func(tx *Tx) error {
		for i := range 2000 {
			if err := tx.PutValue(state.Project, fmt.Sprint("k", i), nil); err != nil {
				return err
			}
		}
		return nil
	})
	if i, err := s.Inspect(); err != nil || !i.Crowded() {
		t.Fatalf("%+v, %v", i, err)
	}
	r, err := s.Prune(PruneOptions{Sessions: true, Keep: Keep{9, -1}})
	if err != nil || !r.Rewritten {
		t.Errorf("%+v, %v", r, err)
	}
	if i, err := s.Inspect(); err != nil || i.Crowded() {
		t.Errorf("%+v, %v", i, err)
	}
}

func TestWaitersFindTheNewFile(t *testing.T) {
	o := testOptions(t)
	s := Open(o)
	appendCalls(t, s, 10)
	h, err := s.open(true)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 8)
	for range 8 {
		go func() {
			done <- s.Update(func(tx state.Tx) error { _, err := tx.Append(call("y", 99)); return err })
		}()
	}
	time.Sleep(30 * time.Millisecond) // they wait for the old file's lock
	if err := h.use(func() error { return s.rewrite(h, nil, nil) }); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	view(t, s, func(tx *Tx) {
		if n := tx.Len(state.Project); n != 18 {
			t.Errorf("%d calls, want 18", n)
		}
	})
	if errors.Is(s.Verify(), ErrCorrupt) {
		t.Error("damaged")
	}
}
