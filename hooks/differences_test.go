package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
	"github.com/agentltl/agentltl-hook/trace"
)

// Where we decide otherwise than the system these rule files come from (rules.md
// 21): each row with our answer.

func TestD01BrokenFile(t *testing.T) {
	l := newLab(t, "rules: [{id: r, never: zap}]\n")
	l.start("startup")
	broken := l.put("AGENTLTL.yaml", "rules:\n  - {id: r, nevr: zap}\n")
	a := l.propose("zap")
	if said(a) != "deny r" {
		t.Errorf("the last rules that loaded: %s", said(a))
	}
	holds(t, "the refusal", a.Reason, broken+":2", "nevr")
	b := l.start("resume")
	holds(t, "session start", b.Context, broken+":2", "stay in force")
	holds(t, "session start", b.Notice, broken+":2")

	never := newLab(t, "rules:\n  - {id: r, nevr: zap}\n")
	for step, want := range map[string]string{
		"ls": "ask", `Read {"file_path": "x"}`: "note", `Grep {"pattern": "x"}`: "note",
		`Edit {"file_path": "AGENTLTL.yaml"}`: "note", `Edit {"file_path": "x"}`: "ask", "agentltl-hook validate": "note",
		"agentltl-hook validate > AGENTLTL.yaml": "ask protect-guard",
	} {
		if got := said(never.propose(step)); got != want {
			t.Errorf("none ever loaded: %s: %s, want %s", step, got, want)
		}
	}
}

// The last rules that loaded are the last in time, be their text one that had
// loaded before.
func TestATypoAfterGoingBack(t *testing.T) {
	const strict, weak, typo = "rules: [{id: r, never: zap}]\n", "rules: [{id: s, never: zip}]\n", "rules: [{id: r, nevr: zap}]\n"
	l := newLab(t, strict)
	l.start("startup")
	for _, step := range [][2]string{{weak, "allow"}, {strict, "deny r"}, {typo, "deny r"}} {
		l.put("AGENTLTL.yaml", step[0])
		if got := said(l.propose("zap")); got != step[1] {
			t.Errorf("under %s%s, want %s", step[0], got, step[1])
		}
	}
}

// What stands in for a broken file is another set after each edit that loaded: a
// rule that was not in force while a call ran has not seen it.
func TestTheSameTypoAfterAnotherEdit(t *testing.T) {
	const once, other, typo = "rules: [{id: once, at_most: {call: deploy, times: 1}}]\n", "rules: [{id: r, never: zap}]\n", "rules: [{id: r, nevr: zap}]\n"
	l := newLab(t, once)
	l.start("startup")
	for _, file := range []string{once, other} {
		l.put("AGENTLTL.yaml", file)
		l.want("ls => allow", "zap => "+map[string]string{once: "allow", other: "deny r"}[file])
		l.put("AGENTLTL.yaml", typo)
		l.want("ls => allow")
	}
	l.want("deploy => allow", "zap => deny r")
	l.put("AGENTLTL.yaml", once)
	l.want("deploy => deny once")
}

func TestD02CorruptStore(t *testing.T) {
	l := newLab(t, "rules: [{id: once, at_most: {call: deploy, times: 1}}]\n")
	l.want("deploy => allow")
	must(t, os.WriteFile(l.storeFile(), []byte(strings.Repeat("garbage!", 4096)), 0o600))
	if a := l.propose("deploy"); said(a) != "ask" || !a.Trouble {
		t.Errorf("got %s", said(a))
	}
}

func TestD03NothingVanishes(t *testing.T) {
	l := newLab(t, "rules: [{id: once, at_most: {call: deploy, times: 1}}, {id: first, before: [prep, zap]}]\n")
	l.want("deploy => allow", "prep => allow")
	s := store.Open(store.Options{Dir: l.state, Root: l.root, Session: "s1", NoSync: true})
	must(t, s.Update(func(tx state.Tx) error {
		for range 5_100 {
			if _, err := tx.Append(trace.Call{Tool: "ls", Args: trace.Args{}, Time: l.now}); err != nil {
				return err
			}
		}
		return nil
	}))
	l.want("deploy => deny once", "zap => allow")
}

func TestD04BusyStore(t *testing.T) {
	l := newLab(t, "rules: [{id: r, never: zap}]\n")
	l.do("ls")
	held, done := make(chan bool), make(chan error, 1)
	go func() {
		s := store.Open(store.Options{Dir: l.state, Root: l.root, Session: "other"})
		done <- s.Update(func(state.Tx) error { held <- true; <-held; return nil })
	}()
	<-held
	began := time.Now()
	a := l.propose("ls")
	took := time.Since(began)
	held <- true
	must(t, <-done)
	if said(a) != "ask" || !strings.Contains(a.Reason, "store busy") {
		t.Errorf("%s: %s", said(a), a.Reason)
	}
	if took > 8*time.Second {
		t.Errorf("waited %v", took)
	}
}

