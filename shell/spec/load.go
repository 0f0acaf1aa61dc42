package spec

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Load reads the spec of one command (shell.md 5). All problems are reported;
// with any, the command is not to be used.
func Load(name string, n Node) (*Command, []Problem) {
	l := &loader{}
	c := l.command(name, n, true)
	return c, l.problems
}

type loader struct{ problems []Problem }

func (l *loader) fail(n Node, format string, a ...any) {
	l.problems = append(l.problems, Problem{Line: n.Line, Msg: fmt.Sprintf(format, a...)})
}

func (l *loader) command(name string, n Node, top bool) *Command {
	c := &Command{Name: name, Line: n.Line}
	if name == "" {
		l.fail(n, "a command needs a name")
	}
	if n.Kind == Null {
		return c
	}
	l.each(n, "spec of "+name, func(key string, k, v Node) bool {
		switch key {
		case "tool":
			c.Tool = l.text(v, key)
		case "aliases":
			c.Aliases = append(c.Aliases, l.texts(v, key)...)
		case "new_aliases":
			c.NewAliases = l.texts(v, key)
			c.Aliases = append(c.Aliases, c.NewAliases...)
		case "options":
			for _, o := range l.list(v, key) {
				c.Options = append(c.Options, l.option(o))
			}
		case "positionals":
			c.Positionals = []Positional{}
			for _, o := range l.list(v, key) {
				c.Positionals = append(c.Positionals, l.positional(o))
			}
		case "subcommands":
			l.each(v, key, func(sub string, k, w Node) bool {
				c.Subs = append(c.Subs, l.command(sub, w, false))
				return true
			})
		case "after_dashdash":
			c.AfterDash = l.text(v, key)
		case "numeric":
			c.Numeric = l.text(v, key)
		case "like":
			c.Like = l.text(v, key)
			return top
		case "any":
			c.Any = l.word(v, key, "aws", "az", "gcloud", "fields")
		case "dashes":
			switch l.word(v, key, "any", "exact") {
			case "any":
				c.AnyDash = true
			default:
				c.Off = append(c.Off, key)
			}
		case "posix":
			l.flag(v, key, &c.Posix, c)
		case "key_value":
			l.flag(v, key, &c.KeyValue, c)
		case "negations":
			l.flag(v, key, &c.Negations, c)
		case "abbrev":
			l.flag(v, key, &c.Abbrev, c)
		case "old_bundle":
			l.flag(v, key, &c.OldBundle, c)
		case "expression":
			l.flag(v, key, &c.Expression, c)
		case "new":
			l.flag(v, key, &c.New, c)
		case "after_new":
			l.flag(v, key, &c.AfterNew, c)
		case "unknown_paths":
			l.flag(v, key, &c.PathsOpen, c)
		case "extend":
			on := true
			l.flag(v, key, &on, c)
			c.Replace = !on
		case "run":
			c.Run = l.runs(v)
		case "derive":
			c.Derive = l.texts(v, key)
			for _, d := range c.Derive {
				if !slices.Contains(derivations(), d) {
					l.fail(v, "derive: there is no %q; known: %s", d, strings.Join(derivations(), ", "))
				}
			}
		case "effects":
			c.Effects = l.effects(v)
		case "examples":
			for _, e := range l.list(v, key) {
				c.Examples = append(c.Examples, l.example(e))
			}
			return top
		case "help":
			l.text(v, key)
		default:
			return false
		}
		return true
	})
	l.check(c, n)
	return c
}

// check finds what no single key shows.
func (l *loader) check(c *Command, n Node) {
	seen := map[string]bool{}
	for _, o := range c.Options {
		for _, f := range o.Flags {
			if seen[f] {
				l.fail(n, "flag %s of %s is declared twice", f, c.Name)
			}
			seen[f] = true
		}
	}
	names := map[string]bool{}
	for _, q := range c.Positionals {
		if names[q.Name] {
			l.fail(n, "operand %s of %s is declared twice", q.Name, c.Name)
		}
		names[q.Name] = true
	}
}

