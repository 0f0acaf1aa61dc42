package spec

import (
	"iter"
	"slices"
	"strings"
	"sync"
)

// A Tool is a tool name that a spec can give, with the arguments rules can name.
type Tool struct {
	Name    string
	Command string // program and subcommands: "git push"
	Params  []Param
	// Open: arguments beyond Params may occur (words left over, fields named
	// after flags: aws, az, gcloud).
	Open bool
}

// A Param is one argument of a tool.
type Param struct {
	Name string
	Type string // text, bool, number, list, map
	Path bool
	Help string
}

// toolList is made on first use: it decodes every spec, which no hook does.
type toolList struct {
	once   sync.Once
	sorted []Tool
	byName map[string]int
}

// Tools lists all tools of the set, sorted by name. A tool that several commands
// give (docker rm, docker container rm) is listed once.
func (s *Set) Tools() []Tool {
	s.toolsOnce()
	return s.tools.sorted
}

// Tool describes a tool. A name that only fits an undeclared subcommand
// (git_notes, when no spec has it) is not known, and parent is the longest tool
// it may be a subcommand of; "" when there is none.
func (s *Set) Tool(name string) (t Tool, known bool, parent string) {
	s.toolsOnce()
	if i, ok := s.tools.byName[name]; ok {
		return s.tools.sorted[i], true, ""
	}
	for p := name; ; {
		i := strings.LastIndexByte(p, '_')
		if i <= 0 {
			return Tool{}, false, ""
		}
		p = p[:i]
		if j, ok := s.tools.byName[p]; ok && s.tools.sorted[j].Command != "" && s.tools.sorted[j].Open {
			return Tool{}, false, p
		}
	}
}

func (s *Set) toolsOnce() {
	s.tools.once.Do(func() {
		all := map[string]Tool{}
		for _, n := range s.Names() {
			f, ok := s.find(n)
			if !ok {
				continue
			}
			s.collect(all, f.command, f.tool, f.command.Name, nil, false)
		}
		names := make([]string, 0, len(all))
		for n := range all {
			names = append(names, n)
		}
		slices.Sort(names)
		s.tools.byName = make(map[string]int, len(all))
		for i, n := range names {
			s.tools.byName[n] = i
			s.tools.sorted = append(s.tools.sorted, all[n])
		}
	})
}

func (s *Set) collect(all map[string]Tool, c *Command, tool, path string, above []Param, any bool) {
	any = any || c.Any != ""
	own := append(slices.Clone(above), params(c)...)
	t := Tool{Name: tool, Command: path, Params: unique(own), Open: c.hasSubs() || any}
	if old, ok := all[tool]; ok {
		t.Params = unique(append(slices.Clone(old.Params), t.Params...))
		t.Command, t.Open = old.Command, t.Open || old.Open
	}
	all[tool] = t
	for _, sub := range c.Subcommands() {
		name := tool + "_" + Normalize(sub.Name)
		if sub.Tool != "" {
			name = sub.Tool
		}
		s.collect(all, sub, name, path+" "+sub.Name, own, any)
	}
}