// A post event of a busy store is kept beside it, be the store busy from the
// first look on, and belongs to the session that a person started.
func TestPostOfABusyStore(t *testing.T) {
	for _, ids := range []bool{true, false} {
		l := newLab(t, "rules: [{id: twice, at_most: {call: deploy, times: 2}}]\n")
		l.profile.CallIDs = ids
		l.start("startup")
		e := l.event("deploy")
		if !ids {
			e.ID = ""
		}
		e.Session, e.AgentOf = "child", "s1"
		if got := said(l.handle(e)); got != "allow" {
			t.Fatal(got)
		}
		l.now = l.now.Add(time.Hour)
		ran := l.now
		held, done := make(chan bool), make(chan error, 1)
		go func() {
			s := store.Open(store.Options{Dir: l.state, Root: l.root, Session: "other"})
			done <- s.Update(func(state.Tx) error { held <- true; <-held; return nil })
		}()
		<-held
		p := l.pipeline()
		p.Store = func(root, session string) (state.Store, error) {
			return store.Open(store.Options{Dir: l.state, Root: root, Session: session, Now: l.now, Deadline: time.Millisecond}), nil
		}
		e.Kind, e.Ran, e.Project, e.Dir = PostTool, true, l.root, l.root
		a, err := p.Handle(t.Context(), e)
		must(t, err)
		held <- true
		must(t, <-done)
		holds(t, "the notice", a.Notice, "not recorded yet")
		l.now = l.now.Add(-time.Hour) // so that what was reserved is not over by its age
		l.want("deploy => allow", "deploy => deny twice")
		if calls := l.calls("s1"); len(calls) != 2 || !calls[0].Time.Equal(ran) {
			t.Errorf("recorded: %+v, want two calls, the first at %v", calls, ran)
		}
	}
}

func TestD05D06WarnRepeats(t *testing.T) {
	l := newLab(t, "rules:\n  - {id: w1, never: aaa, mode: warn}\n  - {id: w2, never: bbb, mode: warn}\n  - {id: cap, at_most: {call: ccc, times: 1}}\n")
	l.want("aaa; bbb => deny w1", "aaa; bbb => allow")
	l.want("ccc => allow", "aaa; ccc => deny w1", endOfMessage, "aaa; ccc => deny cap")
}

func TestD07D08D25Statuses(t *testing.T) {
	l := newLab(t, "rules:\n  - {id: tests, before: {first: {tool: pytest, succeeded: true}, then: git_push}}\n  - {id: built, before: [build, ship]}\n")
	l.want("fail: pytest && ls => allow", "git push => deny tests") // D7
	l.want("fail: false && build => allow", "ship => deny built")   // D8
	e := l.event("pytest")
	l.handle(e)
	e.Kind, e.Ran = PostTool, true // D25: no status came
	l.handle(e)
	l.want("git push => deny tests", "pytest && ls => allow", "git push => allow")
}

func TestD09EveryValueIsJudged(t *testing.T) {
	l := newLab(t, `rules:
  - id: own
    before:
      - {tool: Write, with: {file_path: $f}}
      - {tool: rm, with: {paths: $f}}
`)
	l.want(
		`Write {"file_path": "a.tmp", "content": ""} => allow`, `Write {"file_path": "b.tmp", "content": ""} => allow`,
		"rm a.tmp => allow", "rm b.tmp => allow", "rm a.tmp README => deny own", "rm README a.tmp => deny own",
	)
}

func TestD10StrengthOverBothMemories(t *testing.T) {
	l := newLab(t, "rules:\n  - {id: w, never: zap, mode: warn, scope: project}\n  - {id: a, never: zap, mode: ask}\n")
	l.want("zap => ask a")
}

