// Package cond compiles and evaluates the conditions of rule files: a
// restricted form of expr-lang/expr (contracts.md 2) over names that the caller
// supplies. There is no clock, environment, file or encoding in it, every
// expression terminates, and size and memory are bounded.
//
// [New] keeps the text only: a condition is compiled when it is first needed,
// because a hook process evaluates few of those it knows.
package cond

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// Limits of one condition.
const (
	MaxSource = 4 << 10 // bytes of text
	MaxNodes  = 2000
	MaxMemory = 100_000 // expr's memory units of one evaluation
	MaxString = 1 << 20 // bytes of one text that a condition may see or make
)

// Options say which names a condition may use.
type Options struct {
	Result bool // result: after the call only
	Facts  bool // repo, session, harness, agent, time, count(), last(): in `when` (rules.md 19)
	// Glob answers glob(pattern, text) as rule targets match; nil: no such function.
	Glob func(pattern, text string) bool
}

// An Expr is a condition. It is not safe for concurrent use before its first
// Compile.
type Expr struct {
	src     string
	opts    Options
	program *vm.Program
	names   []string
	err     error
}

// An Error says what is wrong with a condition, or what was missing when it was
// evaluated.
type Error struct {
	Line, Col int // from 1; 0: the whole text
	Msg       string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("%s (line %d, column %d of the expression)", e.Msg, e.Line, e.Col)
}

// New makes a condition out of its text.
func New(src string, o Options) *Expr { return &Expr{src: src, opts: o} }

// String is the text as written.
func (e *Expr) String() string { return e.src }

// Names lists the names a condition reads, with their fixed fields
// ("repo.branch", "args.amount"), sorted. It compiles the condition.
func (e *Expr) Names() ([]string, error) {
	if err := e.Compile(); err != nil {
		return nil, err
	}
	return e.names, nil
}

// Compile reads the condition, once. The error is an *Error.
func (e *Expr) Compile() error {
	if e.program == nil && e.err == nil {
		e.program, e.names, e.err = compile(e.src, e.opts)
	}
	return e.err
}

func compile(src string, o Options) (*vm.Program, []string, error) {
	if len(src) > MaxSource {
		return nil, nil, &Error{Msg: fmt.Sprintf("the expression has %d bytes; %d are the limit", len(src), MaxSource)}
	}
	if strings.TrimSpace(src) == "" {
		return nil, nil, &Error{Msg: "the expression is empty"}
	}
	if err := refuseSyntax(src); err != nil {
		return nil, nil, err
	}
	v := &visitor{opts: o}
	options := []expr.Option{
		expr.Env(declared(o)),
		expr.DisableAllBuiltins(),
		expr.DisableIfOperator(),
		expr.MaxNodes(MaxNodes),
		expr.AsAny(),
		expr.Patch(v),
	}
	for _, name := range allowed {
		options = append(options, expr.EnableBuiltin(name))
	}
	options = append(options, functions(o)...)
	program, err := expr.Compile(src, options...)
	if v.err != nil {
		return nil, nil, v.err
	}
	if err != nil {
		return nil, nil, placed(err)
	}
	slices.Sort(v.names)
	return program, slices.Compact(v.names), nil
}

// allowed are expr's own functions that a condition may call.
var allowed = [...]string{"len", "lower", "upper", "trim", "int", "float", "string", "abs", "min", "max", "any", "all", "none", "one", "count"}

// refuseSyntax finds what expr would read and we do not want: declarations,
// sequences, pipes, its environment variable.
func refuseSyntax(src string) error {
	tokens, err := lexer.Lex(file.NewSource(src))
	if err != nil {
		return placed(err)
	}
	for _, t := range tokens {
		bad := ""
		switch {
		case t.Is(lexer.Operator, "let") || t.Is(lexer.Identifier, "let"):
			bad = "let is not available: a condition is one expression"
		case t.Is(lexer.Operator, "|"):
			bad = "pipes are not available: call the function"
		case t.Is(lexer.Operator, ";"):
			bad = "a condition is one expression, without ;"
		case t.Is(lexer.Identifier, "$env"):
			bad = "$env is not available"
		}
		if bad != "" {
			return at(t.Location, src, bad)
		}
	}
	return nil
}

