package claudecode

import (
	"slices"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/edit"
)

// A group is one entry of an event's list in a settings file.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

type handler struct {
	Type      string   `json:"type"`
	Command   string   `json:"command"`
	Args      []string `json:"args,omitempty"`
	Timeout   int      `json:"timeout"`
	OnFailure string   `json:"onFailure,omitempty"`
}

// hookTimeout is far above our own deadline of a second.
const hookTimeout = 30

// entry is what install writes for an event. line: one quoted shell string
// instead of the exec form, because Copilot CLI runs the hooks of a project's
// settings too and drops "args".
func entry(o adapter.InstallOptions, event string, line bool) group {
	h := handler{Type: "command", Timeout: hookTimeout}
	if line {
		h.Command = o.HookLine(Name, event)
	} else {
		h.Command, h.Args = o.Program, o.HookArgs(Name, event)
	}
	if kindOf(event) == hooks.PreTool {
		// Without it a crash, a missing program and a time-out let the call run.
		h.OnFailure = "block"
	}
	g := group{Hooks: []handler{h}}
	switch event {
	case preToolUse, postToolUse, postToolUseFailure:
		g.Matcher = "*"
	}
	return g
}

// register brings src, a settings file, to the state that install wants: every
// event once and as entry says, everything else as it was.
func register(src []byte, o adapter.InstallOptions, line bool) (out []byte, made [][]string, err error) {
	l, err := adapter.ParseHookLists(src, Name)
	if err != nil {
		return nil, nil, err
	}
	for _, event := range l.Events() {
		if !slices.Contains(events(), event) {
			if err := l.CutEvent(event); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, event := range events() {
		m, err := l.Register(event, edit.Raw(entry(o, event, line)))
		if err != nil {
			return nil, nil, err
		}
		made = append(made, m...)
	}
	return l.Bytes(), made, nil
}

// cutHooks takes our handlers out of a settings file.
func cutHooks(src []byte, made [][]string) ([]byte, error) { return adapter.CutHooks(Name, src, made) }
