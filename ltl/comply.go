package ltl

import (
	"slices"

	"github.com/agentltl/agentltl-hook/trace"
)

// Limits of the search for a way to comply (rules.md 16).
const (
	MaxComply      = 3    // calls of a way
	MaxComplySteps = 2000 // monitor steps of a search
)

// Comply finds a shortest list of calls, of the given letters, after which m
// lets the call pass and each of which m lets through itself. It is nil when
// the call passes as it is, or when the limits are reached first.
func Comply(m *Monitor, call trace.Call, letters []trace.Call) []trace.Call {
	steps := 0
	type node struct {
		m    *Monitor
		path []trace.Call
	}
	level := []node{{m: m}}
	for depth := 0; ; depth++ {
		var next []node
		for _, n := range level {
			if steps++; steps > MaxComplySteps {
				return nil
			}
			if c := n.m.Clone(); !c.Step(call).Refused() && c.Err() == nil {
				return n.path
			}
			if depth == MaxComply {
				continue
			}
			for _, l := range letters {
				if steps++; steps > MaxComplySteps {
					break
				}
				c := n.m.Clone()
				if j := c.Step(l); !j.Refused() && c.Err() == nil {
					next = append(next, node{c, append(slices.Clip(n.path), l)})
				}
			}
		}
		if level = next; len(level) == 0 {
			return nil
		}
	}
}
