package hooks

import (
	"testing"
	"time"
)

const twoDeploys = "rules: [{id: twice, at_most: {call: deploy, times: 2}}]\n"

func TestEachEndDropsItsOwnReservation(t *testing.T) {
	l := newLab(t, twoDeploys)
	l.start("startup")
	a, b := l.event("deploy one"), l.event("deploy two")
	l.handle(a)
	l.handle(b)
	l.want("deploy three => deny twice")
	b.Kind, b.Ran = PostTool, false // the user refused the second
	l.handle(b)
	c := l.event("deploy three")
	if got := said(l.handle(c)); got != "allow" {
		t.Errorf("after a refusal by the user: %s", got)
	}
	l.ran(a)
	l.want("deploy four => deny twice") // one ran, one is in flight
	l.handle(Event{Kind: BatchEnd})
	l.want("deploy four => allow", "deploy five => deny twice")
}

func TestWithoutCallIDs(t *testing.T) {
	l := newLab(t, twoDeploys+"  # none\n")
	l.profile.CallIDs, l.profile.Batch = false, BatchNone
	anon := func(step string) Event {
		e := l.event(step)
		e.ID = ""
		return e
	}
	l.start("startup")
	e := anon("deploy")
	for i, want := range []string{"allow", "allow", "deny twice"} {
		if got := said(l.handle(e)); got != want {
			t.Errorf("proposal %d: %s, want %s", i, got, want)
		}
	}
	l.ran(e) // the oldest of the equal ones
	if got := said(l.handle(e)); got != "deny twice" {
		t.Errorf("one ran, one is in flight: %s", got)
	}
	l.ran(e)
	if n := len(l.calls("s1")); n != 2 {
		t.Errorf("%d calls are recorded, want 2", n)
	}
	if a := l.ran(anon("ls")); a.Notice != "" {
		t.Errorf("without ids nobody can tell of a gap: %s", a.Notice)
	}
	// Warn: each event is a message of its own.
	l.put("AGENTLTL.yaml", "rules: [{id: w, never: zap, mode: warn}]\n")
	w := anon("zap")
	if got := said(l.handle(w)) + ", " + said(l.handle(w)); got != "deny w, allow" {
		t.Error(got)
	}
}

func TestBatchesByTimestamp(t *testing.T) {
	l := newLab(t, "rules: [{id: w, never: zap, mode: warn}]\n")
	l.profile.CallIDs, l.profile.Batch = false, BatchTimestamp
	at := func(batch string) string {
		e := l.event("zap")
		e.ID, e.Batch = "", batch
		return said(l.handle(e))
	}
	if got := at("100") + ", " + at("100") + ", " + at("101"); got != "deny w, deny w, allow" {
		t.Error(got)
	}
}

func TestReservationsEnd(t *testing.T) {
	for name, end := range map[string]func(l *lab){
		"the turn":    func(l *lab) { l.handle(Event{Kind: TurnEnd}) },
		"a prompt":    func(l *lab) { l.writes("stop that") },
		"ten minutes": func(l *lab) { l.now = l.now.Add(10*time.Minute + time.Second) },
		"the batch":   func(l *lab) { l.handle(Event{Kind: BatchEnd}) },
	} {
		l := newLab(t, "rules: [{id: once, at_most: {call: deploy, times: 1}}]\n")
		l.start("startup")
		l.propose("deploy")
		l.want("deploy => deny once")
		end(l)
		if got := l.do("deploy"); got != "allow" {
			t.Errorf("after %s: %s", name, got)
		}
	}
	// A subagent's go with the subagent.
	l := newLab(t, "rules: [{id: once, at_most: {call: deploy, times: 1}}]\n")
	l.start("startup")
	e := l.event("deploy")
	e.Agent = "a1"
	l.handle(e)
	l.handle(Event{Kind: BatchEnd})
	l.handle(Event{Kind: TurnEnd})
	l.want("deploy => deny once") // it works on in the background
	l.handle(Event{Kind: BatchEnd, Agent: "a2"})
	l.handle(Event{Kind: SubagentEnd, Agent: "a2"})
	l.want("deploy => deny once")
	l.handle(Event{Kind: SubagentEnd, Agent: "a1"})
	l.want("deploy => allow")
}

func TestCallsWithoutAnEndCountWhenLetThrough(t *testing.T) {
	l := newLab(t, "rules: [{id: once, at_most: {call: deploy, times: 1}}]\n")
	e := l.event("deploy")
	e.NoPost = true
	if a := l.handle(e); said(a) != "allow" || !a.Recorded {
		t.Errorf("%s, recorded %v", said(a), a.Recorded)
	}
	l.want("deploy => deny once")
	if n := len(l.calls("s1")); n != 1 {
		t.Errorf("%d calls are recorded", n)
	}
	if got := said(l.handle(e)); got != "allow" { // the hook ran twice
		t.Errorf("the same event again: %s", got)
	}
	if n := len(l.calls("s1")); n != 1 {
		t.Errorf("%d calls are recorded after the same event again", n)
	}
}
