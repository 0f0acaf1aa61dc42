package rules

import (
	"slices"

	"github.com/agentltl/agentltl-hook/ltl"
)

var kindFormula = kind{
	name: "formula", limit: true, rev: 1,
	doc:     "A formula built of nodes, each a type and its args.",
	example: "{type: Not, args: {operand: {type: Called, args: {tool: halt}}}}",
	value:   nodeShape{},
	compile: func(b *builder) {
		if b.def.Value == nil {
			b.failf("formula takes {type: NODE, args: {..}}")
			return
		}
		n := nodeReader{b: b, lets: b.lets()}
		f := n.node(b.def.Value, "formula")
		if len(b.problems) == 0 {
			b.temporal(ltl.WithPolarity(f))
		}
	},
}

// A nodeType is one type of node with the fields of its args. Names and fields
// are the peer's (rules.md 5).
type nodeType struct {
	name   string
	fields []nodeField
	build  func(n *nodeReader, a nodeArgs) ltl.Formula
}

type nodeField struct {
	name     string
	kind     string // formula, tool, tools, int, op, args, value, var, target, domain
	optional bool
}

func one(name, kind string) nodeField { return nodeField{name: name, kind: kind} }
func opt(name, kind string) nodeField { return nodeField{name: name, kind: kind, optional: true} }

// nodeTypes lists the nodes that can be written.
func nodeTypes() []nodeType {
	unary := func(name string, f func(ltl.Formula) ltl.Formula) nodeType {
		return nodeType{name, []nodeField{one("operand", "formula")}, func(_ *nodeReader, a nodeArgs) ltl.Formula { return f(a.formula("operand")) }}
	}
	binary := func(name string, f func(l, r ltl.Formula) ltl.Formula) nodeType {
		return nodeType{name, []nodeField{one("left", "formula"), one("right", "formula")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return f(a.formula("left"), a.formula("right"))
		}}
	}
	return []nodeType{
		{"Called", []nodeField{one("tool", "tool")}, func(_ *nodeReader, a nodeArgs) ltl.Formula { return ltl.Called{Tool: a.tool("tool")} }},
		{"Now", []nodeField{one("tool", "tool")}, func(_ *nodeReader, a nodeArgs) ltl.Formula { return ltl.Now{Tool: a.tool("tool")} }},
		{"CalledWith", []nodeField{one("tool", "tool"), opt("expected_args", "args")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return ltl.CalledWith{Tool: a.tool("tool"), Args: a.args("expected_args")}
		}},
		{"CalledNTimes", []nodeField{one("tool", "tool"), one("n", "int"), opt("op", "op")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return ltl.CalledNTimes{Tool: a.tool("tool"), N: a.int("n"), Cmp: a.op("op", ltl.EQ)}
		}},
		{"CalledWithResult", []nodeField{one("tool", "tool"), one("expected_result", "value"), opt("expected_args", "args")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return ltl.CalledWithResult{Tool: a.tool("tool"), Args: a.args("expected_args"), Result: ltl.Value{JSON: a["expected_result"]}}
		}},
		{"Before", []nodeField{one("a", "tool"), one("b", "tool")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return ltl.Before{A: a.tool("a"), B: a.tool("b")}
		}},
		{"After", []nodeField{one("a", "tool"), one("b", "tool")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return ltl.After{A: a.tool("a"), B: a.tool("b")}
		}},
		{"AllBefore", []nodeField{one("tools", "tools"), one("target", "tool")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return ltl.AllBefore{Tools: a.tools("tools"), Target: a.tool("target")}
		}},
		{"BranchCalled", []nodeField{one("correct_tool", "tool"), opt("wrong_tool", "tool"), opt("context", "text")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			f := ltl.BranchCalled{Correct: a.tool("correct_tool")}
			if a["wrong_tool"] != nil {
				w := a.tool("wrong_tool")
				f.Wrong = &w
			}
			return f
		}},
		{"InstanceBefore", []nodeField{one("tool_a", "tool"), one("n", "int"), one("tool_b", "tool"), one("m", "int")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return ltl.InstanceBefore{A: a.tool("tool_a"), I: a.int("n"), B: a.tool("tool_b"), J: a.int("m")}
		}},
		{"CalledInOrder", []nodeField{one("tools", "tools")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return ltl.CalledInOrder{Tools: a.tools("tools")}
		}},
		{"WithinSteps", []nodeField{one("tool_a", "tool"), one("tool_b", "tool"), one("n", "int")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return ltl.WithinSteps{A: a.tool("tool_a"), B: a.tool("tool_b"), N: a.int("n")}
		}},
		unary("Globally", func(f ltl.Formula) ltl.Formula { return ltl.Globally{Operand: f} }),
		unary("Eventually", func(f ltl.Formula) ltl.Formula { return ltl.Eventually{Operand: f} }),
		unary("Next", func(f ltl.Formula) ltl.Formula { return ltl.Next{Operand: f} }),
		binary("Until", func(l, r ltl.Formula) ltl.Formula { return ltl.Until{Left: l, Right: r} }),
		binary("WeakUntil", func(l, r ltl.Formula) ltl.Formula { return ltl.WeakUntil{Left: l, Right: r} }),
		binary("Release", func(l, r ltl.Formula) ltl.Formula { return ltl.Release{Left: l, Right: r} }),
		unary("Not", not),
		binary("And", and),
		binary("Or", func(l, r ltl.Formula) ltl.Formula { return ltl.Or{Left: l, Right: r} }),
		binary("Implies", implies),
		{"AtPosition", []nodeField{one("index", "int"), one("operand", "formula")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return ltl.AtPosition{Index: a.int("index"), Operand: a.formula("operand")}
		}},
		unary("Previous", yesterday),
		unary("Once", once),
		unary("Historically", func(f ltl.Formula) ltl.Formula { return ltl.Historically{Operand: f} }),
		binary("Since", func(l, r ltl.Formula) ltl.Formula { return ltl.Since{Left: l, Right: r} }),
		{"CountBefore", []nodeField{one("operand", "formula"), one("n", "int"), opt("op", "op")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return ltl.CountBefore{Operand: a.formula("operand"), N: a.int("n"), Cmp: a.op("op", ltl.LT)}
		}},
		{"Matches", []nodeField{one("target", "target")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			return ltl.Match{M: matcher{a["target"].(*target)}}
		}},
		{"ForAll", []nodeField{one("var", "var"), one("in", "domain"), one("body", "formula")}, func(_ *nodeReader, a nodeArgs) ltl.Formula {
			v := a["var"].(string)
			return ltl.Forall{Var: v, Dom: domain{a["in"].(*target), v}, Body: a.formula("body")}
		}},
	}
}

