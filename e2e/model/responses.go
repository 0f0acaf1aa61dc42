package model

import (
	"net/http"
	"time"
)

// readResponses reads a request of the OpenAI responses API. Codex in code mode
// declares its tools in an input item, not under "tools".
func readResponses(m map[string]any) request {
	r := request{system: text(m["instructions"])}
	for _, t := range list(m["tools"]) {
		name := text(fields(t)["name"])
		if name == "" {
			name = text(fields(t)["type"])
		}
		r.tools = append(r.tools, name)
	}
	if t := text(m["input"]); t != "" {
		r.users = append(r.users, t)
	}
	names := map[string]string{}
	for _, x := range list(m["input"]) {
		item := fields(x)
		switch text(item["type"]) {
		case "additional_tools":
			r.declaresTools = true
		case "function_call", "custom_tool_call":
			names[text(item["call_id"])] = text(item["name"])
		case "function_call_output", "custom_tool_call_output":
			id := text(item["call_id"])
			r.results = append(r.results, Result{Call: id, Tool: names[id], Text: plain(item["output"])})
		case "message", "":
			switch text(item["role"]) {
			case "user":
				r.users = append(r.users, plain(item["content"]))
			case "system", "developer":
				r.system += "\n" + plain(item["content"])
			}
		}
	}
	return r
}

// items are the output items of a turn.
func items(t Turn, id string) []object {
	var out []object
	if t.Text != "" {
		out = append(out, object{
			"id": "msg_" + id, "type": "message", "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": t.Text, "annotations": []any{}}},
		})
	}
	for _, c := range t.Calls {
		item := object{
			"id": "fc_" + c.ID, "type": "function_call", "status": "completed",
			"call_id": c.ID, "name": c.Name, "arguments": c.arguments(),
		}
		if c.Custom {
			item = object{
				"id": "ctc_" + c.ID, "type": "custom_tool_call", "status": "completed",
				"call_id": c.ID, "name": c.Name, "input": c.Input,
			}
		}
		if c.Namespace != "" {
			item["namespace"] = c.Namespace
		}
		out = append(out, item)
	}
	return out
}

func sendResponses(w http.ResponseWriter, r request, id string, t Turn) {
	out := items(t, id)
	done := object{
		"id": "resp_" + id, "object": "response", "created_at": time.Now().Unix(), "status": "completed",
		"model": r.model, "output": out, "error": nil, "incomplete_details": nil, "parallel_tool_calls": true,
		"usage": object{
			"input_tokens": t.TokensIn, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": t.TokensOut, "output_tokens_details": object{"reasoning_tokens": 0},
			"total_tokens": t.TokensIn + t.TokensOut,
		},
	}
	if !r.stream {
		writeJSON(w, http.StatusOK, done)
		return
	}
	raw, seq := events(w), 0
	emit := func(kind string, o object) {
		raw(kind, with(with(o, "type", kind), "sequence_number", seq))
		seq++
	}
	emit("response.created", object{
		"response": with(with(with(done, "status", "in_progress"), "output", []any{}), "usage", nil),
	})
	for i, item := range out {
		streamItem(emit, i, item)
	}
	emit("response.completed", object{"response": done})
}

// streamItem sends one output item: begun empty, its text in one piece, then whole.
func streamItem(emit func(string, object), i int, item object) {
	empty, kind := "content", ""
	switch item["type"] {
	case "function_call":
		empty, kind = "arguments", "response.function_call_arguments"
	case "custom_tool_call":
		empty, kind = "input", "response.custom_tool_call_input"
	}
	place := object{"item_id": item["id"], "output_index": i}
	begun := with(with(item, "status", "in_progress"), empty, "")
	if kind == "" {
		begun["content"] = []any{}
	}
	emit("response.output_item.added", object{"output_index": i, "item": begun})
	if kind != "" {
		emit(kind+".delta", with(place, "delta", item[empty]))
		emit(kind+".done", with(place, empty, item[empty]))
	} else {
		part := item["content"].([]any)[0].(object)
		place["content_index"] = 0
		emit("response.content_part.added", with(place, "part", with(part, "text", "")))
		emit("response.output_text.delta", with(place, "delta", part["text"]))
		emit("response.output_text.done", with(place, "text", part["text"]))
		emit("response.content_part.done", with(place, "part", part))
	}
	emit("response.output_item.done", object{"output_index": i, "item": item})
}
