package spec

import "strings"

// Some programs have thousands of subcommands in one shape (aws service
// operation --some-field v). A command with "any" reads those it does not
// declare by that shape.

// undeclared returns a spec made up for a subcommand that none declares.
func (p *parser) undeclared(shape, word string) (*Command, bool) {
	depth := len(p.frames) - 1
	switch shape {
	case "aws":
		// aws SERVICE OPERATION: two words, then fields and perhaps operands.
		next := &Command{Name: word, New: true, Any: "aws"}
		if depth >= 1 {
			next.Any, next.Positionals = "fields", []Positional{{Name: "args", Nargs: "*"}}
		}
		return next, true
	case "az":
		// az GROUP ... VERB: words up to the first flag.
		return &Command{Name: word, New: true, Any: "az"}, true
	case "gcloud":
		next := &Command{Name: word, New: true, Any: "gcloud"}
		if verb(word) && depth >= 1 {
			next.Any, next.Positionals = "fields", []Positional{{Name: operandName(p.top().name), Nargs: "*"}}
		}
		return next, true
	}
	return nil, false
}

// verb says whether a word of a gcloud command ends its group path.
func verb(w string) bool {
	w, _, _ = strings.Cut(w, "-")
	switch w {
	case "list", "describe", "create", "delete", "update", "add", "remove", "set", "get", "unset", "deploy", "enable", "disable",
		"start", "stop", "reset", "resume", "suspend", "attach", "detach", "import", "export", "clone", "move", "patch", "restart",
		"connect", "call", "run", "submit", "cancel", "undelete", "upgrade", "resize", "rollback", "promote", "destroy", "print",
		"cp", "mv", "rm", "ls", "rsync", "cat", "publish", "pull", "read", "write", "tail", "ssh", "scp", "login", "revoke", "browse",
		"approve", "invoke", "execute", "abandon", "recreate", "restore", "rotate", "sign", "verify", "encrypt", "decrypt", "replace":
		return true
	}
	return false
}

// operandName is the name of a group, as a field for what its verbs act on.
func operandName(group string) string {
	n := Normalize(group)
	if n == "unknown_command" {
		return "args"
	}
	return n
}

// openField makes a field of a long flag that no spec declares, where the
// program's flags are fields by their names: "--some-name v w" is some_name.
func (p *parser) openField(t token, name, val string, hasVal bool) bool {
	shape := p.top().cmd.Any
	if shape == "" || len(p.frames) < 2 || len(name) < 3 {
		return false
	}
	dest := Normalize(name)
	f := p.top()
	s := f.slot(dest)
	if hasVal {
		s.opt, s.set = &Option{Dest: dest, Path: NoPath}, true
		s.vals = []Value{{Text: val, Word: t.idx}}
		return true
	}
	var vals []Value
	for len(p.toks) > 0 && (p.frames[0].cmd.Any != "gcloud" || len(vals) == 0) {
		v := p.toks[0]
		if len(v.text) > 1 && v.text[0] == '-' && v.word.Known {
			break
		}
		p.toks = p.toks[1:]
		p.note(v.word, true)
		vals = append(vals, v.value())
	}
	s.set, s.vals = true, vals
	switch len(vals) {
	case 0:
		s.opt, s.on = &Option{Dest: dest, Type: Bool}, true
	case 1:
		s.opt = &Option{Dest: dest, Path: NoPath}
	default:
		s.opt = &Option{Dest: dest, Type: List, Path: NoPath}
	}
	return true
}
