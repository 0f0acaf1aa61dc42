package ltl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/trace"
)

// A vector is one line of formulas.jsonl (vectors/README.md).
type vector struct {
	ID    string              `json:"id"`
	Kind  string              `json:"kind"`
	F     string              `json:"f"`
	P     string              `json:"p"`
	Class string              `json:"class"`
	Reach string              `json:"reach"`
	Calls []vectorCall        `json:"calls"`
	Trace []int               `json:"trace"`
	V     string              `json:"v"`
	End   string              `json:"end"`
	NV    []string            `json:"nv"`
	No    []string            `json:"no"`
	W     [][]string          `json:"w"`
	New   map[string][]string `json:"new"`
	Unc   []string            `json:"unc"`
	Pos   int                 `json:"pos"`
	Want  string              `json:"want"`
	Got   string              `json:"got"`
	// mode cases are run by guard
	Rules    json.RawMessage `json:"rules"`
	Settings json.RawMessage `json:"settings"`
	Script   json.RawMessage `json:"script"`
}

type vectorCall struct {
	T string           `json:"t"`
	A map[string]any   `json:"a"`
	R *json.RawMessage `json:"r"`
	X *int             `json:"x"`
	S *int             `json:"s"`
}

// present notices "r": null, which a pointer does not.
func (c *vectorCall) UnmarshalJSON(b []byte) error {
	type plain vectorCall
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode((*plain)(c)); err != nil {
		return err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(b, &keys); err != nil {
		return err
	}
	if r, ok := keys["r"]; ok {
		c.R = &r
	}
	return nil
}

func (c vectorCall) proposed() trace.Call {
	return trace.Call{Tool: c.T, Args: c.A}
}

func (c vectorCall) ran(t testing.TB) trace.Call {
	out := trace.Call{Tool: c.T, Args: c.A, Step: c.S, Outcome: &trace.Outcome{Status: c.X}}
	if c.R != nil {
		v, err := trace.DecodeJSON(*c.R)
		if err != nil {
			t.Fatal(err)
		}
		out.Outcome.Result = &v
	}
	return out
}

func vectors(t testing.TB) []vector {
	file, err := os.Open("../testdata/vectors/formulas.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []vector
	in := bufio.NewScanner(file)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		dec := json.NewDecoder(bytes.NewReader(in.Bytes()))
		dec.DisallowUnknownFields()
		dec.UseNumber()
		var v vector
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) < 1700 {
		t.Fatalf("only %d vectors", len(out))
	}
	return out
}

func TestVectorErrors(t *testing.T) {
	n := 0
	for _, v := range vectors(t) {
		if v.Kind != "error" {
			continue
		}
		n++
		_, err := Parse(v.F)
		p, ok := errors.AsType[*ParseError](err)
		if !ok {
			t.Errorf("%s: Parse(%q) = %v, want an error at %d", v.ID, v.F, err, v.Pos)
			continue
		}
		if p.Pos != v.Pos {
			t.Errorf("%s: Parse(%q): %v, want an error at %d", v.ID, v.F, p, v.Pos)
		}
	}
	if n != 44 {
		t.Errorf("%d error cases, want 44", n)
	}
}

func TestVectorEvaluation(t *testing.T) {
	n := 0
	for _, v := range vectors(t) {
		if v.Kind == "error" || v.Kind == "mode" {
			continue
		}
		n++
		f := mustParse(t, v.F)
		if got := f.String(); got != v.P {
			t.Errorf("%s: prints %s, want %s", v.ID, got, v.P)
		}
		if r := Classify(f); r.Class.String() != v.Class || r.Reach.String() != v.Reach {
			t.Errorf("%s: %s is %v, reaches %v; want %s, %s", v.ID, v.F, r.Class, r.Reach, v.Class, v.Reach)
		}
		for i := range len(v.Trace) + 1 {
			checkPrefix(t, v, f, i)
		}
	}
	if n != 1572 {
		t.Errorf("%d formula cases, want 1572", n)
	}
}

func mustParse(t testing.TB, text string) Formula {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return f
}

func mustEvaluate(t testing.TB, f Formula, calls []trace.Call) (*Evaluation, []Witness) {
	t.Helper()
	e, err := Evaluate(f, calls)
	if err != nil {
		t.Fatal(err)
	}
	w, err := e.Witnesses()
	if err != nil {
		t.Fatal(err)
	}
	return e, w
}

func checkPrefix(t *testing.T, v vector, f Formula, n int) {
	calls := make([]trace.Call, 0, n+1)
	for _, i := range v.Trace[:n] {
		calls = append(calls, v.Calls[i].ran(t))
	}
	e, w := mustEvaluate(t, f, calls)
	if got := digit(e.Verdict()); got != v.V[n] {
		t.Errorf("%s: %s: verdict of prefix %d is %c, want %c", v.ID, v.F, n, got, v.V[n])
	}
	if got := e.Finished(); got != (v.End[n] == '1') {
		t.Errorf("%s: %s: prefix %d finished is %v", v.ID, v.F, n, got)
	}
	var paths []string
	for _, x := range w {
		paths = append(paths, x.Path+"="+string(digit(x.Verdict)))
	}
	slices.Sort(paths)
	if !slices.Equal(paths, v.W[n]) {
		t.Errorf("%s: %s: witnesses of prefix %d are %v, want %v", v.ID, v.F, n, paths, v.W[n])
	}
	for j, c := range v.Calls {
		after, _ := mustEvaluate(t, f, append(slices.Clone(calls), c.proposed()))
		fresh, err := NewFailures(e, after)
		if err != nil {
			t.Fatal(err)
		}
		checkNext(t, v, n, j, Judgement{after.Verdict(), fresh}, "evaluator")
	}
}

// checkNext compares the judgement of a proposed call with the vector.
func checkNext(t *testing.T, v vector, n, j int, got Judgement, who string) {
	t.Helper()
	name := strconv.Itoa(n) + "." + strconv.Itoa(j)
	if digit(got.Verdict) != v.NV[n][j] {
		t.Errorf("%s: %s: %s: verdict after %s is %d, want %c", v.ID, v.F, who, name, got.Verdict, v.NV[n][j])
	}
	if got.Refused() != (v.No[n][j] == 'R') {
		t.Errorf("%s: %s: %s: %s refused is %v", v.ID, v.F, who, name, got.Refused())
	}
	if !got.Refused() {
		return
	}
	var paths []string
	doubt := false
	for _, w := range got.New {
		paths = append(paths, w.Path)
		doubt = doubt || w.Uncertain
	}
	slices.Sort(paths)
	if want, ok := v.New[name]; ok && !slices.Equal(paths, want) {
		t.Errorf("%s: %s: %s: new after %s are %s, want %s", v.ID, v.F, who, name, strings.Join(paths, " "), strings.Join(want, " "))
	}
	if doubt != slices.Contains(v.Unc, name) {
		t.Errorf("%s: %s: %s: %s uncertain is %v", v.ID, v.F, who, name, doubt)
	}
}

func digit(v Verdict) byte { return '0' + byte(v) }

// TestVectorMonitor replays every case into a monitor, judging each call of the
// alphabet on a clone after every prefix; then once more with the monitor saved
// and restored after every call.
func TestVectorMonitor(t *testing.T) {
	for _, v := range vectors(t) {
		if v.Kind == "error" || v.Kind == "mode" {
			continue
		}
		f := mustParse(t, v.F)
		replay(t, v, f, NewMonitor(f), func(m *Monitor) *Monitor { return m })
		replay(t, v, f, NewMonitor(f), func(m *Monitor) *Monitor {
			b, err := m.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			r := NewMonitor(f)
			if err := r.UnmarshalBinary(b); err != nil {
				t.Fatalf("%s: %s: checkpoint %x: %v", v.ID, v.F, b, err)
			}
			if c, _ := r.AppendBinary(nil); !bytes.Equal(b, c) {
				t.Errorf("%s: %s: checkpoint %x is restored as %x", v.ID, v.F, b, c)
			}
			return r
		})
	}
}

func replay(t *testing.T, v vector, f Formula, m *Monitor, between func(*Monitor) *Monitor) {
	var calls []trace.Call
	history := func(n int) ([]trace.Call, error) { return calls[:n], nil }
	for n := range len(v.Trace) + 1 {
		m = between(m)
		m.SetHistory(history)
		if got := digit(m.Verdict()); got != v.V[n] {
			t.Errorf("%s: %s: monitor: verdict of prefix %d is %c, want %c", v.ID, v.F, n, got, v.V[n])
		}
		if got := m.End(); got != (v.End[n] == '1') {
			t.Errorf("%s: %s: monitor: prefix %d finished is %v", v.ID, v.F, n, got)
		}
		for j, c := range v.Calls {
			checkNext(t, v, n, j, m.Clone().Step(c.proposed()), "monitor")
		}
		if n < len(v.Trace) {
			calls = append(calls, v.Calls[v.Trace[n]].ran(t))
			m.Step(calls[n])
		}
		if m.Err() != nil {
			t.Fatalf("%s: %v", v.ID, m.Err())
		}
	}
}
