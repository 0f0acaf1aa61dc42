package rules

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A groupDef is a group as written: rule ids, or contracts that take effect only
// where {group: name} pulls them in.
type groupDef struct {
	ids       []string
	contracts []*yaml.Node
}

type groupsShape struct{}

func (groupsShape) check(any) string { return "" }
func (groupsShape) schema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": map[string]any{
		"type": "array", "items": map[string]any{"anyOf": []any{map[string]any{"type": "string"}, ref("contract")}},
	}}
}

type contractsShape struct{}

func (contractsShape) check(any) string { return "" }
func (contractsShape) schema() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"anyOf": []any{ref("contract"), map[string]any{
		"type": "object", "required": []any{"group"}, "additionalProperties": false,
		"properties": map[string]any{"group": textShape{}.schema()},
	}}}}
}

type factsShape struct{}

func (factsShape) check(any) string { return "" }
func (factsShape) schema() map[string]any {
	return map[string]any{"type": "array", "items": enumShape{"repo"}.schema()}
}

type rulesShape struct{}

func (rulesShape) check(any) string { return "" }
func (rulesShape) schema() map[string]any {
	return map[string]any{"type": "array", "items": ref("rule"), "maxItems": maxRules}
}

type toolsShape struct{}

func (toolsShape) check(any) string { return "" }
func (toolsShape) schema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": ref("spec")}
}

func (r *fileReader) readGroups(f field) {
	keys, ok := r.mapping(f, "group names to rule ids")
	if !ok {
		return
	}
	r.groups = map[string]groupDef{}
	for _, k := range keys {
		r.at = k.line
		n := deref(k.node)
		if n.Kind != yaml.SequenceNode {
			r.problem(0, "", fmt.Sprintf("groups.%s is a list of rule ids, not %s", k.key, describe(value(n))))
			continue
		}
		var g groupDef
		for _, c := range n.Content {
			switch v := value(c).(type) {
			case string:
				g.ids = append(g.ids, v)
			case map[string]any:
				g.contracts = append(g.contracts, c)
			default:
				r.problem(c.Line, "", fmt.Sprintf("groups.%s is a list of rule ids, or of contracts, not %s", k.key, describe(v)))
			}
		}
		r.groups[k.key] = g
	}
}

// checkGroups looks whether the ids that groups name are there.
func (r *fileReader) checkGroups() {
	for _, name := range sortedKeys(r.groups) {
		for _, id := range r.groups[name].ids {
			if !r.hasRule(id) {
				var ids []string
				for _, d := range append(r.packaged, r.own...) {
					ids = append(ids, d.ID)
				}
				r.problem(0, "", fmt.Sprintf("groups.%s: there is no rule %s in this file%s", name, id, didYouMean(id, ids)))
			}
		}
	}
}

func (r *fileReader) hasRule(id string) bool {
	is := func(d def) bool { return d.ID == id }
	return slices.ContainsFunc(r.own, is) || slices.ContainsFunc(r.packaged, is)
}

// grouped fills Groups from "groups" and from the rules' own "group".
func (r *fileReader) grouped() {
	out := map[string][]string{}
	for name, g := range r.groups {
		out[name] = append(out[name], g.ids...)
	}
	for _, d := range r.Rules {
		if d.Group != "" && !slices.Contains(out[d.Group], d.ID) {
			out[d.Group] = append(out[d.Group], d.ID)
		}
	}
	if len(out) > 0 {
		r.Groups = out
	}
}

// A template is a contract template: how its arguments become a rule.
type template struct {
	name   string
	params []string // positional names, in order
	rest   bool     // any number of targets
	value  func(args map[string]any) any
}

func templates() []template {
	two := func(a, b string) func(map[string]any) any {
		return func(m map[string]any) any { return []any{m[a], m[b]} }
	}
	return []template{
		{name: "must_precede", params: []string{"earlier", "later"}, value: two("earlier", "later")},
		{name: "cannot_follow_without", params: []string{"action", "prerequisite"}, value: two("action", "prerequisite")},
		{name: "at_most_n_times", params: []string{"tool", "n"}, value: func(m map[string]any) any {
			return map[string]any{"call": m["tool"], "times": m["n"]}
		}},
		{name: "at_most_total", params: []string{"tool", "field", "limit"}, value: func(m map[string]any) any {
			return map[string]any{"call": m["tool"], "field": m["field"], "limit": m["limit"]}
		}},
		{name: "never_after", params: []string{"a", "b"}, value: two("a", "b")},
		{name: "required_before_session_end", params: []string{"tool"}, value: func(m map[string]any) any {
			return map[string]any{"call": m["tool"]}
		}},
		{name: "mutually_exclusive", rest: true, value: func(m map[string]any) any { return m["any_one_of"] }},
		{name: "rate_limit", params: []string{"tool", "n", "window_seconds"}, value: func(m map[string]any) any {
			return map[string]any{"call": m["tool"], "times": m["n"], "per": m["window_seconds"]}
		}},
	}
}

func (r *fileReader) contracts(f field) {
	items, ok := r.list(f, "contracts")
	if !ok {
		return
	}
	for _, n := range items {
		r.contractOrGroup(n)
	}
}

