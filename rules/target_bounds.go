package rules

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// Path arguments that are known only at run time answer maybe in place of no,
// unless what they can be is bounded and the bound decides (shell.md 4).

// open says whether a field may hold more, or other, values than it shows.
func (v *view) open(field string) bool {
	cli := v.call.CLI
	if cli == nil {
		return false
	}
	if cli.Fields[field] == "unknown" || cli.Fields[field] == "glob" || slices.Contains(cli.UnknownPaths, field) {
		return true
	}
	// Redirections are never added by a runner.
	return (cli.AllPathsUnknown || cli.UnknownArgs) && !isRedirect(field) && v.isPath(field)
}

// pathsOpen says whether some path argument is open.
func (v *view) pathsOpen() bool {
	cli := v.call.CLI
	if cli == nil {
		return false
	}
	if cli.AllPathsUnknown {
		return true
	}
	for k := range v.args {
		if v.isPath(k) && v.open(k) {
			return true
		}
	}
	return false
}

// dynamic says whether a value is a word that the shell would still expand, or
// holds one.
func (v *view) dynamic(s string) bool {
	_, ok := v.word(s)
	return ok
}

// word finds the word as typed behind a value, which may have been made absolute.
func (v *view) word(s string) (string, bool) {
	cli := v.call.CLI
	if cli == nil || len(cli.DynamicArgs) == 0 {
		return "", false
	}
	for _, w := range cli.DynamicArgs {
		if s == w || strings.HasSuffix(s, "/"+w) || s == v.ctx.absolute(w, v.call.Dir) {
			return w, true
		}
	}
	for _, w := range cli.DynamicArgs {
		// --file=$X: the value is a piece of the word
		if strings.HasSuffix(w, s) && strings.ContainsAny(s, "$`*?[{~") {
			return w, true
		}
	}
	return "", false
}

// unknownPath answers for a field none of whose values matched as written.
func (v *view) unknownPath(field string, c *globCond, values []string) trace.Answer {
	cli := v.call.CLI
	if cli == nil || v.plain && !isRedirect(field) {
		return trace.No
	}
	if cli.Fields[field] == "maybe-cwd" {
		return v.otherPlaces(c, values)
	}
	if !v.open(field) {
		return trace.No
	}
	answer, decided := trace.No, false
	for _, s := range values {
		w, ok := v.word(s)
		switch {
		case ok:
			answer, decided = max(answer, v.bound(w, s, c)), true
		case len(cli.Bounds) > 0 && hasKeyBound(cli.Bounds, s):
			answer, decided = max(answer, c.bounded(v, cli.Bounds[s])), true
		case cli.Fields[field] == "glob" && !slices.Contains(cli.UnknownPaths, field):
			decided = true // beside a glob, a word that is what it says
		case !strings.HasPrefix(s, "/") && !asWritten(s):
			// relative under an unknown folder: its end is known
			answer, decided = max(answer, c.meetsAny(v, newGlob("*/"+escapeGlob(s)))), true
		}
	}
	if b, ok := cli.Bounds["*"]; ok {
		return max(answer, c.bounded(v, b))
	}
	if decided && (isRedirect(field) || !cli.AllPathsUnknown && v.allBounded()) {
		return answer
	}
	if decided && !cli.AllPathsUnknown && !cli.UnknownArgs {
		return answer
	}
	if !decided && cli.UnknownArgs && !cli.AllPathsUnknown && !slices.Contains(cli.UnknownPaths, field) && v.allBounded() {
		return trace.No
	}
	return trace.Maybe
}

// absentPath answers for an argument that the call does not have: a runner may
// add paths to any path field of the tool.
func (v *view) absentPath(field string, c *globCond) trace.Answer {
	if !v.open(field) {
		return trace.No
	}
	return v.unknownPath(field, c, nil)
}

// allBounded says whether every word that the shell would still expand is bounded.
func (v *view) allBounded() bool {
	cli := v.call.CLI
	for _, w := range cli.DynamicArgs {
		if _, ok := v.boundOf(w); !ok {
			return false
		}
	}
	return len(cli.DynamicArgs) > 0
}

// boundOf finds the bound of a value or of a word: bounds are kept under the
// text as it stands in the field, which may have been made absolute.
func (v *view) boundOf(s string) (trace.Bound, bool) {
	bounds := v.call.CLI.Bounds
	if b, ok := bounds[s]; ok || len(bounds) == 0 || s == "*" {
		return b, ok
	}
	if w, ok := v.word(s); ok {
		if b, ok := bounds[w]; ok {
			return b, ok
		}
	}
	if b, ok := bounds[v.ctx.absolute(s, v.call.Dir)]; ok {
		return b, true
	}
	for k, b := range bounds {
		if strings.HasSuffix(k, "/"+s) {
			return b, true
		}
	}
	return trace.Bound{}, false
}

