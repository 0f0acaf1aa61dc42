//go:build e2e

package e2e

import (
	"context"
	"os/exec"
	"path/filepath"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

// copilot drives GitHub Copilot CLI (harness-copilot-cli.md 6).
type copilot struct{}

func (copilot) name() string { return "copilot-cli" }
func (copilot) prepare(*lab) {}

func (copilot) env(l *lab) []string {
	return []string{
		"COPILOT_HOME=" + filepath.Join(l.home, ".copilot"),
		"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_API_KEY=dummy",
		"COPILOT_PROVIDER_WIRE_MODEL=scripted",
		"XDG_CACHE_HOME=" + filepath.Join(cacheDir(), "xdg"), // it unpacks 235 MB there, once
	}
}

func (copilot) start(ctx context.Context, l *lab, url string, o runOption) *exec.Cmd {
	args := []string{
		"-p", o.prompt, "--allow-all-tools", "--no-color", "--no-ask-user",
		"--log-dir", filepath.Join(l.dir, "copilot-log"), "--log-level", "debug",
	}
	if o.resume {
		args = append(args, "--resume="+l.session)
	} else {
		l.session = uuid()
		args = append(args, "--session-id", l.session)
	}
	cmd := l.command(ctx, "copilot", append(args, o.args...)...)
	name := o.model
	if name == "" {
		name = "gpt-4.1"
	}
	cmd.Env = append(cmd.Env, "COPILOT_PROVIDER_BASE_URL="+url+"/v1", "COPILOT_MODEL="+name)
	if o.compact {
		cmd.Env = append(cmd.Env, "COPILOT_PROVIDER_MAX_PROMPT_TOKENS=32000")
	}
	return cmd
}

func (copilot) shell(command string) model.Call {
	return model.Call{Name: "bash", Args: args{"command": command, "description": "a step"}}
}

func (copilot) read(l *lab, path string) model.Call {
	return model.Call{Name: "view", Args: args{"path": l.path(path)}}
}

func (copilot) write(l *lab, path, content string) model.Call {
	return model.Call{Name: "create", Args: args{"path": l.path(path), "file_text": content}}
}
