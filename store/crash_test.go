package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A process that ends at any fault point leaves a store that opens, with every
// call whose step was finished, and none twice once the rest was done again.
func TestCrashAtEveryFaultPoint(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	program := filepath.Join(t.TempDir(), "store.test")
	build := exec.Command("go", "test", "-c", "-tags", "faultpoints", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	passes := listPoints(t, program)
	for _, point := range declaredPoints(t) {
		if passes[point] == 0 {
			t.Errorf("the scenario never comes by %s", point)
		}
	}
	points := make([]string, 0, len(passes))
	for p, n := range passes {
		for _, pass := range slices.Compact([]int{1, n}) { // the first and the last time
			points = append(points, fmt.Sprintf("%s#%d", p, pass))
		}
	}
	slices.Sort(points)
	for _, p := range points {
		t.Run(p, func(t *testing.T) {
			t.Parallel()
			crash(t, program, p)
		})
	}
}

func crash(t *testing.T, program, point string) {
	j := newSteps(t)
	first := j.cmd(program, "AGENTLTL_FAULT="+point)
	out, err := first.CombinedOutput()
	if first.ProcessState.Exited() {
		t.Fatalf("it did not end at the point: %v\n%s", err, out)
	}
	done := 0
	if log, err := os.ReadFile(j.Log); err == nil {
		done = strings.Count(string(log), "\n")
	}
	steps := scenario()
	got := ids(t, j.where(done))
	for _, step := range steps[:done] {
		for _, id := range step.records {
			if got[id] != 1 {
				t.Errorf("%s is recorded %d times", id, got[id])
			}
		}
	}
	if out, err := j.cmd(program).CombinedOutput(); err != nil {
		t.Fatalf("doing the rest: %v\n%s", err, out)
	}
	got = ids(t, j.where(len(steps)))
	for _, step := range steps {
		for _, id := range step.records {
			if got[id] != 1 {
				t.Errorf("in the end %s is recorded %d times", id, got[id])
			}
		}
	}
}

func newSteps(t *testing.T) helperJob {
	dir := t.TempDir()
	return helperJob{
		Do: "steps", Log: filepath.Join(dir, "log"), Spare: dir,
		Options: Options{Dir: filepath.Join(dir, "state"), Root: dir, Session: "a", Now: start, Codec: 3},
	}
}

// where is the store after so many steps: during the move it may be elsewhere.
func (j helperJob) where(int) Options {
	there := j.Options
	there.Root = filepath.Join(j.Spare, "elsewhere")
	if _, err := os.Stat(Path(j.Options.Dir, j.Options.Root)); os.IsNotExist(err) {
		return there
	}
	return j.Options
}

func listPoints(t *testing.T, program string) map[string]int {
	j := newSteps(t)
	list := filepath.Join(j.Spare, "points")
	if out, err := j.cmd(program, "AGENTLTL_FAULT=list:"+list).CombinedOutput(); err != nil {
		t.Fatalf("scenario: %v\n%s", err, out)
	}
	data, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	passes := map[string]int{}
	for p := range strings.FieldsSeq(string(data)) {
		passes[p]++
	}
	return passes
}

// declaredPoints are those that the source names in full.
func declaredPoints(t *testing.T) (points []string) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if _, rest, ok := strings.Cut(line, `fault("`); ok {
				if p, _, ok := strings.Cut(rest, `")`); ok {
					points = append(points, p)
				}
			}
		}
	}
	if len(points) < 10 {
		t.Fatalf("found only %v", points)
	}
	return points
}

// bbolt's own writes have no fault points: here a commit that was cut off at any
// page is made from the file before and the file after it.
func TestTornCommits(t *testing.T) {
	o := testOptions(t)
	o.NoSync = true
	s := Open(o)
	rng := rand.New(rand.NewPCG(1, 2))
	read := func() []byte {
		data, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	length := func(what string) (n int) {
		if err := s.Verify(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		view(t, s, func(tx *Tx) { n = tx.Len(0) })
		return n
	}
	appendCalls(t, s, 20)
	page := os.Getpagesize()
	for i := range 60 {
		before := read()
		appendCalls(t, s, 1+i%7)
		after := read()
		n := length("after")
		torn := append(slices.Clone(before), make([]byte, max(0, len(after)-len(before)))...)
		for p := 2 * page; p < len(after); p += page { // all but the two meta pages
			if rng.IntN(2) == 0 {
				copy(torn[p:p+page], after[p:p+page])
			}
		}
		write := func(data []byte) {
			if err := os.WriteFile(s.path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(torn)
		if got := length("data pages torn"); got != n-(1+i%7) {
			t.Fatalf("data pages torn: %d calls, want %d", got, n-(1+i%7))
		}
		meta := slices.Clone(after) // all pages there, the new meta page torn
		for p := range 2 * page {
			if before[p] != after[p] && rng.IntN(3) > 0 {
				meta[p] = before[p]
			}
		}
		write(meta)
		if got := length("meta page torn"); got != n && got != n-(1+i%7) {
			t.Fatalf("meta page torn: %d calls", got)
		}
		write(after)
	}
}
