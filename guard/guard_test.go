package guard

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentltl/agentltl-hook/contract"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// An automaton is a hand-made rule over tool names, so that the tests of modes
// and memory need neither rule files nor formulas.
type automaton struct {
	name  string
	tools []string
	bad   func(n map[string]int, c *trace.Call) bool
}

func (a automaton) Key() string                  { return a.name }
func (a automaton) Tools() []string              { return a.tools }
func (a automaton) NewMonitor() contract.Monitor { return &automatonMonitor{a: a, n: map[string]int{}} }

type automatonMonitor struct {
	a automaton
	n map[string]int
}

func (m *automatonMonitor) Propose(c *trace.Call) contract.Problem {
	if m.a.bad(m.n, c) {
		return contract.Problem{Text: c.Tool + " breaks " + m.a.name, Maybe: c.CLI != nil && c.CLI.AllPathsUnknown}
	}
	return contract.Problem{}
}

func (m *automatonMonitor) Step(c *trace.Call) bool {
	m.n[c.Tool]++
	if c.Outcome != nil && c.Outcome.Maybe {
		m.n["maybe "+c.Tool]++
	}
	return true
}

func (m *automatonMonitor) Clone() contract.Monitor {
	return &automatonMonitor{a: m.a, n: maps.Clone(m.n)}
}

func (m *automatonMonitor) Status() contract.Status { return contract.Unknown }

func (m *automatonMonitor) AppendBinary(b []byte) ([]byte, error) {
	var keys []string
	for k := range m.n {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		b = binary.AppendUvarint(b, uint64(m.n[k]))
		b = append(b, k...)
		b = append(b, 0)
	}
	return b, nil
}

func (m *automatonMonitor) UnmarshalBinary(b []byte) error {
	m.n = map[string]int{}
	for len(b) > 0 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return fmt.Errorf("bad count")
		}
		k, rest, ok := strings.Cut(string(b[n:]), "\x00")
		if !ok {
			return fmt.Errorf("unended name")
		}
		m.n[k], b = int(v), []byte(rest)
	}
	return nil
}

func rule(id string, mode rules.Mode, tools []string, bad func(map[string]int, *trace.Call) bool) *rules.Rule {
	return &rules.Rule{
		ID: id, Kind: "test", Mode: mode, Layer: rules.User, Tools: tools, Contract: automaton{id, tools, bad},
		Digest: sha256.Sum256([]byte(id)),
	}
}

func never(id string, mode rules.Mode, tools ...string) *rules.Rule {
	return rule(id, mode, tools, func(_ map[string]int, c *trace.Call) bool {
		return slices.ContainsFunc(toolsOf(c), func(name string) bool { return slices.Contains(tools, name) })
	})
}

// atMost counts what ran and what may be running.
func atMost(id string, n int, tool string) *rules.Rule {
	r := rule(id, rules.Block, []string{tool}, func(k map[string]int, c *trace.Call) bool { return k[c.Tool] >= n })
	r.Limit = true
	r.Reserves = func(*trace.Call) bool { return true }
	return r
}

// before needs a call of first that ran for sure.
func before(id, first, then string) *rules.Rule {
	return rule(id, rules.Block, []string{first, then}, func(n map[string]int, c *trace.Call) bool {
		return c.Tool == then && n[first] == n["maybe "+first]
	})
}

func book(list ...*rules.Rule) *Rules {
	s := rules.Settings{
		Retries: 3, RetryCounting: "cumulative", Report: 3, FinishRetries: 2,
		UnparseableAsked: rules.UnparseableAsk, UnparseableAuto: rules.UnparseableNote,
	}
	return &Rules{List: list, Set: s, Named: sha256.Sum256([]byte(fmt.Sprint(len(list), list[0].ID)))}
}

// A bench is a judge on a memory of its own; tick is its clock.
type bench struct {
	t     *testing.T
	j     *Judge
	store *Memory
	n     int
}

func newBench(t *testing.T, list ...*rules.Rule) *bench {
	return &bench{t: t, j: &Judge{Book: book(list...)}, store: NewMemory("s1")}
}

