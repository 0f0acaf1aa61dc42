package codex

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/trace"
)

// rollout writes a rollout file: the line of the call, then others behind it.
func rollout(t *testing.T, before, after int, lines ...string) string {
	t.Helper()
	var b strings.Builder
	filler := `{"type":"event_msg","payload":{"type":"token_count","x":"` + strings.Repeat("y", 200) + `"}}` + "\n"
	for range before {
		b.WriteString(filler)
	}
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	for range after {
		b.WriteString(filler)
	}
	path := filepath.Join(t.TempDir(), "rollout-2026-11-30T17-45-36-x.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func item(id string, code any) string {
	return fmt.Sprintf(`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":%q,"exit_code":%v}}}`, id, code)
}

// TestExitCode looks it up from the end of the rollout; a missing line means
// that nobody knows.
func TestExitCode(t *testing.T) {
	captured, err := os.ReadFile("../../testdata/payloads/codex/0.171.0/rollout-item_completed-exit7.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := trace.DecodeJSON(captured)
	if err != nil {
		t.Fatal(err)
	}
	line := trace.Canonical(v)
	for _, tt := range []struct {
		name, path, id string
		want           int // -1: not known
	}{
		{"the captured line", rollout(t, 3, 2, line), "c_ctx", 7},
		{"at the start of a small file", rollout(t, 0, 0, item("a", 0)), "a", 0},
		{"the last of two", rollout(t, 1, 1, item("a", 1), item("a", 2)), "a", 2},
		{"beyond the first piece", rollout(t, 10, 1000, item("a", 4)), "a", 4},
		{"beyond all pieces", rollout(t, 0, 40_000, item("a", 4)), "a", -1},
		{"another id", rollout(t, 1, 1, item("ab", 0)), "a", -1},
		{"the id in another field", rollout(t, 1, 1, `{"type":"event_msg","payload":{"type":"item_completed","item":{"id":"b","aggregated_output":"\"a\"","exit_code":0}}}`), "a", -1},
		{"null", rollout(t, 1, 1, item("a", "null")), "a", -1},
		{"another kind of line", rollout(t, 1, 1, `{"type":"response_item","payload":{"type":"item_completed","item":{"id":"a","exit_code":0}}}`), "a", -1},
		{"broken line", rollout(t, 1, 1, item("a", 3), `{"item_completed": "a"`), "a", 3},
		{"no file", filepath.Join(t.TempDir(), "rollout-x.jsonl"), "a", -1},
		{"no id", rollout(t, 0, 0, item("", 0)), "", -1},
		{"not a rollout", "/dev/zero", "a", -1},
		{"relative", "rollout-x.jsonl", "a", -1},
	} {
		got := exitCode(tt.path, tt.id)
		if got == nil && tt.want != -1 || got != nil && *got != tt.want {
			t.Errorf("%s: %v, want %d", tt.name, got, tt.want)
		}
	}
}

// TestExitCodeOfDevice: a payload names the file; a device in its place is not read.
func TestExitCodeOfDevice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rollout-x.jsonl")
	if err := os.Symlink("/dev/zero", path); err != nil {
		t.Skip(err)
	}
	if got := exitCode(path, "a"); got != nil {
		t.Errorf("got %d", *got)
	}
}

func TestForkedFrom(t *testing.T) {
	meta := `{"type":"session_meta","payload":{"id":"new","forked_from_id":"old","base":"` + strings.Repeat("x", 100_000) + `"}}`
	if got := forkedFrom(rollout(t, 0, 5, meta)); got != "old" {
		t.Errorf("got %q", got)
	}
	if got := forkedFrom(rollout(t, 1, 5, meta)); got != "" {
		t.Errorf("from a later line: %q", got)
	}
	if got := forkedFrom("/etc/passwd"); got != "" {
		t.Errorf("got %q", got)
	}
}

// TestStatusInPayload: a shell command's status is looked up, other calls with a
// post event succeeded.
func TestStatusInPayload(t *testing.T) {
	path := rollout(t, 2, 2, item("c1", 7))
	payload := func(tool, id, input, response string) []byte {
		return fmt.Appendf(nil, `{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/tmp","transcript_path":%q,"tool_name":%q,"tool_use_id":%q,"tool_input":%s,"tool_response":%s}`,
			path, tool, id, input, response)
	}
	env := adapter.Env{Getenv: func(string) string { return "" }, Dir: "/repo"}
	for _, tt := range []struct {
		payload []byte
		want    string
	}{
		{payload("Bash", "c1", `{"command":"x"}`, `"out"`), "Bash 7"},
		{payload("Bash", "c2", `{"command":"x"}`, `"out"`), "Bash unknown"},
		{payload("mcp__demo__echo", "c1", `{}`, `{"content":[]}`), "mcp__demo__echo 0"},
		{payload("apply_patch", "c3", `{"command":"*** Add File: a\n+x\n*** Delete File: b"}`, `"Exit code: 0\nDone"`), "Write 0 rm 0"},
		{payload("apply_patch", "c3", `{"command":"*** Add File: a\n+x"}`, `"Exit code: 1\nNo"`), "Write 1"},
		{payload("collaborationspawn_agent", "c4", `{"message":"m","task_name":"t"}`, `"{}"`), "Task 0"},
	} {
		e, err := Adapter{}.Decode(env, "", tt.payload)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range e.Calls {
			s := "unknown"
			if c.Outcome.Status != nil {
				s = fmt.Sprint(*c.Outcome.Status)
			}
			got = append(got, c.Tool+" "+s)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.payload, got, tt.want)
		}
		if e.Project != "/repo" || e.Dir != "/tmp" {
			t.Errorf("the session's folder is %q, the call's %q", e.Project, e.Dir)
		}
	}
}