// bound answers for one unknown word: from its bound, else from itself if it is
// a glob, else maybe.
func (v *view) bound(word, value string, c *globCond) trace.Answer {
	if b, ok := v.boundOf(value); ok {
		if isGlobWord(word) && len(b.Within) == 0 {
			// Every file that the shell finds is an argument: one of them is enough.
			if slices.ContainsFunc(b.Exact, func(s string) bool { p := v.spell(s); return slices.ContainsFunc(c.all(v), p.matches) }) {
				return trace.Yes
			}
			return trace.No
		}
		return c.bounded(v, b)
	}
	if isGlobWord(word) {
		return c.meetsAny(v, newGlob(v.ctx.absolute(value, v.call.Dir)))
	}
	return trace.Maybe
}

// isGlobWord says whether a word is unknown only for its glob characters.
func isGlobWord(w string) bool {
	return strings.ContainsAny(w, "*?[") && !strings.ContainsAny(w, "$`")
}

// bounded answers from a bound: exact values decide both ways, patterns only
// that none can match.
func (c *globCond) bounded(v *view, b trace.Bound) trace.Answer {
	if len(b.Exact) > 0 {
		hits := 0
		for _, s := range b.Exact {
			if p := v.spell(s); slices.ContainsFunc(c.all(v), p.matches) {
				hits++
			}
		}
		switch hits {
		case len(b.Exact):
			return trace.Yes
		case 0:
			if len(b.Within) == 0 {
				return trace.No
			}
		default:
			return trace.Maybe
		}
	}
	for _, w := range b.Within {
		if c.meetsAny(v, newGlob(w)) == trace.Maybe {
			return trace.Maybe
		}
	}
	if len(b.Exact)+len(b.Within) == 0 {
		return trace.Maybe
	}
	return trace.No
}

// meetsAny answers maybe when a pattern and a glob of absolute paths can name a
// common path, in any of the spellings that a pattern is tried on.
func (c *globCond) meetsAny(v *view, paths *glob) trace.Answer {
	for _, g := range c.all(v) {
		if g.meets(paths) {
			return trace.Maybe
		}
		if strings.HasPrefix(g.text, "/") {
			continue
		}
		if v.ctx.Root != "" && newGlob(escapeGlob(v.ctx.Root)+"/"+g.text).meets(paths) {
			return trace.Maybe
		}
		if !g.slash && newGlob("*/"+g.text).meets(paths) {
			return trace.Maybe
		}
	}
	return trace.No
}

// otherPlaces answers for a call after "cd d;" whose folder may not have been
// changed: its effects list both places.
func (v *view) otherPlaces(c *globCond, values []string) trace.Answer {
	answer := trace.No
	for _, s := range values {
		if b, ok := v.boundOf(s); ok {
			answer = max(answer, min(c.bounded(v, b), trace.Maybe))
		}
	}
	if answer != trace.No {
		return answer
	}
	for _, e := range v.call.Effects {
		if p := v.spell(e.Target); slices.ContainsFunc(c.all(v), p.matches) {
			return trace.Maybe
		}
	}
	return trace.No
}

// boundAll is for "each": all that an unknown word can be must match.
func (v *view) boundAll(s string, c *globCond) trace.Answer {
	w, _ := v.word(s)
	b, ok := v.boundOf(s)
	if !ok || len(b.Within) > 0 {
		return trace.Maybe
	}
	if a := c.bounded(v, b); a != trace.Maybe || !isGlobWord(w) {
		return a
	}
	return trace.No // of the files found, all are arguments, and one does not match
}

func (v *view) runnerAll(c *globCond) trace.Answer {
	if b, ok := v.call.CLI.Bounds["*"]; ok && len(b.Within) == 0 {
		return c.bounded(v, b)
	}
	return trace.Maybe
}

// boundOutside says whether an unknown value can lie outside the folders.
func (v *view) boundOutside(s string, folders []string) trace.Answer {
	if v.remote() {
		return trace.Maybe
	}
	w := s
	if s != "*" {
		w, _ = v.word(s)
	}
	b, ok := v.boundOf(s)
	if !ok {
		if w != "*" && isGlobWord(w) {
			b = trace.Bound{Within: []string{v.ctx.absolute(s, v.call.Dir)}}
		} else {
			return trace.Maybe
		}
	}
	out := 0
	for _, e := range b.Exact {
		if !v.below(e, folders) {
			out++
		}
	}
	if out > 0 && len(b.Within) == 0 {
		if out == len(b.Exact) {
			return trace.Yes
		}
		return trace.Maybe
	}
	for _, g := range b.Within {
		if !v.below(fixedFolder(g), folders) {
			return trace.Maybe
		}
	}
	return trace.No
}

// fixedFolder is the part of a path pattern before its first special character,
// up to the last slash. What a pattern names below it stays below it, because
// bounds hold no "..".
func fixedFolder(pattern string) string {
	i := strings.IndexAny(pattern, "*?[")
	if i < 0 {
		return pattern
	}
	if j := strings.LastIndexByte(pattern[:i], '/'); j > 0 {
		return pattern[:j]
	}
	return "/"
}

func hasKeyBound(bounds map[string]trace.Bound, s string) bool {
	_, ok := bounds[s]
	return ok
}
