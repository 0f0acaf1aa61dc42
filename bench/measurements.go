package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A measurement makes rows of the table.
type measurement struct {
	name string
	run  func(*bench) error
}

func measurements() []measurement {
	return []measurement{
		{"pre", measurePre},
		{"norules", measureNoRules},
		{"length", measureLength},
		{"rules", measureRules},
		{"burst", measureBurst},
		{"memory", measureMemory},
		{"reading", measureReading},
		{"inprocess", measureInProcess},
		{"formulas", measureFormulas},
		{"init", measureInit},
	}
}

func (b *bench) floor(name string) *proc {
	return &proc{
		name: "floor", path: filepath.Join(b.dir, "floor"), args: []string{filepath.Join(b.dir, name+".floor.db")},
		dir: b.dir, env: []string{"PATH=/usr/bin:/bin"},
	}
}

func (b *bench) empty() *proc {
	return &proc{name: "empty", path: filepath.Join(b.dir, "empty"), dir: b.dir, env: []string{"PATH=/usr/bin:/bin"}}
}

// measurePre: an allowed call under the five rules, and under a sixth that reserves.
func measurePre(b *bench) error {
	five, err := b.filled("five", fiveRules, 100)
	if err != nil {
		return err
	}
	six, err := b.filled("six", sixRules, 100)
	if err != nil {
		return err
	}
	m, err := b.interleave("pre", b.rounds(400), b.floor("pre"), five.pre(false), six.pre(true), b.empty(), five.post())
	if err != nil {
		return err
	}
	b.note("floor program", ms(m[0]))
	b.note("empty program", ms(m[3]))
	b.ratio("allowed pre-tool, five rules, 100 calls", m[1], m[0], 1.5, "the floor")
	b.ratio("the same, a sixth rule that reserves", m[2], m[0], 2.5, "the floor")
	b.note("post-tool, five rules, 100 calls", fmt.Sprintf("%.2f times the floor (%s)", float64(m[4])/float64(m[0]), ms(m[4])))
	return nil
}

