package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/shell/spec"
)

// tools brings the command specs of all files together. One of a project or
// nested file may not change how a line reads for the rules above it: where
// such a rule depends on the command, the reading without the file's spec stays
// beside its own, and extend: false is ignored (trust.md 3).
func (m *merger) tools(docs []*doc) {
	for _, d := range docs {
		for _, t := range d.Tools {
			t.Beside = d.Layer >= ProjectFile && m.known(t.Name) && m.depends(t.Name)
			if t.Beside && t.Spec.Replace {
				d.ignoreOnce("tools." + t.Name + ".extend")
				m.set.Told = append(m.set.Told, Notice{
					Layer: d.Layer, Path: d.Path, Code: "tools",
					Text: fmt.Sprintf("%s: tools.%s may not replace the spec: rules of a higher layer depend on it", d.Path, t.Name),
				})
				c := *t.Spec
				c.Replace = false
				t.Spec = &c
			}
			m.set.tools = slices.DeleteFunc(m.set.tools, func(x toolDef) bool { return x.Name == t.Name && x.Beside == t.Beside })
			m.set.tools = append(m.set.tools, t)
		}
	}
	m.set.Specs = specs(m.set.tools)
	if len(m.set.tools) > 0 {
		m.o.Context.PathField = m.set.Specs.PathField
	}
}

// specs makes the set of specs in force.
func specs(tools []toolDef) *spec.Set {
	var free, beside []*spec.Command
	for _, t := range tools {
		if t.Beside {
			beside = append(beside, t.Spec)
		} else {
			free = append(free, t.Spec)
		}
	}
	return shell.Bundled().With(free).WithBeside(beside)
}

// known says whether a command has a spec without the project's.
func (m *merger) known(name string) bool {
	if _, ok := shell.Bundled().Command(name); ok {
		return true
	}
	return slices.ContainsFunc(m.set.tools, func(t toolDef) bool { return t.Name == name })
}

// depends says whether a managed, user, built-in or locked rule has a target
// that can match a tool of the command's spec.
func (m *merger) depends(command string) bool {
	base := spec.Normalize(command)
	for i := range m.set.Rules {
		r := &m.set.Rules[i]
		if r.Layer == ProjectFile || r.Layer == Nested {
			continue
		}
		if r.Always || slices.ContainsFunc(r.Tools, func(name string) bool { return couldName(name, base) }) {
			return true
		}
	}
	return false
}

// couldName says whether a tool name or glob can be one of a command's tools:
// the command's own or one of its subcommands'.
func couldName(name, base string) bool {
	if strings.Contains(name, "*") {
		return newGlob(name).meets(newGlob(base)) || newGlob(name).meets(newGlob(base+"_*"))
	}
	return name == base || strings.HasPrefix(name, base+"_")
}
