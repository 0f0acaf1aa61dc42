package hooks

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/trace"
)

// BenchmarkFirstCallAfterEdit is a proposed call by the first process that sees
// an edit of a file of 1,000 rules: it parses, checks, compiles, and keeps them.
func BenchmarkFirstCallAfterEdit(b *testing.B) {
	dir := b.TempDir()
	l := &lab{root: dir + "/project", home: dir + "/home", managed: dir + "/managed", state: dir + "/state", user: dir + "/home/.config/agentltl", now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), session: "s1"}
	l.profile = Profile{Name: "claude-code", ShellTools: map[string]string{"Bash": "command"}, Ask: true, CallIDs: true, Batch: BatchEvent, Starts: true, Prompts: true, PreContext: true, MemoryFiles: []string{"CLAUDE.md"}}
	n := 0
	for b.Loop() {
		n++
		var text strings.Builder
		text.WriteString("rules:\n")
		for i := range 1000 {
			fmt.Fprintf(&text, "  - id: rule-%d\n    before: {first: {tool: tool%d, succeeded: true}, then: other%d, since: [Edit, Write]}\n    why: edit %d\n", i, i, i, n)
		}
		writeFiles(b, l.root, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "AGENTLTL.yaml": text.String()})
		e := Event{Kind: PreTool, Session: "s1", Dir: l.root, Project: l.root, ID: fmt.Sprint("id", n), Native: "Bash", Calls: []trace.Call{{Tool: "Bash", Args: trace.Args{"command": "git status"}}}}
		if _, err := l.pipeline().Handle(context.Background(), e); err != nil {
			b.Fatal(err)
		}
	}
}
