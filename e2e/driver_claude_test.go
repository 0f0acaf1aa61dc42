//go:build e2e

package e2e

import (
	"context"
	"crypto/rand"
	"fmt"
	"os/exec"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

// claude drives Claude Code (harness-claude-code.md 7).
type claude struct{}

func (claude) name() string { return "claude-code" }
func (claude) prepare(*lab) {}

func (claude) env(*lab) []string {
	return []string{
		"ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"IS_SANDBOX=1", // --dangerously-skip-permissions refuses root without it
	}
}

func (claude) start(ctx context.Context, l *lab, url string, o runOption) *exec.Cmd {
	args := []string{
		"-p", o.prompt, "--model", "claude-sonnet-4-5", "--dangerously-skip-permissions",
		"--output-format", "stream-json", "--verbose",
	}
	if o.resume {
		args = append(args, "--resume", l.session)
	} else {
		l.session = uuid()
		args = append(args, "--session-id", l.session)
	}
	if o.compact {
		args = append(args, "--autocompact", "100000")
	}
	cmd := l.command(ctx, "claude", append(args, o.args...)...)
	cmd.Env = append(cmd.Env, "ANTHROPIC_BASE_URL="+url)
	return cmd
}

func (claude) shell(command string) model.Call {
	return model.Call{Name: "Bash", Args: args{"command": command}}
}

func (claude) read(l *lab, path string) model.Call {
	return model.Call{Name: "Read", Args: args{"file_path": l.path(path)}}
}

func (claude) write(l *lab, path, content string) model.Call {
	return model.Call{Name: "Write", Args: args{"file_path": l.path(path), "content": content}}
}

type args = map[string]any

// uuid makes a random session id.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
