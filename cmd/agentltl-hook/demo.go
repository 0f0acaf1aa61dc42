package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/cli"
)

// demoRules is the rule file the demo writes into its project.
const demoRules = `rules:
  - id: no-force-push
    never: {tool: git_push, with: {force: true}}
    why: A force push rewrites what others have already fetched.
    fix: git push

  - id: staging-first
    before: [{tool: make, with: {argv: deploy-staging}}, {tool: make, with: {argv: deploy-prod}}]
    why: Staging shows what the tests did not.
    fix: make deploy-staging
`

type demoOptions struct {
	keep  bool
	rules string
}

func newDemoCmd(e *env) *cobra.Command {
	o := demoOptions{rules: demoRules}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show refusals and what to do about them, in a temporary project",
		Long: "Write a rule file into a temporary project, play the tool calls of a coding agent\n" +
			"against it, one hook process an event, and show what the agent would read.\n" +
			"Nothing of yours is read or changed.",
		Args: cli.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), e, o) },
	}
	cmd.Flags().BoolVar(&o.keep, "keep", false, "keep the temporary project")
	return cmd
}

// A demoCall is what the agent tries; say is printed above it.
type demoCall struct {
	session, command, say string
}

// demoStory: a refusal, the same goal reached in a way the rules allow, and a
// fresh session that starts from nothing.
func demoStory() []demoCall {
	return []demoCall{
		{"1", "git status", "The agent looks around."},
		{"1", "cd app && sudo git push -f", "It wants to push, by force, from inside a longer line."},
		{"1", "git push", "It complies: the plain push."},
		{"1", "make deploy-prod", "It wants to deploy to production."},
		{"1", "make deploy-staging", "It complies: staging first."},
		{"1", "make deploy-prod", "The same call as before, now that staging ran."},
		{"2", "make deploy-prod", "A fresh session, where staging never ran."},
	}
}

// A demo is one performance: a temporary project and the processes it took.
type demo struct {
	e       *env
	program string
	dir     string // everything
	root    string // the project
	calls   int
	times   []time.Duration
}

func runDemo(ctx context.Context, e *env, o demoOptions) error {
	d, err := newDemo(e, o)
	if err != nil {
		return fmt.Errorf("prepare the demo: %w", err)
	}
	if !o.keep {
		defer os.RemoveAll(d.dir)
	}
	fmt.Fprintf(e.Stdout, "A project with this AGENTLTL.yaml:\n\n%s\n", indent(o.rules, "    "))
	session := "1"
	for _, c := range demoStory() {
		if c.session != session {
			session = c.session
			fmt.Fprint(e.Stdout, "\n--- a new session ---\n")
		}
		if err := d.play(ctx, c); err != nil {
			return err
		}
	}
	slices.Sort(d.times)
	median := float64(d.times[len(d.times)/2].Microseconds()) / 1000
	fmt.Fprintf(e.Stdout, "\n%d calls, %d processes, median %.1f ms\n", d.calls, len(d.times), median)
	if o.keep {
		fmt.Fprintf(e.Stdout, "The project is in %s\n", d.root)
	}
	fmt.Fprint(e.Stdout, "\nNow for your own project:\n"+
		"    go install github.com/agentltl/agentltl-hook/cmd/agentltl-hook@latest\n"+
		"    agentltl-hook init       # writes AGENTLTL.yaml\n"+
		"    agentltl-hook install    # registers the hooks with the coding agents it finds\n")
	return nil
}

func newDemo(e *env, o demoOptions) (*demo, error) {
	program, err := e.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "agentltl-demo-")
	if err != nil {
		return nil, err
	}
	d := &demo{e: e, program: program, dir: dir, root: filepath.Join(dir, "project")}
	for _, sub := range []string{filepath.Join("project", ".git"), filepath.Join("project", "app"), "home"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, err
		}
	}
	return d, os.WriteFile(filepath.Join(d.root, "AGENTLTL.yaml"), []byte(o.rules), 0o644)
}

// play proposes one call and, where nothing objects, reports that it ran.
func (d *demo) play(ctx context.Context, c demoCall) error {
	d.calls++
	w := d.e.Stdout
	fmt.Fprintf(w, "\n%s\n  agent> %s\n", c.say, c.command)
	answer, err := d.event(ctx, c, "PreToolUse", nil)
	if err != nil {
		return err
	}
	if answer.Decision == "" {
		fmt.Fprint(w, "  allowed\n")
		_, err := d.event(ctx, c, "PostToolUse", map[string]any{"stdout": "", "stderr": "", "interrupted": false})
		return err
	}
	fmt.Fprintf(w, "  %s\n%s\n", d.decided(answer.Decision), indent(withoutExplain(answer.Reason), "    "))
	return nil
}

// decided says in words what Claude Code does with the answer.
func (d *demo) decided(decision string) string {
	if decision == "ask" {
		return "asked; the user reads:"
	}
	return "refused; the agent reads:"
}

// withoutExplain leaves out the pointer to a store that is gone when the demo
// has ended.
func withoutExplain(reason string) string {
	text, _, _ := strings.Cut(reason, "\nexplain: ")
	return text
}

// A demoAnswer is the part of Claude Code's answer that the demo shows.
type demoAnswer struct {
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason"`
}

// event runs one hook process, as Claude Code would start it.
func (d *demo) event(ctx context.Context, c demoCall, event string, response any) (demoAnswer, error) {
	payload := map[string]any{
		"session_id": "demo-" + c.session, "transcript_path": filepath.Join(d.dir, "transcript.jsonl"),
		"cwd": d.root, "permission_mode": "default", "hook_event_name": event,
		"tool_name": "Bash", "tool_input": map[string]any{"command": c.command},
		"tool_use_id": fmt.Sprintf("toolu_demo_%d", d.calls),
	}
	if response != nil {
		payload["tool_response"] = response
	}
	in, err := json.Marshal(payload)
	if err != nil {
		return demoAnswer{}, err
	}
	home := filepath.Join(d.dir, "home")
	cmd := exec.CommandContext(ctx, d.program, "hook", "claude-code", event, "--no-env",
		"--state-dir", filepath.Join(d.dir, "state"), "--user-dir", filepath.Join(home, ".config", "agentltl"))
	cmd.Args[0] = "agentltl-hook"
	cmd.Dir = d.root
	cmd.Env = append(d.e.Environ(), "HOME="+home, "CLAUDE_PROJECT_DIR="+d.root)
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	began := d.e.Now()
	out, err := cmd.Output()
	d.times = append(d.times, d.e.Now().Sub(began))
	if err != nil {
		return demoAnswer{}, fmt.Errorf("the hook of %q: %w %s", c.command, err, strings.TrimSpace(stderr.String()))
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return demoAnswer{}, nil
	}
	var a struct {
		HookSpecificOutput demoAnswer `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(out, &a); err != nil {
		return demoAnswer{}, fmt.Errorf("the hook of %q answered %q: %w", c.command, out, err)
	}
	return a.HookSpecificOutput, nil
}

// indent puts prefix before each line.
func indent(text, prefix string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(prefix)
		}
		b.WriteString(line)
	}
	return b.String()
}
