package cond

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strconv"

	"github.com/expr-lang/expr"
)

// The names of the environment's functions that look at the trace. count() is
// rewritten to the first, because expr has a function of that name.
const (
	countCalls = "calls_count"
	lastCall   = "last"
)

// functions are ours beside expr's: has, base, dir, num, str, glob, and the
// forms that the visitor rewrites to.
func functions(o Options) []expr.Option {
	fs := []expr.Option{
		// A call that the visitor did not rewrite had the wrong number of arguments.
		expr.Function("has", func(...any) (any, error) { return nil, errors.New("has takes one path") }),
		expr.Function("present", func(p ...any) (any, error) { return p[0] != nil, nil }),
		expr.Function("step", func(p ...any) (any, error) { return step(p[0], p[1]), nil }),
		expr.Function("checked_div", func(p ...any) (any, error) { return divide(p[0], p[1]) }),
		expr.Function("base", onText("base", path.Base), new(func(any) string)),
		expr.Function("dir", onText("dir", path.Dir), new(func(any) string)),
		expr.Function("num", toNumber, new(func(any) any)),
		expr.Function("str", toText, new(func(any) string)),
	}
	if o.Glob != nil {
		fs = append(fs, expr.Function("glob", func(p ...any) (any, error) {
			pattern, ok1 := p[0].(string)
			text, ok2 := p[1].(string)
			if !ok1 || !ok2 {
				return nil, errors.New("glob takes a pattern and a text")
			}
			return o.Glob(pattern, text), nil
		}, new(func(any, any) bool)))
	}
	return fs
}

// step takes one step of a path; whatever is not there is null.
func step(v, key any) any {
	switch v := v.(type) {
	case map[string]any:
		k, ok := key.(string)
		if !ok {
			return nil
		}
		return v[k]
	case []any:
		i, ok := key.(int)
		if !ok {
			return nil
		}
		if i < 0 {
			i += len(v)
		}
		if i < 0 || i >= len(v) {
			return nil
		}
		return v[i]
	}
	return nil
}

// divide is /, with an error where IEEE 754 has an infinity.
func divide(a, b any) (any, error) {
	x, err1 := float(a)
	y, err2 := float(b)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	if y == 0 {
		return nil, errors.New("division by zero")
	}
	return x / y, nil
}

func float(v any) (float64, error) {
	switch v := v.(type) {
	case int:
		return float64(v), nil
	case float64:
		return v, nil
	}
	return 0, fmt.Errorf("%s where a number is needed", describeGo(v))
}

func onText(name string, f func(string) string) func(...any) (any, error) {
	return func(p ...any) (any, error) {
		s, ok := p[0].(string)
		if !ok {
			return nil, fmt.Errorf("%s takes a text, not %s", name, describeGo(p[0]))
		}
		return f(s), nil
	}
}

func toNumber(p ...any) (any, error) {
	switch v := p[0].(type) {
	case int, float64:
		return v, nil
	case string:
		if i, err := strconv.Atoi(v); err == nil {
			return i, nil
		}
		f, err := strconv.ParseFloat(v, 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, errors.New("num: the text is no number")
		}
		return f, nil
	}
	return nil, fmt.Errorf("num takes a number or a text, not %s", describeGo(p[0]))
}

func toText(p ...any) (any, error) {
	switch v := p[0].(type) {
	case string:
		return v, nil
	case int, float64, bool:
		return fmt.Sprint(v), nil
	}
	return nil, fmt.Errorf("str takes a text, number or boolean, not %s", describeGo(p[0]))
}

func describeGo(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a text"
	case int, float64:
		return "a number"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	default:
		return "a mapping"
	}
}
