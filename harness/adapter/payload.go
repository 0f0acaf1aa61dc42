package adapter

import (
	"encoding/json"
	"errors"
	"maps"
	"strconv"

	"github.com/agentltl/agentltl-hook/trace"
)

// A PayloadError says that what arrived on stdin is no event: not JSON, not an
// object, or without the field that names the event or the tool. A tool call
// behind it must not run (rules.md 17).
type PayloadError struct{ Problem string }

func (e *PayloadError) Error() string { return "the hook payload cannot be read: " + e.Problem }

// IsPayload says whether err is about the payload, not about our own work.
func IsPayload(err error) bool {
	_, ok := errors.AsType[*PayloadError](err)
	return ok
}

// A ForeignError says whose payload it really is: a harness may run hooks that
// were registered for another one.
type ForeignError struct{ Harness string }

func (e *ForeignError) Error() string { return "a payload of " + e.Harness }

// An Object is a decoded payload. Keys are exact: a struct would also take
// "Tool_Name", which no harness means. Wrong types read as absent.
type Object map[string]any

// ParseObject reads a payload. Number literals stay as they came. The decoder's
// own limit of 10,000 levels keeps a nesting bomb from growing the stack.
func ParseObject(data []byte) (Object, error) {
	v, err := trace.DecodeJSON(data)
	if err != nil {
		return nil, &PayloadError{Problem: err.Error()}
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, &PayloadError{Problem: "it is not a JSON object"}
	}
	return m, nil
}

// Text is the first of the keys that holds a text.
func (o Object) Text(keys ...string) string {
	for _, k := range keys {
		if s, ok := o[k].(string); ok {
			return s
		}
	}
	return ""
}

// Scalar is the first of the keys that holds a text or a number, as text.
func (o Object) Scalar(keys ...string) string {
	for _, k := range keys {
		switch v := o[k].(type) {
		case string:
			return v
		case json.Number:
			return v.String()
		}
	}
	return ""
}

// Bool is true when the key holds true.
func (o Object) Bool(key string) bool {
	b, _ := o[key].(bool)
	return b
}

// Has says whether the key is there, whatever it holds.
func (o Object) Has(key string) bool {
	_, ok := o[key]
	return ok
}

// Object is the object under the key, nil if there is none.
func (o Object) Object(key string) Object {
	m, _ := o[key].(map[string]any)
	return m
}

// List is the list under the key, nil if there is none.
func (o Object) List(key string) []any {
	l, _ := o[key].([]any)
	return l
}

// Int is the whole number under the key.
func (o Object) Int(key string) (int, bool) {
	n, ok := o[key].(json.Number)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(n.String())
	return i, err == nil
}

// Args makes arguments of a tool's input. An input that is no object becomes
// the argument "input": rules can look at it, and a shell tool is then without
// command text, which is not analysable.
func Args(input any) trace.Args {
	switch v := input.(type) {
	case nil:
		return trace.Args{}
	case map[string]any:
		return trace.Args(v)
	default:
		return trace.Args{"input": v}
	}
}

// Rename gives args under canonical names: pairs are native name, canonical
// name. Where a call brings both, the native one is what the tool reads and the
// other one a name it does not know: they change places, so that a model cannot
// have a decoy judged. args itself is not changed.
func Rename(args trace.Args, pairs ...string) trace.Args {
	out := make(trace.Args, len(args))
	maps.Copy(out, args)
	for i := 0; i+1 < len(pairs); i += 2 {
		native, canonical := pairs[i], pairs[i+1]
		v, ok := args[native]
		if !ok {
			continue
		}
		delete(out, native)
		if decoy, both := args[canonical]; both {
			out[native] = decoy
		}
		out[canonical] = v
	}
	return out
}

// Ended is the outcome of a call that ran.
func Ended(status *int, result any) *trace.Outcome {
	return &trace.Outcome{Status: status, Result: &result}
}
