//go:build e2e

package e2e

import (
	"context"
	"os/exec"
	"path/filepath"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

// vibe drives Mistral Vibe's default engine (harness-vibe.md 6).
type vibe struct{}

func (vibe) name() string { return "vibe" }
func (vibe) prepare(*lab) {}

func (vibe) env(l *lab) []string {
	return []string{"VIBE_HOME=" + filepath.Join(l.home, ".vibe"), "SCRIPTED_KEY=none"}
}

func (vibe) start(ctx context.Context, l *lab, url string, o runOption) *exec.Cmd {
	compact := ""
	if o.compact {
		compact = "auto_compact_threshold = 50000\n"
	}
	l.write(filepath.Join(l.home, ".vibe", "config.toml"), `active_model = "scripted"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false

[[providers]]
name = "scripted"
api_base = "`+url+`/v1"
api_key_env_var = "SCRIPTED_KEY"
api_style = "openai"
backend = "generic"

[[models]]
name = "scripted-model"
provider = "scripted"
alias = "scripted"
`+compact)
	args := []string{"-p", o.prompt, "--trust", "--auto-approve", "--output", "streaming"}
	if o.resume {
		args = append(args, "--continue")
	}
	return l.command(ctx, "vibe", append(args, o.args...)...)
}

func (vibe) shell(command string) model.Call {
	return model.Call{Name: "bash", Args: args{"command": command}}
}

func (vibe) read(l *lab, path string) model.Call {
	return model.Call{Name: "read_file", Args: args{"path": l.path(path)}}
}

func (vibe) write(l *lab, path, content string) model.Call {
	return model.Call{Name: "write_file", Args: args{"path": l.path(path), "content": content}}
}
