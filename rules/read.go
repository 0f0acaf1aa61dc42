package rules

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

func bytesReader(b []byte) io.Reader { return bytes.NewReader(b) }

// topTable lists the top-level keys of a rule file.
func topTable() []key {
	return []key{
		{name: "version", shape: freeShape{}, doc: "Ignored.", example: "1"},
		{name: "settings", shape: objectShape{keys: settingKeys(settingsTable())}, doc: "How this file's rules are applied.", example: "{mode: ask}"},
		{name: "rules", shape: rulesShape{}, doc: "The rules of this file.", example: "[{id: no-rm, never: rm}]"},
		{name: "use", shape: useShape{}, doc: "Packaged rules and local packs to switch on.", example: "[no-force-push]"},
		{name: "disable", shape: listShape{"ids"}, doc: "Rules to switch off.", example: "[no-force-push]"},
		{name: "tools", shape: toolsShape{}, doc: "Command specs, by command name.", example: "{dbtool: {options: [{flags: [--env]}]}}"},
		{name: "groups", shape: groupsShape{}, doc: "Rule ids by group name, for labels and for disable.", example: "{billing: [pay-budget]}"},
		{name: "contracts", shape: contractsShape{}, doc: "Contracts in the form {template, args, kwargs} or {group}.", example: "[{template: must_precede, args: [a, b]}]"},
		{name: "facts", shape: factsShape{}, doc: "Facts that conditions may use.", example: "[repo]"},
		{name: "require", shape: requireShape, doc: "Managed files: what the fleet must run.", example: "{min_version: \"1.4\"}"},
		{name: "allow_project_rules", shape: boolShape{}, doc: "Managed files: whether project files are read.", example: "true"},
		{name: "state", later: true, shape: freeShape{}},
		{name: "initial_state", later: true, shape: freeShape{}},
		{name: "commits", later: true, shape: freeShape{}},
		{name: "include", later: true, shape: freeShape{}},
	}
}

var requireShape = objectShape{keys: []key{
	{name: "min_version", shape: textShape{}, doc: "The oldest program that may read this file.", example: `"1.4"`},
	{name: "harnesses", shape: listShape{"harness names"}, doc: "Harnesses whose hooks must be installed.", example: "[claude-code]"},
}}

// A fileReader reads one rule file into a doc.
type fileReader struct {
	*doc
	o        *LoadOptions
	text     []byte
	mode     Mode
	scope    Scope
	maybe    MaybePair
	ids      map[string]bool
	own      []def
	packaged []def
	groups   map[string]groupDef
	at       int // line of the top-level part that is read; 0: of rules
}

// readFile reads a rule file. Problems are in the doc, in order: those of the
// file's parts other than rules first.
func readFile(f File, o *LoadOptions) *doc {
	r := &fileReader{doc: &doc{Layer: f.Layer, Path: f.Path, Folder: f.Folder}, o: o, ids: map[string]bool{}, mode: Block}
	r.Digest = hex.EncodeToString(f.Digest[:])
	if f.Err != nil {
		r.problem(0, "", f.Err.Error())
		return r.doc
	}
	r.text = f.Text
	r.Text = string(f.Text)
	root, err := parseYAML(f.Text)
	if err != nil {
		r.problem(err.line, "", err.msg)
		return r.doc
	}
	if root != nil {
		r.file(deref(root))
	}
	r.sortProblems()
	return r.doc
}

func (d *doc) sortProblems() {
	place := func(p Problem) int {
		if p.ahead {
			return 0
		}
		return p.Pos.Line
	}
	slices.SortStableFunc(d.problems, func(a, b Problem) int { return place(a) - place(b) })
}

// problem adds one. What is wrong with a part of the file stands at that part
// when no nearer place is known.
func (r *fileReader) problem(line int, rule, msg string) {
	if line == 0 {
		line = r.at
	}
	r.doc.problem(line, rule, msg)
	r.problems[len(r.problems)-1].ahead = r.at > 0
}

func (r *fileReader) file(root *yaml.Node) {
	if root.Kind != yaml.MappingNode {
		r.problem(0, "", "the file is a mapping with rules, settings, use, .., not "+kindOf(value(root)))
		return
	}
	r.oddities(root)
	table := topTable()
	top := map[string]field{}
	for _, f := range fields(root) {
		top[f.key] = f
	}
	// The version a managed file asks for is read before anything else: an older
	// program must not complain of keys it cannot know.
	r.part(top["require"], r.require)
	r.section(func() {
		for _, f := range fields(root) {
			if k := findKey(table, f.key); k == nil || k.later {
				r.at = f.line
				r.problem(0, "", unknownKey("top level", f.key, table))
			}
		}
	})
	r.part(top["settings"], r.settings)
	r.part(top["tools"], r.tools)
	r.part(top["disable"], r.disable)
	r.part(top["facts"], r.facts)
	r.part(top["allow_project_rules"], r.allow)
	r.part(top["groups"], r.readGroups)
	r.part(top["use"], r.use)
	r.rules(top["rules"])
	r.contracts(top["contracts"])
	r.checkGroups()
	for _, d := range r.packaged {
		if !slices.ContainsFunc(r.own, func(o def) bool { return o.ID == d.ID }) {
			r.Rules = append(r.Rules, d)
		}
	}
	r.Rules = append(r.Rules, r.own...)
	if len(r.Rules) > maxRules {
		r.problem(0, "", fmt.Sprintf("%d rules; at most %d are read", len(r.Rules), maxRules))
	}
	r.grouped()
}

