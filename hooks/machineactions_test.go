package hooks

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
	"github.com/agentltl/agentltl-hook/trace"
)

// actions are the events.
func (x *machine) actions() map[string]func(*rapid.T) {
	out := map[string]func(*rapid.T){}
	for name, fn := range map[string]func(){
		"propose": func() { h := x.harness(); x.propose(h, x.sessionOf(h), x.line(), "") },
		"insist": func() {
			h := x.harness()
			s, l := x.sessionOf(h), x.line()
			x.propose(h, s, l, "")
			x.propose(h, s, l, "")
		},
		"killed":       func() { h := x.harness(); x.propose(h, x.sessionOf(h), x.line(), x.die()) },
		"repeat":       x.repeat,
		"end":          x.end,
		"not run":      x.notRun,
		"unseen":       x.unseen,
		"busy":         x.busyStore,
		"batch end":    x.batchEnd,
		"user":         x.user,
		"reply":        x.reply,
		"turn end":     x.turnEnd,
		"subagent end": x.subagentEnd,
		"start":        x.start,
		"fork":         x.fork,
		"rule edit":    x.ruleEdit,
		"user edit":    x.userEdit,
		"rule typo":    func() { h := x.harness(); x.spoil(x.file); x.propose(h, x.sessionOf(h), x.line(), "") },
		"user typo":    func() { h := x.harness(); x.spoil(x.users[h]); x.propose(h, x.sessionOf(h), x.line(), "") },
		"allow":        x.allow,
		"pause":        x.pause,
		"prune":        x.prune,
		"time":         x.time,
		"":             x.check,
	} {
		out[name] = func(t *rapid.T) { x.t = t; fn() }
	}
	out["propose more"] = out["propose"]
	return out
}

// notRun is the harness saying that the user refused a call that was let through.
func (x *machine) notRun() {
	if len(x.open) == 0 {
		x.t.Skip("nothing runs")
	}
	i := rapid.IntRange(0, len(x.open)-1).Draw(x.t, "which")
	c := x.open[i]
	e := c.post(0)
	e.Ran = false
	if _, lost, _ := x.tell(c.harness, e); lost {
		return
	}
	x.m.ended(&c.p)
	x.open = slices.Delete(x.open, i, i+1)
	x.forgetID(c.p.id)
}

// unseen is a call that ran without having been proposed.
func (x *machine) unseen() {
	h := x.harness()
	c := x.proposal(h, x.sessionOf(h), x.line())
	x.ran(&c, 0)
}

// busyStore is a call that begins or ends while the store cannot be had.
func (x *machine) busyStore() {
	if len(x.open) == 0 || rapid.Bool().Draw(x.t, "a new call") {
		h := x.harness()
		c := x.proposal(h, x.sessionOf(h), x.line())
		x.meanwhile(func() {
			a, _ := x.handle(h, c.e, "")
			if !a.Trouble || a.Action != guard.Ask && (a.Action != guard.Deny || machineHarnesses[h].Ask) {
				x.t.Fatalf("busy: %v", answerOf(a))
			}
		})
		return
	}
	i := rapid.IntRange(0, len(x.open)-1).Draw(x.t, "which")
	c := x.open[i]
	x.meanwhile(func() { x.handle(c.harness, c.post(1), "") })
	x.m.ran(mSet{}, &c.p, 1)
	x.open = slices.Delete(x.open, i, i+1)
	x.forgetID(c.p.id)
}

func (x *machine) batchEnd() {
	s, agent := x.sessionOf(0), x.agent(0)
	if _, lost, _ := x.tell(0, Event{Kind: BatchEnd, Session: s, Agent: agent}); lost {
		return
	}
	m := x.m.session(s)
	x.m.drop(s, agent, fmt.Sprint(s, agent, m.batches[agent]))
	m.batches[agent]++
	x.forget(s, agent)
}

// user is a message: of a person, or what a harness puts in as one.
func (x *machine) user() {
	h := rapid.SampledFrom([]int{0, 1, 3}).Draw(x.t, "harness")
	e := of(h, Event{Kind: UserPrompt, Session: x.sessionOf(h)}, x.agent(h))
	e.Person = e.Agent == "" && rapid.IntRange(0, 4).Draw(x.t, "a person") > 0
	if _, lost, _ := x.tell(h, e); lost || !e.Person {
		return
	}
	x.m.writes(e.Session)
	x.forget(e.Session, "")
}

// reply is a person's answer to a question of the agent's own.
func (x *machine) reply() {
	c := x.proposal(1, x.sessionOf(1), []string{"request_user_input"})
	c.p.agent, c.e.Agent = "", ""
	c.e.Native, c.e.Calls, c.e.Person = "request_user_input", []trace.Call{{Tool: "request_user_input", Args: trace.Args{}}}, true
	if x.ran(&c, 0) {
		x.m.answer(c.p.session)
	}
}

func (x *machine) turnEnd() {
	h := x.harness()
	s := x.sessionOf(h)
	a, lost, died := x.tell(h, Event{Kind: TurnEnd, Session: s})
	if lost {
		return
	}
	want := x.m.finish(x.set(h), s)
	if !died && (a.SendBack != (len(want) > 0) || !slices.Equal(a.Rules, want)) {
		x.t.Fatalf("turn end in %s: %v, the model says %v", s, a.Rules, want)
	}
	x.forget(s, "")
}