func TestD11D27TheSessionsFileStays(t *testing.T) {
	l := newLab(t, "rules: [{id: r, never: zap}]\n")
	l.start("startup")
	for _, dir := range []string{t.TempDir(), filepath.Join(l.root, "vendor", "x")} {
		must(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
		e := l.event("zap")
		e.Dir = dir
		if got := said(l.handle(e)); got != "deny r" {
			t.Errorf("in %s: %s", dir, got)
		}
	}
	e := l.event("zap") // a session that starts in a folder finds the root's file
	e.Session, e.Project, e.Dir = "s2", filepath.Join(l.root, "pkg"), filepath.Join(l.root, "pkg")
	if got := said(l.handle(e)); got != "deny r" {
		t.Errorf("from pkg: %s", got)
	}
}

func TestD12MapsAreLookedInto(t *testing.T) {
	l := newLab(t, "rules: [{id: r, never: {tool: mcp__db__run, where: {'*': '*DROP*'}}}]\n")
	l.want(`mcp__db__run {"query": {"sql": ["DROP TABLE x"]}} => deny r`, `mcp__db__run {"query": {"sql": ["SELECT"]}} => allow`)
}

func TestD13NoCommand(t *testing.T) {
	l := newLab(t, "rules: [{id: r, never: zap}]\n")
	for _, args := range []string{`{}`, `{"command": 7}`} {
		a := l.propose("Bash " + args)
		if said(a) != "ask" {
			t.Errorf("Bash %s: %s", args, said(a))
		}
		holds(t, "the question", a.Reason, "no-command")
	}
}

func TestD14NotesAreAboutTheRightCall(t *testing.T) {
	l := newLab(t, "rules: [{id: n, never: zap, mode: log}]\n")
	a := l.propose("zap one; ls two")
	if said(a) != "note" || !strings.Contains(a.Context, "zap one") || strings.Contains(a.Context, "`ls") {
		t.Errorf("%s: %s", said(a), a.Context)
	}
}

func TestD15SessionIDsAreOpaque(t *testing.T) {
	l := newLab(t, "rules: [{id: once, at_most: {call: deploy, times: 1}}]\n")
	l.session = "a/b"
	l.want("deploy => allow", "deploy => deny once")
	l.session = "a_b"
	l.want("deploy => allow")
}

func TestD16DdHasFreeArguments(t *testing.T) {
	l := newLab(t, "rules: [{id: r, never: {tool: dd, where: {of: '/dev/*'}}}]\n")
	set, problems := l.pipeline().Load(l.root)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, f := range rules.Lint(set, l.now) {
		if f.Code == "L002" {
			t.Errorf("lint: %v", f)
		}
	}
	l.want("dd if=a of=/dev/sda => deny r")
}

func TestD17PackagedRules(t *testing.T) {
	l := newLab(t, "use: [no-force-push, ask-before-discarding-work]\n")
	l.want("git push origin +main => deny no-force-push", "git checkout . => ask ask-before-discarding-work")
}

func TestD18D19Parallel(t *testing.T) {
	l := newLab(t, "rules: [{id: w, never: zap, mode: warn}, {id: once, at_most: {call: deploy, times: 1}}]\n")
	l.start("startup")
	l.want("zap => deny w", "zap => deny w") // one message, no end of it in between
	if got := said(l.propose("deploy")) + ", " + said(l.propose("deploy")); got != "allow, deny once" {
		t.Errorf("two deploys at once: %s", got)
	}
}

func TestD20NumbersAreNoBooleans(t *testing.T) {
	for _, text := range []string{"settings: {retries: true}\n", "rules: [{id: r, at_most: {call: x, times: true}}]\n"} {
		l := newLab(t, text)
		if _, problems := l.pipeline().Load(l.root); len(problems) == 0 {
			t.Errorf("%q loads", text)
		}
	}
}

func TestD21OnlyWholeLinesReset(t *testing.T) {
	l := newLab(t, "settings: {retries: 2, retry_counting: consecutive}\nrules: [{id: r, never: bad, mode: retry}]\n")
	l.want("ls && bad => deny r", "ls && bad => ask r")
}

func TestD22UnknownValues(t *testing.T) {
	l := newLab(t, "rules:\n  - id: own\n    before: [{tool: Write, with: {file_path: $f}}, {tool: rm, with: {paths: $f}}]\n")
	l.want("ls | xargs rm => deny own")
}

func TestD23D24UnreadLines(t *testing.T) {
	l := newLab(t, "settings: {unparseable: {auto: note}}\nrules: [{id: r, never: {tool: rm, with: {recursive: true}}}]\n")
	auto := func(step string) string {
		e := l.event(step)
		e.Auto = true
		return said(l.handle(e))
	}
	for step, want := range map[string]string{
		`rm -rf / ; eval "$X"`: "deny r", `ls ; eval "$X"`: "note",
		"eval 'rm -rf x'": "deny r", "sleep 1 & rm -r x": "deny r", "f() { rm -r x; }; f": "deny r", "sh <<'E'\nrm -r x\nE": "deny r",
	} {
		if got := auto(step); got != want {
			t.Errorf("%s: %s, want %s", step, got, want)
		}
	}
}

func TestD26ScalarsAreYAML12s(t *testing.T) {
	l := newLab(t, "rules: [{id: r, never: {tool: at, where: {argv: 1:30}}}]\n")
	l.want("at 1:30 => deny r")
}

func TestD28UnknownFilesOfPackagedRules(t *testing.T) {
	l := newLab(t, "use: [protect-env-files]\n")
	l.put("a.go", "")
	l.put(".env", "X=1")
	l.want("for f in *.go; do cat $f; done => allow", "echo .env => allow", "cat $F => note", "rm $F => ask protect-env-files", "cat .env => stop protect-env-files")
}

func TestD29FilesThatAreNoFiles(t *testing.T) {
	for name, plant := range map[string]func(path, outside string) error{
		"link": func(path, outside string) error { return os.Symlink(outside, path) },
		"fifo": func(path, _ string) error { return mkfifo(path) },
	} {
		l := newLab(t, "")
		outside := l.put(filepath.Join(l.home, "x.yaml"), "rules: [{id: r, never: zap}]\n")
		must(t, plant(filepath.Join(l.root, "AGENTLTL.yaml"), outside))
		if a := l.propose("ls"); a.Action != guard.Ask {
			t.Errorf("%s: %s", name, said(a))
		}
	}
}
