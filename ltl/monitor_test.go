package ltl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/trace"
)

func TestFallbackFormulas(t *testing.T) {
	for _, tt := range []struct {
		formula string
		want    bool
	}{
		{`G(!now("a"))`, false},
		{`forall f in here("a", "k"): called_with("b", k=$f)`, false},
		{`exists f in here("a", "k"): called_with("b", k=$f)`, false},
		{`G(forall f in here("a", "k"): forall g in here("a", "l"): Y(O(now_with("b", k=$f, l=$g))))`, false},
		{`forall f in seen("a", "k"): called_with("b", k=$f)`, true},
		{`!(exists f in seen("a", "k"): called_with("b", k=$f))`, true},
		{`G(forall f in here("a", "k"): called_with_result("b", result=$f))`, true},
		// the state of (f, g) would have to follow calls that name one of them
		{`G(forall f in here("a", "k"): forall g in here("a", "l"): O(now_with("b", k=$f) & now_with("b", l=$g)))`, true},
	} {
		if got := Fallback(mustParse(t, tt.formula)); got != tt.want {
			t.Errorf("Fallback(%s) = %v", tt.formula, got)
		}
	}
	if !Fallback(Forall{"f", Here{"a", "k"}, Once{Match{M: unnamed{fakeTarget{"a", "f"}}}}}) {
		t.Error("a target that cannot name its values is judged by value")
	}
}

// unnamed hides Names.
type unnamed struct{ m fakeTarget }

func (u unnamed) Match(c *trace.Call, env Env) trace.Answer { return u.m.Match(c, env) }
func (u unnamed) Key() string                               { return u.m.Key() }
func (u unnamed) Tools() []string                           { return u.m.Tools() }
func (u unnamed) Vars() []string                            { return u.m.Vars() }

// A monitor of the fallback reads the trace it was not shown from its History.
func TestFallbackReadsHistory(t *testing.T) {
	f := mustParse(t, `forall f in seen("edit", "path"): !called_with("rm", path=$f)`)
	calls := []trace.Call{call("edit", "path", "x"), call("ls"), call("rm", "path", "x"), call("rm", "path", "x")}
	first := NewMonitor(f)
	first.Step(calls[0])
	state := save(t, first)

	m := NewMonitor(f)
	if err := m.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	if j := m.Clone().Step(calls[2]); !j.Refused() {
		t.Error("without its history the monitor let a call through")
	}
	m = NewMonitor(f)
	if err := m.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	m.SetHistory(func(n int) ([]trace.Call, error) { return calls[:n], nil })
	m.Skip(1)
	got := ""
	for _, c := range calls[2:] {
		got += fmt.Sprint(m.Step(c).Refused(), " ")
	}
	if got != "true true " || m.Err() != nil || m.Calls() != 4 {
		t.Errorf("rm, rm: refused %s(%v, %d calls)", got, m.Err(), m.Calls())
	}

	lost := errors.New("lost")
	m = NewMonitor(f)
	if err := m.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	m.SetHistory(func(int) ([]trace.Call, error) { return nil, lost })
	if j := m.Step(calls[1]); !j.Refused() || !errors.Is(m.Err(), lost) {
		t.Errorf("history lost: %v, %v", j, m.Err())
	}
}

// A rule whose state grows beyond its limit is judged by the evaluator from
// there on, and stays so in its checkpoint.
func TestOutgrownMonitor(t *testing.T) {
	f := mustParse(t, `G(now("a") -> X(!now("b")))`)
	calls := tools("a ls a b a b")
	history := func(n int) ([]trace.Call, error) { return calls[:n], nil }
	m := NewMonitor(f)
	m.SetHistory(history)
	want := NewMonitor(f)
	for i, c := range calls {
		if i == 2 {
			m.large = true // no formula that a person writes gets there
		}
		if i == 4 {
			n := NewMonitor(f)
			n.SetHistory(history)
			if err := n.UnmarshalBinary(save(t, m)); err != nil {
				t.Fatal(err)
			}
			m = n
		}
		got, want := m.Step(c), want.Step(c)
		if got.Verdict != want.Verdict || !slices.Equal(got.New, want.New) {
			t.Errorf("call %d: %v, want %v", i, got, want)
		}
		if grown := m.fall != nil; grown != (i >= 2) {
			t.Errorf("call %d: judged by the evaluator: %v", i, grown)
		}
	}
}

