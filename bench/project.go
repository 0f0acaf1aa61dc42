package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const fiveRules = `rules:
  - {id: no-force, never: {tool: git_push, with: {force: true}}}
  - {id: tests-first, before: {first: {tool: pytest, succeeded: true}, then: git_push, since: [Edit, Write]}}
  - {id: small-helpers, require: {tool: [Task, Agent], where: {model: [haiku, sonnet]}}}
  - {id: staging-first, scope: project, before: [{tool: make, with: {argv: deploy-staging}}, {tool: make, with: {argv: deploy-prod}}]}
  - {id: tests-at-end, finally: {call: pytest, since: [Edit, Write]}}
`

// sixRules make git status count against a limit: it reserves.
const sixRules = fiveRules + "  - {id: many-status, at_most: {call: git_status, times: 1000000}}\n"

// manyRules are n rules, each about a tool of its own, and git status in none.
func manyRules(n int) string {
	var b strings.Builder
	b.WriteString("rules:\n")
	for i := range n {
		switch i % 3 {
		case 0:
			fmt.Fprintf(&b, "  - {id: never-%d, never: {tool: tool_%d, with: {force: true}}}\n", i, i)
		case 1:
			fmt.Fprintf(&b, "  - {id: before-%d, before: [tool_%d, other_%d]}\n", i, i, i)
		default:
			fmt.Fprintf(&b, "  - {id: most-%d, at_most: {call: tool_%d, times: 3}}\n", i, i)
		}
	}
	return b.String()
}

// A project is a repository with rules, a store, and a session in it.
type project struct {
	b        *bench
	name     string
	root     string
	state    string
	payloads string
	next     int
}

const session = "0b9c2b54-0000-4000-8000-000000000001"

// project makes a repository; rules "" leaves it without a rule file.
func (b *bench) project(name, rules string) (*project, error) {
	p := &project{
		b: b, name: name,
		root:  filepath.Join(b.dir, name, "repo"),
		state: filepath.Join(b.dir, name, "state"), payloads: filepath.Join(b.dir, name, "payloads"),
	}
	for _, d := range []string{filepath.Join(p.root, ".git"), p.payloads} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	return p, p.rules(rules)
}

func (p *project) rules(text string) error {
	if text == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(p.root, "AGENTLTL.yaml"), []byte(text), 0o644)
}

func (p *project) env() []string {
	return []string{"HOME=" + filepath.Join(p.b.dir, "home"), "PATH=/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + p.root, "AGENTLTL_STATE_DIR=" + p.state}
}

// payload writes an event of Claude Code; every call has an id of its own.
func (p *project) payload(event, id string, more map[string]any) (string, error) {
	m := map[string]any{
		"session_id": session, "transcript_path": "/nowhere", "cwd": p.root, "hook_event_name": event,
		"permission_mode": "default", "tool_name": "Bash", "tool_use_id": id,
		"tool_input": map[string]any{"command": "git status", "description": "look"},
	}
	maps.Copy(m, more)
	if event == "PostToolUse" {
		m["tool_response"] = map[string]any{"stdout": "clean", "stderr": "", "interrupted": false}
	}
	data, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	file := filepath.Join(p.payloads, event+"-"+id+".json")
	return file, os.WriteFile(file, data, 0o644)
}

// hook is the process of one event, with a fresh call id at each start.
func (p *project) hook(event string) *proc {
	return &proc{
		name: p.name, path: filepath.Join(p.b.dir, "hook"), dir: p.root, env: p.env(),
		args: []string{
			"hook", "claude-code", event, "--no-env", "--state-dir", p.state,
			"--user-dir", filepath.Join(p.b.dir, "home", ".config", "agentltl"), "--user-dir", filepath.Join(p.b.dir, "home", ".claude"),
		},
		before: func(_ int, q *proc) (err error) {
			q.stdin, err = p.payload(event, p.id(), nil)
			return err
		},
		ok: silent,
	}
}

// id is a fresh call id, last the one given out before.
func (p *project) id() string { p.next++; return p.last() }

func (p *project) last() string { return "toolu_" + strconv.Itoa(p.next) }

// silent: the call was let through without a word.
func silent(stdout []byte, status int) error {
	if status != 0 || len(stdout) > 0 {
		return fmt.Errorf("answered %q with status %d, want silence", stdout, status)
	}
	return nil
}

// pre is an allowed call; if it reserves, its post event follows unmeasured.
func (p *project) pre(reserves bool) *proc {
	h := p.hook("PreToolUse")
	if reserves {
		h.after = func(int) error { return p.quietly("PostToolUse", p.last(), nil) }
	}
	return h
}

// post is the end of a call; its beginning comes before, unmeasured.
func (p *project) post() *proc {
	h := p.hook("PostToolUse")
	h.before = func(_ int, q *proc) (err error) {
		if err := p.quietly("PreToolUse", p.id(), nil); err != nil {
			return err
		}
		q.stdin, err = p.payload("PostToolUse", p.last(), nil)
		return err
	}
	return h
}

// quietly runs one event that nobody times.
func (p *project) quietly(event, id string, more map[string]any) error {
	h := p.hook(event)
	h.before = func(_ int, q *proc) (err error) {
		q.stdin, err = p.payload(event, id, more)
		return err
	}
	_, _, err := p.b.once(0, h)
	return err
}

// command runs the program in the project.
func (p *project) command(args ...string) error {
	cmd := exec.Command(filepath.Join(p.b.dir, "hook"), args...)
	cmd.Dir, cmd.Env = p.root, p.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("agentltl-hook %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// fill records n calls: a hundred by their events, more by an import of calls of
// about 300 bytes each into session and project.
func (p *project) fill(n int) error {
	if n <= 100 {
		return p.fillByEvents(n)
	}
	file := filepath.Join(p.b.dir, p.name, "calls.jsonl")
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	pad := strings.Repeat("x", 150)
	tools := []string{"ls", "cat", "git_status", "go_test", "Read"}
	for i := range n {
		fmt.Fprintf(f, `{"tool":%q,"args":{"path":"src/file%d.go","note":%q},"status":0}`+"\n", tools[i%len(tools)], i%997, pad)
	}
	if err := f.Close(); err != nil {
		return err
	}
	return p.command("trace", "import", file, "--session", session)
}

func (p *project) fillByEvents(n int) error {
	lines := []string{"ls src", "cat src/a.go", "git status", "go test ./...", "grep -n x src/a.go"}
	for i := range n {
		more := map[string]any{"tool_input": map[string]any{"command": lines[i%len(lines)], "description": "a step"}}
		id := p.id()
		for _, event := range []string{"PreToolUse", "PostToolUse"} {
			if err := p.quietly(event, id, more); err != nil {
				return err
			}
		}
	}
	return nil
}

// storeSize is the size of the project's only store file.
func (p *project) storeSize() (int64, error) {
	files, err := filepath.Glob(filepath.Join(p.state, "*.db"))
	if err != nil || len(files) != 1 {
		return 0, fmt.Errorf("%d store files in %s", len(files), p.state)
	}
	st, err := os.Stat(files[0])
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}
