//go:build e2e

package e2e

import (
	"context"
	"os/exec"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

// A driver starts one harness and spells the model's calls as it wants them.
type driver interface {
	name() string
	// prepare writes the configuration that a headless run needs into the lab.
	prepare(l *lab)
	// env is what the harness needs in its environment, beside the lab's own.
	env(l *lab) []string
	// start prepares a headless run against the model at url.
	start(ctx context.Context, l *lab, url string, o runOption) *exec.Cmd

	shell(command string) model.Call
	read(l *lab, path string) model.Call
	write(l *lab, path, content string) model.Call
}

func drivers() []driver {
	return []driver{claude{}, copilot{}, codex{}, vibe{}}
}
