package vibe

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/trace"
)

func env() adapter.Env {
	return adapter.Env{Getenv: func(string) string { return "" }, Dir: "/repo", Home: "/nowhere", Exists: func(string) bool { return false }}
}

func TestOutcome(t *testing.T) {
	for _, tt := range []struct {
		name, payload, want string
	}{
		{"unified", `"tool_name":"file_system.bash","tool_status":"success","tool_output":{"returncode":3}`, "3"},
		{"unified, zero", `"tool_name":"file_system.bash","tool_status":"success","tool_output":{"returncode":0}`, "0"},
		{"legacy failure", `"tool_name":"bash","tool_status":"failure","tool_error":"Command failed: 'x'\nReturn code: 4\nStdout: y"`, "4"},
		{
			"a failure has no status 0, whatever the command's text says",
			`"tool_name":"bash","tool_status":"failure","tool_error":"Command failed: 'x\nReturn code: 0\n'\nReturn code: 1"`, "1",
		},
		{"time-out", `"tool_name":"file_system.bash","tool_status":"failure","tool_error":"Command timed out after 1s: 'sleep 5'"`, "unknown"},
		{"cancelled", `"tool_name":"file_system.bash","tool_status":"cancelled"`, "unknown"},
		{"background", `"tool_name":"process.start","tool_status":"success","tool_output":{"processId":"p","status":"running"}`, "unknown"},
		{"refused by the user", `"tool_name":"file_system.bash","tool_status":"failure","tool_error":"Tool execution denied by approval callback"`, "did not run"},
		{"subagent error", `"tool_name":"subagent.wait","tool_status":"success","tool_output":{"type":"error"}`, "1"},
		{"another failure", `"tool_name":"file_system.read_file","tool_status":"failure","tool_error":"File not found"`, "1"},
		{"another success", `"tool_name":"file_system.read_file","tool_status":"success","tool_output":{"content":"x"}`, "0"},
	} {
		e, err := Adapter{}.Decode(env(), "post_tool", []byte(`{"session_id":"s","cwd":"/repo","tool_input":{"command":"x"},`+tt.payload+`}`))
		if err != nil {
			t.Fatal(err)
		}
		got := "did not run"
		if o := e.Calls[0].Outcome; o != nil {
			got = "unknown"
			if o.Status != nil {
				got = fmt.Sprint(*o.Status)
			}
		}
		if got != tt.want || e.Ran != (tt.want != "did not run") {
			t.Errorf("%s: %s, ran %v", tt.name, got, e.Ran)
		}
	}
}

func TestTools(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".vibe"), 0o755); err != nil {
		t.Fatal(err)
	}
	config := "[[mcp_servers]]\nname = \"my_own\"\n[[mcp_servers]]\nname = \"my\"\n"
	if err := os.WriteFile(filepath.Join(home, ".vibe", "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	e := env()
	e.Home = home
	for _, tt := range []struct{ native, input, want string }{
		{"file_system.bash", `{"command":"ls","timeout":1}`, `Bash {"command":"ls","timeout":1}`},
		{"process.start", `{"command":"make","cwd":"sub"}`, `Bash {"command":"make","cwd":"sub"}`},
		{"process.write", `{"processId":"p","text":"rm -rf /\n"}`, `Bash {"command":"rm -rf /\n","processId":"p","text":"rm -rf /\n"}`},
		{"process.write", `{"processId":"p","bytesBase64":"bHM="}`, `Bash {"bytesBase64":"bHM=","command":"ls","processId":"p"}`},
		{"process.write", `{"processId":"p","control":"ctrl_c"}`, `process.write {"control":"ctrl_c","processId":"p"}`},
		{"read_file", `{"path":"a"}`, `Read {"file_path":"a"}`},
		{"file_system.edit", `{"file_path":"a","old_string":"x","new_string":"y"}`, `Edit {"file_path":"a","new_string":"y","old_string":"x"}`},
		{
			"file_system.search_replace", `{"file_path":"a","content":[{"old_str":"1","new_str":"2"},{"old_str":"3","new_str":"4"}]}`,
			`Edit {"content":[{"new_str":"2","old_str":"1"},{"new_str":"4","old_str":"3"}],"file_path":"a","new_string":"2\n4","old_string":"1\n3"}`,
		},
		{"subagent.spawn", `{"agentName":"h","message":"m","agentType":"explore"}`, `Task {"description":"h","prompt":"m","subagent_type":"explore"}`},
		{"agents.spawn", `{"name":"h","message":"m"}`, `Task {"description":"h","prompt":"m"}`},
		{"task", `{"task":"m","agent":"explore"}`, `Task {"prompt":"m","subagent_type":"explore"}`},
		{"mcp_demo.echo_tool", `{}`, `mcp__demo__echo_tool {}`},
		{"my_own_ship", `{}`, `mcp__my_own__ship {}`},
		{"my_ship", `{}`, `mcp__my__ship {}`},
		{"other_ship", `{}`, `other_ship {}`},
		{"run_typescript", `{"code":"x"}`, `run_typescript {"code":"x"}`},
		{"file_system.bash", `"not an object"`, `Bash {"input":"not an object"}`},
	} {
		v, err := trace.DecodeJSON([]byte(tt.input))
		if err != nil {
			t.Fatal(err)
		}
		c := canonical(e, trace.Call{Native: tt.native, Dir: "/repo"}, v)
		if got := c.Tool + " " + trace.Canonical(map[string]any(c.Args)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.native, got, tt.want)
		}
		if tt.native == "process.start" && c.Dir != "/repo/sub" {
			t.Errorf("process.start runs in %s", c.Dir)
		}
	}
}

// TestDialect: the unified engine prefers zsh where it is installed.
func TestDialect(t *testing.T) {
	e := env()
	e.Exists = func(p string) bool { return p == "/usr/bin/zsh" }
	for native, want := range map[string]string{"file_system.bash": "zsh", "bash": "", "file_system.read_file": ""} {
		ev, err := Adapter{}.Decode(e, "pre_tool", []byte(`{"session_id":"s","tool_name":"`+native+`","tool_input":{}}`))
		if err != nil || ev.Dialect != want {
			t.Errorf("%s: dialect %q, %v", native, ev.Dialect, err)
		}
	}
}

// TestHooksOff: an entry of the project that takes our name replaces ours.
func TestHooksOff(t *testing.T) {
	dir := t.TempDir()
	o := adapter.InstallOptions{
		Program: "/usr/bin/agentltl-hook", StateDir: filepath.Join(dir, "state"), SharedDir: filepath.Join(dir, "shared"),
		UserDir: filepath.Join(dir, ".vibe"), Home: dir, Root: filepath.Join(dir, "repo"),
		Random: func() (string, error) { return "5f0c2a9e", nil },
	}
	if _, err := (Adapter{}).Install(o); err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(o.Root, ".vibe", "hooks.toml")
	if err := os.MkdirAll(filepath.Dir(project), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"agentltl-pre": 0, "agentltl-pre-5f0c2a9e": 1} {
		text := "[[hooks]]\nname = '" + name + "'\ntype = 'pre_tool'\ncommand = 'true'\n"
		if err := os.WriteFile(project, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := (Adapter{}).HooksOff(o.UserDir, o.Root); len(got) != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
