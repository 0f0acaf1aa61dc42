package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// MaxText is how many characters of a text are kept in a recorded call
// (rules.md 8): enough to say in a message what was done, and a file of 10 MB
// written through a tool leaves 2 KB in the trace.
const MaxText = 2000

// Clip cuts every text of c to MaxText characters and returns the call as it is
// recorded; c is not changed. Clipping happens before hashing and recording and
// before monitors step, so replay and catching up see what they saw.
func Clip(c Call) Call {
	c.Tool = ClipText(c.Tool)
	c.Args = clipArgs(c.Args)
	c.ID, c.Batch, c.Agent = ClipText(c.ID), ClipText(c.Batch), ClipText(c.Agent)
	c.Source, c.Native, c.Dir = ClipText(c.Source), ClipText(c.Native), ClipText(c.Dir)
	c.Harness, c.Session = ClipText(c.Harness), ClipText(c.Session)
	c.Exists = clipList(c.Exists, ClipText)
	c.Forms = clipList(c.Forms, func(f Form) Form {
		return Form{Tool: ClipText(f.Tool), Args: clipArgs(f.Args)}
	})
	c.Effects = clipList(c.Effects, func(e Effect) Effect {
		e.Target = ClipText(e.Target)
		return e
	})
	if c.CLI != nil {
		c.CLI = clipCLI(*c.CLI)
	}
	if c.Outcome != nil && c.Outcome.Result != nil {
		o, v := *c.Outcome, ClipValue(*c.Outcome.Result)
		o.Result = &v
		c.Outcome = &o
	}
	return c
}

func clipCLI(c CLI) *CLI {
	c.Source = ClipText(c.Source)
	c.Wrapper = ClipText(c.Wrapper)
	c.Wrappers = clipList(c.Wrappers, ClipText)
	c.Remote = ClipText(c.Remote)
	c.Redirects = clipList(c.Redirects, func(r Redirect) Redirect {
		r.Target = ClipText(r.Target)
		return r
	})
	c.Env = clipMap(c.Env, ClipText)
	c.DynamicArgs = clipList(c.DynamicArgs, ClipText)
	c.Bounds = clipMap(c.Bounds, func(b Bound) Bound {
		return Bound{Exact: clipList(b.Exact, ClipText), Within: clipList(b.Within, ClipText)}
	})
	c.Fields = clipMap(c.Fields, ClipText)
	c.UnknownPaths = clipList(c.UnknownPaths, ClipText)
	return &c
}

// ClipText cuts s to MaxText characters. A text that was cut ends with its
// length and its SHA-256, so two long texts that begin alike stay different and
// the whole can be recognised.
func ClipText(s string) string {
	if len(s) <= MaxText {
		return s
	}
	n := utf8.RuneCountInString(s)
	if n <= MaxText {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	mark := fmt.Sprintf("…[%d characters, sha256 %s]", n, hex.EncodeToString(sum[:]))
	keep := MaxText - utf8.RuneCountInString(mark)
	for i := range s {
		if keep == 0 {
			return s[:i] + mark
		}
		keep--
	}
	return s
}

// ClipValue cuts every text in a JSON value, keys included. A number of more
// digits than that becomes a text.
func ClipValue(v any) any {
	switch v := v.(type) {
	case string:
		return ClipText(v)
	case json.Number:
		if len(v) > MaxText {
			return ClipText(string(v))
		}
		return v
	case []any:
		return clipList(v, ClipValue)
	case map[string]any:
		return clipMap(v, ClipValue)
	default:
		return v
	}
}

func clipArgs(a Args) Args { return clipMap(a, ClipValue) }

func clipList[T any](list []T, clip func(T) T) []T {
	if len(list) == 0 {
		return list
	}
	cut := make([]T, len(list))
	for i, e := range list {
		cut[i] = clip(e)
	}
	return cut
}

func clipMap[M ~map[string]V, V any](m M, clip func(V) V) M {
	if len(m) == 0 {
		return m
	}
	cut := make(M, len(m))
	for k, e := range m {
		cut[ClipText(k)] = clip(e)
	}
	return cut
}
