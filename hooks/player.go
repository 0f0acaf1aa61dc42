package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// A Player plays steps through a pipeline on an empty memory of its own. What
// comes out is what the guard decides, before a harness's limits: a question
// stays a question.
type Player struct {
	p       *Pipeline
	dir     string
	start   time.Time
	now     time.Time
	session string
	n       int
}

// A Played is what became of a step.
type Played struct {
	Do        string
	Call      string // tool and input, for reports
	Tool      string
	Input     trace.Args
	Result    string // allow note deny ask stop; block or none for a finish
	Action    string // none deny ask stop; block for a finish
	Rule      string // "": none decided
	Mode      string
	Note      bool
	Text      string // to the agent, or of a question to the user
	Context   string
	Notice    string
	Calls     []string
	Leaks     []string
	Rules     []string
	Recorded  bool
	Announced bool
	Expected  string
	OK        bool
	Reason    string // why it is not as expected
}

// NewPlayer makes a player that runs in dir. The pipeline is changed: its store,
// its clock and the answers of its harness are the player's.
func NewPlayer(p *Pipeline, dir string, start time.Time) *Player {
	pl := &Player{p: p, dir: dir, start: start, now: start, session: "s1"}
	mem := guard.NewMemory("")
	p.Store = func(_, session string) (state.Store, error) { return mem.For(session), nil }
	p.Now = func() time.Time { return pl.now }
	p.Profile.Ask, p.Profile.PreContext, p.Profile.Starts, p.Profile.Prompts = true, true, true, true
	p.Profile.CallIDs, p.Profile.Batch = true, BatchNone
	p.Bare, p.dry = true, true
	return pl
}

// Play plays one step. Calls come a second apart unless they say otherwise.
func (pl *Player) Play(ctx context.Context, s Step) (Played, error) {
	out := Played{Do: s.Do, OK: true}
	pl.now = pl.now.Add(time.Second)
	if s.At != nil {
		pl.now = pl.start.Add(*s.At)
	}
	var err error
	switch s.Do {
	case "call":
		err = pl.call(ctx, s, &out)
	case "finish":
		err = pl.finish(ctx, &out)
	case "prompt":
		_, err = pl.p.Handle(ctx, pl.event(UserPrompt, s))
	case "start":
		var a Answer
		a, err = pl.p.Handle(ctx, pl.event(SessionStart, s))
		out.Announced, out.Text, out.Notice = a.Announced, a.Context, a.Notice
	case "session":
		pl.session = s.ID
	case "sleep":
		pl.now = pl.now.Add(s.Sleep - time.Second)
	default:
		return out, fmt.Errorf("unknown step %q", s.Do)
	}
	if err == nil {
		out.compare(s.Want)
	}
	return out, err
}

func (pl *Player) event(k Kind, s Step) Event {
	e := Event{Kind: k, Session: pl.session, Dir: pl.dir, Project: pl.dir, Auto: s.Auto, Agent: s.Agent}
	switch k {
	case UserPrompt:
		e.Person = true
	case SessionStart:
		e.Source = "startup"
	default:
	}
	return e
}

func (pl *Player) call(ctx context.Context, s Step, out *Played) error {
	pl.n++
	e := pl.event(PreTool, s)
	e.ID = fmt.Sprintf("step-%d", pl.n)
	e.Native = s.Tool
	e.Calls = []trace.Call{{Tool: s.Tool, Args: s.Input}}
	a, err := pl.p.Handle(ctx, e)
	if err != nil {
		return err
	}
	out.Tool, out.Input = s.Tool, s.Input
	out.Rule, out.Mode, out.Text, out.Context, out.Notice = a.Rule, a.Mode, a.Reason, a.Context, a.Notice
	out.Calls, out.Note = a.Calls, a.Context != ""
	out.Action = a.Action.String()
	out.Result = out.Action
	if a.Action == guard.Allow {
		out.Action = "none"
		if out.Note {
			out.Result = "note"
		}
	}
	ran := a.Action == guard.Allow
	if s.Ran != nil {
		ran = *s.Ran
	}
	if !ran {
		return nil
	}
	return pl.post(ctx, s, e, out)
}

// post tells the pipeline that a call ran.
func (pl *Player) post(ctx context.Context, s Step, e Event, out *Played) error {
	status := 0
	if s.Status != nil {
		status = *s.Status
	}
	e.Kind, e.Ran, e.Output = PostTool, true, s.Output
	e.Calls = slices.Clone(e.Calls)
	e.Calls[0].Outcome = &trace.Outcome{Status: &status}
	a, err := pl.p.Handle(ctx, e)
	if err != nil {
		return err
	}
	out.Leaks, out.Recorded = a.Leaks, a.Recorded
	return nil
}

func (pl *Player) finish(ctx context.Context, out *Played) error {
	a, err := pl.p.Handle(ctx, pl.event(TurnEnd, Step{}))
	if err != nil {
		return err
	}
	out.Action, out.Result, out.Rules, out.Text, out.Notice = "none", "allow", a.Rules, a.Reason, a.Notice
	if a.SendBack {
		out.Action, out.Result = "block", "deny"
	}
	return nil
}

// compare holds a step against what it expects.
func (o *Played) compare(w *StepWant) {
	if w == nil {
		return
	}
	miss := func(what string, want, got any) {
		o.OK = false
		o.Reason = join(o.Reason, fmt.Sprintf("%s: expected %v, got %v", what, want, got))
	}
	if o.Expected = w.Result; w.Result == "" && w.Action != nil {
		o.Expected = *w.Action
	}
	if w.Result != "" && w.Result != o.Result && (w.Result != "allow" || o.Result != "note") {
		miss("decision", w.Result, o.Result)
	}
	if w.Action != nil && *w.Action != o.Action {
		miss("action", *w.Action, o.Action)
	}
	if w.Rule != nil {
		want := ""
		if *w.Rule != nil {
			want = **w.Rule
		}
		if want != o.Rule {
			miss("rule", want, o.Rule)
		}
	}
	if w.Note != nil && *w.Note != o.Note {
		miss("note", *w.Note, o.Note)
	}
	if w.Calls != nil && !slices.Equal(w.Calls, o.Calls) {
		miss("calls", w.Calls, o.Calls)
	}
	if w.Leaks != nil && !slices.Equal(*w.Leaks, o.Leaks) {
		miss("leaks", *w.Leaks, o.Leaks)
	}
	if w.Rules != nil && !slices.Equal(*w.Rules, o.Rules) {
		miss("rules", *w.Rules, o.Rules)
	}
	if w.Announced != nil && *w.Announced != o.Announced {
		miss("announced", *w.Announced, o.Announced)
	}
	said := o.Text + "\n" + o.Context + "\n" + o.Notice
	for _, t := range slices.Concat(w.Says, w.Mentions) {
		if !strings.Contains(said, t) {
			miss("says", t, said)
		}
	}
	for _, t := range w.Silent {
		if strings.Contains(said, t) {
			miss("must not say", t, said)
		}
	}
}
