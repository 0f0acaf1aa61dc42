package vibe

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/edit"
)

func hooksPath(o adapter.InstallOptions) string {
	if o.Project {
		return filepath.Join(o.Root, ".vibe", "hooks.toml")
	}
	return filepath.Join(o.UserDir, "hooks.toml")
}

// Names of our three entries, before the random part. A project's entry of the
// same name would replace ours: it must not be guessed.
const (
	preName  = "agentltl-pre-"
	postName = "agentltl-post-"
	endName  = "agentltl-end-"
)

func prefixOf(event string) string {
	switch event {
	case preTool:
		return preName
	case postTool:
		return postName
	default:
		return endName
	}
}

// hookTimeout is far above our own deadline of a second.
const hookTimeout = 60

// block is our three entries. Only pre_tool is strict: there a failing hook
// refuses the call; on post_tool it would blank the result.
func block(o adapter.InstallOptions, random string) string {
	var b strings.Builder
	for _, event := range events() {
		fmt.Fprintf(&b, "[[hooks]]\nname = %s\ntype = %s\ncommand = %s\ntimeout = %d.0\n",
			edit.Literal(prefixOf(event)+random), edit.Literal(event), edit.Literal(adapter.DoubleQuoted(o.HookLine(Name, event))), hookTimeout)
		if event == preTool {
			b.WriteString("strict = true\n")
		}
	}
	return b.String()
}

// Install writes our block into hooks.toml; the result has to parse, because
// Vibe drops a broken file without a word.
func (a Adapter) Install(o adapter.InstallOptions) (adapter.Report, error) {
	switch {
	case o.Managed:
		return adapter.Report{}, fmt.Errorf("%s knows no managed hooks", Name)
	case o.Plugin:
		return a.installPlugin(o)
	}
	path := hooksPath(o)
	src, err := adapter.ReadOrNothing(path)
	if err != nil {
		return adapter.Report{}, err
	}
	random, err := randomPart(o, src)
	if err != nil {
		return adapter.Report{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	out, err := edit.SetBlock(src, block(o, random))
	if err != nil {
		return adapter.Report{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	changed, err := o.Apply(Name, []adapter.File{{Path: path, New: out, Mode: 0o600, Cut: cut}})
	if err != nil {
		return adapter.Report{}, err
	}
	r := adapter.Report{Changed: changed, Warnings: a.Peers(o)}
	if o.Project {
		r.Next = append(r.Next, "Vibe runs a project's hooks only in a trusted folder: answer its question once, or start it with --trust")
	}
	return r, nil
}

// randomPart is the random end of the names: that of the block which is there,
// else a new one.
func randomPart(o adapter.InstallOptions, src []byte) (string, error) {
	text, ok, err := edit.Block(src)
	if err != nil {
		return "", err
	}
	if ok {
		m, err := edit.TOML([]byte(text))
		if err == nil {
			for _, h := range entries(m) {
				if r, ok := strings.CutPrefix(h.Text("name"), preName); ok && r != "" {
					return r, nil
				}
			}
		}
	}
	if o.Random == nil {
		return "", errors.New("no source of random names")
	}
	return o.Random()
}

func cut(src []byte, _ [][]string) ([]byte, error) { return edit.CutBlock(src) }

// Remove takes our block out again.
func (a Adapter) Remove(o adapter.InstallOptions) (adapter.Report, error) {
	if o.Managed {
		return adapter.Report{}, nil
	}
	if o.Plugin {
		return a.removePlugin(o)
	}
	c, err := o.Undo(hooksPath(o), cut)
	if err != nil {
		return adapter.Report{}, err
	}
	return adapter.Report{Changed: []adapter.Change{c}}, nil
}

// Peers names hooks of the Python plugin of the same name.
func (Adapter) Peers(o adapter.InstallOptions) []string {
	var found []string
	for _, h := range entriesOf(hooksPath(o)) {
		if line := h.Text("command"); adapter.IsPeer(adapter.Words(line), Name) {
			found = append(found, "a hook of the Python plugin judges every call too: "+line+"; take it out of "+hooksPath(o))
		}
	}
	return found
}

func entries(m map[string]any) []adapter.Object {
	var out []adapter.Object
	for _, v := range adapter.Object(m).List("hooks") {
		t, _ := v.(map[string]any)
		out = append(out, t)
	}
	return out
}

// entriesOf are the hooks of a hooks.toml, none if it does not parse.
func entriesOf(path string) []adapter.Object {
	src, err := adapter.ReadSmall(path)
	if err != nil {
		return nil
	}
	m, err := edit.TOML(src)
	if err != nil {
		return nil
	}
	return entries(m)
}
