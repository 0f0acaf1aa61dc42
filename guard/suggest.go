package guard

import (
	"maps"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/trace"
)

// Bounds of the search for a way to comply (rules.md 16).
const (
	maxSuggested = 3    // calls of one suggestion
	maxSteps     = 2000 // monitor steps of one search
	maxLetters   = 16   // calls tried
)

// A letter is one call that may be suggested: as text a person or an agent can
// run, and the calls it stands for.
type letter struct {
	text  string
	calls []trace.Call
}

// suggest looks for the shortest list of calls after which the refused chain
// would pass. Every call of it, and the chain after it, must be let through by
// the whole rule set; else nothing is said.
func (c *check) suggest(r *rules.Rule) []string {
	if !c.Offer || !helpable(r) {
		return nil
	}
	s := &search{check: c, left: maxSteps}
	letters := s.letters()
	for n := 1; n <= maxSuggested && len(letters) > 0; n++ {
		if list := s.try(letters, nil, n); list != nil {
			texts := make([]string, len(list))
			for i, l := range list {
				texts[i] = l.text
			}
			return texts
		}
		if s.left <= 0 {
			break
		}
	}
	return nil
}

// helpable says whether calls made first can help at all: a rule that judges each
// call alone, or counts, is not helped by more calls.
func helpable(r *rules.Rule) bool {
	switch r.Kind {
	case "never", "require", "at_most", "at_most_n_times", "never_after", "mutually_exclusive":
		return false
	}
	return r.Formula != nil
}

// A search counts its monitor steps.
type search struct {
	*check
	left int
}

// letters are the calls that the broken rules speak of, as they can be run, and
// those that the rules about these calls speak of: a prerequisite may have one of
// its own.
func (s *search) letters() []letter {
	var out []letter
	for i := range s.found {
		if f := &s.found[i]; f.mode != rules.Log {
			out = s.lettersOf(out, f.rule, &s.chain[f.call])
		}
	}
	var all []trace.Call
	for _, l := range out {
		all = append(all, l.calls...)
	}
	list, err := s.Book.Reacting(all)
	if err != nil {
		return out
	}
	for _, r := range list {
		if helpable(r) {
			out = s.lettersOf(out, r, &s.chain[0])
		}
	}
	return out
}

// lettersOf adds the calls that one rule speaks of; about is the call whose values
// stand for a rule's variables.
func (s *search) lettersOf(out []letter, r *rules.Rule, about *trace.Call) []letter {
	if r.Formula == nil {
		return out
	}
	for _, call := range ltl.Letters(r.Formula) {
		for _, variant := range variants(call, about) {
			l, ok := s.runnable(variant)
			if !ok || len(out) >= maxLetters || slices.ContainsFunc(out, func(o letter) bool { return o.text == l.text }) {
				continue
			}
			out = append(out, l)
		}
	}
	return out
}

// variants are a call as a rule's target names it; where the target compares values
// between calls, one with each value of the refused call.
func variants(call trace.Call, about *trace.Call) []trace.Call {
	var open []string
	for k, v := range call.Args {
		if name, ok := v.(string); ok && strings.HasPrefix(name, "$") {
			open = append(open, k)
		}
	}
	if len(open) == 0 {
		return []trace.Call{call}
	}
	var out []trace.Call
	for _, v := range pathsOf(about.Args) {
		x := call
		x.Args = maps.Clone(call.Args)
		for _, k := range open {
			x.Args[k] = v
		}
		out = append(out, x)
	}
	return out
}

// pathsOf lists the texts among a call's arguments that can name the thing it is
// about, in the order of their names.
func pathsOf(a trace.Args) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(a)) {
		for _, v := range listOf(a[k]) {
			if s, ok := v.(string); ok && s != "" && !strings.Contains(s, "\n") && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// try extends a list of letters to n and tests each.
func (s *search) try(letters, list []letter, n int) []letter {
	if len(list) == n {
		if s.passes(list, s.broken()) && s.passes(list, nil) {
			return list
		}
		return nil
	}
	for _, l := range letters {
		if s.left <= 0 {
			return nil
		}
		if found := s.try(letters, append(slices.Clip(list), l), n); found != nil {
			return found
		}
	}
	return nil
}

// broken lists the rules that refuse the chain now.
func (s *search) broken() []*rules.Rule {
	var out []*rules.Rule
	for i := range s.found {
		if f := &s.found[i]; f.mode != rules.Log && !slices.Contains(out, f.rule) {
			out = append(out, f.rule)
		}
	}
	return out
}

// passes says whether the given rules (nil: all that can react) let each call of
// the list through, and then the chain.
func (s *search) passes(list []letter, only []*rules.Rule) bool {
	steps := slices.Concat(list, []letter{{calls: s.chain}})
	var all []trace.Call
	for _, l := range steps {
		all = append(all, l.calls...)
	}
	if only == nil {
		var err error
		if only, err = s.Book.Reacting(all); err != nil {
			return false
		}
	}
	for _, scope := range scopes {
		runners, err := s.ledgers[scope].at(only)
		if err != nil {
			return false
		}
		for _, st := range runners {
			if !st.rule.Finally && st.rule.Mode > rules.Log && !s.passesRule(st, steps) {
				return false
			}
		}
	}
	return true
}

// passesRule walks one rule over the steps: each is proposed, then counts as run
// with success.
func (s *search) passesRule(st *standing, steps []letter) bool {
	m := st.clone()
	for _, l := range steps {
		try := m.clone()
		for i := range l.calls {
			if s.left--; s.left < 0 {
				return false
			}
			c := &l.calls[i]
			if !reacts(st.rule, toolsOf(c)) {
				if try.step(c) != nil {
					return false
				}
				continue
			}
			if f, err := try.propose(c); err != nil || f.broken && maybeMode(st.rule, c, f.maybe) > rules.Log {
				return false
			}
		}
		for i := range l.calls {
			c := l.calls[i]
			zero := 0
			c.Outcome = &trace.Outcome{Status: &zero}
			if m.step(&c) != nil {
				return false
			}
		}
	}
	return true
}
