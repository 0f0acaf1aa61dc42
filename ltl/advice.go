package ltl

import (
	"fmt"
	"slices"
)

// The advice that goes with a formula that cannot be a rule. Every form it
// offers is one that loads; a test holds that.

func adviceUnsafe(f Formula) string {
	a, b := exampleTools(f)
	return fmt.Sprintf("the formula can be \"not met yet\", and refusing a call cannot mend that: every call would be refused until it is met. "+
		"To ask that %[1]q runs before %[2]q, write G(now(%[2]q) -> Y(O(now(%[1]q)))) or before(%[1]q, %[2]q); "+
		"to ask that it runs soon after, write within_steps(%[2]q, %[1]q, 3); to ask that it has run when the agent ends its turn, make it a \"finally\" rule", a, b)
}

func adviceInert(f Formula) string {
	a, b := exampleTools(f)
	return fmt.Sprintf("no call can break the formula: it is decided only when the trace ends. "+
		"To ask that %[1]q has run when the agent ends its turn, make it a \"finally\" rule; to ask that it runs soon after %[2]q, write within_steps(%[2]q, %[1]q, 3); "+
		"to ask that it runs before, write G(now(%[2]q) -> Y(O(now(%[1]q))))", a, b)
}

// exampleTools picks two tools of the formula for its advice: one that is waited
// for and one that is to wait.
func exampleTools(f Formula) (awaited, waits string) {
	var all, whole []string
	walk(f, func(g Formula) bool {
		for _, t := range toolsOf(g) {
			if t.Target != nil || slices.Contains(all, t.Name) {
				continue
			}
			all = append(all, t.Name)
			if !isLocal(g) {
				whole = append(whole, t.Name)
			}
		}
		return true
	})
	awaited, waits = "a", "b"
	if len(all) > 0 {
		awaited = all[len(all)-1]
	}
	if len(whole) > 0 {
		awaited = whole[0]
	}
	for _, t := range all {
		if t != awaited {
			return awaited, t
		}
	}
	if waits == awaited {
		waits = "a"
	}
	return awaited, waits
}

// Warnings lists what about a formula that loads is probably not meant
// (formulas.md 6).
func Warnings(f Formula) []string {
	var out []string
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	switch reachOf(f) {
	case reach(True):
		add("the formula always holds")
	case reach(False):
		add("the formula never holds: every call breaks it")
	}
	underAlways(f, func(g Formula) {
		if n, ok := g.(Next); ok && isWholeTrace(n.Operand) {
			add(fmt.Sprintf("%s below G: once it failed and was insisted on, every later call is a new failure", g))
		}
	})
	walk(f, func(g Formula) bool {
		if n, ok := g.(Globally); ok {
			for _, s := range strangers(n.Operand) {
				add(s)
			}
		}
		return true
	})
	return out
}

// underAlways visits what stands below a G.
func underAlways(f Formula, visit func(Formula)) {
	walk(f, func(g Formula) bool {
		if n, ok := g.(Globally); ok {
			walk(n.Operand, func(h Formula) bool { visit(h); return true })
		}
		return true
	})
}

// strangers are whole-trace atoms beside now: at every position they have the
// same value, where "up to here" or "at this call" was probably meant.
func strangers(f Formula) []string {
	var out []string
	now := false
	walk(f, func(g Formula) bool {
		switch g.(type) {
		case Now, NowWith, Match:
			now = true
		default:
		}
		return true
	})
	if !now {
		return nil
	}
	walk(f, func(g Formula) bool {
		switch g := g.(type) {
		case Called:
			out = append(out, fmt.Sprintf("%s below G speaks of the whole trace, not of the call at hand: write %s for the call, Y(O(%s)) for an earlier one", g, Now(g), Now(g)))
		case Before:
			out = append(out, fmt.Sprintf("%s below G speaks of the whole trace: write Y(O(%s)) for an earlier call", g, Now{g.A}))
		default:
		}
		return true
	})
	return out
}
