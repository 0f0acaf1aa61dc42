package hooks

import (
	"fmt"
	"maps"
	"slices"
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
	time   time.Time
}

// A mFlight is a line that was let through and whose end is not known.
type mFlight struct {
	id, key, session, agent, batch string // id "": the harness names none
	calls                          []string
	time                           time.Time
}

type mPointer struct {
	key, id, batch string
	rules, notes   []string
}

// mScope is what one memory holds.
type mScope struct {
	calls    []mCall
	first    int            // earlier ones are pruned
	begun    map[string]int // the first call that a rule saw, by what it says
	retries  map[string]int
	runs     map[string]int
	pointer  *mPointer
	finishes int
}

func newScope() *mScope {
	return &mScope{begun: map[string]int{}, retries: map[string]int{}, runs: map[string]int{}}
}

// seen are the calls that a rule knows: one that is new after a prune begins
// with what was kept.
func (sc *mScope) seen(r mRule) []mCall {
	if from, ok := sc.begun[r.what()]; ok {
		return sc.calls[from:]
	}
	return sc.calls[sc.first:]
}

type mSession struct {
	*mScope
	latch   string
	batches map[string]int // of the main agent ("") and of others
	pending map[string]*mQuestion
	resumes int
	ended   bool     // the turn is over, and nobody will tell us of a prompt
	owed    []string // notes that wait for a post event
}

type mQuestion struct {
	rule     string
	answered bool
}

// A mException lets one line break some rules.
type mException struct {
	key, scope, session string
	rules               []string
	until               time.Time
	used                bool
}

// A model is a project with its sessions.
type model struct {
	project    *mScope
	sessions   map[string]*mSession
	flights    []mFlight
	exceptions []*mException
	paused     time.Time // till then
	now        time.Time
}

func newModel() *model {
	return &model{project: newScope(), sessions: map[string]*mSession{}}
}

func (m *model) session(id string) *mSession {
	s := m.sessions[id]
	if s == nil {
		s = &mSession{mScope: newScope(), batches: map[string]int{}, pending: map[string]*mQuestion{}}
		m.sessions[id] = s
	}
	return s
}

// mSettings are those of the project's rule file.
type mSettings struct {
	retries  int
	counting string
}

// mSet is what a harness judges by, and what it can do.
type mSet struct {
	mSettings
	rules                 []mRule
	ask, prompts, context bool
}

// mProposal is a line that an agent wants to run.
type mProposal struct {
	session, agent, id, batch string
	line                      []string
}

func (p *mProposal) key() string { return strings.Join(p.line, "; ") }

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

