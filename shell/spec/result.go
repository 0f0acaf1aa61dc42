package spec

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// finish makes the answer of what was read.
func (p *parser) finish() Parsed {
	out := &p.out
	out.Tool, out.Specced, out.Args = p.tool, true, trace.Args{}
	out.UnknownArgs = p.maybe
	if p.dynamic {
		return Parsed{Tool: "unknown_command", Args: trace.Args{"argv": argv(p.words)}, Specced: true, DynamicTool: true}
	}
	if !p.unspec {
		p.assignOperands()
		p.derive()
	}
	p.fill()
	p.leftovers()
	p.forms()
	if !p.unspec {
		p.effects()
		p.runs()
		p.texted()
	}
	return p.out
}

// fill makes Args and Fields of the slots, the program's first. A value that a
// subcommand has wins over one of the same name above it.
func (p *parser) fill() {
	for _, f := range p.frames {
		for _, dest := range f.order {
			s := f.slots[dest]
			if p.unspec && !s.set {
				continue
			}
			if _, have := p.out.Args[dest]; have && !s.set {
				continue
			}
			v, vals, ok := s.value()
			if !ok {
				continue
			}
			p.out.Args[dest] = v
			p.out.Fields = slices.DeleteFunc(p.out.Fields, func(x Field) bool { return x.Name == dest })
			p.out.Fields = append(p.out.Fields, s.field(dest, vals))
			p.special(s, dest)
			if s.suffix != nil {
				name := dest + "_suffix"
				if s.opt.Type == Optional {
					name = dest + "_value"
				}
				p.out.Args[name] = s.suffix.Text
				p.out.Fields = append(p.out.Fields, Field{Name: name, From: []Value{*s.suffix}})
			}
		}
	}
}

// value is what stands in Args. An option that takes values is left out when it
// was not given, a boolean is false, a run of operands is empty.
func (s *slot) value() (v any, from []Value, ok bool) {
	if s.opt == nil {
		if s.pos == nil || !s.set && s.pos.Nargs != "*" {
			return nil, nil, false
		}
		if s.pos.Nargs == "*" || s.pos.Nargs == "+" {
			return texts(s.vals), s.vals, true
		}
		return s.vals[0].Text, s.vals[:1], true
	}
	if s.opt.New && !s.set {
		// What the peer does not know is there only when given: dozens of rare
		// flags would fill every trace, and a missing field equals false.
		return nil, nil, false
	}
	switch t := s.opt.Type; {
	case t == Bool, t == Attached, t == Optional:
		return s.on, nil, true
	case t == Count:
		return json.Number(strconv.Itoa(s.n)), nil, true
	case !s.set:
		return nil, nil, false
	case t == Glued && len(s.vals) == 0:
		return s.on, nil, true
	case len(s.vals) == 0:
		return nil, nil, false
	case t == List:
		return texts(s.vals), s.vals, true
	case t == Map:
		m := map[string]any{}
		for _, v := range s.vals {
			k, x, _ := strings.Cut(v.Text, "=")
			m[k] = x
		}
		return m, nil, true
	}
	last := s.vals[len(s.vals)-1]
	if s.opt.Type == Int {
		if n, err := strconv.Atoi(last.Text); err == nil {
			return json.Number(strconv.Itoa(n)), []Value{last}, true
		}
	}
	return last.Text, []Value{last}, true
}

func texts(vals []Value) []any {
	out := make([]any, len(vals))
	for i, v := range vals {
		out[i] = v.Text
	}
	return out
}

func (s *slot) kind(dest string) PathKind {
	k := ByName
	if s.opt != nil {
		k = s.opt.Path
	} else if s.pos != nil {
		k = s.pos.Path
	}
	if k == ByName {
		if pathName(dest) {
			return IsPath
		}
		return NoPath
	}
	return k
}

func (s *slot) field(dest string, vals []Value) Field {
	f := Field{Name: dest, From: vals}
	k := s.kind(dest)
	f.Path, f.Start = k != NoPath && k != TypedPath, k == StartPath
	f.Typed = k == NewPath
	if k == AnyHost {
		f.From = slices.Clone(vals)
		for i := range f.From {
			f.From[i].Plain = remote(f.From[i].Text)
		}
	}
	return f
}

// pathName lists the names that are path fields unless a spec says otherwise
// (shell.md 5).
func pathName(name string) bool {
	switch name {
	case "path", "paths", "file", "files", "directory", "sources", "destination", "destination_dir", "of", "if",
		"archive", "input", "patchfile", "patches", "script_file", "program_file", "output", "file_path", "notebook_path",
		"uploads":
		return true
	}
	return false
}

// remote says whether an operand of scp or rsync is on another machine: a colon
// with no slash before it, or a URL.
func remote(s string) bool {
	i := strings.IndexAny(s, ":/")
	return i > 0 && s[i] == ':'
}

