package rules

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentltl/agentltl-hook/trace"
)

// A target is what the rule language calls one: any of its parts matches
// (rules.md 6). It is made of decoded JSON by parseTarget and never changes.
type target struct {
	parts []part
	ctx   *Context

	keyOnce  sync.Once
	keyText  string
	features bool // toolNames names features in place of "any"
}

// key is the target's canonical JSON: equal keys, equal answers. It is made when
// it is first asked for, which no hook does.
func (t *target) key() string {
	t.keyOnce.Do(func() { t.keyText = t.canonical() })
	return t.keyText
}

// A part is one mapping, or name, of a target: all of its conditions hold.
type part struct {
	tools   []toolName
	effects []string
	remote  *bool

	with  []withCond
	where []globCond
	each  []globCond
	// outside and inside are patterns of folders before ${..} is expanded.
	outside, inside   []string
	exists, succeeded *bool
	not               *target
	regex             *regexCond
}

// A toolName is a name, or a glob over names if it holds a *.
type toolName struct {
	name string
	glob *glob // nil: the name itself
}

// A withCond is one key of "with": equality, or a variable.
type withCond struct {
	arg      string
	expected any
	variable string // $name without the $; "" if expected counts
}

// A globCond is one key of "where" or "each": any of the patterns.
type globCond struct {
	arg      string
	patterns []string
	globs    *globSet // shared by copies of the condition
}

// A globSet is the patterns of a condition as globs, made when a call is first
// compared with them: most conditions of a rule set never are.
type globSet struct {
	once  sync.Once
	fixed []*glob
	// perCall are the patterns with ${cwd}, which each call fills in.
	perCall []string
}

func (s *globSet) read(patterns []string, ctx *Context) {
	all := make([]glob, len(patterns))
	s.fixed = make([]*glob, 0, len(patterns))
	for i, text := range patterns {
		if text = ctx.expand(text, "", escapeGlob); strings.Contains(text, "${cwd}") {
			s.perCall = append(s.perCall, text)
			continue
		}
		all[i].text, all[i].slash = text, strings.IndexByte(text, '/') >= 0
		s.fixed = append(s.fixed, &all[i])
	}
}

// A regexCond is "matches" with its "field"; the pattern is compiled when a
// call of the tool is there.
type regexCond struct {
	field  string // "": the tool's shell argument, else command
	source string
	re     func() *regexp.Regexp
}

func newRegexCond(source, field string, caseSensitive bool) (*regexCond, error) {
	full := source
	if !caseSensitive {
		full = "(?i)" + source
	}
	// Checked here by a parse only; compiling is for a call that needs it.
	if _, err := parseRegexp(full); err != nil {
		return nil, err
	}
	return &regexCond{field: field, source: source, re: sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(full)
	})}, nil
}

// canonicalTool folds the two names of the subagent tool into one.
func canonicalTool(name string) string {
	if name == "Agent" {
		return "Task"
	}
	return name
}

// ToolMatches says whether a tool is one of the names that a target, or a rule's
// Tools, gives: only a * makes a name a glob.
func ToolMatches(name, tool string) bool {
	return name == tool || strings.Contains(name, "*") && newGlob(name).match(tool)
}

func (t toolName) matches(tool string) bool {
	if t.glob != nil {
		return t.glob.match(tool)
	}
	return t.name == tool || canonicalTool(t.name) == canonicalTool(tool)
}

