package rules

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// ruleTable lists the keys of a rule beside its kind.
func ruleTable() []key {
	return []key{
		{name: "id", shape: textShape{}, doc: "Names the rule; unique in the file.", example: "no-force-push", required: true},
		{name: "why", shape: printedShape{}, doc: "The reason, shown to the agent.", example: "History is shared."},
		{name: "fix", shape: printedShape{}, doc: "How to comply, shown to the agent.", example: "Use --force-with-lease."},
		{name: "mode", shape: modeNames, doc: "What happens to a call that breaks the rule.", example: "ask"},
		{name: "scope", shape: scopeNames, doc: "Whose calls the rule remembers.", example: "project"},
		{name: "with", shape: argumentsShape{}, doc: "Equality of arguments, added to every target.", example: "{force: true}"},
		{name: "where", shape: patternsShape{}, doc: "Patterns of arguments, added to every target.", example: "{paths: \"db/*\"}"},
		{name: "examples", shape: examplesShape{}, doc: "Lines that the rule must refuse and allow; checked when the file loads.", example: "{refused: [git push -f], allowed: [git push]}"},
		{name: "approve", shape: approveShape{}, doc: "How far one yes reaches, for mode ask.", example: "once"},
		{name: "let", shape: letShape{}, doc: "Named targets, for ltl and formula.", example: "{deploy: {tool: make, with: {argv: deploy}}}"},
		{name: "from", shape: listOrShape{fromShape}, doc: "The statement of an instruction file that the rule stands for.", example: "{file: CLAUDE.md, line: 12}"},
		{name: "when", shape: exprShape{}, doc: "The rule is looked at only when this expression is true.", example: "'repo.branch == \"main\"'"},
		{name: "maybe", shape: maybeShape, doc: "What a match does that is only maybe.", example: "{read: note, write: ask}"},
		{name: "except", shape: exceptShape{}, doc: "Dated exceptions; after the date the rule is whole again.", example: "[{call: {tool: rm, where: {paths: \"old/*\"}}, until: 2027-01-31, reason: clean-up}]"},
		{name: "review_by", shape: dateShape{}, doc: "Warns once the day has passed; changes no decision.", example: "2027-01-31"},
		{name: "shadow", shape: boolShape{}, doc: "Judge and record, refuse nothing.", example: "true"},
		{name: "group", shape: textShape{}, doc: "A label for reports and for disable.", example: "billing"},
		{name: "locked", shape: boolShape{}, doc: "User files: no project file can replace or disable the rule.", example: "true"},
		{name: "overridable", shape: boolShape{}, doc: "Managed files: lower files may replace or disable the rule.", example: "true"},
		{name: "tags", later: true, shape: freeShape{}},
		{name: "assume", later: true, shape: freeShape{}},
	}
}

var fromShape = anyShape{textShape{}, objectShape{min: 1, keys: []key{
	{name: "file", shape: textShape{}, doc: "The instruction file.", example: "CLAUDE.md"},
	{name: "line", shape: freeShape{}, doc: "Its line.", example: "12"},
	{name: "id", shape: textShape{}, doc: "The statement's id, as memory scan prints it.", example: "1a2b3c4d5e"},
	{name: "text", shape: textShape{}, doc: "The statement.", example: "Never force-push."},
}}}

var exceptKeys = objectShape{keys: []key{
	{name: "call", shape: targetShape{}, doc: "The calls that are let through.", example: "{tool: rm, where: {paths: \"old/*\"}}", required: true},
	{name: "until", shape: dateShape{}, doc: "The last day, in UTC.", example: "2027-01-31", required: true},
	{name: "reason", shape: textShape{}, doc: "Why.", example: "clean-up", required: true},
	{name: "by", shape: textShape{}, doc: "Who says so.", example: "ops"},
}}

