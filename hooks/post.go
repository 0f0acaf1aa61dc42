package hooks

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/internal/secrets"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
	"github.com/agentltl/agentltl-hook/trace"
)

// post records a call that ran, and looks for credentials in what it returned.
func (r *run) post() (Answer, error) {
	r.hideBuiltins()
	r.e.Batch = r.batch()
	a, output := r.scan()
	p := r.ended(output)
	err := r.update(func(tx state.Tx) error { return r.record(tx, p, &a) })
	if errors.Is(err, store.ErrBusy) {
		return r.spool(p, a)
	}
	return a, err
}

// scan looks for credentials in the output: the user learns tool and kinds,
// never the value; what is stored has them replaced (rules.md 13).
func (r *run) scan() (Answer, any) {
	out := r.e.Output
	if !r.set.Settings().ScanOutput || !r.e.Ran {
		return Answer{}, out
	}
	extra, err := secrets.Extra(r.set.Settings().ScanExtra)
	if err != nil {
		extra = []*regexp.Regexp(nil) // the loader refuses such expressions; those of our own still count
	}
	clean, kinds := secrets.RedactValue(out, extra...)
	if len(kinds) == 0 {
		return Answer{}, out
	}
	tool := r.e.Native
	if tool == "" && len(r.e.Calls) > 0 {
		tool = r.e.Calls[0].Tool
	}
	tool = guard.Name(tool) // an MCP server chose it
	what := strings.Join(kinds, ", ")
	return Answer{
		Leaks:   kinds,
		Notice:  "agentltl: the output of " + tool + " holds what looks like: " + what,
		Context: "The output of " + tool + " holds what looks like a credential (" + what + "). Do not repeat it, do not store it anywhere, and tell the user that it was printed.",
	}, clean
}

// ended is the event's calls with their outcomes: as they were read before they
// ran where that was kept, else as they read now.
func (r *run) ended(output any) guard.Proposal {
	var p guard.Proposal
	if r.held != nil {
		p = guard.Proposal{Calls: slices.Clone(r.held.Calls), ID: r.e.ID, Batch: r.e.Batch, Agent: r.e.Agent, Key: r.held.Key}
	} else {
		p = r.read(r.request()).Proposal
		p.Calls, _ = p.Chain()
		p.Unresolved = nil
	}
	if !r.e.Ran {
		return p
	}
	var status *int
	var result *any
	if len(r.e.Calls) > 0 && r.e.Calls[len(r.e.Calls)-1].Outcome != nil {
		status = r.e.Calls[len(r.e.Calls)-1].Outcome.Status
	}
	if output != nil {
		result = &output
	}
	guard.Spread(p.Calls, status, result)
	if r.p.Profile.ShellReads {
		p.Calls = append(p.Calls, printedFiles(p.Calls)...)
	}
	return p
}

// printedFiles are the reads that stand behind commands which printed files
// with success, where a harness has no tool to read one (rules.md 6.1).
func printedFiles(calls []trace.Call) []trace.Call {
	var out []trace.Call
	for _, c := range calls {
		if !prints(&c) || c.Outcome == nil || c.Outcome.Status == nil || *c.Outcome.Status != 0 || c.CLI != nil && c.CLI.Remote != "" {
			continue
		}
		for _, e := range c.Effects {
			if e.Op == "read" && e.Certainty == "sure" && e.Target != "" {
				read := trace.Call{
					Tool: "Read", Args: trace.Args{"file_path": e.Target}, Effects: []trace.Effect{e}, ID: c.ID, Batch: c.Batch,
					Agent: c.Agent, Source: c.Source, Native: c.Native, Harness: c.Harness, Session: c.Session, Dir: c.Dir,
					Outcome: &trace.Outcome{Status: c.Outcome.Status},
				}
				out = append(out, read)
			}
		}
	}
	return out
}

func prints(c *trace.Call) bool {
	switch c.Tool {
	case "cat", "head", "tail", "nl", "less", "more", "bat", "tac":
		return true
	case "sed":
		return c.Args["in_place"] != true
	}
	return false
}

