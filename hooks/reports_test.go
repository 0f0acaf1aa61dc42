package hooks

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/guard"
)

// A reportCase is one case of reports.jsonl, as far as this test looks at it.
type reportCase struct {
	ID    string          `json:"id"`
	Kind  string          `json:"kind"`
	Rules *string         `json:"rules"`
	Calls json.RawMessage `json:"calls"`
	Setup struct {
		Files    []string `json:"files"`
		Branches []string `json:"branches"`
	} `json:"setup"`
	raw []byte
}

func reportCases(t *testing.T) []reportCase {
	t.Helper()
	f, err := os.Open(filepath.Join(vectorsDir, "reports.jsonl"))
	must(t, err)
	defer f.Close()
	var out []reportCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c reportCase
		must(t, json.Unmarshal(lines.Bytes(), &c))
		c.raw = slices.Clone(lines.Bytes())
		out = append(out, c)
	}
	if len(out) != 50 {
		t.Fatalf("%d reports, want 50", len(out))
	}
	return out
}

// stricter are the answers of testdata/disputed.md: by case the calls that we
// refuse where the case asks.
var stricter = map[string][]int{"R009": {0, 1}, "R014": {4}}

func TestReportsDecide(t *testing.T) {
	n := 0
	for _, c := range reportCases(t) {
		if c.Kind != "decide" {
			continue
		}
		n++
		t.Run(c.ID, func(t *testing.T) { playReport(t, c) })
	}
	if n != 37 {
		t.Errorf("%d decide cases, want 37", n)
	}
}

func playReport(t *testing.T, c reportCase) {
	root := filepath.Join(t.TempDir(), "app")
	place := strings.NewReplacer("/w/app", root)
	put := func(name, text string) {
		path := filepath.Join(root, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	put(".git/HEAD", "ref: refs/heads/main\n")
	for _, f := range c.Setup.Files {
		put(strings.TrimPrefix(f, "/w/app/"), "package a\n")
	}
	for _, b := range c.Setup.Branches {
		put(".git/refs/heads/"+b, strings.Repeat("0123456789", 4)+"\n")
	}
	p := &Pipeline{Profile: plain("plain"), Managed: filepath.Join(root, "none"), Home: "/home/dev", Without: quiet}
	if c.ID == "R041" {
		p.Without = []string{guard.NoUnguarded}
	}
	if c.Rules != nil {
		put("AGENTLTL.yaml", *c.Rules)
	}
	file, err := ReadSteps([]byte(place.Replace(string(c.raw))), nil)
	must(t, err)
	pl := NewPlayer(p, root, vectorStart)
	call := -1
	for _, s := range file.Steps {
		if s.Do == "call" {
			call++
		}
		if slices.Contains(stricter[c.ID], call) {
			s.Want = &StepWant{Result: "deny"}
		}
		got, err := pl.Play(context.Background(), s)
		must(t, err)
		if !got.OK {
			t.Errorf("call %d %s: %s\n%s", call, s.Text, got.Reason, got.Text)
		}
	}
}