func (r *fileReader) rules(f field) {
	items, ok := r.list(f, "rules")
	if !ok {
		return
	}
	if len(items) > maxRules {
		r.problem(0, "", fmt.Sprintf("%d rules; at most %d are read", len(items), maxRules))
		return
	}
	source := r.Layer.String()
	for _, n := range items {
		d, ok := r.rule(n, source, r.mode)
		if !ok {
			continue
		}
		if r.ids[d.ID] {
			r.problem(n.Line, d.ID, "another rule of this file has the same id")
			continue
		}
		r.ids[d.ID] = true
		r.own = append(r.own, d)
	}
}

// rule reads one rule of a file or of a packaged entry. It is compiled to see
// that it is right; problems are noted, and ok is false then.
func (r *fileReader) rule(n *yaml.Node, source string, mode Mode) (d def, ok bool) {
	line := n.Line
	n = deref(n)
	if n.Kind != yaml.MappingNode {
		r.problem(line, "", fmt.Sprintf("a rule is a mapping with id and %s, not %s", list(kindNames(), "or"), kindOf(value(n))))
		return d, false
	}
	rr := ruleReader{file: r, line: line, def: def{
		Mode: mode, Scope: r.scope, Maybe: r.maybe, Layer: r.Layer, Folder: r.Folder, Source: source, File: r.Path, Line: line,
	}}
	rr.keys(fields(n))
	if len(rr.problems) == 0 {
		var rule Rule
		if rule, rr.problems = compile(&rr.def, r.o.Context); len(rr.problems) == 0 {
			if msg := checkWhen(&rule); msg != "" {
				rr.failf("%s", msg)
			}
		}
	}
	// All that is wrong with a rule is one problem, so that a list of problems
	// reads as a list of rules.
	if len(rr.problems) > 0 {
		r.problem(line, rr.ID, strings.Join(rr.problems, "; "))
	}
	return rr.def, len(rr.problems) == 0
}

// A ruleReader reads the keys of one rule.
type ruleReader struct {
	def
	file     *fileReader
	line     int
	problems []string
}

func (r *ruleReader) failf(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *ruleReader) keys(fs []field) {
	table := ruleTable()
	byName := map[string]field{}
	var found []string
	for _, f := range fs {
		byName[f.key] = f
		if kindByName(f.key) != nil {
			found = append(found, f.key)
		}
	}
	r.id(byName["id"])
	for _, f := range fs {
		switch k := findKey(table, f.key); {
		case kindByName(f.key) != nil || k != nil && !k.later:
		case slices.Contains(laterKinds[:], f.key):
			r.failf("%s belongs to a later release", f.key)
		default:
			known := append(slices.Clone(table), kindKeys()...)
			r.failf("%s", strings.TrimPrefix(unknownKey("", f.key, known), ": "))
		}
	}
	switch len(found) {
	case 1:
		r.Kind, r.Value = found[0], value(byName[found[0]].node)
		if r.Value == nil {
			r.failf("%s has no value", r.Kind)
		}
	case 0:
		if len(r.problems) == 0 {
			r.failf("the rule says nothing: it needs one of %s", list(kindNames(), "or"))
		}
	default:
		r.failf("a rule is of one kind; this one has %s", list(found, "and"))
	}
	for _, f := range fs {
		if k := findKey(table, f.key); k != nil && !k.later && f.key != "id" {
			r.key(k, f)
		}
	}
	if (r.With != nil || r.Where != nil) && r.Kind != "" && !kindByName(r.Kind).narrow {
		r.failf("with and where at rule level go with never, require and at_most only, not with %s; write them in the target", r.Kind)
	}
	if len(r.Except) > 0 && (r.Kind == "finally" || r.Kind == "required_before_session_end") {
		r.failf("except does not go with %s", r.Kind)
	}
	if r.Let != nil && r.Kind != "" && r.Kind != "ltl" && r.Kind != "formula" {
		r.failf("let goes with ltl and formula only")
	}
}

// kindKeys are the kinds as keys of a rule.
func kindKeys() []key {
	var keys []key
	for _, k := range kinds() {
		keys = append(keys, key{name: k.name, shape: k.value, doc: k.doc, example: k.example})
	}
	return keys
}

