package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/trace"
)

// A StepFile is the JSON form of steps (rules.md 22.3): "steps" as in recorded
// rule cases, or "calls" as in recorded reports.
type StepFile struct {
	Rules   *string // text of a rule file
	Harness string
	Dir     string // below the project
	Steps   []Step
}

// ReadSteps reads a step file: JSON, or text with one step a line. Place replaces
// $ROOT and $HOMEDIR in the texts of the "steps" form.
func ReadSteps(data []byte, place *strings.Replacer) (StepFile, error) {
	text := strings.TrimSpace(string(data))
	if !strings.HasPrefix(text, "{") {
		return readLines(string(data))
	}
	v, err := trace.DecodeJSON([]byte(text))
	if err != nil {
		return StepFile{}, fmt.Errorf("not JSON: %w", err)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return StepFile{}, errors.New("not a JSON object")
	}
	var f StepFile
	if s, ok := m["rules"].(string); ok {
		f.Rules = &s
	}
	f.Harness, _ = m["harness"].(string)
	f.Dir, _ = m["cwd"].(string)
	switch {
	case m["steps"] != nil:
		if place != nil {
			m = placeAll(m, place).(map[string]any)
		}
		f.Steps, err = readList(m["steps"], readStep)
	case m["calls"] != nil:
		f.Steps, err = readList(m["calls"], readCall)
		f.Steps = sessions(f.Steps)
	default:
		err = errors.New(`neither "steps" nor "calls"`)
	}
	return f, err
}

func readLines(text string) (StepFile, error) {
	var f StepFile
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, err := ParseStep(line)
		if err != nil {
			return f, fmt.Errorf("line %d: %w", i+1, err)
		}
		f.Steps = append(f.Steps, s)
	}
	return f, nil
}

func readList(v any, read func(map[string]any) (Step, error)) ([]Step, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("the steps are not a list")
	}
	var out []Step
	for i, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("step %d is not an object", i)
		}
		s, err := read(m)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		out = append(out, s)
	}
	return out, nil
}

// placeAll replaces in all texts of a value.
func placeAll(v any, place *strings.Replacer) any {
	switch v := v.(type) {
	case string:
		return place.Replace(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = placeAll(e, place)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = placeAll(e, place)
		}
		return out
	default:
		return v
	}
}

// ReadStep reads the object form of a step.
func ReadStep(m map[string]any) (Step, error) { return readStep(m) }

// readStep reads {do: ...}.
func readStep(m map[string]any) (Step, error) {
	f := fields{m: m}
	s := Step{
		Do: f.text("do"), Tool: f.text("tool"), Auto: f.flag("auto"), ID: f.text("id"), Path: f.text("path"), Agent: f.text("agent"),
		Output: m["output"], Status: f.number("status"), Ran: f.maybeFlag("ran"), At: f.seconds("at"),
	}
	s.Input = f.object("input")
	if c, ok := m["content"].(string); ok {
		s.File = &c
	}
	if want := f.object("want"); want != nil {
		s.Want = readWant(want)
	}
	switch s.Do {
	case "call":
		if s.Tool == "" {
			return s, errors.New("a call without a tool")
		}
		s.Text = s.Tool + " " + callText(s.Input)
	case "finish", "prompt", "start", "load", "session", "disk":
		s.Text = s.Do + ":"
	default:
		return s, fmt.Errorf("unknown step %q", s.Do)
	}
	return s, f.err
}

// readCall reads {tool, input, expect, ...}.
func readCall(m map[string]any) (Step, error) {
	f := fields{m: m}
	s := Step{
		Do: "call", Tool: f.text("tool"), Input: f.object("input"), Auto: f.flag("auto"), ID: f.text("session"), Agent: f.text("agent"),
		Status: f.number("status"), At: f.seconds("at"),
	}
	if s.Tool == "" {
		return s, errors.New("a call without a tool")
	}
	s.Text = s.Tool + " " + callText(s.Input)
	if e := f.text("expect"); e != "" {
		s.Want = &StepWant{Result: e}
		if r := f.text("rule"); r != "" {
			p := &r
			s.Want.Rule = &p
		}
	}
	return s, f.err
}

// sessions puts a step in front of each call that belongs to another session
// than the one before.
func sessions(calls []Step) []Step {
	now := ""
	var out []Step
	for _, c := range calls {
		id := c.ID
		if id == "" {
			id = "s1"
		}
		if id != now && (now != "" || id != "s1") {
			out = append(out, Step{Do: "session", ID: id, Text: "session: " + id, hidden: true})
		}
		now = id
		c.ID = ""
		out = append(out, c)
	}
	return out
}

// callText is a tool's input in a report: a command alone, else JSON.
func callText(in trace.Args) string {
	if c, ok := in["command"].(string); ok && len(in) == 1 {
		return c
	}
	return trace.Canonical(in)
}

func readWant(m map[string]any) *StepWant {
	f := fields{m: m}
	w := &StepWant{Note: f.maybeFlag("note"), Says: f.texts("says"), Silent: f.texts("silent"), Mentions: f.texts("mentions"), Announced: f.maybeFlag("announced")}
	if a, ok := m["action"].(string); ok {
		w.Action = &a
	}
	if v, ok := m["rule"]; ok {
		var p *string
		if s, isText := v.(string); isText {
			p = &s
		}
		w.Rule = &p
	}
	if _, ok := m["calls"]; ok {
		w.Calls = f.texts("calls")
	}
	if _, ok := m["leaks"]; ok {
		l := f.texts("leaks")
		w.Leaks = &l
	}
	if _, ok := m["rules"].([]any); ok {
		w.Rules = ruleIDs(m["rules"])
	}
	w.Load = m
	return w
}

// ruleIDs are the rules of a finish; those of a load are objects.
func ruleIDs(v any) *[]string {
	out := []string{}
	for _, e := range v.([]any) {
		s, ok := e.(string)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return &out
}

// fields reads an object's values by type and keeps the first error.
type fields struct {
	m   map[string]any
	err error
}

func (f *fields) text(k string) string {
	s, _ := f.m[k].(string)
	return s
}

func (f *fields) flag(k string) bool {
	b, _ := f.m[k].(bool)
	return b
}

func (f *fields) maybeFlag(k string) *bool {
	if b, ok := f.m[k].(bool); ok {
		return &b
	}
	return nil
}

func (f *fields) object(k string) trace.Args {
	m, _ := f.m[k].(map[string]any)
	return m
}

func (f *fields) texts(k string) []string {
	var out []string
	list, _ := f.m[k].([]any)
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func (f *fields) number(k string) *int {
	n, ok := f.m[k].(json.Number)
	if !ok {
		return nil
	}
	i, err := n.Int64()
	if err != nil {
		f.err = fmt.Errorf("%s: %s is no whole number", k, n)
		return nil
	}
	v := int(i)
	return &v
}

func (f *fields) seconds(k string) *time.Duration {
	n, ok := f.m[k].(json.Number)
	if !ok {
		return nil
	}
	x, err := n.Float64()
	if err != nil {
		f.err = fmt.Errorf("%s: %s is no number of seconds", k, n)
		return nil
	}
	d := time.Duration(x * float64(time.Second))
	return &d
}
