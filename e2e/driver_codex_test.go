//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

// codex drives Codex (harness-codex.md 8).
type codex struct{}

func (codex) name() string { return "codex" }

// prepare writes the part of config.toml that names no address: the guard's
// trust entries are added to it by install, and must stay.
func (codex) prepare(l *lab) {
	l.write(filepath.Join(codexHome(l), "config.toml"), `check_for_update_on_startup = false

[analytics]
enabled = false

[feedback]
enabled = false
`)
}

func codexHome(l *lab) string { return filepath.Join(l.home, ".codex") }

func (codex) env(l *lab) []string {
	return []string{"CODEX_HOME=" + codexHome(l), "SCRIPTED_KEY=none"}
}

func (codex) start(ctx context.Context, l *lab, url string, o runOption) *exec.Cmd {
	name := o.model
	if name == "" {
		name = "gpt-5.5"
	}
	args := []string{"exec"}
	if o.resume {
		args = append(args, "resume", "--last")
	}
	args = append(args, "--skip-git-repo-check", "--json", "--dangerously-bypass-approvals-and-sandbox")
	args = append(args, codexModel(url, name)...)
	if o.compact {
		args = append(args, "-c", "model_auto_compact_token_limit=50000")
	}
	args = append(args, o.args...)
	return l.command(ctx, "codex", append(args, o.prompt)...)
}

// codexModel are the arguments that name the scripted model. They stay out of
// config.toml, which commands that need no model would refuse otherwise.
func codexModel(url, name string) []string {
	args := []string{"-c", `model_provider="scripted"`, "-c", fmt.Sprintf("model=%q", name)}
	for k, v := range map[string]string{
		"name": `"scripted"`, "base_url": `"` + url + `/v1"`, "env_key": `"SCRIPTED_KEY"`, "wire_api": `"responses"`,
		"request_max_retries": "0", "stream_max_retries": "0",
	} {
		args = append(args, "-c", "model_providers.scripted."+k+"="+v)
	}
	return args
}

func (codex) shell(command string) model.Call {
	return model.Call{Name: "exec_command", Args: args{"cmd": command}}
}

// read: there is no tool for it, models print files.
func (codex) read(_ *lab, path string) model.Call { return codex{}.shell("cat " + path) }

func (codex) write(l *lab, path, content string) model.Call {
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(l.repo, path); err == nil {
			path = rel
		}
	}
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	old, err := os.ReadFile(l.path(path))
	if err == nil {
		fmt.Fprintf(&b, "*** Update File: %s\n@@\n", path)
		for line := range strings.Lines(string(old)) {
			b.WriteString("-" + strings.TrimSuffix(line, "\n") + "\n")
		}
	} else {
		fmt.Fprintf(&b, "*** Add File: %s\n", path)
	}
	for line := range strings.Lines(content) {
		b.WriteString("+" + strings.TrimSuffix(line, "\n") + "\n")
	}
	b.WriteString("*** End Patch\n")
	return patch(b.String())
}

func patch(text string) model.Call {
	return model.Call{Name: "apply_patch", Input: text, Custom: true}
}
