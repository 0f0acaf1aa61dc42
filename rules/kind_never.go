package rules

import "github.com/agentltl/agentltl-hook/trace"

// never: G !m?(T)
var kindNever = kind{
	name: "never", narrow: true, rev: 1,
	doc:     "A call that matches, or may match, is refused.",
	example: "{tool: git_push, with: {force: true}}",
	value:   targetShape{},
	compile: func(b *builder) {
		t := b.target("never", b.def.Value)
		b.formula(always(not(possible(t))))
		b.rule.Summary = "never " + t.words()
		b.rule.Explain = func(e Explanation) string {
			return callName(&e.Call) + " is what this rule forbids: " + t.broken(&e.Call, e.Maybe)
		}
	},
}

// require: G (tool(T) -> m(T))
var kindRequire = kind{
	name: "require", narrow: true, rev: 1,
	doc:     "Every call of the tools must match for certain.",
	example: "{tool: rm, where: {paths: \"out/*\"}}",
	value:   targetShape{},
	compile: func(b *builder) {
		t := b.target("require", b.def.Value)
		if len(b.problems) > 0 {
			return
		}
		for i := range t.parts {
			if !t.parts[i].narrows() {
				b.failf("require needs with or where on every target: what must the call look like?")
				return
			}
		}
		tools := t.toolsOnly()
		b.formula(always(implies(possible(tools), certain(t))))
		b.rule.Summary = "require " + t.words()
		b.rule.Explain = func(e Explanation) string {
			msg := callName(&e.Call) + " may only run as " + t.words()
			if t.match(&e.Call, nil) == trace.Maybe {
				msg += "; " + maybeWords
			}
			return msg
		}
	},
}
