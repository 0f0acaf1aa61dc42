package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// inProcess are the benchmarks of the packages with their bars: time and
// allocations an operation.
var inProcess = []struct {
	pkg, bench, what string
	nanoseconds      float64
	allocs           float64 // below zero: no bar
}{
	{"./contract", "^BenchmarkStep50$", "contract: step and clone of 50 mixed templates, no state changes", 5000, 0},
	{"./ltl", "^BenchmarkStepQuiet$", "formula: one step of a rule, nothing changes", 10_000, 0},
	{"./shell", "^BenchmarkTranslate$", "shell: one line", 100_000, -1},
	{"./shell", "^BenchmarkLongLine$", "shell: a line of 128 KiB", 50_000_000, -1},
}

func measureInProcess(b *bench) error {
	for _, m := range inProcess {
		out, err := exec.Command("go", "test", "-run", "^$", "-bench", m.bench, "-benchmem", m.pkg).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", m.pkg, err, out)
		}
		ns, allocs, ok := benchLine(string(out))
		if !ok {
			b.note(m.what, "no benchmark "+strings.Trim(m.bench, "^$")+" in "+m.pkg)
			continue
		}
		b.limit(m.what, ns/1000, m.nanoseconds/1000, "%.2f µs")
		if m.allocs >= 0 {
			b.limit(m.what+": allocations", allocs, m.allocs, "%.0f")
		}
	}
	return nil
}

// benchLine reads time and allocations of the slowest line of go test -bench.
func benchLine(out string) (ns, allocs float64, ok bool) {
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		for i := 2; i+1 < len(f); i += 2 {
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				continue
			}
			switch f[i+1] {
			case "ns/op":
				ns, ok = max(ns, v), true
			case "allocs/op":
				allocs = max(allocs, v)
			}
		}
	}
	return ns, allocs, ok
}

// measureInit: what the packages do before main.
func measureInit(b *bench) error {
	cmd := exec.Command(filepath.Join(b.dir, "hook"), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return err
	}
	total, worst, name := 0.0, 0.0, ""
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 5 || f[0] != "init" {
			continue
		}
		v, err := strconv.ParseFloat(f[4], 64)
		if err != nil {
			continue
		}
		total += v
		if v > worst {
			worst, name = v, f[1]
		}
	}
	b.note("package initialisation", fmt.Sprintf("%.2f ms in all, %s %.2f ms", total, name, worst))
	return nil
}
