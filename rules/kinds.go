package rules

import (
	"fmt"
	"slices"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

// A kind is one way to say a rule: the key of a rule that holds its value.
type kind struct {
	name    string
	doc     string // one sentence, for the schema and the reference
	example string // YAML of the value
	narrow  bool   // takes with and where at rule level
	limit   bool   // what it lets through can count against a later call
	rev     int    // raised when the meaning of equal text changes: part of the digest
	value   shape  // for the schema
	compile func(b *builder)
}

// kinds lists the rule kinds in the order messages name them.
func kinds() []*kind {
	return []*kind{
		&kindNever, &kindBefore, &kindRequire, &kindAtMost, &kindFinally, &kindLTL, &kindFormula,
		&kindMustPrecede, &kindCannotFollow, &kindAtMostN, &kindAtMostTotal, &kindNeverAfter,
		&kindRequiredEnd, &kindExclusive, &kindRateLimit,
	}
}

// laterKinds belong to a later release; they are refused with words that say so.
var laterKinds = [...]string{"precondition", "postcondition"}

func kindNames() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

func kindByName(name string) *kind {
	for _, k := range kinds() {
		if k.name == name {
			return k
		}
	}
	return nil
}

// A builder compiles one def. Problems are collected; with none, rule is whole.
type builder struct {
	def      *def
	ctx      *Context
	kind     *kind
	rule     *Rule
	problems []string
	targets  []*target
	named    map[string]*target // the targets by what the kind calls them, for lint
}

func (b *builder) failf(format string, args ...any) {
	b.problems = append(b.problems, fmt.Sprintf(format, args...))
}

// target reads one target of the rule's value. what names it in problems.
func (b *builder) target(what string, v any) *target {
	r := targetReader{ctx: b.ctx}
	if b.kind.narrow {
		r.with, r.where = b.def.With, b.def.Where
	}
	t := r.target(v)
	for _, p := range r.problems {
		if what != "" {
			p = what + ": " + p
		}
		b.failf("%s", p)
	}
	b.targets = append(b.targets, t)
	if b.named == nil {
		b.named = map[string]*target{}
	}
	b.named[what] = t
	return t
}

// formula sets what a formula rule is judged by.
func (b *builder) formula(f ltl.Formula) {
	if len(b.problems) > 0 {
		return
	}
	b.rule.Formula = f
}

// never matches on a target, in the two polarities.
func certain(t *target) ltl.Formula  { return ltl.Match{M: matcher{t}} }
func possible(t *target) ltl.Formula { return ltl.Match{M: matcher{t}, Maybe: true} }

// always is G f; implies is a -> b.
func always(f ltl.Formula) ltl.Formula     { return ltl.Globally{Operand: f} }
func implies(a, b ltl.Formula) ltl.Formula { return ltl.Implies{Left: a, Right: b} }
func not(f ltl.Formula) ltl.Formula        { return ltl.Not{Operand: f} }
func yesterday(f ltl.Formula) ltl.Formula  { return ltl.Previous{Operand: f} }
func once(f ltl.Formula) ltl.Formula       { return ltl.Once{Operand: f} }
func and(a, b ltl.Formula) ltl.Formula     { return ltl.And{Left: a, Right: b} }

// forEach quantifies body over the values that the variables have in a call of t.
func forEach(t *target, vars []string, body ltl.Formula) ltl.Formula {
	for _, v := range slices.Backward(vars) {
		body = ltl.Forall{Var: v, Dom: domain{t, v}, Body: body}
	}
	return body
}

// reserves says that a call counts against later ones when it may match a target.
func (b *builder) reserves(targets ...*target) {
	b.rule.Reserves = func(c *trace.Call) bool {
		return slices.ContainsFunc(targets, func(t *target) bool { return t.match(c, nil) != trace.No })
	}
}

// compile makes the rule of a def, with its digest and what it can react to.
func compile(d *def, ctx *Context) (Rule, []string) {
	b := build(d, ctx)
	if len(b.problems) > 0 {
		return *b.rule, b.problems
	}
	r := b.rule
	if r.Formula != nil {
		r.Digest = d.digest(r.Formula.String(), b.kind.rev)
	} else {
		r.Digest = d.digest(r.Contract.Key(), b.kind.rev)
	}
	for _, t := range b.targets {
		r.Exists = r.Exists || t.usesExists()
	}
	b.react()
	return *r, nil
}

// build makes the rule of a def without what is taken over its canonical text:
// a compiled set keeps that.
func build(d *def, ctx *Context) *builder {
	k := kindByName(d.Kind)
	r := &Rule{
		ID: d.ID, Kind: d.Kind, Why: d.Why, Fix: d.Fix, Mode: d.Mode, Scope: d.Scope, Maybe: d.Maybe,
		Layer: d.Layer, Folder: d.Folder, Source: d.Source, From: d.From, ReviewBy: d.Review,
		Shadow: d.Shadow, Locked: d.Locked, Overridable: d.Overridable, Limit: k.limit,
		Retries: d.Retries, Counting: d.Counting, Group: d.Group, Pos: d.pos(), Examples: d.examples,
	}
	b := &builder{def: d, ctx: ctx, kind: k, rule: r}
	k.compile(b)
	b.excepts()
	b.when()
	return b
}

// react fills the tools whose calls can change the rule, and, where any tool's
// can, the features that such a call must have.
func (b *builder) react() {
	b.rule.Tools, b.rule.Always = b.reaction()
	b.rule.names = b.rule.Tools
	if !b.rule.Always {
		return
	}
	for _, t := range b.targets {
		t.features = true
	}
	names, always := b.reaction()
	for _, t := range b.targets {
		t.features = false
	}
	b.rule.names = nil
	if !always {
		b.rule.names = names
	}
}

func (b *builder) reaction() (names []string, always bool) {
	if b.rule.Formula != nil {
		return ltl.Tools(b.rule.Formula)
	}
	names = b.rule.Contract.Tools()
	return names, names == nil
}

func (b *builder) excepts() {
	for _, e := range b.def.Except {
		r := targetReader{ctx: b.ctx}
		t := r.target(e.Call)
		for _, p := range r.problems {
			b.failf("except: %s", p)
		}
		b.rule.Except = append(b.rule.Except, Except{Call: calls{t}, Until: e.Until, Reason: e.Reason, By: e.By})
	}
}

// Kinds lists the names of the rule kinds.
func Kinds() []string { return kindNames() }
