package cond

import (
	"errors"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/trace"
)

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	v, err := trace.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

func env(t *testing.T) Env {
	return Env{
		State:  decode(t, `{"ok": true, "balance": 250, "allowed": ["dev", "fix"], "tenant": null, "deep": {"a": [{"b": 1}]}}`),
		Args:   decode(t, `{"amount": 100, "path": "src/a.go", "branch": "dev", "big": 12345678901234567890, "whole": 1.0}`),
		Call:   map[string]any{"tool": "pay", "succeeded": nil},
		Result: decode(t, `{"ok": true, "n": 0.5}`),
		Fact: func(name string) any {
			switch name {
			case "repo":
				return map[string]any{"branch": "main"}
			case "harness":
				return "codex"
			}
			return nil
		},
		Count: func(target any) (int, error) { return len(target.(string)), nil },
		Last: func(target any) (map[string]any, error) {
			if target == "none" {
				return nil, nil
			}
			return map[string]any{"args": decode(t, `{"n": 3}`)}, nil
		},
	}
}

func TestBool(t *testing.T) {
	glob := func(p, s string) bool { return p == "src/*" && strings.HasPrefix(s, "src/") }
	all := Options{Result: true, Facts: true, Glob: glob}
	for _, tt := range []struct {
		src  string
		want bool
	}{
		{`state.ok == true`, true},
		{`state.balance >= args.amount and call.tool == "pay"`, true},
		{`args.amount * 3 > state.balance`, true},
		{`args.branch in state.allowed`, true},
		{`state.missing == 1`, false},
		{`state.missing == null`, true},
		{`state.tenant == nil`, true},
		{`args.whole == 1`, true},
		{`args.amount == "100"`, false},
		{`has(state.deep.a[0].b)`, true},
		{`has(state.deep.a[3].b)`, false},
		{`has(state.nothing.at.all)`, false},
		{`has(state.tenant)`, false},
		{`state.nothing?.x == nil`, true},
		{`(state.tenant ?? "t") == "t"`, true},
		{`result.ok && result.n / 2 == 0.25`, true},
		{`base(args.path) == "a.go" && dir(args.path) == "src"`, true},
		{`glob("src/*", args.path)`, true},
		{`args.path startsWith "src/" and args.path matches "[.]go$"`, true},
		{`all(state.allowed, # != "main")`, true},
		{`count(state.allowed, # startsWith "d") == 1`, true},
		{`num("3") + 1 == 4 && str(3) == "3"`, true},
		{`len(state.allowed) == 2`, true},
		{`repo.branch in ["main", "master"]`, true},
		{`repo.root == nil`, true},
		{`harness == "codex"`, true},
		{`count("pytest") == 6`, true},
		{`last("x").args.n == 3`, true},
		{`last("none") == nil`, true},
		{`args.amount > 50 ? state.ok : false`, true},
		{`not (args.amount > 500)`, true},
	} {
		got, err := New(tt.src, all).Bool(env(t))
		if err != nil || got != tt.want {
			t.Errorf("%s = %v, %v; want %v", tt.src, got, err, tt.want)
		}
	}
}

// Errors make a condition false where it is used; what matters here is that
// they are errors, with words that say what was missing.
func TestEvaluationErrors(t *testing.T) {
	for _, tt := range []struct{ src, about string }{
		{`state.missing < 1`, ""},
		{`state.tenant + 1 == 2`, ""},
		{`state.tenant.name == "x"`, "nil"},
		{`state.allowed[7] == "x"`, "range"},
		{`state.balance`, "neither true nor false"},
		{`args.amount / 0 == 1`, "division by zero"},
		{`args.path < 3`, ""},
		{`args.path matches args.branch + "("`, ""},
	} {
		_, err := New(tt.src, Options{}).Bool(env(t))
		if err == nil {
			t.Errorf("%s: no error", tt.src)
			continue
		}
		if _, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), tt.about) {
			t.Errorf("%s: %T %v; want an *Error about %q", tt.src, err, err, tt.about)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	for _, tt := range []struct {
		src       string
		line, col int
	}{
		{``, 0, 0},
		{`state.ok ==`, 1, 11},
		{`stat.ok`, 1, 1},
		{"state.ok and\n  foo(1)", 2, 3},
		{`let x = 1; x == 1`, 1, 1},
		{`state.allowed | len() == 2`, 1, 15},
		{`$env["HOME"] == ""`, 1, 1},
		{`now().Year() > 1`, 1, 1},
		{`toJSON(state) == ""`, 1, 1},
		{`result.ok`, 1, 1},
		{`repo.branch == "main"`, 1, 1},
		{`glob("*", args.path)`, 1, 1},
		{strings.Repeat("1+", 3000) + "1 == 1", 0, 0},
		{strings.Repeat("(", 500) + "true" + strings.Repeat(")", 500) + strings.Repeat(" or state.ok", 400), 0, 0},
	} {
		err := New(tt.src, Options{}).Compile()
		e, ok := errors.AsType[*Error](err)
		if !ok {
			t.Errorf("%.40q: %v; want an *Error", tt.src, err)
			continue
		}
		if tt.line != 0 && (e.Line != tt.line || e.Col != tt.col) {
			t.Errorf("%.40q: place %d:%d, want %d:%d (%s)", tt.src, e.Line, e.Col, tt.line, tt.col, e.Msg)
		}
	}
}

func TestNames(t *testing.T) {
	e := New(`repo.branch == "main" and args.order.total > 1 and has(state.x) and harness != "vibe"`, Options{Facts: true})
	names, err := e.Names()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(names, " ")
	for _, want := range []string{"repo.branch", "args.order.total", "harness"} {
		if !strings.Contains(" "+got+" ", " "+want+" ") {
			t.Errorf("names %q lack %s", got, want)
		}
	}
}

func TestValue(t *testing.T) {
	v, err := New(`{"a": args.amount + 1, "l": [state.ok, 0.5]}`, Options{}).Value(env(t))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := trace.Canonical(v), `{"a":101,"l":[true,0.5]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A condition over a huge argument must not cost more than its budget.
func TestBudget(t *testing.T) {
	many := make([]any, 200_000)
	_, err := New(`len(args.many) > 1`, Options{}).Bool(Env{Args: trace.Args{"many": many}})
	if err == nil {
		t.Error("200,000 values were converted")
	}
}
