package hooks

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// The model of the state machine test: rules and modes by a direct reading of the
// rules document over plain lists of calls. It shares no code with guard.

type mRule struct {
	id, kind, mode string
	project        bool
	a, b, since    string
	n              int
	ok             bool // before: the first one must have succeeded
}

var mStrength = []string{"log", "warn", "retry", "ask", "block", "stop"}

func strength(mode string) int { return slices.Index(mStrength, mode) }

type mCall struct {
	tool   string
	status int // -1: not known
}

type mFlight struct {
	id, session, batch string
	calls              []string
	time               time.Time
}

type mPointer struct {
	key, id, batch string
	rules, notes   []string
}

// mScope is what one memory holds beside its calls.
type mScope struct {
	calls    []mCall
	retries  map[string]int
	runs     map[string]int
	pointer  *mPointer
	finishes int
}

func newScope() *mScope { return &mScope{retries: map[string]int{}, runs: map[string]int{}} }

type mSession struct {
	*mScope
	latch   string
	batch   int
	pending map[string]*mQuestion
}

type mQuestion struct {
	rule     string
	answered bool
}

// A model is a project with its sessions.
type model struct {
	project  *mScope
	sessions map[string]*mSession
	flights  []mFlight
	now      time.Time
}

func newModel() *model {
	return &model{project: newScope(), sessions: map[string]*mSession{}}
}

func (m *model) session(id string) *mSession {
	s := m.sessions[id]
	if s == nil {
		s = &mSession{mScope: newScope(), pending: map[string]*mQuestion{}}
		m.sessions[id] = s
	}
	return s
}

// mSet is what a harness judges by.
type mSet struct {
	rules       []mRule
	retries     int
	consecutive bool
	ask         bool // the harness can ask
	batches     bool
}

// mFault is a rule broken by a call of a line.
type mFault struct {
	rule  mRule
	call  int
	maybe bool // only because of a call in flight that may yet matter
}

// rank orders faults by mode; of two that stop the certain one is stronger.
func (f *mFault) rank() int {
	r := 2 * strength(f.rule.mode)
	if f.rule.mode == "stop" && !f.maybe {
		r++
	}
	return r
}

// breaks is a rule's answer about a call, from scratch.
func (r mRule) breaks(trace []mCall, flight []string, call string) bool {
	switch r.kind {
	case "never":
		return call == r.a
	case "at_most":
		n := 0
		for _, c := range trace {
			if c.tool == r.a {
				n++
			}
		}
		for _, f := range flight {
			if f == r.a {
				n++
			}
		}
		return call == r.a && n >= r.n
	case "before":
		if call != r.b {
			return false
		}
		if r.since != "" && slices.Contains(flight, r.since) {
			return true
		}
		for _, c := range slices.Backward(trace) {
			if r.since != "" && c.tool == r.since {
				return true
			}
			if c.tool == r.a && (!r.ok || c.status == 0) {
				return false
			}
		}
		return true
	}
	return false
}

// limits says whether a call counts against later ones while it runs.
func (r mRule) limits(call string) bool {
	return r.kind == "at_most" && call == r.a || r.kind == "before" && r.since != "" && call == r.since
}

// flight lists the calls in flight that a scope sees, but those of one id.
func (m *model) flight(session, id string, project bool) []string {
	var out []string
	for _, f := range m.flights {
		if (project || f.session == session) && (f.session != session || f.id != id) && m.now.Sub(f.time) <= 10*time.Minute {
			out = append(out, f.calls...)
		}
	}
	return out
}

func (m *model) scope(session string, project bool) *mScope {
	if project {
		return m.project
	}
	return m.session(session).mScope
}

// faults judges every call of a line, the earlier ones as done.
func (m *model) faults(set mSet, session, id string, line []string) (own, shared []mFault) {
	for _, r := range set.rules {
		trace := slices.Clone(m.scope(session, r.project).calls)
		flight := m.flight(session, id, r.project)
		for i, call := range line {
			if r.breaks(trace, flight, call) {
				f := mFault{r, i, r.kind == "before" && !r.breaks(trace, nil, call)}
				if r.project {
					shared = append(shared, f)
				} else {
					own = append(own, f)
				}
			}
			trace = append(trace, mCall{call, -1})
		}
	}
	return own, shared
}

// mAnswer is what should come out.
type mAnswer struct {
	action, rule string
	notes        []string
}

func (a mAnswer) String() string {
	return strings.TrimSpace(a.action + " " + a.rule + " " + strings.Join(a.notes, ","))
}

