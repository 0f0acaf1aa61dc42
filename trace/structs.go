package trace

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What stores and compiled rules keep are structs as JSON. The two functions
// here stand in for encoding/json's, whose first use of a type costs a hook
// process more than all it then decodes (measured: 0.3 ms for a rule set's head
// and a command spec). They write canonically, keys sorted, and fields of
// another version stay with the value they came in: a struct may have a field
// Extra (Args) that takes what this version does not know. Tags mean what they
// mean to encoding/json; a member whose type does not fit its field is passed over.

// AppendStruct appends v, a pointer to a struct, as canonical JSON; more adds
// members. It panics on a type without a JSON form.
func AppendStruct(dst []byte, v any, more map[string]any) []byte {
	m := structValue(reflect.ValueOf(v).Elem())
	maps.Copy(m, more)
	return AppendJSON(dst, m)
}

// DecodeStruct reads a JSON object into v, a pointer to a struct, and returns
// the whole object.
func DecodeStruct(data []byte, v any) (map[string]any, error) {
	val, err := DecodeJSON(data)
	if err != nil {
		return nil, err
	}
	m, ok := val.(map[string]any)
	if !ok {
		return nil, errors.New("no JSON object")
	}
	setStruct(reflect.ValueOf(v).Elem(), m)
	return m, nil
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
		case !f.IsExported() || key == "-":
		case key == "":
			s.fields = append(s.fields, field{f.Name, i, false})
		default:
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
		maps.Copy(m, v.Field(s.extra).Interface().(Args))
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
		return FormatTime(x)
	case []byte:
		return base64.StdEncoding.EncodeToString(x)
	case Args:
		return map[string]any(x)
	case encoding.TextMarshaler:
		return textOf(x)
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int64:
		return json.Number(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint8:
		return json.Number(strconv.FormatUint(v.Uint(), 10))
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
		panic("trace: " + v.Type().String() + " has no JSON form")
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
	rest := maps.Clone(Args(m))
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

var (
	timeType  = reflect.TypeFor[time.Time]()
	bytesType = reflect.TypeFor[[]byte]()
)

// setValue puts a JSON value into v; false, and v as it was, if it does not fit.
func setValue(v reflect.Value, e any) bool {
	if e == nil {
		return true
	}
	switch v.Type() {
	case timeType:
		s, _ := e.(string)
		x, err := time.Parse(time.RFC3339Nano, s)
		if err == nil {
			v.Set(reflect.ValueOf(x))
		}
		return err == nil
	case bytesType:
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
	case reflect.Int, reflect.Int64, reflect.Uint8:
		return setInt(v, e)
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		if !setValue(p.Elem(), e) {
			return false
		}
		v.Set(p)
		return true
	case reflect.Struct:
		return setObject(v, e)
	case reflect.Slice:
		return setSlice(v, e)
	case reflect.Map:
		return setMapValue(v, e)
	case reflect.Interface:
		v.Set(reflect.ValueOf(e))
		return true
	default:
		panic("trace: " + v.Type().String() + " has no JSON form")
	}
}

// setObject fills a struct, or one that has a text form.
func setObject(v reflect.Value, e any) bool {
	if s, ok := e.(string); ok {
		t, ok := reflect.TypeAssert[encoding.TextUnmarshaler](v.Addr())
		return ok && t.UnmarshalText([]byte(s)) == nil
	}
	m, ok := e.(map[string]any)
	if ok {
		setStruct(v, m)
	}
	return ok
}

func textOf(t encoding.TextMarshaler) string {
	b, err := t.MarshalText()
	if err != nil {
		panic("trace: " + err.Error())
	}
	return string(b)
}

func setInt(v reflect.Value, e any) bool {
	n, ok := e.(json.Number)
	if !ok {
		return false
	}
	if v.CanUint() {
		u, err := strconv.ParseUint(string(n), 10, v.Type().Bits())
		if err == nil {
			v.SetUint(u)
		}
		return err == nil
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
