package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The recorded cases, once more through the whole program: its batch forms and
// check --json must say what the packages say. AGENTLTL_HOOK_PROGRAM names a
// built program to ask; without it the test runs itself as the program.

const vectorsDir = "../../testdata/vectors"

// vector is one decoded case; numbers keep their literal.
type vector = map[string]any

// programCommand starts the program under test in dir, with a home of its own.
func programCommand(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path := os.Getenv("AGENTLTL_HOOK_PROGRAM")
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		path = self
	}
	cmd := exec.Command(path, args...)
	cmd.Args[0] = "agentltl-hook" // the test binary runs the program under this name
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	return cmd
}

// batch feeds lines to the program and returns its answers by id.
func batch(t *testing.T, lines []vector, args ...string) map[string]vector {
	t.Helper()
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	cmd := programCommand(t, ".", args...)
	cmd.Stdin = &in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	answers := map[string]vector{}
	for i, v := range decodeLines(t, bytes.NewReader(out)) {
		id := fmt.Sprint(v["id"])
		answers[id] = v
		if i < len(lines) && id != fmt.Sprint(lines[i]["id"]) {
			t.Fatalf("answer %d is about %s, the question was %s", i, id, lines[i]["id"])
		}
	}
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d lines", len(answers), len(lines))
	}
	return answers
}

func decodeLines(t *testing.T, r interface{ Read([]byte) (int, error) }) []vector {
	t.Helper()
	var all []vector
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		all = append(all, decodeVector(t, sc.Bytes()))
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func decodeVector(t *testing.T, data []byte) vector {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v vector
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %.200s", err, data)
	}
	return v
}

// readVectors reads a file of cases and insists on their number: a case lost on
// the way must not pass.
func readVectors(t *testing.T, name string, want int) []vector {
	t.Helper()
	f, err := os.Open(filepath.Join(vectorsDir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := decodeLines(t, f)
	if len(all) != want {
		t.Fatalf("%s has %d cases, want %d", name, len(all), want)
	}
	return all
}

// only keeps some keys of a case.
func only(v vector, keys ...string) vector {
	out := vector{}
	for _, k := range keys {
		if x, ok := v[k]; ok {
			out[k] = x
		}
	}
	return out
}

func object(v any) vector { m, _ := v.(map[string]any); return m }
func items(v any) []any   { l, _ := v.([]any); return l }
func words(v any) string  { s, _ := v.(string); return s }
func isTrue(v any) bool   { b, _ := v.(bool); return b }
func show(v any) string   { b, _ := json.Marshal(v); return string(b) }
func equal(a, b any) bool { return reflect.DeepEqual(a, b) }
func texts(v any) (s []string) {
	for _, x := range items(v) {
		s = append(s, fmt.Sprint(x))
	}
	return s
}

// equalSets compares lists without their order.
func equalSets(a, b any) bool {
	x, y := items(a), items(b)
	sx, sy := make([]string, len(x)), make([]string, len(y))
	for i := range x {
		sx[i] = show(x[i])
	}
	for i := range y {
		sy[i] = show(y[i])
	}
	slices.Sort(sx)
	slices.Sort(sy)
	return slices.Equal(slices.Compact(sx), slices.Compact(sy))
}

// disputed are the ids of testdata/disputed.md: cases held to be wrong, with
// the reason there.
func disputed(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile("../../testdata/disputed.md")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if id, ok := strings.CutPrefix(line, "## "); ok {
			ids[strings.Fields(id)[0]] = true
		}
	}
	return ids
}

// report fails the test for each case with an answer that is not the recorded
// one, at most twenty in full.
type wrongAnswers struct {
	t        *testing.T
	disputed map[string]bool
	n        int
}

func (w *wrongAnswers) add(id, command string, problem string) {
	w.t.Helper()
	if problem == "" || w.disputed[id] {
		return
	}
	w.n++
	if w.n <= 20 {
		w.t.Errorf("%s: %s\n\t%s", id, strings.ReplaceAll(command, "\n", "\n\t"), problem)
	}
}

func (w *wrongAnswers) end(total int) {
	w.t.Helper()
	if w.n > 0 {
		w.t.Errorf("%d of %d cases have another answer", w.n, total)
	}
}
