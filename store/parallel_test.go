package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/state"
)

// Real processes on one file: nothing is lost, nothing is there twice.
func TestParallelProcesses(t *testing.T) {
	for _, tt := range []struct{ processes, calls int }{{16, 20}, {64, 3}} {
		t.Run(fmt.Sprint(tt.processes), func(t *testing.T) {
			o := testOptions(t)
			var wg sync.WaitGroup
			for p := range tt.processes {
				j := helperJob{Do: "record", Options: o, Prefix: fmt.Sprint("p", p), N: tt.calls}
				j.Options.Session = fmt.Sprint("s", p%5)
				wg.Go(func() {
					if out, err := j.cmd(os.Args[0]).CombinedOutput(); err != nil {
						t.Errorf("process %d: %v\n%s", p, err, out)
					}
				})
			}
			wg.Wait()
			got := ids(t, o)
			for p := range tt.processes {
				for i := range tt.calls {
					if id := fmt.Sprintf("p%d-%d", p, i); got[id] != 1 {
						t.Errorf("%s is recorded %d times", id, got[id])
					}
				}
			}
			if want := tt.processes * tt.calls; len(got) != want {
				t.Errorf("%d calls, want %d", len(got), want)
			}
			view(t, Open(o), func(tx *Tx) {
				if left := tx.Reservations(state.Project); len(left) > 0 {
					t.Errorf("%d reservations are left", len(left))
				}
				for p := range 5 {
					of := tx.in(fmt.Sprint("s", p))
					if cp, _ := of.Checkpoint(state.Session, digest(1)); cp.Calls != of.Len(state.Session) || string(cp.State) != fmt.Sprint(cp.Calls) {
						t.Errorf("session %d: checkpoint at %d (%s) of %d calls", p, cp.Calls, cp.State, of.Len(state.Session))
					}
				}
			})
		})
	}
}

// Processes killed at any time: what one said it recorded is there once.
func TestKilledProcesses(t *testing.T) {
	o := testOptions(t)
	rng := rand.New(rand.NewPCG(3, 4))
	said := map[string]bool{}
	var mu sync.Mutex
	for round := range 3 {
		var wg sync.WaitGroup
		for p := range 12 {
			j := helperJob{Do: "record", Options: o, Prefix: fmt.Sprintf("r%d-p%d", round, p), N: 1000}
			j.Options.Session = fmt.Sprint("s", p%3)
			after := time.Duration(rng.IntN(400)) * time.Millisecond
			wg.Go(func() {
				out := runKilled(t, j.cmd(os.Args[0]), after)
				mu.Lock()
				defer mu.Unlock()
				for id := range strings.FieldsSeq(out) {
					said[id] = true
				}
			})
		}
		wg.Wait()
		got := ids(t, o)
		for id := range said {
			if got[id] != 1 {
				t.Errorf("%s is recorded %d times", id, got[id])
			}
		}
		for id, n := range got {
			if n > 1 {
				t.Errorf("%s is recorded %d times", id, n)
			}
		}
	}
	if len(said) == 0 {
		t.Error("no process got as far as recording a call")
	}
}

// runKilled kills a command after a while and returns the whole lines it printed.
func runKilled(t *testing.T, c *exec.Cmd, after time.Duration) string {
	var out, trouble bytes.Buffer
	c.Stdout, c.Stderr = &out, &trouble
	if err := c.Start(); err != nil {
		t.Error(err)
		return ""
	}
	timer := time.AfterFunc(after, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	_ = c.Wait()
	if trouble.Len() > 0 {
		t.Errorf("%s", trouble.String())
	}
	text := out.String()
	return text[:strings.LastIndexByte(text, '\n')+1]
}

// Two programs of different codecs alternate for months on one store: each reads
// what it can and nothing is lost. (trust.md 8; the whole programs are compared
// in cmd/agentltl-hook.)
func TestTwoCodecsAlternate(t *testing.T) {
	o := testOptions(t)
	o.NoSync = true
	rule, set := digest(1), digest(100)
	const old = 2000
	update(t, Open(o), func(tx *Tx) error {
		for i := range old {
			if _, err := tx.Append(call("x", i)); err != nil {
				return err
			}
		}
		return tx.PutSet(set, nil, refs(1))
	})
	caughtUp := 0
	for i := range 200 {
		o.Codec = uint16(1 + i%2)
		update(t, Open(o), func(tx *Tx) error {
			cp, _ := tx.Checkpoint(state.Session, rule)
			if cp.State == nil && cp.Calls > 0 || cp.State != nil && string(cp.State) != fmt.Sprint(cp.Calls) {
				t.Errorf("round %d: state %q at %d calls", i, cp.State, cp.Calls)
			}
			for range tx.Calls(state.Session, cp.Calls, nil) {
				caughtUp++
			}
			if _, err := tx.Append(call("x", old+i)); err != nil {
				return err
			}
			n := tx.Len(state.Session)
			if err := tx.PutCheckpoint(state.Session, rule, state.Checkpoint{Calls: n, State: []byte(fmt.Sprint(n))}); err != nil {
				return err
			}
			return tx.PutSetPosition(state.Session, set, n)
		})
	}
	// Codec 2 reads codec 1's; codec 1 catches up by the call that 2 recorded.
	if want := old + 99; caughtUp != want {
		t.Errorf("%d calls were stepped again, want %d", caughtUp, want)
	}
	if got := ids(t, o); len(got) != old+200 {
		t.Errorf("%d calls", len(got))
	}
}