func (x *machine) subagentEnd() {
	h := rapid.SampledFrom([]int{0, 3}).Draw(x.t, "harness")
	s := x.sessionOf(h)
	if _, lost, _ := x.tell(h, of(h, Event{Kind: SubagentEnd, Session: s}, "x")); lost {
		return
	}
	x.m.drop(s, "x", "")
	x.forget(s, "x")
}

// start is a session's start anew, or the word that it will be.
func (x *machine) start() {
	h := x.harness()
	s := x.sessionOf(h)
	e := Event{Kind: SessionStart, Session: s, Source: rapid.SampledFrom([]string{"startup", "resume", "compact"}).Draw(x.t, "source")}
	if !machineHarnesses[h].Starts || rapid.IntRange(0, 3).Draw(x.t, "compaction") == 0 {
		e = Event{Kind: PreCompact, Session: s}
	}
	if _, lost, _ := x.tell(h, e); !lost && e.Source == "resume" {
		x.m.session(s).resumes++
	}
}

// fork begins a session with what another one did.
func (x *machine) fork() {
	if len(x.sessions[1]) > 4 {
		x.t.Skip("forks enough")
	}
	parent, child := x.sessionOf(1), fmt.Sprint("f", len(x.sessions[1]))
	if _, lost, _ := x.tell(1, Event{Kind: SessionStart, Session: child, Source: "fork", Parent: parent}); lost {
		return
	}
	x.m.fork(parent, child)
	x.sessions[1] = append(x.sessions[1], child)
}

// ruleEdit changes the project's file, or takes it back to an earlier text; it
// may be that nothing looks at it before the next change.
func (x *machine) ruleEdit() {
	x.edit(x.file, "p", 4)
	if rapid.IntRange(0, 4).Draw(x.t, "seen") > 0 {
		h := x.harness()
		x.propose(h, x.sessionOf(h), x.line(), "")
	}
}

func (x *machine) userEdit() {
	h := x.harness()
	x.edit(x.users[h], fmt.Sprint("u", h), 2)
	if rapid.IntRange(0, 4).Draw(x.t, "seen") > 0 {
		x.propose(h, x.sessionOf(h), x.line(), "")
	}
}

// allow is a person who lets one refused line break the rules that refused it.
func (x *machine) allow() {
	refused := slices.DeleteFunc(slices.Clone(x.done), func(c asked) bool { return c.id == "" || c.want.action == "allow" })
	if len(refused) == 0 {
		x.t.Skip("nothing was refused")
	}
	c := rapid.SampledFrom(refused).Draw(x.t, "refused")
	office := x.pipeline(c.harness).Office(x.root)
	p, err := office.Petition(c.id)
	if err != nil || len(p.Rules) == 0 || p.Rules[0] != c.want.rule {
		x.t.Fatalf("petition %s: %v, %v, want rule %s", c.id, p.Rules, err, c.want.rule)
	}
	e := state.Exception{
		Scope: rapid.SampledFrom([]string{"once", "session", "for"}).Draw(x.t, "scope"), Until: x.now.Add(time.Hour),
		Rules: p.Rules, Key: p.Decision.Key, Session: p.Decision.Session,
	}
	if _, err := office.Grant(e); err != nil {
		x.t.Fatal(err)
	}
	x.m.exceptions = append(x.m.exceptions, &mException{key: c.p.key(), scope: e.Scope, session: c.p.session, rules: p.Rules, until: e.Until})
}

// pause is a person who keeps all rules from being enforced for a while.
func (x *machine) pause() {
	if rapid.IntRange(0, 3).Draw(x.t, "really") > 0 {
		x.t.Skip("too often")
	}
	until := x.now.Add(5 * time.Second)
	x.m.paused = latest(x.m.paused, until)
	if _, err := x.pipeline(0).Office(x.root).Grant(state.Exception{Scope: "pause", Until: until}); err != nil {
		x.t.Fatal(err)
	}
}

// prune removes raw calls: how many may go is for the store to say.
func (x *machine) prune() {
	keep := rapid.IntRange(0, 3).Draw(x.t, "keep")
	_, err := x.store("other").Prune(store.PruneOptions{
		Sessions: rapid.Bool().Draw(x.t, "sessions"), Project: rapid.Bool().Draw(x.t, "of the project"), Keep: store.Keep{Session: keep, Project: keep},
	})
	if err != nil {
		x.t.Fatal(err)
	}
	for id, s := range x.m.sessions {
		err := x.store(id).View(func(tx state.Tx) error {
			s.first, x.m.project.first = tx.First(state.Session), tx.First(state.Project)
			return nil
		})
		if err != nil {
			x.t.Fatal(err)
		}
	}
}

// time goes on, or back.
func (x *machine) time() {
	x.now = x.now.Add(rapid.SampledFrom([]time.Duration{10*time.Minute + time.Second, mPer, -time.Minute}).Draw(x.t, "by"))
	x.m.now = x.now
}

// TestMachine: whatever happens in whatever order, the pipeline on the real store
// answers as the model does: 300 runs, -rapid.checks=5000 -timeout=1h for more.
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
