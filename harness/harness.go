// Package harness lists the coding agents we know and finds out which of them
// speaks.
package harness

import (
	"errors"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/harness/claudecode"
	"github.com/agentltl/agentltl-hook/harness/codex"
	"github.com/agentltl/agentltl-hook/harness/copilot"
	"github.com/agentltl/agentltl-hook/harness/generic"
	"github.com/agentltl/agentltl-hook/harness/vibe"
	"github.com/agentltl/agentltl-hook/hooks"
)

// All lists the adapters. A new harness is a folder plus one line here.
func All() []adapter.Adapter {
	return []adapter.Adapter{
		claudecode.Adapter{},
		copilot.Adapter{},
		codex.Adapter{},
		vibe.Adapter{},
		generic.Adapter{},
	}
}

// Find is the adapter of that name, nil if there is none. The peer's name for
// Vibe counts too.
func Find(name string) adapter.Adapter {
	if name == "mistral-vibe" {
		name = "vibe"
	}
	for _, a := range All() {
		if a.Profile().Name == name {
			return a
		}
	}
	return nil
}

// Decode reads a payload that came in under a's registration, and says whose it
// is: a harness may run hooks that were registered for another one. The adapter
// it returns encodes the answer.
func Decode(a adapter.Adapter, env adapter.Env, event string, payload []byte) (adapter.Adapter, hooks.Event, error) {
	e, err := a.Decode(env, event, payload)
	f, ok := errors.AsType[*adapter.ForeignError](err)
	if !ok {
		return a, e, err
	}
	other := Find(f.Harness)
	if other == nil {
		return a, e, &adapter.PayloadError{Problem: err.Error()}
	}
	if g, ok := other.(guest); ok && g.StandsAside(env, payload) {
		return other, hooks.Event{}, nil
	}
	env.UserDir = "" // it is the folder of the harness the hook was registered for
	e, err = other.Decode(env, event, payload)
	return other, e, err
}

// A guest is an adapter whose harness runs hooks registered for others. It
// stands aside when a registration of its own judges the same call.
type guest interface {
	StandsAside(env adapter.Env, payload []byte) bool
}
