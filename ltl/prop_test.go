package ltl

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentltl/agentltl-hook/trace"
)

// TestMonitorIsEvaluator: on every prefix the monitor gives the evaluator's
// verdict, finished truth, refusal and new witnesses, with the checkpoint saved
// and restored at a random cut.
func TestMonitorIsEvaluator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := genSource().Draw(t, "source")
		f, calls := g.formula(), g.trace(40)
		cut := g.IntN(len(calls) + 1)
		if compare(f, calls, cut) == "" {
			return
		}
		f, calls = minimize(f, calls, func(f Formula, calls []trace.Call) bool { return compare(f, calls, cut) != "" })
		t.Fatalf("%s\n%s\n%s", f, showCalls(calls), compare(f, calls, cut))
	})
}

// compare runs the monitor against the evaluator and describes the first
// difference.
func compare(f Formula, calls []trace.Call, cut int) string {
	m := NewMonitor(f)
	history := func(n int) ([]trace.Call, error) { return calls[:n], nil }
	m.SetHistory(history)
	before, err := Evaluate(f, nil)
	if err != nil {
		return err.Error()
	}
	for n := 0; ; n++ {
		if n == cut {
			var msg string
			if m, msg = reload(f, m); msg != "" {
				return msg
			}
			m.SetHistory(history)
		}
		if got, want := m.Verdict(), before.Verdict(); got != want {
			return fmt.Sprintf("after %d calls: verdict %v, want %v", n, got, want)
		}
		if got, want := m.End(), before.Finished(); got != want {
			return fmt.Sprintf("after %d calls: finished %v, want %v", n, got, want)
		}
		if n == len(calls) {
			return ""
		}
		after, err := Evaluate(f, calls[:n+1])
		if err != nil {
			return err.Error()
		}
		want, err := NewFailures(before, after)
		if err != nil {
			return err.Error()
		}
		got := m.Step(calls[n])
		if m.Err() != nil {
			return fmt.Sprintf("call %d: %v", n, m.Err())
		}
		if got.Verdict != after.Verdict() {
			return fmt.Sprintf("call %d: verdict %v, want %v", n, got.Verdict, after.Verdict())
		}
		if msg := sameNew(got.New, want); msg != "" {
			return fmt.Sprintf("call %d: %s", n, msg)
		}
		before = after
	}
}

func showCalls(calls []trace.Call) string {
	var b strings.Builder
	for i, c := range calls {
		fmt.Fprintf(&b, "%d %s %s", i, c.Tool, trace.Canonical(c.Args))
		for _, f := range c.Forms {
			fmt.Fprintf(&b, " form %s %s", f.Tool, trace.Canonical(f.Args))
		}
		if c.Step != nil {
			fmt.Fprintf(&b, " step %d", *c.Step)
		}
		if o := c.Outcome; o != nil {
			if o.Status != nil {
				fmt.Fprintf(&b, " status %d", *o.Status)
			}
			if o.Result != nil {
				fmt.Fprintf(&b, " result %s", trace.Canonical(*o.Result))
			}
			if o.Maybe {
				fmt.Fprint(&b, " maybe")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func reload(f Formula, m *Monitor) (*Monitor, string) {
	b, err := m.AppendBinary(nil)
	if err != nil {
		return nil, err.Error()
	}
	r := NewMonitor(f)
	if err := r.UnmarshalBinary(b); err != nil {
		return nil, fmt.Sprintf("checkpoint %x: %v", b, err)
	}
	if c, _ := r.AppendBinary(nil); !bytes.Equal(b, c) {
		return nil, fmt.Sprintf("checkpoint %x is restored as %x", b, c)
	}
	return r, ""
}

// sameNew compares new failures. An instance that stands for more than maxPlaces
// equal ones tells the paths of some, and equal ones that differ in a count tell
// the first one's: then only whether there are new ones must agree.
func sameNew(got, want []Witness) string {
	if slices.Equal(got, want) {
		return ""
	}
	loose := len(want) > maxPlaces
	for _, w := range want {
		loose = loose || strings.Contains(w.Path, "#")
	}
	if loose && (len(got) > 0) == (len(want) > 0) && len(got) <= len(want) {
		return ""
	}
	return fmt.Sprintf("new %v, want %v", got, want)
}