// special collects roles and secrets.
func (p *parser) special(s *slot, dest string) {
	role, wrapper := "", ""
	switch {
	case s.opt != nil:
		role, wrapper = s.opt.Role, s.opt.Wrapper
	case s.pos != nil:
		role = s.pos.Role
	}
	switch role {
	case "", "line", "argv":
		return
	case "secret":
		p.out.Secret = append(p.out.Secret, dest)
	case "code":
		p.out.Opaque = "code"
	}
	if wrapper == "" {
		wrapper = p.program
	}
	for _, v := range s.vals {
		p.out.Roles = append(p.out.Roles, Role{Role: role, Field: dest, Value: v, Wrapper: wrapper})
	}
}

// leftovers adds the fields for words no spec covers.
func (p *parser) leftovers() {
	p.out.Matched = !p.unspec && !p.missing && !p.odd && len(p.operands) == 0 && len(p.extra) == 0
	p.out.PathsUnknown = p.top().cmd.PathsOpen
	asArgv := p.unspec || p.missing
	p.flags = len(p.extra)
	switch {
	case p.unspec:
	case slices.ContainsFunc(p.top().cmd.Run, func(r RunSpec) bool { return r.From == "argv" }):
		asArgv = asArgv || len(p.operands) > 0
	default:
		for _, t := range p.operands { // behind the flags, as the peer has it
			p.extra = append(p.extra, t.value())
		}
	}
	if len(p.extra) > 0 && !p.unspec {
		p.out.Args["extra_args"] = texts(p.extra)
		p.out.Fields = append(p.out.Fields, Field{Name: "extra_args", From: p.extra})
	}
	if asArgv {
		p.out.Args["argv"] = argv(p.words)
	}
	for _, f := range p.unsure {
		if !slices.Contains(p.out.Unsure, f) {
			p.out.Unsure = append(p.out.Unsure, f)
		}
	}
}

// forms adds the names and arguments that the peer gives this call
// (shell.md 5.6).
func (p *parser) forms() {
	switch {
	case p.unspec:
		if p.peerTool != "" && p.peerTool != p.tool {
			p.out.Forms = append(p.out.Forms, Form{Tool: p.peerTool, Args: trace.Args{"argv": argv(p.words)}})
		}
		return
	case p.peerExtra:
		p.out.Forms = append(p.out.Forms, Form{Tool: p.peerTool, Args: trace.Args{"extra_args": argv(p.words)}})
		return
	case p.peerTool != "":
		p.out.Forms = append(p.out.Forms, Form{Tool: p.peerTool, Args: trace.Args{"argv": argv(p.words)}})
		return
	}
	if f := p.peerReading(); len(f.Args) > 0 || len(f.Drop) > 0 {
		p.out.Forms = append(p.out.Forms, f)
	}
}

// peerReading is how the peer's arguments differ from ours. A line that it gets
// wrong has no such form.
func (p *parser) peerReading() Form {
	f := Form{Tool: p.tool, Patch: true, Args: trace.Args{}}
	for _, c := range p.cuts {
		f.Args[c.dest] = c.text
		if _, list := p.out.Args[c.dest].([]any); list {
			f.Args[c.dest] = []any{c.text}
		}
	}
	for _, fr := range p.frames {
		for dest, s := range fr.slots {
			if s.set && s.opt != nil && s.opt.NewMany && len(s.vals) == 1 {
				f.Args[dest] = s.vals[0].Text
			}
			if s.set && s.kind(dest) == NewPath {
				f.Args[dest] = s.vals[len(s.vals)-1].Text
				if s.opt != nil && s.opt.Type == List {
					f.Args[dest] = texts(s.vals)
				}
			}
		}
	}
	if p.misread {
		return Form{}
	}
	if c := p.top().cmd; c.AfterNew && len(p.after) > 0 {
		last := c.Positionals[len(c.Positionals)-1].Name
		words := slices.Clone(p.top().slot(last).vals)
		for _, t := range p.after {
			words = append(words, t.value())
		}
		f.Args[last] = texts(words)
		f.Drop = append(f.Drop, c.AfterDash)
	}
	if added := p.newOperands(); len(p.renewed)+len(added) > 0 {
		words := append(slices.Clone(p.extra[:p.flags]), p.renewed...)
		slices.SortStableFunc(words, func(a, b Value) int { return a.Word - b.Word })
		words = slices.Concat(words, added, p.extra[p.flags:])
		f.Args["extra_args"] = texts(words)
		for _, fr := range p.frames {
			for dest, s := range fr.slots {
				switch {
				case !s.set:
				case s.opt != nil && s.opt.New:
					f.Drop = append(f.Drop, dest, dest+"_value", dest+"_suffix")
				case s.pos != nil && s.pos.New:
					f.Drop = append(f.Drop, dest)
				}
			}
		}
		slices.Sort(f.Drop)
	}
	return f
}

// newOperands are the words of operands that the peer does not know. It keeps
// them in extra_args.
func (p *parser) newOperands() (out []Value) {
	for _, s := range p.top().slots {
		if s.pos != nil && s.pos.New {
			out = append(out, s.vals...)
		}
	}
	slices.SortFunc(out, func(a, b Value) int { return a.Word - b.Word })
	return out
}
