package hooks

import (
	"context"
	"fmt"
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

// A lab is a project on disk with a home, a real store, and a harness that has
// whatever the test needs. Every event goes through a pipeline of its own, as in
// processes.
type lab struct {
	t       *testing.T
	root    string // of the project
	home    string
	user    string // folder of the user's rule file
	managed string
	state   string
	profile Profile
	noEnv   bool
	auto    string
	now     time.Time
	session string
	n       int
	without []string
	change  func(*Pipeline)
}

func newLab(t *testing.T, projectRules string) *lab {
	t.Helper()
	base := t.TempDir()
	l := &lab{
		t: t, root: filepath.Join(base, "project"), home: filepath.Join(base, "home"),
		managed: filepath.Join(base, "managed"), state: filepath.Join(base, "state"),
		now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), session: "s1",
	}
	l.user = filepath.Join(l.home, ".config", "agentltl")
	l.profile = Profile{
		Name: "claude-code", Agent: "Claude", ShellTools: map[string]string{"Bash": "command", "PowerShell": "command"},
		Ask: true, CallIDs: true, Batch: BatchEvent, Starts: true, Prompts: true, PreContext: true,
		MemoryFiles: []string{"CLAUDE.md"},
	}
	l.put(".git/HEAD", "ref: refs/heads/main\n")
	if projectRules != "" {
		l.put("AGENTLTL.yaml", projectRules)
	}
	return l
}

// put writes a file below the project, or at an absolute path.
func (l *lab) put(name, text string) string {
	l.t.Helper()
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(l.root, name)
	}
	must(l.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(l.t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func (l *lab) userRules(text string) { l.put(filepath.Join(l.user, rules.FileName), text) }

func (l *lab) managedRules(text string) { l.put(filepath.Join(l.managed, rules.FileName), text) }

func (l *lab) pipeline() *Pipeline {
	p := &Pipeline{
		Profile: l.profile, StateDir: l.state, UserDirs: []string{l.user, filepath.Join(l.home, ".claude")},
		Managed: l.managed, ManagedTop: l.managed, ManagedOwner: os.Getuid(), Home: l.home,
		Env: map[string]string{"HOME": l.home}, Program: "v1", NoEnv: l.noEnv, Auto: l.auto, Without: l.without,
		Now: func() time.Time { return l.now },
	}
	if l.change != nil {
		l.change(p)
	}
	return p
}

// handle is one event in a process of its own, a second after the last one.
func (l *lab) handle(e Event) Answer {
	l.t.Helper()
	l.now = l.now.Add(time.Second)
	if e.Session == "" {
		e.Session = l.session
	}
	if e.Dir == "" {
		e.Dir = l.root
	}
	if e.Project == "" {
		e.Project = l.root
	}
	a, err := l.pipeline().Handle(context.Background(), e)
	must(l.t, err)
	return a
}

// event is a call of a step in text form.
func (l *lab) event(step string) Event {
	l.t.Helper()
	s, err := ParseStep(step)
	must(l.t, err)
	l.n++
	e := Event{Kind: PreTool, ID: fmt.Sprintf("id%d", l.n), Native: s.Tool, Calls: []trace.Call{{Tool: s.Tool, Args: s.Input}}}
	if s.Status != nil {
		e.Calls[0].Outcome = &trace.Outcome{Status: s.Status}
	}
	return e
}

// propose asks about a call.
func (l *lab) propose(step string) Answer { l.t.Helper(); return l.handle(l.event(step)) }

// ran tells that a proposed call ran; status 0 unless the step says otherwise.
func (l *lab) ran(e Event) Answer {
	l.t.Helper()
	status := 0
	if e.Calls[0].Outcome != nil {
		status = *e.Calls[0].Outcome.Status
	}
	e.Kind, e.Ran = PostTool, true
	c := e.Calls[0]
	c.Outcome = &trace.Outcome{Status: &status}
	e.Calls = []trace.Call{c}
	return l.handle(e)
}

// do proposes a call and lets it run when nothing objects; it answers as the
// text form does: allow, note, ask, deny, stop, and the rule.
func (l *lab) do(step string) string {
	l.t.Helper()
	e := l.event(step)
	a := l.handle(e)
	if a.Action == guard.Allow {
		l.ran(e)
		l.handle(Event{Kind: BatchEnd})
	}
	return said(a)
}

func said(a Answer) string {
	s := a.Action.String()
	if a.Action == guard.Allow && a.Context != "" {
		s = "note"
	}
	return strings.TrimSpace(s + " " + a.Rule)
}

// endOfMessage stands, among steps, for the end of the model's message.
const endOfMessage = "---"

// want plays steps and compares: "step => answer".
func (l *lab) want(steps ...string) {
	l.t.Helper()
	for _, s := range steps {
		if s == endOfMessage {
			l.handle(Event{Kind: BatchEnd})
			continue
		}
		step, want, _ := strings.Cut(s, " => ")
		if got := l.do(step); got != want {
			l.t.Errorf("%s: %s, want %s", step, got, want)
		}
	}
}

func (l *lab) start(source string) Answer {
	l.t.Helper()
	return l.handle(Event{Kind: SessionStart, Source: source})
}

func (l *lab) writes(text string) Answer {
	l.t.Helper()
	return l.handle(Event{Kind: UserPrompt, Person: true, Text: text})
}

// calls are the recorded calls of a session.
func (l *lab) calls(session string) []trace.Call {
	l.t.Helper()
	var out []trace.Call
	s := store.Open(store.Options{Dir: l.state, Root: l.root, Session: session})
	must(l.t, s.View(func(tx state.Tx) error {
		for _, c := range tx.Calls(state.Session, 0, nil) {
			out = append(out, c)
		}
		return nil
	}))
	return out
}

// storeFile is the path of the project's store.
func (l *lab) storeFile() string { return store.Path(l.state, l.root) }

func holds(t *testing.T, what, text string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if !strings.Contains(text, w) {
			t.Errorf("%s lacks %q:\n%s", what, w, text)
		}
	}
}
