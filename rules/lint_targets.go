package rules

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

// parts visits every part of a rule's targets, those inside "not" too.
func (r *linted) parts(visit func(p *part)) {
	var walk func(t *target)
	walk = func(t *target) {
		for i := range t.parts {
			visit(&t.parts[i])
			if t.parts[i].not != nil {
				walk(t.parts[i].not)
			}
		}
	}
	for _, t := range r.targets {
		walk(t)
	}
}

// toolNamesOf are the names a rule uses: in targets, and in formulas as text.
func (r *linted) toolNamesOf() []string {
	var names []string
	r.parts(func(p *part) {
		for _, n := range p.tools {
			if n.glob == nil {
				names = append(names, n.name)
			}
		}
	})
	if r.formula != nil {
		for _, n := range r.Tools {
			if !strings.Contains(n, "*") {
				names = append(names, n)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unknownTools: L001. A command without a spec appears under its own name, so
// only names that no command line gives are told: those that look like a
// subcommand of a command that has none, misspelt ones of harness tools, and
// undeclared subcommands close to a declared one.
func (l *linter) unknownTools() {
	for _, r := range l.rules {
		for _, name := range r.toolNamesOf() {
			if msg := l.tools.unknown(name); msg != "" {
				l.add(r, "%s", msg)
			}
		}
	}
}

// taskRunners are programs whose first word is a target of the project's own,
// whether or not they have a spec.
var taskRunners = [...]string{"make", "just", "task", "rake", "npm", "pnpm", "yarn", "bun", "cargo", "go", "mvn", "gradle", "nox", "tox"}

func (b *toolBook) unknown(name string) string {
	_, known, parent := b.tool(name)
	if known || strings.HasPrefix(name, "mcp__") || strings.ContainsAny(name, "./") {
		return ""
	}
	near := nearest(name, b.names)
	if name != strings.ToLower(name) {
		if _, ok := b.native[near]; ok {
			return "there is no tool " + name + "; did you mean " + near + "?"
		}
		return ""
	}
	if run, _, ok := strings.Cut(name, "_"); parent == "" && ok && slices.Contains(taskRunners[:], run) {
		parent = run
	}
	switch {
	case parent == "":
		return ""
	case !b.subcommands(parent):
		word := strings.TrimPrefix(name, parent+"_")
		return "no command line gives " + name + ": " + parent + " has no subcommands; write {tool: " + parent + ", with: {argv: " + word + "}}, or its own arguments"
	case near != "" && strings.HasPrefix(near, parent):
		return name + " is not a subcommand that is known; did you mean " + near + "?"
	}
	return ""
}

// unknownArguments: L002.
func (l *linter) unknownArguments() {
	for _, r := range l.rules {
		r.parts(func(p *part) {
			if len(p.effects) > 0 {
				return
			}
			for _, arg := range p.arguments() {
				l.argument(r, p, arg)
			}
		})
	}
}

// arguments are the keys of with, where and each.
func (p *part) arguments() []string {
	var out []string
	for _, w := range p.with {
		out = append(out, w.arg)
	}
	for _, c := range slices.Concat(p.where, p.each) {
		out = append(out, c.arg)
	}
	if p.regex != nil && p.regex.field != "" {
		out = append(out, p.regex.field)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// runsScript says whether a tool is a shell: without a spec, but its call names
// the script it runs and the text it reads (shell.md 3.2).
func runsScript(tool string) bool {
	switch tool {
	case "bash", "sh", "zsh", "dash", "ksh", "ash", "fish":
		return true
	}
	return false
}

// argument tells an argument that none of a part's tools has.
func (l *linter) argument(r *linted, p *part, arg string) {
	if slices.Contains(commonParams[:], arg) || len(p.tools) == 0 {
		return
	}
	base, _, _ := strings.Cut(arg, ".")
	base, _, _ = strings.Cut(base, "[")
	var names, known []string
	for _, n := range p.tools {
		if n.glob != nil {
			return
		}
		t, ok, _ := l.tools.tool(n.name)
		switch {
		case !ok && strings.HasPrefix(n.name, "mcp__"), !ok && n.name != strings.ToLower(n.name):
			return
		case !ok && runsScript(n.name) && (base == "script" || base == "stdin"):
			return
		case !ok:
			names = append(names, n.name)
		case t.Open || n.name == "dd":
			return // dd takes any k=v
		default:
			if _, ok := paramOf(t, base); ok {
				return
			}
			names = append(names, n.name)
			for _, q := range t.Params {
				known = append(known, q.Name)
			}
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	switch {
	case nearest(arg, known) != "":
		l.add(r, "%s has no argument %s%s", list(names, "or"), arg, didYouMean(arg, known))
	case len(known) > 0:
		l.add(r, "%s has no argument %s; it has %s", list(names, "or"), arg, strings.Join(known, ", "))
	default:
		l.add(r, "%s has no spec, so its only argument is argv: %s never matches; add a spec under tools", list(names, "or"), arg)
	}
}

// shellTool: L003. A shell tool's own name only matches lines that could not be
// read.
func (l *linter) shellTool() {
	for _, r := range l.rules {
		r.parts(func(p *part) {
			for _, n := range p.tools {
				if (n.name == "Bash" || n.name == "PowerShell") && p.regex == nil {
					l.add(r, "%s matches only command lines that could not be read; name the command itself (agentltl-hook translate LINE), or unanalysed", n.name)
				}
			}
		})
	}
}

// strayVariables: L004.
func (l *linter) strayVariables() {
	for _, r := range l.rules {
		switch r.Kind {
		case "never", "require":
		default:
			continue
		}
		for _, t := range r.targets {
			if vars := t.vars(); len(vars) > 0 {
				l.add(r, "%s is a variable, which only before, at_most and never_after know: it matches anything here; write $%s for the text", dollars(vars), dollars(vars[:1]))
			}
		}
	}
}

var versionLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)version|tag|release|image`) })

// argumentTypes: L005.
func (l *linter) argumentTypes() {
	for _, r := range l.rules {
		r.parts(func(p *part) {
			for _, w := range p.with {
				l.argumentType(r, p, w)
			}
		})
	}
}

func (l *linter) argumentType(r *linted, p *part, w withCond) {
	for _, n := range p.tools {
		t, ok, _ := l.tools.tool(n.name)
		if n.glob != nil || !ok {
			continue
		}
		q, ok := paramOf(t, w.arg)
		if !ok {
			continue
		}
		_, isBool := w.expected.(bool)
		num, isNumber := w.expected.(json.Number)
		switch {
		case isBool && (q.Type == "text" || q.Type == "list" || q.Type == "number"):
			l.add(r, "%s of %s is text: compared with true or false, any text counts as true", w.arg, n.name)
		case isNumber && q.Type == "text" && strings.Contains(string(num), ".") && versionLike().MatchString(w.arg):
			l.add(r, "%s of %s is text: write it in quotes, the number is %s", w.arg, n.name, num)
		}
	}
}

// whereOnLists: L006.
func (l *linter) whereOnLists() {
	for _, r := range l.rules {
		if r.Kind != "require" {
			continue
		}
		r.parts(func(p *part) {
			for _, c := range p.where {
				for _, n := range p.tools {
					if t, ok, _ := l.tools.tool(n.name); ok {
						if q, ok := paramOf(t, c.arg); ok && q.Type == "list" {
							l.add(r, "%s of %s is a list, and where is satisfied by one of several: use each to ask it of all", c.arg, n.name)
						}
					}
				}
			}
		})
	}
}

// neverSucceeded: L007.
func (l *linter) neverSucceeded() {
	for _, r := range l.rules {
		if r.Kind != "never" {
			continue
		}
		r.parts(func(p *part) {
			if p.succeeded != nil {
				l.add(r, "a call that has not run yet may succeed or fail, so succeeded refuses it always: leave it out")
			}
		})
	}
}

var leadingWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\^?\(?\\?b?([a-z][a-z0-9-]*)`) })

// shellRegexps: L019.
func (l *linter) shellRegexps() {
	for _, r := range l.rules {
		r.parts(func(p *part) {
			if p.regex == nil || !slices.ContainsFunc(p.tools, func(n toolName) bool { return n.name == "Bash" || n.name == "PowerShell" }) {
				return
			}
			m := leadingWord().FindStringSubmatch(p.regex.source)
			if m == nil {
				return
			}
			if _, ok := l.set.Specs.Command(m[1]); ok {
				l.add(r, "a regular expression on the line also hits text that only mentions %s, and misses other spellings: name the tool %s", m[1], spec.Normalize(m[1]))
			}
		})
	}
}