// propose decides a line and changes the model accordingly.
func (m *model) propose(set mSet, session, id string, line []string) mAnswer {
	s := m.session(session)
	if s.latch != "" {
		return mAnswer{action: "deny", rule: s.latch}
	}
	key := strings.Join(line, "; ")
	batch := ""
	if set.batches {
		batch = session + strconv.Itoa(s.batch)
	}
	own, shared := m.faults(set, session, id, line)
	question := s.pending[key]
	answered := !set.ask && question != nil && question.answered
	type passed struct {
		sc   *mScope
		call int
	}
	insisted := map[passed]bool{}
	keep := func(list []mFault, sc *mScope) []mFault {
		slices.SortStableFunc(list, func(x, y mFault) int { return x.call - y.call })
		return slices.DeleteFunc(slices.Clone(list), func(f mFault) bool {
			p := sc.pointer
			switch {
			case f.rule.mode == "warn" && p != nil && p.key == key && p.id != id && (batch == "" || p.batch != batch) && slices.Contains(p.rules, f.rule.id):
				insisted[passed{sc, f.call}] = true
				return true
			case f.rule.mode == "ask" && answered:
				return true
			case f.rule.mode == "retry" && answered && question.rule == f.rule.id:
				return true
			}
			return false
		})
	}
	mine, theirs := keep(own, s.mScope), keep(shared, m.project)
	best, project := strongestOf(mine), false
	if o := strongestOf(theirs); o != nil && (best == nil || o.rank() > best.rank()) {
		best, project = o, true
	}
	var a mAnswer
	for i, list := range [][]mFault{mine, theirs} {
		sc := []*mScope{s.mScope, m.project}[i]
		for _, f := range list {
			told := insisted[passed{sc, f.call}] && slices.Contains(sc.pointer.notes, f.rule.id)
			if f.rule.mode == "log" && (best == nil || f.call <= best.call) && !told && !slices.Contains(a.notes, f.rule.id) {
				a.notes = append(a.notes, f.rule.id)
			}
		}
	}
	slices.Sort(a.notes)
	if best == nil {
		m.allow(set, s, session, id, batch, key, line, answered)
		a.action = "allow"
		return a
	}
	a.rule = best.rule.id
	m.refuse(set, s, best, project, own, shared, key, id, batch, &a)
	return a
}

// strongestOf is the deciding fault of one scope: of the first refused call the
// strongest mode, the first rule.
func strongestOf(list []mFault) *mFault {
	var best *mFault
	for i := range list {
		f := &list[i]
		if f.rule.mode == "log" {
			continue
		}
		if best == nil || f.call < best.call || f.call == best.call && f.rank() > best.rank() {
			best = f
		}
	}
	return best
}

func (m *model) allow(set mSet, s *mSession, session, id, batch, key string, line []string, answered bool) {
	for _, sc := range []*mScope{s.mScope, m.project} {
		sc.pointer, sc.runs = nil, map[string]int{}
	}
	if answered {
		delete(s.pending, key)
	}
	for _, r := range set.rules {
		if slices.ContainsFunc(line, r.limits) {
			m.flights = append(m.flights, mFlight{id, session, batch, line, m.now})
			return
		}
	}
}

func (m *model) refuse(set mSet, s *mSession, best *mFault, project bool, own, shared []mFault, key, id, batch string, a *mAnswer) {
	switch best.rule.mode {
	case "stop":
		if a.action = "deny"; !best.maybe {
			a.action, s.latch, a.notes = "stop", best.rule.id, nil
		}
	case "block":
		a.action = "deny"
	case "warn":
		a.action = "deny"
		for _, x := range []struct {
			list []mFault
			sc   *mScope
		}{{own, s.mScope}, {shared, m.project}} {
			var ids []string
			for _, f := range x.list {
				if f.rule.mode == "warn" {
					ids = append(ids, f.rule.id)
				}
			}
			x.sc.pointer = nil
			if len(ids) > 0 {
				x.sc.pointer = &mPointer{key, id, batch, ids, a.notes}
			}
		}
	case "retry":
		sc := s.mScope
		if project {
			sc = m.project
		}
		sc.retries[best.rule.id]++
		sc.runs[best.rule.id]++
		n := sc.retries[best.rule.id]
		if set.consecutive {
			n = sc.runs[best.rule.id]
		}
		a.action = "deny"
		if n >= set.retries {
			a.action = "ask"
			delete(sc.retries, best.rule.id)
			delete(sc.runs, best.rule.id)
		}
	case "ask":
		a.action = "ask"
	}
	if a.action == "ask" && !set.ask {
		a.action = "deny"
		s.pending[key] = &mQuestion{rule: best.rule.id}
	}
}

// ran records a line.
func (m *model) ran(session, id string, line []string, status int) {
	m.flights = slices.DeleteFunc(m.flights, func(f mFlight) bool { return f.session == session && f.id == id })
	for i, tool := range line {
		c := mCall{tool, -1}
		if i == len(line)-1 {
			c.status = status
		}
		m.session(session).calls = append(m.session(session).calls, c)
		m.project.calls = append(m.project.calls, c)
	}
}

// drop ends what was let through in a session and did not run; batch "" is all of
// it.
func (m *model) drop(session, batch string) {
	m.flights = slices.DeleteFunc(m.flights, func(f mFlight) bool { return f.session == session && (batch == "" || f.batch == batch) })
}

// writes is a message of the user.
func (m *model) writes(session string) {
	s := m.session(session)
	s.latch, s.finishes, m.project.finishes = "", 0, 0
	for _, q := range s.pending {
		q.answered = true
	}
	m.drop(session, "")
}

// finish is a turn's end: the rules that send the agent back.
func (m *model) finish(set mSet, session string) []string {
	m.drop(session, "")
	var ids []string
	for _, project := range []bool{false, true} {
		sc := m.scope(session, project)
		unmet := slices.DeleteFunc(slices.Clone(set.rules), func(r mRule) bool {
			return r.kind != "finally" || r.project != project || !r.owed(sc.calls)
		})
		slices.SortStableFunc(unmet, func(a, b mRule) int { return strength(b.mode) - strength(a.mode) })
		if len(unmet) > 0 && sc.finishes < 2 {
			sc.finishes++
			for _, r := range unmet {
				ids = append(ids, r.id)
			}
		}
	}
	return ids
}

func (r mRule) owed(trace []mCall) bool {
	for _, c := range slices.Backward(trace) {
		switch c.tool {
		case r.a:
			return false
		case r.since:
			return true
		}
	}
	return r.since == ""
}
