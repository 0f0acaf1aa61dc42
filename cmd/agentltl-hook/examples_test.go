package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const exampleRules = `rules:
  - id: tests-first
    before: {first: {tool: pytest, succeeded: true}, then: git_push}
    fix: pytest
`

// TestExampleClients runs the clients of docs/examples: a refused push, a test
// run, the push that passes.
func TestExampleClients(t *testing.T) {
	examples, err := filepath.Abs("../../docs/examples")
	if err != nil {
		t.Fatal(err)
	}
	ts, err := os.ReadFile(filepath.Join(examples, "guard_client.ts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, program, file, text string }{
		{"Python", "python3", "story.py", `import sys
sys.path.insert(0, ` + fmt.Sprintf("%q", examples) + `)
from guard_client import Guard
g = Guard("s1", sys.argv[1])
for i, (line, status) in enumerate([("git push", 0), ("pytest -q", 0), ("git push", 0)]):
    print(g.run(f"c{i}", "Bash", {"command": line}, lambda command: ("ran " + command, status)).split("\n")[0])
`},
		// The types are in comments, so that the file runs as it is on a Node that
		// knows no TypeScript.
		{"TypeScript", "node", "story.mjs", string(ts) + `
const g = guard("s1", process.argv[2]);
for (const [i, line] of ["git push", "pytest -q", "git push"].entries()) {
  console.log(g.run("c" + i, "Bash", { command: line }, (a) => ({ result: "ran " + a.command, status: 0 })).split("\n")[0]);
}
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := exec.LookPath(tt.program); err != nil {
				if os.Getenv("CI") != "" {
					t.Fatal(err)
				}
				t.Skipf("no %s here", tt.program)
			}
			dir := docsProject(t)
			for name, text := range map[string]string{"AGENTLTL.yaml": exampleRules, "../" + tt.file: tt.text} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			out := docsShell(t, dir, tt.program+" ../"+tt.file+" "+dir)
			lines := splitLines(out)
			if len(lines) != 3 || !strings.Contains(lines[0], "tests-first") || lines[1] != "ran pytest -q" || lines[2] != "ran git push" {
				t.Errorf("the story goes\n%s", out)
			}
		})
	}
}
