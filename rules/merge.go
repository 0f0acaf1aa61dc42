package rules

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A merger brings the files of all layers together (trust.md 3, rules.md 1).
type merger struct {
	o     *LoadOptions
	rules []def
	at    map[string]int  // id -> place in rules; nil: to be made
	off   map[string]bool // built-ins switched off
	uses  map[string]builtinUse
	named map[string]bool // built-ins that a managed file names: nobody below changes them
	set   *Set
	told  map[*doc]*weakening
}

// A weakening is what a project file does to what the user set.
type weakening struct {
	off, replaced []string
	settings      []string
}

// merge makes a set of files in layer order. It does not look at their problems.
func merge(docs []*doc, builtins []*doc, o *LoadOptions) *Set {
	m := &merger{o: o, off: map[string]bool{}, uses: map[string]builtinUse{}, named: map[string]bool{}, set: &Set{}, told: map[*doc]*weakening{}}
	docs = m.allowed(docs)
	for _, d := range docs {
		m.add(d)
		m.groups(d)
		m.disable(d)
		m.builtinUses(d)
		m.notices(d)
	}
	settings := m.settings(docs)
	m.set.Settings = settings.result()
	m.require(docs)
	m.ownSettings(settings)
	m.builtins(builtins)
	m.rules = slices.DeleteFunc(m.rules, func(d def) bool { return slices.Contains(o.Without, d.ID) })
	m.compile()
	m.tools(docs)
	m.weakened(docs)
	return m.set
}

// allowed drops project and nested files when a managed file says so.
func (m *merger) allowed(docs []*doc) []*doc {
	if !slices.ContainsFunc(docs, func(d *doc) bool { return d.AllowOff }) {
		return docs
	}
	return slices.DeleteFunc(slices.Clone(docs), func(d *doc) bool {
		if d.Layer != ProjectFile && d.Layer != Nested {
			return false
		}
		m.set.Told = append(m.set.Told, Notice{
			Layer: d.Layer, Path: d.Path, Code: "not-allowed", Agent: true,
			Text: fmt.Sprintf("%s is not read: the administrator allows no project rules", d.Path),
		})
		return true
	})
}

// find is where the rule of an id stands; -1: nowhere.
func (m *merger) find(id string) int {
	if m.at == nil {
		m.at = make(map[string]int, len(m.rules))
		for i := range m.rules {
			m.at[m.rules[i].ID] = i
		}
	}
	if i, ok := m.at[id]; ok {
		return i
	}
	return -1
}

// push adds a rule at the end.
func (m *merger) push(r def) {
	m.find(r.ID)
	m.at[r.ID] = len(m.rules)
	m.rules = append(m.rules, r)
}

// add merges a file's rules: one whose id exists replaces the earlier one in its
// place, unless that one is out of the file's reach; then both apply.
func (m *merger) add(d *doc) {
	for _, r := range d.Rules {
		if d.Layer == Managed && !r.Overridable {
			r.Locked = true
		}
		i := m.find(r.ID)
		switch {
		case d.Layer >= ProjectFile && protectedBuiltin(r.ID):
			m.beside(d, r)
		case i < 0:
			m.push(r)
		case m.replaces(d, &m.rules[i]):
			if old := &m.rules[i]; d.Layer == ProjectFile && old.Layer < ProjectFile {
				m.weak(d).replaced = append(m.weak(d).replaced, r.ID)
			}
			m.rules[i] = r
		default:
			m.beside(d, r)
		}
	}
}

// protectedBuiltin says whether a built-in is out of the reach of projects.
func protectedBuiltin(id string) bool {
	return id == "protect-guard" || id == "no-unguarded-subagents"
}

// replaces says whether a file may replace a rule that is there.
func (m *merger) replaces(d *doc, old *def) bool {
	switch {
	case d.Layer == Nested:
		return false
	case old.Layer == Managed:
		return d.Layer == Managed || old.Overridable
	case old.Layer == User:
		return d.Layer == User || !old.Locked
	}
	return true
}

// beside adds a rule whose id is taken under a name that says where it is from.
func (m *merger) beside(d *doc, r def) {
	where := d.Layer.String()
	if d.Layer == Nested {
		where = m.folder(d)
	}
	id := r.ID + "@" + where
	for i := 2; m.find(id) >= 0; i++ {
		id = fmt.Sprintf("%s@%s-%d", r.ID, where, i)
	}
	r.ID = id
	m.push(r)
}

// folder names a nested file's folder as people see it: from the project root.
func (m *merger) folder(d *doc) string {
	if rel, err := filepath.Rel(m.o.Context.Root, d.Folder); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return d.Folder
}

func (m *merger) groups(d *doc) {
	for name, ids := range d.Groups {
		if m.set.Groups == nil {
			m.set.Groups = map[string][]string{}
		}
		m.set.Groups[name] = append(m.set.Groups[name], ids...)
	}
}