func TestBudgets(t *testing.T) {
	// 2,000 obligations of one call each, of 60 nodes.
	body := strings.Repeat(`X(now_with("b", k=$f)) | `, 20) + "false"
	f := mustParse(t, `G(forall f in here("a", "k"): X(`+body+`))`)
	var values []any
	for i := range 5000 {
		values = append(values, fmt.Sprint(i))
	}
	m := NewMonitor(f)
	m.Step(call("a", "k", values))
	if j := m.Step(call("ls")); !errors.Is(m.Err(), ErrBudget) || !j.Refused() {
		t.Errorf("over the budget: %v, %v", m.Err(), j)
	}
	if j := m.Step(call("ls")); !j.Refused() {
		t.Error("once over the budget, a monitor must not judge again")
	}
	if _, err := m.AppendBinary(nil); !errors.Is(err, ErrBudget) {
		t.Errorf("checkpoint of a monitor over its budget: %v", err)
	}

	long := tools(strings.Repeat("a ", 400_000))
	if _, err := Evaluate(mustParse(t, strings.Repeat(`G(now("a") -> now("a")) & `, 10)+"true"), long); !errors.Is(err, ErrBudget) {
		t.Errorf("evaluation over the budget: %v", err)
	}
}

// A step that changes nothing allocates nothing.
func TestStepsWithoutChangeAllocateNothing(t *testing.T) {
	for i, rule := range benchRules {
		m := benchMonitor(t, rule, 1000)
		ls := trace.Call{Tool: "ls", Args: trace.Args{"file_path": "src/f1.go"}}
		m.Step(ls)
		m.Step(ls)
		if n := testing.AllocsPerRun(100, func() { m.Step(ls) }); n != 0 {
			t.Errorf("rule %d: ls allocates %v times", i+1, n)
		}
	}
	for _, rule := range []string{
		`G(forall f in here("edit", "path"): Y(O(now_with("read", path=$f))))`,
		`G(forall f in here("push", "path"): Y((!now("edit")) S now_with("test", path=$f)))`,
	} {
		m := NewMonitor(mustParse(t, rule))
		for i := range 100 {
			m.Step(call("read", "path", fmt.Sprint(i)))
		}
		for _, c := range []trace.Call{call("ls"), call("read", "path", "7")} {
			m.Step(c)
			if n := testing.AllocsPerRun(100, func() { m.Step(c) }); n != 0 {
				t.Errorf("%s: %s allocates %v times", rule, c.Tool, n)
			}
		}
	}
}

// Instances stay few however long the trace is.
func TestInstancesStayFew(t *testing.T) {
	for i, rule := range benchRules {
		if m := benchMonitor(t, rule, 20_000); len(m.items) > 3 {
			t.Errorf("rule %d has %d instances", i+1, len(m.items))
		}
	}
	m := NewMonitor(mustParse(t, `called("x") U called("y")`))
	for range 2000 {
		m.Step(call("ls"))
	}
	if size := stateSize(m.items); size > 12 {
		t.Errorf("called(x) U called(y) has %d nodes", size)
	}
	for _, v := range vectors(t) {
		if v.Kind != "rule" || strings.Contains(v.F, "forall") || strings.Contains(v.F, "exists") {
			continue
		}
		f := mustParse(t, v.F)
		m := NewMonitor(f)
		for n := range 200 {
			m.Step(v.Calls[n*7%len(v.Calls)].ran(t))
		}
		if len(m.items) > 3 || m.Err() != nil {
			t.Errorf("%s: %s: %d instances, %v", v.ID, v.F, len(m.items), m.Err())
		}
		if b := save(t, m); len(b) > 1024 {
			t.Errorf("%s: %s: a checkpoint of %d bytes", v.ID, v.F, len(b))
		}
	}
}

// stateSize counts the residual nodes of live instances.
func stateSize(items []item) int {
	size := 0
	for _, it := range items {
		if size++; it.e != nil {
			size += it.e.size
		}
	}
	return size
}

func TestCheckpointsOfOthersAreRefused(t *testing.T) {
	m := NewMonitor(mustParse(t, benchRules[8]))
	m.Step(call("deploy"))
	state := save(t, m)
	other := NewMonitor(mustParse(t, benchRules[1]))
	if err := other.UnmarshalBinary(state); err == nil {
		t.Error("a checkpoint of another formula was taken")
	}
	if other.Calls() != 0 {
		t.Error("a refused checkpoint left something behind")
	}
	if err := m.UnmarshalBinary(append(state, 0)); err == nil {
		t.Error("bytes behind the checkpoint were taken")
	}
	state[0] = 9
	if err := m.UnmarshalBinary(state); err == nil {
		t.Error("a checkpoint of a later codec was taken")
	}
	for i := range state {
		if err := m.UnmarshalBinary(state[:i]); err == nil {
			t.Errorf("the first %d of %d bytes were taken", i, len(state))
		}
	}
}

