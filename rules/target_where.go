package rules

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// match answers one key of "where" and gives the texts that matched. The key
// "*" looks at every argument.
func (c *globCond) match(v *view) (trace.Answer, []string) {
	if c.arg != "*" {
		actual, ok := lookup(v.call, v.args, c.arg)
		if !ok {
			return v.absentPath(c.arg, c), nil
		}
		return c.field(v, c.arg, actual, false)
	}
	answer := trace.No
	var hits []string
	for _, k := range sortedKeys(v.args) {
		a, found := c.field(v, k, v.args[k], true)
		answer = max(answer, a)
		hits = append(hits, found...)
	}
	return answer, hits
}

func (c *globCond) field(v *view, name string, actual any, deep bool) (trace.Answer, []string) {
	values := texts(actual, deep, nil)
	var hits []string
	for _, s := range values {
		if c.text(v, name, s) {
			hits = append(hits, s)
		}
	}
	remote := v.call.CLI != nil && v.call.CLI.Remote != "" && v.isPath(name)
	if len(hits) > 0 {
		if remote {
			return trace.Maybe, hits
		}
		return trace.Yes, hits
	}
	if remote && len(values) > 0 {
		return trace.Maybe, nil // a path of another machine
	}
	if name == "target" && v.tree != "" {
		return c.tree(v), nil
	}
	if deep && !v.isPath(name) && !v.globs(name) {
		// "*" looks for files by name. A tag, a branch or a flag that is not known
		// names none; a rule on that argument itself gets its maybe.
		return trace.No, nil
	}
	return v.unknownPath(name, c, values), nil
}

// globs says whether a field is uncertain only for the globs in it.
func (v *view) globs(field string) bool {
	return v.call.CLI != nil && v.call.CLI.Fields[field] == "glob"
}

// tree answers for a folder that is reached with all below it: yes when a
// pattern takes any name in it, maybe when it can name something below.
func (c *globCond) tree(v *view) trace.Answer {
	anything := v.spell(v.tree + "/\uffff")
	for _, g := range c.all(v) {
		if g.slash && anything.matches(g) {
			return trace.Yes
		}
	}
	return c.meetsAny(v, newGlob(escapeGlob(v.tree)+"/*"))
}

// text tries the patterns on one text.
func (c *globCond) text(v *view, field, s string) bool {
	if v.plain && !isRedirect(field) {
		return slices.ContainsFunc(c.all(v), func(g *glob) bool { return g.match(s) })
	}
	p := v.spell(s)
	return slices.ContainsFunc(c.all(v), p.matches)
}

// all are the patterns for one call, ${cwd} filled in.
func (c *globCond) all(v *view) []*glob {
	c.globs.once.Do(func() { c.globs.read(c.patterns, v.ctx) })
	if len(c.globs.perCall) == 0 {
		return c.globs.fixed
	}
	out := slices.Clone(c.globs.fixed)
	for _, s := range c.globs.perCall {
		out = append(out, newGlob(v.ctx.expand(s, v.call.Dir, escapeGlob)))
	}
	return out
}

// every answers one key of "each": there is a text, and all texts match.
func (c *globCond) every(v *view) trace.Answer {
	actual, ok := lookup(v.call, v.args, c.arg)
	if c.arg == "*" {
		actual, ok = map[string]any(v.args), true
	}
	values := texts(actual, c.arg == "*", nil)
	open := v.open(c.arg)
	if !ok || len(values) == 0 {
		if open {
			return trace.Maybe
		}
		return trace.No
	}
	answer := trace.Yes
	for _, s := range values {
		if c.text(v, c.arg, s) {
			continue
		}
		if !open || !v.dynamic(s) {
			return trace.No
		}
		answer = min(answer, v.boundAll(s, c))
	}
	if open && !slices.ContainsFunc(values, v.dynamic) {
		answer = min(answer, v.runnerAll(c))
	}
	return answer
}

// match answers "matches": the value as text, unanchored. Missing and null
// never match.
func (r *regexCond) match(v *view) trace.Answer {
	field := r.field
	if field == "" {
		field = "command"
	}
	actual, ok := lookup(v.call, v.args, field)
	if !ok || actual == nil {
		return trace.No
	}
	if r.re().MatchString(valueText(actual)) {
		return trace.Yes
	}
	if v.open(field) {
		return trace.Maybe
	}
	return trace.No
}

// valueText is a value as a regular expression sees it: numbers as written,
// lists and maps as canonical JSON.
func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return string(v)
	}
	return trace.Canonical(v)
}

// outside answers: some path argument lies below none of the folders.
func outside(folders []string, v *view) trace.Answer {
	answer := trace.No
	for _, s := range v.pathTexts() {
		switch {
		case v.remote() || v.dynamic(s):
			answer = max(answer, v.boundOutside(s, folders))
		case !v.below(s, folders):
			return trace.Yes
		}
	}
	if v.pathsOpen() {
		answer = max(answer, v.boundOutside("*", folders))
	}
	return answer
}

// inside answers: there is a path argument, and all lie below one of the folders.
func inside(folders []string, v *view) trace.Answer {
	values := v.pathTexts()
	if len(values) == 0 && !v.pathsOpen() {
		return trace.No
	}
	return outside(folders, v).Not()
}

func (v *view) remote() bool { return v.call.CLI != nil && v.call.CLI.Remote != "" }

// below says whether a text names a path in one of the folders.
func (v *view) below(s string, folders []string) bool {
	abs := v.ctx.absolute(s, v.call.Dir)
	return slices.ContainsFunc(folders, func(f string) bool { return within(abs, v.folder(f)) })
}

// folder makes a folder of a rule absolute: relative ones are meant from the
// project root.
func (v *view) folder(f string) string {
	f = v.ctx.expand(f, v.call.Dir, func(s string) string { return s })
	switch {
	case f == "~":
		f = v.ctx.Home
	case strings.HasPrefix(f, "~/"):
		f = v.ctx.Home + f[1:]
	case !strings.HasPrefix(f, "/"):
		f = v.ctx.Root + "/" + f
	}
	return path.Clean(f)
}
