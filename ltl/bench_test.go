package ltl

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/agentltl/agentltl-hook/trace"
)

// benchRules are the nine rules of formulas.md 7: 1 to 4 look back only, 9 is
// the one that stood alone in the measurements of the Python engine.
var benchRules = []string{
	`G(!now("git_push_force"))`,
	`G(now("git_push") -> Y(!now("edit") S now("pytest")))`,
	`G(now("edit") -> Y(O(now("read"))))`,
	`G(now("deploy") -> count_before(now("deploy"), < 1000000))`,
	`before("pytest", "git_push")`,
	`called_n("deploy", <= 1000000)`,
	`G(now("lock") -> X((!now("lock")) W now("unlock")))`,
	`G(now("deploy") -> X(now("smoke") | X(now("smoke"))))`,
	`G(now("deploy") -> X(G(!now("deploy"))))`,
}

// benchTrace makes the calls of formulas.md 7 one after the other.
func benchTrace(n int, each func(c trace.Call)) {
	r := rand.New(rand.NewPCG(4, 2)) // a lock, a deploy and an edit are among the first ten calls
	files := make([]trace.Args, 50)
	for i := range files {
		files[i] = trace.Args{"file_path": "src/f" + strconv.Itoa(i) + ".go"}
	}
	status := 0
	out := &trace.Outcome{Status: &status}
	left := n
	call := func(tool string, args trace.Args) {
		if left > 0 {
			left--
			each(trace.Call{Tool: tool, Args: args, Outcome: out})
		}
	}
	call("read", files[0])
	call("pytest", nil)
	singles := []string{"read", "edit", "pytest", "ls", "grep"}
	for left > 0 {
		switch r.IntN(12) {
		case 0:
			call("lock", nil)
			call("unlock", nil)
		case 1:
			call("deploy", nil)
			call("smoke", nil)
		default:
			call(singles[r.IntN(len(singles))], files[r.IntN(len(files))])
		}
	}
}

func benchMonitor(tb testing.TB, rule string, calls int) *Monitor {
	f, err := Parse(rule)
	if err != nil {
		tb.Fatal(err)
	}
	m := NewMonitor(f)
	benchTrace(calls, func(c trace.Call) { m.Step(c) })
	if m.Err() != nil {
		tb.Fatal(m.Err())
	}
	return m
}

var benchLengths = []int{10, 1_000, 100_000, 1_000_000}

// BenchmarkStep is a proposed edit, on a clone, after a trace of that length:
// what a check costs a rule whose state is in memory. It reports the bytes of
// the checkpoint.
func BenchmarkStep(b *testing.B) {
	edit := trace.Call{Tool: "edit", Args: trace.Args{"file_path": "src/f1.go"}}
	for i, rule := range benchRules {
		for _, n := range benchLengths {
			b.Run(fmt.Sprintf("rule=%d/calls=%d", i+1, n), func(b *testing.B) {
				m := benchMonitor(b, rule, n)
				state, err := m.AppendBinary(nil)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					m.Clone().Step(edit)
				}
				b.ReportMetric(float64(len(state)), "checkpoint-B")
			})
		}
	}
	for _, n := range []int{1, 10, 50} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			var all []*Monitor
			for i := range n {
				all = append(all, benchMonitor(b, benchRules[i%len(benchRules)], 1000))
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, m := range all {
					m.Clone().Step(edit)
				}
			}
		})
	}
}

// BenchmarkRestore is what a hook process pays for the nine rules: formulas
// compiled, checkpoints decoded, one step, checkpoints written.
func BenchmarkRestore(b *testing.B) {
	edit := trace.Call{Tool: "edit", Args: trace.Args{"file_path": "src/f1.go"}}
	for _, n := range []int{0, 1_000, 1_000_000} {
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) {
			var formulas []Formula
			var states [][]byte
			for _, rule := range benchRules {
				m := benchMonitor(b, rule, n)
				state, err := m.AppendBinary(nil)
				if err != nil {
					b.Fatal(err)
				}
				formulas, states = append(formulas, m.f), append(states, state)
			}
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				for i, f := range formulas {
					m := NewMonitor(f)
					if err := m.UnmarshalBinary(states[i]); err != nil {
						b.Fatal(err)
					}
					m.Step(edit)
					buf, _ = m.AppendBinary(buf[:0])
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := Parse(benchRules[1]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkValues is a step of rules over the values of a call, with that many
// values met.
func BenchmarkValues(b *testing.B) {
	for _, rule := range []struct{ name, text string }{
		{"once", `G(forall f in here("edit", "path"): Y(O(now_with("read", path=$f))))`},
		{"since", `G(forall f in here("push", "path"): Y((!now("edit")) S now_with("test", path=$f)))`},
		{"count", `G(forall f in here("read", "path"): count_before(now_with("read", path=$f), < 3))`},
		{"lock", `G(forall f in here("read", "path"): X((!now_with("edit", path=$f)) W now_with("commit", path=$f)))`},
		{"pay", `G(forall f in here("read", "path"): X(G(!now_with("pay", path=$f))))`},
	} {
		for _, n := range []int{10, 1_000, 50_000} {
			b.Run(fmt.Sprintf("%s/values=%d", rule.name, n), func(b *testing.B) {
				f, err := Parse(rule.text)
				if err != nil {
					b.Fatal(err)
				}
				m := NewMonitor(f)
				for i := range n {
					path := trace.Args{"path": "f" + strconv.Itoa(i)}
					m.Step(trace.Call{Tool: "read", Args: path})
					m.Step(trace.Call{Tool: "test", Args: path})
				}
				stored := shelf(m.Changes())
				m.SetVars(stored)
				state, err := m.AppendBinary(nil)
				if err != nil {
					b.Fatal(err)
				}
				r := NewMonitor(f)
				r.SetVars(stored)
				if err := r.UnmarshalBinary(state); err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					i++
					path := trace.Args{"path": "f" + strconv.Itoa(i%n)}
					c := r.Clone()
					c.Step(trace.Call{Tool: "edit", Args: path})
					c.Step(trace.Call{Tool: "read", Args: path})
				}
				if r.Err() != nil {
					b.Fatal(r.Err())
				}
				b.ReportMetric(float64(len(state)), "checkpoint-B")
				b.ReportMetric(float64(len(stored)), "entries")
			})
		}
	}
}

// BenchmarkStepQuiet is a step that changes nothing, the nine rules in turn.
func BenchmarkStepQuiet(b *testing.B) {
	ls := trace.Call{Tool: "ls", Args: trace.Args{"file_path": "src/f1.go"}}
	for i, rule := range benchRules {
		b.Run(fmt.Sprintf("rule=%d", i+1), func(b *testing.B) {
			m := benchMonitor(b, rule, 1000)
			m.Step(ls)
			m.Step(ls)
			b.ReportAllocs()
			for b.Loop() {
				m.Step(ls)
			}
		})
	}
}
