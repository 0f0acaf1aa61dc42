package ltl

import (
	"slices"
	"strings"
)

// Limits of a formula (formulas.md 2).
const (
	maxText    = 64 << 10 // bytes
	maxNesting = 1000     // operators and parentheses around one another
)

// Options of [Parse]. The zero value reads the plain language.
type Options struct {
	// Let names targets: wherever an atom asks for a tool of such a name, the
	// target stands for it.
	Let map[string]Matcher
	// Match reads the target of a match(…) atom: src is the whole text, at the
	// byte at which the target begins; it returns the byte behind it.
	// Nil: there are no such atoms.
	Match func(src string, at int) (m Matcher, end int, err error)
}

// Parse reads a formula. Its error is a *[ParseError].
//
// A target counts a call that only may match it against the proposed call and
// never for it: where a match makes the formula harder to satisfy, maybe is
// yes.
func Parse(text string, o ...Options) (f Formula, err error) {
	p := &parser{}
	if len(o) > 0 {
		p.Options = o[0]
	}
	if len(text) > maxText {
		return nil, &ParseError{0, "at most 65536 bytes of text", "more"}
	}
	if p.toks, err = lex(text, p.Match); err != nil {
		return nil, err
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *ParseError:
			f, err = nil, e
		default:
			panic(e)
		}
	}()
	t := p.implication()
	if !p.peek().end() {
		p.fail("operator or end")
	}
	if len(p.semantic) > 0 {
		return nil, slices.MinFunc(p.semantic, func(a, b *ParseError) int { return a.Pos - b.Pos })
	}
	return WithPolarity(t.f), nil
}

// A parser is recursive descent over the tokens; a mistake is a panic with a
// *ParseError that Parse recovers.
type parser struct {
	Options
	toks     []token
	i        int
	open     int           // prefix operators, quantifiers and right sides being read
	parens   int           // parentheses being read
	vars     []string      // variables of the enclosing quantifiers
	seen     []int         // places of the quantifiers over seen read so far
	semantic []*ParseError // reported if the grammar is right
}

// A term is a formula with its height and what a check of its context needs.
type term struct {
	f      Formula
	height int
	at     int // offset of its first token
}

func (t token) end() bool { return t.kind == tokEnd }

func (p *parser) peek() token { return p.toks[p.i] }

func (p *parser) ahead() token { return p.toks[min(p.i+1, len(p.toks)-1)] }

func (p *parser) advance() token {
	t := p.toks[p.i]
	if !t.end() {
		p.i++
	}
	return t
}

func (p *parser) fail(want string) {
	t := p.peek()
	panic(&ParseError{t.at, want, t.word()})
}

