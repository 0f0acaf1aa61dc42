// Command bench measures agentltl-hook as whole processes, next to a floor
// program and an empty one in the same interleaved run, and compares with the
// bars of docs/benchmarks.md.
//
//	go run ./bench [-quick] [-only NAME,...] [-out DIR]
//
// It prints a table, writes it (table.md) and every sample (samples.csv) into
// DIR, and ends with status 1 if a bar is missed. Ratios are of medians. Run it
// on a machine that does nothing else.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "fewer samples and smaller stores: finds blunders, proves nothing")
	only := flag.String("only", "", "names of the measurements to make, by comma")
	out := flag.String("out", "bench-out", "folder for table.md and samples.csv")
	flag.Parse()
	missed, err := run(*quick, *only, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(3)
	}
	if missed > 0 {
		fmt.Printf("%d bars missed\n", missed)
		os.Exit(1)
	}
}

func run(quick bool, only, out string) (missed int, err error) {
	dir, err := os.MkdirTemp("", "agentltl-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, out: out, quick: quick, started: time.Now()}
	if only != "" {
		b.only = strings.Split(only, ",")
	}
	for name, pkg := range map[string]string{
		"hook": "./cmd/agentltl-hook", "floor": "./bench/floor", "empty": "./bench/empty",
	} {
		if err := build(pkg, filepath.Join(dir, name)); err != nil {
			return 0, err
		}
	}
	for _, m := range measurements() {
		if !b.wanted(m.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "bench: %s\n", m.name)
		if err := m.run(b); err != nil {
			return 0, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return b.report(os.Stdout)
}

// build makes a static program as a release does.
func build(pkg, to string, flags ...string) error {
	args := []string{"build", "-trimpath", "-ldflags", "-s -w -X github.com/agentltl/agentltl-hook/internal/version.Version=v0.0.0-bench", "-o", to}
	cmd := exec.Command("go", append(append(args, flags...), pkg)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// machine says in one line where the figures come from.
func machine() string {
	model := "unknown processor"
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", model, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}
