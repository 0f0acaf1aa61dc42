package ltl

import (
	"bytes"
	"errors"
	"testing"

	"github.com/agentltl/agentltl-hook/trace"
)

// FuzzParse: no text makes the parser panic; what it reads, it prints as
// something it reads as the same; and where it refuses, the place lies in the
// text.
func FuzzParse(f *testing.F) {
	for _, v := range vectors(f) {
		if v.F != "" {
			f.Add(v.F)
		}
	}
	for _, rule := range benchRules {
		f.Add(rule)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Parse(text)
		if err != nil {
			p, ok := errors.AsType[*ParseError](err)
			if !ok || p.Pos < 0 || p.Pos > len([]rune(text)) || p.Want == "" || p.Got == "" {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		printed := g.String()
		if len(printed) > maxText {
			return // the print of a text near the limit is beyond it
		}
		again, err := Parse(printed)
		if err != nil || again.String() != printed {
			t.Fatalf("%q prints as %q, which is read as %v, %v", text, printed, again, err)
		}
		Classify(g)
		Warnings(g)
		Tools(g)
		m := NewMonitor(g)
		m.Step(trace.Call{Tool: "a"})
		if m.Err() != nil {
			t.Fatalf("%q: %v", text, m.Err())
		}
	})
}

// FuzzCheckpoint: bytes that are no checkpoint are refused, and those that are
// taken make a monitor that steps, judges and saves without a panic.
func FuzzCheckpoint(f *testing.F) {
	var formulas []Formula
	for i, v := range vectors(f) {
		if v.Kind == "error" || v.Kind == "mode" || i%7 != 0 && v.Kind != "rule" {
			continue
		}
		g := mustParse(f, v.F)
		if Fallback(g) {
			continue
		}
		m := NewMonitor(g)
		formulas = append(formulas, g)
		for _, at := range v.Trace {
			m.Step(v.Calls[at].ran(f))
			b, err := m.AppendBinary(nil)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint16(len(formulas)-1), b)
		}
	}
	calls := []trace.Call{call("deploy", "path", "x"), call("edit"), call("read", "path", []any{"x", "y"}), call("test"), call("lock", "path", "y")}
	f.Fuzz(func(t *testing.T, which uint16, b []byte) {
		g := formulas[int(which)%len(formulas)]
		m := NewMonitor(g)
		if err := m.UnmarshalBinary(b); err != nil {
			return
		}
		// What is taken is kept: a binding can be left out, or written shorter.
		once := save(t, m)
		if err := NewMonitor(g).UnmarshalBinary(once); err != nil {
			t.Fatalf("%s: %x is taken, its copy %x is not", g, b, once)
		}
		m.SetHistory(func(n int) ([]trace.Call, error) { return make([]trace.Call, min(n, 100)), nil })
		for _, c := range calls {
			m.Clone().Step(c)
			m.Step(c)
			m.Verdict()
			m.End()
		}
		if m.Err() == nil {
			if c := save(t, m); !bytes.Equal(c, save(t, m)) {
				t.Fatal("two checkpoints of one state differ")
			}
		}
	})
}