func calls(tools ...string) []trace.Call {
	out := make([]trace.Call, len(tools))
	for i, x := range tools {
		out[i] = trace.Call{Tool: x, Args: trace.Args{}, CLI: &trace.CLI{Index: i, Source: x}}
		if i > 0 {
			out[i].CLI.Operator = ";"
		}
	}
	return out
}

func line(tools ...string) Proposal {
	return Proposal{Calls: calls(tools...), Shell: "Bash", Line: strings.Join(tools, "; ")}
}

func (b *bench) tick() {
	b.n++
	b.j.Now = time.Unix(int64(b.n), 0)
}

// check asks as a hook does: look first, and only when something must be kept
// judge again in an Update. Both must agree.
func (b *bench) check(p Proposal) Decision {
	b.t.Helper()
	b.tick()
	var d, looked Decision
	do(b.t, b.store.View(func(tx state.Tx) (err error) { looked, err = b.j.Look(tx, p); return err }))
	if !looked.Keep {
		return looked
	}
	do(b.t, b.store.Update(func(tx state.Tx) (err error) { d, err = b.j.Check(tx, p); return err }))
	if d.Action != looked.Action || d.Rule() != looked.Rule() {
		b.t.Fatalf("looked: %v %s, checked: %v %s", looked.Action, looked.Rule(), d.Action, d.Rule())
	}
	return d
}

func (b *bench) ran(p Proposal) {
	b.t.Helper()
	b.tick()
	zero := 0
	Spread(p.Calls, &zero, nil)
	do(b.t, b.store.Update(func(tx state.Tx) error { return b.j.Record(tx, p) }))
}

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// play runs proposals in turn, "ran" following every allow, and gives the answers.
func (b *bench) play(steps ...string) []string {
	b.t.Helper()
	var out []string
	for _, s := range steps {
		if s == "user" {
			do(b.t, b.store.Update(b.j.Turn))
			continue
		}
		p := line(strings.Split(s, "; ")...)
		d := b.check(p)
		if d.Action == Allow {
			b.ran(p)
		}
		out = append(out, strings.TrimSpace(fmt.Sprint(d.Action, " ", d.Rule())))
	}
	return out
}

