package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// BenchmarkProcess starts the program as a harness does: an allowed call and its
// end, in a project with one rule and without any. bench compares such times
// with a floor; this one is for benchstat.
func BenchmarkProcess(b *testing.B) {
	for _, tt := range []struct{ name, rules string }{
		{"rules=0", ""},
		{"rules=1", "rules: [{id: no-force, never: {tool: git_push, with: {force: true}}}]\n"},
	} {
		for _, event := range []string{"PreToolUse", "PostToolUse"} {
			b.Run(tt.name+"/"+event, func(b *testing.B) {
				root, home := b.TempDir(), b.TempDir()
				if tt.rules != "" {
					if err := os.WriteFile(root+"/AGENTLTL.yaml", []byte(tt.rules), 0o644); err != nil {
						b.Fatal(err)
					}
				}
				if err := os.Mkdir(root+"/.git", 0o755); err != nil {
					b.Fatal(err)
				}
				self, err := os.Executable()
				if err != nil {
					b.Fatal(err)
				}
				for i := 0; b.Loop(); i++ {
					payload := fmt.Sprintf(`{"session_id":"s1","cwd":%q,"hook_event_name":%q,"tool_name":"Bash","tool_use_id":"c%d","tool_input":{"command":"git status"},"tool_response":{"stdout":""}}`, root, event, i)
					cmd := hookProcess(self, root, home, event)
					cmd.Stdin = strings.NewReader(payload)
					if out, err := cmd.CombinedOutput(); err != nil {
						b.Fatalf("%v\n%s", err, out)
					}
				}
			})
		}
	}
}

func hookProcess(program, root, home, event string) *exec.Cmd {
	cmd := exec.Command(program, "hook", "claude-code", event, "--no-env",
		"--state-dir", home+"/state", "--user-dir", home+"/.config/agentltl")
	cmd.Args[0] = "agentltl-hook"
	cmd.Dir = root
	cmd.Env = []string{"HOME=" + home, "CLAUDE_PROJECT_DIR=" + root}
	return cmd
}
