package hooks

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// A run is the work on one event.
type run struct {
	p       *Pipeline
	e       Event
	now     time.Time
	folder  string // where the session runs
	root    string // project root
	session string // root session
	store   state.Store
	tx      state.Tx // the open transaction
	mem     state.Memory
	found   rules.Found
	key     state.Digest
	ctx     *rules.Context
	set     *rules.Compiled // rules in force; nil: no rule file in any layer
	loaded  *rules.Set      // just parsed, not from the store
	held    *state.Reservation
	looked  *work // a proposed call, judged in the transaction that found the rules; nil: not yet
	turned  bool  // the turn before ended and nobody tells us of prompts
	alone   bool  // nobody can answer a question
	auto    bool
	strict  bool
	note    *string // the answer's notice, for what is found out while it is kept
	kept    bool    // what was parsed is written
	shared  bool    // store is the one of all worktrees
	rooted  bool    // root is the one the session began with, whatever the disk says now
	gapped  bool    // the call ran without having been proposed
}

// begin finds out which rules are in force for the event. Without a rule file in
// any layer, and none that the session had, set stays nil: silence.
func (p *Pipeline) begin(e Event) (*run, error) {
	r := &run{p: p, e: e, now: p.clock()}
	if r.e.Session == "" {
		r.e.Session = "default"
	}
	r.session = cmp.Or(r.e.AgentOf, r.e.Session) // till the store says where its root is
	r.folder = e.Project
	if r.folder == "" {
		r.folder = e.Dir
	}
	if r.e.Dir == "" {
		r.e.Dir = r.folder
	}
	r.attendance()
	r.find(r.findOptions())
	if err := r.openStore(); err != nil {
		return r, err
	}
	if err := r.prompt(); err != nil {
		return r, err
	}
	if !r.applies() && !r.storeThere() && !r.moved() {
		return r, nil
	}
	if err := r.view(r.look); err != nil {
		return r, err
	}
	if r.mem.Start.IsZero() && r.moved() {
		r.looked = nil
		if err := r.view(r.look); err != nil {
			return r, err
		}
	}
	if r.set == nil && r.applies() {
		r.load()
	}
	if !r.rooted && r.share() {
		r.set, r.loaded, r.looked = nil, nil, nil
		if err := r.view(r.look); err != nil {
			return r, err
		}
		if r.set == nil && r.applies() {
			r.load()
		}
	}
	return r, nil
}

// attendance works out who is there (rules.md 9; an installed hook: trust.md 5).
func (r *run) attendance() {
	r.alone, r.auto = r.e.Unattended, r.e.Auto
	switch {
	case r.p.Auto == "1" && r.p.NoEnv:
		r.alone, r.strict = true, true
	case r.p.Auto == "1":
		r.alone, r.auto = true, true
	case r.p.Auto == "0" && !r.p.NoEnv:
		r.alone, r.auto = false, false
	}
}

func (r *run) findOptions() rules.FindOptions {
	o := rules.FindOptions{
		ManagedDir: r.p.managed(), ManagedTop: r.p.ManagedTop, ManagedOwner: r.p.ManagedOwner,
		SessionFolder: r.folder, CallDir: r.e.Dir, Only: r.p.Only,
	}
	if r.p.UserFile != "" {
		o.UserFiles = []string{r.p.UserFile}
	} else {
		for _, d := range r.p.UserDirs {
			o.UserFiles = append(o.UserFiles, filepath.Join(d, rules.FileName))
		}
	}
	return o
}

// applies says whether any rule is in force: a file in some layer, or, for
// commands, the built-ins alone.
func (r *run) applies() bool { return len(r.found.Files) > 0 || r.p.Bare }

func (r *run) find(o rules.FindOptions) {
	if r.p.Files != nil {
		r.found = rules.Found{Files: r.p.Files, Root: rules.GitRoot(r.folder)}
	} else {
		r.found = rules.Find(o)
		if len(r.p.Add) > 0 {
			more := rules.Find(rules.FindOptions{Only: r.p.Add})
			r.found.Files = append(r.found.Files, more.Files...)
		}
	}
	r.root = r.found.Root
	if r.root == "" {
		r.root = rules.GitRoot(r.folder)
	}
}

// view and update run fn on a transaction about the root session.
func (r *run) view(fn func(state.Tx) error) error {
	return r.store.View(func(tx state.Tx) error { return r.in(tx, fn) })
}

func (r *run) update(fn func(state.Tx) error) error {
	return r.store.Update(func(tx state.Tx) error { return r.in(tx, fn) })
}

func (r *run) in(tx state.Tx, fn func(state.Tx) error) error {
	if r.e.AgentOf != "" {
		r.session = rootOf(tx, r.e.Session, r.e.AgentOf)
		tx = tx.In(r.session)
	}
	r.tx = tx
	defer func() { r.tx = nil }()
	return fn(tx)
}

