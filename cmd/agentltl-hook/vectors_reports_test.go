package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// reportCases are the cases of reports.jsonl of some kinds.
func reportCases(t *testing.T, kinds ...string) []vector {
	t.Helper()
	var some []vector
	for _, c := range readVectors(t, "reports.jsonl", 50) {
		if slices.Contains(kinds, words(c["kind"])) {
			some = append(some, c)
		}
	}
	return some
}

// A reportProject stands for /w/app of the cases, with a home and a store.
type reportProject struct {
	t          *testing.T
	root, home string
	place      *strings.Replacer
}

func newReportProject(t *testing.T, c vector) *reportProject {
	t.Helper()
	p := &reportProject{t: t, root: filepath.Join(t.TempDir(), "app"), home: t.TempDir()}
	p.place = strings.NewReplacer("/w/app", p.root, "/home/dev", p.home)
	rules := words(c["rules"])
	if rules == "" && c["kind"] != "decide" {
		rules = "rules: [{id: harmless, never: nothing_is_called_so}]\n" // without any, a hook says nothing
	}
	if rules != "" {
		p.put("AGENTLTL.yaml", rules)
	}
	p.put(".git/HEAD", "ref: refs/heads/main\n")
	setup := object(c["setup"])
	for _, f := range texts(setup["files"]) {
		p.put(strings.TrimPrefix(f, "/w/app/"), "package a\n")
	}
	for _, b := range texts(setup["branches"]) {
		p.put(".git/refs/heads/"+b, strings.Repeat("0123456789", 4)+"\n")
	}
	return p
}

func (p *reportProject) put(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(p.place.Replace(text)), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *reportProject) env() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "CLAUDE_PROJECT_DIR=" + p.root}
}

// TestReportsDecide: the calls of each case through check --json --file.
func TestReportsDecide(t *testing.T) {
	needCommand(t, "check")
	cases := reportCases(t, "decide")
	if len(cases) != 37 {
		t.Fatalf("%d cases, want 37", len(cases))
	}
	w := wrongAnswers{t: t, disputed: disputed(t)}
	for _, c := range cases {
		w.add(words(c["id"]), words(c["title"]), decideCase(t, c))
	}
	w.end(len(cases))
}

func decideCase(t *testing.T, c vector) string {
	t.Helper()
	p := newReportProject(t, c)
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "case.json")
	if err := os.WriteFile(file, []byte(p.place.Replace(string(text))), 0o644); err != nil {
		t.Fatal(err)
	}
	var more []string
	if words(c["id"]) == "R041" { // the only one with protect-guard on
		more = []string{"--without", "no-unguarded-subagents"}
	}
	got, problem := checkJSON(t, p.root, p.home, file, more...)
	if problem != "" {
		return problem
	}
	calls, steps := items(c["calls"]), items(got["steps"])
	if len(calls) != len(steps) {
		return fmt.Sprintf("%d steps to %d calls", len(steps), len(calls))
	}
	accepted := items(c["accept"])
	for i := range calls {
		want, have := object(calls[i]), object(steps[i])
		expect, result := words(want["expect"]), words(have["result"])
		ok := result == expect || expect == "allow" && result == "note"
		if len(accepted) == len(calls) {
			ok = ok || slices.Contains(texts(accepted[i]), result)
		}
		if !ok {
			return fmt.Sprintf("call %d %s: %s, want %s (%s)", i, show(want["input"]), result, expect, show(have["text"]))
		}
		if rule := words(want["rule"]); rule != "" && words(have["rule"]) != rule {
			return fmt.Sprintf("call %d: rule %s, want %s", i, show(have["rule"]), rule)
		}
	}
	return ""
}

// hook runs one event as a process and returns what it left behind.
func (p *reportProject) hook(harness, event string, stdin string) (stdout, stderr string, status int) {
	p.t.Helper()
	args := []string{"hook", harness}
	if event != "" {
		args = append(args, event)
	}
	cmd := programCommand(p.t, p.root, args...)
	cmd.Env = p.env()
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), errs.String(), exit.ExitCode()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return out.String(), errs.String(), 0
}

// claude makes a payload of Claude Code.
func (p *reportProject) claude(event string, more vector) string {
	m := vector{
		"session_id": "s1", "transcript_path": filepath.Join(p.home, "t.jsonl"), "cwd": p.root,
		"permission_mode": "default", "hook_event_name": event,
	}
	maps.Copy(m, more)
	b, err := json.Marshal(m)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.place.Replace(string(b))
}

