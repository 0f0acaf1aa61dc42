package codex

import (
	"slices"
	"strconv"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
	"github.com/agentltl/agentltl-hook/trace"
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
	j, err := edit.ParseJSON(src)
	if err != nil {
		return nil, nil, err
	}
	for _, event := range events() {
		want := edit.Raw(entry(o, event))
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

func registeredAs(j *edit.JSON, event string, want []byte) bool {
	w, err := trace.DecodeJSON(want)
	if err != nil {
		return false
	}
	v, _ := j.Get("hooks", event)
	list, _ := v.([]any)
	mine := ours(list)
	return len(mine) == 1 && trace.Equal(list[mine[0]], w)
}

// cut takes our groups out of a hooks.json.
func cut(src []byte, made [][]string) ([]byte, error) {
	j, err := edit.ParseJSON(src)
	if err != nil {
		return nil, err
	}
	found := false
	for _, event := range j.Keys("hooks") {
		v, _ := j.Get("hooks", event)
		list, _ := v.([]any)
		if len(ours(list)) == 0 {
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

func cutEvent(j *edit.JSON, event string) error {
	v, _ := j.Get("hooks", event)
	list, _ := v.([]any)
	for _, i := range slices.Backward(ours(list)) {
		if err := j.Remove("hooks", event, strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// ours are the indexes of our groups. A group of ours holds one handler.
func ours(list []any) []int {
	var found []int
	for i, g := range list {
		for _, h := range handlersOf(g) {
			if adapter.IsOurs(adapter.Words(h.Text("command")), Name) {
				found = append(found, i)
				break
			}
		}
	}
	return found
}

func handlersOf(g any) []adapter.Object {
	m, _ := g.(map[string]any)
	var out []adapter.Object
	for _, h := range adapter.Object(m).List("hooks") {
		o, _ := h.(map[string]any)
		out = append(out, o)
	}
	return out
}
