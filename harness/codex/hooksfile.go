package codex

import (
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
)

// A group is one entry of an event's list in hooks.json. There is no matcher:
// every hooked tool has to arrive.
type group struct {
	Hooks []handler `json:"hooks"`
}

type handler struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// timeout is in seconds; SessionEnd takes three at most.
func timeout(event string) int {
	if event == sessionEnd {
		return 3
	}
	return 60
}

func entry(o adapter.InstallOptions, event string) group {
	return group{Hooks: []handler{{Type: "command", Command: o.HookLine(Name, event), Timeout: timeout(event)}}}
}

// register brings src, a hooks.json, to the state that install wants. Our groups
// come last: the index of a group is part of its trust key, and those of others
// must not move.
func register(src []byte, o adapter.InstallOptions) (out []byte, made [][]string, err error) {
	l, err := adapter.ParseHookLists(src, Name)
	if err != nil {
		return nil, nil, err
	}
	for _, event := range events() {
		m, err := l.Register(event, edit.Raw(entry(o, event)))
		if err != nil {
			return nil, nil, err
		}
		made = append(made, m...)
	}
	return l.Bytes(), made, nil
}

// cut takes our handlers out of a hooks.json.
func cut(src []byte, made [][]string) ([]byte, error) { return adapter.CutHooks(Name, src, made) }
