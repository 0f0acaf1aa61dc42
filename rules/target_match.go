package rules

import (
	"maps"
	"slices"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

// A view is one reading of a call: its own tool and arguments, or a form's.
type view struct {
	call  *trace.Call
	tool  string
	args  trace.Args
	ctx   *Context
	text  map[string]spellings // made when a text is first compared
	plain bool                 // operands are text, no paths (echo, printf)
	tree  string               // a folder that an effect reaches with all below it
}

// match answers whether a call is one the target speaks of. "and" is the least
// answer of the conditions, "or" the greatest of parts and forms.
func (t *target) match(c *trace.Call, env ltl.Env) trace.Answer {
	best := trace.No
	for i := range t.parts {
		if a := t.parts[i].match(c, env, t.ctx); a > best {
			if best = a; best == trace.Yes {
				break
			}
		}
	}
	return best
}

// ran is match for a call on a trace: one that may not have run, or is still in
// flight, is at most maybe.
func (t *target) ran(c *trace.Call, env ltl.Env) trace.Answer {
	a := t.match(c, env)
	if a == trace.Yes && c.Outcome != nil && c.Outcome.Maybe {
		return trace.Maybe
	}
	return a
}

func (p *part) match(c *trace.Call, env ltl.Env, ctx *Context) trace.Answer {
	best := trace.No
	if p.names(c.Tool, c) {
		best = p.conditions(newView(c, c.Tool, c.Args, ctx), env)
	}
	for i := range c.Forms {
		if best == trace.Yes {
			break
		}
		if f := &c.Forms[i]; p.names(f.Tool, c) {
			best = max(best, p.conditions(newView(c, f.Tool, f.Args, ctx), env))
		}
	}
	return best
}

func newView(c *trace.Call, tool string, args trace.Args, ctx *Context) *view {
	return &view{call: c, tool: tool, args: args, ctx: ctx, plain: tool == "echo" || tool == "printf"}
}

// names says whether a tool is one of the part's. With effects every tool is.
func (p *part) names(tool string, c *trace.Call) bool {
	if p.remote != nil && *p.remote != (c.CLI != nil && c.CLI.Remote != "") {
		return false
	}
	if len(p.effects) > 0 {
		return slices.ContainsFunc(c.Effects, func(e trace.Effect) bool { return slices.Contains(p.effects, e.Op) })
	}
	for i := range p.tools {
		if p.tools[i].matches(tool) {
			return true
		}
	}
	return false
}

// conditions is the least answer of the part's conditions for one view.
func (p *part) conditions(v *view, env ltl.Env) trace.Answer {
	if len(p.effects) > 0 {
		return p.effectConditions(v, env)
	}
	return p.rest(v, env)
}

// effectConditions judges the conditions on each effect of the right kind:
// target, op and recursive stand beside the call's arguments.
func (p *part) effectConditions(v *view, env ltl.Env) trace.Answer {
	best := trace.No
	for _, e := range v.call.Effects {
		if !slices.Contains(p.effects, e.Op) {
			continue
		}
		args := trace.Args{}
		maps.Copy(args, v.args)
		args["target"], args["op"], args["recursive"] = e.Target, e.Op, e.Recursive
		w := &view{call: v.call, tool: v.tool, args: args, ctx: v.ctx}
		if e.Recursive {
			w.tree = e.Target
		}
		a := p.rest(w, env)
		if e.Certainty != "sure" {
			a = min(a, trace.Maybe)
		}
		best = max(best, a)
	}
	return best
}

func (p *part) rest(v *view, env ltl.Env) trace.Answer {
	answer := trace.Yes
	lower := func(a trace.Answer) bool {
		answer = min(answer, a)
		return answer == trace.No
	}
	for i := range p.with {
		if lower(p.with[i].match(v, env)) {
			return answer
		}
	}
	var hits []string
	for i := range p.where {
		a, found := p.where[i].match(v)
		if lower(a) {
			return answer
		}
		hits = append(hits, found...)
	}
	for i := range p.each {
		if lower(p.each[i].every(v)) {
			return answer
		}
	}
	if p.regex != nil && lower(p.regex.match(v)) {
		return answer
	}
	if len(p.outside) > 0 && lower(outside(p.outside, v)) {
		return answer
	}
	if len(p.inside) > 0 && lower(inside(p.inside, v)) {
		return answer
	}
	if p.exists != nil && lower(p.onDisk(v, hits, answer)) {
		return answer
	}
	if p.succeeded != nil {
		a := v.call.Succeeded()
		if !*p.succeeded {
			a = a.Not()
		}
		if lower(a) {
			return answer
		}
	}
	if p.not != nil {
		answer = min(answer, p.not.match(v.call, env).Not())
	}
	return answer
}

// onDisk answers "exists": some text that where matched, or without where some
// path argument, is on disk (or is not). A recorded call keeps what was so when
// it was checked.
func (p *part) onDisk(v *view, hits []string, sofar trace.Answer) trace.Answer {
	if len(p.where) == 0 {
		hits = v.pathTexts()
	}
	answer := trace.No
	for _, s := range hits {
		if v.dynamic(s) {
			answer = max(answer, trace.Maybe)
			continue
		}
		if v.exists(s) == *p.exists {
			return trace.Yes
		}
	}
	if sofar == trace.Maybe && len(p.where) > 0 || v.pathsOpen() {
		answer = max(answer, trace.Maybe) // more files than these may be named
	}
	return answer
}

func (v *view) exists(s string) bool {
	abs := v.ctx.absolute(s, v.call.Dir)
	if v.call.Outcome != nil {
		return slices.Contains(v.call.Exists, abs)
	}
	return v.ctx.FS != nil && v.ctx.FS.Exists(abs)
}

// spell caches the spellings of a text: the same one meets many patterns.
func (v *view) spell(s string) spellings {
	if p, ok := v.text[s]; ok {
		return p
	}
	p := v.ctx.spell(s, v.call.Dir)
	if v.text == nil {
		v.text = map[string]spellings{}
	}
	v.text[s] = p
	return p
}

// pathTexts are the texts of all path arguments, in the order of their names.
func (v *view) pathTexts() []string {
	var out []string
	for _, k := range sortedKeys(v.args) {
		if v.isPath(k) {
			out = texts(v.args[k], false, out)
		}
	}
	return out
}

func (v *view) isPath(field string) bool {
	if v.plain && !isRedirect(field) {
		return false
	}
	return isPathField(field) || v.ctx.pathField(v.tool, field)
}

// ExistsNow lists what the texts in a call's arguments name on disk now: a
// recorded call keeps it in Exists, for rules that ask (Rule.Exists). Any argument
// counts, because "where" and with it "exists" may look at any.
func ExistsNow(c *trace.Call, ctx *Context) []string {
	if ctx.FS == nil {
		return nil
	}
	var out []string
	look := func(args trace.Args) {
		for _, s := range texts(map[string]any(args), true, nil) {
			if len(s) > maxPattern {
				continue
			}
			abs := ctx.absolute(s, c.Dir)
			if !slices.Contains(out, abs) && ctx.FS.Exists(abs) {
				out = append(out, abs)
			}
		}
	}
	look(c.Args)
	for _, f := range c.Forms {
		look(f.Args)
	}
	slices.Sort(out)
	return out
}
