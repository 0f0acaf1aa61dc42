package hooks

import (
	"encoding/json"
	"strings"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
)

// pre judges a proposed call: first on a read-only look, then, only if something
// must be kept, once more under the exclusive lock.
func (r *run) pre() (Answer, error) {
	w := r.looked
	if w == nil {
		w = r.work()
		w.err = r.view(w.look)
	}
	if w.err != nil {
		return Answer{}, w.err
	}
	if w.known || !w.keep {
		w.watch()
		return w.answer, nil
	}
	looked := w.answer
	if err := r.update(w.keepIt); err != nil {
		if !w.must {
			return looked, nil // only the compiled set and the like could not be saved
		}
		return unsaved(looked, err)
	}
	w.watch()
	return w.answer, nil
}

// watch shows the decision to whoever looks on.
func (w *work) watch() {
	if w.run.p.Watch != nil && !w.known {
		w.run.p.Watch(w.d)
	}
}

// work is one proposed call on its way to an answer.
type work struct {
	*run
	j      *guard.Judge
	p      reading
	d      guard.Decision
	answer Answer
	err    error // of looking
	known  bool  // the same call id was answered already
	reused bool  // the id was another call's before
	keep   bool  // something is to be written
	must   bool  // without it the decision would not hold
}

// work reads the event's calls.
func (r *run) work() *work { return &work{run: r, p: r.read(r.request()), j: r.judge()} }

func (w *work) look(tx state.Tx) error {
	if w.again(tx) {
		return nil
	}
	w.mem = tx.Memory(state.Session)
	w.p.Batch = w.batch()
	if w.turned = w.mem.TurnEnded && !w.mem.SentBack && !w.p2().Prompts; w.turned {
		w.keep, w.must = true, true // the turn before ended: what it left is lifted first
		return nil
	}
	w.closeGates(w.j, w.p.Calls)
	if err := w.prepare(); err != nil {
		return err
	}
	d, err := w.j.Look(tx, w.p.Proposal)
	if err != nil {
		return err
	}
	w.d = d
	w.answer = w.say(d)
	w.must = d.Keep || w.e.NoPost && w.answer.Action == guard.Allow
	w.must = w.must || w.reused
	w.keep = w.must || w.loaded != nil && len(w.loaded.Broken) == 0 || w.newNested() || w.unsent() ||
		w.e.AgentOf != "" && tx.Parent(w.e.Session) != w.e.AgentOf
	return nil
}

func (w *work) p2() *Profile { return &w.run.p.Profile }

// keepIt judges under the lock and saves.
func (w *work) keepIt(tx state.Tx) error {
	if w.again(tx) {
		return nil
	}
	if err := w.keepSet(tx); err != nil {
		return err
	}
	if w.reused { // what its last call left in flight is over
		if err := w.j.Drop(tx, &w.p.Proposal); err != nil {
			return err
		}
	}
	w.mem = tx.Memory(state.Session)
	if w.turned && w.mem.TurnEnded && !w.mem.SentBack {
		if err := w.newTurn(tx); err != nil {
			return err
		}
	}
	w.closeGates(w.j, w.p.Calls)
	if err := w.prepare(); err != nil {
		return err
	}
	d, err := w.j.Check(tx, w.p.Proposal)
	if err != nil {
		return err
	}
	w.d = d
	w.answer = w.say(d)
	if err := w.keepAnswer(tx); err != nil {
		return err
	}
	w.note = &w.answer.Notice
	return w.keepMemory(tx, w.noted)
}

// noted is what the session remembers of this answer: nested files that were
// announced, and text that has to wait for an event that can carry it.
func (w *work) noted(m *state.Memory) {
	if text, notice := w.nested(m); text != "" {
		w.answer.Context = join(w.answer.Context, text)
		w.answer.Notice = join(w.answer.Notice, notice)
	}
	if w.unsent() {
		m.OwedText = append(m.OwedText, w.answer.Context)
	}
}

// unsent says whether there is text for the agent that this answer cannot carry.
func (w *work) unsent() bool {
	return w.answer.Context != "" && w.answer.Action == guard.Allow && !w.p2().PreContext
}

// again gives the answer of a call id that was decided already, unless the user
// wrote or the session was resumed in between (rules.md 8.11). Some model servers
// count their ids from zero in every message: another call under the id is a new
// one. The same call is not, and is recorded once.
func (w *work) again(tx state.Tx) bool {
	if w.e.ID == "" {
		return false
	}
	c, ok := tx.CallID(w.e.ID)
	if !ok {
		return false
	}
	w.reused = c.Key != "" && c.Key != w.p.Key
	if w.reused || len(c.Answer) == 0 || c.Resumes != tx.Memory(state.Session).Resumes {
		return false
	}
	var a Answer
	if json.Unmarshal(c.Answer, &a) != nil {
		return false
	}
	w.answer, w.known = a, true
	return true
}

// keepAnswer remembers what a call id was answered.
func (w *work) keepAnswer(tx state.Tx) error {
	if w.e.NoPost && w.answer.Action == guard.Allow {
		return w.ranUnseen(tx)
	}
	if w.e.ID == "" || !w.d.Keep && !w.reused {
		return nil
	}
	b, err := json.Marshal(w.answer)
	if err != nil {
		return err
	}
	c := state.CallID{State: "refused", Answer: b, Resumes: tx.Memory(state.Session).Resumes, Key: w.p.Key}
	if w.answer.Action == guard.Allow {
		c.State = "allowed"
		if w.d.Reserve {
			c.State = "reserved"
		}
	}
	return tx.PutCallID(w.e.ID, c)
}

