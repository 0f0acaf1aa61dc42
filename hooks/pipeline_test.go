package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/store"
	"github.com/agentltl/agentltl-hook/trace"
)

const pushRules = `rules:
  - id: no-force
    never: {tool: git_push, with: {force: true}}
    why: the branch is shared
  - id: tests-first
    before: {first: {tool: pytest, succeeded: true}, then: git_push, since: [Edit, Write]}
  - id: once
    at_most: {call: deploy, times: 1}
`

func TestNoRuleFileIsSilence(t *testing.T) {
	l := newLab(t, "")
	if got := l.do("git push -f"); got != "allow" {
		t.Errorf("got %s", got)
	}
	for _, e := range []Event{{Kind: SessionStart}, {Kind: TurnEnd}, {Kind: UserPrompt, Person: true}, {Kind: SessionEnd}} {
		if a := l.handle(e); a.Reason+a.Context+a.Notice != "" {
			t.Errorf("event %d: %+v", e.Kind, a)
		}
	}
	if _, err := os.Stat(l.state); !os.IsNotExist(err) {
		t.Error("something was created without a rule file")
	}
}

func TestAllowedCallWritesNoStore(t *testing.T) {
	l := newLab(t, pushRules)
	l.do("pytest")
	before, err := os.ReadFile(l.storeFile())
	must(t, err)
	if got := said(l.propose("git status")); got != "allow" {
		t.Fatal(got)
	}
	after, err := os.ReadFile(l.storeFile())
	must(t, err)
	if string(before) != string(after) {
		t.Error("an allowed call that counts against nothing wrote the store")
	}
}

func TestMemoryAndOutcomes(t *testing.T) {
	l := newLab(t, pushRules)
	l.start("startup")
	l.want(
		"git push -f => deny no-force",
		"git push => deny tests-first",
		"fail: pytest => allow",
		"git push => deny tests-first",
		"pytest => allow",
		"git push => allow",
		`Edit {"file_path": "a"} => allow`,
		"git push => deny tests-first",
		"deploy => allow",
		"deploy => deny once",
	)
	l.start("resume")
	l.want("deploy => deny once")
	l.session = "s2"
	l.want("deploy => allow", "git push => deny tests-first")
}

func TestSameCallIDIsOneAttempt(t *testing.T) {
	l := newLab(t, "rules: [{id: soft, never: git_push, mode: warn}]\n")
	e := l.event("git push")
	first := l.handle(e)
	again := l.handle(e)
	if said(first) != "deny soft" || said(again) != "deny soft" || again.ID != first.ID {
		t.Errorf("first %s %s, again %s %s", said(first), first.ID, said(again), again.ID)
	}
	f := l.event("git push")
	if got := said(l.handle(f)); got != "allow" {
		t.Errorf("another id: %s", got)
	}
	l.ran(f)
	l.ran(f)
	if n := len(l.calls("s1")); n != 1 {
		t.Errorf("%d calls are recorded, want 1", n)
	}
}

// TestCallIDsThatComeBack: some model servers count them from zero in every
// message.
func TestCallIDsThatComeBack(t *testing.T) {
	l := newLab(t, `rules:
  - {id: once, at_most: {call: pay, times: 1}}
  - {id: never-drop, never: drop}
  - {id: tested, before: {first: make, then: ship, since: Edit}}
`)
	as := func(step string) Event {
		e := l.event(step)
		e.ID = "call_0"
		return e
	}
	run := func(step, want string) {
		t.Helper()
		e := as(step)
		if got := said(l.handle(e)); got != want {
			t.Errorf("%s: %s, want %s", step, got, want)
		} else if want == "allow" {
			l.ran(e)
		}
	}
	run("pay", "allow")
	run("drop", "deny never-drop")
	run("pay", "deny once")
	run("make", "allow")
	run("ship", "allow")
	run(`Edit {"file_path": "a"}`, "allow")
	run("ship", "deny tested")
	run("make", "allow")
	run("ship", "allow")
	l.handle(as("make")) // the user refuses it
	run("ls", "allow")
	if got := strings.Join(toolNames(l.calls("s1")), " "); got != "pay make ship Edit make ship ls" {
		t.Errorf("recorded: %s", got)
	}
}

