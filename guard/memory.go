package guard

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// errReadOnly is what a write in a View comes to.
var errReadOnly = errors.New("guard: write in a read-only transaction")

// A Memory is a [state.Store] that lives in this process: for check, replay,
// tests and programs that embed the guard. An Update that fails leaves nothing
// behind. It is safe for concurrent use.
type Memory struct {
	session string
	d       *memoryData
}

// NewMemory is an empty store about one session.
func NewMemory(session string) *Memory {
	return &Memory{session: session, d: &memoryData{
		sessions: map[string]*memorySession{},
		project:  newMemoryScope(),
		parents:  map[string]string{},
		meta:     map[string]string{},
		lastGood: map[string][]byte{},
		sets:     map[state.Digest]memorySet{},
	}}
}

// For is the same store about another session.
func (m *Memory) For(session string) *Memory { return &Memory{session: session, d: m.d} }

// View runs fn on a transaction that may only read.
func (m *Memory) View(fn func(state.Tx) error) error {
	m.d.mu.RLock()
	defer m.d.mu.RUnlock()
	return fn(&memoryTx{d: m.d, id: m.session})
}

// Update runs fn on a transaction of its own; an error undoes what it did.
func (m *Memory) Update(fn func(state.Tx) error) error {
	m.d.mu.Lock()
	defer m.d.mu.Unlock()
	tx := &memoryTx{d: m.d, id: m.session, undo: new([]func())}
	err := fn(tx)
	if err != nil {
		for _, u := range slices.Backward(*tx.undo) {
			u()
		}
	}
	return err
}

type memoryData struct {
	mu         sync.RWMutex
	calls      []trace.Call // every call of the project, once
	sessions   map[string]*memorySession
	project    *memoryScope
	parents    map[string]string
	decisions  []state.Decision
	exceptions []state.Exception
	meta       map[string]string
	lastGood   map[string][]byte
	sets       map[state.Digest]memorySet
}

type memorySet struct {
	parts map[string][]byte
	rules []state.RuleRef
}

// A memoryScope is what one of the two memories holds beside its calls.
type memoryScope struct {
	checkpoints  map[state.Digest]state.Checkpoint
	vars         map[state.Digest]map[string][]byte
	positions    map[state.Digest]int
	used         []state.Digest // sets in order of last use
	values       map[string][]byte
	memory       state.Memory
	reservations []state.Reservation
}

type memorySession struct {
	*memoryScope
	calls []int // numbers in memoryData.calls
	ids   map[string]state.CallID
}

func newMemoryScope() *memoryScope {
	return &memoryScope{
		checkpoints: map[state.Digest]state.Checkpoint{},
		vars:        map[state.Digest]map[string][]byte{},
		positions:   map[state.Digest]int{},
		values:      map[string][]byte{},
	}
}

// A memoryTx is one transaction. undo is nil in a View.
type memoryTx struct {
	d    *memoryData
	id   string
	undo *[]func()
}

var _ state.Tx = (*memoryTx)(nil)

// write notes how to take a change back; it fails in a View.
func (t *memoryTx) write(undo func()) error {
	if t.undo == nil {
		return errReadOnly
	}
	*t.undo = append(*t.undo, undo)
	return nil
}

// sess is the session's part; a View of an unknown one gets an empty one that
// is not kept.
func (t *memoryTx) sess() *memorySession {
	s, ok := t.d.sessions[t.id]
	if !ok {
		s = &memorySession{memoryScope: newMemoryScope(), ids: map[string]state.CallID{}}
		if t.undo != nil {
			t.d.sessions[t.id] = s
			id := t.id
			*t.undo = append(*t.undo, func() { delete(t.d.sessions, id) })
		}
	}
	return s
}

func (t *memoryTx) scope(s state.Scope) *memoryScope {
	if s == state.Project {
		return t.d.project
	}
	return t.sess().memoryScope
}

func (t *memoryTx) Session() string { return t.id }

