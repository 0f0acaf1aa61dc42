//go:build e2e

package e2e

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed harnesses.txt
var pins string

var (
	updateDocs = flag.Bool("update", false, "write the table of scenarios into docs/harnesses.md")
	keep       = flag.Bool("keep", false, "keep the folders of the scenarios")
	program    string // agentltl-hook, built for this run
	runDir     string // folder of this run's own files
)

// A pin is one harness program of harnesses.txt.
type pin struct{ name, version, program string }

// pinned finds the pin of a harness; its program is "" if it is not installed.
func pinned(name string) pin {
	for line := range strings.Lines(pins) {
		f := strings.Fields(line)
		if len(f) != 5 || f[0] != name {
			continue
		}
		p := pin{name: name, version: f[3]}
		dir := filepath.Join(cacheDir(), name+"-"+f[3])
		if _, err := os.Stat(filepath.Join(dir, ".complete")); err == nil {
			p.program = filepath.Join(dir, f[4])
		}
		return p
	}
	panic("e2e: " + name + " is not in harnesses.txt")
}

// cacheDir is where install.sh puts the programs.
func cacheDir() string {
	if d := os.Getenv("AGENTLTL_E2E_CACHE"); d != "" {
		return d
	}
	d, err := os.UserCacheDir()
	if err != nil {
		panic("e2e: no cache folder: " + err.Error())
	}
	return filepath.Join(d, "agentltl-e2e")
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(runMain(m))
}

func runMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "agentltl-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if !*keep {
		defer os.RemoveAll(dir)
	}
	runDir = dir
	program = filepath.Join(dir, "bin", "agentltl-hook")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "../cmd/agentltl-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build agentltl-hook: %v\n%s", err, out)
		return 1
	}
	status := m.Run()
	if ok := tally.report(os.Stdout); !ok && status == 0 {
		status = 1
	}
	return status
}