// accept takes the punctuation if it is next.
func (p *parser) accept(punct string) bool {
	if p.peek().is(punct) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(punct string) {
	if !p.accept(punct) {
		p.fail(punct)
	}
}

func (p *parser) expectKind(k kind, want string) token {
	if p.peek().kind != k {
		p.fail(want)
	}
	return p.advance()
}

// node puts an operator over its operands, which ends at the token before.
func (p *parser) node(f Formula, at int, kids ...term) term {
	h := 0
	for _, k := range kids {
		h = max(h, k.height)
	}
	if h+1 > maxNesting {
		panic(&ParseError{at, "at most 1000 operators around one another", "more"})
	}
	return term{f, h + 1, at}
}

// enter counts an operator whose operand is about to be read.
func (p *parser) enter() {
	if p.open++; p.open > maxNesting {
		p.fail("at most 1000 operators around one another")
	}
}

func (p *parser) leave() { p.open-- }

// temporal checks that no quantifier over seen stands inside what was read from
// offset at on: its instances would be positions times values (formulas.md 8.5).
func (p *parser) temporal(at int) {
	for _, s := range p.seen {
		if s >= at {
			p.semantic = append(p.semantic, &ParseError{s, "a quantifier over seen outside temporal operators", "seen"})
		}
	}
}

func (p *parser) implication() term {
	l := p.disjunction()
	if p.peek().kind != tokArrow {
		return l
	}
	p.enter()
	p.advance()
	r := p.implication()
	p.leave()
	return p.node(Implies{l.f, r.f}, l.at, l, r)
}

func (p *parser) disjunction() term {
	l := p.conjunction()
	for p.accept("|") {
		r := p.conjunction()
		l = p.node(Or{l.f, r.f}, l.at, l, r)
	}
	return l
}

func (p *parser) conjunction() term {
	l := p.unary()
	for p.accept("&") {
		r := p.unary()
		l = p.node(And{l.f, r.f}, l.at, l, r)
	}
	return l
}

// unary reads an operand. A prefix operator takes all of the unary behind it, a
// binary temporal operator included: !a U b is !(a U b).
func (p *parser) unary() term {
	t := p.peek()
	switch {
	case t.is("!"):
		return p.prefix(func(f Formula) Formula { return Not{f} }, false)
	case t.is("@"):
		return p.position()
	case t.kind == tokName:
		word := strings.ToUpper(t.text)
		if make := prefixOperator(word, p.ahead()); make != nil {
			return p.prefix(make, true)
		}
		if word == "FORALL" || word == "EXISTS" {
			return p.quantifier(word == "FORALL")
		}
	}
	return p.binaryTemporal()
}

func (p *parser) prefix(make func(Formula) Formula, temporal bool) term {
	p.enter()
	at := p.advance().at
	t := p.unary()
	p.leave()
	if temporal {
		p.temporal(at)
	}
	return p.node(make(t.f), at, t)
}

// prefixOperator is the operator that the letter stands for. G, F and X are
// operators wherever an operand may start; Y, O and H only before something
// that can be their operand.
func prefixOperator(word string, next token) func(Formula) Formula {
	switch word {
	case "G":
		return func(f Formula) Formula { return Globally{f} }
	case "F":
		return func(f Formula) Formula { return Eventually{f} }
	case "X":
		return func(f Formula) Formula { return Next{f} }
	}
	if next.kind != tokName && next.kind != tokMatch && !next.is("(") && !next.is("!") && !next.is("@") {
		return nil
	}
	switch word {
	case "Y":
		return func(f Formula) Formula { return Previous{f} }
	case "O":
		return func(f Formula) Formula { return Once{f} }
	case "H":
		return func(f Formula) Formula { return Historically{f} }
	}
	return nil
}

func (p *parser) binaryTemporal() term {
	l := p.primary()
	t := p.peek()
	if t.kind != tokName {
		return l
	}
	var make func(l, r Formula) Formula
	switch strings.ToUpper(t.text) {
	case "U":
		make = func(l, r Formula) Formula { return Until{l, r} }
	case "W":
		make = func(l, r Formula) Formula { return WeakUntil{l, r} }
	case "R":
		make = func(l, r Formula) Formula { return Release{l, r} }
	case "S":
		make = func(l, r Formula) Formula { return Since{l, r} }
	default:
		return l
	}
	p.enter()
	p.advance()
	r := p.unary()
	p.leave()
	p.temporal(l.at)
	return p.node(make(l.f, r.f), l.at, l, r)
}

func (p *parser) position() term {
	at := p.advance().at
	n := p.integer()
	p.expect("(")
	p.enter()
	t := p.implication()
	p.leave()
	p.expect(")")
	p.temporal(at)
	return p.node(AtPosition{n, t.f}, at, t)
}

func (p *parser) quantifier(all bool) term {
	at := p.advance().at
	name := p.expectKind(tokName, "variable name").text
	if w := p.peek(); w.kind != tokName || !strings.EqualFold(w.text, "in") {
		p.fail("in")
	}
	p.advance()
	word := strings.ToLower(p.peek().text)
	if p.peek().kind != tokName || word != "here" && word != "seen" {
		p.fail("here or seen")
	}
	p.advance()
	p.expect("(")
	tool := p.expectKind(tokString, "tool name").text
	p.expect(",")
	arg := p.expectKind(tokString, "argument name").text
	p.expect(")")
	p.expect(":")
	var dom Domain = Here{tool, arg}
	if word == "seen" {
		dom = Seen{tool, arg}
		p.seen = append(p.seen, at)
	}
	p.enter()
	p.vars = append(p.vars, name)
	body := p.implication()
	p.vars = p.vars[:len(p.vars)-1]
	p.leave()
	if all {
		return p.node(Forall{name, dom, body.f}, at, body)
	}
	return p.node(Exists{name, dom, body.f}, at, body)
}

func (p *parser) primary() term {
	t := p.peek()
	if t.is("(") {
		if p.parens++; p.parens > maxNesting {
			p.fail("at most 1000 parentheses around one another")
		}
		p.advance()
		in := p.implication()
		p.expect(")")
		p.parens--
		in.at = t.at
		return in
	}
	if t.kind == tokMatch {
		p.advance()
		p.expect(")")
		p.checkVars(t.at, t.match.Vars())
		return term{Match{M: t.match}, 1, t.at}
	}
	if t.kind != tokName {
		p.fail("formula")
	}
	return p.atom()
}