// part reads one top-level key other than rules and contracts.
func (r *fileReader) part(f field, read func(field)) {
	r.section(func() {
		r.at = f.line
		read(f)
	})
}

// section joins what is wrong with one top-level key to one problem, at the
// place of the first, so that a list of problems reads as a list of places.
func (r *fileReader) section(read func()) {
	before := len(r.problems)
	read()
	r.at = 0
	if len(r.problems) <= before+1 {
		return
	}
	first := r.problems[before]
	for _, p := range r.problems[before+1:] {
		msg := p.Msg
		if p.Pos.Line > 0 && p.Pos.Line != first.Pos.Line {
			msg = fmt.Sprintf("line %d: %s", p.Pos.Line, msg)
		}
		first.Msg += "; " + msg
	}
	r.problems = append(r.problems[:before], first)
}

// list gives the items of a list that may be absent or empty; ok is false when
// it is something else, which has been said.
func (r *fileReader) list(f field, what string) (items []*yaml.Node, ok bool) {
	if f.node == nil || isNull(f.node) {
		return nil, true
	}
	n := deref(f.node)
	if n.Kind != yaml.SequenceNode {
		r.problem(f.line, "", fmt.Sprintf("%s is a list of %s, not %s", f.key, what, kindOf(value(n))))
		return nil, false
	}
	return n.Content, true
}

func (r *fileReader) mapping(f field, what string) (out []field, ok bool) {
	if f.node == nil || isNull(f.node) {
		return nil, true
	}
	n := deref(f.node)
	if n.Kind != yaml.MappingNode {
		r.problem(f.line, "", fmt.Sprintf("%s is a mapping of %s, not %s", f.key, what, kindOf(value(n))))
		return nil, false
	}
	return fields(n), true
}

func (r *fileReader) disable(f field) {
	items, ok := r.list(f, "rule ids")
	if !ok {
		return
	}
	for _, n := range items {
		r.at = n.Line
		id, ok := value(n).(string)
		if !ok {
			r.problem(0, "", fmt.Sprintf("disable is a list of rule ids, not %s", describe(value(n))))
			continue
		}
		r.Disable = append(r.Disable, strings.TrimSpace(id))
	}
}

func (r *fileReader) facts(f field) {
	items, ok := r.list(f, "facts")
	if !ok {
		return
	}
	for _, n := range items {
		r.at = n.Line
		switch name, _ := value(n).(string); name {
		case "repo":
			r.Facts = append(r.Facts, name)
		case "kube", "cloud":
			r.problem(0, "", "facts: "+name+" belongs to a later release")
		default:
			r.problem(0, "", fmt.Sprintf("facts: unknown fact %s; there is repo", describe(value(n))))
		}
	}
}

func (r *fileReader) allow(f field) {
	if f.node == nil || isNull(f.node) {
		return
	}
	b, ok := value(f.node).(bool)
	switch {
	case !ok:
		r.problem(0, "", fmt.Sprintf("allow_project_rules is true or false, not %s", describe(value(f.node))))
	case r.Layer != Managed:
		r.ignore("allow_project_rules")
	default:
		r.AllowOff = !b
	}
}

// ignore notes a key that this layer may not set (L021).
func (r *fileReader) ignore(key string) {
	if !slices.Contains(r.Ignored, key) {
		r.Ignored = append(r.Ignored, key)
	}
}

func (r *fileReader) require(f field) {
	if f.node == nil || isNull(f.node) {
		return
	}
	v := value(f.node)
	if msg := requireShape.check(v); msg != "" {
		r.problem(0, "", "require is "+msg)
		return
	}
	if r.Layer != Managed {
		r.ignore("require")
		return
	}
	m := v.(map[string]any)
	r.Require = &requirement{Harnesses: textList(m["harnesses"])}
	r.Require.MinVersion, _ = m["min_version"].(string)
	if min := r.Require.MinVersion; olderVersion(r.o.Program, min) {
		r.problem(0, "", fmt.Sprintf("AGENTLTL.yaml needs agentltl-hook %s, this is %s", min, r.o.Program))
	}
}