func (r *fileReader) contractOrGroup(n *yaml.Node) {
	m, ok := value(n).(map[string]any)
	if !ok {
		r.problem(n.Line, "", fmt.Sprintf("a contract is {template, args, kwargs} or {group: NAME}, not %s", describe(value(n))))
		return
	}
	if !hasKey(m, "group") {
		r.contract(n, m)
		return
	}
	name, _ := m["group"].(string)
	g, known := r.groups[name]
	if len(m) != 1 || !known {
		r.problem(n.Line, "", fmt.Sprintf("contracts: there is no group %s%s", describe(m["group"]), didYouMean(name, sortedKeys(r.groups))))
		return
	}
	for _, c := range g.contracts {
		if m, ok := value(c).(map[string]any); ok {
			r.contract(c, m)
		}
	}
}

// contract makes a rule of {template, args, kwargs}, with the id that the
// importer would give it: template and targets as a slug, numbered on clashes.
func (r *fileReader) contract(n *yaml.Node, m map[string]any) {
	fail := func(format string, args ...any) { r.problem(n.Line, "", "contracts: "+fmt.Sprintf(format, args...)) }
	known := []string{"template", "args", "kwargs"}
	for _, k := range sortedKeys(m) {
		if !slices.Contains(known, k) {
			fail("unknown key %q%s", k, didYouMean(k, known))
			return
		}
	}
	name, _ := m["template"].(string)
	t, ok := findTemplate(name)
	if !ok {
		fail("unknown template %s%s", describe(m["template"]), didYouMean(name, templateNames()))
		return
	}
	args, msg := t.arguments(m["args"], m["kwargs"])
	if msg != "" {
		fail("%s: %s", name, msg)
		return
	}
	d := def{
		ID: r.freeID(slug(name, args)), Kind: name, Value: t.value(args), Mode: Block, Layer: r.Layer, Folder: r.Folder,
		Source: r.Layer.String(), File: r.Path, Line: n.Line, Maybe: r.maybe, Scope: r.scope,
	}
	if _, problems := compile(&d, r.o.Context); len(problems) > 0 {
		for _, p := range problems {
			r.problem(n.Line, d.ID, "contracts: "+p)
		}
		return
	}
	r.ids[d.ID] = true
	r.own = append(r.own, d)
}

func findTemplate(name string) (template, bool) {
	for _, t := range templates() {
		if t.name == name {
			return t, true
		}
	}
	return template{}, false
}

func templateNames() []string {
	var names []string
	for _, t := range templates() {
		names = append(names, t.name)
	}
	return names
}

// arguments joins positional and keyword arguments and turns matchers into
// targets.
func (t template) arguments(args, kwargs any) (map[string]any, string) {
	list, ok := args.([]any)
	if !ok && args != nil {
		return nil, "args is a list, not " + describe(args)
	}
	kw, ok := kwargs.(map[string]any)
	if !ok && kwargs != nil {
		return nil, "kwargs is a mapping, not " + describe(kwargs)
	}
	out := map[string]any{}
	if t.rest {
		if len(kw) > 0 {
			return nil, "it takes targets only, no " + sortedKeys(kw)[0]
		}
		var ts []any
		for _, a := range list {
			v, msg := contractTarget(a)
			if msg != "" {
				return nil, msg
			}
			ts = append(ts, v)
		}
		out["any_one_of"] = ts
		return out, ""
	}
	if len(list) > len(t.params) {
		return nil, fmt.Sprintf("it takes %s, not %d arguments", strings.Join(t.params, ", "), len(list))
	}
	for i, a := range list {
		out[t.params[i]] = a
	}
	for _, k := range sortedKeys(kw) {
		if !slices.Contains(t.params, k) {
			return nil, fmt.Sprintf("unknown argument %q%s", k, didYouMean(k, t.params))
		}
		if hasKey(out, k) {
			return nil, k + " is given twice"
		}
		out[k] = kw[k]
	}
	for _, p := range t.params {
		if out[p] == nil {
			return nil, p + " is missing"
		}
		if p != "n" && p != "field" && p != "limit" && p != "window_seconds" {
			v, msg := contractTarget(out[p])
			if msg != "" {
				return nil, p + ": " + msg
			}
			out[p] = v
		}
	}
	return out, ""
}

// contractTarget reads a tool name or a matcher {tool, pattern, field} of the
// contract form.
func contractTarget(v any) (any, string) {
	switch v := v.(type) {
	case string:
		if strings.TrimSpace(v) != "" {
			return map[string]any{"tool": []any{v}}, ""
		}
	case map[string]any:
		return v, ""
	}
	return nil, "a tool name or a matcher is wanted, not " + describe(v)
}

// slug writes a template with its targets as an id.
func slug(name string, args map[string]any) string {
	parts := []string{name}
	add := func(v any) {
		switch v := v.(type) {
		case map[string]any:
			switch tool := v["tool"].(type) {
			case string:
				parts = append(parts, tool)
			case []any:
				parts = append(parts, textList(tool)...)
			}
		}
	}
	for _, p := range []string{"earlier", "action", "tool", "a", "later", "prerequisite", "b"} {
		add(args[p])
	}
	if list, ok := args["any_one_of"].([]any); ok {
		for _, v := range list {
			add(v)
		}
	}
	var b strings.Builder
	for _, c := range strings.ToLower(strings.Join(parts, "-")) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			b.WriteRune(c)
		} else if s := b.String(); s != "" && s[len(s)-1] != '-' {
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

func (r *fileReader) freeID(id string) string {
	if !r.ids[id] {
		return id
	}
	for i := 2; ; i++ {
		if next := fmt.Sprintf("%s-%d", id, i); !r.ids[next] {
			return next
		}
	}
}
