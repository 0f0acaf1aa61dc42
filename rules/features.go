package rules

import (
	"slices"

	"github.com/agentltl/agentltl-hook/trace"
)

// A target of any tool may still ask for something that few calls have: an
// effect, or a redirection. Such a feature stands in the index beside the tool
// names, so that a call without it does not even decode the rule.

func effectFeature(op string) string { return "+effect:" + op }
func argFeature(name string) string  { return "+arg:" + name }

// anyTool says whether a part's tool names rule no call out.
func (p *part) anyTool() bool {
	return len(p.effects) > 0 || slices.ContainsFunc(p.tools, func(n toolName) bool { return n.name == "*" })
}

// featureNames are features of which a matching call has at least one; nil: it
// may have none.
func (p *part) featureNames() []string {
	var out []string
	for _, e := range p.effects {
		out = append(out, effectFeature(e))
	}
	if out != nil {
		return out
	}
	for _, w := range p.with {
		text, isText := w.expected.(string)
		if isRedirect(w.arg) && (w.variable != "" || isText && text != "") {
			return []string{argFeature(w.arg)}
		}
	}
	for _, list := range [...][]globCond{p.where, p.each} {
		for _, c := range list {
			if isRedirect(c.arg) {
				return []string{argFeature(c.arg)}
			}
		}
	}
	return nil
}

// CallNames lists what calls are looked up under in the index of a compiled set:
// their tools, those of their forms, and the features that targets of any tool
// ask for. Without duplicates.
func CallNames(calls []trace.Call) []string {
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	args := func(a trace.Args) {
		for _, k := range [...]string{"redirect_to", "overwrite_to", "redirect_from"} {
			if a[k] != nil {
				add(argFeature(k))
			}
		}
	}
	for i := range calls {
		c := &calls[i]
		add(c.Tool)
		args(c.Args)
		for _, f := range c.Forms {
			add(f.Tool)
			args(f.Args)
		}
		for _, e := range c.Effects {
			add(effectFeature(e.Op))
		}
	}
	return out
}
