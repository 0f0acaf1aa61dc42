package hooks

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
	"github.com/agentltl/agentltl-hook/trace"
)

// yaml is a rule as a file says it.
func (r mRule) yaml() string {
	scope := ""
	if r.project {
		scope = ", scope: project"
	}
	var what string
	switch r.kind {
	case "never":
		what = "never: " + r.a
	case "at_most":
		what = fmt.Sprintf("at_most: {call: %s, times: %d}", r.a, r.n)
	case "before":
		first, since := r.a, ""
		if r.ok {
			first = "{tool: " + r.a + ", succeeded: true}"
		}
		if r.since != "" {
			since = ", since: " + r.since
		}
		what = fmt.Sprintf("before: {first: %s, then: %s%s}", first, r.b, since)
	case "finally":
		what = "finally: " + r.a
		if r.since != "" {
			what = fmt.Sprintf("finally: {call: %s, since: %s}", r.a, r.since)
		}
	}
	return fmt.Sprintf("  - {id: %s, mode: %s%s, %s}\n", r.id, r.mode, scope, what)
}

var machineTools = []string{"aa", "bb", "cc", "dd", "ee"}

// machineRules draws a rule file's rules.
func machineRules(t *rapid.T, prefix string, most int) []mRule {
	tool := rapid.SampledFrom(machineTools)
	n := rapid.IntRange(1, most).Draw(t, prefix+"rules")
	var out []mRule
	for i := range n {
		r := mRule{
			id: fmt.Sprint(prefix, i), kind: rapid.SampledFrom([]string{"never", "before", "before", "at_most", "at_most", "finally"}).Draw(t, "kind"),
			mode:    rapid.SampledFrom(mStrength).Draw(t, "mode"),
			project: rapid.Bool().Draw(t, "project"), a: tool.Draw(t, "a"), b: tool.Draw(t, "b"),
			n: rapid.IntRange(0, 2).Draw(t, "n"),
		}
		if r.kind == "before" || r.kind == "finally" {
			if rapid.Bool().Draw(t, "has since") {
				r.since = tool.Draw(t, "since")
			}
			r.ok = r.kind == "before" && r.mode != "stop" && rapid.Bool().Draw(t, "succeeded")
		}
		if r.since == r.a {
			r.since = ""
		}
		out = append(out, r)
	}
	return out
}

var errKilled = errors.New("killed")

// A mortalStore lets its process die: before or after the next write is kept.
type mortalStore struct {
	*store.Session
	before, after *bool
}

func (s mortalStore) Update(fn func(state.Tx) error) error {
	if *s.before {
		*s.before = false
		return s.Session.Update(func(tx state.Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			return errKilled
		})
	}
	err := s.Session.Update(fn)
	if *s.after && err == nil {
		*s.after = false
		return errKilled
	}
	return err
}

// A running is a call that was let through and whose end is open.
type running struct {
	e       Event
	harness int
	line    []string
}

// A machine is the pipeline beside the model.
type machine struct {
	t             *rapid.T
	m             *model
	root, state   string
	users         [2]string // a user file for each harness
	own           [2][]mRule
	file          []mRule // of the project, as last written and loading
	retries       int
	consecutive   bool
	now           time.Time
	n             int
	open          []running
	before, after bool
}

func (x *machine) set(h int) mSet {
	return mSet{rules: slices.Concat(x.own[h], x.file), retries: x.retries, consecutive: x.consecutive, ask: h == 0, batches: h == 0}
}

func (x *machine) writeFile(rules []mRule) {
	text := fmt.Sprintf("settings: {retries: %d, retry_counting: %s, unparseable: deny}\nrules:\n", x.retries, map[bool]string{false: "cumulative", true: "consecutive"}[x.consecutive])
	for _, r := range rules {
		text += r.yaml()
	}
	if err := os.WriteFile(filepath.Join(x.root, "AGENTLTL.yaml"), []byte(text), 0o644); err != nil {
		x.t.Fatal(err)
	}
}

// handle is one event in a process of its own.
func (x *machine) handle(h int, e Event) Answer {
	x.now = x.now.Add(time.Second)
	x.m.now = x.now
	p := &Pipeline{
		Profile: Profile{
			Name: []string{"claude-code", "codex"}[h], ShellTools: map[string]string{"Bash": "command"}, Ask: h == 0, CallIDs: true,
			Starts: true, Prompts: true, PreContext: true,
		},
		UserFile: x.users[h], Managed: x.root + "-none", Program: "v1", Now: func() time.Time { return x.now }, Without: quiet,
		Store: func(root, session string) (state.Store, error) {
			s := store.Open(store.Options{Dir: x.state, Root: root, Session: session, Now: x.now, NoSync: true})
			return mortalStore{s, &x.before, &x.after}, nil
		},
	}
	if h == 0 {
		p.Profile.Batch = BatchEvent
	}
	e.Dir, e.Project = x.root, x.root
	a, err := p.Handle(context.Background(), e)
	if err != nil {
		x.t.Fatal(err)
	}
	return a
}

