package claudecode

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
)

// ErrStatusLine says that somebody else's status line is in the settings.
var ErrStatusLine = errors.New("there is a status line already")

type statusLine struct {
	Type    string `json:"type"`
	Command string `json:"command"`
}

// keptStatusLine holds the status line that was replaced.
const keptStatusLine = "statusline.kept"

// InstallStatusLine makes ours the status line of the user's settings. With Force
// it replaces another one, which is kept.
func (Adapter) InstallStatusLine(o adapter.InstallOptions) (adapter.Change, error) {
	path := filepath.Join(o.UserDir, "settings.json")
	src, err := adapter.ReadOrNothing(path)
	if err != nil {
		return adapter.Change{}, err
	}
	j, err := edit.ParseJSON(src)
	if err != nil {
		return adapter.Change{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	if err := plainJSON(path, src); err != nil {
		return adapter.Change{}, err
	}
	old, there := j.Get("statusLine")
	if there && !isOurStatusLine(old) {
		if !o.Force {
			return adapter.Change{}, ErrStatusLine
		}
		if err := o.Keep(keptStatusLine, edit.Raw(old)); err != nil {
			return adapter.Change{}, err
		}
	}
	line := statusLine{Type: "command", Command: adapter.Quote(o.Program) + " statusline"}
	made, err := j.Set([]string{"statusLine"}, edit.Raw(line))
	if err != nil {
		return adapter.Change{}, err
	}
	changed, err := o.Apply(Name, []adapter.File{{Path: path, New: j.Bytes(), Mode: 0o600, Made: made, Cut: cutAll}})
	if err != nil {
		return adapter.Change{}, err
	}
	return changed[0], nil
}

// RemoveStatusLine takes ours out and puts a replaced one back.
func (Adapter) RemoveStatusLine(o adapter.InstallOptions) (adapter.Change, error) {
	path := filepath.Join(o.UserDir, "settings.json")
	src, err := adapter.ReadOrNothing(path)
	if err != nil {
		return adapter.Change{}, err
	}
	j, err := edit.ParseJSON(src)
	if err != nil {
		return adapter.Change{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	old, there := j.Get("statusLine")
	if !there || !isOurStatusLine(old) {
		return adapter.Change{Path: path, Action: "unchanged"}, nil
	}
	if !hasHooks(j) {
		c, err := o.Undo(path, cutAll)
		if kept, ok := o.Kept(keptStatusLine); ok && err == nil && c.Action == "changed" {
			err = putBack(o, path, kept)
		}
		o.DropKept(keptStatusLine)
		return c, err
	}
	if kept, ok := o.Kept(keptStatusLine); ok {
		_, err = j.Set([]string{"statusLine"}, kept)
	} else {
		err = j.Remove("statusLine")
	}
	if err != nil {
		return adapter.Change{}, err
	}
	c, err := o.Rewrite(path, j.Bytes())
	if err == nil {
		o.DropKept(keptStatusLine)
	}
	return c, err
}

// putBack gives an edited settings file the status line that ours replaced.
func putBack(o adapter.InstallOptions, path string, kept []byte) error {
	src, err := adapter.ReadOrNothing(path)
	if err != nil {
		return err
	}
	j, err := edit.ParseJSON(src)
	if err != nil {
		return err
	}
	if _, err := j.Set([]string{"statusLine"}, kept); err != nil {
		return err
	}
	_, err = o.Rewrite(path, j.Bytes())
	return err
}

// hasHooks says whether hooks of ours are in a settings file.
func hasHooks(j *edit.JSON) bool {
	l := adapter.HookLists{JSON: j, Harness: Name}
	return slices.ContainsFunc(l.Events(), func(event string) bool { return len(l.Ours(event)) > 0 })
}

func isOurStatusLine(v any) bool {
	m, _ := v.(map[string]any)
	words := adapter.Words(adapter.Object(m).Text("command"))
	return len(words) == 2 && words[1] == "statusline" && slices.Contains([]string{"agentltl-hook", "agentltl"}, filepath.Base(words[0]))
}

// cutAll takes hooks and status line out of a settings file.
func cutAll(src []byte, made [][]string) ([]byte, error) {
	out, err := cutHooks(src, made)
	if err != nil {
		return nil, err
	}
	j, err := edit.ParseJSON(out)
	if err != nil {
		return nil, err
	}
	if v, ok := j.Get("statusLine"); !ok || !isOurStatusLine(v) {
		return out, nil
	}
	err = j.Remove("statusLine")
	return j.Bytes(), err
}