// nodeArgs are the args of a node, read by the kind of their field.
type nodeArgs map[string]any

func (a nodeArgs) formula(k string) ltl.Formula { return a[k].(ltl.Formula) }
func (a nodeArgs) tool(k string) ltl.Tool       { return a[k].(ltl.Tool) }
func (a nodeArgs) tools(k string) []ltl.Tool    { return a[k].([]ltl.Tool) }
func (a nodeArgs) int(k string) int             { return a[k].(int) }

func (a nodeArgs) op(k string, def ltl.Cmp) ltl.Cmp {
	if c, ok := a[k].(ltl.Cmp); ok {
		return c
	}
	return def
}

func (a nodeArgs) args(k string) []ltl.Arg {
	args, _ := a[k].([]ltl.Arg)
	return args
}

// A nodeReader turns decoded JSON into a formula.
type nodeReader struct {
	b    *builder
	lets map[string]ltl.Matcher
	vars []string // of the enclosing ForAll nodes
}

// node reads one node. The result is only to be used if no problem came up.
func (n *nodeReader) node(v any, where string) ltl.Formula {
	m, ok := v.(map[string]any)
	if !ok {
		n.b.failf("%s: a node is {type: NODE, args: {..}}, not %s", where, describe(v))
		return ltl.Const{}
	}
	for _, k := range sortedKeys(m) {
		if k != "type" && k != "args" {
			n.b.failf("%s: a node takes type and args; unknown key %q", where, k)
		}
	}
	name, _ := m["type"].(string)
	var names []string
	for _, t := range nodeTypes() {
		if names = append(names, t.name); t.name == name {
			return n.build(t, m["args"])
		}
	}
	switch name {
	case "Predicate", "Exists":
		n.b.failf("%s: a %s node cannot be written in a file", where, name)
	default:
		n.b.failf("%s: unknown node type %s%s", where, describe(m["type"]), didYouMean(name, names))
	}
	return ltl.Const{}
}

