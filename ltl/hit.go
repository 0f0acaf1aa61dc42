package ltl

import (
	"encoding/json"

	"github.com/agentltl/agentltl-hook/trace"
)

// This file is the match of one call by one atom: with the syntax tree all that
// the monitor and the evaluator share.

// lookup is the value that v stands for; a variable without a binding is Fresh.
func (v Value) lookup(env Env) any {
	if v.Var == "" {
		return v.JSON
	}
	if e, ok := env[v.Var]; ok {
		return e
	}
	return Fresh
}

// answer says whether c is a call of t that has args. Another form of the call
// stands for it as well (shell.md 5.6). A call that may not have run answers at
// most Maybe.
func (t Tool) answer(c *trace.Call, args []Arg, env Env) trace.Answer {
	if t.Target != nil {
		a := t.Target.Match(c, env)
		if a != trace.No && !hasArgs(c.Args, args, env) {
			return trace.No
		}
		return a
	}
	hit := c.Tool == t.Name && hasArgs(c.Args, args, env)
	for i := 0; !hit && i < len(c.Forms); i++ {
		hit = c.Forms[i].Tool == t.Name && hasArgs(c.Forms[i].Args, args, env)
	}
	switch {
	case !hit:
		return trace.No
	case c.Outcome != nil && c.Outcome.Maybe:
		return trace.Maybe
	default:
		return trace.Yes
	}
}

// called is answer with a maybe decided.
func (t Tool) called(c *trace.Call, args []Arg, env Env) bool {
	a := t.answer(c, args, env)
	return a == trace.Yes || a == trace.Maybe && t.Maybe
}

func hasArgs(have trace.Args, want []Arg, env Env) bool {
	for i := range want {
		if !equal(have[want[i].Name], want[i].Value.lookup(env)) { // null matches a missing key
			return false
		}
	}
	return true
}

// equal is trace.Equal without its reflection of common cases.
func equal(a, b any) bool {
	if s, ok := b.(string); ok {
		t, ok := a.(string)
		return ok && s == t
	}
	if b == Fresh {
		return false
	}
	return trace.Equal(a, b)
}

// returned says whether the result of a call that is known is one that want
// stands for: an object matches any object that has at least its members.
func returned(result, want any) bool {
	w, ok := want.(map[string]any)
	if !ok {
		return equal(result, want)
	}
	r, ok := result.(map[string]any)
	if !ok {
		return false
	}
	for k, v := range w {
		e, ok := r[k]
		if !ok || !trace.Equal(e, v) {
			return false
		}
	}
	return true
}

// localHit is the value of a local atom at the call, and whether it rests on a
// maybe (formulas.md 3.2).
func localHit(f Formula, c *trace.Call, env Env) (hit, uncertain bool) {
	switch f := f.(type) {
	case Const:
		return f.Value, false
	case Now:
		return decide(f.Tool.answer(c, nil, env), f.Tool.Maybe)
	case Match:
		return decide(f.M.Match(c, env), f.Maybe)
	case NowWith:
		return nowWith(f, c, env)
	default:
	}
	panic("ltl: " + f.String() + " is no local atom")
}

func decide(a trace.Answer, maybe bool) (hit, uncertain bool) {
	return a == trace.Yes || a == trace.Maybe && maybe, a == trace.Maybe
}

func nowWith(f NowWith, c *trace.Call, env Env) (hit, uncertain bool) {
	best, maybe := trace.No, false
	for i := range f.Tools {
		if a := f.Tools[i].answer(c, f.Args, env); a > best {
			best, maybe = a, f.Tools[i].Maybe
		}
	}
	if best == trace.No || f.Result == AnyResult {
		return decide(best, maybe)
	}
	if c.Outcome == nil || c.Outcome.Status == nil {
		return false, true // it may have ended as asked, and counts as if it had not
	}
	if (*c.Outcome.Status == 0) != (f.Result == Ok) {
		return false, false
	}
	return decide(best, maybe)
}

// step number of a call, if it has one.
func stepOf(c *trace.Call) (int, bool) {
	if c.Step == nil {
		return 0, false
	}
	return *c.Step, true
}

// bindingKey is the identity of a domain value: its canonical JSON with numbers
// spelled by value, so that equal values have equal keys.
func bindingKey(b []byte, v any) []byte {
	switch v := v.(type) {
	case fresh:
		return append(b, 0)
	case json.Number:
		return appendNumber(b, v)
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = bindingKey(b, e)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, k := range sortedKeys(v) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(trace.AppendString(b, k), ':')
			b = bindingKey(b, v[k])
		}
		return append(b, '}')
	default:
		return trace.AppendJSON(b, v)
	}
}

func appendNumber(b []byte, n json.Number) []byte {
	r, ok := trace.Rat(n)
	if !ok {
		return append(b, n...)
	}
	if digits, exact := r.FloatPrec(); exact {
		return append(b, r.FloatString(digits)...)
	}
	return append(b, n...)
}
