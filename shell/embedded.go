package shell

import (
	"github.com/agentltl/agentltl-hook/shell/spec"
)

// embedded walks the lines that sit in a command's words and environment, and
// what its program text is seen to run.
func (w *walker) embedded(st *state, c ctx, cmd command, p spec.Parsed, base string, i int) {
}

// diffRead gives patch and git apply the paths of a diff that can be read.
func (f *fieldWriter) diffRead() bool { return false }