func TestParallelEqualCallsDoNotInsist(t *testing.T) {
	l := newLab(t, "rules: [{id: soft, never: git_push, mode: warn}]\n")
	l.start("startup")
	l.want("git push => deny soft", "git push => deny soft")
	l.handle(Event{Kind: BatchEnd})
	l.want("git push => allow")
}

func TestStopLatchesUntilAPersonWrites(t *testing.T) {
	l := newLab(t, "rules: [{id: halt, never: drop, mode: stop}]\n")
	l.want("drop => stop halt", "ls => deny halt")
	l.handle(Event{Kind: UserPrompt, Text: "<task-notification>"})
	l.want("ls => deny halt")
	l.session = "s2"
	l.want("ls => allow")
	l.session = "s1"
	l.put("AGENTLTL.yaml", "rules: [{id: broken")
	l.writes("go on")
	if got := l.do("ls"); got != "allow" {
		t.Errorf("a broken file kept the session stopped: %s", got)
	}
}

// A stopped agent gets no note beside the stop; one that may go on does.
func TestNotesBesideAnAnswer(t *testing.T) {
	for mode, noted := range map[string]bool{"stop": false, "block": true, "warn": true} {
		l := newLab(t, "rules: [{id: seen, never: drop, mode: log}, {id: r, never: drop, mode: "+mode+"}]\n")
		l.start("startup")
		if a := l.handle(l.event("drop")); a.Rule != "r" || strings.Contains(a.Context, "seen") != noted {
			t.Errorf("%s: by %s, with %q", mode, a.Rule, a.Context)
		}
	}
}

func TestUnmetRulesAreToldStrongestFirst(t *testing.T) {
	l := newLab(t, `rules:
  - {id: a, finally: aa, mode: log}
  - {id: b, finally: bb, scope: project}
  - {id: c, finally: cc}
  - {id: d, finally: dd}
  - {id: e, finally: ee, mode: stop}
`)
	l.start("startup")
	want := []string{"e", "c", "d", "a", "b"}
	if a := l.handle(Event{Kind: TurnEnd}); !slices.Equal(a.Rules, want) {
		t.Errorf("unmet %q, want %q", a.Rules, want)
	}
}

func TestCallsInFlight(t *testing.T) {
	l := newLab(t, pushRules)
	l.start("startup")
	a, b := l.event("deploy"), l.event("deploy")
	if got := said(l.handle(a)); got != "allow" {
		t.Fatal(got)
	}
	second := l.handle(b)
	if said(second) != "deny once" {
		t.Errorf("a second deploy in the same message: %s", said(second))
	}
	holds(t, "the refusal", second.Reason, "deploy has not ended yet")
	l.handle(Event{Kind: BatchEnd}) // the first one did not run after all
	if got := said(l.propose("deploy")); got != "allow" {
		t.Errorf("after the batch: %s", got)
	}
	// An edit in flight keeps a push back even though the tests ran.
	l.handle(Event{Kind: BatchEnd})
	l.do("pytest")
	l.handle(l.event(`Edit {"file_path": "a"}`))
	if got := said(l.propose("git push")); got != "deny tests-first" {
		t.Errorf("push beside an edit: %s", got)
	}
}

func TestSubagentsCountInTheRootSession(t *testing.T) {
	l := newLab(t, pushRules)
	e := l.event("pytest")
	e.Agent = "a1"
	l.handle(e)
	l.ran(e)
	l.want("git push => allow")
	// A harness that gives children sessions of their own names the parent.
	child := l.event("deploy")
	child.Session, child.AgentOf, child.Agent = "c1", "s1", "c1"
	l.handle(child)
	l.ran(child)
	l.want("deploy => deny once")
	grand := l.event("deploy")
	grand.Session, grand.AgentOf, grand.Agent = "g1", "c1", "g1"
	if got := said(l.handle(grand)); got != "deny once" {
		t.Errorf("a child of a child: %s", got)
	}
	if n := len(l.calls("s1")); n != 3 {
		t.Errorf("%d calls in the root session, want 3", n)
	}
}

