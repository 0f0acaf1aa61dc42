package main

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/shell/spec"
)

type toolsOptions struct {
	glob string
	args bool
}

func newToolsCmd(e *env) *cobra.Command {
	o := toolsOptions{}
	cmd := &cobra.Command{
		Use:   "tools [GLOB]",
		Short: "List the tool names and arguments that rules can name",
		Long: "List the tools that rules can name: those that command lines are read as, with the\n" +
			"specs of the rule files in force here, and the tools of the coding agents themselves.",
		Example: "  agentltl-hook tools 'git_*' --args",
		Args:    cli.Args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.glob = args[0]
			}
			return runTools(cmd.Context(), e, o)
		},
	}
	cmd.Flags().BoolVar(&o.args, "args", false, "list the arguments of each tool, too")
	return cmd
}

// A listedTool is a line of the list.
type listedTool struct {
	Tool    string      `json:"tool"`
	Command string      `json:"command,omitempty"`
	Native  bool        `json:"native,omitempty"`
	Args    []listedArg `json:"args,omitempty"`
	Open    bool        `json:"open,omitempty"`
}

type listedArg struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Path bool   `json:"path,omitempty"`
	Help string `json:"help,omitempty"`
}

// runTools lists the tools whose name the glob matches.
func runTools(_ context.Context, e *env, o toolsOptions) error {
	if _, err := path.Match(o.glob, ""); err != nil {
		return cli.Usagef("tools: %q is no glob", o.glob)
	}
	all := listedTools(e)
	var out []listedTool
	for _, t := range all {
		if o.glob == "" || globTool(o.glob, t.Tool) {
			if !o.args && !e.JSON {
				t.Args = nil
			}
			out = append(out, t)
		}
	}
	if e.JSON {
		if out == nil {
			out = []listedTool{}
		}
		return cli.WriteJSON(e.Stdout, out)
	}
	for _, t := range out {
		printTool(e, t)
	}
	if len(out) == 0 {
		fmt.Fprintf(e.Stderr, "%s: no tool is called %s\n", e.Name, o.glob)
		if n := cli.Nearest(strings.Trim(o.glob, "*"), toolNames(all)); n != "" {
			fmt.Fprintf(e.Stderr, "%s: hint: did you mean %s? A program without a spec has its own name, with argv\n", e.Name, n)
		} else {
			fmt.Fprintf(e.Stderr, "%s: hint: a program without a spec has its own name, with argv\n", e.Name)
		}
	}
	return nil
}

// globTool matches as rules match tool names: * ? and [..] in a name with a star.
func globTool(glob, name string) bool {
	ok, err := path.Match(glob, name)
	return err == nil && ok
}

func toolNames(l []listedTool) []string {
	out := make([]string, len(l))
	for i, t := range l {
		out[i] = t.Tool
	}
	return out
}

func printTool(e *env, t listedTool) {
	line := t.Tool
	switch {
	case t.Native:
		line += "  (the agent's own tool)"
	case t.Command != "" && t.Command != t.Tool:
		line += "  (" + t.Command + ")"
	}
	fmt.Fprintln(e.Stdout, line)
	for _, a := range t.Args {
		s := "    " + a.Name + ": " + a.Type
		if a.Path {
			s += ", a path"
		}
		if a.Help != "" {
			s += " (" + a.Help + ")"
		}
		fmt.Fprintln(e.Stdout, s)
	}
}

// listedTools are the native tools and those of the command specs in force,
// sorted by name.
func listedTools(e *env) []listedTool {
	specs := localSpecs(e)
	if specs == nil {
		specs = shell.Bundled()
	}
	out := nativeTools()
	for _, t := range specs.Tools() {
		out = append(out, listed(t))
	}
	slices.SortFunc(out, func(a, b listedTool) int { return strings.Compare(a.Tool, b.Tool) })
	return out
}

func listed(t spec.Tool) listedTool {
	out := listedTool{Tool: t.Name, Command: t.Command, Open: t.Open}
	for _, p := range t.Params {
		out.Args = append(out.Args, listedArg(p))
	}
	return out
}

// nativeTools are the tools of coding agents under their canonical names
// (rules.md 6.1).
func nativeTools() []listedTool {
	text := func(names ...string) []listedArg {
		var l []listedArg
		for _, n := range names {
			l = append(l, listedArg{Name: n, Type: "text", Path: n == "file_path" || n == "notebook_path" || n == "path"})
		}
		return l
	}
	return []listedTool{
		{Tool: "Bash", Native: true, Args: text("command")},
		{Tool: "PowerShell", Native: true, Args: text("command")},
		{Tool: "Read", Native: true, Args: text("file_path")},
		{Tool: "Write", Native: true, Args: text("file_path", "content")},
		{Tool: "Edit", Native: true, Args: text("file_path", "old_string", "new_string")},
		{Tool: "NotebookEdit", Native: true, Args: text("notebook_path", "new_source")},
		{Tool: "Glob", Native: true, Args: text("pattern", "path")},
		{Tool: "Grep", Native: true, Args: text("pattern", "path")},
		{Tool: "WebSearch", Native: true, Args: text("query")},
		{Tool: "WebFetch", Native: true, Args: text("url", "prompt")},
		{Tool: "Task", Native: true, Args: text("prompt", "subagent_type", "description")},
		{Tool: "unanalysed", Native: true, Args: []listedArg{{Name: "command", Type: "text"}, {Name: "reason", Type: "text"}, {Name: "commands", Type: "list"}}},
	}
}
