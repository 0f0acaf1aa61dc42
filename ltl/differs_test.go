package ltl

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/trace"
)

// The classes of formulas.md 12, in which we differ from the Python engine on
// purpose, each with our answer. D5 is about modes and tested in guard.

func call(tool string, args ...any) trace.Call {
	c := trace.Call{Tool: tool, Args: trace.Args{}}
	for i := 0; i < len(args); i += 2 {
		c.Args[args[i].(string)] = args[i+1]
	}
	return c
}

// refusals judges each call with the ones before it as run, by the monitor and
// by the evaluator, and writes R for those refused and A for the others.
func refusals(t *testing.T, formula string, calls ...trace.Call) string {
	t.Helper()
	f := mustParse(t, formula)
	m := monitor(f, calls)
	before, _ := mustEvaluate(t, f, nil)
	out := ""
	for i := range calls {
		after, _ := mustEvaluate(t, f, calls[:i+1])
		fresh, err := NewFailures(before, after)
		if err != nil {
			t.Fatal(err)
		}
		j, k := m.Step(calls[i]), Judgement{after.Verdict(), fresh}
		if j.Refused() != k.Refused() || j.Verdict != k.Verdict {
			t.Fatalf("%s: call %d: monitor %v, evaluator %v", formula, i, j, k)
		}
		if j.Refused() {
			out += "R"
		} else {
			out += "A"
		}
		before = after
	}
	return out
}

func tools(names string) []trace.Call {
	var out []trace.Call
	for n := range strings.FieldsSeq(names) {
		out = append(out, trace.Call{Tool: n})
	}
	return out
}

func TestD1EachValueIsJudged(t *testing.T) {
	const rule = `G(forall f in here("rm", "paths"): Y(O(now_with("read", path=$f))))`
	for range 50 {
		for _, tt := range []struct {
			paths []any
			want  string
		}{
			{[]any{"x"}, "AA"},
			{[]any{"x", "y"}, "AR"},
			{[]any{"y", "x"}, "AR"},
			{[]any{"y"}, "AR"},
		} {
			if got := refusals(t, rule, call("read", "path", "x"), call("rm", "paths", tt.paths)); got != tt.want {
				t.Fatalf("read x, rm %v: %s, want %s", tt.paths, got, tt.want)
			}
		}
	}
}

func TestD2CountsOfOpenFormulasAreRefused(t *testing.T) {
	for text, pos := range map[string]int{
		`X(count_before(called("a"), >= 1))`:                   2,
		`count_before(F(now("a")), < 2)`:                       0,
		`now("b") & count_before(X(now("a")), < 2)`:            11,
		`count_before(@0(now("a")), < 2)`:                      0,
		`count_before(now("a") & before("a", "b"), == 2)`:      0,
		`G(count_before(count_before(called("a"), < 1), < 1))`: 2,
	} {
		_, err := Parse(text)
		p, ok := errors.AsType[*ParseError](err)
		if !ok || p.Pos != pos {
			t.Errorf("Parse(%q): %v, want an error at %d", text, err, pos)
		}
	}
}

// A broken rule must not lock the agent out: its failure is one, not one a call.
func TestD3BrokenIsNotBrokenAnew(t *testing.T) {
	for _, rule := range []string{
		`G(G(!called("a")))`,
		`G(!O(called("a")))`,
		`G(true -> !called("a"))`,
		`G(@0(!now("a")))`,
		`G(!called("a") & (now("b") -> !now("c")))`,
	} {
		if got := refusals(t, rule, tools("a b b c b")...); got != "RAAAA" {
			t.Errorf("%s on a b b c b: %s, want RAAAA", rule, got)
		}
	}
	// One more a is a new failure of called, as everywhere (its key counts).
	if got := refusals(t, `G(!O(called("a")))`, tools("a b a b")...); got != "RARA" {
		t.Errorf("a b a b: %s, want RARA", got)
	}
}

func TestD4ATrueImplicationHasOneIdentity(t *testing.T) {
	if got := refusals(t, `!(X(now("a")) -> called("b"))`, tools("b b b")...); got != "RAA" {
		t.Errorf("b b b: %s, want RAA", got)
	}
}

