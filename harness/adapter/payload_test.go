package adapter

import (
	"testing"

	"github.com/agentltl/agentltl-hook/trace"
)

// TestRename: a canonical name that a call brings beside the native one is a
// decoy, the harness reads the native one.
func TestRename(t *testing.T) {
	in := trace.Args{"path": "secret", "file_path": "harmless", "x": "y"}
	if got := trace.Canonical(Rename(in, "path", "file_path", "old_str", "old_string")); got != `{"file_path":"secret","path":"harmless","x":"y"}` {
		t.Error(got)
	}
	if got := trace.Canonical(in); got != `{"file_path":"harmless","path":"secret","x":"y"}` {
		t.Errorf("the arguments that were given are changed: %s", got)
	}
}