func TestForkStartsWithItsParentsCalls(t *testing.T) {
	l := newLab(t, pushRules)
	l.want("deploy => allow")
	l.session = "s2"
	l.handle(Event{Kind: SessionStart, Source: "fork", Parent: "s1"})
	l.want("deploy => deny once")
}

func TestTurnEnd(t *testing.T) {
	l := newLab(t, "rules: [{id: tidy, finally: {call: gofmt, since: [Edit, Write]}, why: tidy code, fix: run gofmt}]\n")
	l.start("startup")
	l.do(`Edit {"file_path": "a.go"}`)
	for i := range 2 {
		a := l.handle(Event{Kind: TurnEnd})
		if !a.SendBack {
			t.Fatalf("send-back %d did not come", i)
		}
		holds(t, "the send-back", a.Reason, "tidy", "run gofmt", "tidy code")
	}
	a := l.handle(Event{Kind: TurnEnd})
	if a.SendBack || !strings.Contains(a.Notice, "without meeting tidy") {
		t.Errorf("third time: %+v", a)
	}
	l.writes("go on")
	if !l.handle(Event{Kind: TurnEnd}).SendBack {
		t.Error("a new turn owes it again")
	}
	l.do("gofmt -w a.go")
	if l.handle(Event{Kind: TurnEnd}).SendBack {
		t.Error("it was met")
	}
}

func TestCredentialsInOutput(t *testing.T) {
	l := newLab(t, pushRules)
	e := l.event("cat .env")
	l.handle(e)
	e.Kind, e.Ran = PostTool, true
	key := "AKIA" + strings.Repeat("Q", 16)
	e.Output = map[string]any{"stdout": "id " + key}
	out := e.Output
	e.Calls[0].Outcome = &trace.Outcome{Result: &out}
	a := l.handle(e)
	holds(t, "the notice", a.Notice, "AWS access key ID", "Bash")
	holds(t, "the context", a.Context, "AWS access key ID", "Do not repeat it")
	b, err := os.ReadFile(l.storeFile())
	must(t, err)
	if strings.Contains(string(b)+a.Notice+a.Context, key) {
		t.Error("the value was kept or told")
	}
	if !strings.Contains(string(b), "[redacted: AWS access key ID]") {
		t.Error("the redacted result is not in the store")
	}
}

func TestQuestionsWithoutAnAskAnswer(t *testing.T) {
	l := newLab(t, "rules: [{id: q, never: git_push, mode: ask}]\n")
	l.profile.Ask = false
	a := l.propose("git push")
	if said(a) != "deny q" {
		t.Fatal(said(a))
	}
	holds(t, "the refusal", a.Reason, "Put the question to the user")
	l.want("git push => deny q")
	l.writes("yes, push")
	l.want("git push origin => deny q", "git push => allow", "git push => deny q")
	// Codex: the person answered a question of the agent's.
	answer := l.event("ls")
	answer.Person = true
	l.handle(answer)
	answer.Kind, answer.Ran = PostTool, true
	l.handle(answer)
	l.want("git push => allow")
}

func TestUnattended(t *testing.T) {
	l := newLab(t, "settings: {unparseable: {interactive: ask, auto: note}}\nrules: [{id: q, never: git_push, mode: ask}]\n")
	e := l.event("git push")
	e.Unattended = true
	a := l.handle(e)
	if said(a) != "deny q" || !strings.Contains(a.Reason, "nobody can answer") {
		t.Errorf("%s: %s", said(a), a.Reason)
	}
	// An installed hook that finds AGENTLTL_AUTO=1 is only made stricter by it.
	l.noEnv, l.auto = true, "1"
	if got := said(l.propose("eval $X")); got != "deny" {
		t.Errorf("an unread line: %s, want deny: the stricter half asks and nobody can answer", got)
	}
	l.noEnv = false
	if got := said(l.propose("eval $X")); got != "note" {
		t.Errorf("by hand: %s, want note", got)
	}
}

