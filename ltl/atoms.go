package ltl

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// atom reads an atom or a constant.
func (p *parser) atom() term {
	t := p.advance()
	name := strings.ToLower(t.text)
	if name == "true" || name == "false" {
		return term{Const{name == "true"}, 1, t.at}
	}
	p.expect("(")
	if name == "count_before" {
		return p.countBefore(t.at)
	}
	f := p.atomBody(name, t)
	p.expect(")")
	h := 1
	if _, ok := f.(Called); !ok {
		h = height(f)
	}
	return term{f, h, t.at}
}

// height of a formula that an atom's text stands for: eventually and always
// are two nodes.
func height(f Formula) int {
	switch f.(type) {
	case Eventually, Globally:
		return 2
	default:
		return 1
	}
}

func (p *parser) atomBody(name string, t token) Formula {
	switch name {
	case "called":
		return Called{p.tool()}
	case "now":
		return p.now(Now{p.tool()})
	case "eventually":
		return Eventually{Called{p.tool()}}
	case "always":
		return Globally{Called{p.tool()}}
	case "before":
		a, b := p.twoTools()
		return Before{a, b}
	case "after":
		a, b := p.twoTools()
		return After{a, b}
	case "branch_called":
		f := BranchCalled{Correct: p.tool()}
		if p.accept(",") {
			w := p.tool()
			f.Wrong = &w
		}
		return f
	case "called_with":
		tool := p.tool()
		return CalledWith{tool, p.args(t.at)}
	case "called_with_result":
		return p.calledWithResult(t.at)
	case "now_with", "now_ok", "now_failed":
		return p.nowWith(name, t.at)
	case "called_n":
		tool := p.tool()
		p.expect(",")
		cmp, n := p.comparison()
		return CalledNTimes{tool, cmp, n}
	case "in_order":
		return CalledInOrder{p.toolList()}
	case "all_before":
		tools := p.toolList()
		p.expect(",")
		return AllBefore{tools, p.tool()}
	case "within_steps":
		a, b := p.twoTools()
		p.expect(",")
		return WithinSteps{a, b, p.integer()}
	case "instance_before":
		a, i := p.instance()
		p.expect(",")
		b, j := p.instance()
		return InstanceBefore{a, i, b, j}
	default:
		panic(&ParseError{t.at, "operator or atom name", t.text})
	}
}

func (p *parser) countBefore(at int) term {
	p.enter()
	t := p.implication()
	p.leave()
	p.expect(",")
	cmp, n := p.comparison()
	p.expect(")")
	p.temporal(at)
	if !isSettled(t.f) {
		p.semantic = append(p.semantic, &ParseError{at, "count_before over calls and past operators only", "count_before"})
	}
	return p.node(CountBefore{t.f, cmp, n}, at, t)
}

// now makes the atom of a named target a match: it can be uncertain.
func (p *parser) now(f Now) Formula {
	if f.Tool.Target != nil {
		return Match{M: f.Tool.Target}
	}
	return f
}

func (p *parser) tool() Tool { return p.named(p.expectKind(tokString, "string")) }

func (p *parser) named(t token) Tool {
	if m, ok := p.Let[t.text]; ok {
		p.checkVars(t.at, m.Vars())
		return Tool{Name: t.text, Target: m}
	}
	return Tool{Name: t.text}
}

func (p *parser) twoTools() (a, b Tool) {
	a = p.tool()
	p.expect(",")
	return a, p.tool()
}

func (p *parser) toolList() []Tool {
	p.expect("[")
	tools := []Tool{p.tool()}
	for p.accept(",") && !p.peek().is("]") {
		tools = append(tools, p.tool())
	}
	p.expect("]")
	return tools
}

func (p *parser) nowWith(name string, at int) Formula {
	f := NowWith{}
	if p.peek().is("[") {
		f.Tools, f.List = p.toolList(), true
	} else {
		f.Tools = []Tool{p.tool()}
	}
	f.Args = p.args(at)
	switch name {
	case "now_ok":
		f.Result = Ok
	case "now_failed":
		f.Result = Failed
	}
	return f
}

func (p *parser) calledWithResult(at int) Formula {
	f := CalledWithResult{Tool: p.tool()}
	args := p.args(at)
	i := slices.IndexFunc(args, func(a Arg) bool { return a.Name == "result" })
	if i < 0 {
		p.fail("an argument result=")
	}
	f.Result = args[i].Value
	f.Args = slices.Delete(args, i, i+1)
	return f
}

// args reads what is left of an atom's list. Of a repeated name the last counts.
func (p *parser) args(at int) []Arg {
	var out []Arg
	for p.accept(",") {
		t := p.peek()
		if t.kind != tokName && t.kind != tokString {
			p.fail("argument name")
		}
		p.advance()
		p.expect("=")
		v := p.value(at)
		if i := slices.IndexFunc(out, func(a Arg) bool { return a.Name == t.text }); i >= 0 {
			out[i].Value = v
			continue
		}
		out = append(out, Arg{t.text, v})
	}
	return out
}

func (p *parser) value(at int) Value {
	t := p.peek()
	switch {
	case t.kind == tokString:
		p.advance()
		return Value{JSON: t.text}
	case t.kind == tokNumber:
		p.advance()
		return Value{JSON: json.Number(plainNumber(t.text))}
	case t.kind == tokVar:
		p.advance()
		p.checkVars(at, []string{t.text})
		return Value{Var: t.text}
	case t.kind == tokName && t.text == "true":
		p.advance()
		return Value{JSON: true}
	case t.kind == tokName && t.text == "false":
		p.advance()
		return Value{JSON: false}
	case t.kind == tokName && t.text == "null":
		p.advance()
		return Value{}
	}
	p.fail("value")
	return Value{}
}

// checkVars notes variables that no enclosing quantifier binds.
func (p *parser) checkVars(at int, names []string) {
	for _, n := range names {
		if !slices.Contains(p.vars, n) {
			p.semantic = append(p.semantic, &ParseError{at, "an enclosing quantifier of the variable", "$" + n})
		}
	}
}

func (p *parser) comparison() (Cmp, int) {
	t := p.expectKind(tokCmp, "comparison")
	var c Cmp
	switch t.text {
	case "<=":
		c = LE
	case ">=":
		c = GE
	case "==":
		c = EQ
	case "<":
		c = LT
	default:
		c = GT
	}
	return c, p.integer()
}

func (p *parser) integer() int {
	t := p.peek()
	if t.kind != tokNumber || strings.Contains(t.text, ".") {
		p.fail("integer")
	}
	n, err := strconv.Atoi(t.text)
	if err != nil || n > math.MaxInt32 || n < math.MinInt32 {
		p.fail("integer of at most nine digits")
	}
	p.advance()
	return n
}

func (p *parser) instance() (Tool, int) {
	t := p.tool()
	p.expect("[")
	n := p.integer()
	p.expect("]")
	return t, n
}

// plainNumber drops zeros that mean nothing, so that equal numbers of a kind
// print alike: 007 is 7, 1.50 is 1.5, 2.00 is 2.0.
func plainNumber(s string) string {
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	whole, frac, dotted := strings.Cut(s, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if !dotted {
		if whole == "0" {
			return "0"
		}
		return sign + whole
	}
	frac = strings.TrimRight(frac, "0")
	if frac == "" {
		frac = "0"
	}
	return sign + whole + "." + frac
}
