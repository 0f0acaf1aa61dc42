package trace

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var updateGolden = flag.Bool("update", false, "rewrite golden files")

// fullCall has every field set, so that a field added to Call without a place in
// the entry fails TestEveryFieldIsInTheEntry.
func fullCall() Call {
	return Call{
		Tool:  "git_push",
		Args:  Args{"force": true, "remote": "origin", "n": json.Number("1.50"), "list": []any{nil, "a"}},
		Forms: []Form{{Tool: "git", Args: Args{"argv": []any{"push", "-f"}}}},
		CLI: &CLI{
			Source: "git push -f", Index: 1, Operator: "&&", Conditional: true, Repeated: true, Background: true,
			Pipeline: 2, Depth: 3, Wrapper: "sudo", Wrappers: []string{"env", "sudo"}, Remote: "host",
			Redirects: []Redirect{{Op: ">", Target: "log", FD: "2"}, {Op: "<", Target: ""}},
			Env:       map[string]string{"A": "", "B": "b"}, DynamicArgs: []string{"$X"},
			Bounds: map[string]Bound{"*": {Within: []string{"/repo/**"}}, "$X": {Exact: []string{"/a", "/b"}}},
			Fields: map[string]string{"paths": "glob"}, UnknownPaths: []string{"paths"},
			UnknownArgs: true, Opaque: "script", Unspecced: true,
		},
		Effects: []Effect{{Op: "net", Target: "host", Certainty: "sure"}, {Op: "delete", Target: "/x", Certainty: "maybe", Recursive: true}},
		ID:      "toolu_1", Batch: "b1", Agent: "a1", Source: "cd x && git push -f", Native: "Bash", Harness: "claude-code",
		Session: "s1", Dir: "/repo", Step: new(0), Exists: []string{"/repo/a"},
		Outcome: &Outcome{Status: new(1), Result: new(any(map[string]any{"text": "é"})), Maybe: true},
		Time:    time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC), Unchecked: true,
		Extra: Args{"aaa": json.Number("1"), "later": map[string]any{"x": nil}, "zzz": "end"},
	}
}

func TestEveryFieldIsInTheEntry(t *testing.T) {
	full := fullCall()
	check := func(v reflect.Value) {
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if v.Field(i).IsZero() && name != "AllPathsUnknown" {
				t.Errorf("%s.%s is not set in fullCall", v.Type(), name)
			}
		}
	}
	check(reflect.ValueOf(full))
	check(reflect.ValueOf(*full.CLI))
	check(reflect.ValueOf(*full.Outcome))
	data := AppendEntry(nil, &full)
	got, err := DecodeEntry(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full, got); diff != "" {
		t.Errorf("after a round trip (-wrote +read):\n%s", diff)
	}
}

// The bytes of an entry are hashed and kept for years: they must not change.
func TestEntryBytesAreStable(t *testing.T) {
	full := fullCall()
	all := full
	all.CLI = &CLI{AllPathsUnknown: true}
	var b []byte
	var prev Hash
	for _, c := range []Call{full, all, {Tool: "ls"}, {Tool: "x", Outcome: &Outcome{Result: new(any(nil)), Status: new(0)}}} {
		entry := AppendEntry(nil, &c)
		prev = Chain(prev, entry)
		b = append(append(b, entry...), '\n')
		b = append(append(b, "# "...), strings.ToLower(Canonical(hexText(prev)))...)
		b = append(b, '\n')
	}
	path := filepath.Join("testdata", "entries.golden")
	if *updateGolden {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(b)); diff != "" {
		t.Error(diff)
	}
}

func hexText(h Hash) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	for _, c := range h {
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}

func TestDecodeEntryKeepsWhatItDoesNotKnow(t *testing.T) {
	for _, tt := range []struct{ name, in, out string }{
		{"unknown field", `{"args":{},"new":[1],"tool":"x"}`, `{"args":{},"new":[1],"tool":"x"}`},
		{"another type", `{"args":{},"id":7,"status":"no","tool":"x"}`, `{"args":{},"id":7,"status":"no","tool":"x"}`},
		{"odd time", `{"args":{},"t":"yesterday","tool":"x"}`, `{"args":{},"t":"yesterday","tool":"x"}`},
		{"cli of another shape", `{"args":{},"cli":[],"tool":"x"}`, `{"args":{},"cli":[],"tool":"x"}`},
	} {
		c, err := DecodeEntry([]byte(tt.in))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := string(AppendEntry(nil, &c)); got != tt.out {
			t.Errorf("%s: %s comes back as %s", tt.name, tt.in, got)
		}
	}
	for _, in := range []string{``, `[]`, `{}`, `{"tool":1,"args":{}}`, `{"tool":"x"} x`} {
		if c, err := DecodeEntry([]byte(in)); err == nil {
			t.Errorf("%s was read as %v", in, c)
		}
	}
}