// disable removes what a file switches off from everything merged so far, as
// far as its layer reaches.
func (m *merger) disable(d *doc) {
	var ids []string
	for _, id := range d.Disable {
		if group, ok := strings.CutPrefix(id, "group:"); ok {
			ids = append(ids, m.set.Groups[group]...)
			continue
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		m.disableOne(d, id)
	}
}

func (m *merger) disableOne(d *doc, id string) {
	if slices.Contains(builtinIDs[:], id) {
		switch {
		case m.named[id], d.Layer >= ProjectFile && id != "memory-first", d.Layer == Nested:
			d.ignoreOnce("disable." + id)
		default:
			m.off[id] = true
		}
	}
	m.at = nil
	m.rules = slices.DeleteFunc(m.rules, func(r def) bool {
		base, _, renamed := strings.Cut(r.ID, "@")
		own := r.Layer == d.Layer && (r.Folder == d.Folder)
		if r.ID != id && (!own || !renamed || base != id) {
			return false
		}
		if own {
			return true
		}
		switch {
		case r.Layer == Managed && r.Overridable && d.Layer != Nested:
		case r.Layer == User && !r.Locked && d.Layer == ProjectFile:
		default:
			d.ignoreOnce("disable." + id)
			return false
		}
		if d.Layer == ProjectFile {
			m.weak(d).off = append(m.weak(d).off, r.ID)
		}
		return true
	})
}

func (d *doc) ignoreOnce(key string) {
	if !slices.Contains(d.Ignored, key) {
		d.Ignored = append(d.Ignored, key)
	}
}

// builtinUses notes how managed and user files change built-ins; what a managed
// file names stays.
func (m *merger) builtinUses(d *doc) {
	for _, u := range d.Builtins {
		if m.named[u.ID] && d.Layer != Managed {
			d.ignoreOnce("use." + u.ID)
			continue
		}
		m.uses[u.ID] = u
		if d.Layer == Managed {
			m.named[u.ID] = true
		}
	}
}

// builtins adds the program's own rules: protect-guard before all others, the
// rest at the end.
func (m *merger) builtins(docs []*doc) {
	for _, d := range docs {
		for _, r := range d.Rules {
			if m.off[r.ID] || m.find(r.ID) >= 0 || r.ID == "memory-first" && !m.set.Settings.MemoryFirst {
				continue
			}
			u := m.uses[r.ID]
			if u.Mode != nil {
				r.Mode = *u.Mode
			}
			if u.Maybe != nil {
				r.Maybe = *u.Maybe
			}
			r.Shadow = r.Shadow || u.Shadow
			if r.ID == "protect-guard" {
				m.rules, m.at = slices.Insert(m.rules, 0, r), nil
				continue
			}
			m.push(r)
		}
	}
}

func (m *merger) compile() {
	m.set.Rules = make([]Rule, 0, len(m.rules))
	m.set.defs = m.rules
	for i := range m.rules {
		r, problems := compile(&m.rules[i], m.o.Context)
		if len(problems) > 0 {
			// Read and checked before: only a last good set of another program can get
			// here, and it is tried before it is taken.
			panic(fmt.Sprintf("rules: rule %s no longer compiles: %s", r.ID, problems[0]))
		}
		m.set.Rules = append(m.set.Rules, r)
	}
}

func (m *merger) require(docs []*doc) {
	for _, d := range docs {
		if d.Require == nil {
			continue
		}
		m.set.Settings.MinVersion = d.Require.MinVersion
		m.set.Settings.RequiredHarnesses = append(m.set.Settings.RequiredHarnesses, canonicalHarnesses(slices.Clone(d.Require.Harnesses))...)
	}
	m.set.Settings.AllowProjectRules = !slices.ContainsFunc(docs, func(d *doc) bool { return d.AllowOff })
}

func (m *merger) weak(d *doc) *weakening {
	if m.told[d] == nil {
		m.told[d] = &weakening{}
	}
	return m.told[d]
}

// notices tells which keys of a file have no effect in its layer.
func (m *merger) notices(d *doc) {
	for _, p := range d.Packs {
		m.set.Packs = append(m.set.Packs, File{Layer: d.Layer, Path: p.Path, Digest: packDigest(p.Digest)})
	}
}

// weakened words what project files do to the user's rules and settings, and
// what was ignored.
func (m *merger) weakened(docs []*doc) {
	for _, d := range docs {
		if len(d.Ignored) > 0 {
			m.set.Told = append(m.set.Told, Notice{
				Layer: d.Layer, Path: d.Path, Code: "ignored",
				Text: fmt.Sprintf("%s: a %s file may not set %s; it has no effect", d.Path, d.Layer, list(slices.Clone(d.Ignored), "and")),
			})
		}
		w := m.told[d]
		if w == nil {
			continue
		}
		var parts []string
		if n := len(w.off); n > 0 {
			parts = append(parts, fmt.Sprintf("switches off %d of your rules (%s)", n, strings.Join(w.off, ", ")))
		}
		if n := len(w.replaced); n > 0 {
			parts = append(parts, fmt.Sprintf("replaces %d of your rules (%s)", n, strings.Join(w.replaced, ", ")))
		}
		if len(w.settings) > 0 {
			parts = append(parts, "replaces your settings: "+strings.Join(w.settings, ", "))
		}
		if len(parts) > 0 {
			m.set.Told = append(m.set.Told, Notice{Layer: d.Layer, Path: d.Path, Code: "weakened", Text: "it " + list(parts, "and")})
		}
	}
}
