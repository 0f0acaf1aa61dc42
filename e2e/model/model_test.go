package model

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func post(t *testing.T, s *Server, path, body string) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	out, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestProtocols: each protocol, whole and streamed, carries the text, the call
// and its arguments, and what came back is understood.
func TestProtocols(t *testing.T) {
	script := Say(Turn{Text: "I look.", Calls: []Call{{ID: "c1", Name: "Bash", Args: object{"command": "ls <x>"}}}})
	for _, tt := range []struct{ name, path, body, call string }{
		{"messages", "/v1/messages", `{"model":"m","tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"go"}]}`, `"tool_use"`},
		{"chat", "/v1/chat/completions", `{"model":"m","tools":[{"function":{"name":"Bash"}}],"messages":[{"role":"user","content":"go"}]}`, `"tool_calls"`},
		{"responses", "/v1/responses", `{"model":"m","tools":[{"name":"Bash"}],"input":"go"}`, `"function_call"`},
	} {
		for _, stream := range []string{"", `"stream":true,`} {
			s := New(script)
			got := post(t, s, tt.path, strings.Replace(tt.body, "{", "{"+stream, 1))
			for _, want := range []string{"I look.", "c1", "Bash", "ls <x>", tt.call} {
				if !strings.Contains(got, want) {
					t.Errorf("%s stream=%q: no %q in\n%s", tt.name, stream, want, got)
				}
			}
			if s.Left() != 0 {
				t.Errorf("%s: %d turns left", tt.name, s.Left())
			}
			if stream == "" && !json.Valid([]byte(got)) {
				t.Errorf("%s: not JSON: %s", tt.name, got)
			}
			if a := s.Asked(); len(a) != 1 || a[0].Lane != mainLane || !a[0].heard("go") {
				t.Errorf("%s: asked %+v", tt.name, a)
			}
		}
	}
}

func TestResultsOnce(t *testing.T) {
	s := New(Script{})
	body := `{"tools":[{"name":"B"}],"messages":[
		{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"B"}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","is_error":true,"content":"no"}]}]}`
	post(t, s, "/v1/messages", body)
	post(t, s, "/v1/messages", body)
	want := Result{Call: "x", Tool: "B", Text: "no", IsError: true}
	if got := s.Results(); len(got) != 1 || got[0] != want {
		t.Errorf("results %+v, want %+v once", got, want)
	}
}

func TestLanesAndVars(t *testing.T) {
	s := New(Script{
		Lanes: []Lane{{Name: "sub", When: When{FirstUser: "SUBTASK"}, Turns: []Turn{End("sub one")}}},
		Turns: []Turn{{Vars: map[string]string{"N": `number (\d+)`}, Calls: []Call{{Name: "B", Args: object{"n": "@N@"}}}}},
	})
	chat := func(user string) string {
		return post(t, s, "/v1/chat/completions", `{"tools":[{"function":{"name":"B"}}],"messages":[{"role":"user","content":"`+user+`"}]}`)
	}
	if got := chat("SUBTASK now"); !strings.Contains(got, "sub one") {
		t.Errorf("lane: %s", got)
	}
	if got := chat("number 4 and number 17"); !strings.Contains(got, `{\"n\":\"17\"}`) {
		t.Errorf("variable: %s", got)
	}
	if got := chat("more"); !strings.Contains(got, "done") {
		t.Errorf("after the last turn: %s", got)
	}
	if got := post(t, s, "/v1/chat/completions", `{"messages":[]}`); !strings.Contains(got, "ok") {
		t.Errorf("without tools: %s", got)
	}
}

func TestErrorsAndUnknownPaths(t *testing.T) {
	s := New(Say(Turn{Status: 529, Text: "overloaded"}))
	w := httptest.NewRecorder()
	body := bytes.NewBufferString(`{"tools":[{"name":"B"}],"messages":[]}`)
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/messages", body))
	if w.Code != 529 || !strings.Contains(w.Body.String(), "overloaded") {
		t.Errorf("status turn: %d %s", w.Code, w.Body)
	}
	w = httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/telemetry", strings.NewReader("x")))
	if w.Code != http.StatusNotFound || len(s.Asked()) != 2 {
		t.Errorf("unknown path: %d, %d requests kept", w.Code, len(s.Asked()))
	}
}
