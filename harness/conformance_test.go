package harness_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/harness"
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// payloads are the recorded payloads, one folder a harness and version.
const payloads = "../testdata/payloads"

// A recorded payload: its name, and the event that the hook's argument names.
type recorded struct {
	name, event string
	data        []byte
}

// testEnv is what a hook process of a session in /repo looks at.
func testEnv() adapter.Env {
	return adapter.Env{
		Getenv: func(name string) string {
			switch name {
			case "CLAUDE_PROJECT_DIR", "COPILOT_PROJECT_DIR":
				return "/repo"
			case "CLAUDE_CODE_SESSION_ATTENDED":
				return "1"
			}
			return ""
		},
		Dir: "/repo", Home: "/home/dev",
		Exists: func(string) bool { return false },
	}
}

// TestConformance decodes every recorded payload of every harness version to a
// golden event: testdata/<harness>/<version>.txtar, one section a payload.
func TestConformance(t *testing.T) {
	for _, a := range harness.All() {
		name := a.Profile().Name
		versions, err := filepath.Glob(filepath.Join(payloads, name, "*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(versions) == 0 && a.Command() != "" {
			t.Errorf("no payloads of %s", name)
		}
		for _, dir := range versions {
			t.Run(name+"/"+filepath.Base(dir), func(t *testing.T) { conformVersion(t, a, dir) })
		}
	}
}

func conformVersion(t *testing.T, a adapter.Adapter, dir string) {
	t.Helper()
	path := filepath.Join("testdata", a.Profile().Name, filepath.Base(dir)+".txtar")
	want := map[string]string{}
	if !*update {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			want[f.Name] = string(f.Data)
		}
	}
	var got txtar.Archive
	for _, r := range read(t, a.Profile().Name, dir) {
		t.Run(r.name, func(t *testing.T) {
			text := decodes(t, a, r)
			got.Files = append(got.Files, txtar.File{Name: r.name, Data: text})
			if d := cmp.Diff(want[r.name], string(text)); d != "" && !*update {
				t.Error(d)
			}
			delete(want, r.name)
		})
	}
	for name := range want {
		t.Errorf("%s has %s, which no payload makes", path, name)
	}
	if *update {
		golden(t, path, txtar.Format(&got))
	}
}

// decodes renders the event of a payload and holds that fields a newer version
// of the harness may add change nothing.
func decodes(t *testing.T, a adapter.Adapter, r recorded) []byte {
	t.Helper()
	speaker, e, err := harness.Decode(a, testEnv(), r.event, r.data)
	if err != nil {
		t.Fatal(err)
	}
	_, more, err := harness.Decode(a, testEnv(), r.event, withUnknown(t, r.data))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(e, more); d != "" {
		t.Errorf("with unknown fields: %s", d)
	}
	for _, c := range e.Calls {
		if c.Tool == "" || c.Native == "" || c.Harness == "" {
			t.Errorf("a call without tool, native name or harness: %+v", c)
		}
	}
	return render(speaker, e)
}

// read lists the payloads of a folder; sequences come apart.
func read(t *testing.T, name, dir string) []recorded {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out []recorded
	for _, f := range files {
		base := strings.TrimSuffix(filepath.Base(f), ".json")
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case base == "statusline", strings.HasPrefix(base, "rollout-"): // no events
		case strings.HasPrefix(base, "seq-"):
			out = append(out, sequence(t, base, data)...)
		default:
			out = append(out, recorded{base, eventOf(name, base), data})
		}
	}
	return out
}

func sequence(t *testing.T, base string, data []byte) []recorded {
	t.Helper()
	var seq struct {
		Events []struct {
			Event   string          `json:"event"`
			Payload json.RawMessage `json:"payload"`
		} `json:"events"`
	}
	if err := json.Unmarshal(data, &seq); err != nil {
		t.Fatal(err)
	}
	var out []recorded
	for i, e := range seq.Events {
		out = append(out, recorded{fmt.Sprintf("%s-%02d", base, i), e.Event, e.Payload})
	}
	return out
}

// eventOf is the argument of the hook: payloads of Copilot's camelCase form do
// not name their event, the files do.
func eventOf(name, file string) string {
	if name != "copilot-cli" || strings.HasPrefix(file, "pascal-") {
		return ""
	}
	words := strings.Split(strings.Split(file, "-")[0], "_")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}