// params lists what the words of one command can set, operands first.
func params(c *Command) []Param {
	var out []Param
	for i := range c.Positionals {
		q := &c.Positionals[i]
		p := Param{Name: q.Name, Type: "text", Path: (&slot{pos: q}).kind(q.Name) != NoPath}
		if q.Nargs == "*" || q.Nargs == "+" {
			p.Type = "list"
		}
		out = append(out, p)
	}
	if c.AfterDash != "" {
		out = append(out, Param{Name: c.AfterDash, Type: "list", Path: pathName(c.AfterDash)})
	}
	for i := range c.Options {
		o := &c.Options[i]
		p := Param{Name: o.Dest, Type: o.Type.shape(), Help: o.Help}
		p.Path = p.Type != "bool" && p.Type != "number" && (&slot{opt: o}).kind(o.Dest) != NoPath
		out = append(out, p)
		if o.Type == Attached {
			out = append(out, Param{Name: o.Dest + "_suffix", Type: "text"})
		}
		if o.Type == Optional {
			out = append(out, Param{Name: o.Dest + "_value", Type: "text"})
		}
	}
	if slices.ContainsFunc(c.Effects, func(e EffectSpec) bool { return e.Op == "send" }) {
		out = append(out, Param{Name: "uploads", Type: "list", Path: true})
	}
	for _, d := range c.Derive {
		switch d {
		case "git_push":
			out = append(out, Param{Name: "branches", Type: "list"}, Param{Name: "branches_unknown", Type: "bool"})
		case "variables":
			out = append(out, Param{Name: "variables", Type: "list"})
		case "checkout_paths":
			out = append(out, Param{Name: "paths", Type: "list", Path: true})
		}
	}
	return out
}

// shape is the JSON form of a value.
func (t Type) shape() string {
	switch t {
	case Bool, Attached, Optional:
		return "bool"
	case Count, Int:
		return "number"
	case List:
		return "list"
	case Map:
		return "map"
	default:
		return "text"
	}
}

// unique keeps the last of each name, in the order of the first: a subcommand's
// own argument hides one of the same name above it.
func unique(ps []Param) []Param {
	at := map[string]int{}
	var out []Param
	for _, p := range ps {
		if i, ok := at[p.Name]; ok {
			out[i] = p
			continue
		}
		at[p.Name] = len(out)
		out = append(out, p)
	}
	return out
}

// PathField says whether a tool's argument holds paths although its name is none
// of those that always do (shell.md 5). It decodes no bundled spec.
func (s *Set) PathField(tool, field string) bool {
	if s.own != nil {
		s.ownPaths.Do(s.collectOwn)
	}
	// A subcommand has the fields of the commands above it, too.
	for name := range above(tool) {
		line := name + " " + field
		if s.ownField[line] || s.pathLine(line) {
			return true
		}
	}
	return false
}

// above lists a tool's name and those that it may be a subcommand of.
func above(tool string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(tool) {
			i := strings.LastIndexByte(tool, '_')
			if i <= 0 {
				return
			}
			tool = tool[:i]
		}
	}
}

// pathLine searches paths.
func (s *Set) pathLine(line string) bool {
	lo, hi := 0, len(s.paths)
	for lo < hi {
		mid := lo + (hi-lo)/2
		start := strings.LastIndexByte(s.paths[:mid], '\n') + 1
		end := start + strings.IndexByte(s.paths[start:], '\n')
		switch strings.Compare(s.paths[start:end], line) {
		case 0:
			return true
		case -1:
			lo = end + 1
		default:
			hi = start
		}
	}
	return false
}

func (s *Set) collectOwn() {
	s.ownField = map[string]bool{}
	all := map[string]Tool{}
	for n, c := range s.own {
		if n == c.Name {
			s.collect(all, c, toolOf(c), c.Name, nil, false)
		}
	}
	for _, l := range pathLines(all) {
		s.ownField[l] = true
	}
}

// PathLines is what NewSet takes as paths.
func (s *Set) PathLines() []string {
	s.toolsOnce()
	all := map[string]Tool{}
	for _, t := range s.tools.sorted {
		all[t.Name] = t
	}
	return pathLines(all)
}

func pathLines(all map[string]Tool) (out []string) {
	lines := map[string]bool{}
	for _, t := range all {
		for _, p := range t.Params {
			if p.Path && !pathName(p.Name) {
				lines[t.Name+" "+p.Name] = true
			}
		}
	}
	for l := range lines {
		tool, field, _ := strings.Cut(l, " ")
		inherited := false
		for name := range above(tool) {
			inherited = inherited || name != tool && lines[name+" "+field]
		}
		if !inherited {
			out = append(out, l)
		}
	}
	slices.Sort(out)
	return out
}