// TestReportsHook: one process an event, whole answers.
func TestReportsHook(t *testing.T) {
	cases := reportCases(t, "hook")
	if len(cases) != 7 {
		t.Fatalf("%d cases, want 7", len(cases))
	}
	for _, c := range cases {
		t.Run(words(c["id"]), func(t *testing.T) {
			p := newReportProject(t, c)
			harness := words(c["harness"])
			if needHarness(t, harness) {
				hookCase(t, p, c, harness)
			}
		})
	}
}

func needHarness(t *testing.T, name string) bool {
	t.Helper()
	err := unknownHarness(name)
	if strings.Contains(strings.SplitN(err.Error(), "known:", 2)[1], name) {
		return true
	}
	t.Skipf("no adapter for %s", name)
	return false
}

func hookCase(t *testing.T, p *reportProject, c vector, harness string) {
	t.Helper()
	want := object(c["expected"])
	if raw := items(c["stdin_raw"]); raw != nil {
		for _, stdin := range texts(c["stdin_raw"]) {
			unreadable(t, p, harness, stdin)
		}
		return
	}
	inputs := items(c["stdin_variants"])
	if inputs == nil {
		inputs = []any{c["stdin"]}
	}
	for _, in := range inputs {
		event := words(object(in)["hook_event_name"])
		if event == "" {
			event = "preToolUse" // a camelCase payload does not name its event
		}
		stdout, stderr, status := p.hook(harness, event, p.place.Replace(show(in)))
		if text, ok := want["stderr"]; ok && stderr != words(text) {
			t.Errorf("stderr %q", stderr)
		}
		if exit, ok := want["exit"]; ok && fmt.Sprint(exit) != fmt.Sprint(status) {
			t.Errorf("exit status %d, want %v", status, exit)
		}
		answer := vector{}
		if strings.TrimSpace(stdout) != "" {
			answer = decodeVector(t, []byte(stdout))
		}
		answerHolds(t, want, answer, stdout)
		if rec := object(want["recorded"]); rec != nil {
			recorded(t, p, rec)
		}
	}
	if events := texts(want["registered_events"]); events != nil {
		registers(t, p, harness, events)
	}
}

// unreadable: a pre-tool event is refused with one line, a post event passes.
func unreadable(t *testing.T, p *reportProject, harness, stdin string) {
	t.Helper()
	began := time.Now()
	stdout, stderr, status := p.hook(harness, "PreToolUse", stdin)
	if status != 2 || stdout != "" || strings.Count(stderr, "\n") > 1 || strings.TrimSpace(stderr) == "" {
		t.Errorf("stdin %q before a call: status %d, stdout %q, stderr %q", stdin, status, stdout, stderr)
	}
	if _, _, status := p.hook(harness, "PostToolUse", stdin); status != 0 {
		t.Errorf("stdin %q after a call: status %d", stdin, status)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("stdin %q took %v", stdin, took)
	}
}

// dig follows a dotted path.
func dig(v vector, dotted string) any {
	var x any = v
	for part := range strings.SplitSeq(dotted, ".") {
		x = object(x)[part]
	}
	return x
}

func answerHolds(t *testing.T, want, answer vector, stdout string) {
	t.Helper()
	for where, v := range object(want["json"]) {
		got := dig(answer, where)
		if part, ok := strings.CutPrefix(words(v), "<contains "); ok {
			if !strings.Contains(words(got), strings.TrimSuffix(part, ">")) {
				t.Errorf("%s is %s, which lacks %s", where, show(got), part)
			}
		} else if !equal(got, v) {
			t.Errorf("%s is %s, want %s", where, show(got), show(v))
		}
	}
	for where, v := range object(want["json_not"]) {
		if got := dig(answer, where); slices.ContainsFunc(items(v), func(x any) bool { return equal(got, x) }) {
			t.Errorf("%s is %s", where, show(got))
		}
	}
	for _, where := range texts(want["json_absent"]) {
		if got := dig(answer, where); got != nil {
			t.Errorf("%s is there: %s", where, show(got))
		}
	}
	for _, k := range []string{"all", "verdict"} {
		if v := words(want[k]); v != "" && !strings.Contains(stdout, `"`+v+`"`) {
			t.Errorf("the answer is no %s: %s", v, stdout)
		}
	}
	if rule := words(want["rule"]); rule != "" && !strings.Contains(stdout, rule) {
		t.Errorf("the answer does not name %s: %s", rule, stdout)
	}
}

