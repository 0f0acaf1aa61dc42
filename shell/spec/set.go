package spec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agentltl/agentltl-hook/trace"
)

// A Set is the specs in force: the bundled ones and those of rule files. It is
// safe for concurrent use. The zero Set holds none.
type Set struct {
	index string // sorted lines: see NewSet
	data  string
	paths string              // sorted lines "tool field": path fields that no list of names shows
	own   map[string]*Command // of rule files, by name and alias
	base  *Set                // the set without specs that may only add a reading; nil: none
	cache sync.Map            // offset in data -> *Command
	tools toolList

	ownPaths sync.Once
	ownField map[string]bool // "tool field" of own
}

// NewSet reads bundled specs in the form the generator writes: data is one JSON
// object after the other, one for each program and subcommand; index has a line
// for each path ("git", "git push") and alias, sorted, with where its object
// stands. Nothing is decoded before a line names it, so the number of specs costs
// nothing at start.
// paths has a sorted line "tool field" for each path field whose name does not
// say so.
func NewSet(index, data, paths string) *Set { return &Set{index: index, data: data, paths: paths} }

// With returns the set with the specs of rule files added. A spec extends the
// bundled one of its name unless it replaces it.
func (s *Set) With(own []*Command) *Set {
	if len(own) == 0 {
		return s
	}
	out := &Set{index: s.index, data: s.data, paths: s.paths, own: map[string]*Command{}}
	maps.Copy(out.own, s.own)
	for _, c := range own {
		full := c
		if base := s.command(c.Name); base != nil && !c.Replace {
			full = merge(base, c)
		}
		for _, n := range append([]string{c.Name, full.Name}, full.Aliases...) {
			out.own[n] = full
		}
	}
	return out
}

type found struct {
	command *Command
	program string // name under which it was found: the spec's own, or that of a command like it
	tool    string
	sub     string // subcommand that the program's name holds: git-push
}

// find looks a program up: by basename, exact, then without .exe, then without
// case, then without a version suffix, then git-x as git x (shell.md 5).
func (s *Set) find(name string) (found, bool) {
	base := Base(name)
	short := strings.TrimSuffix(base, ".exe")
	low := strings.ToLower(short)
	low = strings.TrimSuffix(low, ".exe")
	for _, n := range []string{base, short, low, unversioned(low)} {
		if n == "" || strings.Contains(n, " ") { // "git push" is no program
			continue
		}
		if c := s.command(n); c != nil {
			return s.resolve(c)
		}
		if v, _, ok := strings.Cut(n, "."); ok && v == "mkfs" {
			if c := s.command("mkfs"); c != nil {
				return s.resolve(c)
			}
		}
	}
	if sub, ok := strings.CutPrefix(low, "git-"); ok && sub != "" {
		if c := s.command("git"); c != nil {
			return found{command: c, program: "git", tool: "git", sub: sub}, true
		}
	}
	return found{}, false
}

// unversioned cuts the version off a program's name: python3.12 is python3,
// then python.
func unversioned(name string) string {
	out := strings.TrimRight(name, "0123456789.")
	if out == name || out == "" {
		return ""
	}
	return strings.TrimSuffix(out, "-")
}

// resolve follows "like" and names the tool.
func (s *Set) resolve(c *Command) (found, bool) {
	f := found{command: c, program: c.Name, tool: c.Tool}
	if c.Like != "" {
		base := s.command(c.Like)
		if base == nil {
			return found{}, false
		}
		f.command = likeness(base, c)
	}
	if f.tool == "" {
		f.tool = Normalize(c.Name)
	}
	return f, true
}

// command returns the spec with that name or alias, nil when there is none.
func (s *Set) command(name string) *Command {
	if c := s.own[name]; c != nil {
		return c
	}
	return s.record(name)
}

// record decodes a bundled spec: of a program, or of a subcommand by its path.
func (s *Set) record(path string) *Command {
	line, ok := s.line(path)
	if !ok {
		return nil
	}
	off, n := line.off, line.n
	if c, ok := s.cache.Load(off); ok {
		return c.(*Command)
	}
	c := &Command{}
	if _, err := trace.DecodeStruct([]byte(s.data[off:off+n]), c); err != nil {
		panic(fmt.Sprintf("spec: bundled spec of %s does not decode: %v", path, err))
	}
	c.set, c.key = s, c.Name
	if parent, _, ok := cutLast(path, " "); ok {
		c.key = parent + " " + c.Name
	}
	got, _ := s.cache.LoadOrStore(off, c)
	return got.(*Command)
}

// An entry is a line of the index.
type entry struct {
	key    string
	off, n int
	alias  bool
}

func readEntry(line string) entry {
	key, rest, _ := strings.Cut(line, "\t")
	off, rest, _ := strings.Cut(rest, "\t")
	n, rest, _ := strings.Cut(rest, "\t")
	e := entry{key: key, alias: rest == "a"}
	e.off, _ = strconv.Atoi(off)
	e.n, _ = strconv.Atoi(n)
	return e
}

// line searches the index.
func (s *Set) line(key string) (entry, bool) {
	start := s.from(key)
	if start == len(s.index) {
		return entry{}, false
	}
	end := start + strings.IndexByte(s.index[start:], '\n')
	e := readEntry(s.index[start:end])
	return e, e.key == key
}

// from is the offset of the first line whose key is not below key.
func (s *Set) from(key string) int {
	lo, hi := 0, len(s.index)
	for lo < hi {
		mid := lo + (hi-lo)/2
		start := strings.LastIndexByte(s.index[:mid], '\n') + 1
		end := start + strings.IndexByte(s.index[start:], '\n')
		k, _, _ := strings.Cut(s.index[start:end], "\t")
		if k < key {
			lo = end + 1
		} else {
			hi = start
		}
	}
	return lo
}

// below lists the names of the subcommands of a bundled command.
func (s *Set) below(path string) (out []string) {
	prefix := path + " "
	for line := range strings.Lines(s.index[s.from(prefix):]) {
		e := readEntry(strings.TrimSuffix(line, "\n"))
		name, ok := strings.CutPrefix(e.key, prefix)
		if !ok {
			break
		}
		if !e.alias && !strings.Contains(name, " ") {
			out = append(out, name)
		}
	}
	return out
}

// Names lists the commands of the set, without aliases.
func (s *Set) Names() []string {
	var out []string
	for line := range strings.Lines(s.index) {
		e := readEntry(strings.TrimSuffix(line, "\n"))
		if !e.alias && !strings.Contains(e.key, " ") {
			out = append(out, e.key)
		}
	}
	for n, c := range s.own {
		if n == c.Name {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Command returns the spec of a name or alias, with "like" followed.
func (s *Set) Command(name string) (*Command, bool) {
	f, ok := s.find(name)
	return f.command, ok && f.sub == ""
}
