package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Result is a tool result that reached the model.
type Result struct {
	Call    string // the call's id
	Tool    string
	Text    string
	IsError bool // only the Anthropic protocol tells
}

// An Asked is one request, kept for the test.
type Asked struct {
	Path    string
	Lane    string // "" for a request no turn answered
	Turn    int
	Tools   []string
	Users   []string
	System  string
	Results []Result
	Body    string
}

// A Server answers from a script. It is an http.Handler.
type Server struct {
	mu     sync.Mutex
	script Script
	at     map[string]int // lane -> requests answered
	asked  []Asked
	run    string // makes ids of two servers differ: a resumed session still knows the old ones
	ids    int
}

// New returns a server for the script.
func New(s Script) *Server {
	return &Server{
		script: s,
		at:     map[string]int{},
		run:    strconv.FormatInt(time.Now().UnixNano(), 36),
	}
}

// Asked lists all requests so far.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

// Results lists each tool result once, in the order of arrival: agents send the
// whole conversation again with every request.
func (s *Server) Results() []Result {
	seen := map[Result]bool{}
	var out []Result
	for _, a := range s.Asked() {
		for _, r := range a.Results {
			if !seen[r] {
				seen[r] = true
				out = append(out, r)
			}
		}
	}
	return out
}

// Left says how many turns of the main conversation were not asked for.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, len(s.script.Turns)-s.at[mainLane])
}

// Heard says whether text arrived in any request.
func (s *Server) Heard(text string) bool {
	for _, a := range s.Asked() {
		if a.heard(text) {
			return true
		}
	}
	return false
}

func (a Asked) heard(text string) bool {
	if strings.Contains(a.System, text) {
		return true
	}
	for _, u := range a.Users {
		if strings.Contains(u, text) {
			return true
		}
	}
	for _, r := range a.Results {
		if strings.Contains(r.Text, text) {
			return true
		}
	}
	return false
}

// A wire is one protocol.
type wire struct {
	read func(map[string]any) request
	send func(w http.ResponseWriter, r request, id string, t Turn)
}

// ServeHTTP routes by the end of the path, so that any base URL works.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	path := strings.TrimSuffix(r.URL.Path, "/")
	post := r.Method == http.MethodPost
	switch {
	case r.Method == http.MethodHead:
		w.WriteHeader(http.StatusOK)
	case strings.HasSuffix(path, "/messages/count_tokens"):
		writeJSON(w, http.StatusOK, object{"input_tokens": 100})
	case post && strings.HasSuffix(path, "/messages"):
		s.answer(w, path, body, wire{readMessages, sendMessages})
	case post && strings.HasSuffix(path, "/chat/completions"):
		s.answer(w, path, body, wire{readChat, sendChat})
	case post && strings.HasSuffix(path, "/responses"):
		s.answer(w, path, body, wire{readResponses, sendResponses})
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		s.models(w)
	default:
		s.keep(Asked{Path: path, Body: string(body)})
		writeJSON(w, http.StatusNotFound, object{"error": object{"message": "no such path: " + path}})
	}
}

func (s *Server) keep(a Asked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, a)
}

func (s *Server) models(w http.ResponseWriter) {
	names := s.script.Models
	if len(names) == 0 {
		names = []string{"scripted"}
	}
	data := []any{}
	for _, n := range names {
		data = append(data, object{
			"id": n, "object": "model", "type": "model", "display_name": n, "owned_by": "test",
			"created_at": "2026-01-01T00:00:00Z", "created": 0,
		})
	}
	writeJSON(w, http.StatusOK, object{"object": "list", "data": data, "has_more": false})
}

func (s *Server) answer(w http.ResponseWriter, path string, body []byte, p wire) {
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		writeJSON(w, http.StatusBadRequest, object{"error": object{"message": err.Error()}})
		return
	}
	req := p.read(m)
	req.stream, _ = m["stream"].(bool)
	req.model = text(m["model"])
	req.body = string(body)
	turn, id := s.next(req, path)
	time.Sleep(turn.Delay)
	if turn.Status != 0 {
		writeJSON(w, turn.Status, object{"type": "error", "error": object{
			"type": "api_error", "code": "scripted", "message": turn.Text,
		}})
		return
	}
	p.send(w, req, id, turn)
}

const mainLane = "main"

// next picks the turn for a request, keeps the request and makes the ids.
func (s *Server) next(r request, path string) (Turn, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lane, turn := s.pick(r)
	turn = turn.fill(r.body)
	for i := range turn.Calls {
		if turn.Calls[i].ID == "" {
			s.ids++
			turn.Calls[i].ID = fmt.Sprintf("call_%s_%d", s.run, s.ids)
		}
	}
	if turn.TokensIn == 0 {
		turn.TokensIn = 100
	}
	if turn.TokensOut == 0 {
		turn.TokensOut = 20
	}
	s.asked = append(s.asked, Asked{
		Path: path, Lane: lane, Turn: s.at[lane] - 1, Tools: r.tools, Users: r.users,
		System: r.system, Results: r.results, Body: r.body,
	})
	return turn, fmt.Sprintf("%s_%d", s.run, len(s.asked))
}

func (s *Server) pick(r request) (string, Turn) {
	for _, l := range s.script.Lanes {
		if l.When.matches(r) {
			return l.Name, s.turn(l.Name, l.Turns, l.Then)
		}
	}
	if len(r.tools) == 0 && !r.declaresTools {
		side := s.script.Side
		if side == "" {
			side = "ok"
		}
		return "side", s.turn("side", nil, &Turn{Text: side})
	}
	return mainLane, s.turn(mainLane, s.script.Turns, nil)
}

func (s *Server) turn(lane string, turns []Turn, then *Turn) Turn {
	n := s.at[lane]
	s.at[lane]++
	switch {
	case n < len(turns):
		return turns[n]
	case then != nil:
		return *then
	}
	return Turn{Text: "done"}
}
