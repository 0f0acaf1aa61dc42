package adapter

import (
	"slices"
	"strconv"

	"github.com/agentltl/agentltl-hook/internal/edit"
	"github.com/agentltl/agentltl-hook/trace"
)

// HookLists is a settings file with the hooks of Claude Code's form, which Codex
// has too: "hooks" holds a list of groups for each event, a group a list of
// handlers, which it calls "hooks" as well.
type HookLists struct {
	*edit.JSON
	Harness string
}

// ParseHookLists reads a settings file of that harness.
func ParseHookLists(src []byte, harness string) (HookLists, error) {
	j, err := edit.ParseJSON(src)
	return HookLists{j, harness}, err
}

// Events are the events with a list.
func (l HookLists) Events() []string { return l.Keys("hooks") }

// Groups is the list of an event.
func (l HookLists) Groups(event string) []any {
	v, _ := l.Get("hooks", event)
	groups, _ := v.([]any)
	return groups
}

// Register brings an event to the state that install wants: ours once, as want
// says, and behind the others. made names the containers it made.
func (l HookLists) Register(event string, want []byte) (made [][]string, err error) {
	if l.registeredAs(event, want) {
		return nil, nil
	}
	if err := l.CutEvent(event); err != nil {
		return nil, err
	}
	return l.Append([]string{"hooks", event}, want)
}

// registeredAs says whether ours is there exactly once and as wanted.
func (l HookLists) registeredAs(event string, want []byte) bool {
	w, err := trace.DecodeJSON(want)
	if err != nil {
		return false
	}
	mine := l.Ours(event)
	return len(mine) == 1 && trace.Equal(l.Groups(event)[mine[0]], w)
}

// CutEvent removes our handlers of an event, and groups that held nothing else.
func (l HookLists) CutEvent(event string) error {
	groups := l.Groups(event)
	for _, i := range slices.Backward(l.Ours(event)) {
		at := []string{"hooks", event, strconv.Itoa(i)}
		handlers := HandlersOf(groups[i])
		if !slices.ContainsFunc(handlers, func(h Object) bool { return !l.isOurs(h) }) {
			if err := l.Remove(at...); err != nil {
				return err
			}
			continue
		}
		for k, h := range slices.Backward(handlers) {
			if !l.isOurs(h) {
				continue
			}
			if err := l.Remove(append(slices.Clone(at), "hooks", strconv.Itoa(k))...); err != nil {
				return err
			}
		}
	}
	return nil
}

// Ours are the indexes of the event's groups that hold a handler of ours.
func (l HookLists) Ours(event string) []int {
	var found []int
	for i, g := range l.Groups(event) {
		if slices.ContainsFunc(HandlersOf(g), l.isOurs) {
			found = append(found, i)
		}
	}
	return found
}

func (l HookLists) isOurs(h Object) bool { return IsOurs(HandlerWords(h), l.Harness) }

// CutHooks takes our handlers out of a settings file.
func CutHooks(harness string, src []byte, made [][]string) ([]byte, error) {
	l, err := ParseHookLists(src, harness)
	if err != nil {
		return nil, err
	}
	found := false
	for _, event := range l.Events() {
		if len(l.Ours(event)) == 0 {
			continue
		}
		found = true
		if err := l.CutEvent(event); err != nil {
			return nil, err
		}
		if _, err := l.Prune(madeOr(made, "hooks", event), "hooks", event); err != nil {
			return nil, err
		}
	}
	if !found {
		return src, nil
	}
	_, err = l.Prune(madeOr(made, "hooks"), "hooks")
	return l.Bytes(), err
}

// madeOr adds path to made when nothing is known of the install: a list that is
// empty without us was ours.
func madeOr(made [][]string, path ...string) [][]string {
	if made != nil {
		return made
	}
	return [][]string{path}
}

// HandlersOf are the handlers of a group.
func HandlersOf(group any) []Object {
	m, _ := group.(map[string]any)
	var out []Object
	for _, h := range Object(m).List("hooks") {
		o, _ := h.(map[string]any)
		out = append(out, o)
	}
	return out
}

// HandlerWords are the words of a handler's command: in Claude Code's exec form
// the arguments stand apart.
func HandlerWords(h Object) []string {
	args, ok := h["args"].([]any)
	if !ok {
		return Words(h.Text("command"))
	}
	words := []string{h.Text("command")}
	for _, a := range args {
		s, _ := a.(string)
		words = append(words, s)
	}
	return words
}