func (x *machine) sessionOf(h int) string {
	return fmt.Sprintf("s%d%d", h, rapid.IntRange(0, 1).Draw(x.t, "session"))
}

// line draws a command line of one or two calls.
func (x *machine) line() []string {
	out := []string{rapid.SampledFrom(machineTools).Draw(x.t, "call")}
	if rapid.IntRange(0, 3).Draw(x.t, "two") == 0 {
		out = append(out, rapid.SampledFrom(machineTools).Draw(x.t, "second"))
	}
	return out
}

func answerOf(a Answer) mAnswer {
	out := mAnswer{action: a.Action.String(), rule: a.Rule}
	for l := range strings.SplitSeq(a.Context, "\n") {
		if id, ok := strings.CutPrefix(l, "Note from "); ok {
			id, _, _ = strings.Cut(id, ":")
			out.notes = append(out.notes, strings.TrimSpace(id))
		}
	}
	slices.Sort(out.notes)
	return out
}

func (x *machine) propose(h int, session string, line []string, die string) {
	x.n++
	e := Event{Kind: PreTool, Session: session, ID: fmt.Sprint("id", x.n), Native: "Bash", Calls: []trace.Call{{Tool: "Bash", Args: trace.Args{"command": strings.Join(line, "; ")}}}}
	x.before, x.after = die == "before", die == "after"
	a := x.handle(h, e)
	died := die != "" && !x.before && !x.after
	x.before, x.after = false, false
	if died && die == "before" {
		return // nothing was kept, nothing was said
	}
	want := x.m.propose(x.set(h), session, e.ID, line)
	if died {
		return // kept, but nobody heard the answer: the call does not run
	}
	if got := answerOf(a); got.String() != want.String() {
		x.t.Fatalf("%s in %s: %v, the model says %v\nrules: %v\n%s", strings.Join(line, "; "), session, got, want, x.set(h).rules, a.Reason)
	}
	if rapid.IntRange(0, 4).Draw(x.t, "again") == 0 {
		if again := x.handle(h, e); again.Action != a.Action || again.Rule != a.Rule || again.ID != a.ID {
			x.t.Fatalf("the same call id again: %v, first %v", answerOf(again), answerOf(a))
		}
	}
	if a.Action == guard.Allow || a.Action == guard.Ask && rapid.Bool().Draw(x.t, "the user says yes") {
		x.open = append(x.open, running{e, h, line})
	}
}

func (x *machine) end(die string) {
	i := rapid.IntRange(0, len(x.open)-1).Draw(x.t, "which")
	r := x.open[i]
	status := rapid.SampledFrom([]int{0, 0, 1}).Draw(x.t, "status")
	e := r.e
	e.Kind, e.Ran = PostTool, true
	c := e.Calls[0]
	c.Outcome = &trace.Outcome{Status: &status}
	e.Calls = []trace.Call{c}
	x.before, x.after = die == "before", die == "after"
	x.handle(r.harness, e)
	killed := die == "before" && !x.before
	x.before, x.after = false, false
	if killed {
		return // the harness sends it again some day
	}
	if rapid.IntRange(0, 4).Draw(x.t, "twice") == 0 {
		x.handle(r.harness, e)
	}
	x.m.ran(e.Session, e.ID, r.line, status)
	x.open = slices.Delete(x.open, i, i+1)
}

// forget leaves out the open calls of a session: they did not run.
func (x *machine) forget(session string) {
	x.open = slices.DeleteFunc(x.open, func(r running) bool { return r.e.Session == session })
}

func (x *machine) check(h int, session string) {
	want := len(x.m.session(session).calls)
	s := store.Open(store.Options{Dir: x.state, Root: x.root, Session: session, NoSync: true})
	err := s.View(func(tx state.Tx) error {
		if n := tx.Len(state.Session); n != want {
			x.t.Fatalf("%d calls in %s, the model has %d", n, session, want)
		}
		if n := tx.Len(state.Project); n != len(x.m.project.calls) {
			x.t.Fatalf("%d calls in the project, the model has %d", n, len(x.m.project.calls))
		}
		return nil
	})
	if err != nil {
		x.t.Fatal(err)
	}
}