func (t *memoryTx) In(session string) state.Tx {
	return &memoryTx{d: t.d, id: session, undo: t.undo}
}

func (t *memoryTx) Parent(child string) string { return t.d.parents[child] }

func (t *memoryTx) PutParent(child, parent string) error { return put(t, t.d.parents, child, parent) }

func (t *memoryTx) CopyFrom(session string) error {
	from, ok := t.d.sessions[session]
	to := t.sess()
	if !ok || session == t.id || len(to.calls) > 0 {
		return nil
	}
	calls, cps, vars, pos, used := to.calls, to.checkpoints, to.vars, to.positions, to.used
	if err := t.write(func() { to.calls, to.checkpoints, to.vars, to.positions, to.used = calls, cps, vars, pos, used }); err != nil {
		return err
	}
	to.calls = slices.Clone(from.calls)
	to.checkpoints = maps.Clone(from.checkpoints)
	to.vars = map[state.Digest]map[string][]byte{}
	for r, v := range from.vars {
		to.vars[r] = maps.Clone(v)
	}
	to.positions = maps.Clone(from.positions)
	to.used = slices.Clone(from.used)
	return nil
}

func (t *memoryTx) Len(s state.Scope) int {
	if s == state.Project {
		return len(t.d.calls)
	}
	return len(t.sess().calls)
}

func (t *memoryTx) First(state.Scope) int { return 0 }

func (t *memoryTx) Calls(s state.Scope, from int, may func(string) bool) iter.Seq2[int, trace.Call] {
	return func(yield func(int, trace.Call) bool) {
		for i := from; i < t.Len(s); i++ {
			n := i
			if s == state.Session {
				n = t.sess().calls[i]
			}
			c := &t.d.calls[n]
			if (may == nil || slices.ContainsFunc(toolsOf(c), may)) && !yield(i, *c) {
				return
			}
		}
	}
}

func (t *memoryTx) Head() state.Digest { return state.Digest{} }

func (t *memoryTx) Append(c trace.Call) (trace.Call, error) {
	s, n := t.sess(), len(t.d.calls)
	if err := t.write(func() { t.d.calls, s.calls = t.d.calls[:n], s.calls[:len(s.calls)-1] }); err != nil {
		return c, err
	}
	if n > 0 && c.Time.Before(t.d.calls[n-1].Time) {
		c.Time = t.d.calls[n-1].Time
	}
	c.Session = t.id
	t.d.calls = append(t.d.calls, c)
	s.calls = append(s.calls, n)
	return c, nil
}

func (t *memoryTx) Checkpoint(s state.Scope, rule state.Digest) (state.Checkpoint, bool) {
	m := t.scope(s)
	cp, ok := m.checkpoints[rule]
	for set, calls := range m.positions {
		if calls >= cp.Calls && slices.Contains(t.d.sets[set].rules, state.RuleRef{Scope: s, Digest: rule}) {
			cp.Calls, ok = calls, true
		}
	}
	return cp, ok
}

func (t *memoryTx) PutCheckpoint(s state.Scope, rule state.Digest, cp state.Checkpoint) error {
	return put(t, t.scope(s).checkpoints, rule, cp)
}

func (t *memoryTx) Var(s state.Scope, rule state.Digest, _ uint16, key string) (state.Var, bool) {
	v, ok := t.scope(s).vars[rule][key]
	return state.Var{State: v}, ok
}

func (t *memoryTx) Vars(s state.Scope, rule state.Digest, _ uint16) iter.Seq2[string, state.Var] {
	vars := t.scope(s).vars[rule]
	return func(yield func(string, state.Var) bool) {
		for _, k := range slices.Sorted(maps.Keys(vars)) {
			if !yield(k, state.Var{State: vars[k]}) {
				return
			}
		}
	}
}

