package trace

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// Our parser answers as encoding/json does.
func FuzzDecodeJSON(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-0,1.5e+3,true,false,null,"x\u0041\n\ud83d\ude00\ud83d"]}`, `{"a":1,"a":2}`, ` [ ] `, `{"":""}`, "\"\xff\x80\"",
		`"\ud800\u0041"`, `01`, `1.`, `-`, `"\x"`, `{"a":1,}`, `[1,]`, "\"\x01\"", `nul`, `{} {}`, "\ufeff{}", "1e999", `{"a"}`, `"abc`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := DecodeJSON(data)
		var want any
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		jerr := dec.Decode(&want)
		if jerr == nil && len(bytes.Trim(data[dec.InputOffset():], " \t\r\n")) > 0 {
			if err == nil {
				t.Fatalf("%q: text after the document was accepted", data)
			}
			return
		}
		if (err == nil) != (jerr == nil) {
			t.Fatalf("%q: we say %v, encoding/json says %v", data, err, jerr)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %#v, encoding/json reads %#v", data, got, want)
		}
	})
}

// An entry that is read is written and read again as the same call, and written
// the same way from then on.
func FuzzDecodeEntry(f *testing.F) {
	full := fullCall()
	f.Add(AppendEntry(nil, &full))
	f.Add([]byte(`{"tool":"x"}`))
	f.Add([]byte(`{"args":{"a":null},"cli":{"unknown_paths":true,"spec_matched":false},"maybe":true,"result":null,"tool":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := DecodeEntry(data)
		if err != nil {
			t.Skip()
		}
		once := AppendEntry(nil, &c)
		d, err := DecodeEntry(once)
		if err != nil {
			t.Fatalf("%q was read, and written as %q: %v", data, once, err)
		}
		if !reflect.DeepEqual(c, d) {
			t.Fatalf("%q: %#v became %#v", data, c, d)
		}
		if twice := AppendEntry(nil, &d); !bytes.Equal(once, twice) {
			t.Fatalf("%q, then %q", once, twice)
		}
	})
}