// rootOf follows a child session to the one that a person started.
func rootOf(tx state.Tx, child, parent string) string {
	for range 64 {
		if parent == child {
			return child
		}
		next := tx.Parent(parent)
		if next == "" || next == parent {
			return parent
		}
		parent = next
	}
	return parent
}

// look reads what the session remembers, and the compiled set of the files in
// force if it is there. A proposed call is then judged at once: opening the
// store a second time would cost a hook a thirtieth of its time.
func (r *run) look(tx state.Tx) error {
	r.mem = tx.Memory(state.Session)
	r.settle()
	if !r.applies() {
		return nil
	}
	r.held = r.heldBy(tx)
	r.key = rules.SetKey(r.found.Files, r.keyOptions())
	r.ctx = r.context()
	set, err := rules.OpenSet(r.part, r.ctx)
	if err != nil || set.Stale() || !r.loadedLast(tx) {
		return nil
	}
	r.set = set
	if r.e.Kind == PreTool {
		r.looked = r.work()
		r.looked.err = r.looked.look(tx)
	}
	return nil
}

// metaGood, before a rule file's path, is where the project keeps the digest of
// the text of it that loaded last.
const metaGood = "last good "

// loadedLast says whether the files in force are those that loaded last. After a
// change back to an earlier text their set is there already; what stands in for
// the next broken text is not, till they are loaded again.
func (r *run) loadedLast(tx state.Tx) bool {
	return !slices.ContainsFunc(r.found.Files, func(f rules.File) bool {
		return tx.Meta(metaGood+f.Path) != hex.EncodeToString(f.Digest[:])
	})
}

// part reads one part of the compiled set from the open transaction.
func (r *run) part(name string) ([]byte, bool) {
	if r.tx == nil {
		return nil, false
	}
	return r.tx.SetPart(r.key, name)
}

// settle keeps the session to the rule file it began with: a nearer one made
// later is nested, one that is gone leaves its last good rules (trust.md 4). A
// session start looks anew, but for a compaction, which is none.
func (r *run) settle() {
	if r.e.Kind == SessionStart && r.e.Source != "compact" || r.mem.RuleFile == "" || r.mem.RuleFile == r.found.ProjectFile && !r.rooted {
		return
	}
	o := r.findOptions()
	o.ProjectFile, o.Root = r.mem.RuleFile, r.root
	r.find(o)
	r.root = o.Root
}

func (r *run) keyOptions() rules.KeyOptions {
	return rules.KeyOptions{Program: r.p.Program, Harness: r.p.Profile.Name, Builtins: r.p.builtins(false), Without: r.p.Without}
}

func (r *run) context() *rules.Context {
	c := &rules.Context{Root: r.root, Home: r.p.Home, Tmp: r.p.Env["TMPDIR"]}
	if c.Tmp == "" {
		c.Tmp = "/tmp"
	}
	if !r.p.NoDisk {
		d := &disk{}
		c.FS, c.Real = d, d.Real(r.root)
	}
	return c
}

// load parses the rule files: nobody has compiled them yet, or they have
// problems. Where they do, the last rules of that layer that loaded here count.
func (r *run) load() {
	if r.ctx == nil {
		r.ctx = r.context()
	}
	o := rules.LoadOptions{
		Program: r.p.Program, Harness: r.p.Profile.Name, Builtins: r.p.builtins(true), Without: r.p.Without,
		Context: r.ctx, PackDirs: r.p.packDirs(), Judge: r.p.Judge(r.root),
		LastGood: func(key string) (list [][]byte) {
			_ = r.view(func(tx state.Tx) error { list = tx.LastGood(key); return nil })
			return list
		},
	}
	r.loaded, _ = rules.Load(r.found.Files, o)
	r.set = r.loaded.Compiled()
	if len(r.loaded.Broken) > 0 {
		r.key = r.keyInForce()
	}
}

// keyInForce names the rules in force where a broken file does not: what stands in
// for the same text is another set after each edit that loaded, and a position
// kept under the text's name would count calls as consumed by rules that never
// saw them.
func (r *run) keyInForce() state.Digest {
	b := slices.Clone(r.key[:])
	for _, ref := range guard.Book(r.set, r.key).Refs() {
		b = append(append(b, byte(ref.Scope)), ref.Digest[:]...)
	}
	return sha256.Sum256(b)
}

// listed names the rules in force without decoding them; where they cannot be
// read there is nothing to list.
func (r *run) listed() []rules.Listed {
	list, err := r.set.Listed()
	if err != nil {
		return nil
	}
	return list
}

