package hooks

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
	"github.com/agentltl/agentltl-hook/trace"
)

// A Question asks why something was decided, or what would be decided now.
type Question struct {
	Dir      string // of the session
	Session  string // "": the one used last
	Decision string // id of a kept decision; "" with Step nil: the newest one
	Rule     string // only this rule
	Step     *Step  // a call to judge now, in place of a decision
}

// An Explained is an answer to a Question.
type Explained struct {
	Session  string
	Decision *state.Decision // nil for a call judged now
	Call     string          // in words
	Result   string          // of a call judged now: allow note ask deny stop
	Text     string          // what the agent would be told
	Accounts []guard.Account // the rules that can react to the call, refusing ones first
	Nearest  string          // of a call that passes: the rule that is nearest to refusing it
	Excepted []string        // rules that an exception keeps from deciding
	NoRules  bool            // no rule file is in force
	Gone     bool            // the decision's rule is not in force any more
}

// ErrNoDecision means that there is no such decision in the project's store.
var ErrNoDecision = errors.New("no such decision")

// ErrNoSession means that nothing was ever recorded here.
var ErrNoSession = errors.New("no session recorded for this directory")

// Explain answers a question from the project's store, without changing it.
func (p *Pipeline) Explain(q Question) (Explained, error) {
	out := Explained{}
	session, d, err := p.subject(q)
	if err != nil {
		return out, err
	}
	out.Session, out.Decision = session, d
	e := Event{Kind: PreTool, Session: session, Dir: q.Dir, Project: q.Dir}
	if d != nil {
		e.Calls, e.Dir = callsOf(d, q.Dir)
	} else if q.Step != nil {
		e.Native = q.Step.Tool
		e.Calls = []trace.Call{{Tool: q.Step.Tool, Args: q.Step.Input}}
		e.Auto = q.Step.Auto
	}
	r, err := p.begin(e)
	if err != nil {
		return out, err
	}
	if r.set == nil {
		out.NoRules = true
		return out, nil
	}
	return out, r.explain(q, &out)
}

// subject finds the session and the kept decision of a question.
func (p *Pipeline) subject(q Question) (session string, d *state.Decision, err error) {
	s := store.Open(store.Options{Dir: p.StateDir, Root: p.StoreRoot(q.Dir), Session: q.Session})
	err = s.ViewTx(func(tx *store.Tx) error {
		if session = q.Session; session == "" {
			session = tx.LastSession()
		}
		switch {
		case q.Step != nil:
			return nil
		case q.Decision != "":
			if x, ok := tx.Decision(q.Decision); ok {
				d, session = &x, x.Session
				return nil
			}
			return ErrNoDecision
		case session == "":
			return ErrNoSession
		}
		for _, x := range tx.In(session).Decisions() {
			d = &x
			return nil
		}
		return ErrNoDecision
	})
	return session, d, err
}

// callsOf gives the native call of a kept decision back.
func callsOf(d *state.Decision, dir string) ([]trace.Call, string) {
	if s, ok := d.More["dir"].(string); ok {
		dir = s
	}
	line, ok := strings.CutPrefix(d.Key, "line:")
	if !ok && strings.HasPrefix(d.Key, "line#") {
		line, ok = d.Source, true // as much of a very long line as is kept
	}
	if ok {
		return []trace.Call{{Tool: "Bash", Args: trace.Args{"command": line}}}, dir
	}
	return []trace.Call{{Tool: d.Tool, Args: d.Args}}, dir
}

// explain judges the call and describes every rule that can react to it.
func (r *run) explain(q Question, out *Explained) error {
	w := &work{run: r, j: r.judge(), p: r.read(r.request())}
	return r.view(func(tx state.Tx) error {
		w.mem = tx.Memory(state.Session)
		w.closeGates(w.j, w.p.Calls)
		if err := w.prepare(); err != nil {
			return err
		}
		if out.Decision == nil {
			d, err := w.j.Look(tx, w.p.Proposal)
			if err != nil {
				return err
			}
			a := w.say(d)
			out.Text, out.Result, out.Excepted = a.Reason, d.Action.String(), d.Excepted
			if d.Action == guard.Allow && a.Context != "" {
				out.Result, out.Text = "note", a.Context
			}
		}
		accounts, err := w.j.Explain(tx, w.p.Proposal, lensOf(out.Decision))
		if err != nil {
			return err
		}
		out.Call = callWords(w.p.Proposal)
		out.fill(accounts, q.Rule)
		return nil
	})
}

// lensOf is how long the traces were when a decision was made.
func lensOf(d *state.Decision) []int {
	if d == nil {
		return nil
	}
	lens := []int{d.Len}
	if n, ok := d.More["project_len"].(json.Number); ok {
		if v, err := n.Int64(); err == nil {
			lens = append(lens, int(v))
		}
	}
	return lens
}

func callWords(p guard.Proposal) string {
	if p.Line != "" {
		return p.Line
	}
	var parts []string
	for i := range p.Calls {
		parts = append(parts, p.Calls[i].Tool+" "+trace.Canonical(p.Calls[i].Args))
	}
	return strings.Join(parts, "; ")
}

// fill keeps the accounts that were asked for: those of the deciding rules of a
// kept decision, of one rule, or all.
func (out *Explained) fill(accounts []guard.Account, rule string) {
	for _, a := range accounts {
		switch {
		case rule != "" && a.ID != rule:
			continue
		case rule == "" && a.Layer == rules.BuiltIn.String() && !a.Refuses:
			continue
		case rule == "" && out.Decision != nil && out.Decision.Rule != "" && !contains(out.Decision, a.ID):
			continue
		}
		out.Accounts = append(out.Accounts, a)
	}
	if out.Decision != nil && out.Decision.Rule != "" && rule == "" {
		out.Gone = len(out.Accounts) == 0
	}
	if out.Result == "allow" || out.Result == "note" {
		for _, a := range accounts {
			if !a.Refuses && a.Layer != rules.BuiltIn.String() && out.Nearest == "" {
				out.Nearest = a.ID
			}
		}
	}
}

func contains(d *state.Decision, id string) bool {
	return d.Rule == id || slices.Contains(d.Rules, id)
}
