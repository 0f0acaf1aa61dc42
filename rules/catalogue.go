package rules

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

// A Tool is a name that rules can use, with its arguments.
type Tool struct {
	Name   string
	Params []Param // sorted by name
	Open   bool    // further arguments may come: free k=v words, undeclared ones of a native tool
	Native bool    // a tool of harnesses, not of a command line
}

// A Param is an argument of a tool.
type Param struct {
	Name string
	Type string // text bool count list number map any
}

// param is the argument of that name.
func (t *Tool) param(name string) (Param, bool) {
	i := slices.IndexFunc(t.Params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		return Param{}, false
	}
	return t.Params[i], true
}

// commonParams are the arguments that any call of a command line can have.
var commonParams = [...]string{"*", "redirect_to", "overwrite_to", "redirect_from", "extra_args", "argv", "env_set", "stdin"}

// Catalogue lists the tools that rules can name with these command specs: those
// of harnesses (rules.md 6.1), then those of commands, each sorted by name.
func Catalogue(specs *spec.Set) []Tool {
	out := nativeTools()
	var commands []Tool
	for _, name := range specs.Names() {
		c, ok := specs.Command(name)
		if !ok {
			continue
		}
		tool := c.Tool
		if tool == "" {
			tool = spec.Normalize(name)
		}
		commands = appendTools(commands, c, tool, nil)
	}
	slices.SortFunc(commands, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	commands = slices.CompactFunc(commands, func(a, b Tool) bool { return a.Name == b.Name })
	return append(out, commands...)
}

// appendTools adds the tool of a command and those of its subcommands, which
// take its global options, too.
func appendTools(out []Tool, c *spec.Command, name string, global []spec.Option) []Tool {
	params := map[string]string{}
	for _, o := range slices.Concat(global, c.Options) {
		params[o.Dest] = paramType(o.Type)
		switch o.Type {
		case spec.Optional:
			params[o.Dest+"_value"] = "text"
		case spec.Attached, spec.Glued:
			params[o.Dest+"_suffix"], params[o.Dest+"_value"] = "text", "text"
		default:
		}
	}
	for _, p := range c.Positionals {
		params[p.Name] = "text"
		if p.Nargs == "*" || p.Nargs == "+" {
			params[p.Name] = "list"
		}
	}
	if c.AfterDash != "" {
		params[c.AfterDash] = "list"
	}
	if c.Numeric != "" {
		params[c.Numeric] = "any"
	}
	for _, d := range c.Derive {
		for _, f := range derivedParams(d) {
			params[f.Name] = f.Type
		}
	}
	t := Tool{Name: name, Open: c.KeyValue || c.Any != ""}
	for _, k := range sortedKeys(params) {
		t.Params = append(t.Params, Param{k, params[k]})
	}
	out = append(out, t)
	// Options before a subcommand are fields of the parent, which its subcommands
	// carry.
	down := slices.Concat(global, c.Options)
	for _, s := range c.Subs {
		part := s.Tool
		if part == "" {
			part = spec.Normalize(s.Name)
		}
		out = appendTools(out, s, name+"_"+part, down)
	}
	return out
}

// derivedParams are the arguments that the derivations of specs add (shell.md 6).
func derivedParams(name string) []Param {
	switch name {
	case "git_push":
		return []Param{{"branches", "list"}, {"branches_unknown", "bool"}, {"force", "bool"}, {"delete", "bool"}}
	case "branch_delete":
		return []Param{{"force_delete", "bool"}}
	case "checkout_paths":
		return []Param{{"paths", "list"}}
	case "curl_output":
		return []Param{{"output", "any"}, {"output_dir", "text"}}
	case "gh_api_method":
		return []Param{{"method", "text"}}
	case "variables":
		return []Param{{"variables", "list"}}
	case "mkfs_type":
		return []Param{{"type", "text"}}
	}
	return nil
}

func paramType(t spec.Type) string {
	switch t {
	case spec.Bool, spec.Optional, spec.Attached:
		return "bool"
	case spec.Count:
		return "count"
	case spec.List:
		return "list"
	case spec.Int:
		return "number"
	case spec.Map:
		return "map"
	case spec.Glued:
		return "any"
	default:
		return "text"
	}
}

// nativeTools are the canonical tools of harnesses (rules.md 6.1).
func nativeTools() []Tool {
	tool := func(name string, params ...string) Tool {
		t := Tool{Name: name, Native: true, Open: true}
		for _, p := range params {
			t.Params = append(t.Params, Param{p, "any"})
		}
		return t
	}
	return []Tool{
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
	byName map[string]*Tool
	names  []string
}

func newToolBook(specs *spec.Set) *toolBook {
	b := &toolBook{byName: map[string]*Tool{}}
	tools := Catalogue(specs)
	for i := range tools {
		b.byName[tools[i].Name] = &tools[i]
		b.names = append(b.names, tools[i].Name)
	}
	return b
}

// parent is the longest command of which a name would be an undeclared
// subcommand: git of git_notes.
func (b *toolBook) parent(name string) string {
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '_' && b.byName[name[:i]] != nil && !b.byName[name[:i]].Native {
			return name[:i]
		}
	}
	return ""
}

// hasSubcommands says whether a command has any.
func (b *toolBook) hasSubcommands(name string) bool {
	return slices.ContainsFunc(b.names, func(n string) bool { return strings.HasPrefix(n, name+"_") })
}
