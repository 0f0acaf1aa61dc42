package ltl

import (
	"bytes"
	"testing"

	"github.com/agentltl/agentltl-hook/internal/version"
	"github.com/agentltl/agentltl-hook/trace"
)

// A program reads its own codec and the two before it (trust.md 8).
func TestCodecsThatAreRead(t *testing.T) {
	defer func(old string) { version.Codec = old }(version.Codec)
	for _, rule := range []string{benchRules[8], `forall f in seen("a", "k"): called_with("b", k=$f)`} {
		f := mustParse(t, rule)
		version.Codec = "3"
		m := NewMonitor(f)
		m.Step(call("deploy"))
		state := save(t, m)
		for codec, want := range map[string]bool{"1": false, "2": false, "3": true, "4": true, "5": true, "6": false} {
			version.Codec = codec
			if err := NewMonitor(f).UnmarshalBinary(state); (err == nil) != want {
				t.Errorf("%s: codec 3 read by a program of codec %s: %v", rule, codec, err)
			}
		}
	}
	version.Codec = "2"
	f := mustParse(t, `G(forall f in here("edit", "path"): Y(O(now_with("read", path=$f))))`)
	m := NewMonitor(f)
	m.Step(call("read", "path", "x"))
	stored := shelf(m.Changes())
	m.SetVars(stored)
	state := save(t, m)
	version.Codec = "3"
	n := NewMonitor(f)
	n.SetVars(stored)
	if err := n.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	if j := n.Step(call("edit", "path", "x")); j.Refused() || n.Err() != nil {
		t.Errorf("a binding of the codec before: %v, %v", j, n.Err())
	}
}

// What was stored by another hand is damage, and judged as such: refused, with
// the error for the caller.
func TestDamagedBindings(t *testing.T) {
	f := mustParse(t, `G(forall f in here("edit", "path"): Y(O(now_with("read", path=$f))))`)
	m := NewMonitor(f)
	m.Step(call("read", "path", "x"))
	changes := m.Changes()
	if len(changes) != 1 {
		t.Fatalf("%d changes, want 1", len(changes))
	}
	m.SetVars(shelf(changes))
	state := save(t, m)
	for key, val := range changes {
		for name, damage := range map[string][]byte{"cut": val[:len(val)-1], "empty": {}, "other codec": append([]byte{99}, val[1:]...)} {
			n := NewMonitor(f)
			n.SetVars(shelf{key: damage})
			if err := n.UnmarshalBinary(state); err != nil {
				t.Fatal(err)
			}
			if j := n.Step(call("edit", "path", "x")); !j.Refused() || n.Err() == nil {
				t.Errorf("%s: %v, %v", name, j, n.Err())
			}
		}
	}
}

// Equal states give equal bytes, whatever way they were come to: values spelled
// otherwise, calls that cannot matter left out, bindings named in another order.
func TestEqualStatesGiveEqualBytes(t *testing.T) {
	f := mustParse(t, `G(forall f in here("edit", "path"): X((!now_with("edit", path=$f)) W now_with("test", path=$f)))`)
	run := func(calls ...trace.Call) []byte {
		m := NewMonitor(f)
		for _, c := range calls {
			m.Step(c)
		}
		return save(t, m)
	}
	a := run(call("edit", "path", []any{"x", "y"}), call("ls"), call("ls"))
	b := run(call("edit", "path", []any{"y", "x"}), call("ls"), call("ls"))
	if !bytes.Equal(a, b) {
		t.Errorf("x and y in another order:\n%x\n%x", a, b)
	}
}