func (r *ruleReader) id(f field) {
	v := value(f.node)
	s, ok := v.(string)
	switch {
	case f.node == nil || v == nil:
		r.failf("the rule has no id")
	case !ok:
		r.failf("id is text, not %s", describe(v))
	case strings.TrimSpace(s) == "":
		r.failf("id is text, not %s", describe(v))
	default:
		r.ID = strings.TrimSpace(s)
		if r.Layer >= ProjectFile {
			r.ID = clip(printable(r.ID), maxForeignID)
		}
	}
}

// Texts of a project's or nested file are cut to what a message can carry
// (trust.md 2).
const (
	maxForeignID    = 100
	maxForeignText  = 1000
	maxForeignLines = 20
)

func (r *ruleReader) key(k *key, f field) {
	v := value(f.node)
	if v == nil {
		return // left empty: absent
	}
	if msg := k.shape.check(v); msg != "" {
		r.failf("%s is %s, not %s%s", k.name, msg, describe(v), meant(k.shape, v))
		return
	}
	switch k.name {
	case "why":
		r.Why = r.words(v)
	case "fix":
		r.Fix = r.words(v)
	case "mode":
		r.Mode = modeOf(v.(string))
	case "scope":
		r.Scope = scopeOf(v.(string))
	case "with":
		r.With = v.(map[string]any)
	case "where":
		r.Where = v.(map[string]any)
	case "let":
		r.Let = v.(map[string]any)
	case "from":
		r.From = fromOf(v)
	case "when":
		r.When = v.(string)
	case "maybe":
		r.Maybe = maybePair(v, r.Maybe)
	case "review_by":
		r.Review = v.(string)
	case "shadow":
		r.Shadow = v.(bool)
	case "group":
		r.Group = v.(string)
	case "locked":
		r.lock(v.(bool))
	case "overridable":
		r.override(v.(bool))
	case "except":
		r.excepts(f)
	case "examples":
		r.examples_(f)
	}
}

// words is why or fix as text.
func (r *ruleReader) words(v any) string {
	s, ok := v.(string)
	if !ok {
		s = plainValue(v)
	}
	s = strings.TrimSpace(s)
	if r.Layer < ProjectFile || r.Layer == BuiltIn {
		return s
	}
	s = printable(s)
	if lines := strings.SplitN(s, "\n", maxForeignLines+1); len(lines) > maxForeignLines {
		s = strings.Join(lines[:maxForeignLines], "\n")
	}
	return clip(s, maxForeignText)
}

func (r *ruleReader) lock(b bool) {
	switch r.Layer {
	case User:
		r.Locked = b
	case ProjectFile, Nested:
		r.file.ignore("rules.locked")
	default: // managed rules are locked anyway
	}
}

func (r *ruleReader) override(b bool) {
	if r.Layer == Managed {
		r.Overridable = b
	} else {
		r.file.ignore("rules.overridable")
	}
}

func fromOf(v any) []From {
	items, ok := v.([]any)
	if !ok {
		items = []any{v}
	}
	var out []From
	for _, e := range items {
		switch e := e.(type) {
		case string:
			out = append(out, From{ID: strings.TrimSpace(e)})
		case map[string]any:
			f := From{}
			f.File, _ = e["file"].(string)
			f.ID, _ = e["id"].(string)
			f.Text, _ = e["text"].(string)
			f.Line, _ = wholeNumber(e["line"])
			out = append(out, f)
		}
	}
	return out
}

func (r *ruleReader) excepts(f field) {
	items := deref(f.node)
	for _, n := range items.Content {
		m := value(n).(map[string]any)
		e := exceptDef{Call: m["call"]}
		e.Until, _ = m["until"].(string)
		e.Reason, _ = m["reason"].(string)
		e.By, _ = m["by"].(string)
		r.Except = append(r.Except, e)
	}
}

// examples_ reads the lines, each with its place.
func (r *ruleReader) examples_(f field) {
	for _, side := range fields(f.node) {
		for _, n := range deref(side.node).Content {
			e := Example{Refused: side.key == "refused", Line: n.Line}
			switch v := value(n).(type) {
			case string:
				e.Steps = []string{v}
			case []any:
				e.Steps = textList(v)
			}
			r.examples = append(r.examples, e)
		}
	}
}