func (n *nodeReader) build(t nodeType, v any) ltl.Formula {
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		n.b.failf("%s: args is a mapping, not %s", t.name, describe(v))
		return ltl.Const{}
	}
	before := len(n.b.problems)
	var names []string
	for _, f := range t.fields {
		names = append(names, f.name)
	}
	for _, k := range sortedKeys(m) {
		if !slices.Contains(names, k) {
			n.b.failf("%s: unknown field %q%s; it takes %s", t.name, k, didYouMean(k, names), list(names, "and"))
		}
	}
	depth := len(n.vars)
	args := nodeArgs{}
	for _, f := range t.fields {
		switch {
		case m[f.name] != nil || f.kind == "value" && hasKey(m, f.name):
			args[f.name] = n.field(t.name+"."+f.name, f.kind, m[f.name])
		case !f.optional:
			n.b.failf("%s: the field %s is missing", t.name, f.name)
		}
	}
	n.vars = n.vars[:depth]
	if len(n.b.problems) > before {
		return ltl.Const{}
	}
	return t.build(n, args)
}

func (n *nodeReader) field(where, kind string, v any) any {
	switch kind {
	case "formula":
		return n.node(v, where)
	case "tool":
		return n.tool(where, v)
	case "tools":
		items, _ := v.([]any)
		if len(items) == 0 {
			n.b.failf("%s is a list of tool names, not %s", where, describe(v))
		}
		var out []ltl.Tool
		for _, e := range items {
			out = append(out, n.tool(where, e))
		}
		return out
	case "int":
		i, ok := wholeNumber(v)
		if !ok {
			n.b.failf("%s is a whole number, not %s", where, describe(v))
		}
		return i
	case "op":
		return n.op(where, v)
	case "args":
		return n.args(where, v)
	case "value":
		return v
	case "var":
		s, ok := v.(string)
		if !ok || !isVariable("$"+s) {
			n.b.failf("%s is the name of a variable, not %s", where, describe(v))
		}
		n.vars = append(n.vars, s)
		return s
	case "domain":
		t := n.b.target(where, v)
		if len(n.vars) > 0 && !slices.Contains(t.vars(), n.vars[len(n.vars)-1]) {
			n.b.failf("%s: the target has no $%s to range over", where, n.vars[len(n.vars)-1])
		}
		return t
	case "target":
		t := n.b.target(where, v)
		for _, x := range t.vars() {
			if !slices.Contains(n.vars, x) {
				n.b.failf("%s: $%s is bound by no ForAll around it", where, x)
			}
		}
		return t
	}
	if _, ok := v.(string); !ok {
		n.b.failf("%s is text, not %s", where, describe(v))
	}
	return v
}

func (n *nodeReader) tool(where string, v any) ltl.Tool {
	s, ok := v.(string)
	if !ok || s == "" {
		n.b.failf("%s is a tool name, not %s", where, describe(v))
	}
	t := ltl.Named(s)
	if m := n.lets[s]; m != nil {
		t.Target = m
	}
	return t
}

func (n *nodeReader) op(where string, v any) ltl.Cmp {
	for c := ltl.LE; c <= ltl.GT; c++ {
		if v == c.String() {
			return c
		}
	}
	n.b.failf("%s is one of <= >= == < >, not %s", where, describe(v))
	return ltl.EQ
}

func (n *nodeReader) args(where string, v any) []ltl.Arg {
	m, ok := v.(map[string]any)
	if !ok {
		n.b.failf("%s is a mapping of arguments, not %s", where, describe(v))
	}
	var out []ltl.Arg
	for _, k := range sortedKeys(m) {
		a := ltl.Arg{Name: k, Value: ltl.Value{JSON: m[k]}}
		if s, ok := m[k].(string); ok && isVariable(s) && slices.Contains(n.vars, s[1:]) {
			a.Value = ltl.Value{Var: s[1:]}
		}
		out = append(out, a)
	}
	return out
}
