package rules

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/agentltl/agentltl-hook/contract"
	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

// The contract templates (contracts.md 1). Four are other names of the kinds
// that every rule file has.

var kindMustPrecede = kind{
	name: "must_precede", rev: 1,
	doc:     "Another name of before: A must have run before B.",
	example: "[get_quote, pay]",
	value:   pairShape{"first", "then"},
	compile: func(b *builder) {
		first, then, _, ok := pair(b.def.Value, "first", "then", "")
		if !ok {
			b.failf("must_precede takes [FIRST, THEN], or a mapping with first and then")
			return
		}
		b.before(first, then, nil)
	},
}

var kindCannotFollow = kind{
	name: "cannot_follow_without", rev: 1,
	doc:     "The action may only run once what it needs has run.",
	example: "{call: deploy, needs: tests}",
	value:   pairShape{"call", "needs"},
	compile: func(b *builder) {
		action, needs, _, ok := pair(b.def.Value, "call", "needs", "")
		if !ok {
			b.failf("cannot_follow_without takes [ACTION, NEEDED], or a mapping with call and needs")
			return
		}
		b.before(needs, action, nil)
	},
}

var kindAtMostN = kind{
	name: "at_most_n_times", narrow: true, limit: true, rev: 1,
	doc:     "Another name of at_most.",
	example: "{call: git_push, times: 1}",
	value:   callShape{keys: []string{"times"}},
	compile: func(b *builder) { b.atMost("at_most_n_times") },
}

var kindRequiredEnd = kind{
	name: "required_before_session_end", rev: 1,
	doc:     "Another name of finally: A must have run when the agent ends its turn.",
	example: "run_tests",
	value:   callShape{bare: true},
	compile: func(b *builder) {
		call := b.def.Value
		if m, ok := call.(map[string]any); ok && hasKey(m, "call") {
			if len(m) != 1 {
				b.failf("required_before_session_end takes a target, or {call: TARGET}")
				return
			}
			call = m["call"]
		}
		b.finally(call, nil)
	},
}

// never_after: G (m?(A) -> !Y O m?(B)); with variables for each value.
var kindNeverAfter = kind{
	name: "never_after", limit: true, rev: 1,
	doc:     "A may not run once B has run.",
	example: "{call: write_file, after: freeze}",
	value:   pairShape{"call", "after"},
	compile: func(b *builder) {
		call, after, _, ok := pair(b.def.Value, "call", "after", "")
		if !ok {
			b.failf("never_after takes [CALL, AFTER], or a mapping with call and after")
			return
		}
		a, m := b.target("call", call), b.target("after", after)
		if len(b.problems) > 0 {
			return
		}
		vars := a.vars()
		if !slices.Equal(vars, m.vars()) {
			b.failf("the variables of call (%s) and after (%s) must be the same", dollars(vars), dollars(m.vars()))
			return
		}
		if len(vars) == 0 {
			b.formula(always(implies(possible(a), not(yesterday(once(possible(m)))))))
		} else {
			any := implies(ltl.Match{M: unbound{a}, Maybe: true}, not(yesterday(once(possible(m.withoutVars())))))
			b.formula(always(and(any, forEach(a, vars, not(yesterday(once(possible(m))))))))
		}
		b.reserves(m)
		b.rule.Summary = "never " + a.words() + " after " + m.words()
		b.rule.Explain = func(e Explanation) string {
			msg := callName(&e.Call) + " may not run after " + m.words()
			if n := lastMatch(m, e); n >= 0 {
				msg += fmt.Sprintf(" (call #%d)", n+1)
			}
			return withMaybe(msg, e)
		}
	},
}

// mutually_exclusive: for each pair, G (m?(A) -> !Y O m(B)); a call that is both
// breaks it, too (contracts.md 1.2).
var kindExclusive = kind{
	name: "mutually_exclusive", limit: true, rev: 1,
	doc:     "Only one of the targets may ever run.",
	example: "[use_test, use_prod]",
	value:   anyOneShape{},
	compile: func(b *builder) {
		items, ok := b.def.Value.([]any)
		if m, isMap := b.def.Value.(map[string]any); isMap && len(m) == 1 {
			items, ok = m["any_one_of"].([]any)
		}
		if !ok || len(items) < 2 {
			b.failf("mutually_exclusive takes a list of two or more targets, or {any_one_of: [..]}")
			return
		}
		var ts []*target
		for i, v := range items {
			ts = append(ts, b.target(fmt.Sprintf("target %d", i+1), v))
		}
		if len(b.problems) > 0 {
			return
		}
		b.exclusive(ts)
	},
}

func (b *builder) exclusive(ts []*target) {
	var all ltl.Formula
	for i, t := range ts {
		if len(t.vars()) > 0 {
			b.failf("variables belong to before, at_most and never_after: %s", dollars(t.vars()))
			return
		}
		var others ltl.Formula
		for j, o := range ts {
			if i == j {
				continue
			}
			if t.key() == o.key() {
				b.failf("targets %d and %d are the same: no call could run", min(i, j)+1, max(i, j)+1)
				return
			}
			// Certain calls of the other, or this very call: one that is both breaks it.
			f := ltl.Formula(ltl.Or{Left: yesterday(once(possible(o))), Right: certain(o)})
			if others != nil {
				f = ltl.Or{Left: others, Right: f}
			}
			others = f
		}
		g := always(implies(possible(t), not(others)))
		if all != nil {
			g = and(all, g)
		}
		all = g
	}
	b.formula(all)
	b.reserves(ts...)
	var names []string
	for _, t := range ts {
		names = append(names, t.words())
	}
	b.rule.Summary = "only one of " + list(names, "and")
	b.rule.Explain = func(e Explanation) string {
		for _, t := range ts {
			if t.match(&e.Call, nil) != trace.No {
				continue
			}
			if n := lastMatch(t, e); n >= 0 {
				return withMaybe(fmt.Sprintf("%s may not run: %s ran as call #%d, and only one of them may", callName(&e.Call), t.words(), n+1), e)
			}
		}
		return withMaybe(callName(&e.Call)+" may not run: only one of "+list(names, "and")+" may", e)
	}
}

