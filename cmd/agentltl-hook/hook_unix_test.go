//go:build unix

package main

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestHookSignal: a harness that loses patience while the event is still being
// read gets an answer that is no consent.
func TestHookSignal(t *testing.T) {
	for _, tt := range []struct {
		event string
		says  bool
	}{{"PreToolUse", true}, {"Stop", false}} {
		cmd := programCommand(t, t.TempDir(), "hook", "claude-code", tt.event, "--no-env")
		stdin, err := cmd.StdinPipe() // never closed: the event does not end
		if err != nil {
			t.Fatal(err)
		}
		defer stdin.Close()
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * patience)
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		exit, _ := errors.AsType[*exec.ExitError](err)
		if exit != nil && exit.ExitCode() < 0 {
			t.Fatalf("%s: the signal killed the hook: %v", tt.event, err)
		}
		refused := exit != nil && exit.ExitCode() == 2 && stderr.Len() > 0 ||
			strings.Contains(stdout.String(), `"ask"`) || strings.Contains(stdout.String(), `"deny"`)
		if refused != tt.says {
			t.Errorf("%s: stdout %q, stderr %q, %v", tt.event, stdout.String(), stderr.String(), err)
		}
	}
}
