package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

// before: G (m?(B) -> Y O m(A)); with since S: G (m?(B) -> Y (!m?(S) S m(A)));
// with variables the same for each value of the call.
var kindBefore = kind{
	name: "before", rev: 1,
	doc:     "A must have run before B (after the last S).",
	example: "{first: {tool: pytest, succeeded: true}, then: git_push, since: [Edit, Write]}",
	value:   beforeShape{},
	compile: func(b *builder) {
		const shape = "before takes [FIRST, THEN], or a mapping with first, then and maybe since"
		first, then, since, ok := pair(b.def.Value, "first", "then", "since")
		if !ok {
			b.failf(shape)
			return
		}
		b.before(first, then, since)
	},
}

// pair reads [a, b] or {key1: a, key2: b}; extra, if not "", is a further key
// that may be absent or empty.
func pair(v any, key1, key2, extra string) (a, b, c any, ok bool) {
	switch v := v.(type) {
	case []any:
		if len(v) == 2 {
			return v[0], v[1], nil, true
		}
	case map[string]any:
		for k := range v {
			if k != key1 && k != key2 && (k != extra || extra == "") {
				return nil, nil, nil, false
			}
		}
		if v[key1] != nil && v[key2] != nil {
			return v[key1], v[key2], v[extra], true
		}
	}
	return nil, nil, nil, false
}

// before builds the rule for A before B.
func (b *builder) before(first, then, since any) {
	a, t := b.target("first", first), b.target("then", then)
	var s *target
	if since != nil {
		s = b.target("since", since)
		b.rule.Limit = true
		b.reserves(s)
	}
	if len(b.problems) > 0 {
		return
	}
	vars := b.variables(a, t, s)
	if len(b.problems) > 0 {
		return
	}
	need := once(certain(a))
	if s != nil {
		need = ltl.Since{Left: not(possible(s)), Right: certain(a)}
	}
	need = yesterday(need)
	if len(vars) == 0 {
		b.formula(always(implies(possible(t), need)))
	} else {
		b.formula(always(and(not(ltl.Match{M: unbound{t}, Maybe: true}), forEach(t, vars, need))))
	}
	b.rule.Summary = a.words() + " before " + t.words()
	if s != nil {
		b.rule.Summary += " since " + s.words()
	}
	b.rule.Explain = func(e Explanation) string { return explainBefore(a, t, s, vars, e) }
}

// variables checks that the variables of a before rule are bound on every side.
func (b *builder) variables(first, then, since *target) []string {
	vars := first.vars()
	for _, v := range then.vars() {
		if !slices.Contains(vars, v) {
			vars = append(vars, v)
		}
	}
	slices.Sort(vars)
	sides := []struct {
		name string
		t    *target
	}{{"first", first}, {"then", then}, {"since", since}}
	for _, v := range vars {
		for _, s := range sides {
			if s.t == nil || s.name == "since" && len(s.t.vars()) == 0 {
				continue
			}
			for i := range s.t.parts {
				if !slices.Contains(s.t.parts[i].vars(), v) {
					b.failf("the variable $%s must be in every target of both sides: %s has a target without it", v, s.name)
					break
				}
			}
		}
	}
	if len(vars) > 0 && since != nil && len(since.vars()) == 0 {
		b.failf("beside variables, since must bind them, too: %s", dollars(vars))
	}
	if len(vars) > 0 && first.any(func(p *part) bool { return len(p.where)+len(p.each) > 0 || p.exists != nil }) {
		b.failf("beside variables, first takes with only: no where, each or exists")
	}
	return vars
}

// explainBefore names what is missing, and since which call.
func explainBefore(a, t, s *target, vars []string, e Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s needs %s to have run first", callName(&e.Call), a.words())
	if len(vars) > 0 {
		for _, v := range vars {
			vals, known := t.values(&e.Call, v, trace.Maybe)
			missing := unseen(a, vars, v, vals, e)
			switch {
			case len(missing) > 0:
				fmt.Fprintf(&b, ", with $%s = %s", v, strings.Join(missing, ", "))
			case !known:
				fmt.Fprintf(&b, "; the value of $%s is not known", v)
			}
		}
	}
	if s != nil {
		if n := lastMatch(s, e); n >= 0 {
			fmt.Fprintf(&b, ", after %s ran as call #%d", s.words(), n+1)
		} else {
			fmt.Fprintf(&b, ", and no %s since", s.words())
		}
	}
	switch {
	case t.match(&e.Call, nil) == trace.Maybe:
		b.WriteString("; " + maybeWords)
	case e.Maybe && a.any(func(p *part) bool { return p.succeeded != nil }):
		b.WriteString("; how an earlier one ended is not known: run it by itself, then this")
	}
	return b.String()
}

// unseen are the values without an earlier call; all of them when there are
// several variables, whose combinations count.
func unseen(a *target, vars []string, v string, vals []any, e Explanation) []string {
	var earlier []trace.Call
	if e.Earlier != nil {
		earlier = e.Earlier()
	}
	var out []string
	for _, val := range vals {
		seen := len(vars) == 1 && slices.ContainsFunc(earlier, func(c trace.Call) bool {
			return a.ran(&c, ltl.Env{v: val}) == trace.Yes
		})
		if !seen {
			out = append(out, valueText(val))
		}
	}
	return out
}

// lastMatch is the position of the last recorded call that may match; -1: none.
func lastMatch(t *target, e Explanation) int {
	if e.Earlier == nil {
		return -1
	}
	earlier := e.Earlier()
	for i := len(earlier) - 1; i >= 0; i-- {
		if t.match(&earlier[i], nil) != trace.No {
			return e.First + i
		}
	}
	return -1
}
