package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A bench is one run of the script.
type bench struct {
	dir     string // programs, stores, payloads
	out     string
	quick   bool
	only    []string
	started time.Time
	rows    []row
	samples []string
}

// A row is one figure with its bar.
type row struct {
	what, got, bar string
	missed         bool
}

func (b *bench) wanted(name string) bool { return b.only == nil || slices.Contains(b.only, name) }

// rounds is how many pairs a measurement takes.
func (b *bench) rounds(n int) int {
	if b.quick {
		return max(10, n/10)
	}
	return n
}

func (b *bench) sample(measurement, program string, d time.Duration) {
	b.samples = append(b.samples, fmt.Sprintf("%s,%s,%d", measurement, program, d.Microseconds()))
}

// ratio adds a row that compares two medians.
func (b *bench) ratio(what string, got, base time.Duration, bar float64, unit string) {
	r := float64(got) / float64(base)
	b.rows = append(b.rows, row{
		what:   what,
		got:    fmt.Sprintf("%.2f (%s / %s)", r, ms(got), ms(base)),
		bar:    fmt.Sprintf("%g times %s", bar, unit),
		missed: r > bar,
	})
}

// limit adds a row with a plain upper bound.
func (b *bench) limit(what string, got, bar float64, format string) {
	b.rows = append(b.rows, row{what, fmt.Sprintf(format, got), fmt.Sprintf(format, bar), got > bar})
}

// note adds a row without a bar.
func (b *bench) note(what, got string) { b.rows = append(b.rows, row{what: what, got: got, bar: "-"}) }

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

// report prints and writes the table and the samples.
func (b *bench) report(w io.Writer) (missed int, err error) {
	var t strings.Builder
	fmt.Fprintf(&t, "%s, %s", b.started.Format("2006-01-02"), machine())
	if b.quick {
		t.WriteString(" (quick: few samples)")
	}
	t.WriteString("\n\n| what | measured | bar | |\n|---|---|---|---|\n")
	for _, r := range b.rows {
		verdict := "met"
		switch {
		case r.missed:
			verdict = "**missed**"
			missed++
		case r.bar == "-":
			verdict = ""
		}
		fmt.Fprintf(&t, "| %s | %s | %s | %s |\n", r.what, r.got, r.bar, verdict)
	}
	if _, err := io.WriteString(w, t.String()); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return 0, err
	}
	samples := "measurement,program,microseconds\n" + strings.Join(b.samples, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(b.out, "samples.csv"), []byte(samples), 0o644); err != nil {
		return 0, err
	}
	return missed, os.WriteFile(filepath.Join(b.out, "table.md"), []byte(t.String()), 0o644)
}
