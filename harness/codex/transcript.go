package codex

import (
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/trace"
)

// Newest is the rollout written last below sessions/. Codex compresses old ones;
// those are passed over, because a reader of zstd costs every hook 0.17 ms of
// start-up where it is linked.
func (Adapter) Newest(o adapter.InstallOptions) adapter.Record {
	return adapter.Record{Path: adapter.NewestFile(filepath.Join(o.UserDir, "sessions"), func(path string, _ fs.DirEntry) bool {
		return isRollout(path)
	})}
}

// A reader holds what a rollout says about the session so far.
type reader struct {
	session, dir string
	open         adapter.Pending
	ended        map[string]*trace.Outcome // item_completed comes before the output line
}

// Transcripts reads a rollout: function_call and custom_tool_call lines with
// their outputs, and the commands that a code-mode script ran, which appear as
// completed items alone.
func (Adapter) Transcripts(r io.Reader) iter.Seq2[adapter.Item, error] {
	return func(yield func(adapter.Item, error) bool) {
		s := reader{ended: map[string]*trace.Outcome{}}
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
			for _, it := range s.line(p) {
				if !yield(it, nil) {
					return
				}
			}
		}
		s.open.Rest(yield)
	}
}

func (s *reader) line(p adapter.Object) []adapter.Item {
	payload := p.Object("payload")
	at, _ := time.Parse(time.RFC3339Nano, p.Text("timestamp"))
	switch p.Text("type") {
	case "session_meta":
		if id := payload.Text("id"); s.session == "" {
			s.session, s.dir = id, payload.Text("cwd")
		}
	case "turn_context":
		if d := payload.Text("cwd"); d != "" {
			s.dir = d
		}
	case "event_msg":
		if payload.Text("type") == "item_completed" {
			return s.completed(payload.Object("item"), at)
		}
	case "response_item":
		return s.item(payload, at)
	}
	return nil
}

func (s *reader) base(id, native string, at time.Time) trace.Call {
	return trace.Call{ID: id, Native: native, Harness: Name, Session: s.session, Dir: s.dir, Time: at}
}

// item reads a call of the model or the output it got.
func (s *reader) item(p adapter.Object, at time.Time) []adapter.Item {
	id := p.Text("call_id")
	switch p.Text("type") {
	case "function_call":
		v, err := trace.DecodeJSON([]byte(p.Text("arguments")))
		args, ok := v.(map[string]any)
		if err != nil || !ok || id == "" {
			return []adapter.Item{{Skipped: "a function call whose arguments are not an object"}}
		}
		native, input, dir := hookForm(p.Text("namespace"), p.Text("name"), args)
		if native == "" {
			return nil // never hooked
		}
		base := s.base(id, native, at)
		if dir != "" {
			base.Dir = dir
		}
		return s.note(base, input)
	case "custom_tool_call":
		if p.Text("name") == "apply_patch" && id != "" {
			return s.note(s.base(id, "apply_patch", at), map[string]any{"command": p["input"]})
		}
	case "local_shell_call":
		return []adapter.Item{{Skipped: "a local_shell_call, which this version does not run"}}
	case "function_call_output", "custom_tool_call_output":
		it, ok := s.open.Result(id)
		if !ok {
			return nil
		}
		return s.end(it, id, p["output"], at)
	}
	return nil
}

// note opens a call; of a patch its files follow together.
func (s *reader) note(base trace.Call, input any) []adapter.Item {
	calls, _, err := canonical(base, input)
	if err != nil {
		return []adapter.Item{{Skipped: err.Error()}}
	}
	for i, c := range calls {
		id := c.ID
		if i > 0 {
			id += "#" + strconv.Itoa(i)
		}
		s.open.Call(id, adapter.Item{Call: c, Session: s.session})
	}
	return nil
}

// hookForm is a model's call as hooks see it; "" if no hook does.
func hookForm(namespace, name string, args map[string]any) (native string, input map[string]any, dir string) {
	switch name {
	case "exec_command":
		in := map[string]any{}
		if v, ok := args["cmd"]; ok {
			in["command"] = v
		}
		dir, _ := args["workdir"].(string)
		return "Bash", in, dir
	case "write_stdin", "wait", "exec":
		return "", nil, ""
	}
	if strings.HasPrefix(namespace, "mcp__") {
		return strings.TrimSuffix(namespace, "__") + "__" + name, args, ""
	}
	return namespace + name, args, ""
}

// completed keeps the outcome of a command; one that no line of the model
// announced was run by a code-mode script.
func (s *reader) completed(item adapter.Object, at time.Time) []adapter.Item {
	id := item.Text("id")
	if id == "" || item.Text("type") != "CommandExecution" {
		return nil
	}
	var code *int
	if n, ok := item.Int("exit_code"); ok {
		code = &n
	}
	out := adapter.Ended(code, item["aggregated_output"])
	if !strings.HasPrefix(id, "exec-") {
		s.ended[id] = out
		return nil
	}
	words := item.List("command")
	if len(words) == 0 {
		return []adapter.Item{{Skipped: "a command without words"}}
	}
	base := s.base(id, "Bash", at)
	if d, ok := strings.CutPrefix(item.Text("cwd"), "file://"); ok {
		base.Dir = d
	}
	calls, _, err := canonical(base, map[string]any{"command": words[len(words)-1]})
	if err != nil {
		return []adapter.Item{{Skipped: err.Error()}}
	}
	var items []adapter.Item
	for _, c := range calls {
		c.Outcome = out
		items = append(items, adapter.Item{Call: c, Session: s.session})
	}
	return items
}

// end gives a call and those that came with it their outcome.
func (s *reader) end(it adapter.Item, id string, output any, at time.Time) []adapter.Item {
	items := []adapter.Item{it}
	for i := 1; ; i++ {
		more, ok := s.open.Result(id + "#" + strconv.Itoa(i))
		if !ok {
			break
		}
		items = append(items, more)
	}
	out := s.ended[id]
	delete(s.ended, id)
	text := outputText(output)
	if out == nil && !refused(text) {
		out = adapter.Ended(statusIn(it.Call.Native, text), output)
	}
	for i := range items {
		items[i].Call.Outcome = out
		if !at.IsZero() {
			items[i].Call.Time = at
		}
	}
	return items
}

// refused knows the texts the model gets for calls that did not run.
func refused(text string) bool {
	for _, start := range []string{
		"Command blocked by PreToolUse hook", "Tool call blocked by PreToolUse hook", "unsupported call",
		"exec_command failed", "failed to parse function arguments",
	} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// statusIn is the exit status that an output text names; a command that names
// none still runs. Other calls that have an output succeeded.
func statusIn(native, text string) *int {
	for _, mark := range []string{"Process exited with code ", "Exit code: "} {
		_, rest, ok := strings.Cut(text, mark)
		if !ok {
			continue
		}
		line, _, _ := strings.Cut(rest, "\n")
		if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			return &n
		}
	}
	if native == "Bash" {
		return nil
	}
	return new(0)
}

func outputText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var texts []string
		for _, e := range v {
			m, _ := e.(map[string]any)
			texts = append(texts, adapter.Object(m).Text("text"))
		}
		return strings.Join(texts, "\n")
	case map[string]any:
		return adapter.Object(v).Text("content")
	}
	return ""
}
