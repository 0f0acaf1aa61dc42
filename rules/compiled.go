package rules

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
	"github.com/agentltl/agentltl-hook/trace"
)

// A compiled set is a [Set] in parts, as a store keeps it: a hook reads the head
// and the index and decodes only the rules that can react to its call, so that
// 1,000 rules cost about what 10 do. The parts are "head", "index", "list" and
// "rule:N".

// A head is what every event needs of a set.
type head struct {
	Settings Settings            `json:"settings"`
	Told     []Notice            `json:"told,omitempty"`
	Packs    []packUse           `json:"packs,omitempty"`
	Tools    []toolDef           `json:"tools,omitempty"`
	Groups   map[string][]string `json:"groups,omitempty"`
	Finally  []int               `json:"finally,omitempty"`
	BuiltIns map[string]int      `json:"built_ins,omitempty"` // id -> number
	Exists   bool                `json:"exists,omitempty"`
}

// A Listed is what announcements, and words about unread lines, say of a rule;
// it is read without decoding the rule.
type Listed struct {
	ID, Kind, Summary, Why string
	Mode                   Mode
	Scope                  Scope
	Layer                  Layer
	Folder                 string
	Source                 string
	Finally                bool
	Shadow                 bool
	Tools                  []string // nil: any
	ReviewBy               string   // YYYY-MM-DD; "" none
	Digest                 [32]byte
}

// Foreign says whether the rule's words are a repository's own.
func (l *Listed) Foreign() bool {
	return (l.Layer == ProjectFile || l.Layer == Nested) && !strings.HasPrefix(l.Source, "library:")
}

// Parts are the set's parts by name, for a store.
func (s *Set) Parts() map[string][]byte {
	h := head{Settings: s.Settings, Told: s.Told, Tools: s.tools, Groups: s.Groups}
	for _, p := range s.Packs {
		h.Packs = append(h.Packs, packUse{Path: p.Path, Digest: hex.EncodeToString(p.Digest[:])})
	}
	listed := make([]Listed, len(s.Rules))
	for i := range s.Rules {
		if s.Rules[i].Finally {
			h.Finally = append(h.Finally, i)
		}
		h.Exists = h.Exists || s.Rules[i].Exists
		h.builtIn(&s.Rules[i], i)
		listed[i] = s.Rules[i].listed()
	}
	parts := map[string][]byte{"head": trace.AppendStruct(nil, &h, nil), "list": mustJSON(listed), "index": s.index()}
	for i := range s.defs {
		parts[rulePart(i)] = s.rulePart(i)
	}
	return parts
}

func (h *head) builtIn(r *Rule, i int) {
	if r.Layer != BuiltIn {
		return
	}
	if h.BuiltIns == nil {
		h.BuiltIns = map[string]int{}
	}
	h.BuiltIns[r.ID] = i
}

// A compiledRule is a rule in its part: the def, its value beside it, and what
// compiling took out of the canonical text.
type compiledRule struct {
	Def    def      `json:"def"` // without Value: that follows the JSON
	Digest []byte   `json:"digest"`
	Tools  []string `json:"tools,omitempty"`
	Always bool     `json:"always,omitempty"`
	Exists bool     `json:"exists,omitempty"`
}

// rulePart writes the length of the rule's JSON, the JSON, and its value.
func (s *Set) rulePart(i int) []byte {
	r := &s.Rules[i]
	part := compiledRule{Def: s.defs[i], Digest: r.Digest[:], Tools: r.Tools, Always: r.Always, Exists: r.Exists}
	part.Def.Value = nil
	c := trace.AppendStruct(nil, &part, nil)
	b := binary.AppendUvarint(nil, uint64(len(c)))
	b = append(b, c...)
	return trace.AppendJSON(b, s.defs[i].Value)
}

// readRule is the way back.
func readRule(b []byte) (*compiledRule, error) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return nil, errIndex
	}
	var c compiledRule
	if _, err := trace.DecodeStruct(b[k:k+int(n)], &c); err != nil {
		return nil, err
	}
	v, err := trace.DecodeJSON(b[k+int(n):])
	c.Def.Value = v
	return &c, err
}