var kindAtMostTotal = kind{
	name: "at_most_total", limit: true, rev: 1,
	doc:     "The sum of one argument over all calls stays within the limit.",
	example: "{call: pay, field: amount, limit: 500}",
	value:   callShape{keys: []string{"field", "limit", "negative"}, optional: []string{"negative"}},
	compile: func(b *builder) {
		m, ok := b.def.Value.(map[string]any)
		if !ok || !b.exactKeys("at_most_total", m, []string{"call", "field", "limit"}, []string{"negative"}) {
			if !ok {
				b.failf("at_most_total takes {call: TARGET, field: ARGUMENT, limit: NUMBER}")
			}
			return
		}
		field, ok := m["field"].(string)
		if !ok || field == "" {
			b.failf("at_most_total: field is the name of an argument, not %s", describe(m["field"]))
		}
		limit, ok := m["limit"].(json.Number)
		var amount *big.Rat
		if ok {
			amount, ok = trace.Rat(limit)
		}
		if !ok || amount.Sign() < 0 {
			b.failf("at_most_total: limit is a number, 0 or more, not %s", describe(m["limit"]))
		}
		var neg contract.Negative
		switch m["negative"] {
		case nil, "refuse":
		case "allow":
			neg = contract.AllowNegative
		case "zero":
			neg = contract.ZeroNegative
		default:
			b.failf("at_most_total: negative is refuse, allow or zero, not %s", describe(m["negative"]))
		}
		t := b.target("call", m["call"])
		if !b.limited(t) {
			return
		}
		b.contract(&contract.Total{Call: calls{t}, Field: field, Limit: limit, Negative: neg})
		b.rule.Summary = fmt.Sprintf("at most %s in total of %s over %s", limit, field, t.words())
	},
}

var kindRateLimit = kind{
	name: "rate_limit", limit: true, rev: 1,
	doc:     "At most n calls may run within any window of time.",
	example: "{call: http_get, times: 10, per: 60s}",
	value:   callShape{keys: []string{"times", "per"}},
	compile: func(b *builder) {
		m, ok := b.def.Value.(map[string]any)
		if !ok || !b.exactKeys("rate_limit", m, []string{"call", "times", "per"}, nil) {
			if !ok {
				b.failf("rate_limit takes {call: TARGET, times: NUMBER, per: DURATION}")
			}
			return
		}
		n, ok := wholeNumber(m["times"])
		if !ok || n < 1 || n > contract.MaxRate {
			b.failf("rate_limit: times is a whole number from 1 to %d, not %s", contract.MaxRate, describe(m["times"]))
		}
		per, ok := duration(m["per"])
		if !ok || per <= 0 {
			b.failf("rate_limit: per is a duration such as 10m, or a number of seconds, not %s", describe(m["per"]))
		}
		t := b.target("call", m["call"])
		if !b.limited(t) {
			return
		}
		b.contract(&contract.Rate{Call: calls{t}, Times: n, Per: per})
		b.rule.Summary = fmt.Sprintf("at most %d x %s per %s", n, t.words(), per)
	},
}

// limited checks a limit's target and says whether all is well so far.
func (b *builder) limited(t *target) bool {
	if v := t.vars(); len(v) > 0 {
		b.failf("variables belong to before, at_most and never_after: %s", dollars(v))
	}
	b.reserves(t)
	return len(b.problems) == 0
}

func (b *builder) contract(c contract.Contract) {
	b.rule.Contract = c
	b.rule.Explain = func(e Explanation) string { return withMaybe(e.Problem, e) }
}

// exactKeys checks the keys of a kind's mapping.
func (b *builder) exactKeys(kind string, m map[string]any, needed, optional []string) bool {
	known := slices.Concat(needed, optional)
	before := len(b.problems)
	for _, k := range sortedKeys(m) {
		if !slices.Contains(known, k) {
			b.failf("%s: unknown key %q%s; it takes %s", kind, k, didYouMean(k, known), list(known, "and"))
		}
	}
	for _, k := range needed {
		if m[k] == nil {
			b.failf("%s: %s is missing", kind, k)
		}
	}
	return len(b.problems) == before
}

// duration reads a Go duration, or a number of seconds.
func duration(v any) (time.Duration, bool) {
	switch v := v.(type) {
	case string:
		d, err := time.ParseDuration(v)
		return d, err == nil
	case json.Number:
		r, ok := trace.Rat(v)
		if !ok {
			return 0, false
		}
		ns := new(big.Rat).Mul(r, new(big.Rat).SetInt64(int64(time.Second)))
		n := new(big.Int).Quo(ns.Num(), ns.Denom())
		return time.Duration(n.Int64()), n.IsInt64()
	}
	return 0, false
}