// toolNames lists the names and globs a matching call can have; nil: any.
func (t *target) toolNames() []string {
	var names []string
	for i := range t.parts {
		p := &t.parts[i]
		if t.features && p.anyTool() {
			f := p.featureNames()
			if f == nil {
				return nil
			}
			names = append(names, f...)
			continue
		}
		if len(p.effects) > 0 {
			return nil
		}
		for _, n := range p.tools {
			if n.name == "*" {
				return nil
			}
			names = append(names, n.name)
			if canonicalTool(n.name) == "Task" {
				names = append(names, "Task", "Agent")
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// vars lists the variables of "with", sorted.
func (t *target) vars() []string {
	var vars []string
	for _, p := range t.parts {
		vars = append(vars, p.vars()...)
	}
	slices.Sort(vars)
	return slices.Compact(vars)
}

func (p *part) vars() []string {
	var vars []string
	for _, w := range p.with {
		if w.variable != "" {
			vars = append(vars, w.variable)
		}
	}
	slices.Sort(vars)
	return slices.Compact(vars)
}

// any says whether some part, or a target inside one, has a property.
func (t *target) any(has func(*part) bool) bool {
	for i := range t.parts {
		if has(&t.parts[i]) || t.parts[i].not != nil && t.parts[i].not.any(has) {
			return true
		}
	}
	return false
}

func (t *target) usesExists() bool {
	return t.any(func(p *part) bool { return p.exists != nil })
}

// narrows says whether a part asks for more than a tool (for require).
func (p *part) narrows() bool {
	return len(p.with)+len(p.where)+len(p.each)+len(p.outside)+len(p.inside) > 0 || p.regex != nil
}

// toolsOnly is the target without its conditions: the calls of its tools.
func (t *target) toolsOnly() *target {
	out := &target{ctx: t.ctx}
	for _, p := range t.parts {
		out.parts = append(out.parts, part{tools: p.tools, effects: p.effects, remote: p.remote})
	}
	return out
}

// canonical writes the target as JSON that parses to an equal one.
func (t *target) canonical() string {
	parts := make([]any, len(t.parts))
	for i := range t.parts {
		parts[i] = t.parts[i].json()
	}
	return trace.Canonical(parts)
}

func (p *part) json() map[string]any {
	m := map[string]any{}
	if len(p.effects) > 0 {
		m["effect"] = stringList(p.effects)
	} else {
		names := make([]string, len(p.tools))
		for i, n := range p.tools {
			names[i] = n.name
		}
		m["tool"] = stringList(names)
	}
	if p.remote != nil {
		m["remote"] = *p.remote
	}
	if len(p.with) > 0 {
		with := map[string]any{}
		for _, w := range p.with {
			switch {
			case w.variable != "":
				with[w.arg] = "$" + w.variable
			default:
				with[w.arg] = escapeDollar(w.expected)
			}
		}
		m["with"] = with
	}
	conds := func(key string, list []globCond) {
		if len(list) == 0 {
			return
		}
		c := map[string]any{}
		for _, g := range list {
			c[g.arg] = stringList(g.patterns)
		}
		m[key] = c
	}
	conds("where", p.where)
	conds("each", p.each)
	if len(p.outside) > 0 {
		m["outside"] = stringList(p.outside)
	}
	if len(p.inside) > 0 {
		m["inside"] = stringList(p.inside)
	}
	if p.exists != nil {
		m["exists"] = *p.exists
	}
	if p.succeeded != nil {
		m["succeeded"] = *p.succeeded
	}
	if p.not != nil {
		parts := make([]any, len(p.not.parts))
		for i := range p.not.parts {
			parts[i] = p.not.parts[i].json()
		}
		m["not"] = parts
	}
	if p.regex != nil {
		m["matches"] = p.regex.source
		if p.regex.field != "" {
			m["field"] = p.regex.field
		}
		if !strings.HasPrefix(p.regex.re().String(), "(?i)") {
			m["case"] = true
		}
	}
	return m
}

func stringList(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// escapeDollar turns text that looks like a variable back into its escape.
func escapeDollar(v any) any {
	if s, ok := v.(string); ok && isVariable(s) {
		return "$" + s
	}
	return v
}

// isVariable says whether text is $ and an identifier.
func isVariable(s string) bool {
	if len(s) < 2 || s[0] != '$' {
		return false
	}
	for i, r := range s[1:] {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return true
}