func (t *memoryTx) PutVar(s state.Scope, rule state.Digest, key string, val []byte) error {
	m := t.scope(s)
	if m.vars[rule] == nil {
		if err := put(t, m.vars, rule, map[string][]byte{}); err != nil {
			return err
		}
	}
	if val != nil {
		return put(t, m.vars[rule], key, val)
	}
	return drop(t, m.vars[rule], key)
}

// AdoptVars has nothing to take over: there is one codec in memory.
func (t *memoryTx) AdoptVars(state.Scope, state.Digest, uint16) error { return nil }

func (t *memoryTx) SetPosition(s state.Scope, set state.Digest) (int, bool) {
	n, ok := t.scope(s).positions[set]
	return n, ok
}

// maxPositions is how many rule sets a scope remembers (architecture.md 6).
const maxPositions = 8

func (t *memoryTx) PutSetPosition(s state.Scope, set state.Digest, calls int) error {
	m := t.scope(s)
	pos, used := maps.Clone(m.positions), slices.Clone(m.used)
	if err := t.write(func() { m.positions, m.used = pos, used }); err != nil {
		return err
	}
	m.used = append(slices.DeleteFunc(slices.Clone(used), func(d state.Digest) bool { return d == set }), set)
	m.positions[set] = max(calls, m.positions[set])
	for len(m.used) > maxPositions {
		if err := t.evict(s, m, m.used[0]); err != nil {
			return err
		}
		m.used = m.used[1:]
	}
	return nil
}