func newMachine(t *rapid.T, dir string) *machine {
	x := &machine{t: t, m: newModel(), root: filepath.Join(dir, "p"), state: filepath.Join(dir, "state"), now: vectorStart}
	if err := os.MkdirAll(filepath.Join(x.root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for h := range x.users {
		x.users[h] = filepath.Join(dir, fmt.Sprint("user", h, ".yaml"))
		x.own[h] = machineRules(t, fmt.Sprint("u", h), 2)
		text := "rules:\n"
		for _, r := range x.own[h] {
			text += r.yaml()
		}
		if err := os.WriteFile(x.users[h], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x.retries, x.consecutive = rapid.IntRange(1, 3).Draw(t, "retries"), rapid.Bool().Draw(t, "consecutive")
	x.file = machineRules(t, "p", 4)
	x.writeFile(x.file)
	for _, s := range []string{"s00", "s01", "s10", "s11"} {
		x.handle(int(s[1]-'0'), Event{Kind: SessionStart, Session: s, Source: "startup"})
	}
	return x
}

func (x *machine) harness() int { return rapid.IntRange(0, 1).Draw(x.t, "harness") }

// actions are the events.
func (x *machine) actions() map[string]func(*rapid.T) {
	act := func(fn func()) func(*rapid.T) { return func(t *rapid.T) { x.t = t; fn() } }
	return map[string]func(*rapid.T){
		"propose":  act(func() { h := x.harness(); x.propose(h, x.sessionOf(h), x.line(), "") }),
		"propose2": act(func() { h := x.harness(); x.propose(h, x.sessionOf(h), x.line(), "") }),
		"insist": act(func() {
			h := x.harness()
			s, l := x.sessionOf(h), x.line()
			x.propose(h, s, l, "")
			x.propose(h, s, l, "")
		}),
		"killed": act(func() {
			h := x.harness()
			x.propose(h, x.sessionOf(h), x.line(), rapid.SampledFrom([]string{"before", "after"}).Draw(x.t, "when"))
		}),
		"end": act(func() {
			if len(x.open) == 0 {
				x.t.Skip("nothing runs")
			}
			x.end(rapid.SampledFrom([]string{"", "", "", "before", "after"}).Draw(x.t, "die"))
		}),
		"batch end": act(func() {
			s := x.sessionOf(0)
			x.handle(0, Event{Kind: BatchEnd, Session: s})
			x.m.drop(s, s+fmt.Sprint(x.m.session(s).batch))
			x.m.session(s).batch++
			x.forget(s)
		}),
		"user": act(func() {
			h := x.harness()
			s := x.sessionOf(h)
			x.handle(h, Event{Kind: UserPrompt, Session: s, Person: true})
			x.m.writes(s)
			x.forget(s)
		}),
		"turn end": act(func() {
			h := x.harness()
			s := x.sessionOf(h)
			a := x.handle(h, Event{Kind: TurnEnd, Session: s})
			want := x.m.finish(x.set(h), s)
			if a.SendBack != (len(want) > 0) || !slices.Equal(a.Rules, want) {
				x.t.Fatalf("turn end in %s: %v, the model says %v", s, a.Rules, want)
			}
			x.forget(s)
		}),
		"resume": act(func() {
			h := x.harness()
			x.handle(h, Event{Kind: SessionStart, Session: x.sessionOf(h), Source: rapid.SampledFrom([]string{"resume", "compact"}).Draw(x.t, "source")})
		}),
		"rule edit": act(func() {
			x.file = machineRules(x.t, "p", 4)
			x.writeFile(x.file)
			h := x.harness() // some event sees the edit
			x.propose(h, x.sessionOf(h), x.line(), "")
		}),
		"rule typo": act(func() {
			if err := os.WriteFile(filepath.Join(x.root, "AGENTLTL.yaml"), []byte("rules:\n  - {id: x, nevr: aa}\n"), 0o644); err != nil {
				x.t.Fatal(err)
			}
			h := x.harness()
			x.propose(h, x.sessionOf(h), x.line(), "")
		}),
		"ten minutes": act(func() { x.now = x.now.Add(10*time.Minute + time.Second); x.m.now = x.now }),
		"":            act(func() { x.check(0, "s00"); x.check(1, "s11") }),
	}
}

// TestMachine: whatever happens in whatever order, the pipeline on the real store
// answers as the model does: 300 runs, -rapid.checks=5000 for more.
func TestMachine(t *testing.T) {
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue {
		runs := "300"
		if testing.Short() {
			runs = "30"
		}
		must(t, f.Value.Set(runs))
		defer func() { must(t, f.Value.Set(f.DefValue)) }()
	}
	n := 0
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		x := newMachine(t, dir)
		t.Repeat(x.actions())
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	})
}
