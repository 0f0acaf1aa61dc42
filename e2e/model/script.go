// Package model is a scripted language model for the end-to-end tests.
//
// A [Server] answers the wire protocols that the coding agents speak (Anthropic
// messages, OpenAI chat completions, OpenAI responses; streamed or whole) from
// one [Script], so that an agent pointed at it makes exactly the tool calls the
// script names. It keeps every request: a test asks [Server.Results] which tool
// results and refusals reached the model.
//
// It thinks nothing, checks no key and is meant for loopback only.
package model

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// A Script is what the model says.
type Script struct {
	// Lanes are conversations apart from the main one (subagents, summaries). The
	// first whose When matches a request answers it and moves on.
	Lanes []Lane
	// Turns are the main conversation: its n-th request gets the n-th turn.
	Turns []Turn
	// Side answers requests that match no lane and declare no tools: titles,
	// probes. They do not move the main conversation on.
	Side string
	// Models are the names of the model list.
	Models []string
}

// Say is a script of these turns alone.
func Say(turns ...Turn) Script { return Script{Turns: turns} }

// A Lane is one conversation with its own position.
type Lane struct {
	Name  string
	When  When
	Turns []Turn
	// Then is the answer after the last turn; nil: the text "done".
	Then *Turn
}

// When selects requests. Each text that is set must be a part of what it names.
type When struct {
	System, FirstUser, LastUser, Model string
	Body                               string // anywhere in the raw request
	Tool                               string // a declared tool of exactly this name
}

// A Turn is one answer of the model. Several calls arrive as one message.
type Turn struct {
	Text      string
	Calls     []Call
	TokensIn  int // reported usage; a large number makes an agent compact its context
	TokensOut int
	Status    int // not 0: that HTTP status, with Text as the API's error message
	Delay     time.Duration
	// Vars are regular expressions looked up in the request; in the calls'
	// arguments @NAME@ becomes the first group of the last match. For what only
	// the agent knows, such as the number of a running process.
	Vars map[string]string
}

// Do is a turn that makes these calls in one message.
func Do(calls ...Call) Turn { return Turn{Calls: calls} }

// End is a turn without calls: the agent's turn ends.
func End(text string) Turn { return Turn{Text: text} }

// A Call is one tool call.
type Call struct {
	ID        string // made up when empty, never the same in two servers
	Name      string
	Namespace string // responses only: Codex sorts some tools into namespaces
	Args      any    // encoded as JSON; a json.RawMessage is sent as it is
	Input     string // responses only: text of a custom tool
	Custom    bool   // responses only: Input counts, not Args
}

// arguments are the call's arguments as one JSON text.
func (c Call) arguments() string {
	if c.Args == nil {
		return "{}"
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c.Args); err != nil {
		panic("model: arguments of " + c.Name + ": " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fill returns the turn with its variables replaced by what body holds.
func (t Turn) fill(body string) Turn {
	t.Calls = append([]Call(nil), t.Calls...)
	for name, expr := range t.Vars {
		value := ""
		if all := regexp.MustCompile(expr).FindAllStringSubmatch(body, -1); len(all) > 0 {
			last := all[len(all)-1]
			value = last[len(last)-1]
		}
		for i, c := range t.Calls {
			t.Calls[i].Input = strings.ReplaceAll(c.Input, "@"+name+"@", value)
			t.Calls[i].Args = json.RawMessage(strings.ReplaceAll(c.arguments(), "@"+name+"@", value))
		}
	}
	return t
}

// A request is what all protocols have in common.
type request struct {
	model         string
	stream        bool
	system        string
	users         []string // texts of user messages, tool results excluded
	tools         []string
	results       []Result
	body          string
	declaresTools bool
}

func (w When) matches(r request) bool {
	first, last := "", ""
	if n := len(r.users); n > 0 {
		first, last = r.users[0], r.users[n-1]
	}
	if w.Tool != "" {
		found := false
		for _, t := range r.tools {
			found = found || t == w.Tool
		}
		if !found {
			return false
		}
	}
	return strings.Contains(r.system, w.System) && strings.Contains(r.model, w.Model) &&
		strings.Contains(first, w.FirstUser) && strings.Contains(last, w.LastUser) &&
		strings.Contains(r.body, w.Body)
}
