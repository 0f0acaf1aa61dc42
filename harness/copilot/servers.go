package copilot

import (
	"path/filepath"

	"github.com/agentltl/agentltl-hook/harness/adapter"
)

// servers are the names of MCP servers that the configuration files name, and
// the one that is built in.
func servers(env adapter.Env, project string) []string {
	names := []string{"github-mcp-server"}
	dir := env.UserDir
	if dir == "" && env.Home != "" {
		dir = filepath.Join(env.Home, ".copilot")
	}
	var files []string
	if dir != "" {
		files = append(files, filepath.Join(dir, "mcp-config.json"))
	}
	if project != "" {
		files = append(files,
			filepath.Join(project, ".mcp.json"),
			filepath.Join(project, ".vscode", "mcp.json"),
			filepath.Join(project, ".github", "mcp.json"))
	}
	for _, f := range files {
		j, err := adapter.ReadJSON(f)
		if err != nil {
			continue
		}
		names = append(names, j.Keys("mcpServers")...)
		names = append(names, j.Keys("servers")...)
	}
	return names
}