// TestTrustHash: what Codex itself computed for this line.
func TestTrustHash(t *testing.T) {
	got := trustHash("PreToolUse", "'/usr/local/bin/agentltl-hook' hook codex PreToolUse --no-env", 60)
	if want := "sha256:cf01d44d6f02f58c06589cd3f7934d45c8bf60137816c966d411a9ff34161d6c"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for event, want := range map[string]string{
		"PreToolUse": "pre_tool_use", "UserPromptSubmit": "user_prompt_submit", "Stop": "stop", "SessionEnd": "session_end",
		"SubagentStart": "subagent_start",
	} {
		if got := label(event); got != want {
			t.Errorf("%s is %s", event, got)
		}
	}
}

// TestShellPatchIsJudged: a line that holds a patch is judged by the files in
// it, in whatever way it starts the program.
func TestShellPatchIsJudged(t *testing.T) {
	const body = "*** Begin Patch\n*** Add File: .env\n+x\n*** End Patch\n"
	for _, tt := range []struct {
		line, want string
		noPost     bool
	}{
		{"apply_patch <<'EOF'\n" + body + "EOF\n", "Write", true},
		{"cd sub && apply_patch <<'EOF'\n" + body + "EOF\n", "Write", true},
		{"apply_patch '" + body + "'", "Bash Write", false},
		{"cat <<EOF | apply_patch\n" + body + "EOF\n", "Bash Write", false},
		{"echo hi", "Bash", false},
		{"grep apply_patch README", "Bash", false},
	} {
		calls, noPost, _ := canonical(trace.Call{Native: "Bash", Dir: "/repo"}, map[string]any{"command": tt.line})
		var tools []string
		for _, c := range calls {
			tools = append(tools, c.Tool)
		}
		if got := strings.Join(tools, " "); got != tt.want || noPost != tt.noPost {
			t.Errorf("%q: %s, %v", tt.line, got, noPost)
		}
	}
}

// TestCutState removes trust entries that Codex wrote and what led only to them.
func TestCutState(t *testing.T) {
	src := "model = \"x\"\n\n[hooks.state]\n\n[hooks.state.\"/h/hooks.json:stop:0:0\"]\nenabled = true\ntrusted_hash = \"sha256:a\"\n\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n"
	got, err := cutState([]byte(src), [][]string{{"hooks", "state", "/h/hooks.json:stop:0:0"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "model = \"x\"\n\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n"; string(got) != want {
		t.Errorf("got %q", got)
	}
	if got, err := cutState([]byte(src), nil); err != nil || string(got) != src {
		t.Errorf("without keys: %q, %v", got, err)
	}
}
