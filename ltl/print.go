package ltl

import (
	"strconv"
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// The canonical text has every operand of an operator in parentheses and one
// space around binary operators and after commas; it reads back as the same
// tree, targets of rule files excepted, which are printed as their key.

func (f Called) String() string { return atom("called", f.Tool.String()) }

func (f CalledWith) String() string { return atom("called_with", withArgs(f.Tool.String(), f.Args)) }

func (f CalledWithResult) String() string {
	return atom("called_with_result", withArgs(f.Tool.String(), f.Args), "result="+f.Result.String())
}

func (f CalledNTimes) String() string { return atom("called_n", f.Tool.String(), count(f.Cmp, f.N)) }
func (f Before) String() string       { return atom("before", f.A.String(), f.B.String()) }
func (f After) String() string        { return atom("after", f.A.String(), f.B.String()) }
func (f AllBefore) String() string    { return atom("all_before", list(f.Tools), f.Target.String()) }

func (f BranchCalled) String() string {
	if f.Wrong == nil {
		return atom("branch_called", f.Correct.String())
	}
	return atom("branch_called", f.Correct.String(), f.Wrong.String())
}

func (f InstanceBefore) String() string {
	return atom("instance_before", f.A.String()+"["+strconv.Itoa(f.I)+"]", f.B.String()+"["+strconv.Itoa(f.J)+"]")
}
func (f CalledInOrder) String() string { return atom("in_order", list(f.Tools)) }
func (f WithinSteps) String() string {
	return atom("within_steps", f.A.String(), f.B.String(), strconv.Itoa(f.N))
}

func (f Now) String() string { return atom("now", f.Tool.String()) }

func (f NowWith) String() string {
	name := [...]string{"now_with", "now_ok", "now_failed"}[f.Result]
	tools := ""
	if f.List || len(f.Tools) != 1 {
		tools = list(f.Tools)
	} else {
		tools = f.Tools[0].String()
	}
	return atom(name, withArgs(tools, f.Args))
}

func (f Match) String() string { return matchText(f.M, f.Maybe) }

func (f Const) String() string { return strconv.FormatBool(f.Value) }

func (f Not) String() string          { return "!" + paren(f.Operand) }
func (f And) String() string          { return infix(f.Left, "&", f.Right) }
func (f Or) String() string           { return infix(f.Left, "|", f.Right) }
func (f Implies) String() string      { return infix(f.Left, "->", f.Right) }
func (f Globally) String() string     { return "G" + paren(f.Operand) }
func (f Eventually) String() string   { return "F" + paren(f.Operand) }
func (f Next) String() string         { return "X" + paren(f.Operand) }
func (f Until) String() string        { return infix(f.Left, "U", f.Right) }
func (f WeakUntil) String() string    { return infix(f.Left, "W", f.Right) }
func (f Release) String() string      { return infix(f.Left, "R", f.Right) }
func (f AtPosition) String() string   { return "@" + strconv.Itoa(f.Index) + paren(f.Operand) }
func (f Previous) String() string     { return "Y" + paren(f.Operand) }
func (f Once) String() string         { return "O" + paren(f.Operand) }
func (f Historically) String() string { return "H" + paren(f.Operand) }
func (f Since) String() string        { return infix(f.Left, "S", f.Right) }
func (f CountBefore) String() string {
	return atom("count_before", f.Operand.String(), count(f.Cmp, f.N))
}
func (f Forall) String() string { return quantifier("forall", f.Var, f.Dom, f.Body) }
func (f Exists) String() string { return quantifier("exists", f.Var, f.Dom, f.Body) }

func (t Tool) String() string {
	if t.Target != nil {
		return matchText(t.Target, t.Maybe)
	}
	return `"` + t.Name + `"`
}

func (v Value) String() string {
	if v.Var != "" {
		return "$" + v.Var
	}
	if s, ok := v.JSON.(string); ok {
		return `"` + s + `"` // no escapes: the text may hold line breaks
	}
	return trace.Canonical(v.JSON)
}

func matchText(m Matcher, maybe bool) string {
	if maybe {
		return "match?(" + m.Key() + ")"
	}
	return "match(" + m.Key() + ")"
}

func paren(f Formula) string { return "(" + f.String() + ")" }

func infix(l Formula, op string, r Formula) string { return paren(l) + " " + op + " " + paren(r) }

func quantifier(word, name string, d Domain, body Formula) string {
	return word + " " + name + " in " + d.Key() + ": " + paren(body)
}

func atom(name string, parts ...string) string {
	return name + "(" + strings.Join(parts, ", ") + ")"
}

func count(c Cmp, n int) string { return c.String() + " " + strconv.Itoa(n) }

func list(tools []Tool) string {
	parts := make([]string, len(tools))
	for i, t := range tools {
		parts[i] = t.String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func withArgs(first string, args []Arg) string {
	var b strings.Builder
	b.WriteString(first)
	for _, a := range args {
		b.WriteString(", ")
		if isName(a.Name) {
			b.WriteString(a.Name)
		} else {
			b.WriteString(`"` + a.Name + `"`)
		}
		b.WriteByte('=')
		b.WriteString(a.Value.String())
	}
	return b.String()
}
