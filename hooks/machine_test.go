package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
	"github.com/agentltl/agentltl-hook/trace"
)

var (
	machineTools = []string{"aa", "bb", "cc", "dd", "ee"}
	machineKinds = []string{"never", "before", "before", "at_most", "at_most", "finally", "never_after", "rate_limit"}
)

// machineRules draws a rule file's rules.
func machineRules(t *rapid.T, prefix string, most int) []mRule {
	tool := rapid.SampledFrom(machineTools)
	n := rapid.IntRange(1, most).Draw(t, prefix+"rules")
	var out []mRule
	for i := range n {
		r := mRule{
			id: fmt.Sprint(prefix, i), kind: rapid.SampledFrom(machineKinds).Draw(t, "kind"),
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

func ruleLines(rules []mRule) string {
	text := "rules:\n"
	for _, r := range rules {
		text += fmt.Sprintf("  - {id: %s, mode: %s, %s}\n", r.id, r.mode, r.what())
	}
	return text
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

// machineHarnesses differ in what they tell and can be told: as Claude Code, Codex, Vibe
// and Copilot CLI do.
var machineHarnesses = []Profile{
	{Name: "claude-code", Ask: true, CallIDs: true, Batch: BatchEvent, Starts: true, Prompts: true, PreContext: true},
	{Name: "codex", CallIDs: true, Starts: true, Prompts: true, PreContext: true},
	{Name: "vibe", CallIDs: true},
	{Name: "copilot-cli", Ask: true, Batch: BatchTimestamp, Starts: true, Prompts: true, PreContext: true},
}

// A ruleFile is one on disk, and what of it is in force.
type ruleFile struct {
	path     string
	settings mSettings
	rules    []mRule
	broken   bool
	good     []mRule // that loaded last
	set      mSettings
}

// inForce are the rules that count.
func (f *ruleFile) inForce() ([]mRule, mSettings) {
	if f.broken {
		return f.good, f.set
	}
	return f.rules, f.settings
}

// loaded notes that an event saw the file and kept what it says.
func (f *ruleFile) loaded() { f.good, f.set = f.inForce() }

// An asked is a proposed call with what became of it.
type asked struct {
	e       Event
	harness int
	p       mProposal
	want    mAnswer // kept: this is what the same id gets again
	id      string  // of the decision
	resumes int
}

// A machine is the pipeline beside the model.
type machine struct {
	t             *rapid.T
	m             *model
	root, state   string
	users         [4]*ruleFile // one for each harness
	file          *ruleFile    // the project's
	sessions      [4][]string
	now           time.Time
	n             int
	open          []asked // let through, their end is open
	done          []asked // refused, or reserved
	busy          bool    // another process has the store
	before, after bool
}

func (x *machine) set(h int) mSet {
	rules, settings := x.file.inForce()
	own, _ := x.users[h].inForce()
	p := machineHarnesses[h]
	return mSet{rules: slices.Concat(own, rules), mSettings: settings, ask: p.Ask, prompts: p.Prompts, context: p.PreContext}
}

func (x *machine) write(f *ruleFile, text string) {
	if err := os.RemoveAll(f.path); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(f.path, []byte(text), 0o644); err != nil {
		x.t.Fatal(err)
	}
}

// edit writes other rules into a file.
func (x *machine) edit(f *ruleFile, prefix string, most int) {
	f.rules, f.broken = machineRules(x.t, prefix, most), false
	text := ""
	if f == x.file {
		f.settings = mSettings{
			rapid.IntRange(1, 3).Draw(x.t, "retries"), rapid.SampledFrom([]string{"cumulative", "consecutive", "hybrid"}).Draw(x.t, "counting"),
		}
		text = fmt.Sprintf("settings: {retries: %d, retry_counting: %s, unparseable: deny}\n", f.settings.retries, f.settings.counting)
	}
	x.write(f, text+ruleLines(f.rules))
}

// spoil breaks a file.
func (x *machine) spoil(f *ruleFile) {
	f.broken = true
	switch rapid.IntRange(0, 3).Draw(x.t, "how") {
	case 0:
		x.write(f, "rules:\n  - {id: x, nevr: aa}\n")
	case 1:
		x.write(f, "rules: [{id: x, never: aa}\n")
	case 2:
		x.write(f, "rules:\n  - {id: x, never: aa}\n  - {id: x, never: bb}\n")
	default:
		if err := errors.Join(os.RemoveAll(f.path), os.Symlink("nowhere", f.path)); err != nil {
			x.t.Fatal(err)
		}
	}
}

func (x *machine) store(session string) *store.Session {
	return store.Open(store.Options{Dir: x.state, Root: x.root, Session: session, Now: x.now, NoSync: true})
}

func (x *machine) pipeline(h int) *Pipeline {
	p := &Pipeline{
		Profile: machineHarnesses[h], StateDir: x.state, UserFile: x.users[h].path, Managed: x.root + "-none", Program: "v1",
		Now: func() time.Time { return x.now }, Without: quiet,
		Store: func(root, session string) (state.Store, error) {
			o := store.Options{Dir: x.state, Root: root, Session: session, Now: x.now, NoSync: true}
			if x.busy {
				o.Deadline = time.Millisecond
				return store.Open(o), nil
			}
			return mortalStore{store.Open(o), &x.before, &x.after}, nil
		},
	}
	p.Profile.ShellTools = map[string]string{"Bash": "command"}
	return p
}

// handle is one event in a process of its own, which may die; died: it did.
func (x *machine) handle(h int, e Event, die string) (a Answer, died bool) {
	x.now = x.now.Add(time.Second)
	x.m.now = x.now
	e.Dir, e.Project = x.root, x.root
	x.before, x.after = die == "before", die == "after"
	a, err := x.pipeline(h).Handle(context.Background(), e)
	if err != nil {
		x.t.Fatal(err)
	}
	died = die != "" && !x.before && !x.after
	x.before, x.after = false, false
	if !x.busy && (!died || die != "before" && e.Kind != UserPrompt) { // a prompt counts before the files are looked at
		x.file.loaded()
		x.users[h].loaded()
	}
	line := ""
	if len(e.Calls) > 0 {
		line = fmt.Sprint(e.Calls[0].Args["command"])
	}
	x.t.Logf("%s %s%s: event %d %s %q dies %q: %v", machineHarnesses[h].Name, e.Session, e.Agent, e.Kind, e.ID, line, die, answerOf(a))
	return a, died
}

// tell is an event about a session; lost: its process died before anything was
// kept.
func (x *machine) tell(h int, e Event) (a Answer, lost, died bool) {
	die := x.die()
	a, died = x.handle(h, e, die)
	return a, died && die == "before", died
}

func (x *machine) die() string {
	return rapid.SampledFrom([]string{"", "", "", "", "before", "after"}).Draw(x.t, "die")
}

func (x *machine) harness() int { return rapid.IntRange(0, 3).Draw(x.t, "harness") }

func (x *machine) sessionOf(h int) string {
	return rapid.SampledFrom(x.sessions[h]).Draw(x.t, "session")
}

// agent is a subagent, or "" for the main one.
func (x *machine) agent(h int) string {
	if h == 0 || h == 3 {
		return rapid.SampledFrom([]string{"", "", "", "x"}).Draw(x.t, "agent")
	}
	return ""
}

// of makes an event one of a subagent: of one harness with its own session id.
func of(h int, e Event, agent string) Event {
	if e.Agent = agent; agent != "" && h == 3 {
		e.Session, e.AgentOf = e.Session+"-"+agent, e.Session
	}
	return e
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
	return mAnswer{action: a.Action.String(), rule: a.Rule, notes: notesOf(a)}
}

func notesOf(a Answer) (ids []string) {
	for l := range strings.SplitSeq(a.Context, "\n") {
		if id, ok := strings.CutPrefix(l, "Note from "); ok {
			id, _, _ = strings.Cut(id, ":")
			ids = append(ids, strings.TrimSpace(id))
		}
	}
	slices.Sort(ids)
	return ids
}

// proposal draws a call of a session.
func (x *machine) proposal(h int, session string, line []string) asked {
	x.n++
	p := mProposal{session: session, agent: x.agent(h), line: line}
	e := of(h, Event{Kind: PreTool, Session: session, Native: "Bash"}, p.agent)
	e.Calls = []trace.Call{{Tool: "Bash", Args: trace.Args{"command": p.key()}}}
	switch machineHarnesses[h].Batch {
	case BatchEvent:
		p.batch = fmt.Sprint(session, p.agent, x.m.session(session).batches[p.agent])
	case BatchTimestamp:
		p.batch = fmt.Sprint(session, x.n-x.n%3)
		e.Batch = p.batch
	case BatchNone:
	}
	if machineHarnesses[h].CallIDs {
		p.id = fmt.Sprint("id", x.n)
		e.ID = p.id
	}
	return asked{e: e, harness: h, p: p}
}

func (x *machine) propose(h int, session string, line []string, die string) {
	c := x.proposal(h, session, line)
	x.ask(&c, die)
}

// ask proposes a call and compares the answers.
func (x *machine) ask(c *asked, die string) {
	a, died := x.handle(c.harness, c.e, die)
	if died && die == "before" {
		return // nothing was kept, nothing was said
	}
	c.want = x.m.propose(x.set(c.harness), &c.p)
	c.resumes, c.id = x.m.session(c.p.session).resumes, a.ID
	if c.want.kept && c.p.id != "" {
		x.done = append(x.done, *c)
	}
	if died {
		return // kept, but nobody heard the answer: the call does not run
	}
	x.compare(c, a)
	if c.p.id != "" && rapid.IntRange(0, 4).Draw(x.t, "again") == 0 {
		if again, _ := x.handle(c.harness, c.e, ""); again.Action != a.Action || again.Rule != a.Rule || again.ID != a.ID {
			x.t.Fatalf("the same call id again: %v, first %v", answerOf(again), answerOf(a))
		}
	}
	if a.Action == guard.Allow || a.Action == guard.Ask && rapid.Bool().Draw(x.t, "the user says yes") {
		x.open = append(x.open, *c)
	}
}

func (x *machine) compare(c *asked, a Answer) {
	if got := answerOf(a); got.String() != c.want.String() {
		x.t.Fatalf("%s in %s: %v, the model says %v\nrules: %v\n%s", c.p.key(), c.p.session, got, c.want, x.set(c.harness), a.Reason)
	}
}

// repeat sends an answered call once more, later.
func (x *machine) repeat() {
	if len(x.done) == 0 {
		x.t.Skip("nothing was answered")
	}
	c := rapid.SampledFrom(x.done).Draw(x.t, "answered")
	if c.resumes != x.m.session(c.p.session).resumes {
		x.t.Skip("the user wrote since")
	}
	a, _ := x.handle(c.harness, c.e, "")
	x.compare(&c, a)
}

// post is the event of a call's end.
func (c *asked) post(status int) Event {
	e := c.e
	e.Kind, e.Ran = PostTool, true
	call := e.Calls[0]
	call.Outcome = &trace.Outcome{Status: &status}
	e.Calls = []trace.Call{call}
	return e
}

// end takes one of the open calls to its end.
func (x *machine) end() {
	if len(x.open) == 0 {
		x.t.Skip("nothing runs")
	}
	i := rapid.IntRange(0, len(x.open)-1).Draw(x.t, "which")
	c := x.open[i]
	status := rapid.SampledFrom([]int{0, 0, 1}).Draw(x.t, "status")
	if !x.ran(&c, status) {
		return // the harness sends it again some day
	}
	x.open = slices.Delete(x.open, i, i+1)
	x.forgetID(c.p.id)
}

// forgetID leaves out a call id that is recorded: nobody proposes it again.
func (x *machine) forgetID(id string) {
	x.done = slices.DeleteFunc(x.done, func(c asked) bool { return c.p.id == id })
}

// ran tells of a call that ran; false: nothing was kept.
func (x *machine) ran(c *asked, status int) bool {
	s := x.m.session(c.p.session)
	a, lost, died := x.tell(c.harness, c.post(status))
	if lost {
		return false
	}
	want := slices.Sorted(slices.Values(s.owed))
	if s.owed = nil; !died && !slices.Equal(notesOf(a), want) {
		x.t.Fatalf("notes with the result of %s: %v, owed %v", c.p.key(), notesOf(a), want)
	}
	x.m.ran(x.set(c.harness), &c.p, status)
	if c.p.id != "" && rapid.IntRange(0, 4).Draw(x.t, "twice") == 0 {
		x.handle(c.harness, c.post(status), "")
	}
	return true
}

// meanwhile runs fn while another process has the store.
func (x *machine) meanwhile(fn func()) {
	x.busy = true
	err := x.store("other").Update(func(state.Tx) error { fn(); return nil })
	x.busy = false
	if err != nil {
		x.t.Fatal(err)
	}
}

// forget leaves out open calls of an agent: they did not run, or their end comes
// late.
func (x *machine) forget(session, agent string) {
	if rapid.Bool().Draw(x.t, "late") {
		return
	}
	x.open = slices.DeleteFunc(x.open, func(c asked) bool { return c.p.session == session && c.p.agent == agent })
}

func (x *machine) check() {
	for _, session := range []string{"s00", "s11", "s20", "s30"} {
		err := x.store(session).View(func(tx state.Tx) error {
			if n, want := tx.Len(state.Session), len(x.m.session(session).calls); n != want {
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
}

func newMachine(t *rapid.T, dir string) *machine {
	x := &machine{t: t, m: newModel(), root: filepath.Join(dir, "p"), state: filepath.Join(dir, "state"), now: vectorStart}
	if err := os.MkdirAll(filepath.Join(x.root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	x.file = &ruleFile{path: filepath.Join(x.root, "AGENTLTL.yaml")}
	x.edit(x.file, "p", 4)
	for h := range x.users {
		x.users[h] = &ruleFile{path: filepath.Join(dir, fmt.Sprint("user", h, ".yaml"))}
		x.edit(x.users[h], fmt.Sprint("u", h), 2)
		x.sessions[h] = []string{fmt.Sprint("s", h, 0), fmt.Sprint("s", h, 1)}
		for _, s := range x.sessions[h] {
			if machineHarnesses[h].Starts {
				x.handle(h, Event{Kind: SessionStart, Session: s, Source: "startup"}, "")
			} else {
				x.handle(h, Event{Kind: TurnEnd, Session: s}, "")
				x.m.finish(x.set(h), s)
			}
		}
	}
	return x
}
