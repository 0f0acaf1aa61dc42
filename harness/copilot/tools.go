package copilot

import (
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/trace"
)

// canonical gives a native call the names of rules.md 6.1. The arguments may be
// an object, the object as JSON text, or the text of a custom tool.
func canonical(env adapter.Env, base trace.Call, input any) ([]trace.Call, error) {
	text, isText := input.(string)
	if isText && isPatchTool(base.Native) {
		if calls, err := adapter.Patch(text, base); calls != nil || err != nil {
			return calls, err
		}
	}
	if isText {
		if v, err := trace.DecodeJSON([]byte(text)); err == nil {
			if m, ok := v.(map[string]any); ok {
				input = m
			}
		}
	}
	args := adapter.Args(input)
	if isPatchTool(base.Native) {
		for _, key := range []string{"input", "patch", "command"} {
			if s, ok := args[key].(string); ok {
				if calls, err := adapter.Patch(s, base); calls != nil || err != nil {
					return calls, err
				}
			}
		}
	}
	c := base
	c.Tool, c.Args = base.Native, args
	switch base.Native {
	case "bash", "Bash":
		c.Tool = "Bash"
	case "powershell", "PowerShell":
		c.Tool = "PowerShell"
	case "write_bash", "write_powershell": // types into a running shell
		c.Tool = "Bash"
		if base.Native == "write_powershell" {
			c.Tool = "PowerShell"
		}
		c.Args = adapter.Rename(args, "input", "command")
	case "view", "Read":
		c.Tool, c.Args = "Read", adapter.Rename(args, "path", "file_path")
	case "create", "Write":
		c.Tool, c.Args = "Write", adapter.Rename(args, "path", "file_path", "file_text", "content")
	case "edit", "Edit":
		c.Tool, c.Args = "Edit", adapter.Rename(args, "path", "file_path", "old_str", "old_string", "new_str", "new_string")
	case "glob":
		c.Tool = "Glob"
	case "grep", "rg":
		c.Tool = "Grep"
	case "web_fetch":
		c.Tool = "WebFetch"
	case "web_search":
		c.Tool = "WebSearch"
	case "task", "Task":
		c.Tool, c.Args = "Task", adapter.Rename(args, "agent_type", "subagent_type")
	default:
		nameMCP(env, &c)
	}
	return []trace.Call{c}, nil
}

func isPatchTool(native string) bool { return native == "apply_patch" }

// nameMCP gives server-tool the name mcp__server__tool. Where the server ends is
// known from the configuration; else every dash is tried: the first makes the
// call's name, the others are further forms of it, so that a rule finds it
// under the right one.
func nameMCP(env adapter.Env, c *trace.Call) {
	if strings.ContainsAny(c.Native, " /") || !strings.Contains(c.Native, "-") {
		return
	}
	best := ""
	for _, s := range servers(env, c.Dir) {
		if strings.HasPrefix(c.Native, s+"-") && len(s) > len(best) {
			best = s
		}
	}
	if best != "" {
		c.Tool = "mcp__" + best + "__" + c.Native[len(best)+1:]
		return
	}
	for i := range len(c.Native) {
		if c.Native[i] != '-' || i == 0 || i == len(c.Native)-1 {
			continue
		}
		name := "mcp__" + c.Native[:i] + "__" + c.Native[i+1:]
		if c.Tool == c.Native {
			c.Tool = name
			continue
		}
		c.Forms = append(c.Forms, trace.Form{Tool: name, Args: c.Args})
	}
}
