package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

type object = map[string]any

func text(v any) string   { s, _ := v.(string); return s }
func list(v any) []any    { l, _ := v.([]any); return l }
func fields(v any) object { m, _ := v.(object); return m }
func truth(v any) bool    { b, _ := v.(bool); return b }
func with(o object, k string, v any) object {
	out := object{k: v}
	for key, val := range o {
		if key != k {
			out[key] = val
		}
	}
	return out
}

// plain joins the text of a content field: a text, or a list of parts.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var parts []string
	for _, p := range list(v) {
		if t := text(fields(p)["text"]); t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, "\n")
}

func encode(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the agent hung up: the test sees it elsewhere
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	encode(w, v)
}

// events starts an event stream; an empty name leaves the event line out.
func events(w http.ResponseWriter) func(name string, v any) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	return func(name string, v any) {
		if name != "" {
			fmt.Fprintf(w, "event: %s\n", name)
		}
		_, _ = io.WriteString(w, "data: ")
		encode(w, v)
		_, _ = io.WriteString(w, "\n")
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
}