func TestD6NothingIsForgotten(t *testing.T) {
	long := append(append(tools("deploy test"), tools(strings.Repeat("ls ", 6000))...), tools("push deploy")...)
	for _, tt := range []struct{ rule, want string }{
		{`called_n("deploy", <= 1)`, "AR"},
		{`G(now("push") -> Y(O(now("test"))))`, "AA"},
	} {
		m := monitor(mustParse(t, tt.rule), long)
		got := ""
		for i, c := range long {
			j := m.Step(c)
			if i < len(long)-2 {
				continue
			}
			got += map[bool]string{true: "R", false: "A"}[j.Refused()]
		}
		if got != tt.want {
			t.Errorf("%s: push deploy after 6,002 calls: %s, want %s", tt.rule, got, tt.want)
		}
	}
}

func TestD7TrueAndFalseAreConstants(t *testing.T) {
	for _, tt := range []struct {
		text  string
		want  Verdict
		class string
	}{
		{"true", True, "INERT 4"},
		{"false", False, "SAFE 0"},
		{"!true", False, "SAFE 0"},
		{`true & called("a")`, PresumablyFalse, "UNSAFE 14"},
	} {
		f := mustParse(t, tt.text)
		for _, calls := range [][]trace.Call{nil, tools("b"), tools("b b")} {
			if e, _ := mustEvaluate(t, f, calls); e.Verdict() != tt.want {
				t.Errorf("%s after %d calls: %v, want %v", tt.text, len(calls), e.Verdict(), tt.want)
			}
		}
		if c := Classify(f); c.Class.String()+" "+c.Reach.String() != tt.class {
			t.Errorf("%s is %v %v, want %s", tt.text, c.Class, c.Reach, tt.class)
		}
	}
}

