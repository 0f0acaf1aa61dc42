package claudecode

import (
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/hooks"
)

// Newest is the session record written last below projects/.
func (Adapter) Newest(o adapter.InstallOptions) adapter.Record {
	return adapter.Record{Path: adapter.NewestFile(filepath.Join(o.UserDir, "projects"), func(path string, d fs.DirEntry) bool {
		return strings.HasSuffix(path, ".jsonl") && !strings.Contains(path, string(filepath.Separator)+"subagents"+string(filepath.Separator))
	})}
}

// Transcripts reads a session record: assistant lines with tool_use blocks, user
// lines with their tool_result. A refused call has a result that says so; it did
// not run.
func (Adapter) Transcripts(r io.Reader) iter.Seq2[adapter.Item, error] {
	return func(yield func(adapter.Item, error) bool) {
		var open adapter.Pending
		for line, err := range adapter.Lines(r) {
			if err != nil {
				yield(adapter.Item{}, err)
				return
			}
			p, err := adapter.ParseObject(line)
			if err != nil {
				if !yield(adapter.Item{Skipped: "not a JSON object"}, nil) {
					return
				}
				continue
			}
			switch p.Text("type") {
			case "assistant":
				for _, it := range callsIn(p) {
					open.Call(it.Call.ID, it)
				}
			case "user":
				for _, it := range resultsIn(p, &open) {
					if !yield(it, nil) {
						return
					}
				}
			}
		}
		open.Rest(yield)
	}
}

// callsIn are the tool_use blocks of an assistant line.
func callsIn(p adapter.Object) []adapter.Item {
	e := hooks.Event{Session: p.Text("sessionId"), Dir: p.Text("cwd"), Agent: p.Text("agentId")}
	at := timeOf(p)
	var items []adapter.Item
	for _, v := range p.Object("message").List("content") {
		m, _ := v.(map[string]any)
		b := adapter.Object(m)
		if b.Text("type") != "tool_use" {
			continue
		}
		if b.Text("name") == "" || b.Text("id") == "" {
			items = append(items, adapter.Item{Skipped: "a tool_use block without name or id"})
			continue
		}
		c := canonical(e, adapter.Object{
			"tool_name": b["name"], "tool_input": b["input"], "tool_use_id": b["id"],
		})
		c.Time = at
		c.Batch = p.Object("message").Text("id")
		items = append(items, adapter.Item{Call: c, Session: e.Session})
	}
	return items
}

// resultsIn are the calls that a user line brings the results of.
func resultsIn(p adapter.Object, open *adapter.Pending) []adapter.Item {
	var items []adapter.Item
	for _, v := range p.Object("message").List("content") {
		m, _ := v.(map[string]any)
		b := adapter.Object(m)
		if b.Text("type") != "tool_result" {
			continue
		}
		it, ok := open.Result(b.Text("tool_use_id"))
		if !ok {
			continue
		}
		text := resultText(b["content"])
		switch {
		case didNotRun(p, b, text):
		case b.Bool("is_error"):
			it.Call.Outcome = adapter.Ended(new(failureStatus(text)), text)
		default:
			result, ok := p["toolUseResult"]
			if !ok {
				result = text
			}
			it.Call.Outcome = adapter.Ended(status(it.Call.Native, result), result)
		}
		if at := timeOf(p); !at.IsZero() {
			it.Call.Time = at
		}
		items = append(items, it)
	}
	return items
}

// didNotRun tells refusals and calls that were not accepted from failures. Newer
// records say so in fields, older ones in the text only.
func didNotRun(p, block adapter.Object, text string) bool {
	if p.Object("permissionDecision").Text("decision") == "reject" || p.Text("toolDenialKind") != "" {
		return true
	}
	if !block.Bool("is_error") {
		return false
	}
	for _, start := range []string{
		"<tool_use_error>", "PreToolUse:", "Permission to use ",
		"The user doesn't want to proceed with this tool use", "[Request interrupted",
	} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

func resultText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var texts []string
		for _, e := range v {
			m, _ := e.(map[string]any)
			if t := adapter.Object(m).Text("text"); t != "" {
				texts = append(texts, t)
			}
		}
		return strings.Join(texts, "\n")
	}
	return ""
}

func timeOf(p adapter.Object) time.Time {
	t, err := time.Parse(time.RFC3339Nano, p.Text("timestamp"))
	if err != nil {
		return time.Time{}
	}
	return t
}
