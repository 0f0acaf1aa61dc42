package trace

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// DecodeEntry reads what [AppendEntry] wrote. An entry stands for a call that
// ran, so the result has an Outcome, be it one of which nothing is known; whoever
// keeps proposed calls in this form sets it to nil again.
//
// Fields of another version, and fields whose value has not the type this
// version gives them, end up in Extra and are written again by AppendEntry.
// Only a document that is no object, or has no tool, is an error.
func DecodeEntry(data []byte) (Call, error) {
	v, err := decodeText(string(data))
	if err != nil {
		return Call{}, fmt.Errorf("trace entry: %w", err)
	}
	return EntryOf(v)
}

// EntryOf is DecodeEntry for an entry that is already a JSON value; it keeps
// parts of v.
func EntryOf(v any) (Call, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return Call{}, fmt.Errorf("trace entry: no JSON object")
	}
	c := Call{Outcome: &Outcome{}}
	for k, v := range m {
		if !c.set(k, v) {
			if c.Extra == nil {
				c.Extra = Args{}
			}
			c.Extra[k] = v
		}
	}
	if _, ok := m["tool"].(string); !ok {
		return Call{}, fmt.Errorf("trace entry: no tool")
	}
	if c.Args == nil {
		c.Args = Args{}
	}
	return c, nil
}

// set puts a member of an entry into its field; false: there is none for it.
func (c *Call) set(k string, v any) bool {
	switch k {
	case "agent":
		return setText(&c.Agent, v)
	case "args":
		m, ok := v.(map[string]any)
		c.Args = m
		return ok
	case "batch":
		return setText(&c.Batch, v)
	case "cli":
		cli, ok := decodeCLI(v)
		c.CLI = cli
		return ok
	case "dir":
		return setText(&c.Dir, v)
	case "effects":
		return setList(&c.Effects, v, decodeEffect)
	case "exists":
		return setTexts(&c.Exists, v)
	case "forms":
		return setList(&c.Forms, v, decodeForm)
	case "harness":
		return setText(&c.Harness, v)
	case "id":
		return setText(&c.ID, v)
	case "maybe":
		return setFlag(&c.Outcome.Maybe, v)
	case "native":
		return setText(&c.Native, v)
	case "result":
		c.Outcome.Result = &v
		return true
	case "session":
		return setText(&c.Session, v)
	case "source":
		return setText(&c.Source, v)
	case "status":
		return setNumberRef(&c.Outcome.Status, v)
	case "step":
		return setNumberRef(&c.Step, v)
	case "t":
		return setTime(&c.Time, v)
	case "tool":
		return setTool(&c.Tool, v)
	case "unchecked":
		return setFlag(&c.Unchecked, v)
	default:
		return false
	}
}

func decodeForm(m map[string]any) (f Form, ok bool) {
	args, isObject := m["args"].(map[string]any)
	tool, isText := m["tool"].(string)
	return Form{Tool: tool, Args: args}, isObject && isText
}

func decodeEffect(m map[string]any) (e Effect, ok bool) {
	ok = true
	for k, v := range m {
		switch k {
		case "certainty":
			ok = ok && setText(&e.Certainty, v)
		case "op":
			ok = ok && setText(&e.Op, v)
		case "recursive":
			ok = ok && setFlag(&e.Recursive, v)
		case "target":
			ok = ok && setTool(&e.Target, v)
		}
	}
	return e, ok
}

func decodeCLI(v any) (*CLI, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	c := &CLI{}
	for k, v := range m {
		ok = ok && c.set(k, v)
	}
	if !ok {
		return nil, false
	}
	return c, true
}

