package vibe

import (
	"encoding/base64"
	"path/filepath"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
	"github.com/agentltl/agentltl-hook/trace"
)

// canonical gives a native call the names of rules.md 6.1: qualified names are
// those of the unified engines, plain ones those of the legacy engine and of
// session records.
func canonical(env adapter.Env, base trace.Call, input any) trace.Call {
	args := adapter.Args(input)
	c := base
	c.Tool, c.Args = base.Native, args
	switch base.Native {
	case "file_system.bash", "bash":
		c.Tool = "Bash"
	case "process.start":
		c.Tool = "Bash"
		if dir, ok := args["cwd"].(string); ok && dir != "" {
			if c.Dir = dir; !filepath.IsAbs(dir) {
				c.Dir = filepath.Join(base.Dir, dir)
			}
		}
	case "process.write": // types into a process, which may be a shell
		if text, ok := typed(args); ok {
			c.Tool, c.Args = "Bash", adapter.Rename(args)
			c.Args["command"] = text
		}
	case "file_system.read_file", "read_file":
		c.Tool, c.Args = "Read", filePath(args)
	case "file_system.write_file", "write_file":
		c.Tool, c.Args = "Write", filePath(args)
	case "file_system.search_replace", "file_system.edit", "search_replace", "edit":
		c.Tool, c.Args = "Edit", blocks(filePath(args))
	case "file_system.grep", "grep":
		c.Tool = "Grep"
	case "file_system.glob", "glob":
		c.Tool = "Glob"
	case "web_fetch", "vibe.web_fetch":
		c.Tool = "WebFetch"
	case "web_search", "vibe.web_search":
		c.Tool = "WebSearch"
	case "subagent.spawn":
		c.Tool = "Task"
		c.Args = adapter.Rename(args, "message", "prompt", "agentType", "subagent_type", "agentName", "description")
	case "agents.spawn":
		c.Tool = "Task"
		c.Args = adapter.Rename(args, "message", "prompt", "config_name", "subagent_type", "name", "description")
	case "task":
		c.Tool, c.Args = "Task", adapter.Rename(args, "task", "prompt", "agent", "subagent_type")
	default:
		c.Tool = mcpName(env, base.Native)
	}
	return c
}

// filePath gives the file of args its canonical name. Hooks of all engines get
// that name, and their tools read no other; path is what scripts of the model
// call it.
func filePath(args trace.Args) trace.Args {
	if _, ok := args["file_path"]; ok {
		return adapter.Rename(args)
	}
	return adapter.Rename(args, "path", "file_path")
}

// typed is the text that process.write types; false for control keys.
func typed(args trace.Args) (string, bool) {
	for _, key := range []string{"text", "input", "data"} {
		if s, ok := args[key].(string); ok {
			return s, true
		}
	}
	if s, ok := args["bytesBase64"].(string); ok {
		if b, err := base64.StdEncoding.DecodeString(s); err == nil {
			return string(b), true
		}
		return s, true
	}
	return "", false
}

// blocks gives an edit of several blocks the texts of all of them; the list stays.
func blocks(args trace.Args) trace.Args {
	list, ok := args["content"].([]any)
	if !ok || args["old_string"] != nil {
		return args
	}
	var before, after []string
	for _, v := range list {
		m, _ := v.(map[string]any)
		before = append(before, adapter.Object(m).Text("old_str", "old_string"))
		after = append(after, adapter.Object(m).Text("new_str", "new_string"))
	}
	args["old_string"], args["new_string"] = strings.Join(before, "\n"), strings.Join(after, "\n")
	return args
}

// mcpName gives mcp_SERVER.TOOL, and the legacy SERVER_TOOL of a configured
// server, the name mcp__SERVER__TOOL. Other names stay.
func mcpName(env adapter.Env, native string) string {
	if rest, ok := strings.CutPrefix(native, "mcp_"); ok {
		if server, tool, ok := strings.Cut(rest, "."); ok {
			return "mcp__" + server + "__" + tool
		}
	}
	if strings.Contains(native, ".") || !strings.Contains(native, "_") || isBuiltin(native) {
		return native
	}
	best := ""
	for _, s := range servers(env) {
		if strings.HasPrefix(native, s+"_") && len(s) > len(best) {
			best = s
		}
	}
	if best == "" {
		return native
	}
	return "mcp__" + best + "__" + native[len(best)+1:]
}

// isBuiltin knows the legacy engine's own tools with an underscore, so that
// their calls need no look at the configuration.
func isBuiltin(native string) bool {
	switch native {
	case "ask_user_question", "exit_plan_mode", "run_typescript", "search_tool_functions", "unified_harness_scratchpad":
		return true
	}
	return false
}

// servers are the names of the MCP servers in the user's configuration.
func servers(env adapter.Env) []string {
	dir := env.UserDir
	if dir == "" && env.Home != "" {
		dir = filepath.Join(env.Home, ".vibe")
	}
	if dir == "" {
		return nil
	}
	src, err := adapter.ReadSmall(filepath.Join(dir, "config.toml"))
	if err != nil {
		return nil
	}
	m, err := edit.TOML(src)
	if err != nil {
		return nil
	}
	var names []string
	for _, v := range adapter.Object(m).List("mcp_servers") {
		t, _ := v.(map[string]any)
		if n := adapter.Object(t).Text("name"); n != "" {
			names = append(names, n)
		}
	}
	return names
}