func rulePart(i int) string { return "rule:" + strconv.Itoa(i) }

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("rules: compiled set: " + err.Error())
	}
	return b
}

func (r *Rule) listed() Listed {
	l := Listed{
		ID: r.ID, Kind: r.Kind, Summary: r.Summary, Why: r.Why, Mode: r.Mode, Scope: r.Scope, Layer: r.Layer,
		Folder: r.Folder, Source: r.Source, Finally: r.Finally, Shadow: r.Shadow, ReviewBy: r.ReviewBy, Digest: r.Digest,
	}
	if !r.Always {
		l.Tools = r.Tools
	}
	return l
}

// index writes, after the number of rules, the tool names with the rules that
// can react to them: exact names sorted, then globs, then "" for the rules that
// no name rules out. One record is a name, its length first, and rule numbers,
// their count first.
func (s *Set) index() []byte {
	byName := map[string][]int{}
	for i := range s.Rules {
		r := &s.Rules[i]
		if r.names == nil {
			byName[""] = append(byName[""], i)
			continue
		}
		for _, name := range r.names {
			byName[name] = append(byName[name], i)
		}
	}
	var exact, globs []string
	for name := range byName {
		if name == "" || strings.Contains(name, "*") {
			globs = append(globs, name)
		} else {
			exact = append(exact, name)
		}
	}
	slices.Sort(exact)
	slices.Sort(globs)
	record := func(b []byte, name string) []byte {
		b = binary.AppendUvarint(b, uint64(len(name)))
		b = append(b, name...)
		b = binary.AppendUvarint(b, uint64(len(byName[name])))
		for _, i := range byName[name] {
			b = binary.AppendUvarint(b, uint64(i))
		}
		return b
	}
	// Exact names have a table of offsets, so that they are found by halving.
	var body, table []byte
	for _, name := range exact {
		table = binary.BigEndian.AppendUint32(table, uint32(len(body)))
		body = record(body, name)
	}
	split := len(body)
	for _, name := range globs {
		body = record(body, name)
	}
	out := binary.BigEndian.AppendUint32(nil, uint32(len(s.Rules)))
	out = binary.BigEndian.AppendUint32(out, uint32(len(exact)))
	out = binary.BigEndian.AppendUint32(out, uint32(split))
	return append(append(out, table...), body...)
}

// A Compiled is a compiled set being read. It is not safe for concurrent use.
type Compiled struct {
	head  head
	part  func(name string) ([]byte, bool)
	ctx   *Context
	index indexReader
	rules []*Rule
	list  []Listed
	specs *spec.Set
	// hidden are rules that Reacting leaves out.
	hidden []int
}

// OpenSet reads a compiled set from its parts. part is asked for a part when it
// is first needed, and for the head at once.
func OpenSet(part func(name string) ([]byte, bool), ctx *Context) (*Compiled, error) {
	c := &Compiled{part: part, ctx: ctx}
	for _, p := range []struct {
		name string
		read func([]byte) error
	}{
		{"head", c.readHead},
		{"index", c.index.open},
	} {
		b, ok := part(p.name)
		if !ok {
			return nil, fmt.Errorf("compiled rules: no %s", p.name)
		}
		if err := p.read(b); err != nil {
			return nil, fmt.Errorf("compiled rules: %s: %w", p.name, err)
		}
	}
	c.rules = make([]*Rule, c.index.rules)
	if len(c.head.Tools) > 0 && ctx != nil {
		ctx.PathField = func(tool, field string) bool { return c.Specs().PathField(tool, field) }
	}
	return c, nil
}

func (c *Compiled) readHead(b []byte) error {
	_, err := trace.DecodeStruct(b, &c.head)
	return err
}

// Compiled gives a loaded set the methods of a compiled one.
func (s *Set) Compiled() *Compiled {
	h := head{Settings: s.Settings, Told: s.Told, Tools: s.tools, Groups: s.Groups}
	c := &Compiled{head: h, specs: s.Specs, list: make([]Listed, len(s.Rules)), rules: make([]*Rule, len(s.Rules))}
	for i := range s.Rules {
		c.rules[i] = &s.Rules[i]
		c.list[i] = s.Rules[i].listed()
		c.head.Exists = c.head.Exists || s.Rules[i].Exists
		c.head.builtIn(&s.Rules[i], i)
		if s.Rules[i].Finally {
			c.head.Finally = append(c.head.Finally, i)
		}
	}
	if err := c.index.open(s.index()); err != nil {
		panic("rules: index: " + err.Error())
	}
	return c
}

