package ltl

import (
	"maps"

	"github.com/agentltl/agentltl-hook/trace"
)

// Letters lists concrete calls that f speaks of, one for each atom and tool in
// the order of the text: a search for a way to comply tries these. Each carries
// the outcome its atom asks for, success where it asks for none. Arguments that
// are variables are left out; targets contribute what their [Sampler] gives.
func Letters(f Formula) []trace.Call {
	var out []trace.Call
	known := map[string]bool{}
	add := func(c trace.Call) {
		status := ""
		if c.Outcome != nil && c.Outcome.Status != nil && *c.Outcome.Status != 0 {
			status = "failed"
		}
		key := c.Tool + "\x00" + status + string(trace.AppendJSON(nil, c.Args))
		if !known[key] {
			known[key] = true
			out = append(out, c)
		}
	}
	walk(f, func(g Formula) bool {
		status := 0
		if n, ok := g.(NowWith); ok && n.Result == Failed {
			status = 1
		}
		for _, t := range toolsOf(g) {
			c := trace.Call{Tool: t.Name}
			if t.Target != nil {
				s, ok := t.Target.(Sampler)
				if !ok {
					continue
				}
				if c, ok = s.Sample(); !ok {
					continue
				}
			}
			add(withLetter(c, argsOf(g), g, status))
		}
		return true
	})
	return out
}

// withLetter gives a call the arguments and the outcome that an atom asks for.
func withLetter(c trace.Call, args []Arg, f Formula, status int) trace.Call {
	if len(args) > 0 {
		all := trace.Args{}
		maps.Copy(all, c.Args)
		for _, a := range args {
			if a.Value.Var == "" && a.Value.JSON != nil {
				all[a.Name] = a.Value.JSON
			}
		}
		c.Args = all
	}
	if c.Outcome == nil {
		c.Outcome = &trace.Outcome{Status: &status}
		if r, ok := f.(CalledWithResult); ok && r.Result.Var == "" {
			c.Outcome.Result = &r.Result.JSON
		}
	}
	return c
}
