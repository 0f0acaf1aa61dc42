//go:build e2e

package e2e

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
)

// A scenario is one story told in each harness that can tell it.
type scenario struct {
	id    string            // stable: it is a row of docs/harnesses.md
	title string            // what holds when it passes
	only  []string          // the harnesses it is about; nil: all
	not   map[string]string // harness -> why it has nothing to check there
	run   func(t *testing.T, l *lab)
}

// scenarios lists all of them, in the order of the table.
func scenarios() []scenario {
	var all []scenario
	for _, group := range [][]scenario{
		basicScenarios(), keepScenarios(), surfaceScenarios(), pluginScenarios(), terminalScenarios(), managedScenarios(), hostileScenarios(),
	} {
		all = append(all, group...)
	}
	return all
}

// wanted holds the lines that a whole run must print, one a harness: how many
// scenarios it ran and skipped. A change there says that scenarios came or went.
//
//go:embed counts.txt
var wanted string

type counts struct{ run, skipped, failed int }

func (c counts) String() string {
	return fmt.Sprintf("%d run, %d skipped, %d failed", c.run, c.skipped, c.failed)
}

func TestScenarios(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range scenarios() {
		if seen[s.id] {
			t.Errorf("two scenarios are called %s", s.id)
		}
		seen[s.id] = true
	}
	for _, d := range drivers() {
		t.Run(d.name(), func(t *testing.T) {
			p := pinned(d.name())
			if p.program == "" && os.Getenv("CI") != "" {
				t.Fatalf("%s %s is not installed: run e2e/install.sh", p.name, p.version)
			}
			for _, s := range scenarios() {
				t.Run(s.id, func(t *testing.T) {
					t.Parallel()
					runScenario(t, d, p, s)
				})
			}
		})
	}
}

func runScenario(t *testing.T, d driver, p pin, s scenario) {
	defer func() { tally.add(d.name(), s.id, t) }()
	if s.only != nil && !slices.Contains(s.only, d.name()) {
		tally.about(d.name(), s.id, "-")
		t.Skipf("not about %s", d.name())
	}
	if why := s.not[d.name()]; why != "" {
		tally.about(d.name(), s.id, why)
		t.Skip(why)
	}
	if p.program == "" {
		t.Skipf("%s %s is not installed", p.name, p.version)
	}
	s.run(t, newLab(t, d, p))
}

// tally collects what every scenario came to.
var tally results

type results struct {
	mu   sync.Mutex
	rows map[string]map[string]string // harness -> scenario -> "yes", "FAILED", "skipped", or why not
	why  map[string]map[string]string
}

// about notes why a scenario has nothing to check in a harness.
func (r *results) about(harness, id, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == nil {
		r.why = map[string]map[string]string{}
	}
	if r.why[harness] == nil {
		r.why[harness] = map[string]string{}
	}
	r.why[harness][id] = why
}

func (r *results) add(harness, id string, t *testing.T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rows == nil {
		r.rows = map[string]map[string]string{}
	}
	if r.rows[harness] == nil {
		r.rows[harness] = map[string]string{}
	}
	switch {
	case t.Failed():
		r.rows[harness][id] = "FAILED"
	case t.Skipped():
		r.rows[harness][id] = "skipped"
	default:
		r.rows[harness][id] = "yes"
	}
}

func (r *results) count(harness string) counts {
	var c counts
	for _, v := range r.rows[harness] {
		switch v {
		case "FAILED":
			c.run++
			c.failed++
		case "skipped":
			c.skipped++
		default:
			c.run++
		}
	}
	return c
}

// report prints a line a harness; false if a whole run has not the wanted numbers.
func (r *results) report(w io.Writer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	ok := true
	var names []string
	for n := range r.rows {
		names = append(names, n)
	}
	sort.Strings(names)
	whole := true
	for _, n := range names {
		c := r.count(n)
		line := fmt.Sprintf("e2e %s: %s\n", n, c)
		fmt.Fprint(w, line)
		if c.run+c.skipped != len(scenarios()) {
			whole = false // -run chose some
		} else if os.Getenv("CI") != "" && !strings.Contains(wanted, line) {
			fmt.Fprintf(w, "not one of the lines of counts.txt:\n%s", wanted)
			ok = false
		}
	}
	if whole && *updateDocs {
		if err := writeTable(r); err != nil {
			fmt.Fprintln(w, err)
			return false
		}
	}
	return ok
}

const (
	tableBegin = "<!-- scenarios: written by go test -tags e2e ./e2e -update -->\n"
	tableEnd   = "<!-- end of scenarios -->\n"
	tableFile  = "../docs/harnesses.md"
)

// writeTable puts the table of this run between its marks in docs/harnesses.md.
func writeTable(r *results) error {
	old, err := os.ReadFile(tableFile)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(old), tableBegin)
	_, tail, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no marks for the table", tableFile)
	}
	return os.WriteFile(tableFile, []byte(head+tableBegin+r.table()+tableEnd+tail), 0o644)
}

// table is the scenario-by-harness table in Markdown.
func (r *results) table() string {
	var b strings.Builder
	b.WriteString("| scenario |")
	for _, d := range drivers() {
		p := pinned(d.name())
		fmt.Fprintf(&b, " %s %s |", p.name, p.version)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(drivers())) + "\n")
	for _, s := range scenarios() {
		fmt.Fprintf(&b, "| **%s** %s |", s.id, s.title)
		for _, d := range drivers() {
			cell := r.rows[d.name()][s.id]
			if why := r.why[d.name()][s.id]; why != "" {
				cell = why
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteString("\n")
	}
	b.WriteString("| total |")
	for _, d := range drivers() {
		fmt.Fprintf(&b, " %s |", r.count(d.name()))
	}
	b.WriteString("\n")
	return b.String()
}
