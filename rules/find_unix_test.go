//go:build unix

package rules

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestFindFIFO: a FIFO hangs nobody.
func TestFindFIFO(t *testing.T) {
	top := tree(t, map[string]string{"p/.git/": ""})
	if err := syscall.Mkfifo(filepath.Join(top, "p", FileName), 0o644); err != nil {
		t.Skip(err)
	}
	if got, want := foundText(Find(FindOptions{SessionFolder: filepath.Join(top, "p")}), top), "project p/AGENTLTL.yaml (not a regular file)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
