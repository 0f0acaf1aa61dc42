package model

import (
	"io"
	"net/http"
	"time"
)

// readChat reads a request of the OpenAI chat completions API.
func readChat(m map[string]any) request {
	r := request{}
	for _, t := range list(m["tools"]) {
		name := text(fields(fields(t)["function"])["name"])
		if name == "" {
			name = text(fields(fields(t)["custom"])["name"])
		}
		r.tools = append(r.tools, name)
	}
	names := map[string]string{}
	for _, x := range list(m["messages"]) {
		msg := fields(x)
		switch text(msg["role"]) {
		case "system", "developer":
			r.system += plain(msg["content"]) + "\n"
		case "user":
			r.users = append(r.users, plain(msg["content"]))
		case "assistant":
			for _, c := range list(msg["tool_calls"]) {
				names[text(fields(c)["id"])] = text(fields(fields(c)["function"])["name"])
			}
		case "tool":
			id := text(msg["tool_call_id"])
			r.results = append(r.results, Result{Call: id, Tool: names[id], Text: plain(msg["content"])})
		}
	}
	return r
}

func sendChat(w http.ResponseWriter, r request, id string, t Turn) {
	usage := object{
		"prompt_tokens": t.TokensIn, "completion_tokens": t.TokensOut, "total_tokens": t.TokensIn + t.TokensOut,
	}
	finish := "stop"
	calls := []any{}
	for i, c := range t.Calls {
		finish = "tool_calls"
		arguments := c.arguments()
		if c.Custom {
			arguments = c.Input
		}
		calls = append(calls, object{
			"index": i, "id": c.ID, "type": "function",
			"function": object{"name": c.Name, "arguments": arguments},
		})
	}
	head := object{"id": "chatcmpl_" + id, "created": time.Now().Unix(), "model": r.model}
	if !r.stream {
		msg := object{"role": "assistant", "content": t.Text}
		if len(calls) > 0 {
			msg["tool_calls"] = calls
		}
		head["object"], head["usage"] = "chat.completion", usage
		head["choices"] = []any{object{"index": 0, "message": msg, "finish_reason": finish}}
		writeJSON(w, http.StatusOK, head)
		return
	}
	head["object"] = "chat.completion.chunk"
	emit := events(w)
	chunk := func(delta object, finish any) {
		emit("", with(head, "choices", []any{object{"index": 0, "delta": delta, "finish_reason": finish}}))
	}
	chunk(object{"role": "assistant", "content": t.Text}, nil)
	for _, c := range calls {
		chunk(object{"tool_calls": []any{c}}, nil)
	}
	chunk(object{}, finish)
	emit("", with(with(head, "choices", []any{}), "usage", usage))
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}
