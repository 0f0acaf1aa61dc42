package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

var kindLTL = kind{
	name: "ltl", limit: true, rev: 1,
	doc:     "A formula that must never drop below pending.",
	example: `'G(now("deploy") -> Y(O(now("test"))))'`,
	value:   textShape{},
	compile: func(b *builder) {
		text, ok := b.def.Value.(string)
		if !ok || strings.TrimSpace(text) == "" {
			b.failf("ltl is the text of a formula, not %s", describe(b.def.Value))
			return
		}
		f, err := ltl.Parse(text, ltl.Options{Let: b.lets(), Match: b.matchAtom})
		if err != nil {
			b.failf("ltl: %s", formulaError(text, err))
			return
		}
		b.temporal(f)
	},
}

// temporal takes a formula of the file's own if it can fail for good.
func (b *builder) temporal(f ltl.Formula) {
	if len(b.problems) > 0 {
		return
	}
	if c := ltl.Classify(f); c.Class != ltl.Safe {
		b.failf("%s: %s", c.Class, c.Advice)
		return
	}
	b.formula(f)
	tools, always := ltl.Tools(f)
	b.rule.Reserves = func(c *trace.Call) bool {
		return always || slices.ContainsFunc(tools, func(name string) bool { return callHasTool(c, name) })
	}
	b.rule.Summary = b.readable(f)
	b.rule.Explain = func(e Explanation) string {
		return withMaybe(callName(&e.Call)+" breaks "+b.rule.Summary, e)
	}
}

// readable is a formula's text with targets in words.
func (b *builder) readable(f ltl.Formula) string {
	s := f.String()
	for _, t := range b.targets {
		s = strings.ReplaceAll(s, t.key(), t.words())
	}
	return strings.ReplaceAll(s, "match?(", "match(")
}

// callHasTool says whether a call, in one of its forms, has a tool of that name
// or glob.
func callHasTool(c *trace.Call, name string) bool {
	n := toolName{name: name}
	if strings.Contains(name, "*") {
		n.glob = newGlob(name)
	}
	return n.matches(c.Tool) || slices.ContainsFunc(c.Forms, func(f trace.Form) bool { return n.matches(f.Tool) })
}

// formulaError shows where a formula stopped being one.
func formulaError(text string, err error) string {
	p, ok := errors.AsType[*ltl.ParseError](err)
	if !ok {
		return err.Error()
	}
	at := min(max(p.Pos, 0), len([]rune(text)))
	near := clip(string([]rune(text)[at:]), 20)
	if near == "" {
		near = "the end"
	} else {
		near = fmt.Sprintf("%q", near)
	}
	return fmt.Sprintf("at character %d (%s): expected %s, got %s", at+1, near, p.Want, p.Got)
}

// lets are the named targets of the rule's "let".
func (b *builder) lets() map[string]ltl.Matcher {
	out := map[string]ltl.Matcher{}
	for _, name := range sortedKeys(b.def.Let) {
		t := b.target("let."+name, b.def.Let[name])
		if v := t.vars(); len(v) > 0 {
			b.failf("variables belong to before, at_most and never_after: %s", dollars(v))
		}
		out[name] = matcher{t}
	}
	return out
}

// MatchAtom reads the targets of match(…) atoms in formulas outside rule files:
// it is the Match of [ltl.Options].
func MatchAtom(ctx *Context) func(src string, at int) (ltl.Matcher, int, error) {
	b := &builder{ctx: ctx}
	return b.matchAtom
}

// matchAtom reads the target of match(…): a JSON or YAML mapping up to the
// closing parenthesis.
func (b *builder) matchAtom(src string, at int) (ltl.Matcher, int, error) {
	end := closing(src, at)
	if end < 0 {
		return nil, 0, fmt.Errorf("match( without its )")
	}
	v, err := inlineValue(src[at:end])
	if err != nil {
		return nil, 0, err
	}
	r := targetReader{ctx: b.ctx}
	t := r.target(v)
	if len(r.problems) > 0 {
		return nil, 0, fmt.Errorf("match: %s", strings.Join(r.problems, "; "))
	}
	b.targets = append(b.targets, t)
	return matcher{t}, end, nil
}

// inlineValue reads JSON, as a compiled set holds it, or the YAML that people
// write.
func inlineValue(text string) (any, error) {
	if v, err := trace.DecodeJSON([]byte(text)); err == nil {
		return v, nil
	}
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil || len(n.Content) == 0 {
		return nil, fmt.Errorf("match needs a target: {tool: NAME, ..}")
	}
	m := measure{seen: map[*yaml.Node]int{}}
	if err := m.node(n.Content[0], 0); err != nil {
		return nil, fmt.Errorf("match: %s", err.msg)
	}
	return value(n.Content[0]), nil
}

// closing is the offset of the parenthesis that closes the one before at; -1:
// none. Brackets and quotes in between are skipped.
func closing(src string, at int) int {
	depth := 0
	var quote byte
	for i := at; i < len(src); i++ {
		c := src[i]
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' && depth == 0:
			return i
		case c == ')' || c == ']' || c == '}':
			depth--
		}
	}
	return -1
}
