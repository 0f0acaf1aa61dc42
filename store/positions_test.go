package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentltl/agentltl-hook/state"
)

func digest(n int) (d state.Digest) {
	d[0], d[31] = byte(n), byte(n>>8)
	return d
}

func refs(rules ...int) (list []state.RuleRef) {
	for _, r := range rules {
		list = append(list, state.RuleRef{Digest: digest(r)})
	}
	return list
}

func appendCalls(t testing.TB, s *Session, n int) {
	t.Helper()
	update(t, s, func(tx *Tx) error {
		for range n {
			if _, err := tx.Append(call("x", tx.Len(state.Session))); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestPositionOfARule(t *testing.T) {
	s := Open(testOptions(t))
	const r1, r2, set1, set2 = 1, 2, 101, 102
	update(t, s, func(tx *Tx) error {
		for _, err := range []error{
			tx.PutSet(digest(set1), nil, refs(r1, r2)),
			tx.PutSet(digest(set2), nil, refs(r2)),
			tx.PutSetPosition(state.Session, digest(set1), 10),
			tx.PutSetPosition(state.Session, digest(set2), 20),
			tx.PutSetPosition(state.Session, digest(set2), 15), // never lower
			tx.PutCheckpoint(state.Session, digest(r1), state.Checkpoint{Calls: 7, State: []byte("one")}),
			tx.PutCheckpoint(state.Session, digest(r2), state.Checkpoint{Calls: 30, State: []byte("two")}),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	view(t, s, func(tx *Tx) {
		for _, tt := range []struct {
			name  string
			scope state.Scope
			rule  int
			want  state.Checkpoint
			found bool
		}{
			{"its set is further on", state.Session, r1, state.Checkpoint{Calls: 10, Codec: 3, State: []byte("one")}, true},
			{"its checkpoint is further on", state.Session, r2, state.Checkpoint{Calls: 30, Codec: 3, State: []byte("two")}, true},
			{"unknown rule", state.Session, 3, state.Checkpoint{}, false},
			{"other scope", state.Project, r1, state.Checkpoint{}, false},
		} {
			got, found := tx.Checkpoint(tt.scope, digest(tt.rule))
			if diff := cmp.Diff(tt.want, got); diff != "" || found != tt.found {
				t.Errorf("%s: found %v\n%s", tt.name, found, diff)
			}
		}
		if n, ok := tx.SetPosition(state.Session, digest(set2)); !ok || n != 20 {
			t.Errorf("set stands at %d, %v", n, ok)
		}
	})
}

// A count under one codec is never taken for steps of another.
func TestCodecsKeepTheirOwnCounts(t *testing.T) {
	o := testOptions(t)
	codec := func(n uint16) *Session {
		o.Codec = n
		return Open(o)
	}
	put := func(n uint16, calls int, text string, setCalls int) {
		update(t, codec(n), func(tx *Tx) error {
			if err := tx.PutSet(digest(100+int(n)), nil, refs(1)); err != nil {
				return err
			}
			if err := tx.PutSetPosition(state.Session, digest(100+int(n)), setCalls); err != nil {
				return err
			}
			return tx.PutCheckpoint(state.Session, digest(1), state.Checkpoint{Calls: calls, State: []byte(text)})
		})
	}
	put(1, 1, "v1", 100)
	put(2, 40, "v2", 50)
	put(4, 30, "v4", 45)
	for _, tt := range []struct {
		codec uint16
		want  state.Checkpoint
	}{
		{1, state.Checkpoint{Calls: 100, Codec: 1, State: []byte("v1")}},
		{2, state.Checkpoint{Calls: 100, Codec: 1, State: []byte("v1")}}, // the one furthest on
		{3, state.Checkpoint{Calls: 100, Codec: 1, State: []byte("v1")}},
		{4, state.Checkpoint{Calls: 50, Codec: 2, State: []byte("v2")}}, // reads two back only
		{6, state.Checkpoint{Calls: 45, Codec: 4, State: []byte("v4")}},
	} {
		view(t, codec(tt.codec), func(tx *Tx) {
			got, _ := tx.Checkpoint(state.Session, digest(1))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("codec %d: %s", tt.codec, diff)
			}
		})
	}
}

func TestVarsFollowTheirCheckpoint(t *testing.T) {
	o := testOptions(t)
	o.Codec = 1
	old := Open(o)
	rule := digest(1)
	update(t, old, func(tx *Tx) error {
		if err := tx.PutCheckpoint(state.Session, rule, state.Checkpoint{Calls: 5, State: []byte("a")}); err != nil {
			return err
		}
		return tx.PutVar(state.Session, rule, "x", []byte("vx"))
	})
	o.Codec = 2
	now := Open(o)
	update(t, now, func(tx *Tx) error {
		cp, _ := tx.Checkpoint(state.Session, rule)
		if v, ok := tx.Var(state.Session, rule, cp.Codec, "x"); !ok || string(v.State) != "vx" || v.Codec != 1 {
			t.Errorf("read %v %v", v, ok)
		}
		if err := tx.AdoptVars(state.Session, rule, cp.Codec); err != nil {
			return err
		}
		if err := tx.PutVar(state.Session, rule, "y", []byte("vy")); err != nil {
			return err
		}
		return tx.PutCheckpoint(state.Session, rule, state.Checkpoint{Calls: 6, State: []byte("b")})
	})
	// The old program goes on; the new one keeps to its own all the same.
	update(t, old, func(tx *Tx) error {
		if err := tx.PutVar(state.Session, rule, "x", nil); err != nil {
			return err
		}
		return tx.PutCheckpoint(state.Session, rule, state.Checkpoint{Calls: 9, State: []byte("c")})
	})
	view(t, now, func(tx *Tx) {
		cp, _ := tx.Checkpoint(state.Session, rule)
		if cp.Calls != 6 || cp.Codec != 2 {
			t.Errorf("stands at %+v", cp)
		}
		got := map[string]string{}
		for k, v := range tx.Vars(state.Session, rule, cp.Codec) {
			got[k] = fmt.Sprintf("%d %s", v.Codec, v.State)
		}
		if diff := cmp.Diff(map[string]string{"x": "1 vx", "y": "2 vy"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Whatever order sets come and go in, with however many codecs, no rule ever
// falls behind where it stood: the model remembers the best position per codec.
func TestPositionsAreNeverLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := testOptions(t)
		o.NoSync = true
		const rules, sets = 5, 14
		members := make([][]int, sets)
		for i := range members {
			members[i] = rapid.SliceOfNDistinct(rapid.IntRange(0, rules-1), 1, rules, rapid.ID[int]).Draw(rt, "members")
		}
		best := map[[2]int]int{} // rule, codec -> position
		length := 0
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			codec := rapid.IntRange(1, 2).Draw(rt, "codec")
			o.Codec = uint16(codec)
			set := rapid.IntRange(0, sets-1).Draw(rt, "set")
			length += rapid.IntRange(0, 3).Draw(rt, "calls")
			s := Open(o)
			err := s.UpdateTx(func(tx *Tx) error {
				if !tx.HasSet(digest(100 + set)) {
					if err := tx.PutSet(digest(100+set), map[string][]byte{"head": []byte("h")}, refs(members[set]...)); err != nil {
						return err
					}
				}
				for _, r := range members[set] {
					if rapid.Bool().Draw(rt, "writes") {
						cp := state.Checkpoint{Calls: length, State: fmt.Appendf(nil, "%d", r)}
						if err := tx.PutCheckpoint(state.Session, digest(r), cp); err != nil {
							return err
						}
					}
					best[[2]int{r, codec}] = length
				}
				return tx.PutSetPosition(state.Session, digest(100+set), length)
			})
			if err != nil {
				rt.Fatal(err)
			}
		}
		for codec := 1; codec <= 2; codec++ {
			o.Codec = uint16(codec)
			_ = Open(o).ViewTx(func(tx *Tx) error {
				for r := range rules {
					want := best[[2]int{r, 1}]
					if codec == 2 {
						want = max(want, best[[2]int{r, 2}])
					}
					if cp, _ := tx.Checkpoint(state.Session, digest(r)); cp.Calls != want {
						rt.Fatalf("codec %d: rule %d stands at %d, want %d", codec, r, cp.Calls, want)
					}
				}
				return nil
			})
		}
	})
}

func TestSetsUsedLongestAgoGo(t *testing.T) {
	o := testOptions(t)
	for i := range maxSets + 3 {
		o.Now = start.Add(time.Duration(i) * 24 * time.Hour)
		update(t, Open(o), func(tx *Tx) error {
			if i == maxSets { // used again: stays
				if err := tx.PutSetPosition(state.Session, digest(100), 1); err != nil {
					return err
				}
			}
			return tx.PutSet(digest(100+i), map[string][]byte{"head": {byte(i)}}, refs(i))
		})
	}
	view(t, Open(o), func(tx *Tx) {
		var gone []int
		for i := range maxSets + 3 {
			if _, ok := tx.SetPart(digest(100+i), "head"); !ok {
				gone = append(gone, i)
			}
			if !tx.HasSet(digest(100 + i)) {
				t.Errorf("the rules of set %d are forgotten", i)
			}
		}
		if diff := cmp.Diff([]int{1, 2, 3}, gone); diff != "" {
			t.Errorf("sets dropped: %s", diff)
		}
	})
}

func TestForkTakesTheTraceAlong(t *testing.T) {
	o := testOptions(t)
	s := Open(o)
	appendCalls(t, s, 3)
	update(t, s, func(tx *Tx) error {
		if err := tx.PutMemory(state.Session, state.Memory{Finishes: 2}); err != nil {
			return err
		}
		if err := tx.PutVar(state.Session, digest(1), "x", []byte("v")); err != nil {
			return err
		}
		return tx.PutCheckpoint(state.Session, digest(1), state.Checkpoint{Calls: 3, State: []byte("s")})
	})
	o.Session = "child"
	child := Open(o)
	update(t, child, func(tx *Tx) error {
		if err := tx.CopyFrom("s1"); err != nil {
			return err
		}
		_, err := tx.Append(call("y", 3))
		return err
	})
	update(t, child, func(tx *Tx) error { return tx.CopyFrom("s1") }) // has calls: nothing happens
	view(t, child, func(tx *Tx) {
		if diff := cmp.Diff([]string{"0 x", "1 x", "2 x", "3 y"}, tools(tx, state.Session, 0)); diff != "" {
			t.Error(diff)
		}
		if n := tx.Len(state.Project); n != 4 {
			t.Errorf("the project has %d calls", n)
		}
		if cp, ok := tx.Checkpoint(state.Session, digest(1)); !ok || cp.Calls != 3 {
			t.Errorf("checkpoint %v", cp)
		}
		if _, ok := tx.Var(state.Session, digest(1), 3, "x"); !ok {
			t.Error("no sub-monitor")
		}
		if m := tx.Memory(state.Session); m.Finishes != 0 {
			t.Error("memory came along")
		}
		if n := tx.in("s1").Len(state.Session); n != 3 {
			t.Errorf("the parent has %d calls", n)
		}
	})
}
