package ltl

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentltl/agentltl-hook/trace"
)

// Laws that hold whatever the formula and the trace.

func drawCase(t *rapid.T) (*gen, Formula, []trace.Call) {
	g := genSource().Draw(t, "source")
	return g, g.formula(), g.trace(25)
}

func monitor(f Formula, calls []trace.Call) *Monitor {
	m := NewMonitor(f)
	m.SetHistory(func(n int) ([]trace.Call, error) { return calls[:n], nil })
	return m
}

func save(t interface{ Fatal(...any) }, m *Monitor) []byte {
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFinalVerdictsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, f, calls := drawCase(t)
		m := monitor(f, calls)
		last := Pending
		for i, c := range calls {
			v := m.Step(c).Verdict
			if (last == False || last == True) && v != last {
				t.Fatalf("%s\n%sverdict %v became %v at call %d", f, showCalls(calls), last, v, i)
			}
			if v == False && m.End() || v == True && !m.End() {
				t.Fatalf("%s\n%sverdict %v, finished %v at call %d", f, showCalls(calls), v, m.End(), i)
			}
			last = v
		}
	})
}

func TestNegationMirrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, f, calls := drawCase(t)
		m, n := monitor(f, calls), monitor(Not{f}, calls)
		for i, c := range calls {
			if v, w := m.Step(c).Verdict, n.Step(c).Verdict; v != w.not() || m.End() == n.End() {
				t.Fatalf("%s\n%scall %d: %v, %v; negated %v, %v", f, showCalls(calls), i, v, m.End(), w, n.End())
			}
		}
	})
}

func TestReachHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, f, calls := drawCase(t)
		r := Classify(f).Reach
		m := monitor(f, calls)
		for i, c := range calls {
			if v := m.Step(c).Verdict; !r.Has(v) {
				t.Fatalf("%s\n%scall %d: %v is not among %v", f, showCalls(calls), i, v, r)
			}
		}
	})
}

func TestPrintParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := genSource().Draw(t, "source")
		f := untargeted(g.formula())
		text := f.String()
		back, err := Parse(text)
		if err != nil {
			if len(freeVars(f)) == 0 {
				t.Fatalf("%s: %v", text, err)
			}
			return
		}
		if got := back.String(); got != text {
			t.Fatalf("%s is read as %s", text, got)
		}
	})
}

// untargeted puts names in place of targets, which have no text of their own.
func untargeted(f Formula) Formula {
	if ts := toolsOf(f); len(ts) > 0 && ts[0].Target != nil {
		return Now{Named(ts[0].Target.Tools()[0])}
	}
	for i, k := range children(f) {
		f = withChild(f, i, untargeted(k))
	}
	return f
}

// TestRenaming: tools are names and nothing else.
func TestRenaming(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := genSource().Draw(t, "source")
		seed := g.Uint64()
		run := func(tools ...string) (Formula, []Judgement) {
			h := sourceOf(seed, tools)
			f, calls := h.formula(), h.trace(25)
			m := monitor(f, calls)
			var out []Judgement
			for _, c := range calls {
				out = append(out, m.Step(c))
			}
			return f, out
		}
		f, want := run("a", "b", "c")
		_, got := run("mcp__x__y", "Read", "git_push")
		for i := range want {
			if want[i].Verdict != got[i].Verdict || !slices.Equal(want[i].New, got[i].New) {
				t.Fatalf("%s: call %d: %v, renamed %v", f, i, want[i], got[i])
			}
		}
	})
}

// TestClonesAreApart: judging on a clone leaves the original alone, and the
// clone of a clone is one of its own.
func TestClonesAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, f, calls := drawCase(t)
		if Fallback(f) {
			return
		}
		m := monitor(f, calls)
		for _, c := range calls {
			before := save(t, m)
			clone := m.Clone()
			j := clone.Step(c)
			middle := save(t, clone)
			again := clone.Clone()
			again.Step(g.call())
			if !bytes.Equal(save(t, m), before) || !bytes.Equal(save(t, clone), middle) {
				t.Fatalf("%s\n%sa clone's step moved its original", f, showCalls(calls))
			}
			if k := m.Step(c); k.Verdict != j.Verdict || !slices.Equal(k.New, j.New) {
				t.Fatalf("%s\n%sclone %v, original %v", f, showCalls(calls), j, k)
			}
			if !bytes.Equal(save(t, m), middle) {
				t.Fatalf("%s\n%sclone and original differ after the same call", f, showCalls(calls))
			}
		}
	})
}

// TestSkipIsStep: a call that React and Tools rule out changes nothing but the
// count.
func TestSkipIsStep(t *testing.T) {
	skipped := 0
	rapid.Check(t, func(t *rapid.T) {
		g, f, calls := drawCase(t)
		if Fallback(f) {
			return
		}
		names, always := Tools(f)
		m := monitor(f, calls)
		for i, c := range calls {
			if g.oneIn(3) {
				c = trace.Call{Tool: "other", Args: c.Args, Outcome: c.Outcome}
			}
			byTool := always || slices.Contains(names, c.Tool)
			for _, form := range c.Forms {
				byTool = byTool || slices.Contains(names, form.Tool)
			}
			if !byTool && React(f, &c) {
				t.Fatalf("%s reacts to %s, which Tools rules out", f, c.Tool)
			}
			if React(f, &c) {
				m.Step(c)
				continue
			}
			skipped++
			s := m.Clone()
			s.Skip(1)
			j := m.Step(c)
			if !bytes.Equal(save(t, s), save(t, m)) {
				t.Fatalf("%s\n%scall %d (%s): skipped %x, stepped %x", f, showCalls(calls), i, c.Tool, save(t, s), save(t, m))
			}
			if j.Refused() {
				t.Fatalf("%s\n%scall %d (%s) cannot matter, and is refused for %v", f, showCalls(calls), i, c.Tool, j.New)
			}
		}
	})
	if skipped < 20 {
		t.Errorf("only %d calls were skipped", skipped)
	}
}