func (l *loader) option(n Node) Option {
	o := Option{}
	l.each(n, "option", func(key string, k, v Node) bool {
		switch key {
		case "flags":
			o.Flags = l.texts(v, key)
		case "dest":
			o.Dest = l.text(v, key)
		case "type":
			o.Type = l.kind(v)
		case "choices":
			o.Choices = l.texts(v, key)
		case "role":
			o.Role = l.word(v, key, "cwd", "line", "argv", "code", "config", "env", "secret", "url", "load", "program")
		case "wrapper":
			o.Wrapper = l.text(v, key)
		case "path":
			o.Path = l.path(v)
		case "global":
			o.Global = l.truth(v, key)
		case "new":
			o.New = l.truth(v, key)
		case "many":
			o.Many = l.truth(v, key)
		case "new_many":
			o.NewMany = l.truth(v, key)
		case "rest":
			o.Rest = l.truth(v, key)
		case "pair":
			o.Pair = l.truth(v, key)
		case "ends":
			o.Ends = l.truth(v, key)
		case "digits":
			o.Digits = l.truth(v, key)
		case "help":
			o.Help = l.text(v, key)
		default:
			return false
		}
		return true
	})
	if len(o.Flags) == 0 && n.Kind == Mapping {
		l.fail(n, "an option needs flags")
	}
	for _, f := range o.Flags {
		if f == "" || f[0] != '-' && len(f) > 1 {
			l.fail(n, "flag %q: a flag begins with -, or is one letter of a first word without (ps u)", f)
		}
	}
	if o.Dest == "" {
		o.Dest = destOf(o)
	}
	return o
}

// destOf: the first --long with "-" as "_", else the first flag without dashes;
// for attached values the last flag.
func destOf(o Option) string {
	if len(o.Flags) == 0 {
		return ""
	}
	pick := o.Flags[0]
	if i := slices.IndexFunc(o.Flags, func(f string) bool { return strings.HasPrefix(f, "--") }); i >= 0 {
		pick = o.Flags[i]
	}
	if o.Type == Attached {
		pick = o.Flags[len(o.Flags)-1]
	}
	return strings.ReplaceAll(strings.TrimLeft(pick, "-+"), "-", "_")
}

func (l *loader) kind(n Node) Type {
	names := []string{"str", "bool", "count", "list", "int", "attached", "optional", "map", "glued"}
	i := slices.Index(names, n.Value)
	if i < 0 || n.Kind != String {
		l.fail(n, "type: there is no %q; known: %s", n.Value, strings.Join(names, ", "))
		return Str
	}
	return Type(i)
}

func (l *loader) positional(n Node) Positional {
	q := Positional{}
	if n.Kind == String {
		q.Name = n.Value
		return q
	}
	l.each(n, "operand", func(key string, k, v Node) bool {
		switch key {
		case "name":
			q.Name = l.text(v, key)
		case "nargs":
			q.Nargs = v.Value
			if q.Nargs == "one" || q.Nargs == "1" {
				q.Nargs = ""
			}
			if !slices.Contains([]string{"", "?", "*", "+"}, q.Nargs) {
				l.fail(v, "nargs: one, ?, * or +, not %q", v.Value)
			}
		case "choices":
			q.Choices = l.texts(v, key)
		case "unless":
			q.Unless = l.texts(v, key)
		case "dashed":
			q.Dashed = l.text(v, key)
		case "role":
			q.Role = l.word(v, key, "cwd", "code", "config", "env", "secret", "url", "program")
		case "path":
			q.Path = l.path(v)
		case "new":
			q.New = l.truth(v, key)
		case "help":
			l.text(v, key)
		case "required":
			if !l.truth(v, key) && q.Nargs == "" {
				q.Nargs = "?"
			}
		default:
			return false
		}
		return true
	})
	if q.Name == "" && n.Kind == Mapping {
		l.fail(n, "an operand needs a name")
	}
	return q
}

func (l *loader) path(n Node) PathKind {
	if n.Kind == Boolean {
		if n.truth() {
			return IsPath
		}
		return NoPath
	}
	switch l.word(n, "path", "start", "remote", "new", "typed") {
	case "start":
		return StartPath
	case "remote":
		return AnyHost
	case "new":
		return NewPath
	case "typed":
		return TypedPath
	}
	return ByName
}

func (l *loader) runs(n Node) (out []RunSpec) {
	items := []Node{n}
	if n.Kind == Seq {
		items = n.Items
	}
	for _, it := range items {
		r := RunSpec{Kind: "argv"}
		l.each(it, "run", func(key string, k, v Node) bool {
			switch key {
			case "from":
				r.From = l.text(v, key)
			case "kind":
				r.Kind = l.word(v, key, "argv", "line", "remote", "package")
			case "remote":
				r.Remote = l.word(v, key, "host", "container", "chroot")
			case "wrapper":
				r.Wrapper = l.text(v, key)
			case "when":
				r.When = l.text(v, key)
			case "program":
				r.Program = l.text(v, key)
			case "repeated":
				r.Repeated = l.truth(v, key)
			case "conditional":
				r.Conditional = l.truth(v, key)
			default:
				return false
			}
			return true
		})
		if r.From == "" {
			l.fail(it, "run needs from: a field, or argv")
		}
		if r.Kind == "remote" && r.Remote == "" {
			r.Remote = "host"
		}
		out = append(out, r)
	}
	return out
}