// at places a message; expr counts lines from 1 and columns from 0, or gives
// an offset only.
func at(l file.Location, src, msg string) *Error {
	pre := []rune(src)
	if l.From < len(pre) {
		pre = pre[:l.From]
	}
	text := string(pre)
	return &Error{
		Line: strings.Count(text, "\n") + 1,
		Col:  len([]rune(text[strings.LastIndex(text, "\n")+1:])) + 1,
		Msg:  msg,
	}
}

func placed(err error) error {
	fe, ok := errors.AsType[*file.Error](err)
	if !ok {
		return &Error{Msg: err.Error()}
	}
	e := &Error{Line: fe.Line, Col: fe.Column + 1, Msg: fe.Message}
	if e.Line == 0 {
		e.Col = 0
	}
	return e
}

// A visitor rewrites our forms into expr's and notes the names that are read.
type visitor struct {
	opts  Options
	names []string
	err   error
}

// Visit sees each node after its children.
func (v *visitor) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		v.name(n.Value)
	case *ast.MemberNode:
		if path := fixedPath(n); path != "" {
			v.name(path)
		}
	case *ast.BinaryNode:
		if n.Operator == "/" {
			v.call(node, "checked_div", n.Left, n.Right)
		}
	case *ast.BuiltinNode:
		// count(target) of `when` is ours: expr's own wants a list and a condition.
		if n.Name == "count" && len(n.Arguments) == 1 && v.opts.Facts {
			v.call(node, countCalls, n.Arguments[0])
		}
	case *ast.CallNode:
		if id, ok := n.Callee.(*ast.IdentifierNode); ok && id.Value == "has" && len(n.Arguments) == 1 {
			v.call(node, "present", lenient(n.Arguments[0]))
		}
	}
}

func (v *visitor) name(path string) { v.names = append(v.names, path) }

func (v *visitor) call(node *ast.Node, name string, args ...ast.Node) {
	loc := (*node).Location()
	c := &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: args}
	c.SetLocation(loc)
	ast.Patch(node, c)
}

// lenient rewrites every step of a path so that a missing one gives null in
// place of an error.
func lenient(n ast.Node) ast.Node {
	if c, ok := n.(*ast.ChainNode); ok {
		return lenient(c.Node)
	}
	m, ok := n.(*ast.MemberNode)
	if !ok {
		return n
	}
	return &ast.CallNode{
		Callee:    &ast.IdentifierNode{Value: "step"},
		Arguments: []ast.Node{lenient(m.Node), m.Property},
	}
}

// fixedPath is a.b.c of a member expression whose steps are all constant.
func fixedPath(m *ast.MemberNode) string {
	key, ok := m.Property.(*ast.StringNode)
	if !ok {
		return ""
	}
	switch n := m.Node.(type) {
	case *ast.IdentifierNode:
		return n.Value + "." + key.Value
	case *ast.MemberNode:
		if p := fixedPath(n); p != "" {
			return p + "." + key.Value
		}
	}
	return ""
}

// declared is the environment a condition is checked against: the top-level
// names, whose fields are not known before the call is.
func declared(o Options) types.Map {
	m := types.Map{
		"state": types.Any,
		"args":  types.Any,
		"call":  types.Any,
		"null":  types.Nil,
	}
	if o.Result {
		m["result"] = types.Any
	}
	if o.Facts {
		m["repo"] = types.Any
		m["session"] = types.Any
		m["harness"] = types.Any
		m["agent"] = types.Any
		m["time"] = types.Any
		m[countCalls] = types.TypeOf(func(any) (int, error) { return 0, nil })
		m[lastCall] = types.TypeOf(func(any) (map[string]any, error) { return nil, nil })
	}
	return m
}

// run evaluates a compiled condition.
func (e *Expr) run(env map[string]any) (any, error) {
	if err := e.Compile(); err != nil {
		return nil, err
	}
	machine := vm.VM{MemoryBudget: min(MaxMemory, conf.DefaultMemoryBudget)}
	v, err := machine.Run(e.program, env)
	if err != nil {
		return nil, placed(err)
	}
	return v, nil
}
