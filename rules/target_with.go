package rules

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

// match answers one key of "with". An argument of a list matches by one of its
// elements; a path also in its absolute form.
func (w *withCond) match(v *view, env ltl.Env) trace.Answer {
	actual, present := lookup(v.call, v.args, w.arg)
	expected := w.expected
	if w.variable != "" {
		bound, ok := env[w.variable]
		if !ok {
			return trace.Yes // outside its quantifier a variable matches anything (L004)
		}
		return w.bound(v, bound)
	}
	if v.equalArg(w.arg, expected, actual, present) {
		return w.certain(v, actual, expected, present)
	}
	return w.unknown(v, actual, expected)
}

// bound answers whether the argument's value, or one of a list, is the one that
// a variable stands for. A value that is only known at run time may be it.
func (w *withCond) bound(v *view, value any) trace.Answer {
	vals, known := w.values(v)
	if containsValue(vals, value) {
		return trace.Yes
	}
	if !known {
		return trace.Maybe
	}
	return trace.No
}

// certain lowers a match that further words of the line could undo: a flag that
// is not there may still come.
func (w *withCond) certain(v *view, actual, expected any, present bool) trace.Answer {
	if v.call.CLI != nil && v.call.CLI.UnknownArgs && isFlag(actual, expected, present) && !truth(actual) {
		return trace.Maybe
	}
	return trace.Yes
}

// unknown answers for an argument that does not match as far as it is known.
func (w *withCond) unknown(v *view, actual, expected any) trace.Answer {
	cli := v.call.CLI
	if cli == nil {
		return trace.No
	}
	if cli.UnknownArgs && isFlag(actual, expected, actual != nil) && !truth(actual) {
		return trace.Maybe
	}
	if v.isPath(w.arg) {
		s, ok := expected.(string)
		if !ok {
			return trace.No
		}
		c := globCond{arg: w.arg, patterns: []string{escapeGlob(v.ctx.absolute(s, v.call.Dir))}, globs: &globSet{}}
		return v.unknownPath(w.arg, &c, texts(actual, false, nil))
	}
	if cli.Fields[w.arg] == "unknown" {
		return trace.Maybe
	}
	return trace.No
}

// isFlag says whether a condition is about a boolean.
func isFlag(actual, expected any, present bool) bool {
	if _, ok := actual.(bool); ok {
		return true
	}
	_, ok := expected.(bool)
	return ok && !present
}

// equalArg compares an expected value with an argument (rules.md 6, with).
func (v *view) equalArg(arg string, expected, actual any, present bool) bool {
	list, isList := actual.([]any)
	if !isList {
		return v.equalScalar(arg, expected, actual, present)
	}
	if _, ok := expected.([]any); ok {
		return trace.Equal(expected, actual) // as a whole, paths as they are
	}
	return slices.ContainsFunc(list, func(e any) bool { return v.equalArg(arg, expected, e, true) })
}

func (v *view) equalScalar(arg string, expected, actual any, present bool) bool {
	want, wantBool := expected.(bool)
	_, haveBool := actual.(bool)
	if wantBool || haveBool {
		if !present {
			return wantBool && !want
		}
		return truth(expected) == truth(actual)
	}
	if n, ok := expected.(json.Number); ok {
		if s, ok := actual.(string); ok {
			return strings.TrimSpace(s) == string(n)
		}
	}
	return trace.Equal(expected, actual) || v.isPath(arg) && v.equalPath(expected, actual)
}

// equalPath says whether expected text names the argument's path.
func (v *view) equalPath(expected, actual any) bool {
	want, ok1 := expected.(string)
	have, ok2 := actual.(string)
	if !ok1 || !ok2 || !strings.HasPrefix(have, "/") || asWritten(want) {
		return false
	}
	want = v.ctx.expand(want, v.call.Dir, func(s string) string { return s })
	return v.ctx.absolute(want, v.call.Dir) == have
}

// truth is a value's truth as Python sees it.
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		r, ok := trace.Rat(v)
		return !ok || r.Sign() != 0
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}