// recorded looks a call up in the trace.
func recorded(t *testing.T, p *reportProject, want vector) {
	t.Helper()
	needCommand(t, "trace")
	cmd := programCommand(t, p.root, "trace", "--json", "--session", "s1")
	cmd.Env = p.env()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("trace: %v", err)
	}
	calls := items(decodeVector(t, out)["calls"])
	if len(calls) != 1 {
		t.Fatalf("%d calls are recorded: %s", len(calls), out)
	}
	call := object(calls[0])
	if words(call["tool"]) != words(want["tool_name"]) || (fmt.Sprint(call["status"]) == "0") != isTrue(want["succeeded"]) {
		t.Errorf("recorded %s, want %s", show(call), show(want))
	}
}

// registers: install writes hooks for these events.
func registers(t *testing.T, p *reportProject, harness string, events []string) {
	t.Helper()
	cmd := programCommand(t, p.root, "install", harness, "--force")
	cmd.Env = p.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	settings, err := os.ReadFile(filepath.Join(p.home, ".claude", "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if object(decodeVector(t, settings)["hooks"])[e] == nil {
			t.Errorf("no hook is registered for %s", e)
		}
	}
}

// TestReportsSequence: events in order, and answers in time.
func TestReportsSequence(t *testing.T) {
	cases := reportCases(t, "sequence")
	if len(cases) != 3 {
		t.Fatalf("%d cases, want 3", len(cases))
	}
	for _, c := range cases {
		t.Run(words(c["id"]), func(t *testing.T) {
			p := newReportProject(t, c)
			if words(c["id"]) == "R038" {
				lockedStore(t, p, c)
				return
			}
			events, want := items(c["events"]), texts(c["expected"])
			for i, e := range events {
				if got := p.event(items(e), i); !strings.HasPrefix(want[i], got) {
					t.Errorf("event %d %s: %s, want %s", i, show(e), got, want[i])
				}
			}
		})
	}
}

// event plays one entry of a sequence and puts the answer into the words of the
// cases.
func (p *reportProject) event(e []any, i int) string {
	p.t.Helper()
	switch words(e[0]) {
	case "pre":
		out, _, _ := p.hook("claude-code", "PreToolUse", p.claude("PreToolUse", vector{
			"tool_name": e[1], "tool_input": e[2], "tool_use_id": e[3],
		}))
		return decided(p.t, out)
	case "post":
		more := vector{"tool_name": "Bash", "tool_input": vector{"command": "git push"}, "tool_use_id": e[1], "tool_response": vector{"stdout": ""}}
		if input, ok := e[2].(map[string]any); ok {
			more = vector{"tool_name": e[1], "tool_input": input, "tool_use_id": fmt.Sprintf("t%d", i), "tool_response": vector{}}
		}
		before := p.count()
		p.hook("claude-code", "PostToolUse", p.claude("PostToolUse", more))
		if p.count() > before {
			return "recorded"
		}
		return "ignored"
	case "stop":
		out, _, _ := p.hook("claude-code", "Stop", p.claude("Stop", object(e[1])))
		if strings.TrimSpace(out) == "" {
			return "yield"
		}
		answer := decodeVector(p.t, []byte(out))
		if words(answer["decision"]) != "block" {
			return "yield"
		}
		for _, id := range []string{"tests-at-end"} {
			if strings.Contains(words(answer["reason"]), id) {
				return "block " + id
			}
		}
		return "block"
	case "prompt":
		p.hook("claude-code", "UserPromptSubmit", p.claude("UserPromptSubmit", vector{"prompt": "go on"}))
		return "reset"
	}
	p.t.Fatalf("no such event: %s", show(e))
	return ""
}

func (p *reportProject) count() int {
	p.t.Helper()
	cmd := programCommand(p.t, p.root, "trace", "--json", "--session", "s1")
	cmd.Env = p.env()
	out, err := cmd.Output()
	if err != nil {
		return 0 // no session yet
	}
	return len(items(decodeVector(p.t, out)["calls"]))
}

// decided is "deny RULE" or "allow".
func decided(t *testing.T, out string) string {
	t.Helper()
	if strings.TrimSpace(out) == "" {
		return "allow"
	}
	answer := decodeVector(t, []byte(out))
	decision := words(dig(answer, "hookSpecificOutput.permissionDecision"))
	if decision == "" {
		return "allow"
	}
	rule, _, _ := strings.Cut(words(dig(answer, "hookSpecificOutput.permissionDecisionReason")), " ")
	return decision + " " + rule
}
