package ltl

import (
	"maps"
	"slices"

	"github.com/agentltl/agentltl-hook/trace"
)

// Here is the domain `here(tool, arg)`: the value of argument Arg of the call at
// the position, if its tool is Tool. A list gives its elements; null and missing
// give none.
type Here struct{ Tool, Arg string }

// Values implements [Domain].
func (d Here) Values(c *trace.Call) []any { return domainValues(c, d.Tool, d.Arg) }

// Key implements [Domain].
func (d Here) Key() string { return `here("` + d.Tool + `", "` + d.Arg + `")` }

// Tools implements [Domain].
func (d Here) Tools() []string { return []string{d.Tool} }

// Seen is the domain `seen(tool, arg)`: those values over all calls so far, in
// order of first sight. Its Values are those that one call adds.
type Seen struct{ Tool, Arg string }

// Values implements [Domain].
func (d Seen) Values(c *trace.Call) []any { return domainValues(c, d.Tool, d.Arg) }

// Key implements [Domain].
func (d Seen) Key() string { return `seen("` + d.Tool + `", "` + d.Arg + `")` }

// Tools implements [Domain].
func (d Seen) Tools() []string { return []string{d.Tool} }

func domainValues(c *trace.Call, tool, arg string) []any {
	var out []any
	if c.Tool == tool {
		out = elements(nil, c.Args[arg])
	}
	for _, f := range c.Forms {
		if f.Tool == tool {
			out = elements(out, f.Args[arg])
		}
	}
	return out
}

// elements adds the values of an argument that out does not have yet.
func elements(out []any, v any) []any {
	list, ok := v.([]any)
	if !ok {
		if v == nil || contains(out, v) {
			return out
		}
		return append(out, v)
	}
	for _, e := range list {
		if e != nil && !contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

func contains(list []any, v any) bool {
	for _, e := range list {
		if trace.Equal(e, v) {
			return true
		}
	}
	return false
}

func sortedKeys(m map[string]any) []string {
	return slices.Sorted(maps.Keys(m))
}