// The sets of called_n are those of the table in formulas.md 6 for bounds below
// zero too, though the formula then has one verdict only: a rule's label is the peer's.
func TestCountsBelowZeroKeepTheirLabel(t *testing.T) {
	for text, want := range map[string]string{
		`called_n("a", <= -1)`: "SAFE 03",
		`called_n("a", < 0)`:   "SAFE 0",
		`called_n("a", > -1)`:  "UNSAFE 14",
		`called_n("a", >= 0)`:  "INERT 4",
		`called_n("a", == -1)`: "SAFE 03",
	} {
		c := Classify(mustParse(t, text))
		if got := c.Class.String() + " " + c.Reach.String(); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestD8TextsReadOtherwise(t *testing.T) {
	for text, pos := range map[string]int{
		`all_before(["a" "b")`:        16,
		`called_n("a", <= 2.5)`:       17,
		`within_steps("a", "b", 1.0)`: 23,
		`@1.5(now("a"))`:              1,
	} {
		_, err := Parse(text)
		p, ok := errors.AsType[*ParseError](err)
		if !ok || p.Pos != pos {
			t.Errorf("Parse(%q): %v, want an error at %d", text, err, pos)
		}
	}
	if got := mustParse(t, "now(\"a\")\r\n\t& now(\"b\")\r").String(); got != `(now("a")) & (now("b"))` {
		t.Errorf("with carriage returns: %s", got)
	}
}

// Advice that does not load would be no advice.
func TestD9AdviceLoads(t *testing.T) {
	forms := regexp.MustCompile(`G\(now.*?\)\)\)\)|before\([^)]*\)|within_steps\([^)]*\)`)
	for _, text := range []string{
		`called("pytest")`, `G(called("x"))`, `called_n("x", >= 2)`, `after("a", "b")`, `now("deploy") -> called("pytest")`,
		`F(now("test"))`, `G(now("edit") -> F(now("test")))`, `in_order(["a", "b"])`, `true`, `G(now("deploy") -> called("pytest"))`,
		`forall f in seen("edit", "path"): called_with("test", path=$f)`,
	} {
		c := Classify(mustParse(t, text))
		if c.Class == Safe {
			t.Errorf("%s is SAFE", text)
		}
		found := forms.FindAllString(c.Advice, -1)
		if len(found) < 2 {
			t.Errorf("%s: advice %q has %d forms", text, c.Advice, len(found))
		}
		for _, form := range found {
			if d := Classify(mustParse(t, form)); d.Class != Safe {
				t.Errorf("%s: the advised %s is %v", text, form, d.Class)
			}
		}
	}
}

func TestD10OneIsNotTrue(t *testing.T) {
	for _, tt := range []struct {
		formula string
		value   any
		want    string
	}{
		{`G(!now_with("a", n=1))`, true, "A"},
		{`G(!now_with("a", n=true))`, json.Number("1"), "A"},
		{`G(!now_with("a", n=0))`, false, "A"},
		{`G(!now_with("a", n=1))`, json.Number("1.0"), "R"},
		{`G(!now_with("a", n=true))`, true, "R"},
	} {
		if got := refusals(t, tt.formula, call("a", "n", tt.value)); got != tt.want {
			t.Errorf("%s with n = %v: %s, want %s", tt.formula, tt.value, got, tt.want)
		}
	}
}

// The values of a call are fixed once it is there: no cap as for a domain that
// grows.
func TestD11ValuesOfTheCallAreFinal(t *testing.T) {
	exists := mustParse(t, `exists f in here("rm", "paths"): now_with("rm", force=true)`)
	if e, _ := mustEvaluate(t, exists, tools("ls")); e.Verdict() != False {
		t.Errorf("exists over nothing is %v", e.Verdict())
	}
	forall := mustParse(t, `forall f in here("rm", "paths"): now("ls")`)
	if e, _ := mustEvaluate(t, forall, tools("ls")); e.Verdict() != True {
		t.Errorf("forall over nothing is %v", e.Verdict())
	}
	rule := mustParse(t, `G(now("rm") -> exists f in here("rm", "paths"): Y(O(now_with("read", path=$f))))`)
	if c := Classify(rule); c.Class != Safe {
		t.Errorf("%s is %v", rule, c.Class)
	}
	counted := `G(now("b") -> count_before(forall f in here("rm", "paths"): now_with("rm", force=true), < 3))`
	forced := call("rm", "paths", []any{"x"}, "force", true)
	bare := call("rm", "paths", []any{"x"})
	// A call without values holds for all of them, so ls counts; a bare rm does not.
	if got := refusals(t, counted, forced, bare, tools("ls")[0], tools("b")[0], tools("b")[0]); got != "AAAAR" {
		t.Errorf("forall below count_before: %s, want AAAAR", got)
	}
}

// What H and O tell of an operand that is still open is one failure, whatever
// position is the worst at the moment.
func TestD12OpenOperandsHaveOneWitness(t *testing.T) {
	f := mustParse(t, `H(X(now("a")))`)
	_, w := mustEvaluate(t, f, tools("b b"))
	if len(w) != 1 || w[0].Path != "-" {
		t.Errorf("witnesses of %s: %v, want one, -", f, w)
	}
	if got := refusals(t, `H(X(now("a")))`, tools("b b b b")...); got != "ARAA" {
		t.Errorf("b b b b: %s, want ARAA", got)
	}
	if got := refusals(t, `!O(X(called("a")))`, tools("b a b a")...); got != "ARAA" {
		t.Errorf("!O(X(called a)) on b a b a: %s, want ARAA", got)
	}
}

func TestD13AnUnknownResultIsNotNull(t *testing.T) {
	f := mustParse(t, `called_with_result("a", result=null)`)
	ran := func(result *any) []trace.Call {
		return []trace.Call{{Tool: "a", Outcome: &trace.Outcome{Result: result}}}
	}
	var null any
	for _, tt := range []struct {
		name     string
		calls    []trace.Call
		want     Verdict
		finished bool
	}{
		{"unknown", ran(nil), Pending, false},
		{"null", ran(&null), True, true},
		{"proposed", tools("a"), Pending, false},
	} {
		e, _ := mustEvaluate(t, f, tt.calls)
		m := monitor(f, tt.calls)
		m.Step(tt.calls[0])
		if e.Verdict() != tt.want || m.Verdict() != tt.want || e.Finished() != tt.finished || m.End() != tt.finished {
			t.Errorf("%s: %v %v, finished %v %v; want %v, %v", tt.name, e.Verdict(), m.Verdict(), e.Finished(), m.End(), tt.want, tt.finished)
		}
	}
}
