package rules

import (
	"strings"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

// A matcher is a target inside a formula: ltl.Matcher, Namer and Sampler.
type matcher struct{ *target }

func (m matcher) Match(c *trace.Call, env ltl.Env) trace.Answer { return m.ran(c, env) }
func (m matcher) Key() string                                   { return m.key() }
func (m matcher) Tools() []string                               { return m.toolNames() }
func (m matcher) Vars() []string                                { return m.vars() }

// Names are the values of a variable that a call could be matched with.
func (m matcher) Names(c *trace.Call, variable string) []any {
	vals, _ := m.values(c, variable, trace.Maybe)
	return vals
}

// Sample makes a call that certainly matches, if the target says enough. The
// place of a variable holds its name, "$f".
func (m matcher) Sample() (trace.Call, bool) { return m.sample() }

// A counter is a matcher on the counting side of a limit: a call that may have
// run, or is still in flight, counts (rules.md 8.10).
type counter struct{ *target }

func (m counter) Match(c *trace.Call, env ltl.Env) trace.Answer { return m.match(c, env) }
func (m counter) Key() string                                   { return "counted:" + m.key() }
func (m counter) Tools() []string                               { return m.toolNames() }
func (m counter) Vars() []string                                { return m.vars() }

// Names implements ltl.Namer.
func (m counter) Names(c *trace.Call, variable string) []any {
	return matcher(m).Names(c, variable)
}

// An unbound matches the calls of a target whose value of some variable is not
// known: a "then" that only may match, or names files known only at run time.
// Nothing can have been done for them before (rules.md 21, D22).
type unbound struct{ *target }

func (m unbound) Key() string     { return "unbound:" + m.key() }
func (m unbound) Tools() []string { return m.toolNames() }
func (m unbound) Vars() []string  { return nil }

func (m unbound) Match(c *trace.Call, _ ltl.Env) trace.Answer {
	switch m.match(c, nil) {
	case trace.No:
		return trace.No
	case trace.Maybe:
		return trace.Maybe
	default:
	}
	for _, v := range m.vars() {
		if _, known := m.values(c, v, trace.Yes); !known {
			return trace.Maybe
		}
	}
	return trace.No
}

// A calls is a target for package contract, whose monitors bind no variables.
type calls struct{ *target }

func (m calls) Match(c *trace.Call) trace.Answer { return m.ran(c, nil) }
func (m calls) Key() string                      { return m.key() }
func (m calls) Tools() []string                  { return m.toolNames() }

// A domain is the values of a variable that the calls of a target have.
type domain struct {
	*target
	variable string
}

func (d domain) Key() string     { return "values(" + d.variable + ", " + d.key() + ")" }
func (d domain) Tools() []string { return d.toolNames() }

// Values of a call that certainly matches, without duplicates.
func (d domain) Values(c *trace.Call) []any {
	vals, _ := d.values(c, d.variable, trace.Yes)
	return vals
}

// values lists what a variable is in a call for the parts that answer at least
// want: the argument, or the elements of a list; null is none. Paths are
// absolute. known is false if the call may name more values than these.
func (t *target) values(c *trace.Call, variable string, want trace.Answer) (vals []any, known bool) {
	known = true
	for i := range t.parts {
		p := &t.parts[i]
		if p.match(c, nil, t.ctx) < want {
			continue
		}
		for _, v := range p.views(c, t.ctx) {
			for _, w := range p.with {
				if w.variable != variable {
					continue
				}
				found, ok := w.values(v)
				for _, e := range found {
					if !containsValue(vals, e) {
						vals = append(vals, e)
					}
				}
				known = known && ok
			}
		}
	}
	return vals, known
}

// views are the readings of a call that carry a tool of the part.
func (p *part) views(c *trace.Call, ctx *Context) []*view {
	var out []*view
	if p.names(c.Tool, c) {
		out = append(out, newView(c, c.Tool, c.Args, ctx))
	}
	for i := range c.Forms {
		if f := &c.Forms[i]; p.names(f.Tool, c) {
			out = append(out, newView(c, f.Tool, f.Args, ctx))
		}
	}
	return out
}

// values of a variable's argument in one view.
func (w *withCond) values(v *view) (vals []any, known bool) {
	actual, _ := lookup(v.call, v.args, w.arg)
	list, ok := actual.([]any)
	if !ok {
		list = []any{actual}
	}
	known = true
	for _, e := range list {
		if s, ok := e.(string); ok && v.open(w.arg) && v.dynamic(s) {
			bound, ok := v.exact(s)
			vals = append(vals, bound...)
			if !ok {
				known = false
				vals = append(vals, v.variableValue(w.arg, e))
			}
			continue
		}
		if e != nil {
			vals = append(vals, v.variableValue(w.arg, e))
		}
	}
	cli := v.call.CLI
	switch {
	case cli == nil || isRedirect(w.arg):
	case cli.AllPathsUnknown && v.isPath(w.arg):
		bound, ok := v.exact("*")
		vals = append(vals, bound...)
		known = known && ok
	case cli.UnknownArgs && !v.allBounded():
		known = false // a word that is still to come may be one
	}
	return vals, known
}

// exact are the values that an unknown word can be, if they are all known.
func (v *view) exact(s string) ([]any, bool) {
	b, ok := v.boundOf(s)
	if !ok || len(b.Within) > 0 || len(b.Exact) == 0 {
		return nil, false
	}
	return stringList(b.Exact), true
}

// variableValue is an argument's value as variables compare it: a path in its
// absolute form.
func (v *view) variableValue(arg string, e any) any {
	if s, ok := e.(string); ok && v.isPath(arg) && !asWritten(s) {
		return v.ctx.absolute(s, v.call.Dir)
	}
	return e
}

func containsValue(list []any, v any) bool {
	for _, e := range list {
		if trace.Equal(e, v) {
			return true
		}
	}
	return false
}

// sample makes a call from the first part that says enough: a tool by name, and
// literal arguments and patterns.
func (t *target) sample() (trace.Call, bool) {
	for i := range t.parts {
		if c, ok := t.parts[i].sample(); ok && (len(t.parts[i].vars()) > 0 || t.ran(&c, nil) == trace.Yes) {
			return c, true
		}
	}
	return trace.Call{}, false
}

func (p *part) sample() (trace.Call, bool) {
	if len(p.tools) == 0 || p.tools[0].glob != nil {
		return trace.Call{}, false
	}
	c := trace.Call{Tool: p.tools[0].name, Args: trace.Args{}}
	for _, w := range p.with {
		if c.Args[w.arg] = w.expected; w.variable != "" {
			c.Args[w.arg] = "$" + w.variable // for whoever knows a value
		}
	}
	for _, g := range slicesConcat(p.where, p.each) {
		if g.arg == "*" || len(g.patterns) == 0 {
			return trace.Call{}, false
		}
		if _, ok := c.Args[g.arg]; !ok {
			c.Args[g.arg] = sampleText(g.patterns[0])
		}
	}
	status := 0
	if p.succeeded != nil && !*p.succeeded {
		status = 1
	}
	c.Outcome = &trace.Outcome{Status: &status}
	return c, true
}

func slicesConcat(a, b []globCond) []globCond { return append(append([]globCond{}, a...), b...) }

// sampleText is a text that fits a simple pattern.
func sampleText(pattern string) string {
	return strings.NewReplacer("*", "x", "?", "x").Replace(pattern)
}