// olderVersion compares dotted numbers; a version without them (a development
// build) is never older.
func olderVersion(have, want string) bool {
	a, okA := versionNumbers(have)
	b, okB := versionNumbers(want)
	return okA && okB && slices.Compare(a, b) < 0
}

func versionNumbers(s string) ([]int, bool) {
	s = strings.TrimPrefix(s, "v")
	s, _, _ = strings.Cut(s, "-")
	s, _, _ = strings.Cut(s, "+")
	var out []int
	for part := range strings.SplitSeq(s, ".") {
		n := 0
		if part == "" || len(part) > 9 {
			return nil, false
		}
		for _, c := range part {
			if c < '0' || c > '9' {
				return nil, false
			}
			n = n*10 + int(c-'0')
		}
		out = append(out, n)
	}
	for len(out) < 3 {
		out = append(out, 0)
	}
	return out, true
}

func (r *fileReader) settings(f field) {
	if f.node == nil {
		return
	}
	r.Has = true
	keys, ok := r.mapping(f, "settings")
	if !ok {
		return
	}
	table := settingsTable()
	r.Settings = map[string]any{}
	for _, k := range keys {
		r.at = k.line
		v := value(k.node)
		s := findSetting(table, k.key)
		switch {
		case s != nil && s.power == higherOnly && r.Layer >= ProjectFile && r.Layer != BuiltIn && s.later:
			r.ignore("settings." + k.key)
		case s == nil || s.later || k.key == "memory_first" && !r.o.hasBuiltin("memory-first"):
			r.problem(0, "", unknownKey("settings", k.key, settingKeys(r.knownSettings(table))))
		case v == nil:
		default:
			if msg := s.shape.check(v); msg != "" {
				r.problem(0, "", fmt.Sprintf("settings.%s is %s, not %s%s", k.key, msg, describe(v), meant(s.shape, v)))
				continue
			}
			r.Settings[k.key] = v
		}
	}
	if s, ok := r.Settings["mode"].(string); ok {
		r.mode = modeOf(s)
	}
	if s, ok := r.Settings["scope"].(string); ok {
		r.scope = scopeOf(s)
	}
	r.maybe = maybePair(r.Settings["maybe"], MaybePair{})
	for _, k := range textList(r.Settings["locked"]) {
		if s := findSetting(table, k); s == nil || s.later {
			r.problem(0, "", unknownKey("settings.locked", k, settingKeys(table)))
		}
	}
}

func (r *fileReader) knownSettings(table []setting) []setting {
	if r.o.hasBuiltin("memory-first") {
		return table
	}
	return slices.DeleteFunc(table, func(s setting) bool { return s.name == "memory_first" })
}

// hasBuiltin says whether the program brings a rule of that id for the harness.
// Without a harness every key is known.
func (o *LoadOptions) hasBuiltin(id string) bool {
	if o.Harness == "" {
		return true
	}
	return slices.ContainsFunc(o.Builtins, func(f File) bool { return strings.Contains(string(f.Text), "id: "+id) })
}

func (r *fileReader) tools(f field) {
	keys, ok := r.mapping(f, "command specs")
	if !ok {
		return
	}
	for _, k := range keys {
		r.Tools = append(r.Tools, r.tool(k, "")...)
	}
}

// tool reads one command spec; entry names the packaged entry it came with.
func (r *fileReader) tool(k field, entry string) []toolDef {
	cmd, problems := spec.Load(k.key, specNode(k.node))
	for _, p := range problems {
		line := p.Line
		if entry != "" {
			line = 0
		}
		r.problem(line, "", fmt.Sprintf("tools.%s: %s", k.key, p.Msg))
	}
	if len(problems) > 0 {
		return nil
	}
	return []toolDef{{Name: k.key, Spec: cmd, Line: k.line, Entry: entry}}
}

// specNode turns a YAML node into what the spec loader reads.
func specNode(n *yaml.Node) spec.Node {
	n = deref(n)
	out := spec.Node{Line: n.Line}
	switch n.Kind {
	case yaml.SequenceNode:
		out.Kind = spec.Seq
		for _, c := range n.Content {
			out.Items = append(out.Items, specNode(c))
		}
	case yaml.MappingNode:
		out.Kind = spec.Mapping
		for _, f := range fields(n) {
			out.Keys = append(out.Keys, spec.Node{Kind: spec.String, Value: f.key, Line: f.line})
			out.Items = append(out.Items, specNode(f.node))
		}
	default:
		out.Value = n.Value
		switch v := scalar(n).(type) {
		case nil:
			out.Kind = spec.Null
		case bool:
			out.Kind, out.Value = spec.Boolean, fmt.Sprint(v)
		case string:
			out.Kind = spec.String
		default:
			out.Kind = spec.Number
		}
	}
	return out
}
