package guard

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// An Account says how a rule comes to its answer about a call: what it says, the
// recorded calls that matter, the value of each part, and what would help.
type Account struct {
	ID      string        `json:"id"`
	Kind    string        `json:"kind"`
	Mode    string        `json:"mode"`
	Scope   string        `json:"scope"`
	Layer   string        `json:"layer"`
	Source  string        `json:"source,omitempty"`
	File    string        `json:"file,omitempty"`
	Line    int           `json:"line,omitempty"`
	Summary string        `json:"summary,omitempty"`
	Formula string        `json:"formula,omitempty"`
	Why     string        `json:"why,omitempty"`
	Fix     string        `json:"fix,omitempty"`
	Refuses bool          `json:"refuses"`
	Maybe   bool          `json:"maybe,omitempty"`
	Problem string        `json:"problem,omitempty"`
	Call    int           `json:"call"` // the call of the chain it refuses, or the last
	Verdict string        `json:"verdict,omitempty"`
	Parts   []AccountPart `json:"parts,omitempty"`
	Calls   []AccountCall `json:"calls"`             // of the trace, that it speaks of, oldest first
	Earlier int           `json:"earlier,omitempty"` // more of them, not listed
	Pruned  int           `json:"pruned,omitempty"`  // calls of the trace that are gone
	Comply  []string      `json:"comply,omitempty"`  // calls after which it would pass
	Tries   int           `json:"tries,omitempty"`   // mode retry: refusals so far
	Limit   int           `json:"limit,omitempty"`   // mode retry: the try that asks
	Off     string        `json:"off"`               // how to switch it off

	rule *rules.Rule
}

// An AccountPart is a sub-formula with its value at the call.
type AccountPart struct {
	Formula string `json:"formula"`
	Depth   int    `json:"depth"`
	Verdict string `json:"verdict"`
}

// An AccountCall is a recorded call.
type AccountCall struct {
	N      int       `json:"n"` // from 1
	Text   string    `json:"text"`
	Tool   string    `json:"tool"`
	Status *int      `json:"status,omitempty"`
	Maybe  bool      `json:"maybe,omitempty"` // may not have run
	Time   time.Time `json:"t"`
}

// maxAccountCalls is how many recorded calls an account lists, maxEvaluated how
// many it evaluates a formula over.
const (
	maxAccountCalls = 10
	maxEvaluated    = 20_000
)

