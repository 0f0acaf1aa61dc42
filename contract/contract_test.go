package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agentltl/agentltl-hook/trace"
)

// named matches a tool by name; a call whose argument maybe is true only may match.
type named string

func (n named) Match(c *trace.Call) trace.Answer {
	switch {
	case c.Tool != string(n):
		return trace.No
	case c.Args["maybe"] == true || c.Outcome != nil && c.Outcome.Maybe:
		return trace.Maybe
	}
	return trace.Yes
}

func (n named) Key() string     { return string(n) }
func (n named) Tools() []string { return []string{string(n)} }

func pay(amount any) *trace.Call {
	return &trace.Call{Tool: "pay", Args: trace.Args{"amount": amount}}
}

func TestTotalBoundaries(t *testing.T) {
	num := func(s string) any { return json.Number(s) }
	for _, tt := range []struct {
		name     string
		negative Negative
		ran      []any
		next     any
		want     string // part of the problem; "" passes
	}{
		{"exactly the limit", 0, []any{num("60")}, num("40"), ""},
		{"over it", 0, []any{num("60")}, num("40.000000000000000001"), "to 100.000000000000000001; the limit is 100 (60 so far)"},
		{"alone", 0, nil, num("101"), "This pay of 101 would bring"},
		{"exact sums", 0, []any{num("0.1"), num("0.2")}, num("99.7"), ""},
		{"missing", 0, nil, nil, "no readable amount;"},
		{"text", 0, nil, "a lot", `no readable amount ("a lot")`},
		{"boolean", 0, nil, true, "no readable amount (true)"},
		{"a list", 0, nil, []any{num("1")}, "no readable amount ([1])"},
		{"64 digits", 0, nil, num("0." + strings.Repeat("1", 63)), ""},
		{"65 digits", 0, nil, num("0." + strings.Repeat("1", 64)), "no readable amount"},
		{"a huge exponent", 0, nil, num("1e401"), "no readable amount"},
		{"negative", RefuseNegative, nil, num("-1"), "below zero"},
		{"credit", AllowNegative, []any{num("100"), num("-50")}, num("50"), ""},
		{"no credit", ZeroNegative, []any{num("100"), num("-50")}, num("1"), "(100 so far)"},
		{"one that ran unread adds nothing", 0, []any{"x", num("100")}, num("0"), ""},
	} {
		m := (&Total{Call: named("pay"), Field: "amount", Limit: "100", Negative: tt.negative}).NewMonitor()
		for _, a := range tt.ran {
			m.Step(pay(a))
		}
		got := m.Propose(pay(tt.next)).Text
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTotalField(t *testing.T) {
	m := (&Total{Call: named("pay"), Field: "order.total", Limit: "10"}).NewMonitor()
	nested := &trace.Call{Tool: "pay", Args: trace.Args{"order": map[string]any{"total": json.Number("7")}}}
	if p := m.Propose(nested); p.Text != "" {
		t.Error(p)
	}
	m.Step(nested)
	dotted := &trace.Call{Tool: "pay", Args: trace.Args{"order.total": json.Number("4")}}
	if p := m.Propose(dotted); !strings.Contains(p.Text, "(7 so far)") {
		t.Error(p)
	}
}

func at(tool string, ns int64) *trace.Call {
	return &trace.Call{Tool: tool, Time: time.Unix(1_700_000_000, ns)}
}

func TestRateBoundaries(t *testing.T) {
	m := (&Rate{Call: named("get"), Times: 2, Per: time.Minute}).NewMonitor()
	m.Step(at("get", 0))
	m.Step(at("other", 1))
	m.Step(at("get", 5))
	minute := int64(time.Minute)
	for _, tt := range []struct {
		ns   int64
		wait int64
	}{{6, minute - 5}, {minute, 1}, {minute + 1, 0}, {-100, minute - 4}} {
		p := m.Propose(at("get", tt.ns))
		if p.RetryAfter != tt.wait || (p.Text == "") != (tt.wait == 0) {
			t.Errorf("at %d: wait %d, want %d: %s", tt.ns, p.RetryAfter, tt.wait, p.Text)
		}
	}
	if p := m.Propose(at("get", 30*int64(time.Second))); p.Text != "get ran 2 times in the last 60s; the next one may run in 30.1s." {
		t.Error(p.Text)
	}
	if p := m.Propose(&trace.Call{Tool: "get"}); p.Text != "" {
		t.Errorf("a call without a time is judged: %v", p)
	}
	if p := m.Propose(at("other", 6)); p.Text != "" {
		t.Error(p)
	}
}

func TestWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Minute: "60s", 10 * time.Minute: "10m", time.Hour: "1h", 90 * time.Minute: "1h30m", 12400 * time.Millisecond: "12.4s", 20 * time.Hour: "20h",
	} {
		if got := words(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// a kind is a contract with its naive scan: whether a call would break it, given
// the calls that ran.
type scanned struct {
	c      Contract
	breaks func(ran []*trace.Call, next *trace.Call) bool
}

func scans(limit, n int) map[string]scanned {
	return map[string]scanned{
		"total": {
			&Total{Call: named("a"), Field: "amount", Limit: json.Number(fmt.Sprint(limit))},
			func(ran []*trace.Call, next *trace.Call) bool {
				if next.Tool != "a" {
					return false
				}
				sum := new(big.Rat)
				for _, c := range ran {
					if x, ok := amountOf(c); ok && x.Sign() >= 0 {
						sum.Add(sum, x)
					}
				}
				x, ok := amountOf(next)
				return !ok || x.Sign() < 0 || sum.Add(sum, x).Cmp(big.NewRat(int64(limit), 1)) > 0
			},
		},
		"rate": {
			&Rate{Call: named("a"), Times: n, Per: 10},
			func(ran []*trace.Call, next *trace.Call) bool {
				inside := 0
				for _, c := range ran {
					if c.Tool == "a" && next.Time.Sub(c.Time) <= 10 {
						inside++
					}
				}
				return next.Tool == "a" && inside >= n
			},
		},
	}
}

func amountOf(c *trace.Call) (*big.Rat, bool) {
	n, ok := c.Args["amount"].(json.Number)
	if c.Tool != "a" || !ok {
		return nil, false
	}
	return trace.Rat(n)
}

// TestScan: each automaton equals a naive scan of the calls that ran; a monitor
// saved and restored at any cut goes on as if nothing had happened; proposing
// changes nothing; a clone shares nothing.
func TestScan(t *testing.T) {
	amounts := []any{json.Number("1"), json.Number("2.5"), json.Number("-1"), json.Number("0"), "x", nil}
	rapid.Check(t, func(t *rapid.T) {
		all := scans(rapid.IntRange(0, 6).Draw(t, "limit"), rapid.IntRange(1, 3).Draw(t, "n"))
		for _, name := range []string{"total", "rate"} {
			s := all[name]
			m := s.c.NewMonitor()
			var ran []*trace.Call
			now, broke := int64(0), false
			for i := range rapid.IntRange(0, 12).Draw(t, "calls") {
				now += rapid.Int64Range(0, 6).Draw(t, "gap")
				c := at(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "tool"), now)
				c.Args = trace.Args{"amount": rapid.SampledFrom(amounts).Draw(t, "amount")}
				want := s.breaks(ran, c)
				before, _ := m.AppendBinary(nil)
				if got := m.Propose(c).Text != ""; got != want {
					t.Fatalf("%s: call %d: breaks %v, want %v", name, i, got, want)
				}
				other := m.Clone()
				other.Step(c)
				if after, _ := m.AppendBinary(nil); string(before) != string(after) {
					t.Fatalf("%s: proposing or a clone's step changed the monitor", name)
				}
				if want && !rapid.Bool().Draw(t, "insist") {
					continue
				}
				broke = broke || want
				changed := m.Step(c)
				ran = append(ran, c)
				after, _ := m.AppendBinary(nil)
				if changed != (string(before) != string(after)) {
					t.Fatalf("%s: changed is %v, the state says otherwise", name, changed)
				}
				if (m.Status() == Violated) != broke {
					t.Fatalf("%s: status %v, broken %v", name, m.Status(), broke)
				}
				if rapid.Bool().Draw(t, "restore") {
					m = s.c.NewMonitor()
					if err := m.UnmarshalBinary(after); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// TestMaybe: a call that only may match counts against and is told so.
func TestMaybe(t *testing.T) {
	for name, c := range map[string]Contract{
		"total": &Total{Call: named("a"), Field: "amount", Limit: "1"}, "rate": &Rate{Call: named("a"), Times: 1, Per: time.Second},
	} {
		m := c.NewMonitor()
		call := at("a", 0)
		call.Args = trace.Args{"amount": json.Number("1"), "maybe": true}
		m.Step(call)
		if p := m.Propose(call); p.Text == "" || !p.Maybe {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestDamagedState(t *testing.T) {
	for _, c := range []Contract{&Total{Call: named("a"), Field: "x", Limit: "1"}, &Rate{Call: named("a"), Times: 1, Per: 1}} {
		for _, b := range [][]byte{nil, {2}, {0, 'x'}, {0, 0x80}, {1, 2, 2, 2}} {
			m := c.NewMonitor()
			if err := m.UnmarshalBinary(b); err == nil && len(b) != 0 && b[0] > 1 {
				t.Errorf("%T reads %v", c, b)
			}
		}
	}
}

// TestVectors runs the recorded cases of sums and clocks: status after each call
// that ran, and what the end of the session makes of them.
func TestVectors(t *testing.T) {
	data, err := os.ReadFile("../testdata/vectors/contracts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for line := range strings.Lines(string(data)) {
		v, err := trace.DecodeJSON([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		m := v.(map[string]any)
		if m["events"] == nil || m["tools"] != nil {
			continue
		}
		monitors := ours(m["contracts"].([]any))
		if monitors == nil {
			continue
		}
		ran++
		runVector(t, m, monitors)
	}
	if ran < 36 {
		t.Errorf("only %d cases", ran)
	}
}

// ours makes the monitors of a case; nil if it holds other templates, which are
// formulas.
func ours(list []any) []Monitor {
	var out []Monitor
	for _, x := range list {
		m := x.(map[string]any)
		args := map[string]any{}
		params := map[string][]string{"at_most_total": {"tool", "field", "limit"}, "rate_limit": {"tool", "n", "window_seconds"}}[m["template"].(string)]
		if params == nil {
			return nil
		}
		positional, _ := m["args"].([]any)
		for i, a := range positional {
			args[params[i]] = a
		}
		kw, _ := m["kwargs"].(map[string]any)
		maps.Copy(args, kw)
		tool, ok := args["tool"].(string)
		if !ok {
			return nil
		}
		if m["template"] == "at_most_total" {
			out = append(out, (&Total{Call: named(tool), Field: args["field"].(string), Limit: args["limit"].(json.Number)}).NewMonitor())
			continue
		}
		n, _ := args["n"].(json.Number).Int64()
		w, _ := args["window_seconds"].(json.Number).Float64()
		out = append(out, (&Rate{Call: named(tool), Times: int(n), Per: time.Duration(w * float64(time.Second))}).NewMonitor())
	}
	return out
}

func runVector(t *testing.T, m map[string]any, monitors []Monitor) {
	t.Helper()
	expect := m["expect"].(map[string]any)
	observe := expect["observe"].(map[string]any)
	gate := expect["gate"].(map[string]any)
	gated := make([]Monitor, len(monitors))
	for i := range monitors {
		gated[i] = monitors[i].Clone()
	}
	for i, e := range m["events"].([]any) {
		event := e.(map[string]any)
		sec, _ := event["t"].(json.Number).Float64()
		c := &trace.Call{Tool: event["tool"].(string), Time: time.Unix(1_700_000_000, 0).Add(time.Duration(sec * float64(time.Second)))}
		if args, ok := event["args"].(map[string]any); ok {
			c.Args = args
		}
		var refusing []any
		for j, g := range gated {
			if g.Propose(c).Text != "" {
				refusing = append(refusing, json.Number(fmt.Sprint(j)))
			}
		}
		decision := "allow"
		if len(refusing) > 0 {
			decision = "deny"
		}
		if want := gate["decisions"].([]any)[i]; want != decision || !trace.Equal(gate["by"].([]any)[i], append([]any{}, refusing...)) {
			t.Errorf("%s: event %d: %s by %v, want %v by %v", m["id"], i, decision, refusing, want, gate["by"].([]any)[i])
		}
		for j := range monitors {
			if decision == "allow" {
				gated[j].Step(c)
			}
			monitors[j].Step(c)
			want := observe["verdicts"].([]any)[i].([]any)[j]
			violated := monitors[j].Status() == Violated
			if violated != (want == "violated") {
				t.Errorf("%s: event %d: contract %d violated %v, want %v", m["id"], i, j, violated, want)
			}
		}
	}
}

// TestVectorsShifted: the same cases with each limit moved by one are told as
// wrong, or the figures above prove nothing.
func TestVectorsShifted(t *testing.T) {
	data, err := os.ReadFile("../testdata/vectors/contracts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	shifted, wrong := 0, 0
	for line := range strings.Lines(string(data)) {
		v, _ := trace.DecodeJSON([]byte(line))
		m := v.(map[string]any)
		if m["events"] == nil || m["tools"] != nil || !strings.Contains(fmt.Sprint(m["category"]), "limit") {
			continue
		}
		monitors := ours(m["contracts"].([]any))
		if monitors == nil {
			continue
		}
		for _, mon := range monitors {
			switch x := mon.(type) {
			case *totalMonitor:
				n, _ := trace.Rat(x.def.Limit)
				x.def.Limit = json.Number(new(big.Rat).Sub(n, big.NewRat(1, 1)).FloatString(3))
			case *rateMonitor:
				x.def.Times++
			}
		}
		shifted++
		if differs(m, monitors) {
			wrong++
		}
	}
	if shifted == 0 || wrong == 0 || wrong*3 < shifted {
		t.Errorf("of %d shifted cases %d differ", shifted, wrong)
	}
}

func differs(m map[string]any, monitors []Monitor) bool {
	observe := m["expect"].(map[string]any)["observe"].(map[string]any)
	for i, e := range m["events"].([]any) {
		event := e.(map[string]any)
		sec, _ := event["t"].(json.Number).Float64()
		c := &trace.Call{Tool: event["tool"].(string), Time: time.Unix(1_700_000_000, 0).Add(time.Duration(sec * float64(time.Second)))}
		c.Args, _ = event["args"].(map[string]any)
		for j := range monitors {
			monitors[j].Step(c)
			if (monitors[j].Status() == Violated) != (observe["verdicts"].([]any)[i].([]any)[j] == "violated") {
				return true
			}
		}
	}
	return false
}

func TestKeys(t *testing.T) {
	a := &Total{Call: named("a"), Field: "x", Limit: "1"}
	var keys []string
	for _, c := range []Contract{
		a, &Total{Call: named("b"), Field: "x", Limit: "1"}, &Total{Call: named("a"), Field: "y", Limit: "1"}, &Total{Call: named("a"), Field: "x", Limit: "2"},
		&Total{Call: named("a"), Field: "x", Limit: "1", Negative: ZeroNegative}, &Rate{Call: named("a"), Times: 1, Per: 1}, &Rate{Call: named("a"), Times: 1, Per: 2},
	} {
		if slices.Contains(keys, c.Key()) {
			t.Errorf("key %s twice", c.Key())
		}
		keys = append(keys, c.Key())
		if !slices.Equal(c.Tools(), []string{"a"}) && !slices.Equal(c.Tools(), []string{"b"}) {
			t.Error(c.Tools())
		}
	}
}

func BenchmarkStep(b *testing.B) {
	var monitors []Monitor
	for i := range 50 {
		tool := named(fmt.Sprintf("t%d", i%10))
		if i%2 == 0 {
			monitors = append(monitors, (&Total{Call: tool, Field: "amount", Limit: "1000000000"}).NewMonitor())
		} else {
			monitors = append(monitors, (&Rate{Call: tool, Times: 10, Per: time.Second}).NewMonitor())
		}
	}
	c := at("nothing", 1)
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range monitors {
			m.Propose(c)
			m.Step(c)
		}
	}
}
