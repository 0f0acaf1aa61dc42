package trace

import (
	"encoding/json"
	"testing"
)

func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`1`, `true`, false},
		{`"1"`, `1`, false},
		{`[1,2]`, `[2,1]`, false},
		{`{"a":1,"b":null}`, `{"b":null,"a":1e0}`, true},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`null`, `false`, false},
		{`1e999`, `1e999`, true},
		{`1e999`, `10e998`, false},
	} {
		a, _ := DecodeJSON([]byte(tt.a))
		b, _ := DecodeJSON([]byte(tt.b))
		if got := Equal(a, b); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{` { "b" : 1.50, "a": [ true , null, "x\u0041\n" ] } `, `{"a":[true,null,"xA\n"],"b":1.50}`},
		{`"\u2028<>&"`, "\"\u2028<>&\""},
		{`"\u0001"`, `"\u0001"`},
	} {
		v, err := DecodeJSON([]byte(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		got := Canonical(v)
		if got != tt.want {
			t.Errorf("Canonical(%s) = %s, want %s", tt.in, got, tt.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("Canonical(%s) = %s, which is not JSON", tt.in, got)
		}
	}
}

func TestDecodeJSONRefusesASecondDocument(t *testing.T) {
	if _, err := DecodeJSON([]byte(`{} {}`)); err == nil {
		t.Error("two documents were read as one")
	}
}
