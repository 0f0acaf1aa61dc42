package rules

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

// at_most: G (m?(T) -> #earlier m(T) < n); with variables a budget per value.
var kindAtMost = kind{
	name: "at_most", narrow: true, limit: true, rev: 1,
	doc:     "At most n calls may run; 0 forbids them.",
	example: "{call: git_push, times: 1}",
	value:   callShape{keys: []string{"times"}},
	compile: func(b *builder) { b.atMost("at_most") },
}

func (b *builder) atMost(name string) {
	m, ok := b.def.Value.(map[string]any)
	if !ok || len(m) != 2 || m["call"] == nil || m["times"] == nil {
		b.failf("%s takes exactly call and times: {call: TARGET, times: NUMBER}", name)
		return
	}
	n, ok := wholeNumber(m["times"])
	if !ok || n < 0 {
		b.failf("%s: times is a whole number, 0 or more, not %s", name, describe(m["times"]))
	}
	t := b.target("call", m["call"])
	if len(b.problems) > 0 {
		return
	}
	vars := t.vars()
	within := ltl.CountBefore{Operand: ltl.Match{M: counter{t}}, Cmp: ltl.LT, N: n}
	if len(vars) == 0 {
		b.formula(always(implies(possible(t), within)))
	} else {
		all := ltl.CountBefore{Operand: ltl.Match{M: counter{t.withoutVars()}}, Cmp: ltl.LT, N: n}
		b.formula(always(and(implies(ltl.Match{M: unbound{t}, Maybe: true}, all), forEach(t, vars, within))))
	}
	b.reserves(t)
	b.rule.Summary = fmt.Sprintf("at most %d x %s", n, t.words())
	b.rule.Explain = func(e Explanation) string {
		ran := "as often as allowed"
		if e.Earlier != nil && e.First == 0 && len(vars) == 0 {
			ran = times(countMatches(t, e.Earlier()))
		}
		msg := fmt.Sprintf("%s has run %s; the limit is %d", t.words(), ran, n)
		if len(vars) > 0 {
			msg += " for each value of " + dollars(vars) + spent(t, vars, n, e)
		}
		if e.Maybe || t.match(&e.Call, nil) == trace.Maybe {
			msg += "; " + maybeWords
		}
		return msg
	}
}

// spent names the values of the call whose budget is used up.
func spent(t *target, vars []string, n int, e Explanation) string {
	if len(vars) != 1 || e.Earlier == nil || e.First > 0 {
		return ""
	}
	earlier := e.Earlier()
	vals, _ := t.values(&e.Call, vars[0], trace.Maybe)
	var out []string
	for _, v := range vals {
		ran := 0
		for i := range earlier {
			if t.match(&earlier[i], ltl.Env{vars[0]: v}) == trace.Yes {
				ran++
			}
		}
		if ran >= n {
			out = append(out, word(valueText(v)))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return ", here " + list(out, "and")
}

// wholeNumber reads an integer; a boolean or 1.5 is none.
func wholeNumber(v any) (int, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(string(n))
	return i, err == nil
}

func times(n int) string {
	if n == 1 {
		return "1 time"
	}
	return strconv.Itoa(n) + " times"
}

func dollars(vars []string) string { return "$" + strings.Join(vars, ", $") }

func countMatches(t *target, earlier []trace.Call) int {
	n := 0
	for i := range earlier {
		if t.match(&earlier[i], nil) == trace.Yes {
			n++
		}
	}
	return n
}

// withoutVars is the target with its variables taken out.
func (t *target) withoutVars() *target {
	out := &target{ctx: t.ctx}
	for _, p := range t.parts {
		var with []withCond
		for _, w := range p.with {
			if w.variable == "" {
				with = append(with, w)
			}
		}
		p.with = with
		out.parts = append(out.parts, p)
	}
	return out
}

// finally: F m(T); with since: G (m?(S) -> F m(T)). Judged on the finished trace.
var kindFinally = kind{
	name: "finally", rev: 1,
	doc:     "A must have run (after the last S) when the agent ends its turn.",
	example: "{call: gofmt, since: [Edit, Write]}",
	value:   callShape{keys: []string{"since"}, bare: true},
	compile: func(b *builder) {
		b.rule.Finally = true
		call, since := b.def.Value, any(nil)
		if m, ok := b.def.Value.(map[string]any); ok && hasKey(m, "call") {
			for _, k := range sortedKeys(m) {
				if k != "call" && k != "since" {
					b.failf("finally takes a target, or {call: TARGET, since: TARGET}; unknown key %q", k)
				}
			}
			call, since = m["call"], m["since"]
		}
		b.finally(call, since)
	},
}

func hasKey(m map[string]any, k string) bool { _, ok := m[k]; return ok }

func (b *builder) finally(call, since any) {
	b.rule.Finally = true
	t := b.target("finally", call)
	var s *target
	if since != nil {
		s = b.target("since", since)
	}
	for _, x := range b.targets {
		if len(x.vars()) > 0 {
			b.failf("variables belong to before, at_most and never_after: %s", dollars(x.vars()))
		}
	}
	if len(b.problems) > 0 {
		return
	}
	owed := ltl.Formula(ltl.Eventually{Operand: certain(t)})
	if s == nil {
		b.formula(owed)
	} else {
		b.formula(always(implies(possible(s), owed)))
	}
	b.rule.Summary = "finally " + t.words()
	if s != nil {
		b.rule.Summary += " since " + s.words()
	}
	b.rule.Explain = func(e Explanation) string {
		msg := "not done yet: " + t.words()
		if s != nil {
			if n := lastMatch(s, e); n >= 0 {
				msg += fmt.Sprintf(", owed since %s ran as call #%d", s.words(), n+1)
			} else {
				msg += ", owed since " + s.words()
			}
		}
		return msg
	}
}