// A shelf stores bindings as a store does.
type shelf map[string][]byte

func (s shelf) Var(key string) ([]byte, bool) { v, ok := s[key]; return v, ok }

func (s shelf) Each(f func(string, []byte) error) error {
	for _, k := range slices.Sorted(maps.Keys(s)) {
		if err := f(k, s[k]); err != nil {
			return err
		}
	}
	return nil
}

func (s shelf) take(changes map[string][]byte) {
	for k, v := range changes {
		if v == nil {
			delete(s, k)
		} else {
			s[k] = v
		}
	}
}

// TestStoredBindings: a monitor that is made anew for every call, and reads and
// writes single bindings, is one that stays.
func TestStoredBindings(t *testing.T) {
	bound := 0
	rapid.Check(t, func(t *rapid.T) {
		g := genSource().Draw(t, "source")
		f, calls := WithPolarity(g.perValue()), g.trace(25)
		if Fallback(f) {
			return
		}
		m := monitor(f, calls)
		stored := shelf{}
		state := save(t, m)
		for i, c := range calls {
			n := NewMonitor(f)
			n.SetVars(stored)
			if err := n.UnmarshalBinary(state); err != nil {
				t.Fatal(err)
			}
			proposed := n.Clone().Step(c)
			got, want := n.Step(c), m.Step(c)
			if got.Verdict != want.Verdict || !slices.Equal(got.New, want.New) || n.End() != m.End() {
				t.Fatalf("%s\n%scall %d: %v, want %v", f, showCalls(calls), i, got, want)
			}
			if proposed.Verdict != want.Verdict || !slices.Equal(proposed.New, want.New) {
				t.Fatalf("%s\n%scall %d proposed: %v, want %v", f, showCalls(calls), i, proposed, want)
			}
			state = save(t, n)
			stored.take(n.Changes())
			if n.Err() != nil {
				t.Fatal(n.Err())
			}
		}
		bound += len(stored)
		if k := kept(m); k != len(stored) {
			t.Fatalf("%s\n%s%d bindings stored, %d kept in memory", f, showCalls(calls), len(stored), k)
		}
	})
	if bound < 20 {
		t.Errorf("only %d bindings were stored", bound)
	}
}

// kept counts the bindings a monitor has in memory.
func kept(m *Monitor) int {
	n := 0
	m.kept.own.each(func(_ *bindings, st *envState) {
		if st != nil {
			n++
		}
	})
	return n
}

// TestAllShortTraces: every trace up to length 6 over three letters, for the
// recorded rules that speak of tools alone.
func TestAllShortTraces(t *testing.T) {
	known := map[string]bool{}
	for _, v := range vectors(t) {
		if v.Kind != "rule" || known[v.P] {
			continue
		}
		f := mustParse(t, v.F)
		if !plainTools(f) {
			continue
		}
		known[v.P] = true
		var letters []string
		walk(f, func(g Formula) bool {
			for _, t := range toolsOf(g) {
				if !slices.Contains(letters, t.Name) {
					letters = append(letters, t.Name)
				}
			}
			return true
		})
		letters = append(letters, "other", "another")[:3]
		limit := 6
		if testing.Short() {
			limit = 4
		}
		e, _ := mustEvaluate(t, f, nil)
		explore(t, f, NewMonitor(f), e, nil, letters, limit)
	}
	if len(known) < 20 {
		t.Errorf("only %d formulas", len(known))
	}
}

func plainTools(f Formula) bool {
	return walk(f, func(g Formula) bool {
		switch g := g.(type) {
		case CalledWithResult, Forall, Exists:
			return false
		case NowWith:
			return g.Result == AnyResult && len(g.Args) == 0
		default:
			return len(argsOf(g)) == 0
		}
	})
}

func explore(t *testing.T, f Formula, m *Monitor, before *Evaluation, calls []trace.Call, letters []string, left int) {
	if got, want := m.End(), before.Finished(); got != want {
		t.Fatalf("%s\n%sfinished %v, want %v", f, showCalls(calls), got, want)
	}
	if left == 0 {
		return
	}
	for _, l := range letters {
		next := append(slices.Clip(calls), trace.Call{Tool: l})
		after, _ := mustEvaluate(t, f, next)
		want, err := NewFailures(before, after)
		if err != nil {
			t.Fatal(err)
		}
		n := m.Clone()
		got := n.Step(next[len(calls)])
		if got.Verdict != after.Verdict() {
			t.Fatalf("%s\n%sverdict %v, want %v", f, showCalls(next), got.Verdict, after.Verdict())
		}
		if msg := sameNew(got.New, want); msg != "" {
			t.Fatalf("%s\n%s%s", f, showCalls(next), msg)
		}
		explore(t, f, n, after, next, letters, left-1)
	}
}