func TestTextThatHasToWait(t *testing.T) {
	l := newLab(t, "rules: [{id: hint, never: zap, mode: log, why: zap is slow}]\n")
	l.profile.PreContext, l.profile.Starts = false, false
	e := l.event("zap")
	a := l.handle(e)
	if a.Action != guard.Allow {
		t.Fatal(a.Action)
	}
	p := l.ran(e)
	holds(t, "the post event", p.Context, "hint", "zap is slow", "rules are in force")
	if again := l.ran(l.event("ls")); again.Context != "" {
		t.Errorf("told twice: %s", again.Context)
	}
}

func TestTurnsWithoutPromptEvents(t *testing.T) {
	l := newLab(t, "rules: [{id: halt, never: drop, mode: stop}, {id: tidy, finally: gofmt}]\n")
	l.profile.Prompts = false
	l.want("drop => stop halt")
	if !l.handle(Event{Kind: TurnEnd}).SendBack {
		t.Fatal("no send-back")
	}
	l.want("ls => deny halt") // it was sent back: the same turn
	l.handle(Event{Kind: TurnEnd})
	l.handle(Event{Kind: TurnEnd})
	l.want("ls => allow") // the turn ended and a call came: the user wrote
	// A call that is kept does not end a turn either: its send-backs are counted on.
	l.put("AGENTLTL.yaml", "rules: [{id: soft, never: zap, mode: warn}, {id: tidy, finally: gofmt}]\n")
	for n := range 4 {
		if got := l.handle(Event{Kind: TurnEnd}).SendBack; got != (n < 2) {
			t.Errorf("send-back %d: %v", n+1, got)
		}
		if n < 2 {
			l.want(fmt.Sprintf("zap %d => deny soft", n))
		}
	}
}

func TestGapDetection(t *testing.T) {
	l := newLab(t, pushRules)
	l.start("startup")
	e := l.event("ls")
	l.handle(e)
	if a := l.ran(e); a.Notice != "" {
		t.Errorf("a proposed call: %s", a.Notice)
	}
	a := l.ran(l.event("make"))
	holds(t, "the notice", a.Notice, "no rule was asked about", "make")
	calls := l.calls("s1")
	if calls[0].Unchecked || !calls[1].Unchecked {
		t.Errorf("unchecked: %v, %v; want the second", calls[0].Unchecked, calls[1].Unchecked)
	}
}

func TestAnnouncement(t *testing.T) {
	l := newLab(t, pushRules)
	a := l.start("startup")
	holds(t, "the announcement", a.Context, "no-force (block): never git_push (force=true) Why: the branch is shared",
		"This repository's AGENTLTL.yaml says:", "once (block): at most 1")
	holds(t, "the notice", a.Notice, "AGENTLTL.yaml of this repository: 3 rules")
	if b := l.start("resume"); strings.Contains(b.Notice, "of this repository") || b.Context == "" {
		t.Errorf("resume: notice %q", b.Notice)
	}
	if c := l.handle(Event{Kind: SubagentStart, Agent: "a"}); c.Context == "" || c.Notice != "" {
		t.Errorf("subagent: %+v", c)
	}
	l.put("AGENTLTL.yaml", "settings: {announce: false}\nrules: [{id: a, never: x}]\n")
	if d := l.start("compact"); d.Context != "" {
		t.Errorf("announce: false still says %s", d.Context)
	}
	var many strings.Builder
	many.WriteString("settings: {announce_max: 1000}\nrules:\n")
	for i := range 100 {
		many.WriteString("  - {id: rule-" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + ", never: tool" + string(rune('a'+i%26)) + "}\n")
	}
	l.put("AGENTLTL.yaml", many.String())
	e := l.start("startup")
	holds(t, "a long list", e.Context, "more: agentltl-hook validate")
	if n := len([]rune(e.Context)); n > 1000 {
		t.Errorf("%d characters", n)
	}
}

