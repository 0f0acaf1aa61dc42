package guard

import (
	"slices"

	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// A Rulebook is the rules in force for one event. A hook's decodes only those
// that are asked for; [Rules] holds all of them.
type Rulebook interface {
	// Digest names the rule set: positions are kept under it.
	Digest() state.Digest
	// Len is how many rules there are.
	Len() int
	// Reacting lists, in file order, the rules that can react to one of these calls,
	// as far as tool names tell, and those that no tool name rules out.
	Reacting(calls []trace.Call) ([]*rules.Rule, error)
	// Finally lists the rules judged at turn end, in file order.
	Finally() ([]*rules.Rule, error)
	// All lists every rule in file order.
	All() ([]*rules.Rule, error)
	// Refs names the rules, in file order, with the memory each looks at.
	Refs() []state.RuleRef
	Settings() *rules.Settings
}

// Rules is a [Rulebook] of rules at hand.
type Rules struct {
	List  []*rules.Rule
	Set   rules.Settings
	Named state.Digest
}

// NewRules is the rulebook of a loaded set.
func NewRules(set *rules.Set, key state.Digest) *Rules {
	r := &Rules{Set: set.Settings, Named: key}
	for i := range set.Rules {
		r.List = append(r.List, &set.Rules[i])
	}
	return r
}

// Digest names the set.
func (r *Rules) Digest() state.Digest { return r.Named }

// Len is how many rules there are.
func (r *Rules) Len() int { return len(r.List) }

// All lists every rule in file order.
func (r *Rules) All() ([]*rules.Rule, error) { return r.List, nil }

// Settings are those of the set.
func (r *Rules) Settings() *rules.Settings { return &r.Set }

// Refs names the rules, in file order, with the memory each looks at.
func (r *Rules) Refs() []state.RuleRef {
	refs := make([]state.RuleRef, len(r.List))
	for i, x := range r.List {
		refs[i] = state.RuleRef{Scope: scopeOf(x), Digest: x.Digest}
	}
	return refs
}

// Reacting lists the rules that can react to one of the calls.
func (r *Rules) Reacting(calls []trace.Call) ([]*rules.Rule, error) {
	tools := chainTools(calls)
	return r.pick(func(x *rules.Rule) bool { return reacts(x, tools) }), nil
}

// Finally lists the rules judged at turn end.
func (r *Rules) Finally() ([]*rules.Rule, error) {
	return r.pick(func(x *rules.Rule) bool { return x.Finally }), nil
}

func (r *Rules) pick(ok func(*rules.Rule) bool) []*rules.Rule {
	return slices.DeleteFunc(slices.Clone(r.List), func(x *rules.Rule) bool { return !ok(x) })
}

// reacts says whether a call of one of these tools can change the rule's state
// or break it.
func reacts(r *rules.Rule, tools []string) bool {
	if r.Always {
		return true
	}
	for _, pattern := range r.Tools {
		for _, t := range tools {
			if rules.ToolMatches(pattern, t) {
				return true
			}
		}
	}
	return false
}

// A compiledBook reads rules of a compiled set as they are asked for.
type compiledBook struct {
	*rules.Compiled
	key state.Digest
}

// Book is the rulebook of a compiled set that is kept under a key.
func Book(c *rules.Compiled, key state.Digest) Rulebook { return compiledBook{c, key} }

func (b compiledBook) Digest() state.Digest { return b.key }

func (b compiledBook) Reacting(calls []trace.Call) ([]*rules.Rule, error) {
	return b.Compiled.Reacting(rules.CallNames(calls))
}

func (b compiledBook) Refs() []state.RuleRef {
	list, err := b.Listed()
	if err != nil {
		return nil
	}
	refs := make([]state.RuleRef, len(list))
	for i := range list {
		refs[i].Digest = list[i].Digest
		if list[i].Scope == rules.Project {
			refs[i].Scope = state.Project
		}
	}
	return refs
}
