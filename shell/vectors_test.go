package shell

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
)

// A vectorCall is a call as the recorded cases have it.
type vectorCall struct {
	Tool    string         `json:"tool"`
	Args    map[string]any `json:"args"`
	Forms   []vectorCall   `json:"forms"`
	CLI     map[string]any `json:"cli"`
	Effects []effectJSON   `json:"effects"`
}

type vectorResult struct {
	Calls      []vectorCall     `json:"calls"`
	Unresolved []unresolvedJSON `json:"unresolved"`
}

func (r vectorResult) codes() []string {
	var out []string
	for _, u := range r.Unresolved {
		if !slices.Contains(out, u.Code) {
			out = append(out, u.Code)
		}
	}
	sort.Strings(out)
	return out
}

// asVector is a result through its JSON form, as the command line gives it.
func asVector(t *testing.T, r Result) vectorResult {
	t.Helper()
	b, err := json.Marshal(r.JSON(nil, ""))
	if err != nil {
		t.Fatal(err)
	}
	var out vectorResult
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func request(command, cwd, dialect string) Request {
	if cwd == "" {
		cwd = "/proj"
	}
	return Request{Command: command, Dir: cwd, Root: "/proj", Home: "/home/dev", Dialect: Dialect(dialect), Fresh: true}
}

// readVectors decodes a file of cases strictly: a field nobody checks fails.
func readVectors[T any](t *testing.T, name string) []T {
	t.Helper()
	f, err := os.Open("../testdata/vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		dec := json.NewDecoder(bytes.NewReader(sc.Bytes()))
		dec.DisallowUnknownFields()
		var v T
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%s: %v: %s", name, err, sc.Text())
		}
		out = append(out, v)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// disputed are the ids of testdata/disputed.md, whose other answer is expected.
func disputed(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../testdata/disputed.md")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if head, ok := strings.CutPrefix(line, "## "); ok {
			ids[strings.Fields(head)[0]] = true
		}
	}
	return ids
}

type shellCase struct {
	ID      string `json:"id"`
	Cat     string `json:"cat"`
	Command string `json:"command"`
	Cwd     string `json:"cwd"`
	Note    string `json:"note"`
	Expect  struct {
		Calls      []vectorCall     `json:"calls"`
		Error      bool             `json:"error"`
		Reason     string           `json:"reason"`
		Unresolved *[]string        `json:"unresolved"`
		Effects    []map[string]any `json:"effects"`
	} `json:"expect"`
}

// The recorded answers of the peer (vectors/README.md, shell.jsonl).
func TestVectorsShell(t *testing.T) {
	cases := readVectors[shellCase](t, "shell.jsonl")
	if len(cases) != 1284 {
		t.Errorf("%d cases, want 1284", len(cases))
	}
	failed, odd := map[string]int{}, disputed(t)
	for _, v := range cases {
		got := asVector(t, Translate(request(v.Command, v.Cwd, "")))
		msg := comparePeer(v, got)
		if odd[v.ID] {
			if msg == "" {
				t.Errorf("%s is disputed, and answered as recorded", v.ID)
			}
			continue
		}
		if msg != "" {
			failed[v.Cat]++
			t.Errorf("%s %q: %s", v.ID, v.Command, msg)
		}
	}
	if len(failed) > 0 {
		t.Logf("failed: %v", failed)
	}
}

func comparePeer(v shellCase, got vectorResult) string {
	if v.Expect.Error {
		if len(got.Unresolved) == 0 {
			return "nothing unresolved, the peer refuses it: " + v.Expect.Reason
		}
		return ""
	}
	if len(got.Unresolved) > 0 {
		return fmt.Sprintf("unresolved: %v", got.Unresolved)
	}
	calls := slices.DeleteFunc(got.Calls, func(c vectorCall) bool { return c.CLI["remote"] != nil })
	if len(calls) != len(v.Expect.Calls) {
		return fmt.Sprintf("got %s, want %s", show(calls), show(v.Expect.Calls))
	}
	for i, want := range v.Expect.Calls {
		if msg := comparePeerCall(calls[i], want); msg != "" {
			return fmt.Sprintf("call %d: %s", i, msg)
		}
	}
	return ""
}