func TestOwedAnnouncement(t *testing.T) {
	l := newLab(t, pushRules)
	l.start("startup")
	l.handle(Event{Kind: PreCompact})
	e := l.event("ls")
	l.handle(e)
	holds(t, "the next event that can carry text", l.ran(e).Context, "no-force")
	if a := l.writes("hello"); a.Context != "" {
		t.Errorf("announced twice: %s", a.Context)
	}
}

func TestCdLinesAreRecordedAsTheyWereRead(t *testing.T) {
	l := newLab(t, pushRules)
	must(t, os.MkdirAll(filepath.Join(l.root, "sub"), 0o755))
	e := l.event("cd sub && rm a")
	l.handle(e)
	post := e
	post.Dir = filepath.Join(l.root, "sub") // the harness has moved by then
	l.ran(post)
	calls := l.calls("s1")
	if got := trace.Canonical(calls[len(calls)-1].Args["paths"]); got != `["`+filepath.Join(l.root, "sub", "a")+`"]` {
		t.Errorf("recorded %s", got)
	}
}

func TestNestedFilesOnlyAdd(t *testing.T) {
	l := newLab(t, pushRules)
	l.put("sub/AGENTLTL.yaml", "rules: [{id: no-rm, never: rm}, {id: no-force, never: zap, mode: log}]\n")
	in := func(step string) Answer {
		e := l.event(step)
		e.Dir = filepath.Join(l.root, "sub")
		return l.handle(e)
	}
	a := in("rm a")
	if said(a) != "deny no-rm" {
		t.Errorf("in the folder: %s", said(a))
	}
	holds(t, "the first call from there", a.Context+a.Notice, "no-rm", "sub/AGENTLTL.yaml adds")
	if got := said(in("git push -f")); got != "deny no-force" {
		t.Errorf("a nested rule of the same id took the outer one away: %s", got)
	}
	l.want("rm a => allow")
}

func TestTimeGoingBackIsClamped(t *testing.T) {
	l := newLab(t, pushRules)
	l.do("ls")
	l.now = l.now.Add(-time.Hour)
	l.do("pwd")
	calls := l.calls("s1")
	if calls[1].Time.Before(calls[0].Time) {
		t.Errorf("%v after %v", calls[1].Time, calls[0].Time)
	}
}

func TestChangedFilesAreTold(t *testing.T) {
	l := newLab(t, pushRules)
	l.start("startup")
	if a := l.propose("git push -f"); strings.Contains(a.Notice, "changed") {
		t.Errorf("nothing changed: %s", a.Notice)
	}
	l.put("AGENTLTL.yaml", pushRules+"  - {id: more, never: zap}\n")
	holds(t, "the first answer after the edit", l.propose("zap").Notice, "the rule files changed: 3 rules before, 4 now")
	if a := l.propose("zap"); strings.Contains(a.Notice, "changed") {
		t.Errorf("told twice: %s", a.Notice)
	}
}

func TestUnguardedSubagents(t *testing.T) {
	l := newLab(t, "rules: [{id: n, never: zap, mode: log}]\n")
	l.profile.Subagents = SubagentsUnhooked
	l.want(`Task {"prompt": "x"} => allow`)
	l.put("AGENTLTL.yaml", "rules: [{id: n, never: zap}]\n")
	l.want(`Task {"prompt": "x"} => ask no-unguarded-subagents`, `subagent.sendMessage {} => ask no-unguarded-subagents`, "ls => allow")
	l.put("AGENTLTL.yaml", "disable: [no-unguarded-subagents]\nrules: [{id: n, never: zap}]\n")
	l.want(`Task {"prompt": "x"} => ask no-unguarded-subagents`)
	l.userRules("disable: [no-unguarded-subagents]\nrules: []\n")
	l.want(`Task {"prompt": "x"} => allow`)
}

