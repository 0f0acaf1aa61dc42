package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A proc is one process to time. before runs unmeasured in front of each start
// and may change the process; after runs unmeasured behind it.
type proc struct {
	name   string
	path   string
	args   []string
	env    []string
	dir    string
	stdin  string // file; "" for nothing
	before func(i int, p *proc) error
	after  func(i int) error
	ok     func(stdout []byte, status int) error // checks the answer; nil: any
}

// start runs p once and returns wall time and peak memory in bytes.
func (p *proc) start(out *os.File) (time.Duration, int64, error) {
	in, err := os.Open(os.DevNull)
	if p.stdin != "" {
		in, err = os.Open(p.stdin)
	}
	if err != nil {
		return 0, 0, err
	}
	defer in.Close()
	attr := &os.ProcAttr{Dir: p.dir, Env: p.env, Files: []*os.File{in, out, os.Stderr}}
	began := time.Now()
	process, err := os.StartProcess(p.path, append([]string{p.path}, p.args...), attr)
	if err != nil {
		return 0, 0, err
	}
	state, err := process.Wait()
	took := time.Since(began)
	if err != nil {
		return 0, 0, err
	}
	if p.ok != nil {
		text, err := os.ReadFile(out.Name())
		if err == nil {
			err = p.ok(text, state.ExitCode())
		}
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return took, peakMemory(state), nil
}

// once runs p with its before and after.
func (b *bench) once(i int, p *proc) (time.Duration, int64, error) {
	if p.before != nil {
		if err := p.before(i, p); err != nil {
			return 0, 0, fmt.Errorf("%s: before: %w", p.name, err)
		}
	}
	out, err := os.Create(filepath.Join(b.dir, "stdout"))
	if err != nil {
		return 0, 0, err
	}
	defer out.Close()
	took, rss, err := p.start(out)
	if err != nil {
		return 0, 0, err
	}
	if p.after != nil {
		if err := p.after(i); err != nil {
			return 0, 0, fmt.Errorf("%s: after: %w", p.name, err)
		}
	}
	return took, rss, nil
}

// interleave runs the processes in turn, n rounds, the first tenth thrown away,
// and returns the median of each.
func (b *bench) interleave(name string, n int, procs ...*proc) ([]time.Duration, error) {
	all := make([][]time.Duration, len(procs))
	warm := n/10 + 1
	for i := range n + warm {
		for j, p := range procs {
			took, _, err := b.once(i, p)
			if err != nil {
				return nil, err
			}
			if i >= warm {
				all[j] = append(all[j], took)
				b.sample(name, p.name, took)
			}
		}
	}
	medians := make([]time.Duration, len(procs))
	for j := range all {
		medians[j] = median(all[j])
	}
	return medians, nil
}

// burst starts n processes at once and returns the time of the slowest.
func (b *bench) burst(n int, make func(k int) *proc) (time.Duration, error) {
	var wg sync.WaitGroup
	times, errs := makeSlices(n)
	outs := closers{}
	defer outs.close()
	procs := []*proc{}
	for k := range n {
		p := make(k)
		out, err := os.Create(filepath.Join(b.dir, "stdout-"+strconv.Itoa(k)))
		if err != nil {
			return 0, err
		}
		outs = append(outs, out)
		procs = append(procs, p)
	}
	gate := newGate()
	for k := range n {
		wg.Go(func() {
			gate.wait()
			times[k], _, errs[k] = procs[k].start(outs[k])
		})
	}
	gate.open()
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return 0, err
		}
	}
	return slices.Max(times), nil
}

func makeSlices(n int) ([]time.Duration, []error) { return make([]time.Duration, n), make([]error, n) }

type closers []*os.File

func (c closers) close() {
	for _, f := range c {
		f.Close()
	}
}

// A gate lets all that wait at it go at once.
type gate chan struct{}

func newGate() gate  { return make(gate) }
func (g gate) wait() { <-g }
func (g gate) open() { close(g) }

func median(d []time.Duration) time.Duration {
	s := slices.Clone(d)
	slices.Sort(s)
	return s[len(s)/2]
}
