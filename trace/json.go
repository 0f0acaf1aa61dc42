package trace

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AppendJSON writes v as canonical JSON: UTF-8, keys sorted by code point, no
// white space, shortest escapes, number literals as they came. Values outside
// those of Args panic: callers decode, they do not build.
func AppendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return AppendString(b, v)
	case json.Number:
		return append(b, v...)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendJSON(b, e)
		}
		return append(b, ']')
	case []string:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendString(b, e)
		}
		return append(b, ']')
	case map[string]any:
		return appendObject(b, v)
	case Args:
		return appendObject(b, v)
	default:
		panic(fmt.Sprintf("trace: %T is no JSON value", v))
	}
}

func appendObject(b []byte, m map[string]any) []byte {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, k)
		b = append(b, ':')
		b = AppendJSON(b, m[k])
	}
	return append(b, '}')
}

// AppendString writes s as a JSON string with the shortest escapes. Bytes that
// are not UTF-8 become U+FFFD, as encoding/json reads them.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' {
				i++
				continue
			}
			b = append(b, s[start:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\b':
				b = append(b, '\\', 'b')
			case '\f':
				b = append(b, '\\', 'f')
			case '\n':
				b = append(b, '\\', 'n')
			case '\r':
				b = append(b, '\\', 'r')
			case '\t':
				b = append(b, '\\', 't')
			default:
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b = append(b, s[start:i]...)
			b = append(b, "\ufffd"...)
			i++
			start = i
			continue
		}
		i += n
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// Canonical is AppendJSON as text: equal values of equal spelling have equal texts.
func Canonical(v any) string { return string(AppendJSON(nil, v)) }

// Equal compares two JSON values as formulas do (formulas.md 1): objects by
// key, arrays in order, numbers by value (1 = 1.0), a boolean is never a
// number, strings byte for byte.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case string:
		b, ok := b.(string)
		return ok && a == b
	case json.Number:
		b, ok := b.(json.Number)
		return ok && EqualNumbers(a, b)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !Equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !Equal(v, w) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// EqualNumbers compares two JSON number literals by value. Literals too large
// to expand safely are compared by spelling.
func EqualNumbers(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, ok1 := Rat(a)
	y, ok2 := Rat(b)
	return ok1 && ok2 && x.Cmp(y) == 0
}

// Rat is the exact value of a JSON number literal. It is false for a literal of
// over 64 digits or an exponent beyond 400 (contracts.md 1.2), which would cost
// more than it can mean, and for text that is no number.
func Rat(n json.Number) (*big.Rat, bool) {
	s := string(n)
	mant, exp, _ := strings.Cut(strings.ReplaceAll(s, "E", "e"), "e")
	digits := 0
	for _, r := range mant {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	if digits == 0 || digits > 64 {
		return nil, false
	}
	if exp != "" {
		e, err := strconv.Atoi(exp)
		if err != nil || e > 400 || e < -400 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(s)
}
