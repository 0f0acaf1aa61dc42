package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/trace"
)

// fiveRules are those of the whole-process benchmark (architecture.md 12).
const fiveRules = `rules:
  - {id: no-force, never: {tool: git_push, with: {force: true}}}
  - {id: tests-first, before: {first: {tool: pytest, succeeded: true}, then: git_push, since: [Edit, Write]}}
  - {id: small-helpers, require: {tool: [Task, Agent], where: {model: [haiku, sonnet]}}}
  - {id: staging-first, scope: project, before: [{tool: make, with: {argv: deploy-staging}}, {tool: make, with: {argv: deploy-prod}}]}
  - {id: tests-at-end, finally: {call: pytest, since: [Edit, Write]}}
`

// manyRules is a file of n rules over as many tools.
func manyRules(n int) string {
	var b strings.Builder
	b.WriteString("rules:\n")
	for i := range n {
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, "  - {id: r%d, never: {tool: tool_%d, with: {force: true}}, why: w}\n", i, i)
		case 1:
			fmt.Fprintf(&b, "  - {id: r%d, before: [a_%d, b_%d]}\n", i, i, i)
		case 2:
			fmt.Fprintf(&b, "  - {id: r%d, never: {tool: rm_%d, where: {paths: [\"x/*\", \"*.sql\"]}}}\n", i, i)
		case 3:
			fmt.Fprintf(&b, "  - {id: r%d, at_most: {call: c_%d, times: 3}}\n", i, i)
		}
	}
	return b.String()
}

func loadText(tb testing.TB, text string) *Set {
	tb.Helper()
	set, problems := Load([]File{{Layer: ProjectFile, Path: "/p/AGENTLTL.yaml", Text: []byte(text)}}, LoadOptions{Context: &Context{Root: "/p", Home: "/h", Tmp: "/tmp"}})
	if len(problems) > 0 {
		tb.Fatal(problems)
	}
	return set
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		text := manyRules(n)
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				loadText(b, text)
			}
		})
	}
}

func BenchmarkParts(b *testing.B) {
	set := loadText(b, manyRules(1000))
	b.ReportAllocs()
	for b.Loop() {
		set.Parts()
	}
}

// BenchmarkOpen reads a compiled set as a hook does: head, index, the rules
// that can react.
func BenchmarkOpen(b *testing.B) {
	for name, text := range map[string]string{
		"five": fiveRules, "starter": "use: [starter]\n", "thousand": manyRules(1000),
	} {
		parts := loadText(b, text).Parts()
		part := func(name string) ([]byte, bool) { p, ok := parts[name]; return p, ok }
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				set, err := OpenSet(part, &Context{Root: "/p", Home: "/h", Tmp: "/tmp"})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := set.Reacting(CallNames([]trace.Call{{Tool: "git_push"}})); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWhere matches the widest packaged target against calls it does not
// match: a short command and a large file.
func BenchmarkWhere(b *testing.B) {
	set := loadText(b, "use: [protect-secret-files]\n")
	r := builder{def: &set.defs[0], ctx: &Context{Root: "/p", Home: "/h"}, kind: &kindNever, rule: &Rule{}}
	t := r.target("never", set.defs[0].Value)
	for name, c := range map[string]trace.Call{
		"short": {Tool: "git_commit", Args: trace.Args{"message": "fix", "paths": []any{"/p/src/main.go", "/p/go.mod"}}, Dir: "/p"},
		"large": {Tool: "Write", Args: trace.Args{"file_path": "/p/a.txt", "content": strings.Repeat("some text with .en in it\n", 400_000)}, Dir: "/p"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if t.match(&c, nil) != trace.No {
					b.Fatal("matches")
				}
			}
		})
	}
}
