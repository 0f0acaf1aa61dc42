package guard

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// A LostError means that a rule's memory is gone: its checkpoint is damaged or
// missing, and calls it needs were pruned (rules.md 17).
type LostError struct{ Rule string }

func (e *LostError) Error() string {
	return fmt.Sprintf("the memory of rule %s is damaged and calls it needs were pruned: agentltl-hook reset --rule %s", e.Rule, e.Rule)
}

// A ledger is the runners of one scope in one transaction, each at the end of
// the recorded trace.
type ledger struct {
	tx      state.Tx
	scope   state.Scope
	book    Rulebook
	runners map[state.Digest]*standing
	order   []*standing // runners in the order they were loaded
	begun   map[string]string
}

// A standing is a runner with the number of calls it has consumed and the bytes
// it was read from.
type standing struct {
	*runner
	calls   int
	cp      state.Checkpoint
	known   bool // it has a position
	partial bool // it saw only the calls that were kept when it began
}

func newLedger(tx state.Tx, scope state.Scope, book Rulebook) *ledger {
	return &ledger{tx: tx, scope: scope, book: book, runners: map[state.Digest]*standing{}}
}

// scopeOf maps a rule's scope to the memory it looks at.
func scopeOf(r *rules.Rule) state.Scope {
	if r.Scope == rules.Project {
		return state.Project
	}
	return state.Session
}

// at gives the rules' runners at the end of the trace, in their order. Rules of
// the other scope are left out. Rules that say the same have one progress: it is
// kept under what they say, not under their ids.
func (l *ledger) at(list []*rules.Rule) ([]*standing, error) {
	var out, behind []*standing
	n := l.tx.Len(l.scope)
	for _, r := range list {
		if scopeOf(r) != l.scope {
			continue
		}
		s, err := l.load(r)
		if err != nil {
			return nil, err
		}
		if s.calls < n && !slices.Contains(behind, s) {
			behind = append(behind, s)
		}
		if s.rule != r {
			same := *s.runner
			same.rule = r
			s = &standing{runner: &same, calls: n, partial: s.partial}
		}
		out = append(out, s)
	}
	return out, l.catchUp(behind, n)
}

// load reads a rule's checkpoint. One that does not decode is no memory: the
// rule is caught up from the calls, if they are all there.
func (l *ledger) load(r *rules.Rule) (*standing, error) {
	if s, ok := l.runners[r.Digest]; ok {
		return s, nil
	}
	s := &standing{runner: newRunner(r, l)}
	cp, ok := l.tx.Checkpoint(l.scope, r.Digest)
	if s.formula != nil {
		s.formula.SetVars(storedVars{l, r.Digest, cp.Codec})
	}
	if ok && cp.Calls <= l.tx.Len(l.scope) {
		if err := s.restore(cp.State); err == nil {
			s.cp, s.known, s.calls = cp, true, cp.Calls
			s.at(s.calls)
		} else if l.tx.First(l.scope) > 0 {
			return nil, &LostError{Rule: r.ID}
		} else {
			s.runner = newRunner(r, l)
		}
	}
	s.partial = l.tx.First(l.scope) > 0 && (!s.known || l.marks()[markOf(r.Digest)] != "")
	l.runners[r.Digest] = s
	l.order = append(l.order, s)
	return s, nil
}

// catchUp steps runners that are behind over the calls they have not seen, in
// one pass.
func (l *ledger) catchUp(behind []*standing, n int) error {
	if len(behind) == 0 {
		return nil
	}
	first := l.tx.First(l.scope)
	from := n
	for _, s := range behind {
		if s.calls < first {
			// A new or edited rule is judged on the calls that are kept; one that had
			// a memory must not be replayed from the middle.
			if s.known {
				return &LostError{Rule: s.rule.ID}
			}
			s.calls = first
			s.at(first)
		}
		from = min(from, s.calls)
	}
	may := func(tool string) bool {
		return slices.ContainsFunc(behind, func(s *standing) bool { return reacts(s.rule, []string{tool}) })
	}
	for i, c := range l.tx.Calls(l.scope, from, may) {
		tools := toolsOf(&c)
		for _, s := range behind {
			if s.calls > i || !reacts(s.rule, tools) {
				continue
			}
			s.at(i)
			if err := s.step(&c); err != nil {
				return err
			}
		}
	}
	for _, s := range behind {
		s.calls = n
		s.at(n)
	}
	return nil
}

// advance takes the scope over a call that was just appended: the own set is
// first brought to the call, then steps it. Rules that cannot react to a call
// are not even decoded.
func (l *ledger) advance(c *trace.Call) error {
	n := l.tx.Len(l.scope) // c is the last
	list, err := l.book.Reacting([]trace.Call{*c})
	if err != nil {
		return err
	}
	for _, r := range list {
		s, ok := l.runners[r.Digest]
		if scopeOf(r) != l.scope || !ok || s.calls == n {
			continue // of the other memory, or stepped for a rule that says the same
		}
		s.at(n - 1)
		if err := s.step(c); err != nil {
			return err
		}
		s.calls = n
	}
	return nil
}

