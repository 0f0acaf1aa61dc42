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
func (d Here) Values(c *trace.Call) []any { return appendValues(nil, c, d.Tool, d.Arg) }

// Key implements [Domain].
func (d Here) Key() string { return `here("` + d.Tool + `", "` + d.Arg + `")` }

// Tools implements [Domain].
func (d Here) Tools() []string { return []string{d.Tool} }

// Seen is the domain `seen(tool, arg)`: those values over all calls so far, in
// order of first sight. Its Values are those that one call adds.
type Seen struct{ Tool, Arg string }

// Values implements [Domain].
func (d Seen) Values(c *trace.Call) []any { return appendValues(nil, c, d.Tool, d.Arg) }

// Key implements [Domain].
func (d Seen) Key() string { return `seen("` + d.Tool + `", "` + d.Arg + `")` }

// Tools implements [Domain].
func (d Seen) Tools() []string { return []string{d.Tool} }

// appendValues adds to out the values that argument arg of the call, or of a
// form of it, has where it is of that tool.
func appendValues(out []any, c *trace.Call, tool, arg string) []any {
	from := len(out)
	if c.Tool == tool {
		out = appendElements(out, from, c.Args[arg])
	}
	for _, f := range c.Forms {
		if f.Tool == tool {
			out = appendElements(out, from, f.Args[arg])
		}
	}
	return out
}

// appendElements adds the values of an argument that are not in out from the
// given place on.
func appendElements(out []any, from int, v any) []any {
	list, ok := v.([]any)
	if !ok {
		return appendNew(out, from, v)
	}
	for _, e := range list {
		out = appendNew(out, from, e)
	}
	return out
}

func appendNew(out []any, from int, v any) []any {
	if v == nil || contains(out[from:], v) {
		return out
	}
	return append(out, v)
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