// evict forgets a set's position and saves those of its rules that would be lost
// with it.
func (t *memoryTx) evict(s state.Scope, m *memoryScope, set state.Digest) error {
	calls := m.positions[set]
	delete(m.positions, set)
	for _, r := range t.d.sets[set].rules {
		if r.Scope != s {
			continue
		}
		if cp, ok := t.Checkpoint(s, r.Digest); !ok || cp.Calls < calls {
			cp.Calls = calls
			if err := t.PutCheckpoint(s, r.Digest, cp); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *memoryTx) Memory(s state.Scope) state.Memory { return cloneMemory(t.scope(s).memory) }

func (t *memoryTx) PutMemory(s state.Scope, mem state.Memory) error {
	m := t.scope(s)
	old := m.memory
	if err := t.write(func() { m.memory = old }); err != nil {
		return err
	}
	m.memory = cloneMemory(mem)
	return nil
}

// cloneMemory keeps callers from changing what is stored by way of its maps.
func cloneMemory(m state.Memory) state.Memory {
	m.Retries = maps.Clone(m.Retries)
	m.Runs = maps.Clone(m.Runs)
	m.Told = maps.Clone(m.Told)
	m.Extra = maps.Clone(m.Extra)
	m.Pending = slices.Clone(m.Pending)
	m.OwedText = slices.Clone(m.OwedText)
	m.OwedLines = slices.Clone(m.OwedLines)
	if m.Latch != nil {
		l := *m.Latch
		m.Latch = &l
	}
	if m.Warned != nil {
		w := *m.Warned
		m.Warned = &w
	}
	return m
}

func (t *memoryTx) CallID(id string) (state.CallID, bool) {
	c, ok := t.sess().ids[id]
	return c, ok
}

func (t *memoryTx) PutCallID(id string, c state.CallID) error { return put(t, t.sess().ids, id, c) }

func (t *memoryTx) Reservations(s state.Scope) []state.Reservation {
	if s == state.Project {
		return slices.Clone(t.d.project.reservations)
	}
	return slices.Clone(t.sess().reservations)
}

func (t *memoryTx) PutReservation(r state.Reservation) error {
	for _, m := range []*memoryScope{t.d.project, t.sess().memoryScope} {
		old := m.reservations
		if err := t.write(func() { m.reservations = old }); err != nil {
			return err
		}
		m.reservations = append(slices.Clone(old), r)
	}
	return nil
}

func (t *memoryTx) DropReservation(session, ticket string) error {
	other := &memoryTx{d: t.d, id: session, undo: t.undo}
	for _, m := range []*memoryScope{t.d.project, other.sess().memoryScope} {
		old := m.reservations
		if err := t.write(func() { m.reservations = old }); err != nil {
			return err
		}
		m.reservations = slices.DeleteFunc(slices.Clone(old), func(r state.Reservation) bool {
			return r.Session == session && r.Ticket == ticket
		})
	}
	return nil
}

func (t *memoryTx) PutDecision(d state.Decision) (string, error) {
	n := len(t.d.decisions)
	if err := t.write(func() { t.d.decisions = t.d.decisions[:n] }); err != nil {
		return "", err
	}
	d.ID = strconv.Itoa(n + 1)
	d.Session = t.id
	t.d.decisions = append(t.d.decisions, d)
	return d.ID, nil
}

func (t *memoryTx) Decision(id string) (state.Decision, bool) {
	for _, d := range t.d.decisions {
		if d.ID == id {
			return d, true
		}
	}
	return state.Decision{}, false
}

func (t *memoryTx) Decisions() iter.Seq2[string, state.Decision] {
	return func(yield func(string, state.Decision) bool) {
		for _, d := range slices.Backward(t.d.decisions) {
			if d.Session == t.id && !yield(d.ID, d) {
				return
			}
		}
	}
}

func (t *memoryTx) Exceptions() []state.Exception { return slices.Clone(t.d.exceptions) }

func (t *memoryTx) PutException(e state.Exception) (int, error) {
	old := t.d.exceptions
	if err := t.write(func() { t.d.exceptions = old }); err != nil {
		return 0, err
	}
	t.d.exceptions = slices.Clone(old)
	if e.Number == 0 {
		e.Number = len(old) + 1
		t.d.exceptions = append(t.d.exceptions, e)
		return e.Number, nil
	}
	if e.Number > len(old) {
		return 0, fmt.Errorf("guard: no exception %d", e.Number)
	}
	t.d.exceptions[e.Number-1] = e
	return e.Number, nil
}

func (t *memoryTx) SetPart(set state.Digest, part string) ([]byte, bool) {
	b, ok := t.d.sets[set].parts[part]
	return b, ok
}

func (t *memoryTx) PutSet(set state.Digest, parts map[string][]byte, refs []state.RuleRef) error {
	return put(t, t.d.sets, set, memorySet{parts, refs})
}

func (t *memoryTx) HasSet(set state.Digest) bool {
	_, ok := t.d.sets[set]
	return ok
}

func (t *memoryTx) LastGood(key string) [][]byte {
	if v, ok := t.d.lastGood[key]; ok {
		return [][]byte{v}
	}
	return nil
}

func (t *memoryTx) PutLastGood(key string, val []byte) error { return put(t, t.d.lastGood, key, val) }
func (t *memoryTx) Meta(key string) string                   { return t.d.meta[key] }
func (t *memoryTx) PutMeta(key, val string) error            { return put(t, t.d.meta, key, val) }

func (t *memoryTx) Value(s state.Scope, key string) ([]byte, bool) {
	v, ok := t.scope(s).values[key]
	return v, ok
}

func (t *memoryTx) PutValue(s state.Scope, key string, val []byte) error {
	if val == nil {
		return drop(t, t.scope(s).values, key)
	}
	return put(t, t.scope(s).values, key, val)
}

// drop removes a key of a map and notes how to take that back.
func drop[K comparable, V any](t *memoryTx, m map[K]V, k K) error {
	old, had := m[k]
	if !had {
		return nil
	}
	err := t.write(func() { m[k] = old })
	if err == nil {
		delete(m, k)
	}
	return err
}

// put sets a key of a map and notes how to take that back.
func put[K comparable, V any](t *memoryTx, m map[K]V, k K, v V) error {
	old, had := m[k]
	err := t.write(func() {
		if had {
			m[k] = old
		} else {
			delete(m, k)
		}
	})
	if err == nil {
		m[k] = v
	}
	return err
}
