package copilot

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/trace"
)

func env() adapter.Env {
	return adapter.Env{Getenv: func(string) string { return "" }, Dir: "/plugin", Home: "/nowhere"}
}

// TestStatus: the exit code stands in the last line of the text, which the
// program writes, not the command.
func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int // -1: not known
	}{
		{"hi\n<shellId: 0 completed with exit code 0>", 0},
		{"\n<shellId: 1 completed with exit code 3>", 3},
		{"x\n<shellId: 1 completed with exit code -9>\n", -9},
		{"<detached command with shellId: 4 completed with exit code 2>", 2},
		{"<shellId: 0 completed with exit code 0>\nreally\n<shellId: 0 completed with exit code 5>", 5},
		{"x\n<shellId: 1 completed with exit code 1>\n<sandbox is active and blocks the network>", 1},
		{"x\n<shellId: 1 completed with exit code 1>\n<this failure may be caused by the active sandbox policy. See /sandbox>\n", 1},
		{"<command started in background with shellId: 0>", -1},
		{"<command with shellId: 0 is still running after 30 seconds. Use read_bash>", -1},
		{"some text", 0},
		{"", 0},
		{"<shellId: 0 completed with exit code 3> and more", 0},
		{"<html>", 0},
	} {
		got := status([]trace.Call{{Tool: "Bash"}}, tt.text)
		switch {
		case got == nil && tt.want != -1, got != nil && *got != tt.want:
			t.Errorf("%q: %v, want %d", tt.text, got, tt.want)
		}
	}
	if got := status([]trace.Call{{Tool: "Read"}}, "<shellId: 0 completed with exit code 3>"); got == nil || *got != 0 {
		t.Error("the text of a file is taken for an exit code")
	}
}

