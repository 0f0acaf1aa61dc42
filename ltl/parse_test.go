package ltl

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/trace"
)

func TestParsePrints(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`!now("a") U now("b")`, `!((now("a")) U (now("b")))`},
		{`G now("a") W now("b")`, `G((now("a")) W (now("b")))`},
		{`G now("a") & now("b")`, `(G(now("a"))) & (now("b"))`},
		{`now("a") U now("b") U now("c")`, `(now("a")) U ((now("b")) U (now("c")))`},
		{`now("a") | now("b") & now("c")`, `(now("a")) | ((now("b")) & (now("c")))`},
		{`true -> false -> true`, `(true) -> ((false) -> (true))`},
		{`now("a") | now("b") | now("c")`, `((now("a")) | (now("b"))) | (now("c"))`},
		{`Y @0(now("a"))`, `Y(@0(now("a")))`},
		{`EVENTUALLY("a") & Always("b")`, `(F(called("a"))) & (G(called("b")))`},
		{`FORALL f IN Here("a", "b"): TRUE`, `forall f in here("a", "b"): (true)`},
		{`now_with(["a", "b",], "x.y"=1, k = null)`, `now_with(["a", "b"], "x.y"=1, k=null)`},
		{`now_with("a", k=1, k="z")`, `now_with("a", k="z")`},
		{`now_with("a", n=007, m=-0, o=1.50, p=-2.00)`, `now_with("a", n=7, m=0, o=1.5, p=-2.0)`},
		{`called_with_result("a", result=true, k="v")`, `called_with_result("a", k="v", result=true)`},
		{`called_with("a", result=1)`, `called_with("a", result=1)`},
		{"called(\"two\nlines\")", "called(\"two\nlines\")"},
		{`branch_called("a")`, `branch_called("a")`},
		{`((now("a")))`, `now("a")`},
		{`forall f in here("a","k"): forall f in here("b","k"): now_with("c", k=$f)`, `forall f in here("a", "k"): (forall f in here("b", "k"): (now_with("c", k=$f)))`},
	} {
		f, err := Parse(tt.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.in, err)
			continue
		}
		if got := f.String(); got != tt.want {
			t.Errorf("Parse(%q) = %s, want %s", tt.in, got, tt.want)
		}
		if again, err := Parse(tt.want); err != nil || again.String() != tt.want {
			t.Errorf("Parse(%q) = %v, %v", tt.want, again, err)
		}
	}
}

func TestParseErrorsHavePlaces(t *testing.T) {
	deep := strings.Repeat("(", 1001) + "true" + strings.Repeat(")", 1001)
	for _, tt := range []struct {
		in        string
		pos       int
		want, got string
	}{
		{`now("ä") & é`, 11, "a token", "é"}, // characters, not bytes
		{`now_with("a", k=$f)`, 0, "an enclosing quantifier of the variable", "$f"},
		{`(forall f in here("a","k"): true) & now_with("a", k=$f)`, 36, "an enclosing quantifier of the variable", "$f"},
		{`G(forall f in seen("a","k"): true)`, 2, "a quantifier over seen outside temporal operators", "seen"},
		{`(exists f in seen("a","k"): true) U true`, 1, "a quantifier over seen outside temporal operators", "seen"},
		{`called_with_result("a", k=1)`, 27, "an argument result=", ")"},
		{`forall in here("a","k"): true`, 10, "in", "here"},
		{`forall f of here("a","k"): true`, 9, "in", "of"},
		{`forall f in now("a"): true`, 12, "here or seen", "now"},
		{`forall f in here("a","k") true`, 26, ":", "true"},
		{`foo("a")`, 0, "operator or atom name", "foo"},
		{`called_n("a", <= 99999999999)`, 17, "integer of at most nine digits", "99999999999"},
		{`now("a") && now("b")`, 10, "formula", "&"},
		{`match({tool: x})`, 6, "a token", "{"},
		{`match("x")`, 0, "operator or atom name", "match"},
		{`$f`, 0, "formula", "$f"},
		{deep, 1000, "at most 1000 parentheses around one another", "("},
		{strings.Repeat("!", 1001) + "true", 1000, "at most 1000 operators around one another", "!"},
	} {
		_, err := Parse(tt.in)
		p, ok := errors.AsType[*ParseError](err)
		if !ok {
			t.Errorf("Parse(%.60q): %v, want an error", tt.in, err)
			continue
		}
		if *p != (ParseError{tt.pos, tt.want, tt.got}) {
			t.Errorf("Parse(%.60q): %+v, want %d %s %s", tt.in, *p, tt.pos, tt.want, tt.got)
		}
	}
}