func comparePeerCall(got, want vectorCall) string {
	forms := append([]vectorCall{{Tool: got.Tool, Args: got.Args}}, got.Forms...)
	match := -1
	for i, f := range forms {
		if f.Tool == want.Tool && holds(f.Args, want.Args) {
			match = i
			break
		}
	}
	if match < 0 {
		return fmt.Sprintf("got %s, want %s", show(forms), show([]vectorCall{want}))
	}
	for _, k := range []string{"operator", "conditional", "repeated", "pipeline", "depth", "wrapper", "env", "dynamic_args", "redirects", "spec_matched"} {
		if k == "spec_matched" && match > 0 {
			continue
		}
		if !reflect.DeepEqual(got.CLI[k], want.CLI[k]) {
			return fmt.Sprintf("cli.%s: got %v, want %v (%s)", k, got.CLI[k], want.CLI[k], show([]vectorCall{got}))
		}
	}
	return ""
}

// holds says whether args have the wanted values; keys of ours may be there.
func holds(args, want map[string]any) bool {
	for k, v := range want {
		if k == "unknown_paths" {
			if !sameSet(args[k], v) {
				return false
			}
			continue
		}
		if !reflect.DeepEqual(args[k], v) {
			return false
		}
	}
	return true
}

func sameSet(a, b any) bool {
	la, ok := a.([]any)
	lb, ok2 := b.([]any)
	if !ok || !ok2 {
		return reflect.DeepEqual(a, b)
	}
	set := func(l []any) []string {
		var out []string
		for _, x := range l {
			out = append(out, fmt.Sprint(x))
		}
		sort.Strings(out)
		return slices.Compact(out)
	}
	return slices.Equal(set(la), set(lb))
}

func show(calls []vectorCall) string {
	var l []string
	for _, c := range calls {
		args := map[string]any{}
		for k, v := range c.Args {
			if l, ok := v.([]any); v != false && (!ok || len(l) > 0) {
				args[k] = v
			}
		}
		b, _ := json.Marshal(args)
		l = append(l, c.Tool+" "+string(b))
	}
	return strings.Join(l, " | ")
}

// What we add or do otherwise (vectors/README.md, shell-beyond.jsonl).
func TestVectorsBeyond(t *testing.T) {
	cases := readVectors[shellCase](t, "shell-beyond.jsonl")
	if len(cases) != 387 {
		t.Errorf("%d cases, want 387", len(cases))
	}
	failed := map[string]int{}
	for _, v := range cases {
		got := asVector(t, Translate(request(v.Command, v.Cwd, "")))
		if msg := compareOurs(v, got); msg != "" {
			failed[v.Cat]++
			t.Errorf("%s %q: %s", v.ID, v.Command, msg)
		}
	}
	if len(failed) > 0 {
		t.Logf("failed: %v", failed)
	}
}

func compareOurs(v shellCase, got vectorResult) string {
	if v.Expect.Unresolved != nil {
		want := slices.Clone(*v.Expect.Unresolved)
		sort.Strings(want)
		if !slices.Equal(got.codes(), slices.Compact(want)) {
			return fmt.Sprintf("unresolved %v, want %v (%s)", got.codes(), want, show(got.Calls))
		}
	}
	if v.Expect.Calls != nil {
		if len(got.Calls) != len(v.Expect.Calls) {
			return fmt.Sprintf("got %s, want %s", show(got.Calls), show(v.Expect.Calls))
		}
		for i, want := range v.Expect.Calls {
			if msg := compareOurCall(got.Calls[i], want); msg != "" {
				return fmt.Sprintf("call %d: %s", i, msg)
			}
		}
	}
	return compareEffects(v, got)
}

func compareOurCall(got, want vectorCall) string {
	if got.Tool != want.Tool || !holds(got.Args, want.Args) {
		return fmt.Sprintf("got %s, want %s", show([]vectorCall{got}), show([]vectorCall{want}))
	}
	for k, x := range want.CLI {
		if k == "fields" {
			have, _ := got.CLI[k].(map[string]any)
			if !holds(have, x.(map[string]any)) {
				return fmt.Sprintf("cli.fields: got %v, want %v", have, x)
			}
			continue
		}
		if !reflect.DeepEqual(got.CLI[k], x) {
			return fmt.Sprintf("cli.%s: got %v, want %v", k, got.CLI[k], x)
		}
	}
	return ""
}

func compareEffects(v shellCase, got vectorResult) string {
	var all []effectJSON
	for _, c := range got.Calls {
		all = append(all, c.Effects...)
	}
	for _, want := range v.Expect.Effects {
		ok := slices.ContainsFunc(all, func(e effectJSON) bool {
			b, _ := json.Marshal(e)
			var m map[string]any
			if json.Unmarshal(b, &m) != nil {
				return false
			}
			return holds(m, want)
		})
		if !ok {
			return fmt.Sprintf("no effect %v among %v", want, all)
		}
	}
	return ""
}
