package store

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agentltl/agentltl-hook/trace"
)

// Values of the store that are JSON are structs of package state. They are
// written canonically, keys sorted, which encoding/json does not do for structs,
// and fields of another version stay with the value they came in: a struct may
// have a field Extra (trace.Args) that takes what this version does not know.

// encode writes v, a pointer to a struct, as canonical JSON; more adds members.
func encode(v any, more map[string]any) []byte {
	m := structValue(reflect.ValueOf(v).Elem())
	maps.Copy(m, more)
	return trace.AppendJSON(nil, m)
}

// decode reads what encode wrote into v, a pointer to a struct. what names the
// value for the message of a damaged file. It returns the whole object.
func decode(data []byte, v any, what string) map[string]any {
	val, err := trace.DecodeJSON(data)
	if err != nil {
		damaged("%s: %v", what, err)
	}
	m, ok := val.(map[string]any)
	if !ok {
		damaged("%s is no JSON object", what)
	}
	setStruct(reflect.ValueOf(v).Elem(), m)
	return m
}

const extraField = "Extra"

// A field is a member of a struct's JSON object.
type field struct {
	key   string
	index int
	omit  bool // the zero value is left out
}

// A shape is what a struct type looks like as JSON.
type shape struct {
	fields []field
	extra  int // index of Extra; -1: there is none
}

// shapes remembers them: a Memory has some twenty fields and is read by every hook.
var shapes sync.Map // reflect.Type -> *shape

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{extra: -1}
	for i := range t.NumField() {
		f := t.Field(i)
		key, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Name == extraField:
			s.extra = i
		case key != "" && key != "-":
			s.fields = append(s.fields, field{key, i, strings.Contains(opts, "omit")})
		}
	}
	shapes.Store(t, s)
	return s
}

func structValue(v reflect.Value) map[string]any {
	s := shapeOf(v.Type())
	m := make(map[string]any, len(s.fields))
	if s.extra >= 0 {
		maps.Copy(m, v.Field(s.extra).Interface().(trace.Args))
	}
	for _, f := range s.fields {
		if e := v.Field(f.index); !f.omit || !emptyValue(e) {
			m[f.key] = jsonValue(e)
		}
	}
	return m
}

func emptyValue(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}

func jsonValue(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case time.Time:
		return trace.FormatTime(x)
	case []byte:
		return base64.StdEncoding.EncodeToString(x)
	case trace.Args:
		return map[string]any(x)
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int64:
		return json.Number(strconv.FormatInt(v.Int(), 10))
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return jsonValue(v.Elem())
	case reflect.Struct:
		return structValue(v)
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = jsonValue(v.Index(i))
		}
		return list
	case reflect.Map:
		m := make(map[string]any, v.Len())
		for it := v.MapRange(); it.Next(); {
			m[it.Key().String()] = jsonValue(it.Value())
		}
		return m
	case reflect.Interface:
		return v.Interface() // a JSON value already
	default:
		panic("store: " + v.Type().String() + " has no JSON form")
	}
}

// setStruct fills v from m. A member that has no field, or another type than
// its field, goes to Extra.
func setStruct(v reflect.Value, m map[string]any) {
	s := shapeOf(v.Type())
	known := 0
	for _, f := range s.fields {
		if e, ok := m[f.key]; ok && setValue(v.Field(f.index), e) {
			known++
		}
	}
	if known == len(m) || s.extra < 0 {
		return
	}
	rest := maps.Clone(trace.Args(m))
	for _, f := range s.fields {
		if !v.Field(f.index).IsZero() || isZeroValue(rest[f.key]) {
			delete(rest, f.key)
		}
	}
	if len(rest) > 0 {
		v.Field(s.extra).Set(reflect.ValueOf(rest))
	}
}

// isZeroValue says whether a JSON value means the same as no member at all.
func isZeroValue(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	default:
		return false
	}
}

// setValue puts a JSON value into v; false, and v as it was, if it does not fit.
func setValue(v reflect.Value, e any) bool {
	if e == nil {
		return true
	}
	switch v.Interface().(type) {
	case time.Time:
		s, _ := e.(string)
		x, err := time.Parse(time.RFC3339Nano, s)
		if err == nil {
			v.Set(reflect.ValueOf(x))
		}
		return err == nil
	case []byte:
		s, _ := e.(string)
		x, err := base64.StdEncoding.DecodeString(s)
		if err == nil {
			v.SetBytes(x)
		}
		return err == nil
	}
	switch v.Kind() {
	case reflect.String:
		s, ok := e.(string)
		if ok {
			v.SetString(s)
		}
		return ok
	case reflect.Bool:
		b, ok := e.(bool)
		if ok {
			v.SetBool(b)
		}
		return ok
	case reflect.Int, reflect.Int64:
		return setInt(v, e)
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		if !setValue(p.Elem(), e) {
			return false
		}
		v.Set(p)
		return true
	case reflect.Struct:
		m, ok := e.(map[string]any)
		if ok {
			setStruct(v, m)
		}
		return ok
	case reflect.Slice:
		return setSlice(v, e)
	case reflect.Map:
		return setMapValue(v, e)
	case reflect.Interface:
		v.Set(reflect.ValueOf(e))
		return true
	default:
		panic("store: " + v.Type().String() + " has no JSON form")
	}
}

func setInt(v reflect.Value, e any) bool {
	n, ok := e.(json.Number)
	if !ok {
		return false
	}
	i, err := strconv.ParseInt(string(n), 10, 64)
	if err == nil {
		v.SetInt(i)
	}
	return err == nil
}

func setSlice(v reflect.Value, e any) bool {
	list, ok := e.([]any)
	if !ok {
		return false
	}
	if len(list) == 0 {
		return true
	}
	s := reflect.MakeSlice(v.Type(), len(list), len(list))
	for i, item := range list {
		if !setValue(s.Index(i), item) {
			return false
		}
	}
	v.Set(s)
	return true
}

func setMapValue(v reflect.Value, e any) bool {
	m, ok := e.(map[string]any)
	if !ok {
		return false
	}
	out := reflect.MakeMapWithSize(v.Type(), len(m))
	for k, item := range m {
		x := reflect.New(v.Type().Elem()).Elem()
		if !setValue(x, item) {
			return false
		}
		out.SetMapIndex(reflect.ValueOf(k), x)
	}
	v.Set(out)
	return true
}