func TestParseLimits(t *testing.T) {
	if _, err := Parse(strings.Repeat(" ", maxText) + "true"); err == nil {
		t.Error("more than 64 KiB were read")
	}
	// What is read prints as something that is read, at the limit too.
	for _, text := range []string{
		strings.Repeat("!", 999) + "true",
		strings.Repeat("G ", 499) + strings.Repeat("!", 499) + "true",
		"true" + strings.Repeat(" | true", 999),
		strings.Repeat("true -> ", 998) + "true",
		strings.Repeat("(", 1000) + "true" + strings.Repeat(")", 1000),
	} {
		f, err := Parse(text)
		if err != nil {
			t.Errorf("Parse(%.20q…): %v", text, err)
			continue
		}
		if g, err := Parse(f.String()); err != nil || g.String() != f.String() {
			t.Errorf("the print of %.20q… is not read: %v", text, err)
		}
	}
	for _, text := range []string{"true" + strings.Repeat(" & true", 1000), strings.Repeat("true -> ", 1001) + "true"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%.20q… is read", text)
		}
	}
}

// targetHook reads {word} as the target of that tool.
func targetHook(src string, at int) (Matcher, int, error) {
	end := strings.IndexByte(src[at:], '}')
	if end < 0 || src[at] != '{' {
		return nil, 0, errors.New("no {target}")
	}
	return fakeTarget{tool: src[at+1 : at+end]}, at + end + 1, nil
}

func TestParseTargets(t *testing.T) {
	o := Options{Let: map[string]Matcher{"deploy": fakeTarget{tool: "make"}}, Match: targetHook}
	for _, tt := range []struct{ in, want string }{
		{`G(!match({rm}))`, `G(!(match?({tool: rm, k: $})))`},
		{`match ( {rm} ) U now("a")`, `(match({tool: rm, k: $})) U (now("a"))`},
		{`G(now("deploy") -> Y(O(now("test"))))`, `G((match?({tool: make, k: $})) -> (Y(O(now("test")))))`},
		{`Y match({rm}) -> called("deploy")`, `(Y(match?({tool: rm, k: $}))) -> (called(match({tool: make, k: $})))`},
		{`called_n("deploy", <= 2)`, `called_n(match?({tool: make, k: $}), <= 2)`},
		{`called_n("deploy", >= 2)`, `called_n(match({tool: make, k: $}), >= 2)`},
		{`before("deploy", "deploy")`, `before(match({tool: make, k: $}), match?({tool: make, k: $}))`},
		{`!count_before(match({rm}), < 2)`, `!(count_before(match({tool: rm, k: $}), < 2))`},
		{`now_with(["deploy", "x"], k=1)`, `now_with([match({tool: make, k: $}), "x"], k=1)`},
	} {
		f, err := Parse(tt.in, o)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.in, err)
		} else if f.String() != tt.want {
			t.Errorf("Parse(%q) = %s, want %s", tt.in, f, tt.want)
		}
	}
	for in, pos := range map[string]int{`now("a") & match(rm)`: 17, `match`: 5, `match({rm}`: 10, `match({rm} "x")`: 11} {
		_, err := Parse(in, o)
		if p, ok := errors.AsType[*ParseError](err); !ok || p.Pos != pos {
			t.Errorf("Parse(%q): %v, want an error at %d", in, err, pos)
		}
	}
}

// A doubtful call counts against the formula and never for it.
func TestMaybeCountsAgainst(t *testing.T) {
	ran := func(tool string, maybe bool) trace.Call {
		return trace.Call{Tool: tool, Outcome: &trace.Outcome{Maybe: maybe}}
	}
	for _, tt := range []struct {
		formula string
		calls   []trace.Call
		want    string
	}{
		{`G(!now("rm"))`, []trace.Call{ran("rm", true)}, "R"},
		{`G(now("push") -> Y(O(now("test"))))`, []trace.Call{ran("test", true), ran("push", false)}, "AR"},
		{`G(now("push") -> Y(O(now("test"))))`, []trace.Call{ran("test", false), ran("push", true)}, "AA"},
		{`G(now("push") -> Y(!now("edit") S now("test")))`, []trace.Call{ran("test", false), ran("edit", true), ran("push", false)}, "AAR"},
		{`called_n("pay", <= 1)`, []trace.Call{ran("pay", true), ran("pay", false)}, "AR"},
		{`before("test", "push")`, []trace.Call{ran("test", true), ran("push", false)}, "AR"},
	} {
		if got := refusals(t, tt.formula, tt.calls...); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.formula, got, tt.want)
		}
	}
	m := NewMonitor(mustParse(t, `G(!now("rm"))`))
	if j := m.Step(ran("rm", true)); !j.Uncertain() || !j.Refused() {
		t.Errorf("a call that may have run: %v, want an uncertain refusal", j)
	}
}

func TestLetters(t *testing.T) {
	f := mustParse(t, `G(now_with("deploy", env="prod") -> Y(O(now_ok("test", k=null)))) & !called_with_result("a", result=3) & G(!now_failed(["x", "test"]))`)
	var got []string
	for _, c := range Letters(f) {
		got = append(got, c.Tool+" "+trace.Canonical(c.Args)+map[bool]string{true: " failed"}[*c.Outcome.Status != 0])
	}
	want := []string{`deploy {"env":"prod"}`, `test {}`, `a {}`, `x {} failed`, `test {} failed`}
	if !slices.Equal(got, want) {
		t.Errorf("letters %q, want %q", got, want)
	}
}