func TestComply(t *testing.T) {
	for _, tt := range []struct {
		formula, trace, call string
		want                 string
	}{
		{`G(now("push") -> Y(O(now("test"))))`, "", "push", "test"},
		{`G(now("push") -> Y((!now("edit")) S now("test")))`, "test edit", "push", "test"},
		{`G(now("push") -> Y(O(now("build") & Y(O(now("test"))))))`, "ls", "push", "test build"},
		{`G(now("push") -> Y(O(now("build"))))`, "build", "push", ""},
		{`G(!now("rm"))`, "", "rm", ""},
		{`called_n("pay", <= 1)`, "pay", "pay", ""},
		{`G(now("lock") -> X((!now("lock")) W now("unlock")))`, "lock", "lock", "unlock"},
	} {
		f := mustParse(t, tt.formula)
		m := NewMonitor(f)
		for _, c := range tools(tt.trace) {
			m.Step(c)
		}
		var got []string
		for _, c := range Comply(m, trace.Call{Tool: tt.call}, Letters(f)) {
			got = append(got, c.Tool)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s after %q: %s passes after %q, want %q", tt.formula, tt.trace, tt.call, got, tt.want)
		}
	}
}

func TestToolsAndReact(t *testing.T) {
	for _, tt := range []struct {
		formula string
		names   string
		always  bool
	}{
		{`G(!now("a"))`, "a", false},
		{`G(now("push") -> Y((!now("edit")) S now("pytest")))`, "edit push pytest", false},
		{`G(now("push") -> Y(O(now("test"))))`, "push test", false},
		{`G(now("deploy") -> count_before(now("deploy"), < 2))`, "deploy", false},
		{`before("a", "b") & called_n("c", <= 1)`, "a b c", false},
		{`G(now("a") -> !Y(O(now("b"))))`, "a b", false},
		{`(!now("a")) W now("b")`, "a b", false},
		{`G(forall f in here("rm", "path"): Y(O(now_with("read", path=$f))))`, "read rm", false},
		{`G(now("a") -> X(!now("b")))`, "a b", true}, // X
		{`now("a") U now("b")`, "a b", true},         // a call of neither breaks it
		{`G(now("a") -> !Y(now("b")))`, "a b", true}, // Y over the call itself
		{`G(now("a") -> !Y(Y(O(now("b")))))`, "a b", true},
		{`within_steps("a", "b", 2)`, "a b", true}, // counts calls
		{`@3(now("a"))`, "a", true},
		{`called("a")`, "a", true},    // refuses all until a
		{`O(now("a"))`, "a", true},    // about the first call
		{`G(O(now("a")))`, "a", true}, // refuses every call before a
		{`G(match({x}))`, "x", true},  // every other call breaks it
	} {
		f, err := Parse(tt.formula, Options{Match: targetHook})
		if err != nil {
			t.Fatal(err)
		}
		names, always := Tools(f)
		if strings.Join(names, " ") != tt.names || always != tt.always {
			t.Errorf("Tools(%s) = %q, %v", tt.formula, names, always)
		}
		if c := call("other"); React(f, &c) != tt.always {
			t.Errorf("React(%s, other) = %v", tt.formula, !tt.always)
		}
	}
	f := mustParse(t, `G(!now_with("rm", force=true))`)
	for _, tt := range []struct {
		c    trace.Call
		want bool
	}{
		{call("rm"), false},
		{call("rm", "force", true), true},
		{trace.Call{Tool: "x", Forms: []trace.Form{{Tool: "rm", Args: trace.Args{"force": true}}}}, true},
	} {
		if got := React(f, &tt.c); got != tt.want {
			t.Errorf("React to %s %v = %v", tt.c.Tool, tt.c.Args, got)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct{ formula, want string }{
		{`G(!now("a"))`, ""},
		{`G(X(!called("x")))`, "every later call is a new failure"},
		{`true | now("a")`, "always holds"},
		{`false & now("a")`, "never holds"},
		{`G(now("b") -> !called("a"))`, "called(\"a\") below G speaks of the whole trace"},
		{`before("a", "b")`, ""},
	} {
		got := strings.Join(Warnings(mustParse(t, tt.formula)), "; ")
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("Warnings(%s) = %q, want %q", tt.formula, got, tt.want)
		}
	}
}

func TestParts(t *testing.T) {
	f := mustParse(t, `G(now("push") -> Y(O(now("test"))))`)
	e, _ := mustEvaluate(t, f, tools("ls push"))
	parts, err := e.Parts(1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range parts {
		got = append(got, fmt.Sprintf("%d %s %v", p.Depth, p.Formula, p.Verdict))
	}
	want := []string{
		`0 G((now("push")) -> (Y(O(now("test"))))) violated`,
		`1 (now("push")) -> (Y(O(now("test")))) violated`,
		`2 now("push") holds`,
		`2 Y(O(now("test"))) violated`,
		`3 O(now("test")) violated`,
		`4 now("test") violated`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("parts at 1:\n%s", strings.Join(got, "\n"))
	}
}