// breaks is a rule's answer about a call, from scratch: after those that ran,
// those in flight and the earlier ones of its line.
func (r mRule) breaks(trace, flight, line []mCall, call mCall) bool {
	all, ran := slices.Concat(trace, flight, line), slices.Concat(trace, line)
	is := func(tool string) func(mCall) bool { return func(c mCall) bool { return c.tool == tool } }
	switch r.kind {
	case "never":
		return call.tool == r.a
	case "at_most":
		return call.tool == r.a && len(slices.DeleteFunc(all, func(c mCall) bool { return c.tool != r.a })) >= r.n
	case "never_after":
		return call.tool == r.b && slices.ContainsFunc(all, is(r.a))
	case "rate_limit":
		var times []time.Time
		var now time.Time // a clock that went back stands; a call in flight may yet end
		for _, c := range append(all, call) {
			if c.tool == r.a {
				now = latest(now, c.time)
				times = append(times, now)
			}
		}
		n := len(times) - 1 - r.times()
		return call.tool == r.a && n >= 0 && !now.After(times[n].Add(mPer))
	case "before":
		if call.tool != r.b {
			return false
		}
		if r.since != "" && slices.ContainsFunc(flight, is(r.since)) {
			return true
		}
		for _, c := range slices.Backward(ran) {
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

// mPer is the window of every rate_limit.
const mPer = 20 * time.Second

func (r mRule) times() int { return r.n + 1 }

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// limits says whether a call counts against later ones while it runs.
func (r mRule) limits(call string) bool {
	switch r.kind {
	case "at_most", "never_after", "rate_limit":
		return call == r.a
	case "before":
		return r.since != "" && call == r.since
	}
	return false
}

// unsure says whether a refusal that rests on a call in flight is a maybe.
func (r mRule) unsure() bool { return r.kind == "before" || r.kind == "never_after" }

// flight lists the calls in flight that a scope sees, but those of one id.
func (m *model) flight(session, id string, project bool) []mCall {
	var out []mCall
	for _, f := range m.flights {
		own := f.session == session && f.id == id && id != ""
		if (project || f.session == session) && !own && m.now.Sub(f.time) <= 10*time.Minute {
			for _, tool := range f.calls {
				out = append(out, mCall{tool, -1, f.time})
			}
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

// clock is the time of what happens now: it never goes back behind a recorded
// call.
func (m *model) clock() time.Time {
	if n := len(m.project.calls); n > 0 {
		return latest(m.now, m.project.calls[n-1].time)
	}
	return m.now
}

// faults judges every call of a line, the earlier ones as done.
func (m *model) faults(set mSet, p *mProposal) (own, shared []mFault) {
	for _, r := range set.rules {
		trace := m.scope(p.session, r.project).seen(r)
		flight := m.flight(p.session, p.id, r.project)
		var line []mCall
		for i, tool := range p.line {
			call := mCall{tool, -1, m.now}
			if r.breaks(trace, flight, line, call) {
				f := mFault{r, i, r.unsure() && !r.breaks(trace, nil, line, call)}
				if r.project {
					shared = append(shared, f)
				} else {
					own = append(own, f)
				}
			}
			line = append(line, call)
		}
	}
	return own, shared
}

// mAnswer is what should come out.
type mAnswer struct {
	action, rule string
	notes        []string
	kept         bool // the same call id gets it again
}

func (a mAnswer) String() string {
	return strings.TrimSpace(a.action + " " + a.rule + " " + strings.Join(a.notes, ","))
}

// A mInsisted is a call of a line, in one memory, whose warning is insisted past.
type mInsisted struct {
	sc   *mScope
	call int
}

// A mCheck is the work on one line.
type mCheck struct {
	*model
	set      mSet
	p        *mProposal
	s        *mSession
	answered bool // the user was asked about this line and has written since
	insisted map[mInsisted]bool
	used     []*mException
	a        mAnswer
}

// propose decides a line and changes the model accordingly.
func (m *model) propose(set mSet, p *mProposal) mAnswer {
	s := m.session(p.session)
	if s.ended {
		m.writes(p.session)
	}
	if s.latch != "" {
		return mAnswer{action: "deny", rule: s.latch}
	}
	question := s.pending[p.key()]
	c := &mCheck{model: m, set: set, p: p, s: s, answered: !set.ask && question != nil && question.answered, insisted: map[mInsisted]bool{}}
	own, shared := m.faults(set, p)
	mine, theirs := c.count(own, s.mScope), c.count(shared, m.project)
	best, project := strongestOf(mine), false
	if o := strongestOf(theirs); o != nil && (best == nil || o.rank() > best.rank()) {
		best, project = o, true
	}
	c.notes(best, mine, s.mScope)
	c.notes(best, theirs, m.project)
	slices.Sort(c.a.notes)
	if best == nil {
		c.a.action = "allow"
		c.allow()
	} else {
		c.a.rule, c.a.kept = best.rule.id, true
		c.refuse(best, project, own, shared)
	}
	if c.a.action == "allow" || c.a.action == "ask" { // an exception that let nothing through stays
		for _, e := range c.used {
			e.used = true
		}
	}
	return c.a
}

// count leaves out what has no say: exceptions, a pause, warn repeats, questions
// that were answered.
func (c *mCheck) count(list []mFault, sc *mScope) []mFault {
	slices.SortStableFunc(list, func(x, y mFault) int { return x.call - y.call })
	return slices.DeleteFunc(slices.Clone(list), func(f mFault) bool {
		p := sc.pointer
		switch {
		case c.excepted(f.rule.id), !c.now.After(c.paused):
			return true
		case f.rule.mode == "warn" && p != nil && p.key == c.p.key() && (c.p.id == "" || p.id != c.p.id) &&
			(c.p.batch == "" || p.batch != c.p.batch) && slices.Contains(p.rules, f.rule.id):
			c.insisted[mInsisted{sc, f.call}] = true
			return true
		case f.rule.mode == "ask" && c.answered:
			return true
		case f.rule.mode == "retry" && c.answered && c.s.pending[c.p.key()].rule == f.rule.id:
			return true
		}
		return false
	})
}

func (c *mCheck) excepted(rule string) bool {
	for _, e := range c.exceptions {
		over := c.now.After(e.until) || e.scope == "once" && e.used || e.scope == "session" && e.session != c.p.session
		if e.key == c.p.key() && slices.Contains(e.rules, rule) && !over {
			c.used = append(c.used, e)
			return true
		}
	}
	return false
}

// notes are what rules of mode log say, but for those told with the warning of
// the same call that is insisted past.
func (c *mCheck) notes(best *mFault, list []mFault, sc *mScope) {
	for _, f := range list {
		told := c.insisted[mInsisted{sc, f.call}] && slices.Contains(sc.pointer.notes, f.rule.id)
		if f.rule.mode == "log" && (best == nil || f.call <= best.call) && !told && !slices.Contains(c.a.notes, f.rule.id) {
			c.a.notes = append(c.a.notes, f.rule.id)
		}
	}
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

func (c *mCheck) allow() {
	for _, sc := range []*mScope{c.s.mScope, c.project} {
		sc.pointer, sc.runs = nil, map[string]int{}
	}
	if c.answered {
		delete(c.s.pending, c.p.key())
	}
	if !c.set.context {
		c.s.owed = append(c.s.owed, c.a.notes...)
	}
	for _, r := range c.set.rules {
		if slices.ContainsFunc(c.p.line, r.limits) {
			c.a.kept = true
			held := func(f mFlight) bool { return f.session == c.p.session && f.id == c.p.id && f.id != "" }
			if !slices.ContainsFunc(c.flights, held) {
				c.flights = append(c.flights, mFlight{c.p.id, c.p.key(), c.p.session, c.p.agent, c.p.batch, c.p.line, c.now})
			}
			return
		}
	}
}

func (c *mCheck) refuse(best *mFault, project bool, own, shared []mFault) {
	switch best.rule.mode {
	case "stop":
		if c.a.action = "deny"; !best.maybe {
			c.a.action, c.s.latch, c.a.notes = "stop", best.rule.id, nil
		}
	case "block":
		c.a.action = "deny"
	case "warn":
		c.a.action = "deny"
		c.warn(own, c.s.mScope)
		c.warn(shared, c.project)
	case "retry":
		c.retry(best.rule.id, c.scope(c.p.session, project))
	case "ask":
		c.a.action = "ask"
	}
	if c.a.action == "ask" && !c.set.ask {
		c.a.action = "deny"
		c.s.pending[c.p.key()] = &mQuestion{rule: best.rule.id}
	}
}

func (c *mCheck) warn(list []mFault, sc *mScope) {
	var ids []string
	for _, f := range list {
		if f.rule.mode == "warn" {
			ids = append(ids, f.rule.id)
		}
	}
	sc.pointer = nil
	if len(ids) > 0 {
		sc.pointer = &mPointer{c.p.key(), c.p.id, c.p.batch, ids, c.a.notes}
	}
}

func (c *mCheck) retry(rule string, sc *mScope) {
	sc.retries[rule]++
	sc.runs[rule]++
	total, run := sc.retries[rule], sc.runs[rule]
	c.a.action = "deny"
	up := map[string]bool{"cumulative": total >= c.set.retries, "consecutive": run >= c.set.retries}
	if up[c.set.counting] || c.set.counting == "hybrid" && (up["cumulative"] || up["consecutive"]) {
		c.a.action = "ask"
		delete(sc.retries, rule)
		delete(sc.runs, rule)
	}
}

// ran records a line. Without an id the oldest of equal lines ends.
func (m *model) ran(set mSet, p *mProposal, status int) {
	m.ended(p)
	s, at := m.session(p.session), m.clock()
	for _, r := range set.rules {
		if sc := m.scope(p.session, r.project); len(p.line) > 0 {
			if _, ok := sc.begun[r.what()]; !ok {
				sc.begun[r.what()] = sc.first
			}
		}
	}
	for i, tool := range p.line {
		c := mCall{tool, -1, at}
		if i == len(p.line)-1 {
			c.status = status
		}
		s.calls = append(s.calls, c)
		m.project.calls = append(m.project.calls, c)
	}
}

// ended drops the line from those in flight.
func (m *model) ended(p *mProposal) {
	i := slices.IndexFunc(m.flights, func(f mFlight) bool {
		return f.session == p.session && f.id == p.id && (p.id != "" || f.key == p.key())
	})
	if i >= 0 {
		m.flights = slices.Delete(m.flights, i, i+1)
	}
}

// drop ends what an agent was let in a session and did not run; batch "" is all
// of it.
func (m *model) drop(session, agent, batch string) {
	m.flights = slices.DeleteFunc(m.flights, func(f mFlight) bool {
		return f.session == session && f.agent == agent && (batch == "" || f.batch == batch)
	})
}

// writes is a message of the user.
func (m *model) writes(session string) {
	s := m.session(session)
	s.latch, s.finishes, m.project.finishes, s.ended = "", 0, 0, false
	s.resumes++
	m.answer(session)
	m.drop(session, "", "")
}

// answer is a person's answer to a question of the agent.
func (m *model) answer(session string) {
	for _, q := range m.session(session).pending {
		q.answered = true
	}
}

// finish is a turn's end: the rules that send the agent back.
func (m *model) finish(set mSet, session string) []string {
	m.drop(session, "", "")
	var ids []string
	for _, project := range []bool{false, true} {
		sc := m.scope(session, project)
		unmet := slices.DeleteFunc(slices.Clone(set.rules), func(r mRule) bool {
			return r.kind != "finally" || r.project != project || !r.owed(sc.seen(r)) || !m.now.After(m.paused)
		})
		slices.SortStableFunc(unmet, func(a, b mRule) int { return strength(b.mode) - strength(a.mode) })
		if len(unmet) > 0 && sc.finishes < 2 {
			sc.finishes++
			for _, r := range unmet {
				ids = append(ids, r.id)
			}
		}
	}
	m.session(session).ended = !set.prompts && len(ids) == 0
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

// fork gives a session the calls of another, and what rules made of them.
func (m *model) fork(parent, child string) {
	from, to := m.session(parent), m.session(child)
	to.calls, to.first = slices.Clone(from.calls), from.first
	maps.Copy(to.begun, from.begun)
}

// what is the rule as a file says it, but for its name and mode.
func (r mRule) what() string {
	scope := ""
	if r.project {
		scope = "scope: project, "
	}
	switch r.kind {
	case "at_most":
		return fmt.Sprintf("%sat_most: {call: %s, times: %d}", scope, r.a, r.n)
	case "rate_limit":
		return fmt.Sprintf("%srate_limit: {call: %s, times: %d, per: %s}", scope, r.a, r.times(), mPer)
	case "never_after":
		return fmt.Sprintf("%snever_after: {call: %s, after: %s}", scope, r.b, r.a)
	case "before":
		first, since := r.a, ""
		if r.ok {
			first = "{tool: " + r.a + ", succeeded: true}"
		}
		if r.since != "" {
			since = ", since: " + r.since
		}
		return fmt.Sprintf("%sbefore: {first: %s, then: %s%s}", scope, first, r.b, since)
	case "finally":
		if r.since != "" {
			return fmt.Sprintf("%sfinally: {call: %s, since: %s}", scope, r.a, r.since)
		}
	}
	return scope + r.kind + ": " + r.a
}
