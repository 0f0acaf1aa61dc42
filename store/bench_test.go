package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// benchCall is a call whose arguments are about 300 bytes of JSON.
func benchCall(i int) trace.Call {
	return trace.Call{
		Tool: "git_commit", Native: "Bash", Harness: "claude-code", ID: fmt.Sprintf("toolu_%024d", i),
		Args:    trace.Args{"message": strings.Repeat("m", 240), "all": true, "n": json.Number(fmt.Sprint(i)), "paths": []any{"/repo/a.go"}},
		Time:    start.Add(time.Duration(i) * time.Millisecond),
		Outcome: &trace.Outcome{Status: new(int)},
	}
}

// filled is a store with n calls in one session, one position and one checkpoint.
func filled(b testing.TB, n int) (*Session, Options) {
	o := testOptions(b)
	s := Open(o)
	rule, set := state.Digest{1}, state.Digest{2}
	for i := 0; i < n || i == 0; {
		update(b, s, func(tx *Tx) error {
			if i == 0 {
				if err := tx.PutSet(set, map[string][]byte{"head": []byte("{}")}, []state.RuleRef{{Digest: rule}}); err != nil {
					return err
				}
			}
			for end := min(i+5000, n); i < end; i++ {
				if _, err := tx.Append(benchCall(i)); err != nil {
					return err
				}
			}
			if err := tx.PutCheckpoint(state.Session, rule, state.Checkpoint{Calls: 1, State: []byte("state")}); err != nil {
				return err
			}
			i = max(i, 1)
			return tx.PutSetPosition(state.Session, set, n)
		})
	}
	return s, o
}

func BenchmarkRestore(b *testing.B) {
	for _, n := range []int{0, 1000, 100_000} {
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) {
			s, _ := filled(b, n)
			b.ReportAllocs()
			for b.Loop() {
				view(b, s, func(tx *Tx) {
					tx.SetPart(state.Digest{2}, "head")
					tx.Memory(state.Session)
					if _, ok := tx.Checkpoint(state.Session, state.Digest{1}); !ok {
						b.Fatal("no checkpoint")
					}
				})
			}
		})
	}
}

func BenchmarkRecord(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) {
			s, _ := filled(b, n)
			for i := n; b.Loop(); i++ {
				update(b, s, func(tx *Tx) error {
					c := benchCall(i)
					if err := tx.PutCallID(c.ID, state.CallID{State: Recorded}); err != nil {
						return err
					}
					if _, err := tx.Append(c); err != nil {
						return err
					}
					return tx.PutSetPosition(state.Session, state.Digest{2}, i+1)
				})
			}
		})
	}
}

func BenchmarkCalls(b *testing.B) {
	s, _ := filled(b, 10_000)
	for _, tt := range []struct {
		name string
		may  func(string) bool
	}{{"all", nil}, {"none", func(string) bool { return false }}} {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				view(b, s, func(tx *Tx) {
					for range tx.Calls(state.Session, 0, tt.may) {
					}
				})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/call")
		})
	}
}

func BenchmarkDecodeEntry(b *testing.B) {
	c := benchCall(1)
	data := trace.AppendEntry(nil, &c)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := trace.DecodeEntry(data); err != nil {
			b.Fatal(err)
		}
	}
}