func (c *CLI) set(k string, v any) bool {
	switch k {
	case "background":
		return setFlag(&c.Background, v)
	case "bounds":
		return setMap(&c.Bounds, v, decodeBound)
	case "conditional":
		return setFlag(&c.Conditional, v)
	case "depth":
		return setNumber(&c.Depth, v)
	case "dynamic_args":
		return setTexts(&c.DynamicArgs, v)
	case "env":
		return setMap(&c.Env, v, asText)
	case "fields":
		return setMap(&c.Fields, v, asText)
	case "index":
		return setNumber(&c.Index, v)
	case "opaque":
		return setText(&c.Opaque, v)
	case "operator":
		return setText(&c.Operator, v)
	case "pipeline":
		return setNumber(&c.Pipeline, v)
	case "redirects":
		return setList(&c.Redirects, v, decodeRedirect)
	case "remote":
		return setText(&c.Remote, v)
	case "repeated":
		return setFlag(&c.Repeated, v)
	case "source":
		return setText(&c.Source, v)
	case "spec_matched":
		matched, ok := v.(bool)
		c.Unspecced = !matched
		return ok
	case "unknown_args":
		return setFlag(&c.UnknownArgs, v)
	case "unknown_paths":
		if all, ok := v.(bool); ok {
			c.AllPathsUnknown = all
			return true
		}
		return setTexts(&c.UnknownPaths, v)
	case "wrapper":
		return setText(&c.Wrapper, v)
	case "wrappers":
		return setTexts(&c.Wrappers, v)
	default:
		return true // of another version; entries are never written again
	}
}

func decodeRedirect(m map[string]any) (r Redirect, ok bool) {
	ok = true
	for k, v := range m {
		switch k {
		case "fd":
			ok = ok && setText(&r.FD, v)
		case "op":
			ok = ok && setText(&r.Op, v)
		case "target":
			ok = ok && setTool(&r.Target, v)
		}
	}
	return r, ok
}

func decodeBound(v any) (b Bound, ok bool) {
	m, ok := v.(map[string]any)
	for k, v := range m {
		switch k {
		case "exact":
			ok = ok && setTexts(&b.Exact, v)
		case "within":
			ok = ok && setTexts(&b.Within, v)
		}
	}
	return b, ok
}

// setText takes a text that is not empty: AppendEntry leaves empty ones out, so
// an empty one is kept as it is.
func setText(to *string, v any) bool {
	s, ok := v.(string)
	if !ok || s == "" {
		return false
	}
	*to = s
	return true
}

// setTool takes any text: the field is always written.
func setTool(to *string, v any) bool {
	s, ok := v.(string)
	*to = s
	return ok
}

func setFlag(to *bool, v any) bool {
	b, ok := v.(bool)
	*to = b
	return ok && b
}

func setNumber(to *int, v any) bool {
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	i, err := strconv.Atoi(string(n))
	*to = i
	return err == nil
}

func setNumberRef(to **int, v any) bool {
	var n int
	if !setNumber(&n, v) {
		return false
	}
	*to = &n
	return true
}

// setTime takes a time that FormatTime writes back as it came.
func setTime(to *time.Time, v any) bool {
	s, ok := v.(string)
	if !ok {
		return false
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.IsZero() || FormatTime(t) != s {
		return false
	}
	*to = t.UTC()
	return true
}

func setTexts(to *[]string, v any) bool {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return false
	}
	texts := make([]string, len(list))
	for i, e := range list {
		if texts[i], ok = e.(string); !ok {
			return false
		}
	}
	*to = texts
	return true
}

func setList[T any](to *[]T, v any, item func(map[string]any) (T, bool)) bool {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return false
	}
	items := make([]T, len(list))
	for i, e := range list {
		m, isObject := e.(map[string]any)
		if items[i], ok = item(m); !ok || !isObject {
			return false
		}
	}
	*to = items
	return true
}

func setMap[V any](to *map[string]V, v any, value func(any) (V, bool)) bool {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 {
		return false
	}
	values := make(map[string]V, len(m))
	for k, e := range m {
		if values[k], ok = value(e); !ok {
			return false
		}
	}
	*to = values
	return true
}

func asText(v any) (string, bool) {
	s, ok := v.(string)
	return s, ok
}
