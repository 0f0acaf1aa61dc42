package rules

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

// commonParams are the arguments that any call of a command line can have.
var commonParams = [...]string{"*", "redirect_to", "overwrite_to", "redirect_from", "extra_args", "argv", "env_set", "stdin"}

// NativeTools lists the canonical tools of harnesses with the arguments that
// rules can name (rules.md 6.1), sorted by name. Others may come with a newer
// harness.
func NativeTools() []spec.Tool {
	tool := func(name string, params ...string) spec.Tool {
		t := spec.Tool{Name: name, Open: true}
		for _, p := range params {
			t.Params = append(t.Params, spec.Param{Name: p, Type: "text", Path: isPathField(p)})
		}
		return t
	}
	return []spec.Tool{
		tool("Agent", "description", "prompt", "subagent_type"), tool("Bash", "command"),
		tool("Edit", "file_path", "new_string", "old_string"), tool("Glob", "path", "pattern"),
		tool("Grep", "glob", "path", "pattern"), tool("NotebookEdit", "new_source", "notebook_path"),
		tool("PowerShell", "command"), tool("Read", "file_path"), tool("Task", "description", "prompt", "subagent_type"),
		tool("WebFetch", "url"), tool("WebSearch", "query"), tool("Write", "content", "file_path"),
		tool("apply_patch"), tool("unanalysed", "command", "commands", "reason"),
	}
}

// A toolBook answers lint's questions about tool names.
type toolBook struct {
	specs  *spec.Set
	native map[string]spec.Tool
	names  []string
}

func newToolBook(specs *spec.Set) *toolBook {
	b := &toolBook{specs: specs, native: map[string]spec.Tool{}}
	for _, t := range NativeTools() {
		b.native[t.Name] = t
		b.names = append(b.names, t.Name)
	}
	for _, t := range specs.Tools() {
		b.names = append(b.names, t.Name)
	}
	return b
}

// tool finds a tool by name; parent is the command that an unknown name would
// be an undeclared subcommand of.
func (b *toolBook) tool(name string) (t spec.Tool, known bool, parent string) {
	if t, ok := b.native[name]; ok {
		return t, true, ""
	}
	if t, ok, parent := b.specs.Tool(name); ok || parent != "" {
		return t, ok, parent
	}
	// A command without subcommands has none that are undeclared, either.
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '_' {
			if _, ok, _ := b.specs.Tool(name[:i]); ok {
				return spec.Tool{}, false, name[:i]
			}
		}
	}
	return spec.Tool{}, false, ""
}

// subcommands says whether a command has any.
func (b *toolBook) subcommands(name string) bool {
	t, _, _ := b.specs.Tool(name)
	return t.Open || slices.ContainsFunc(b.names, func(n string) bool { return strings.HasPrefix(n, name+"_") })
}

func paramOf(t spec.Tool, name string) (spec.Param, bool) {
	i := slices.IndexFunc(t.Params, func(p spec.Param) bool { return p.Name == name })
	if i < 0 {
		return spec.Param{}, false
	}
	return t.Params[i], true
}
