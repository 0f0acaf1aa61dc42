package cond

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/agentltl/agentltl-hook/trace"
)

// An Env is what a condition sees. Values are decoded JSON (trace.Args); a fact
// that is not known is nil.
type Env struct {
	State map[string]any
	Args  trace.Args
	Call  map[string]any // tool, t, succeeded
	// Result of the call; looked at only by conditions compiled with Options.Result.
	Result any
	// Fact gives the value of a top-level fact (repo, session, harness, agent,
	// time), asked only for those that the condition names; nil: none is known.
	Fact func(name string) any
	// Count and Last answer count(target) and last(target): how many recorded
	// calls match, and the newest one as {tool, args, t}, nil if there is none.
	// target is a tool name, a glob, or a mapping as in a rule file.
	Count func(target any) (int, error)
	Last  func(target any) (map[string]any, error)
}

// Bool evaluates a condition. Anything but true or false is an error, and so is
// whatever makes the condition meaningless: ordering across types, arithmetic
// on text or null, a field of null, an index out of range.
func (e *Expr) Bool(env Env) (bool, error) {
	v, err := e.Value(env)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, &Error{Msg: fmt.Sprintf("%s is %s, which is neither true nor false", e.src, describe(v))}
	}
	return b, nil
}

// Value evaluates an expression, for commits. Numbers come back as
// json.Number.
func (e *Expr) Value(env Env) (any, error) {
	names, err := e.Names()
	if err != nil {
		return nil, err
	}
	m := map[string]any{"null": nil}
	budget := MaxMemory
	add := func(name string, v any) error {
		w, err := convert(v, &budget)
		m[name] = w
		return err
	}
	if err := add("state", env.State); err != nil {
		return nil, err
	}
	if err := add("args", map[string]any(env.Args)); err != nil {
		return nil, err
	}
	if err := add("call", env.Call); err != nil {
		return nil, err
	}
	if e.opts.Result {
		if err := add("result", env.Result); err != nil {
			return nil, err
		}
	}
	if e.opts.Facts {
		for _, name := range []string{"repo", "session", "harness", "agent", "time"} {
			if !reads(names, name) || env.Fact == nil {
				m[name] = nil
				continue
			}
			if err := add(name, env.Fact(name)); err != nil {
				return nil, err
			}
		}
		m[countCalls] = func(target any) (int, error) {
			if env.Count == nil {
				return 0, errors.New("count: no trace is at hand")
			}
			return env.Count(target)
		}
		m[lastCall] = func(target any) (map[string]any, error) {
			if env.Last == nil {
				return nil, errors.New("last: no trace is at hand")
			}
			last, err := env.Last(target)
			if err != nil || last == nil {
				return nil, err
			}
			v, err := convert(last, &budget)
			if err != nil {
				return nil, err
			}
			return v.(map[string]any), nil
		}
	}
	v, err := e.run(m)
	if err != nil {
		return nil, err
	}
	return back(v)
}

// reads says whether a condition names a value or a field of it.
func reads(names []string, name string) bool {
	for _, n := range names {
		if n == name || len(n) > len(name) && n[:len(name)] == name && n[len(name)] == '.' {
			return true
		}
	}
	return false
}

// convert turns decoded JSON into what expr computes with: whole numbers that
// fit 64 bits are int, all others float64.
func convert(v any, budget *int) (any, error) {
	*budget--
	if *budget < 0 {
		return nil, &Error{Msg: "the values are too many for a condition"}
	}
	switch v := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return int(i), nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, &Error{Msg: fmt.Sprintf("%s is no number a condition can compute with", v)}
		}
		if r, ok := trace.Rat(v); ok && r.IsInt() && r.Num().IsInt64() {
			return int(r.Num().Int64()), nil
		}
		return f, nil
	case string:
		if len(v) > MaxString {
			return v[:MaxString], nil
		}
		return v, nil
	case trace.Args:
		return convertMap(v, budget)
	case map[string]any:
		return convertMap(v, budget)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			w, err := convert(e, budget)
			if err != nil {
				return nil, err
			}
			out[i] = w
		}
		return out, nil
	default:
		return v, nil
	}
}

func convertMap(m map[string]any, budget *int) (any, error) {
	out := make(map[string]any, len(m))
	for k, e := range m {
		w, err := convert(e, budget)
		if err != nil {
			return nil, err
		}
		out[k] = w
	}
	return out, nil
}

// back turns a result into decoded JSON.
func back(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, string, json.Number:
		return v, nil
	case int:
		return json.Number(strconv.Itoa(v)), nil
	case float64:
		b, err := json.Marshal(v)
		if err != nil {
			return nil, &Error{Msg: "the result is not a finite number"}
		}
		return json.Number(b), nil
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			w, err := back(e)
			if err != nil {
				return nil, err
			}
			out[i] = w
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			w, err := back(e)
			if err != nil {
				return nil, err
			}
			out[k] = w
		}
		return out, nil
	default:
		b, err := json.Marshal(v)
		if err != nil {
			return nil, &Error{Msg: fmt.Sprintf("%T is no JSON value", v)}
		}
		return trace.DecodeJSON(b)
	}
}

// describe names a value without showing it: it may be a secret.
func describe(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a text"
	case json.Number:
		return "a number"
	case []any:
		return "a list"
	default:
		return "a mapping"
	}
}