// prepare fills in what the calls' own files say where a rule asks for it. Such a
// call, and a line whose reading depended on the disk or that changes the working
// directory, is recorded as it was read now.
func (w *work) prepare() error {
	w.p.Hold = w.p.looked || w.p.moves
	list, err := w.j.Book.Reacting(w.p.Calls)
	if err != nil {
		return err
	}
	for _, r := range list {
		if r.Exists {
			for i := range w.p.Calls {
				w.p.Calls[i].Exists = rules.ExistsNow(&w.p.Calls[i], w.ctx)
			}
			w.p.Hold = true
			break
		}
	}
	if w.e.NoPost {
		w.p.Hold = false
	}
	return nil
}

// say words a decision for the harness.
func (w *work) say(d guard.Decision) Answer {
	if w.run.p.dry {
		d.ID = "" // nobody could explain it later
	}
	m := d.Words(guard.Wording{
		NoAsk: !w.p2().Ask, Alone: w.alone, Problems: w.problems(), Rules: w.commandRules(&d),
	})
	a := Answer{
		Action: d.Action, ID: d.ID, Rule: d.Rule(), Reason: m.Reason, Notice: m.Notice, Context: m.Context,
		Calls: toolNames(d.Chain), Latched: d.Latched,
	}
	if len(d.Broken) > 0 {
		a.Mode = d.Broken[0].Rule.Mode.String()
	}
	if d.Latched || a.Action == guard.Ask && (w.alone || !w.p2().Ask) {
		a.Action = guard.Deny
	}
	return w.unloaded(a)
}

// commandRules lists the rules that a line which was not read may have broken:
// those that speak of more than the harness's own tools.
func (w *work) commandRules(d *guard.Decision) []string {
	if !d.ByUnread {
		return nil
	}
	var ids []string
	for _, l := range w.listed() {
		if guard.Commands(&l) {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// unloaded asks about every call while a rule file is broken of which no rules
// ever loaded here. A call that only reads, or edits that very file, goes ahead
// with a note (rules.md 17).
func (w *work) unloaded(a Answer) Answer {
	var files []rules.Broken
	for _, b := range w.broken() {
		if !b.LastGood && b.Layer != rules.Nested {
			files = append(files, b)
		}
	}
	if len(files) == 0 || a.Action > guard.Ask {
		return a
	}
	text := "The rules of a file with problems could not be checked, and none of it ever loaded here:\n  " + strings.Join(problemLines(files), "\n  ")
	if w.harmless(files) {
		if a.Action == guard.Ask && a.Rule == guard.ProtectGuard {
			a = Answer{Calls: a.Calls}
		}
		if a.Action == guard.Allow {
			a.Context = join(a.Context, text)
			return a
		}
	}
	if a.Action == guard.Allow {
		a.Rule, a.Mode = "", ""
		a.Notice = join(a.Notice, "agentltl: "+problemLines(files)[0])
		a.Reason = text + "\nMend the file, or ask the user."
	} else {
		a.Reason = join(a.Reason, text)
	}
	a.Action = w.ask()
	return a
}

// ask is a question, or a refusal where nobody can answer one.
func (r *run) ask() guard.Action {
	if r.alone || !r.p.Profile.Ask || r.set != nil && r.set.Settings().OnError == "deny" {
		return guard.Deny
	}
	return guard.Ask
}

// harmless says whether the calls only read, look at the guard, or edit one of
// the broken files.
func (w *work) harmless(files []rules.Broken) bool {
	if len(w.p.Unresolved) > 0 {
		return false
	}
	for i := range w.p.Calls {
		c := &w.p.Calls[i]
		switch c.Tool {
		case "Read", "Grep", "Glob", "LS":
			continue
		case "Write", "Edit":
			if path, _ := c.Args["file_path"].(string); isBrokenFile(files, path) {
				continue
			}
		}
		if c.CLI != nil && readsGuard(c.CLI.Source) && len(c.CLI.Redirects) == 0 {
			continue
		}
		return false
	}
	return true
}

func isBrokenFile(files []rules.Broken, path string) bool {
	for _, b := range files {
		for _, p := range b.Problems {
			if p.Pos.File == path {
				return true
			}
		}
	}
	return false
}

// readsGuard says whether a command is one of ours that changes nothing.
func readsGuard(line string) bool {
	f := strings.Fields(line)
	if len(f) < 2 || f[0] != "agentltl-hook" && !strings.HasSuffix(f[0], "/agentltl-hook") {
		return false
	}
	switch f[1] {
	case "validate", "lint", "explain", "doctor":
		return true
	}
	return false
}

// unsaved is the answer when the decision is known and could not be kept: a
// refusal stands, anything else is asked about (rules.md 17).
func unsaved(a Answer, err error) (Answer, error) {
	if a.Action == guard.Deny || a.Action == guard.Stop {
		return a, nil
	}
	return Answer{}, err
}

// broken lists the layers in force that have problems.
func (r *run) broken() []rules.Broken {
	if r.loaded == nil {
		return nil
	}
	return r.loaded.Broken
}

// problems are the lines of broken files whose last good rules are in force.
func (r *run) problems() []string {
	var files []rules.Broken
	for _, b := range r.broken() {
		if b.LastGood {
			files = append(files, b)
		}
	}
	return problemLines(files)
}

// maxProblems is how many problems one answer lists.
const maxProblems = 5

func problemLines(files []rules.Broken) []string {
	var out []string
	n := 0
	for _, b := range files {
		for _, p := range b.Problems {
			if n++; n <= maxProblems {
				out = append(out, guard.Clean(p.Error()))
			}
		}
	}
	if n > maxProblems {
		out = append(out, "and more: agentltl-hook validate")
	}
	return out
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
