package hooks

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/trace"
)

const fiveRules = `rules:
  - {id: no-force, never: {tool: git_push, with: {force: true}}}
  - {id: tests-first, before: {first: {tool: pytest, succeeded: true}, then: git_push, since: [Edit, Write]}}
  - {id: small-helpers, require: {tool: [Task, Agent], where: {model: [haiku, sonnet]}}}
  - {id: staging-first, scope: project, before: [{tool: make, with: {argv: deploy-staging}}, {tool: make, with: {argv: deploy-prod}}]}
  - {id: tests-at-end, finally: {call: pytest, since: [Edit, Write]}}
`

// BenchmarkHandle measures one event in process, on a real store with 100
// recorded calls and the five rules of the bars.
func BenchmarkHandle(b *testing.B) {
	start := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	dir := b.TempDir()
	l := &lab{root: dir + "/project", home: dir + "/home", managed: dir + "/managed", state: dir + "/state", user: dir + "/home/.config/agentltl", now: start, session: "s1"}
	l.profile = Profile{Name: "claude-code", ShellTools: map[string]string{"Bash": "command"}, Ask: true, CallIDs: true, Batch: BatchEvent, Starts: true, Prompts: true, PreContext: true, MemoryFiles: []string{"CLAUDE.md"}}
	writeFiles(b, l.root, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "AGENTLTL.yaml": fiveRules})
	ctx := context.Background()
	n := 0
	event := func(k Kind) Event {
		n++
		status := 0
		e := Event{
			Kind: k, Session: "s1", Dir: l.root, Project: l.root, ID: fmt.Sprint("id", n), Native: "Bash", Ran: true,
			Calls: []trace.Call{{Tool: "Bash", Args: trace.Args{"command": "git status"}}},
		}
		if k == PostTool {
			e.Calls[0].Outcome = &trace.Outcome{Status: &status}
		}
		return e
	}
	handle := func(e Event) {
		if _, err := l.pipeline().Handle(ctx, e); err != nil {
			b.Fatal(err)
		}
	}
	for range 100 {
		handle(event(PostTool))
	}
	for _, kind := range []struct {
		name string
		kind Kind
	}{{"pre", PreTool}, {"post", PostTool}, {"stop", TurnEnd}} {
		b.Run(kind.name, func(b *testing.B) {
			for b.Loop() {
				handle(event(kind.kind))
			}
		})
	}
}