// Len is the number of rules.
func (c *Compiled) Len() int { return c.index.rules }

// Settings are the settings of the set.
func (c *Compiled) Settings() *Settings { return &c.head.Settings }

// Told are the notices of the set's files.
func (c *Compiled) Told() []Notice { return c.head.Told }

// Groups are the rule ids by group.
func (c *Compiled) Groups() map[string][]string { return c.head.Groups }

// Exists says whether some rule asks whether files exist.
func (c *Compiled) Exists() bool { return c.head.Exists }

// Specs are the command specs in force.
func (c *Compiled) Specs() *spec.Set {
	if c.specs == nil {
		c.specs = specs(c.head.Tools)
	}
	return c.specs
}

// Stale says whether a local pack that the set was made of has changed since.
func (c *Compiled) Stale() bool {
	for _, p := range c.head.Packs {
		text, err := os.ReadFile(p.Path)
		if sum := sha256.Sum256(text); err != nil || hex.EncodeToString(sum[:]) != p.Digest {
			return true
		}
	}
	return false
}

// Rule decodes one rule.
func (c *Compiled) Rule(i int) (*Rule, error) {
	if r := c.rules[i]; r != nil {
		return r, nil
	}
	b, ok := c.part(rulePart(i))
	if !ok {
		return nil, fmt.Errorf("compiled rules: no rule %d", i)
	}
	p, err := readRule(b)
	if err != nil {
		return nil, fmt.Errorf("compiled rules: rule %d: %w", i, err)
	}
	if kindByName(p.Def.Kind) == nil {
		return nil, fmt.Errorf("compiled rules: rule %d is of the unknown kind %q", i, p.Def.Kind)
	}
	made := build(&p.Def, c.ctx)
	if len(made.problems) > 0 {
		return nil, fmt.Errorf("compiled rules: rule %s: %s", p.Def.ID, made.problems[0])
	}
	r := made.rule
	copy(r.Digest[:], p.Digest)
	r.Tools, r.Always, r.Exists = p.Tools, p.Always, p.Exists
	c.rules[i] = r
	return r, nil
}

func (c *Compiled) pick(numbers []int) ([]*Rule, error) {
	out := make([]*Rule, 0, len(numbers))
	for _, i := range numbers {
		r, err := c.Rule(i)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Reacting lists, in file order, the rules that can react to a call with one of
// these names ([CallNames]), and those that no name rules out.
func (c *Compiled) Reacting(names []string) ([]*Rule, error) {
	numbers := c.index.reacting(names)
	if len(c.hidden) > 0 {
		numbers = slices.DeleteFunc(numbers, func(i int) bool { return slices.Contains(c.hidden, i) })
	}
	return c.pick(numbers)
}

// Hide makes Reacting leave out a built-in rule, of which the caller knows that
// the calls at hand cannot break it: it need not be decoded. Such a rule must
// judge each call alone. An unknown id changes nothing.
func (c *Compiled) Hide(id string) {
	if i, ok := c.head.BuiltIns[id]; ok && !slices.Contains(c.hidden, i) {
		c.hidden = append(c.hidden, i)
	}
}

// Finally lists the rules judged at turn end, in file order.
func (c *Compiled) Finally() ([]*Rule, error) { return c.pick(c.head.Finally) }

// All lists every rule in file order.
func (c *Compiled) All() ([]*Rule, error) {
	numbers := make([]int, c.Len())
	for i := range numbers {
		numbers[i] = i
	}
	return c.pick(numbers)
}

// Listed lists all rules in file order without decoding them.
func (c *Compiled) Listed() ([]Listed, error) {
	if c.list == nil && c.Len() > 0 {
		b, ok := c.part("list")
		if !ok {
			return nil, fmt.Errorf("compiled rules: no list")
		}
		if err := decodeJSONInto(b, &c.list); err != nil {
			return nil, fmt.Errorf("compiled rules: list: %w", err)
		}
	}
	return c.list, nil
}