func TestModesOverBothMemories(t *testing.T) {
	projectWide := func(r *rules.Rule) *rules.Rule { r.Scope = rules.Project; return r }
	for _, tt := range []struct {
		name  string
		rules []*rules.Rule
		steps []string
		want  []string
	}{
		{"a warn of one memory does not hide a block of the other", []*rules.Rule{
			never("w", rules.Warn, "x"), projectWide(never("b", rules.Block, "x")),
		}, []string{"x", "x"}, []string{"deny b", "deny b"}},
		{"a project warn does not hide a session ask (D10)", []*rules.Rule{
			projectWide(never("w", rules.Warn, "x")), never("a", rules.Ask, "x"),
		}, []string{"x"}, []string{"ask a"}},
		{"one repeat covers every warn rule of the line (D5)", []*rules.Rule{
			never("w1", rules.Warn, "aaa"), never("w2", rules.Warn, "bbb"), projectWide(never("w3", rules.Warn, "bbb")),
		}, []string{"aaa; bbb", "aaa; bbb", "aaa; bbb"}, []string{"deny w1", "allow", "deny w1"}},
		{"a repeat is judged by stronger rules (D6)", []*rules.Rule{
			never("w", rules.Warn, "x"), atMost("once", 1, "y"),
		}, []string{"y", "x; y", "x; y"}, []string{"allow", "deny w", "deny once"}},
		{"an allowed call of a refused line resets nothing (D21)", []*rules.Rule{
			never("r", rules.Retry, "bad"),
		}, []string{"ls; bad", "ls; bad", "ls; bad"}, []string{"deny r", "deny r", "ask r"}},
		{"a stop lasts until the user writes", []*rules.Rule{
			never("s", rules.Stop, "x"),
		}, []string{"x", "ls", "user", "ls"}, []string{"stop s", "stop s", "allow"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, tt.rules...)
			if tt.name[:10] == "an allowed" {
				b.j.Book.(*Rules).Set.RetryCounting = "consecutive"
			}
			if diff := cmp.Diff(tt.want, b.play(tt.steps...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStopOnAMaybeDoesNotLatch(t *testing.T) {
	b := newBench(t, never("s", rules.Stop, "rm"))
	p := line("rm")
	p.Calls[0].CLI.AllPathsUnknown = true
	if d := b.check(p); d.Action != Deny || d.Rule() != "s" {
		t.Errorf("got %v by %q, want a plain deny by s", d.Action, d.Rule())
	}
	if d := b.check(line("ls")); d.Action != Allow {
		t.Errorf("the session was stopped by a maybe: %v", d.Action)
	}
}

func TestMaybeSays(t *testing.T) {
	for _, tt := range []struct {
		maybe rules.MaybePair
		mode  rules.Mode
		read  bool
		want  Action
		notes int
	}{
		{rules.MaybePair{}, rules.Block, false, Deny, 0},
		{rules.MaybePair{Read: rules.MaybeNote, Write: rules.MaybeAsk}, rules.Block, false, Ask, 0},
		{rules.MaybePair{Read: rules.MaybeNote, Write: rules.MaybeAsk}, rules.Block, true, Allow, 1},
		{rules.MaybePair{Write: rules.MaybeAsk}, rules.Warn, false, Deny, 0},
		{rules.MaybePair{Write: rules.MaybeAsk}, rules.Log, false, Allow, 1},
	} {
		r := never("s", tt.mode, "rm")
		r.Maybe = tt.maybe
		b := newBench(t, r)
		p := line("rm")
		p.Calls[0].CLI.AllPathsUnknown = true
		if tt.read {
			p.Calls[0].Effects = []trace.Effect{{Op: "read", Target: "/x", Certainty: "maybe"}}
		}
		d := b.check(p)
		if d.Action != tt.want || len(d.Notes) != tt.notes {
			t.Errorf("mode %v, maybe %v, read %v: %v with %d notes, want %v with %d", tt.mode, tt.maybe, tt.read, d.Action, len(d.Notes), tt.want, tt.notes)
		}
	}
}

func TestRepeatOfTheSameIDOrBatchIsNone(t *testing.T) {
	for _, tt := range []struct {
		name             string
		id1, id2, b1, b2 string
		want             Action
	}{
		{"later call", "a", "b", "1", "2", Allow},
		{"no ids, no batches", "", "", "", "", Allow},
		{"the hook ran twice", "a", "a", "1", "2", Deny},
		{"parallel calls", "a", "b", "1", "1", Deny},
	} {
		b := newBench(t, never("w", rules.Warn, "x"))
		p, q := line("x"), line("x")
		p.ID, p.Batch, q.ID, q.Batch = tt.id1, tt.b1, tt.id2, tt.b2
		b.check(p)
		if d := b.check(q); d.Action != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, d.Action, tt.want)
		}
	}
}

func TestCallsInFlight(t *testing.T) {
	b := newBench(t, atMost("once", 1, "pay"), before("quote-first", "quote", "pay"))
	b.play("quote")
	p, q := line("pay"), line("pay")
	p.ID, q.ID = "1", "2"
	if d := b.check(p); d.Action != Allow || !d.Reserve {
		t.Fatalf("first pay: %v, reserves %v", d.Action, d.Reserve)
	}
	d := b.check(q)
	if d.Action != Deny || d.Rule() != "once" || d.Broken[0].InFlight != "pay" {
		t.Errorf("second pay while the first runs: %v by %q because of %q", d.Action, d.Rule(), d.Broken[0].InFlight)
	}
	// The first did not run: its reservation goes, the second may.
	do(t, b.store.Update(func(tx state.Tx) error { return b.j.Drop(tx, &p) }))
	if d := b.check(q); d.Action != Allow {
		t.Errorf("second pay after the first was dropped: %v", d.Action)
	}
	b.ran(q)
	if d := b.check(line("pay")); d.Action != Deny || d.Broken[0].InFlight != "" {
		t.Errorf("third pay: %v", d.Action)
	}
}

func TestReservationsExpireAndNeverSatisfy(t *testing.T) {
	r := before("quote-first", "quote", "pay")
	r.Limit = true
	r.Reserves = func(*trace.Call) bool { return true }
	b := newBench(t, r, atMost("once", 1, "pay"))
	q := line("quote")
	q.ID = "1"
	b.check(q)
	if d := b.check(line("pay")); d.Action != Deny || d.Rule() != "quote-first" {
		t.Errorf("a quote in flight satisfied its prerequisite: %v", d.Action)
	}
	b.ran(q)
	b.check(Proposal{Calls: calls("pay"), ID: "2"})
	b.n += 601
	if d := b.check(Proposal{Calls: calls("pay"), ID: "3"}); d.Action != Allow {
		t.Errorf("a reservation outlived its ten minutes: %v", d.Action)
	}
}

func TestUnreadLines(t *testing.T) {
	un := []shell.Unresolved{{Code: "dynamic-script", Reason: "text run by a shell is not known", Source: "eval $X"}}
	deny := rules.UnparseableDeny
	for _, tt := range []struct {
		name   string
		rules  []*rules.Rule
		auto   bool
		strict bool
		auto2  *rules.Unparseable
		line   string
		want   Action
		rule   string
		unread bool
	}{
		{"the setting asks", []*rules.Rule{never("r", rules.Block, "rm")}, false, false, nil, "ls", Ask, "", true},
		{"the other half notes", []*rules.Rule{never("r", rules.Block, "rm")}, true, false, nil, "ls", Allow, "", true},
		{"the stricter half counts", []*rules.Rule{never("r", rules.Block, "rm")}, true, true, nil, "ls", Ask, "", true},
		{"calls that were read are judged (D23)", []*rules.Rule{never("r", rules.Block, "rm")}, true, false, nil, "rm", Deny, "r", false},
		{"a rule on the pseudo-tool", []*rules.Rule{never("u", rules.Block, "unanalysed")}, true, false, nil, "ls", Deny, "u", false},
		{"the stricter of rule and setting", []*rules.Rule{never("u", rules.Ask, "unanalysed")}, true, false, &deny, "ls", Deny, "", true},
		{"the shell tool's own name", []*rules.Rule{never("b", rules.Block, "Bash")}, true, false, nil, "ls", Deny, "b", false},
	} {
		b := newBench(t, tt.rules...)
		b.j.Auto, b.j.Stricter = tt.auto, tt.strict
		if tt.auto2 != nil {
			b.j.Book.(*Rules).Set.UnparseableAuto = *tt.auto2
		}
		p := line(tt.line)
		p.Unresolved = un
		d := b.check(p)
		if d.Action != tt.want || d.Rule() != tt.rule || (len(d.Unread) > 0) != tt.unread {
			t.Errorf("%s: %v by %q, unread told %v; want %v by %q, %v", tt.name, d.Action, d.Rule(), len(d.Unread) > 0, tt.want, tt.rule, tt.unread)
		}
	}
}

func TestQuestionsWhereTheHarnessCannotAsk(t *testing.T) {
	b := newBench(t, never("a", rules.Ask, "x"), never("b", rules.Block, "y"))
	b.j.NoAsk = true
	got := b.play("x", "x", "user", "x; y", "x", "x")
	want := []string{"ask a", "ask a", "ask a", "allow", "ask a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestExceptions(t *testing.T) {
	b := newBench(t, never("r", rules.Block, "x"), never("q", rules.Block, "y"))
	d := b.check(line("x"))
	var kept state.Decision
	do(t, b.store.View(func(tx state.Tx) error { kept, _ = tx.Decision(d.ID); return nil }))
	if kept.Rule != "r" || kept.Key == "" {
		t.Fatalf("kept decision: %+v", kept)
	}
	put := func(e state.Exception) {
		do(t, b.store.Update(func(tx state.Tx) error { _, err := tx.PutException(e); return err }))
	}
	put(state.Exception{Rules: []string{"r"}, Key: kept.Key, Scope: "once", Until: time.Unix(1e6, 0)})
	got := b.play("x; y", "y", "x", "x")
	if diff := cmp.Diff([]string{"deny r", "deny q", "allow", "deny r"}, got); diff != "" {
		t.Error(diff)
	}
	// What another rule refuses does not use one up.
	b.j.Book = book(never("r", rules.Block, "x"), never("s", rules.Warn, "x"))
	put(state.Exception{Rules: []string{"r"}, Key: kept.Key, Scope: "once", Until: time.Unix(1e6, 0)})
	if diff := cmp.Diff([]string{"deny s", "allow", "deny r"}, b.play("x", "x", "x")); diff != "" {
		t.Error(diff)
	}
	put(state.Exception{Scope: "pause", Until: time.Unix(1e6, 0)})
	if diff := cmp.Diff([]string{"allow"}, b.play("x")); diff != "" {
		t.Error(diff)
	}
	managed := never("m", rules.Block, "z")
	managed.Layer = rules.Managed
	b.j.Book = book(managed)
	if diff := cmp.Diff([]string{"deny m"}, b.play("z")); diff != "" {
		t.Errorf("a pause reached a managed rule: %s", diff)
	}
}

func TestSpread(t *testing.T) {
	build := func(spec string) []trace.Call {
		var out []trace.Call
		op := ""
		for w := range strings.FieldsSeq(spec) {
			switch w {
			case ";", "&&", "||", "|", "wrap":
				op = w
				continue
			}
			out = append(out, trace.Call{Tool: w, CLI: &trace.CLI{Operator: op, Conditional: op == "&&" || op == "||"}})
		}
		return out
	}
	show := func(calls []trace.Call) string {
		var s []string
		for _, c := range calls {
			x := "?"
			if c.Outcome.Status != nil {
				x = fmt.Sprint(*c.Outcome.Status)
			}
			if c.Outcome.Maybe {
				x += "m"
			}
			s = append(s, x)
		}
		return strings.Join(s, " ")
	}
	for _, tt := range []struct {
		line   string
		status int
		want   string
	}{
		{"a", 0, "0"},
		{"a", 1, "1"},
		{"a && b", 0, "0 0"},
		{"pytest && ls", 1, "? ?m"},
		{"a ; b", 0, "? 0"},
		{"a ; b", 2, "? 2"},
		{"a || b", 0, "? ?m"},
		{"false && pytest ; c", 0, "? ?m 0"},
		{"a | b", 0, "? 0"},
		{"sudo wrap push", 0, "0 0"},
		{"a ; b && c", 1, "? ? ?m"},
	} {
		calls := build(tt.line)
		Spread(calls, &tt.status, nil)
		if got := show(calls); got != tt.want {
			t.Errorf("%s with status %d: %s, want %s", tt.line, tt.status, got, tt.want)
		}
	}
}

func TestTwoSetsOnOneMemory(t *testing.T) {
	shared := atMost("twice", 2, "x")
	b := newBench(t, shared)
	b.play("x")
	first := b.j.Book
	// A second harness has another user file; both see every call.
	b.j.Book = book(never("n", rules.Block, "zap"), shared)
	b.play("x")
	if diff := cmp.Diff([]string{"deny twice"}, b.play("x")); diff != "" {
		t.Error(diff)
	}
	b.j.Book = first
	if diff := cmp.Diff([]string{"deny twice"}, b.play("x")); diff != "" {
		t.Error(diff)
	}
	// A rule that is new sees the history.
	b.j.Book = book(never("n2", rules.Block, "zap"), atMost("one", 1, "x"))
	if diff := cmp.Diff([]string{"deny one"}, b.play("x")); diff != "" {
		t.Error(diff)
	}
}