// keepSet writes a set that was just parsed, for the processes to come, and its
// layers as the last that loaded.
func (r *run) keepSet(tx state.Tx) error {
	if r.loaded == nil {
		return nil
	}
	r.kept = true
	for key, val := range r.loaded.Resolved() {
		if old := tx.LastGood(key); len(old) == 0 || string(old[0]) != string(val) {
			if err := tx.PutLastGood(key, val); err != nil {
				return err
			}
		}
	}
	for _, f := range r.found.Files {
		bad := func(b rules.Broken) bool { return b.Layer == f.Layer && b.Folder == f.Folder }
		if slices.ContainsFunc(r.loaded.Broken, bad) {
			continue
		}
		if err := tx.PutMeta(metaGood+f.Path, hex.EncodeToString(f.Digest[:])); err != nil {
			return err
		}
	}
	if len(r.loaded.Broken) > 0 {
		return nil // never cached: the files are looked at anew each time
	}
	return tx.PutSet(r.key, r.loaded.Parts(), guard.Book(r.set, r.key).Refs())
}

// judge is the judge of this event.
func (r *run) judge() *guard.Judge {
	return &guard.Judge{
		Book: guard.Book(r.set, r.key), Harness: r.p.Profile.Name, NoAsk: !r.p.Profile.Ask, Alone: r.alone,
		Auto: r.auto, Stricter: r.strict, Shadow: r.p.Shadow, Now: r.now, Offer: true, Read: r.readLineAs, Context: r.ctx, Fact: r.fact,
	}
}

// heldBy finds the proposal that a post event ends, as it was read before it ran.
func (r *run) heldBy(tx state.Tx) *state.Reservation {
	if r.e.Kind != PostTool {
		return nil
	}
	key := nativeKey(r.p.Profile, r.e.Calls)
	for _, res := range tx.Reservations(state.Session) {
		if r.e.ID != "" && res.Ticket == r.e.ID || r.e.ID == "" && res.Key == key {
			return &res
		}
	}
	return nil
}

// batch is the number of the running message of the model, where an event ends
// it. A session in which no such event, and no start, was seen may have hooks
// without it: there each call is a message of its own.
func (r *run) batch() string {
	if r.p.Profile.Batch != BatchEvent || r.e.Batch != "" {
		return r.e.Batch
	}
	if r.mem.Told["announced"] == "" && r.mem.Told["batches"] == "" {
		return ""
	}
	// With the session's id: a warn of a project rule is seen by all sessions.
	n := r.session + " " + strconv.Itoa(r.mem.Batch)
	if r.e.Agent != "" {
		n = r.session + " " + r.e.Agent + " " + r.mem.Told["batch "+r.e.Agent]
	}
	return n
}

// told notes that something was said once in this session; false: it was before.
func told(m *state.Memory, key, val string) bool {
	if m.Told[key] == val {
		return false
	}
	if m.Told == nil {
		m.Told = map[string]string{}
	}
	m.Told[key] = val
	return true
}

// remember fills in what a session knows of itself, with the first write.
func (r *run) remember(m *state.Memory) {
	if m.Start.IsZero() {
		m.Start = r.now
	}
	if m.Folder == "" {
		m.Folder = r.folder
	}
	if m.RuleFile == "" {
		m.RuleFile = r.found.ProjectFile
	}
	m.LastUse = r.now
}

// remembers says whether the session has something to remember of itself yet.
func (r *run) keepMemory(tx state.Tx, change func(*state.Memory)) error {
	m := tx.Memory(state.Session)
	r.remember(&m)
	if change != nil {
		change(&m)
	}
	r.changed(&m)
	if r.e.AgentOf != "" && tx.Parent(r.e.Session) != r.e.AgentOf {
		if err := tx.PutParent(r.e.Session, r.e.AgentOf); err != nil {
			return err
		}
	}
	return tx.PutMemory(state.Session, m)
}

// changed tells the person, with the first answer that is kept, that files in
// force are others than the session began with: how many rules before and after
// (trust.md 4). A nested file comes and goes with the working directory and is
// told by itself.
func (r *run) changed(m *state.Memory) {
	if r.set == nil || r.note == nil {
		return
	}
	var digests strings.Builder
	for _, f := range r.found.Files {
		if f.Layer != rules.Nested {
			digests.WriteString(digestText(f))
		}
	}
	before := m.Told["files"]
	old, count, ok := strings.Cut(before, " ")
	if ok && old == digests.String() {
		return
	}
	n := 0
	for _, l := range r.listed() {
		if l.Layer != rules.Nested && l.Layer != rules.BuiltIn {
			n++
		}
	}
	told(m, "files", digests.String()+" "+strconv.Itoa(n))
	if ok {
		*r.note = join(*r.note, "agentltl: the rule files changed: "+count+" rules before, "+strconv.Itoa(n)+" now. agentltl-hook validate")
	}
}

// toolNames lists the names of calls, for reports.
func toolNames(calls []trace.Call) []string {
	var out []string
	for i := range calls {
		out = append(out, calls[i].Tool)
	}
	return out
}
