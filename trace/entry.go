package trace

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

// AppendEntry writes c as a trace entry: canonical JSON with every field of the
// call (contracts.md 3.2), fields with their zero value left out, tool and args
// always there. Equal calls have equal bytes.
//
// A result that is null and a result that is not known differ: "result":null
// and no key at all. So do a call that ran and one that was only proposed, but
// an entry does not tell the second pair apart: see [DecodeEntry].
func AppendEntry(b []byte, c *Call) []byte {
	o := newObject(b, c.Extra)
	o.text("agent", c.Agent)
	o.key("args")
	o.b = appendObject(o.b, c.Args)
	o.text("batch", c.Batch)
	if c.CLI != nil {
		o.key("cli")
		o.b = AppendCLI(o.b, c.CLI)
	}
	o.text("dir", c.Dir)
	if len(c.Effects) > 0 {
		o.key("effects")
		o.b = AppendEffects(o.b, c.Effects)
	}
	o.texts("exists", c.Exists)
	if len(c.Forms) > 0 {
		o.key("forms")
		o.b = AppendForms(o.b, c.Forms)
	}
	o.text("harness", c.Harness)
	o.text("id", c.ID)
	o.flag("maybe", c.Outcome != nil && c.Outcome.Maybe)
	o.text("native", c.Native)
	if c.Outcome != nil && c.Outcome.Result != nil {
		o.key("result")
		o.b = AppendJSON(o.b, *c.Outcome.Result)
	}
	o.text("session", c.Session)
	o.text("source", c.Source)
	if c.Outcome != nil && c.Outcome.Status != nil {
		o.number("status", *c.Outcome.Status)
	}
	if c.Step != nil {
		o.number("step", *c.Step)
	}
	if !c.Time.IsZero() {
		o.text("t", FormatTime(c.Time))
	}
	o.key("tool")
	o.b = AppendString(o.b, c.Tool)
	o.flag("unchecked", c.Unchecked)
	return o.end()
}

// AppendForms writes forms as a JSON list of {args, tool}.
func AppendForms(b []byte, forms []Form) []byte {
	return appendList(b, forms, func(b []byte, f *Form) []byte {
		o := newObject(b, nil)
		o.key("args")
		o.b = appendObject(o.b, f.Args)
		o.key("tool")
		o.b = AppendString(o.b, f.Tool)
		return o.end()
	})
}

// AppendEffects writes effects as a JSON list of {certainty, op, recursive?, target}.
func AppendEffects(b []byte, effects []Effect) []byte {
	return appendList(b, effects, func(b []byte, e *Effect) []byte {
		o := newObject(b, nil)
		o.text("certainty", e.Certainty)
		o.text("op", e.Op)
		o.flag("recursive", e.Recursive)
		o.key("target")
		o.b = AppendString(o.b, e.Target)
		return o.end()
	})
}

// AppendCLI writes the cli part of a call as shell.md 1 names its keys, those
// with their zero value left out.
func AppendCLI(b []byte, c *CLI) []byte {
	o := newObject(b, nil)
	o.flag("background", c.Background)
	if len(c.Bounds) > 0 {
		o.key("bounds")
		o.b = appendMap(o.b, c.Bounds, appendBound)
	}
	o.flag("conditional", c.Conditional)
	o.count("depth", c.Depth)
	o.texts("dynamic_args", c.DynamicArgs)
	if len(c.Env) > 0 {
		o.key("env")
		o.b = appendMap(o.b, c.Env, AppendString)
	}
	if len(c.Fields) > 0 {
		o.key("fields")
		o.b = appendMap(o.b, c.Fields, AppendString)
	}
	o.count("index", c.Index)
	o.text("opaque", c.Opaque)
	o.text("operator", c.Operator)
	o.count("pipeline", c.Pipeline)
	if len(c.Redirects) > 0 {
		o.key("redirects")
		o.b = appendList(o.b, c.Redirects, appendRedirect)
	}
	o.text("remote", c.Remote)
	o.flag("repeated", c.Repeated)
	o.text("source", c.Source)
	if c.Unspecced {
		o.key("spec_matched")
		o.b = append(o.b, "false"...)
	}
	o.flag("unknown_args", c.UnknownArgs)
	switch {
	case c.AllPathsUnknown:
		o.flag("unknown_paths", true)
	default:
		o.texts("unknown_paths", c.UnknownPaths)
	}
	o.text("wrapper", c.Wrapper)
	o.texts("wrappers", c.Wrappers)
	return o.end()
}

func appendRedirect(b []byte, r *Redirect) []byte {
	o := newObject(b, nil)
	o.text("fd", r.FD)
	o.text("op", r.Op)
	o.key("target")
	o.b = AppendString(o.b, r.Target)
	return o.end()
}

func appendBound(b []byte, v Bound) []byte {
	o := newObject(b, nil)
	o.texts("exact", v.Exact)
	o.texts("within", v.Within)
	return o.end()
}

// FormatTime writes t as entries and records hold it: RFC 3339 in UTC with the
// nanoseconds that there are.
func FormatTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// An object writes one JSON object whose keys the caller gives in order; the
// keys of extra are put between them.
type object struct {
	b     []byte
	start int
	extra Args
	keys  []string // of extra, not yet written
}

func newObject(b []byte, extra Args) object {
	o := object{b: append(b, '{'), extra: extra}
	o.start = len(o.b)
	if len(extra) > 0 {
		o.keys = slices.Sorted(maps.Keys(extra))
	}
	return o
}

// key begins the member k. A key of extra that is also ours is dropped: the
// field counts.
func (o *object) key(k string) {
	for len(o.keys) > 0 && o.keys[0] <= k {
		if o.keys[0] < k {
			o.member(o.keys[0])
			o.b = AppendJSON(o.b, o.extra[o.keys[0]])
		}
		o.keys = o.keys[1:]
	}
	o.member(k)
}

func (o *object) member(k string) {
	if len(o.b) > o.start {
		o.b = append(o.b, ',')
	}
	o.b = append(AppendString(o.b, k), ':')
}

func (o *object) text(k, v string) {
	if v != "" {
		o.key(k)
		o.b = AppendString(o.b, v)
	}
}

func (o *object) texts(k string, v []string) {
	if len(v) > 0 {
		o.key(k)
		o.b = AppendJSON(o.b, v)
	}
}

func (o *object) flag(k string, v bool) {
	if v {
		o.key(k)
		o.b = append(o.b, "true"...)
	}
}

func (o *object) number(k string, v int) {
	o.key(k)
	o.b = strconv.AppendInt(o.b, int64(v), 10)
}

func (o *object) count(k string, v int) {
	if v != 0 {
		o.number(k, v)
	}
}

func (o *object) end() []byte {
	for _, k := range o.keys {
		o.member(k)
		o.b = AppendJSON(o.b, o.extra[k])
	}
	return append(o.b, '}')
}

func appendList[T any](b []byte, list []T, item func([]byte, *T) []byte) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = item(b, &list[i])
	}
	return append(b, ']')
}

func appendMap[V any](b []byte, m map[string]V, value func([]byte, V) []byte) []byte {
	b = append(b, '{')
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendString(b, k), ':')
		b = value(b, m[k])
	}
	return append(b, '}')
}
