package rules

import (
	"fmt"
	"strings"

	"github.com/agentltl/agentltl-hook/cond"
	"github.com/agentltl/agentltl-hook/contract"
)

// when keeps the rule's condition. A hook compiles it only when a call of the
// rule's tools is there; reading a file compiles it to see that it is right.
func (b *builder) when() {
	if b.def.When != "" {
		b.rule.When = cond.New(b.def.When, cond.Options{Facts: true, Glob: globMatch})
	}
}

// globMatch is glob(pattern, text) of conditions: the patterns of where.
func globMatch(pattern, text string) bool { return newGlob(pattern).match(text) }

// checkWhen compiles a rule's condition.
func checkWhen(r *Rule) string {
	if r.When == nil {
		return ""
	}
	if err := r.When.Compile(); err != nil {
		return "when: " + err.Error()
	}
	return ""
}

// NewTarget reads a target given as decoded JSON: a name, a glob or a mapping,
// as count() and last() of conditions take them.
func NewTarget(v any, ctx *Context) (contract.Matcher, error) {
	r := targetReader{ctx: ctx}
	t := r.target(v)
	if len(r.problems) > 0 {
		return nil, fmt.Errorf("target: %s", strings.Join(r.problems, "; "))
	}
	return calls{t}, nil
}