// prepare brings every rule of the own set that can react to a call recorded
// since the set's position, or to one of the calls to come, to the end of the
// trace.
func (l *ledger) prepare(calls []trace.Call) error {
	n := l.tx.Len(l.scope)
	need := toolSet{}
	for i := range calls {
		need.add(toolsOf(&calls[i])...)
	}
	if from, _ := l.tx.SetPosition(l.scope, l.book.Digest()); from < n {
		skip := func(tool string) bool { return need.add(tool) } // each name once is enough
		for _, c := range l.tx.Calls(l.scope, max(from, l.tx.First(l.scope)), skip) {
			need.add(toolsOf(&c)...)
		}
	}
	list, err := l.book.Reacting(need.calls())
	if err != nil {
		return err
	}
	_, err = l.at(list)
	return err
}

// marksKey is where a memory keeps which rules began after calls were pruned.
const marksKey = "judged on kept calls"

// marks names the rules that began when earlier calls were gone already; it is
// read only where calls are.
func (l *ledger) marks() map[string]string {
	if l.begun == nil {
		l.begun = map[string]string{}
		if b, ok := l.tx.Value(l.scope, marksKey); ok {
			_ = json.Unmarshal(b, &l.begun) // a damaged list says less, and decides nothing
		}
	}
	return l.begun
}

func markOf(rule state.Digest) string { return hex.EncodeToString(rule[:8]) }

// saveMarks notes the rules that begin with the own set's first position here and
// have lost calls to pruning, whether they can react to the calls at hand or not.
func (l *ledger) saveMarks() error {
	first, fresh := l.tx.First(l.scope), false
	if _, ok := l.tx.SetPosition(l.scope, l.book.Digest()); ok || first == 0 {
		return nil
	}
	for _, r := range l.book.Refs() {
		if _, known := l.tx.Checkpoint(l.scope, r.Digest); r.Scope != l.scope || known || l.marks()[markOf(r.Digest)] != "" {
			continue
		}
		l.marks()[markOf(r.Digest)] = strconv.Itoa(first)
		fresh = true
	}
	if !fresh {
		return nil
	}
	b, err := json.Marshal(l.begun)
	if err != nil {
		return err
	}
	return l.tx.PutValue(l.scope, marksKey, b)
}

// helpedByCalls says whether earlier calls matter to a rule at all.
func helpedByCalls(r *rules.Rule) bool { return r.Kind != "never" && r.Kind != "require" }

// save writes the checkpoints that changed and raises the own set's position to
// the end of the trace.
func (l *ledger) save() error {
	n := l.tx.Len(l.scope)
	if err := l.saveMarks(); err != nil {
		return err
	}
	for _, s := range l.order {
		b, err := s.state()
		if err != nil {
			return err
		}
		if err := l.saveVars(s); err != nil {
			return err
		}
		if bytes.Equal(b, s.cp.State) || s.cp.State == nil && l.fresh(s, b) {
			continue
		}
		s.cp, s.known = state.Checkpoint{Calls: n, State: b}, true
		if err := l.tx.PutCheckpoint(l.scope, s.rule.Digest, s.cp); err != nil {
			return err
		}
	}
	return l.tx.PutSetPosition(l.scope, l.book.Digest(), n)
}

// saveVars writes the bindings of a quantified rule that changed.
func (l *ledger) saveVars(s *standing) error {
	if s.formula == nil {
		return nil
	}
	changes := s.formula.Changes()
	if len(changes) == 0 {
		return nil
	}
	if s.known {
		if err := l.tx.AdoptVars(l.scope, s.rule.Digest, s.cp.Codec); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		if err := l.tx.PutVar(l.scope, s.rule.Digest, key, changes[key]); err != nil {
			return err
		}
	}
	return nil
}

// fresh says whether b is the state of a runner that has seen nothing.
func (l *ledger) fresh(s *standing, b []byte) bool {
	e, err := newRunner(s.rule, l).state()
	return err == nil && bytes.Equal(b, e)
}

// history reads the recorded trace for a formula that is judged from all of it.
func (l *ledger) history(r *rules.Rule) ltl.History {
	return func(n int) ([]trace.Call, error) {
		if l.tx.First(l.scope) > 0 {
			return nil, &LostError{Rule: r.ID}
		}
		calls := make([]trace.Call, 0, n)
		for i, c := range l.tx.Calls(l.scope, 0, nil) {
			if i >= n {
				break
			}
			calls = append(calls, c)
		}
		return calls, nil
	}
}

// toolsOf lists the tool names a call can be matched under.
func toolsOf(c *trace.Call) []string {
	if len(c.Forms) == 0 {
		return []string{c.Tool}
	}
	names := make([]string, 0, 1+len(c.Forms))
	names = append(names, c.Tool)
	for _, f := range c.Forms {
		if !slices.Contains(names, f.Tool) {
			names = append(names, f.Tool)
		}
	}
	return names
}

// A toolSet is tool names without duplicates, in order of first sight.
type toolSet struct {
	names []string
	seen  map[string]bool
}

// calls are bare calls of the names.
func (t *toolSet) calls() []trace.Call {
	out := make([]trace.Call, len(t.names))
	for i, n := range t.names {
		out[i].Tool = n
	}
	return out
}

// add says whether one of the names is new.
func (t *toolSet) add(names ...string) (fresh bool) {
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	for _, n := range names {
		if !t.seen[n] {
			t.seen[n], fresh = true, true
			t.names = append(t.names, n)
		}
	}
	return fresh
}