func TestRulesThatCameAfterPruning(t *testing.T) {
	l := newLab(t, "rules: [{id: once, at_most: {call: deploy, times: 1}}]\n")
	l.want("deploy => allow", "prep => allow", "ls => allow", "ls => allow")
	s := store.Open(store.Options{Dir: l.state, Root: l.root, Session: "s1"})
	_, err := s.Prune(store.PruneOptions{Sessions: true, Project: true, Keep: store.Keep{Session: 1, Project: 1}})
	must(t, err)
	l.want("deploy => deny once") // a checkpoint keeps what the gone calls meant
	l.put("AGENTLTL.yaml", "rules: [{id: once, at_most: {call: deploy, times: 1}}, {id: first, before: [prep, ship]}]\n")
	holds(t, "session start", l.start("resume").Notice, "judged on the kept ones: first")
	for range 2 {
		holds(t, "the refusal", l.propose("ship").Reason, "earlier ones were pruned before this rule came")
		l.do("ls")
	}
	if a := l.propose("deploy"); strings.Contains(a.Reason, "pruned") {
		t.Errorf("a rule that saw all says otherwise: %s", a.Reason)
	}
}

func TestAFileThatIsGoneIsTold(t *testing.T) {
	l := newLab(t, pushRules)
	l.start("startup")
	l.do("ls")
	must(t, os.Remove(filepath.Join(l.root, "AGENTLTL.yaml")))
	l.want("git push -f => deny no-force") // the session keeps it
	holds(t, "the next start", l.start("startup").Notice, "AGENTLTL.yaml is gone")
	if a := l.start("startup"); a.Notice != "" {
		t.Errorf("told twice: %s", a.Notice)
	}
	l.want("git push -f => allow")
}

func TestFormulasWithCallsInFlight(t *testing.T) {
	l := newLab(t, `rules:
  - {id: one, ltl: 'called_n("deploy", <= 1)'}
  - {id: prev, ltl: 'G(now("commitit") -> Y(now("addit")))'}
  - {id: need, ltl: 'G(now("ship") -> Y(O(now("build"))))'}
`)
	l.start("startup")
	a := l.event("deploy")
	l.handle(a)
	second := l.propose("deploy")
	if said(second) != "deny one" || !strings.Contains(second.Reason, "deploy has not ended yet") {
		t.Errorf("with the first in flight: %s\n%s", said(second), second.Reason)
	}
	l.ran(a)
	// Either reading refuses: the call in flight may come in between, or not at all.
	l.do("addit")
	l.handle(l.event("build"))
	l.want("commitit => deny prev", "ship => deny need")
	l.handle(Event{Kind: BatchEnd})
	l.want("commitit => allow")
}

func TestInsistingOnAFormula(t *testing.T) {
	l := newLab(t, "rules: [{id: once, ltl: 'G(now(\"deploy\") -> X(G(!now(\"deploy\"))))', mode: warn}]\n")
	l.start("startup")
	l.want("deploy => allow", "deploy => deny once", endOfMessage, "deploy => allow", "ls => allow", "deploy => deny once")
}

func TestAskedCdLinesAreRecordedAsTheyWereRead(t *testing.T) {
	l := newLab(t, "rules: [{id: q, never: rm, mode: ask}]\n")
	must(t, os.MkdirAll(filepath.Join(l.root, "sub"), 0o755))
	e := l.event("cd sub && rm a")
	if got := said(l.handle(e)); got != "ask q" {
		t.Fatal(got)
	}
	e.Dir = filepath.Join(l.root, "sub")
	l.ran(e) // the user said yes
	calls := l.calls("s1")
	if got := trace.Canonical(calls[len(calls)-1].Args["paths"]); got != `["`+filepath.Join(l.root, "sub", "a")+`"]` {
		t.Errorf("recorded %s", got)
	}
}