// Explain gives the accounts of the rules that can react to a proposal, those
// that refuse it first, then those nearest to refusing it. lens bounds the
// traces (session, project) to what was recorded then; nil: all of it. Nothing is
// changed.
func (j *Judge) Explain(tx state.Tx, p Proposal, lens []int) ([]Account, error) {
	then := cutTx{Tx: tx, lens: lens}
	c := &check{Judge: j, tx: then, p: &p, key: p.key()}
	for _, s := range scopes {
		c.mem[s] = tx.Memory(s)
	}
	c.chain, c.read = p.Chain()
	if err := c.judge(); err != nil {
		return nil, err
	}
	list, err := j.Book.Reacting(c.chain)
	if err != nil {
		return nil, err
	}
	var out []Account
	for _, r := range list {
		a, err := c.account(r)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	slices.SortStableFunc(out, func(a, b Account) int {
		if a.Refuses != b.Refuses {
			return boolRank(b.Refuses) - boolRank(a.Refuses)
		}
		return int(b.rule.Mode) - int(a.rule.Mode)
	})
	return out, nil
}

// account describes one rule on the chain.
func (c *check) account(r *rules.Rule) (Account, error) {
	scope := scopeOf(r)
	a := Account{
		ID: r.ID, Kind: r.Kind, Mode: r.Mode.String(), Scope: r.Scope.String(), Layer: r.Layer.String(), Source: r.Source,
		File: r.Pos.File, Line: r.Pos.Line, Summary: r.Summary, Why: r.Why, Fix: r.Fix,
		Call: len(c.chain) - 1, Pruned: c.tx.First(scope), Calls: []AccountCall{}, Off: howOff(r), rule: r,
	}
	if r.Formula != nil {
		a.Formula = r.Formula.String()
	}
	for i := range c.all {
		f := &c.all[i]
		if f.rule == r {
			a.Refuses, a.Maybe, a.Call, a.Problem = true, f.fault.maybe, f.call, c.problem(f)
			break
		}
	}
	if a.Refuses {
		a.Comply = c.suggest(r)
	}
	if r.Mode == rules.Retry {
		a.Limit, _, _ = c.retryLimits(r)
		a.Tries = c.mem[scope].Retries[r.ID]
	}
	return a, c.parts(&a, c.relevant(r, &a))
}

// relevant collects the recorded calls that the rule can react to.
func (c *check) relevant(r *rules.Rule, a *Account) []trace.Call {
	scope := scopeOf(r)
	var may func(string) bool
	if !r.Always {
		may = func(tool string) bool { return reacts(r, []string{tool}) }
	}
	if r.Kind == "never" || r.Kind == "require" {
		return nil // judged on the call alone
	}
	var calls []trace.Call
	for n, x := range c.tx.Calls(scope, c.tx.First(scope), may) {
		calls = append(calls, x)
		if r.Formula != nil && !ltl.React(r.Formula, &x) {
			continue // only the tool's name is the rule's
		}
		y := AccountCall{N: n + 1, Text: describe(&x), Tool: x.Tool, Time: x.Time}
		if x.Outcome != nil {
			y.Status, y.Maybe = x.Outcome.Status, x.Outcome.Maybe
		}
		a.Calls = append(a.Calls, y)
	}
	if n := len(a.Calls) - maxAccountCalls; n > 0 {
		a.Earlier, a.Calls = n, slices.Clone(a.Calls[n:])
	}
	if n := len(calls) - maxEvaluated; n > 0 {
		calls = calls[n:]
	}
	return calls
}

// parts evaluates the formula and each part at the call.
func (c *check) parts(a *Account, calls []trace.Call) error {
	if a.rule.Formula == nil || a.Call < 0 {
		return nil
	}
	all := append(slices.Clip(calls), c.chain[:a.Call+1]...)
	e, err := ltl.Evaluate(a.rule.Formula, all)
	if err != nil {
		return fmt.Errorf("rule %s: %w", a.ID, err)
	}
	a.Verdict = e.Verdict().String()
	list, err := e.Parts(len(all) - 1)
	if err != nil {
		return fmt.Errorf("rule %s: %w", a.ID, err)
	}
	for _, p := range list {
		a.Parts = append(a.Parts, AccountPart{Formula: p.Formula.String(), Depth: p.Depth, Verdict: p.Verdict.String()})
	}
	return nil
}

// howOff says how a person switches a rule off.
func howOff(r *rules.Rule) string {
	switch {
	case r.Layer == rules.Managed && !r.Overridable:
		return "it is managed: an administrator changes " + r.Pos.File
	case r.ID == ProtectGuard || r.ID == NoUnguarded:
		return fmt.Sprintf("disable: [%s] in your own AGENTLTL.yaml", r.ID)
	case r.Layer == rules.BuiltIn:
		return fmt.Sprintf("disable: [%s] in AGENTLTL.yaml", r.ID)
	default:
		return fmt.Sprintf("agentltl-hook disable %s, or edit %s", r.ID, r.Pos)
	}
}

// A cutTx is a transaction that ends at an earlier point of the traces.
// Checkpoints beyond it are not seen, so rules are judged from what was recorded
// then.
type cutTx struct {
	state.Tx
	lens []int
}

func (t cutTx) Len(s state.Scope) int {
	n := t.Tx.Len(s)
	if int(s) < len(t.lens) {
		n = min(n, t.lens[s])
	}
	return n
}

func (t cutTx) Calls(s state.Scope, from int, may func(string) bool) iter.Seq2[int, trace.Call] {
	end := t.Len(s)
	return func(yield func(int, trace.Call) bool) {
		for n, c := range t.Tx.Calls(s, from, may) {
			if n >= end || !yield(n, c) {
				return
			}
		}
	}
}

func (t cutTx) Checkpoint(s state.Scope, rule state.Digest) (state.Checkpoint, bool) {
	cp, ok := t.Tx.Checkpoint(s, rule)
	if !ok || cp.Calls > t.Len(s) {
		return state.Checkpoint{}, false
	}
	return cp, true
}

func (t cutTx) Reservations(state.Scope) []state.Reservation { return nil }

// Unseen lists the rules of the book that would have to be judged on the kept
// calls alone: they have no memory yet, and earlier calls were pruned. It decodes
// no rule.
func Unseen(tx state.Tx, list []rules.Listed) []string {
	var out []string
	for i := range list {
		l := &list[i]
		scope := scopeOf(&rules.Rule{Scope: l.Scope})
		if tx.First(scope) == 0 || l.Layer == rules.BuiltIn || !helpedByCalls(&rules.Rule{Kind: l.Kind}) {
			continue
		}
		if _, ok := tx.Checkpoint(scope, l.Digest); !ok {
			out = append(out, l.ID)
		}
	}
	return out
}
