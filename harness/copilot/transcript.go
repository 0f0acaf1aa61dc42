package copilot

import (
	"io"
	"iter"

	"github.com/agentltl/agentltl-hook/harness/adapter"
)

// Newest is empty: Copilot's session records are not read yet.
func (Adapter) Newest(adapter.InstallOptions) adapter.Record { return adapter.Record{} }

// Transcripts yields nothing: Copilot's session records are not read yet.
func (Adapter) Transcripts(io.Reader) iter.Seq2[adapter.Item, error] {
	return func(func(adapter.Item, error) bool) {}
}