func TestClip(t *testing.T) {
	long := strings.Repeat("é", MaxText+1)
	c := fullCall()
	c.Args = Args{"text": long, "list": []any{map[string]any{long: long}}, "n": json.Number(strings.Repeat("1", MaxText+1))}
	c.CLI.Redirects[0].Target = long
	got := Clip(c)
	if reflect.DeepEqual(got, c) || c.Args["text"] != long {
		t.Fatal("the call itself was changed")
	}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			if n := len([]rune(v.String())); n > MaxText {
				t.Errorf("%d characters are left", n)
			}
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Map:
			for it := v.MapRange(); it.Next(); {
				walk(it.Key())
				walk(it.Value())
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[time.Time]() {
				return
			}
			for _, f := range v.Fields() {
				walk(f)
			}
		default:
		}
	}
	walk(reflect.ValueOf(got))
	if again := Clip(got); !reflect.DeepEqual(again, got) {
		t.Error("clipping twice cuts twice")
	}
	if a, b := ClipText(long+"a"), ClipText(long+"b"); a == b {
		t.Error("two long texts became one")
	}
	short := strings.Repeat("é", MaxText)
	if ClipText(short) != short {
		t.Error("a text of the largest size was cut")
	}
}

func TestChainDetectsAnyFlippedByte(t *testing.T) {
	c := fullCall()
	entry := AppendEntry(nil, &c)
	h := Chain(Hash{}, entry)
	for i := range entry {
		flipped := bytes.Clone(entry)
		flipped[i] ^= 1
		if Chain(Hash{}, flipped) == h {
			t.Fatalf("byte %d does not count", i)
		}
	}
	if Chain(Hash{1}, entry) == h {
		t.Error("the hash before does not count")
	}
}

func TestEntryTools(t *testing.T) {
	c := Call{Tool: "git_push", Args: Args{"tool": "arg", "x": `"tool":"text`}, Forms: []Form{{Tool: "git"}}}
	data := AppendEntry(nil, &c)
	for _, tt := range []struct {
		tool string
		want bool
	}{{"git_push", true}, {"git", true}, {"git_pul", false}, {"text", false}} {
		if got := EntryTools(data, func(s []byte) bool { return string(s) == tt.tool }); got != tt.want {
			t.Errorf("EntryTools(%s) = %v, want %v", tt.tool, got, tt.want)
		}
	}
	odd := Call{Tool: "a\"b"}
	if !EntryTools(AppendEntry(nil, &odd), func([]byte) bool { return false }) {
		t.Error("a name with an escape was passed over")
	}
}

// jsonValues draws JSON values of some depth.
func jsonValues(depth int) *rapid.Generator[any] {
	flat := rapid.OneOf(
		rapid.Just(any(nil)),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.String(), func(s string) any { return strings.ToValidUTF8(s, "?") }),
		rapid.Map(rapid.Int(), func(i int) any { return json.Number(Canonical(i)) }),
	)
	if depth == 0 {
		return flat
	}
	in := jsonValues(depth - 1)
	keys := rapid.Map(rapid.String(), func(s string) string { return strings.ToValidUTF8(s, "?") })
	return rapid.OneOf(flat,
		rapid.Map(rapid.SliceOfN(in, 0, 4), func(l []any) any { return append([]any{}, l...) }),
		rapid.Map(rapid.MapOfN(keys, in, 0, 4), func(m map[string]any) any { return m }))
}

func TestEntryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Map(rapid.String(), func(s string) string { return strings.ToValidUTF8(s, "?") })
		c := Call{
			Tool: text.Draw(t, "tool"), Args: Args{text.Draw(t, "key"): jsonValues(3).Draw(t, "value")},
			ID: text.Draw(t, "id"), Source: text.Draw(t, "source"), Dir: text.Draw(t, "dir"),
			Time:    time.Unix(rapid.Int64Range(0, 1<<36).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC(),
			Outcome: &Outcome{},
		}
		if rapid.Bool().Draw(t, "status known") {
			c.Outcome.Status = new(rapid.Int().Draw(t, "status"))
		}
		if rapid.Bool().Draw(t, "result known") {
			v := jsonValues(2).Draw(t, "result")
			c.Outcome.Result = &v
		}
		data := AppendEntry(nil, &c)
		if !json.Valid(data) {
			t.Fatalf("no JSON: %s", data)
		}
		got, err := DecodeEntry(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, got); diff != "" {
			t.Fatalf("-wrote +read:\n%s", diff)
		}
		if !EntryTools(data, func(s []byte) bool { return string(s) == c.Tool }) {
			t.Fatal("EntryTools does not find the tool")
		}
	})
}
