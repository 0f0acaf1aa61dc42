package model

import (
	"encoding/json"
	"net/http"
)

// readMessages reads a request of the Anthropic messages API.
func readMessages(m map[string]any) request {
	r := request{system: plain(m["system"])}
	for _, t := range list(m["tools"]) {
		r.tools = append(r.tools, text(fields(t)["name"]))
	}
	names := map[string]string{}
	for _, x := range list(m["messages"]) {
		msg := fields(x)
		if t := plain(msg["content"]); t != "" && text(msg["role"]) == "user" {
			r.users = append(r.users, t)
		}
		for _, p := range list(msg["content"]) {
			b := fields(p)
			switch text(b["type"]) {
			case "tool_use":
				names[text(b["id"])] = text(b["name"])
			case "tool_result":
				id := text(b["tool_use_id"])
				r.results = append(r.results, Result{id, names[id], plain(b["content"]), truth(b["is_error"])})
			}
		}
	}
	return r
}

func sendMessages(w http.ResponseWriter, r request, id string, t Turn) {
	usage := object{
		"input_tokens": t.TokensIn, "output_tokens": t.TokensOut,
		"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
	}
	stop := "end_turn"
	var blocks []object
	if t.Text != "" {
		blocks = append(blocks, object{"type": "text", "text": t.Text})
	}
	for _, c := range t.Calls {
		stop = "tool_use"
		blocks = append(blocks, object{
			"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.arguments()),
		})
	}
	msg := object{
		"id": "msg_" + id, "type": "message", "role": "assistant", "model": r.model,
		"content": blocks, "stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if !r.stream {
		writeJSON(w, http.StatusOK, msg)
		return
	}
	emit := events(w)
	emit("message_start", object{
		"type": "message_start", "message": with(with(msg, "content", []any{}), "stop_reason", nil),
	})
	for i, b := range blocks {
		start, delta := with(b, "text", ""), object{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			start = with(b, "input", object{})
			delta = object{"type": "input_json_delta", "partial_json": string(b["input"].(json.RawMessage))}
		}
		emit("content_block_start", object{"type": "content_block_start", "index": i, "content_block": start})
		emit("content_block_delta", object{"type": "content_block_delta", "index": i, "delta": delta})
		emit("content_block_stop", object{"type": "content_block_stop", "index": i})
	}
	emit("message_delta", object{
		"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage,
	})
	emit("message_stop", object{"type": "message_stop"})
}
