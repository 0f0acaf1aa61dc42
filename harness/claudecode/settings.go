package claudecode

import (
	"slices"
	"strconv"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
	"github.com/agentltl/agentltl-hook/internal/edit"
	"github.com/agentltl/agentltl-hook/trace"
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
	j, err := edit.ParseJSON(src)
	if err != nil {
		return nil, nil, err
	}
	for _, event := range j.Keys("hooks") {
		if !slices.Contains(events(), event) {
			if err := cutEvent(j, event); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, event := range events() {
		want := edit.Raw(entry(o, event, line))
		if registeredAs(j, event, want) {
			continue
		}
		if err := cutEvent(j, event); err != nil {
			return nil, nil, err
		}
		m, err := j.Append([]string{"hooks", event}, want)
		if err != nil {
			return nil, nil, err
		}
		made = append(made, m...)
	}
	return j.Bytes(), made, nil
}

// registeredAs says whether ours is there exactly once and as wanted.
func registeredAs(j *edit.JSON, event string, want []byte) bool {
	w, err := trace.DecodeJSON(want)
	if err != nil {
		return false
	}
	list, _ := j.Get("hooks", event)
	groups, _ := list.([]any)
	n := 0
	for _, g := range groups {
		if hasOurs(g) {
			n++
			if !trace.Equal(g, w) {
				return false
			}
		}
	}
	return n == 1
}

// cut takes our handlers out of a settings file.
func cut(src []byte, made [][]string) ([]byte, error) {
	j, err := edit.ParseJSON(src)
	if err != nil {
		return nil, err
	}
	found := false
	for _, event := range j.Keys("hooks") {
		had := ours(j, event)
		if len(had) == 0 {
			continue
		}
		found = true
		if err := cutEvent(j, event); err != nil {
			return nil, err
		}
		if _, err := j.Prune(madeOr(made, "hooks", event), "hooks", event); err != nil {
			return nil, err
		}
	}
	if !found {
		return src, nil
	}
	_, err = j.Prune(madeOr(made, "hooks"), "hooks")
	return j.Bytes(), err
}

// madeOr adds path to made when nothing is known of the install: a list that is
// empty without us was ours.
func madeOr(made [][]string, path ...string) [][]string {
	if made != nil {
		return made
	}
	return [][]string{path}
}

// cutEvent removes our handlers of an event, and groups that held nothing else.
func cutEvent(j *edit.JSON, event string) error {
	for _, p := range slices.Backward(ours(j, event)) {
		if err := j.Remove(p...); err != nil {
			return err
		}
	}
	return nil
}

// ours are the paths of our groups of an event, or of our handlers in a group
// with others, in order.
func ours(j *edit.JSON, event string) [][]string {
	var paths [][]string
	list, _ := j.Get("hooks", event)
	groups, _ := list.([]any)
	for i, g := range groups {
		at := []string{"hooks", event, strconv.Itoa(i)}
		handlers := handlersOf(g)
		var mine []int
		for k, h := range handlers {
			if isOurs(h) {
				mine = append(mine, k)
			}
		}
		switch {
		case len(mine) == 0:
		case len(mine) == len(handlers):
			paths = append(paths, at)
		default:
			for _, k := range mine {
				paths = append(paths, append(slices.Clone(at), "hooks", strconv.Itoa(k)))
			}
		}
	}
	return paths
}

func hasOurs(g any) bool { return slices.ContainsFunc(handlersOf(g), isOurs) }

func handlersOf(g any) []any {
	m, _ := g.(map[string]any)
	l, _ := m["hooks"].([]any)
	return l
}

func isOurs(h any) bool { return adapter.IsOurs(wordsOf(h), Name) }

// wordsOf are the words of a handler's command, in either form.
func wordsOf(h any) []string {
	m, _ := h.(map[string]any)
	command, _ := m["command"].(string)
	args, ok := m["args"].([]any)
	if !ok {
		return adapter.Words(command)
	}
	words := []string{command}
	for _, a := range args {
		s, _ := a.(string)
		words = append(words, s)
	}
	return words
}