// filled is a project with n recorded calls and its rule set compiled.
func (b *bench) filled(name, rules string, n int) (*project, error) {
	p, err := b.project(name, rules)
	if err != nil {
		return nil, err
	}
	if err := p.fill(n); err != nil {
		return nil, err
	}
	for _, q := range []*proc{p.pre(false), p.post()} { // the first event compiles the set
		if _, _, err := b.once(0, q); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func measureNoRules(b *bench) error {
	p, err := b.project("norules", "")
	if err != nil {
		return err
	}
	m, err := b.interleave("norules", b.rounds(400), b.empty(), p.pre(false), b.floor("norules"))
	if err != nil {
		return err
	}
	b.ratio("no rule file", m[1], m[0], 2.2, "empty")
	b.ratio("no rule file", m[1], m[2], 1.0, "the floor")
	if _, err := os.Stat(p.state); err == nil {
		return fmt.Errorf("a project without rules got the state folder %s", p.state)
	}
	return nil
}

// measureLength: the cost of a call does not grow with the calls before it.
func measureLength(b *bench) error {
	million, pruned := 1_000_000, 900_000
	if b.quick {
		million, pruned = 20_000, 18_000
	}
	base, err := b.filled("calls100", fiveRules, 100)
	if err != nil {
		return err
	}
	mid, err := b.filled("calls5000", fiveRules, 5000)
	if err != nil {
		return err
	}
	long, err := b.filled("calls1000000", fiveRules, million)
	if err != nil {
		return err
	}
	size, err := long.storeSize()
	if err != nil {
		return err
	}
	b.limit(fmt.Sprintf("file size a call of 300 bytes, %d calls", million), float64(size)/float64(million), 1300, "%.0f bytes")
	compare := func(label string, p *project) error {
		m, err := b.interleave(label, b.rounds(200), base.pre(false), p.pre(false), base.post(), p.post())
		if err != nil {
			return err
		}
		b.ratio("pre-tool, "+label, m[1], m[0], 1.2, "that at 100 calls")
		b.ratio("post-tool, "+label, m[3], m[2], 1.2, "that at 100 calls")
		return nil
	}
	if err := compare("5000 calls", mid); err != nil {
		return err
	}
	if err := compare(strconv.Itoa(million)+" calls", long); err != nil {
		return err
	}
	if err := long.command("prune", "--project", "--keep", strconv.Itoa(million-pruned)); err != nil {
		return err
	}
	if err := long.command("prune", "--session", session, "--keep", strconv.Itoa(million-pruned)); err != nil {
		return err
	}
	if err := compare(fmt.Sprintf("%d calls less %d pruned", million, pruned), long); err != nil {
		return err
	}
	_, rss, err := b.once(0, long.pre(false))
	if err != nil {
		return err
	}
	b.limit("peak memory on that store", float64(rss)/(1<<20), 20, "%.1f MiB")
	return nil
}

func measureRules(b *bench) error {
	small, err := b.filled("rules10", manyRules(10), 100)
	if err != nil {
		return err
	}
	big, err := b.filled("rules1000", manyRules(1000), 100)
	if err != nil {
		return err
	}
	m, err := b.interleave("rules", b.rounds(200), small.pre(false), big.pre(false), small.post(), big.post())
	if err != nil {
		return err
	}
	b.ratio("pre-tool, 1,000 rules", m[1], m[0], 2, "10 rules")
	b.ratio("post-tool, 1,000 rules", m[3], m[2], 2, "10 rules")
	var firsts []time.Duration
	for i := range b.rounds(20) {
		if err := big.rules(manyRules(1000) + "# edit " + strconv.Itoa(i) + "\n"); err != nil {
			return err
		}
		edited := big.pre(false)
		edited.ok = nil // the person is told that the rules changed
		took, _, err := b.once(i, edited)
		if err != nil {
			return err
		}
		firsts = append(firsts, took)
		b.sample("rules-edited", "rules1000", took)
	}
	b.limit("first call after an edit of 1,000 rules", float64(median(firsts).Microseconds())/1000, 150, "%.1f ms")
	return nil
}

func measureBurst(b *bench) error {
	p, err := b.filled("burst", sixRules, 100)
	if err != nil {
		return err
	}
	for _, n := range []int{8, 16, 64} {
		var floors, hooks []time.Duration
		var busy atomic.Int32
		for range b.rounds(20) {
			f, err := b.burst(n, func(int) *proc { return b.floor("burst") })
			if err != nil {
				return err
			}
			h, err := b.burst(n, func(k int) *proc {
				q := p.hook("PreToolUse")
				q.ok = func(stdout []byte, status int) error {
					if bytes.Contains(stdout, []byte("store busy")) {
						busy.Add(1)
						return nil
					}
					return silent(stdout, status)
				}
				q.stdin, err = p.payload("PreToolUse", p.id(), nil)
				return q
			})
			if err != nil {
				return err
			}
			floors, hooks = append(floors, f), append(hooks, h)
			// None of the calls ran: what they reserved must not weigh on the next burst.
			if err := p.quietly("Stop", p.id(), nil); err != nil {
				return err
			}
			b.sample("burst"+strconv.Itoa(n), "floor", f)
			b.sample("burst"+strconv.Itoa(n), "hook", h)
		}
		b.ratio(fmt.Sprintf("slowest of %d at once, all reserving", n), median(hooks), median(floors), 2, "the slowest floor program")
		b.limit(fmt.Sprintf("answers of %d at once that met a busy store, of %d", n, n*len(hooks)), float64(busy.Load()), 0, "%.0f")
	}
	return nil
}

func measureMemory(b *bench) error {
	p, err := b.filled("memory", fiveRules, 100)
	if err != nil {
		return err
	}
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20, 10 << 20} {
		bar := 20.0
		if size > 64<<10 {
			bar = 10 * float64(size) / (1 << 20)
			bar = max(bar, 20)
		}
		input := map[string]any{
			"tool_name":  "Write",
			"tool_input": map[string]any{"file_path": filepath.Join(p.root, "f"), "content": strings.Repeat("a line of a file\n", size/17)},
		}
		id := p.id()
		for _, event := range []string{"PreToolUse", "PostToolUse"} {
			q := p.hook(event)
			q.before = func(_ int, q *proc) (err error) {
				q.stdin, err = p.payload(event, id, input)
				return err
			}
			took, rss, err := b.once(0, q)
			if err != nil {
				return err
			}
			b.limit(fmt.Sprintf("peak memory, %s, payload of %d KiB", event, size>>10), float64(rss)/(1<<20), bar, "%.1f MiB")
			if size == 10<<20 {
				b.limit("time, "+event+", payload of 10 MiB", took.Seconds(), 1, "%.2f s")
			}
		}
	}
	return nil
}
