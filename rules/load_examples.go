package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/shell/spec"
	"github.com/agentltl/agentltl-hook/trace"
)

// specExamples reads the examples of the files' command specs and notes those
// whose line gives no call of that tool with those arguments (shell.md 5).
func (l *loader) specExamples(set *Set) (failed bool) {
	ctx := ExampleContext(l.o.Context)
	for _, d := range l.docs {
		if len(d.problems) > 0 {
			continue
		}
		for _, t := range d.Tools {
			for _, e := range t.Spec.Examples {
				if msg := judgeSpec(e, set.Specs, ctx); msg != "" {
					d.problem(e.Pos, "", fmt.Sprintf("tools.%s: %s", t.Name, msg))
					failed = true
				}
			}
		}
		d.sortProblems()
	}
	return failed
}

func judgeSpec(e spec.Example, specs *spec.Set, ctx *Context) string {
	res := shell.Translate(shell.Request{Command: e.Line, Dir: ctx.Root, Root: ctx.Root, Home: ctx.Home, Specs: specs})
	var seen []string
	for i := range res.Calls {
		c := &res.Calls[i]
		if hasForm(e, c.Tool, c.Args, ctx) || slices.ContainsFunc(c.Forms, func(f trace.Form) bool { return hasForm(e, f.Tool, f.Args, ctx) }) {
			return ""
		}
		seen = append(seen, c.Tool+" "+trace.Canonical(c.Args))
	}
	return fmt.Sprintf("the example %q gives no %s with these arguments, but %s", e.Line, e.Tool, strings.Join(seen, "; "))
}

// asInLine compares an argument with what an example says of it: each element of a
// list, and any path as the line writes it.
func (v *view) asInLine(arg string, want, have any) bool {
	w, ok1 := want.([]any)
	h, ok2 := have.([]any)
	if ok1 && ok2 {
		return slices.EqualFunc(w, h, func(a, b any) bool { return v.asInLine(arg, a, b) })
	}
	return v.equalArg(arg, want, have, true) || v.equalPath(want, have)
}

// hasForm says whether a call has a tool and at least these arguments; paths may
// be written as in the line.
func hasForm(e spec.Example, tool string, args trace.Args, ctx *Context) bool {
	if e.Tool != "" && e.Tool != tool {
		return false
	}
	v := &view{call: &trace.Call{Dir: ctx.Root}, tool: tool, args: args, ctx: ctx}
	for k, want := range e.Args {
		have, ok := args[k]
		if !ok || !v.asInLine(k, want, have) {
			return false
		}
	}
	return true
}
