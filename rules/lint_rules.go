package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

// normal is a target in normal form: equal targets have equal texts.
func (t *target) normal() string {
	parts := make([]string, len(t.parts))
	for i := range t.parts {
		m := t.parts[i].json()
		for _, k := range []string{"tool", "effect"} {
			if names := textList(m[k]); names != nil {
				slices.Sort(names)
				m[k] = stringList(slices.Compact(names))
			}
		}
		parts[i] = trace.Canonical(m)
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), "|")
}

// singles are the parts of a target as targets of their own, in normal form.
func (t *target) singles() []string {
	var out []string
	for _, p := range t.parts {
		for _, n := range p.tools {
			q := p
			q.tools = []toolName{n}
			out = append(out, (&target{parts: []part{q}, ctx: t.ctx}).normal())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// contradictions: L010. What is never allowed is asked for by another rule.
func (l *linter) contradictions() {
	for _, never := range l.rules {
		if never.Kind != "never" || never.Mode < Ask || never.When != nil {
			continue
		}
		banned := map[string]bool{}
		for _, t := range never.targets {
			for _, s := range t.singles() {
				banned[s] = true
			}
		}
		for _, r := range l.rules {
			what, t := "", (*target)(nil)
			switch r.Kind {
			case "finally", "required_before_session_end":
				what, t = "asks for", r.named["finally"]
			case "before", "must_precede", "cannot_follow_without":
				what, t = "needs first", r.named["first"]
			}
			if t == nil || len(t.singles()) == 0 {
				continue
			}
			if !slices.ContainsFunc(t.withoutOutcome().singles(), func(s string) bool { return !banned[s] }) {
				l.add(r, "it %s what %s never allows: %s", what, never.ID, t.words())
			}
		}
	}
}

// withoutOutcome leaves out what only holds once a call has run.
func (t *target) withoutOutcome() *target {
	out := &target{ctx: t.ctx}
	for _, p := range t.parts {
		p.succeeded = nil
		out.parts = append(out.parts, p)
	}
	return out
}

// cycles: L011. A before B and B before A: neither can ever run.
func (l *linter) cycles() {
	type edge struct{ from, to string }
	edges := map[edge]*linted{}
	next := map[string][]string{}
	for _, r := range l.rules {
		first, then := r.named["first"], r.named["then"]
		if first == nil || then == nil || r.Mode < Ask {
			continue
		}
		// Only a single way to comply closes a cycle.
		as := first.withoutOutcome().singles()
		if len(as) != 1 {
			continue
		}
		for _, b := range then.singles() {
			if _, ok := edges[edge{as[0], b}]; !ok {
				edges[edge{as[0], b}] = r
				next[as[0]] = append(next[as[0]], b)
			}
		}
	}
	for _, start := range sortedKeys(next) {
		if path := loop(next, start); path != nil && slices.Min(path[:len(path)-1]) == start {
			r := edges[edge{path[len(path)-2], start}]
			ids := []string{}
			for i := 0; i+1 < len(path); i++ {
				ids = append(ids, edges[edge{path[i], path[i+1]}].ID)
			}
			l.add(r, "no call of the cycle can ever run: %s wait for each other", list(ids, "and"))
		}
	}
}

// loop is a shortest way from start back to it; nil: none.
func loop(next map[string][]string, start string) []string {
	from := map[string]string{}
	todo := []string{start}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, n := range next[at] {
			if n == start {
				path := []string{start}
				for p := at; p != start; p = from[p] {
					path = append([]string{p}, path...)
				}
				return append([]string{start}, path...)
			}
			if _, ok := from[n]; !ok {
				from[n] = at
				todo = append(todo, n)
			}
		}
	}
	return nil
}

// constants: L014, by the classes of formulas.md 6.
func (l *linter) constants() {
	for _, r := range l.rules {
		if r.formula == nil {
			continue
		}
		reach := ltl.Classify(r.formula).Reach.List()
		switch {
		case len(reach) == 1 && reach[0] == ltl.False:
			l.add(r, "the formula never holds: every call breaks it")
		case len(reach) == 1:
			l.add(r, "the formula always holds: no call breaks it")
		}
	}
}

// twins: L015.
func (l *linter) twins() {
	seen := map[string]*linted{}
	for _, r := range l.rules {
		key := fmt.Sprintf("%x %v %v %s", r.Digest, r.Mode, r.Scope, r.def.When)
		if first := seen[key]; first != nil && r.Layer == first.Layer {
			l.add(r, "it says the same as %s", first.ID)
		} else {
			seen[key] = r
		}
		if base, _, ok := strings.Cut(r.ID, "@"); ok {
			for _, o := range l.rules {
				if o.ID != base {
					continue
				}
				l.add(r, "a rule of a higher layer has the id %s: both apply, this one as %s", base, r.ID)
				if r.Mode < o.Mode {
					l.add(r, "its mode %s is weaker than %s of %s, which stays", r.Mode, o.Mode, base)
				}
			}
		}
	}
	for _, n := range l.set.Told {
		if n.Code == "weakened" {
			l.addAt(Pos{File: n.Path}, "", "%s", n.Text)
		}
	}
}

// trap is a prefix operator that swallows a following binary one.
var trap = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(!|\b[GFXYOH]\b)\s*([a-z_]+\s*\([^()]*\))\s*\b([UWRS])\b\s*[(!@a-z]`)
})

// formulaTraps: L016.
func (l *linter) formulaTraps() {
	for _, r := range l.rules {
		if r.formula == nil {
			continue
		}
		if text, ok := r.def.Value.(string); ok {
			if m := trap().FindStringSubmatch(text); m != nil {
				l.add(r, "%[1]s%[2]s %[3]s .. is read as %[1]s(%[2]s %[3]s ..); write (%[1]s%[2]s) %[3]s .. if that is meant", m[1], m[2], m[3])
			}
		}
		for _, w := range ltl.Warnings(r.formula) {
			if !strings.HasPrefix(w, "the formula ") { // those are L014
				l.add(r, "%s", w)
			}
		}
	}
}

// yamlOddities: L017.
func (l *linter) yamlOddities() {
	for _, d := range l.set.docs {
		for _, w := range d.warnings {
			l.addAt(Pos{File: d.Path, Line: w.line}, "", "%s", w.msg)
		}
	}
}

// missingWords: L018.
func (l *linter) missingWords() {
	for _, r := range l.rules {
		if !r.own {
			continue
		}
		switch {
		case r.Why == "" && r.Fix == "":
			l.add(r, "it has neither why nor fix: the agent learns what is refused, but not the reason or the way out")
		case r.Why == "":
			l.add(r, "it has no why")
		case r.Fix == "":
			l.add(r, "it has no fix")
		}
		if plain := strings.ToLower(strings.Trim(r.Why, " .!")); plain != "" && (plain == strings.ToLower(r.ID) || plain == strings.ReplaceAll(strings.ToLower(r.ID), "-", " ") || plain == strings.ToLower(r.Summary)) {
			l.add(r, "why only repeats the rule")
		}
	}
}

// dates: L020, 14 days before a date and after it.
func (l *linter) dates() {
	for _, r := range l.rules {
		l.date(r, "review_by", r.ReviewBy)
		for _, e := range r.Except {
			l.date(r, "until of an exception", e.Until)
		}
	}
}

func (l *linter) date(r *linted, what, text string) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return
	}
	today := l.today.UTC().Truncate(24 * time.Hour)
	switch left := int(day.Sub(today) / (24 * time.Hour)); {
	case left < 0:
		l.add(r, "%s (%s) has passed", what, text)
	case left <= 14:
		l.add(r, "%s (%s) is in %d days", what, text, left)
	}
}

// ignoredKeys: L021.
func (l *linter) ignoredKeys() {
	for _, d := range l.set.docs {
		for _, k := range d.Ignored {
			if !strings.HasPrefix(k, "tools.") {
				l.addAt(Pos{File: d.Path}, "", "a %s file may not set %s, or not weaken it: it has no effect", d.Layer, k)
			}
		}
	}
}

// ignoredSpecs: L022.
func (l *linter) ignoredSpecs() {
	for _, d := range l.set.docs {
		for _, t := range d.Tools {
			if slices.Contains(d.Ignored, "tools."+t.Name+".extend") {
				l.addAt(Pos{File: d.Path, Line: t.Line}, "", "tools.%s: extend: false is ignored, because rules of a higher layer depend on the command's spec", t.Name)
			}
		}
	}
}