// withUnknown adds five fields that no version has.
func withUnknown(t *testing.T, data []byte) []byte {
	t.Helper()
	v, err := trace.DecodeJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	m := v.(map[string]any)
	m["a_new_text"] = "x"
	m["a_new_number"] = json.Number("1e400")
	m["a_new_object"] = map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "rm -rf /"}}
	m["a_new_list"] = []any{nil, true}
	m["Tool_Name"] = "Bash" // keys are exact
	return []byte(trace.Canonical(m))
}

// view is an event as the golden files show it: what is empty is left out.
type view struct {
	Speaker    string `json:"speaker"`
	Kind       string `json:"kind"`
	Name       string `json:"name,omitempty"`
	Session    string `json:"session,omitempty"`
	Parent     string `json:"parent,omitempty"`
	Agent      string `json:"agent,omitempty"`
	AgentOf    string `json:"agent_of,omitempty"`
	ID         string `json:"id,omitempty"`
	Batch      string `json:"batch,omitempty"`
	Source     string `json:"source,omitempty"`
	Dir        string `json:"dir,omitempty"`
	Project    string `json:"project,omitempty"`
	Native     string `json:"native,omitempty"`
	Auto       bool   `json:"auto,omitempty"`
	Unattended bool   `json:"unattended,omitempty"`
	Person     bool   `json:"person,omitempty"`
	Text       string `json:"text,omitempty"`
	Active     bool   `json:"active,omitempty"`
	Transcript string `json:"transcript,omitempty"`
	Ran        bool   `json:"ran,omitempty"`
	NoPost     bool   `json:"no_post,omitempty"`
	Dialect    string `json:"dialect,omitempty"`
	Output     any    `json:"output,omitempty"`
	Calls      []call `json:"calls,omitempty"`
}

type call struct {
	Tool    string         `json:"tool"`
	Args    map[string]any `json:"args"`
	Forms   []string       `json:"forms,omitempty"`
	Effects []trace.Effect `json:"effects,omitempty"`
	ID      string         `json:"id,omitempty"`
	Batch   string         `json:"batch,omitempty"`
	Agent   string         `json:"agent,omitempty"`
	Source  string         `json:"source,omitempty"`
	Native  string         `json:"native"`
	Session string         `json:"session,omitempty"`
	Dir     string         `json:"dir,omitempty"`
	Status  string         `json:"status,omitempty"`
	Result  any            `json:"result,omitempty"`
}

