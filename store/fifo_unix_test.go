//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/state"
)

// A pipe in the file's place is refused at once: nothing waits for its other end.
func TestPipe(t *testing.T) {
	s := Open(testOptions(t))
	appendCalls(t, s, 1)
	if err := errors.Join(os.Remove(s.Path()), syscall.Mkfifo(s.Path(), 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(func(state.Tx) error) error{"view": s.View, "update": s.Update} {
		done := make(chan error, 1)
		go func() { done <- open(func(state.Tx) error { return nil }) }()
		select {
		case err := <-done:
			if !errors.Is(err, ErrUnsafe) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s waits for the pipe", name)
		}
	}
}