// effects reads one mapping, or a list of them. Each may name several
// operations, which share its when and recursive.
func (l *loader) effects(n Node) (out []EffectSpec) {
	items := []Node{n}
	if n.Kind == Seq {
		items = n.Items
	}
	for _, it := range items {
		var ops []EffectSpec
		when, recursive := "", ""
		l.each(it, "effects", func(key string, k, v Node) bool {
			switch key {
			case "read", "write", "append", "truncate", "delete", "meta", "exec", "net", "send":
				ops = append(ops, EffectSpec{Op: key, Fields: l.texts(v, key)})
			case "when":
				when = l.text(v, key)
			case "recursive":
				recursive = v.Value
				if v.Kind == Boolean && !v.truth() {
					recursive = ""
				}
			default:
				return false
			}
			return true
		})
		for i := range ops {
			ops[i].When, ops[i].Recursive = when, recursive
		}
		out = append(out, ops...)
	}
	return out
}

func (l *loader) example(n Node) Example {
	e := Example{Pos: n.Line}
	l.each(n, "example", func(key string, k, v Node) bool {
		switch key {
		case "line":
			e.Line = l.text(v, key)
		case "tool":
			e.Tool = l.text(v, key)
		case "args":
			e.Args, _ = v.value().(map[string]any)
			if v.Kind != Mapping {
				l.fail(v, "args of an example: a mapping of field to value")
			}
		default:
			return false
		}
		return true
	})
	if n.Kind == Mapping && (e.Line == "" || e.Tool == "") {
		l.fail(n, "an example needs line and tool")
	}
	return e
}

// each goes through a mapping. The function answers false for a key it does not
// know.
func (l *loader) each(n Node, what string, f func(key string, k, v Node) bool) {
	if n.Kind != Mapping {
		l.fail(n, "%s: a mapping is wanted", what)
		return
	}
	for i, k := range n.Keys {
		if !f(k.Value, k, n.Items[i]) {
			l.fail(k, "%s: unknown key %q", what, k.Value)
		}
	}
}

func (l *loader) list(n Node, key string) []Node {
	if n.Kind == Null {
		return nil
	}
	if n.Kind != Seq {
		l.fail(n, "%s: a list is wanted", key)
		return nil
	}
	return n.Items
}

func (l *loader) text(n Node, key string) string {
	if n.Kind == Seq || n.Kind == Mapping || n.Kind == Null {
		l.fail(n, "%s: text is wanted", key)
	}
	return n.Value
}

func (l *loader) texts(n Node, key string) []string {
	if n.Kind == String || n.Kind == Number {
		return []string{n.Value}
	}
	var out []string
	for _, it := range l.list(n, key) {
		out = append(out, l.text(it, key))
	}
	return out
}

func (l *loader) truth(n Node, key string) bool {
	if n.Kind != Boolean {
		l.fail(n, "%s: true or false is wanted", key)
	}
	return n.truth()
}

func (l *loader) flag(n Node, key string, to *bool, c *Command) {
	*to = l.truth(n, key)
	if !*to {
		c.Off = append(c.Off, key)
	}
}

func (l *loader) word(n Node, key string, known ...string) string {
	if !slices.Contains(known, n.Value) {
		l.fail(n, "%s: there is no %q; known: %s", key, n.Value, strings.Join(known, ", "))
		return ""
	}
	return n.Value
}

func jsonNumber(s string) json.Number { return json.Number(s) }

// derivations lists the readings that "derive" can name.
func derivations() []string {
	return []string{
		"git_push", "branch_delete", "checkout_paths", "curl_output", "gh_api_method", "mkfs_type", "variables",
		"copy_effects", "link_effects", "compress_effects", "extract_effects", "sed_effects", "git_mv",
		"git_clean", "wget_effects",
		"awk_program", "checkpoint_action", "ssh_options", "rsync_shell", "vim_commands", "shell_escapes", "grep_pager", "filter_branch",
		"python_module", "uv_run", "pager_commands",
	}
}