func render(a adapter.Adapter, e hooks.Event) []byte {
	v := view{
		Speaker: a.Profile().Name, Kind: kindName(e.Kind), Name: e.Name, Session: e.Session, Parent: e.Parent,
		Agent: e.Agent, AgentOf: e.AgentOf, ID: e.ID, Batch: e.Batch, Source: e.Source, Dir: e.Dir, Project: e.Project,
		Native: e.Native, Auto: e.Auto, Unattended: e.Unattended, Person: e.Person, Text: e.Text, Active: e.Active,
		Transcript: e.Transcript, Ran: e.Ran, NoPost: e.NoPost, Dialect: e.Dialect, Output: e.Output,
	}
	for _, c := range e.Calls {
		w := call{
			Tool: c.Tool, Args: c.Args, Effects: c.Effects, ID: c.ID, Batch: c.Batch, Agent: c.Agent,
			Source: c.Source, Native: c.Native, Session: c.Session, Dir: c.Dir,
		}
		for _, f := range c.Forms {
			w.Forms = append(w.Forms, f.Tool)
		}
		if o := c.Outcome; o != nil {
			w.Status = "unknown"
			if o.Status != nil {
				w.Status = fmt.Sprint(*o.Status)
			}
			if o.Result != nil {
				w.Result = *o.Result
			}
		}
		v.Calls = append(v.Calls, w)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func kindName(k hooks.Kind) string {
	names := []string{
		"none", "session-start", "subagent-start", "user-prompt", "pre-tool", "post-tool", "batch-end",
		"pre-compact", "turn-end", "subagent-end", "session-end",
	}
	return names[k]
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Error(d)
	}
}

// TestEncode writes every situation of every event that an adapter registers to
// a golden file a harness: the answers the real programs were seen to obey.
func TestEncode(t *testing.T) {
	for _, a := range harness.All() {
		t.Run(a.Profile().Name, func(t *testing.T) {
			var b bytes.Buffer
			for _, s := range situations() {
				for _, e := range eventsFor(a.Profile().Name, s.kind) {
					var out, errs bytes.Buffer
					status, err := a.Encode(&out, &errs, e, s.answer)
					if err != nil {
						t.Fatal(err)
					}
					checkAnswer(t, a, out.Bytes())
					fmt.Fprintf(&b, "== %s: %s\n%d %s%s\n", e.Name, s.name, status, out.String(), errs.String())
				}
			}
			for _, f := range failures(a.Profile().Name) {
				var out, errs bytes.Buffer
				status := a.Fail(&out, &errs, f.event, f.err)
				checkAnswer(t, a, out.Bytes())
				fmt.Fprintf(&b, "== fail %q: %v\n%d %s%s\n", f.event, f.err, status, out.String(), errs.String())
			}
			golden(t, filepath.Join("testdata", a.Profile().Name, "encode.txt"), b.Bytes())
		})
	}
}

// checkAnswer holds what every harness needs: nothing, or one JSON object.
func checkAnswer(t *testing.T, a adapter.Adapter, out []byte) {
	t.Helper()
	if len(out) == 0 {
		return
	}
	v, err := trace.DecodeJSON(out)
	if _, ok := v.(map[string]any); err != nil || !ok {
		t.Errorf("%s answers %q: %v", a.Profile().Name, out, err)
	}
}

type situation struct {
	name   string
	kind   hooks.Kind
	answer hooks.Answer
}

func situations() []situation {
	long := strings.Repeat("é", 20_000)
	return []situation{
		{"silence", hooks.PreTool, hooks.Answer{}},
		{"note", hooks.PreTool, hooks.Answer{Context: "C", Notice: "N"}},
		{"ask", hooks.PreTool, hooks.Answer{Action: guard.Ask, ID: "3", Rule: "r", Reason: "R <b>&", Context: "C"}},
		{"deny", hooks.PreTool, hooks.Answer{Action: guard.Deny, ID: "3", Rule: "r", Reason: "R\nsecond", Notice: "N"}},
		{"deny without words", hooks.PreTool, hooks.Answer{Action: guard.Deny}},
		{"stop", hooks.PreTool, hooks.Answer{Action: guard.Stop, Reason: "R", Notice: "N"}},
		{"silence", hooks.PostTool, hooks.Answer{}},
		{"note", hooks.PostTool, hooks.Answer{Context: "C", Notice: "N"}},
		{"replaced", hooks.PostTool, hooks.Answer{Output: "new", Context: "C"}},
		{"must not be used", hooks.PostTool, hooks.Answer{Action: guard.Deny, Reason: "R", Context: "C"}},
		{"silence", hooks.TurnEnd, hooks.Answer{}},
		{"sent back", hooks.TurnEnd, hooks.Answer{SendBack: true, Reason: "R", Notice: "N"}},
		{"notice", hooks.TurnEnd, hooks.Answer{Notice: "N"}},
		{"announcement", hooks.SessionStart, hooks.Answer{Context: "C", Notice: "N"}},
		{"announcement", hooks.SubagentStart, hooks.Answer{Context: "C"}},
		{"owed", hooks.UserPrompt, hooks.Answer{Context: "C"}},
		{"note", hooks.BatchEnd, hooks.Answer{Context: "C"}},
		{"notice", hooks.PreCompact, hooks.Answer{Notice: "N"}},
		{"notice", hooks.SubagentEnd, hooks.Answer{Notice: "N"}},
		{"notice", hooks.SessionEnd, hooks.Answer{Notice: "N"}},
		{"too long", hooks.PreTool, hooks.Answer{Action: guard.Deny, Reason: long[:12_000]}},
	}
}

// eventsFor are the events of a kind, by the names an adapter knows.
func eventsFor(name string, kind hooks.Kind) []hooks.Event {
	names := map[string][]string{
		"claude-code": {
			"SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PreSkillShellCommand", "PostToolUse",
			"PostToolUseFailure", "PostToolBatch", "PreCompact", "Stop", "SubagentStop", "SessionEnd",
		},
		"copilot-cli": {
			"sessionStart", "userPromptSubmitted", "preToolUse", "PreToolUse", "postToolUse", "postToolUseFailure", "agentStop",
			"preCompact", "sessionEnd",
		},
		"codex": {
			"SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop",
			"SubagentStop", "SessionEnd",
		},
		"vibe":    {"pre_tool", "post_tool", "post_agent"},
		"generic": {"start", "prompt", "pre", "post", "turn_end", "end"},
	}[name]
	var out []hooks.Event
	for _, n := range names {
		_, e, err := harness.Decode(harness.Find(name), testEnv(), n, samplePayload(name, n))
		if err == nil && e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// samplePayload is the smallest payload that decodes.
func samplePayload(name, event string) []byte {
	m := map[string]any{
		"session_id": "s", "cwd": "/repo", "session": "s", "sessionId": "s",
		"tool_name": "Bash", "tool_input": map[string]any{"command": "ls"}, "toolName": "bash",
		"toolArgs": map[string]any{"command": "ls"}, "tool": "Bash", "args": map[string]any{"command": "ls"},
		"tool_response": map[string]any{"stdout": "old", "stderr": "", "interrupted": false},
		"toolResult":    map[string]any{"resultType": "success", "textResultForLlm": "old"},
		"tool_output":   map[string]any{"returncode": json.Number("0")}, "tool_status": "success",
		"agent_type": "general", "event": event,
	}
	if name == "claude-code" {
		m["tool_use_id"] = "t"
	}
	return []byte(trace.Canonical(m))
}

type failure struct {
	event string
	err   error
}

func failures(name string) []failure {
	bad := &adapter.PayloadError{Problem: "not JSON (at byte 1)"}
	events := []string{""}
	for _, k := range []hooks.Kind{hooks.PreTool, hooks.PostTool, hooks.TurnEnd, hooks.SessionStart, hooks.UserPrompt, hooks.SessionEnd} {
		for _, e := range eventsFor(name, k) {
			events = append(events, e.Name)
		}
	}
	events = append(events, "AnEventOfTomorrow")
	var out []failure
	for _, e := range events {
		out = append(out, failure{e, bad}, failure{e, errors.New("internal error: \n boom")})
	}
	return out
}

// TestPreToolFailsClosed: whatever arrives on a pre-tool event and cannot be
// read gets an answer that the harness takes for deny or ask.
func TestPreToolFailsClosed(t *testing.T) {
	pre := map[string]string{
		"claude-code": "PreToolUse", "copilot-cli": "preToolUse", "codex": "PreToolUse", "vibe": "pre_tool", "generic": "pre",
	}
	inputs := []string{
		"", "{", "[]", "null", `"x"`, "\x00\x00", `{}`, `{"tool_name": 3}`,
		`{"session_id":"s"} {}`, strings.Repeat("[", 20_000), `{"tool_name":"Bash","x":` + strings.Repeat("[", 20_000),
	}
	for _, a := range harness.All() {
		name := a.Profile().Name
		for _, event := range []string{pre[name], ""} {
			for _, in := range append(inputs, `{"hook_event_name":"`+pre[name]+`"}`) {
				b, _, err := harness.Decode(a, testEnv(), event, []byte(in))
				if err == nil {
					t.Errorf("%s %q: %.40q was read", name, event, in)
					continue
				}
				var out, errs bytes.Buffer
				status := b.Fail(&out, &errs, event, err)
				if !refuses(name, out.String(), errs.String(), status) {
					t.Errorf("%s %q: %.40q is let through: %d %s %s", name, event, in, status, out.String(), errs.String())
				}
			}
		}
	}
}

// refuses says whether the harness would not run the call.
func refuses(name, stdout, stderr string, status int) bool {
	v, err := trace.DecodeJSON([]byte(stdout))
	m, _ := v.(map[string]any)
	if err != nil {
		return name == "claude-code" && status == 2 && stderr != "" && !strings.Contains(strings.TrimSpace(stderr), "\n")
	}
	o := adapter.Object(m)
	switch name {
	case "claude-code":
		return slices.Contains([]string{"deny", "ask"}, o.Object("hookSpecificOutput").Text("permissionDecision"))
	case "copilot-cli":
		return status == 0 && o.Text("permissionDecision") == "deny" && o.Text("permissionDecisionReason") != ""
	case "codex":
		s := o.Object("hookSpecificOutput")
		return status == 0 && s.Text("permissionDecision") == "deny" && s.Text("permissionDecisionReason") != ""
	default:
		return status == 0 && o.Text("decision") == "deny" && o.Text("reason") != ""
	}
}
