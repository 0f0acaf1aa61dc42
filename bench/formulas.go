package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

// benchmarkRules are those of formulas.md 7.
var benchmarkRules = []string{
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

// peerScript times the same checks with the Python engine.
//
//go:embed peer.py
var peerScript string

var editCall = trace.Call{Tool: "edit", Args: trace.Args{"file_path": "src/f1.go"}}

// formulaTrace makes the calls of formulas.md 7.
func formulaTrace(n int) []trace.Call {
	r := rand.New(rand.NewPCG(4, 2)) // a lock, a deploy and an edit are among the first ten calls
	status := 0
	ran := &trace.Outcome{Status: &status}
	calls := make([]trace.Call, 0, n+1)
	add := func(tool string, file int) {
		calls = append(calls, trace.Call{Tool: tool, Args: trace.Args{"file_path": "src/f" + strconv.Itoa(file) + ".go"}, Outcome: ran})
	}
	add("read", 0)
	add("pytest", 0)
	singles := []string{"read", "edit", "pytest", "ls", "grep"}
	for len(calls) < n {
		switch r.IntN(12) {
		case 0:
			add("lock", 0)
			add("unlock", 0)
		case 1:
			add("deploy", 0)
			add("smoke", 0)
		default:
			add(singles[r.IntN(len(singles))], r.IntN(50))
		}
	}
	return calls[:n]
}

// measureFormulas: a step of each rule at any length of the trace, in process,
// the lengths interleaved; and beside it the Python engine where it is.
func measureFormulas(b *bench) error {
	lengths := []int{10, 1_000, 100_000, 1_000_000}
	if b.quick {
		lengths = lengths[:3]
	}
	calls := formulaTrace(lengths[len(lengths)-1])
	slowest, widest, bytes := 0.0, 0.0, 0
	ours := make([]time.Duration, len(benchmarkRules)) // at 1,000 calls
	for i, rule := range benchmarkRules {
		monitors, err := monitorsAt(rule, calls, lengths)
		if err != nil {
			return err
		}
		steps := b.stepTimes(monitors)
		ours[i] = steps[1]
		for k, m := range monitors {
			state, err := m.AppendBinary(nil)
			if err != nil {
				return err
			}
			bytes = max(bytes, len(state))
			b.samples = append(b.samples, fmt.Sprintf("formula%d,calls%d,%.3f", i+1, lengths[k], float64(steps[k].Nanoseconds())/1000))
		}
		slowest = max(slowest, float64(slices.Max(steps).Nanoseconds())/1000)
		widest = max(widest, float64(slices.Max(steps))/float64(slices.Min(steps)))
	}
	last := strconv.Itoa(lengths[len(lengths)-1])
	b.limit("a step of the slowest of nine formulas, 10 to "+last+" calls", slowest, 10, "%.2f µs")
	b.limit("longest over shortest of a formula, 10 to "+last+" calls", widest, 1.3, "%.2f")
	b.limit("largest checkpoint of a formula", float64(bytes), 1024, "%.0f bytes")
	if err := b.values(); err != nil {
		return err
	}
	return b.peer(calls, ours)
}

// valueRules keep something for every value met.
var valueRules = []struct{ what, text string }{
	{"read before edit", `G(forall f in here("edit", "path"): Y(O(now_with("read", path=$f))))`},
	{"tested since the edit", `G(forall f in here("push", "path"): Y((!now_with("edit", path=$f)) S now_with("read", path=$f)))`},
	{"at most two reads", `G(forall f in here("read", "path"): count_before(now_with("read", path=$f), < 2))`},
	{"no edit until a commit", `G(forall f in here("read", "path"): X((!now_with("edit", path=$f)) W now_with("commit", path=$f)))`},
}

// shelf is what a store keeps of a rule's values.
type shelf map[string][]byte

func (s shelf) Var(key string) ([]byte, bool) { v, ok := s[key]; return v, ok }

func (s shelf) Each(f func(string, []byte) error) error {
	for k, v := range s {
		if err := f(k, v); err != nil {
			return err
		}
	}
	return nil
}

// values: a rule over the values of a call, restored for one call that names one
// of many.
func (b *bench) values() error {
	for _, rule := range valueRules {
		f, err := ltl.Parse(rule.text)
		if err != nil {
			return err
		}
		var text []string
		for _, n := range []int{10, 1_000, 50_000} {
			took, state, err := b.oneOf(f, n)
			if err != nil {
				return err
			}
			text = append(text, fmt.Sprintf("%d values: %.1f µs, checkpoint %d bytes", n, float64(took.Nanoseconds())/1000, state))
		}
		b.note("forall here, "+rule.what+", restore and one edit", strings.Join(text, "; "))
	}
	return nil
}

func (b *bench) oneOf(f ltl.Formula, n int) (took time.Duration, size int, err error) {
	m := ltl.NewMonitor(f)
	for i := range n {
		m.Step(trace.Call{Tool: "read", Args: trace.Args{"path": "f" + strconv.Itoa(i)}})
	}
	stored := shelf(m.Changes())
	m.SetVars(stored)
	state, err := m.AppendBinary(nil)
	if err != nil {
		return 0, 0, err
	}
	var samples []time.Duration
	for i := range b.rounds(2000) {
		call := trace.Call{Tool: "edit", Args: trace.Args{"path": "f" + strconv.Itoa(i*7919%n)}}
		start := time.Now()
		r := ltl.NewMonitor(f)
		r.SetVars(stored)
		if err := r.UnmarshalBinary(state); err != nil {
			return 0, 0, err
		}
		r.Step(call)
		samples = append(samples, time.Since(start))
		if r.Err() != nil {
			return 0, 0, r.Err()
		}
	}
	return median(samples), len(state), nil
}

// monitorsAt are the rule's monitors after so many calls.
func monitorsAt(rule string, calls []trace.Call, lengths []int) ([]*ltl.Monitor, error) {
	f, err := ltl.Parse(rule)
	if err != nil {
		return nil, err
	}
	m := ltl.NewMonitor(f)
	var out []*ltl.Monitor
	for n, c := range calls {
		m.Step(c)
		if slices.Contains(lengths, n+1) {
			out = append(out, m.Clone())
		}
	}
	return out, m.Err()
}

// stepTimes is the median time of a proposed edit on a clone, for each monitor.
func (b *bench) stepTimes(monitors []*ltl.Monitor) []time.Duration {
	const inner = 500
	samples := make([][]time.Duration, len(monitors))
	for range b.rounds(200) {
		for k, m := range monitors {
			start := time.Now()
			for range inner {
				m.Clone().Step(editCall)
			}
			samples[k] = append(samples[k], time.Since(start)/inner)
		}
	}
	out := make([]time.Duration, len(monitors))
	for k := range monitors {
		out[k] = median(samples[k])
	}
	return out
}

// peer times the same proposed call, after the same 1,000 calls, with the Python
// engine, and notes how many times longer it takes over all nine rules.
func (b *bench) peer(calls []trace.Call, ours []time.Duration) error {
	python, err := exec.LookPath("python3")
	if err != nil {
		b.note("the Python engine", "no python3")
		return nil
	}
	type entry struct {
		Tool string     `json:"tool"`
		Args trace.Args `json:"args"`
	}
	in := struct {
		Rules []string `json:"rules"`
		Calls []entry  `json:"calls"`
		Next  entry    `json:"next"`
	}{Rules: benchmarkRules, Next: entry{editCall.Tool, editCall.Args}}
	for _, c := range calls[:1000] {
		in.Calls = append(in.Calls, entry{c.Tool, c.Args})
	}
	data, err := json.Marshal(in)
	if err != nil {
		return err
	}
	cmd := exec.Command(python, "-c", peerScript)
	cmd.Stdin = bytes.NewReader(data)
	out, err := cmd.Output()
	if err != nil {
		b.note("the Python engine", "not installed for "+python)
		return nil
	}
	var seconds []float64
	if err := json.Unmarshal(out, &seconds); err != nil || len(seconds) != len(ours) {
		return fmt.Errorf("answer of the Python engine: %q", out)
	}
	var theirs, mine float64
	for i := range ours {
		theirs, mine = theirs+seconds[i], mine+ours[i].Seconds()
		b.samples = append(b.samples, fmt.Sprintf("formula%d,python1000,%.0f", i+1, seconds[i]*1e6))
	}
	b.note("the Python engine, nine formulas, one check after 1,000 calls", fmt.Sprintf("%.0f times ours (%.1f ms / %.3f ms)", theirs/mine, theirs*1000, mine*1000))
	return nil
}