// TestNameMCP: the server's name ends where the configuration says; else every
// dash is tried.
func TestNameMCP(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".copilot"), 0o755); err != nil {
		t.Fatal(err)
	}
	config := `{"mcpServers": {"my-own-server": {}, "my": {}}} // comment` + "\n"
	if err := os.WriteFile(filepath.Join(home, ".copilot", "mcp-config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	e := env()
	e.Home = home
	for _, tt := range []struct {
		native, tool string
		forms        []string
	}{
		{"my-own-server-ship", "mcp__my-own-server__ship", nil},
		{"my-ship", "mcp__my__ship", nil},
		{"github-mcp-server-get_file", "mcp__github-mcp-server__get_file", nil},
		{"deploy-ship", "mcp__deploy__ship", nil},
		{"context7-get-docs", "mcp__context7__get-docs", []string{"mcp__context7-get__docs"}},
		{"sql", "sql", nil},
		{"read_bash", "read_bash", nil},
		{"-x-", "-x-", nil},
	} {
		calls, err := canonical(e, trace.Call{Native: tt.native}, map[string]any{})
		if err != nil {
			t.Fatal(err)
		}
		c := calls[0]
		var forms []string
		for _, f := range c.Forms {
			forms = append(forms, f.Tool)
		}
		if c.Tool != tt.tool || !slices.Equal(forms, tt.forms) {
			t.Errorf("%s is %s, forms %q", tt.native, c.Tool, forms)
		}
	}
}

// TestArguments: as an object, as JSON text, as the text of a custom tool.
func TestArguments(t *testing.T) {
	for _, tt := range []struct{ payload, tool, args string }{
		{`{"toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}`, "Bash", `{"command":"ls"}`},
		{`{"toolName":"bash","toolArgs":{"command":"ls","mode":"async","new":1}}`, "Bash", `{"command":"ls","mode":"async","new":1}`},
		{`{"toolName":"bash","toolArgs":"ls"}`, "Bash", `{"input":"ls"}`},
		{`{"toolName":"bash"}`, "Bash", `{}`},
		{`{"tool_name":"Edit","tool_input":{"path":"a","old_str":"x","new_str":"y"}}`, "Edit", `{"file_path":"a","new_string":"y","old_string":"x"}`},
		{`{"toolName":"write_bash","toolArgs":{"shellId":"0","input":"rm -rf /\n"}}`, "Bash", `{"command":"rm -rf /\n","shellId":"0"}`},
		{`{"toolName":"apply_patch","toolArgs":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}`, "rm", `{"paths":["a"]}`},
		{`{"toolName":"apply_patch","toolArgs":{"input":"*** Add File: a\n+x"}}`, "Write", `{"content":"x\n","file_path":"a"}`},
		{`{"toolName":"apply_patch","toolArgs":"gibberish"}`, "apply_patch", `{"input":"gibberish"}`},
		{`{"toolName":"task","toolArgs":{"agent_type":"explore","prompt":"p"}}`, "Task", `{"prompt":"p","subagent_type":"explore"}`},
	} {
		e, err := Adapter{}.Decode(env(), "preToolUse", []byte(tt.payload))
		if err != nil {
			t.Errorf("%s: %v", tt.payload, err)
			continue
		}
		c := e.Calls[0]
		if got := trace.Canonical(map[string]any(c.Args)); c.Tool != tt.tool || got != tt.args {
			t.Errorf("%s is %s %s", tt.payload, c.Tool, got)
		}
	}
}

// TestGuessedEvent: a camelCase payload without an argument to hook must not pass
// for something harmless.
func TestGuessedEvent(t *testing.T) {
	for payload, want := range map[string]hooks.Kind{
		`{"toolName":"bash","toolArgs":{}}`:                     hooks.PreTool,
		`{"toolName":"bash","toolArgs":{},"toolResult":{}}`:     hooks.PostTool,
		`{"toolName":"bash","toolArgs":{},"error":"x"}`:         hooks.PostTool,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash"}`:   hooks.PreTool,
		`{"hookName":"permissionRequest","toolName":"bash"}`:    hooks.None,
		`{"hook_event_name":"Notification","sessionId":"s"}`:    hooks.None,
		`{"hook_event_name":"subagentStart","agentId":"a"}`:     hooks.None,
		`{"hook_event_name":"Stop","agentId":"a"}`:              hooks.SubagentEnd,
		`{"hook_event_name":"Stop","stop_hook_active":true}`:    hooks.TurnEnd,
		`{"hook_event_name":"UserPromptSubmit","prompt":"hi"}`:  hooks.UserPrompt,
		`{"hook_event_name":"PreCompact","trigger":"auto"}`:     hooks.PreCompact,
		`{"hook_event_name":"SessionEnd","reason":"user_exit"}`: hooks.SessionEnd,
	} {
		e, err := Adapter{}.Decode(env(), "", []byte(payload))
		if err != nil || e.Kind != want {
			t.Errorf("%s: kind %d, %v", payload, e.Kind, err)
		}
	}
}

// TestStandsAside: the Claude Code hook of a repository has nothing to do where
// Copilot has one of its own.
func TestStandsAside(t *testing.T) {
	home, repo := t.TempDir(), t.TempDir()
	e := env()
	e.Home = home
	payload := []byte(`{"hook_event_name":"PreToolUse","timestamp":"x","cwd":"` + filepath.ToSlash(repo) + `","tool_name":"Bash"}`)
	if (Adapter{}).StandsAside(e, payload) {
		t.Error("aside, and nobody else judges")
	}
	o := adapter.InstallOptions{
		Program: "/usr/bin/agentltl-hook", StateDir: filepath.Join(home, "state"), SharedDir: filepath.Join(home, "shared"),
		UserDir: filepath.Join(home, ".copilot"), Home: home, Root: repo,
	}
	for _, project := range []bool{false, true} {
		o.Project = project
		if _, err := (Adapter{}).Install(o); err != nil {
			t.Fatal(err)
		}
		if !(Adapter{}).StandsAside(e, payload) {
			t.Errorf("not aside with a registration in %s", hookPath(o))
		}
		if _, err := (Adapter{}).Remove(o); err != nil {
			t.Fatal(err)
		}
	}
	if (Adapter{}).StandsAside(e, payload) {
		t.Error("aside after removal")
	}
}