// record keeps a post event in one transaction. A call id that is recorded
// already is ignored.
func (r *run) record(tx state.Tx, p guard.Proposal, a *Answer) error {
	if err := r.keepSet(tx); err != nil {
		return err
	}
	j := r.judge()
	if r.e.Person && r.e.Ran {
		if err := r.answered(tx); err != nil {
			return err
		}
	}
	id, known := tx.CallID(r.e.ID)
	if r.e.ID != "" && known && id.State == "recorded" {
		*a = Answer{}
		return nil
	}
	if !r.e.Ran {
		return j.Drop(tx, &p)
	}
	if r.gap(known) {
		for i := range p.Calls {
			p.Calls[i].Unchecked = true
		}
	}
	if err := j.Record(tx, p); err != nil {
		return err
	}
	a.Recorded, a.Calls = true, toolNames(p.Calls)
	if r.e.ID != "" {
		if err := tx.PutCallID(r.e.ID, state.CallID{State: "recorded", Resumes: tx.Memory(state.Session).Resumes, Key: p.Key}); err != nil {
			return err
		}
	}
	r.note = &a.Notice
	return r.keepMemory(tx, func(m *state.Memory) { r.carry(m, a) })
}

// answered marks the questions put so far as answered: the person replied to a
// question of the agent's own.
func (r *run) answered(tx state.Tx) error {
	m := tx.Memory(state.Session)
	if len(m.Pending) == 0 {
		return nil
	}
	for i := range m.Pending {
		m.Pending[i].Answered = true
	}
	return tx.PutMemory(state.Session, m)
}

// carry adds what was to be said earlier and could not be: notes to a call that
// went ahead, an announcement that is owed.
func (r *run) carry(m *state.Memory, a *Answer) {
	for _, t := range m.OwedText {
		a.Context = join(a.Context, t)
	}
	m.OwedText = nil
	if m.Owed || !r.p.Profile.Starts && told(m, "announced", "yes") {
		m.Owed = false
		text, notice := r.announcement(m)
		a.Context, a.Notice = join(a.Context, text), join(a.Notice, notice)
	}
	if r.gapped && told(m, "unchecked", "yes") {
		a.Notice = join(a.Notice, "agentltl: a call ran that no rule was asked about: "+strings.Join(names(a.Calls), ", ")+"; agentltl-hook doctor")
	}
}

// names are tools as our sentences show them.
func names(tools []string) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = guard.Name(t)
	}
	return out
}

// spoolBlind keeps a post event of a store that nobody could even look into: its
// calls are read by the rule files as they are, without what the session remembers.
func (r *run) spoolBlind() (Answer, error) {
	r.load()
	r.hideBuiltins()
	a, output := r.scan()
	return r.spool(r.ended(output), a)
}

// spool keeps an event for the next process that gets the lock.
func (r *run) spool(p guard.Proposal, a Answer) (Answer, error) {
	s, ok := r.store.(*store.Session)
	if !ok {
		return a, store.ErrBusy
	}
	e := store.Spooled{Time: r.now, Session: r.session, ID: r.e.ID, Ticket: r.e.ID}
	if r.held != nil {
		e.Ticket = r.held.Ticket
	}
	if e.Ticket == "" {
		e.Key = p.Key
	}
	if r.e.Ran {
		e.Calls = p.Calls
	}
	if err := s.Spool(e); err != nil {
		return a, err
	}
	a.Notice = join(a.Notice, "agentltl: store busy, the call is not recorded yet; the next event will")
	return a, nil
}

// ranUnseen records a call that may go ahead and of which no other event tells.
func (w *work) ranUnseen(tx state.Tx) error {
	p := w.p.Proposal
	p.Calls, _ = p.Chain()
	p.Unresolved = nil
	guard.Spread(p.Calls, nil, nil)
	if err := w.j.Record(tx, p); err != nil {
		return err
	}
	w.answer.Recorded = true
	if w.e.ID == "" {
		return nil
	}
	b, err := json.Marshal(w.answer)
	if err != nil {
		return err
	}
	return tx.PutCallID(w.e.ID, state.CallID{State: "recorded", Answer: b, Resumes: tx.Memory(state.Session).Resumes, Key: w.p.Key})
}

// gap says whether a call ran that was never proposed: no mark, and nothing else
// that a proposal leaves behind.
func (r *run) gap(known bool) bool {
	r.gapped = !known && r.held == nil && r.unseen()
	return r.gapped
}
