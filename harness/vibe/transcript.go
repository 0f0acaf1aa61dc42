package vibe

import (
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/trace"
)

// Newest is the session record written last: messages.jsonl of the legacy
// engine, or the chunk of a unified session that holds its messages.
func (Adapter) Newest(o adapter.InstallOptions) adapter.Record {
	path := adapter.NewestFile(filepath.Join(o.UserDir, "logs", "session"), func(path string, d fs.DirEntry) bool {
		if d.Name() == "messages.jsonl" {
			return !strings.Contains(path, string(filepath.Separator)+"agents"+string(filepath.Separator))
		}
		return filepath.Base(filepath.Dir(path)) == "chunks" && startsWith(path, `[{"message":`)
	})
	if path == "" {
		return adapter.Record{}
	}
	r := adapter.Record{Path: path}
	dir := filepath.Dir(path)
	if filepath.Base(dir) == "chunks" {
		dir = filepath.Dir(dir)
	}
	if src, err := adapter.ReadSmall(filepath.Join(dir, "meta.json")); err == nil {
		if m, err := adapter.ParseObject(src); err == nil {
			r.Session, r.Dir = m.Text("session_id"), m.Object("environment").Text("working_directory")
		}
	}
	return r
}

func startsWith(path, prefix string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(prefix))
	_, err = io.ReadFull(f, b)
	return err == nil && string(b) == prefix
}

// Transcripts reads the messages of a session, one a line as the legacy engine
// writes them, or a list of them as the unified engines do.
func (Adapter) Transcripts(r io.Reader) iter.Seq2[adapter.Item, error] {
	return func(yield func(adapter.Item, error) bool) {
		var open adapter.Pending
		for line, err := range adapter.Lines(r) {
			if err != nil {
				yield(adapter.Item{}, err)
				return
			}
			v, err := trace.DecodeJSON(line)
			if err != nil {
				if !yield(adapter.Item{Skipped: "not JSON"}, nil) {
					return
				}
				continue
			}
			for _, m := range messages(v) {
				for _, it := range read(m, &open) {
					if !yield(it, nil) {
						return
					}
				}
			}
		}
		open.Rest(yield)
	}
}

// messages are the messages in one line.
func messages(v any) []adapter.Object {
	switch v := v.(type) {
	case map[string]any:
		if m := adapter.Object(v).Object("message"); m != nil {
			return []adapter.Object{m}
		}
		return []adapter.Object{v}
	case []any:
		var out []adapter.Object
		for _, e := range v {
			out = append(out, messages(e)...)
		}
		return out
	}
	return nil
}

func read(m adapter.Object, open *adapter.Pending) []adapter.Item {
	switch m.Text("role") {
	case "assistant":
		var items []adapter.Item
		for _, v := range append(m.List("tool_calls"), m.List("content")...) {
			t, _ := v.(map[string]any)
			it, ok := callIn(t)
			switch {
			case !ok:
			case it.Skipped != "":
				items = append(items, it)
			default:
				open.Call(it.Call.ID, it)
			}
		}
		return items
	case "tool":
		it, ok := open.Result(m.Text("tool_call_id"))
		if !ok {
			return nil
		}
		result, text := toolText(m["content"])
		if !refused(text) {
			it.Call.Outcome = adapter.Ended(statusIn(it.Call, m, result, text), result)
		}
		return []adapter.Item{it}
	}
	return nil
}

// callIn reads a call of either engine. Programs that call tools are not calls
// themselves.
func callIn(t adapter.Object) (adapter.Item, bool) {
	var name, id string
	var input any
	switch {
	case t.Text("type") == "tool_call":
		name, id = t.Text("name"), t.Text("id")
		input = t.Object("arguments")["value"]
	case t.Object("function") != nil:
		f := t.Object("function")
		name, id = f.Text("name"), t.Text("id")
		v, err := trace.DecodeJSON([]byte(f.Text("arguments")))
		if err != nil {
			return adapter.Item{Skipped: "a call whose arguments are not JSON"}, true
		}
		input = v
	default:
		return adapter.Item{}, false
	}
	if name == "run_typescript" || name == "search_tool_functions" {
		return adapter.Item{}, false
	}
	if name == "" || id == "" {
		return adapter.Item{Skipped: "a call without name or id"}, true
	}
	base := trace.Call{ID: id, Native: name, Harness: Name}
	return adapter.Item{Call: canonical(adapter.Env{}, base, input)}, true
}

func toolText(v any) (result any, text string) {
	switch v := v.(type) {
	case string:
		text = v
	case []any:
		var texts []string
		for _, e := range v {
			m, _ := e.(map[string]any)
			texts = append(texts, adapter.Object(m).Text("text"))
		}
		text = strings.Join(texts, "\n")
	}
	if d, err := trace.DecodeJSON([]byte(text)); err == nil {
		if m, ok := d.(map[string]any); ok {
			return m, text
		}
	}
	return text, text
}

// refused knows the texts of calls that did not run. The unified engines show
// the bare reason of a hook, which nothing tells from a failure.
func refused(text string) bool {
	return text == refusedByUser || strings.Contains(text, "was denied by hook '") ||
		strings.HasPrefix(text, "Tool execution was skipped")
}

func statusIn(c trace.Call, m adapter.Object, result any, text string) *int {
	out, _ := result.(map[string]any)
	if out == nil {
		out = m.Object("tool_result").Object("output")
	}
	if n, ok := adapter.Object(out).Int("returncode"); ok {
		return &n
	}
	if n, ok := returnCode(text); ok && c.Tool == "Bash" {
		return &n
	}
	switch {
	case strings.HasPrefix(text, "<tool_error>"), m.Text("outcome") == "failure":
		return new(1)
	case c.Tool == "Bash":
		return nil
	}
	return new(0)
}
