package guard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A modeVector is one recorded case of kind mode (testdata/vectors, formulas).
type modeVector struct {
	ID       string       `json:"id"`
	Kind     string       `json:"kind"`
	Rules    []ModeRule   `json:"rules"`
	Settings ModeSettings `json:"settings"`
	Script   []struct {
		ModeStep
		Want *modeWant `json:"want"`
	} `json:"script"`
}

type modeWant struct {
	Action    string   `json:"action"`
	Rules     []string `json:"rules"`
	Notes     []string `json:"notes"`
	Attempts  int      `json:"attempts"`
	Escalated bool     `json:"escalated"`
	Override  string   `json:"override"`
	Latched   bool     `json:"latched"`
}

func modeVectors(t *testing.T) []modeVector {
	t.Helper()
	f, err := os.Open("../testdata/vectors/formulas.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []modeVector
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		if !bytes.Contains(lines.Bytes(), []byte(`"kind":"mode"`)) {
			continue
		}
		var v modeVector
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

func TestModeVectors(t *testing.T) {
	vectors := modeVectors(t)
	if len(vectors) != 101 {
		t.Fatalf("%d mode cases, want 101", len(vectors))
	}
	for _, v := range vectors {
		c := ModeCase{Rules: v.Rules, Settings: v.Settings}
		for _, s := range v.Script {
			c.Script = append(c.Script, s.ModeStep)
		}
		got, err := c.Run()
		if err != nil {
			t.Errorf("%s: %v", v.ID, err)
			continue
		}
		for i, s := range v.Script {
			if s.Want == nil {
				continue
			}
			want := ModeAnswer(*s.Want)
			if want.Override != "" {
				want.Notes = got[i].Notes // not compared then
			}
			if diff := cmp.Diff(want, got[i]); diff != "" {
				t.Errorf("%s step %d (%s): %s", v.ID, i, s.T, diff)
				break
			}
		}
	}
}
