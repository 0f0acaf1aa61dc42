package spec

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Set is the specs in force: the bundled ones and those of rule files. It is
// safe for concurrent use. The zero Set holds none.
type Set struct {
	index string // lines "name offset length", sorted: see NewSet
	data  string
	own   map[string]*Command // of rule files, by name and alias
	base  *Set                // the set without specs that may only add a reading; nil: none
	cache sync.Map            // canonical name -> *Command
}

// NewSet reads bundled specs in the form the generator writes: data is one JSON
// object after the other, index one line a name or alias, sorted, with where its
// object stands. Nothing is decoded before it is asked for, so the number of
// specs costs nothing at start.
func NewSet(index, data string) *Set { return &Set{index: index, data: data} }

// With returns the set with the specs of rule files added. A spec extends the
// bundled one of its name unless it replaces it.
func (s *Set) With(own []*Command) *Set {
	if len(own) == 0 {
		return s
	}
	out := &Set{index: s.index, data: s.data, own: map[string]*Command{}}
	for k, c := range s.own {
		out.own[k] = c
	}
	for _, c := range own {
		full := c
		if base := s.command(c.Name); base != nil && !c.Replace {
			full = merge(base, c)
		}
		for _, n := range append([]string{c.Name}, full.Aliases...) {
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
		if n == "" {
			continue
		}
		if c := s.command(n); c != nil {
			return s.resolve(c, n)
		}
		if v, _, ok := strings.Cut(n, "."); ok && v == "mkfs" {
			if c := s.command("mkfs"); c != nil {
				return s.resolve(c, "mkfs")
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
func (s *Set) resolve(c *Command, as string) (found, bool) {
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
	off, n, ok := s.place(name)
	if !ok {
		return nil
	}
	key := strconv.Itoa(off)
	if c, ok := s.cache.Load(key); ok {
		return c.(*Command)
	}
	c := &Command{}
	if err := json.Unmarshal([]byte(s.data[off:off+n]), c); err != nil {
		panic(fmt.Sprintf("spec: bundled spec of %s does not decode: %v", name, err))
	}
	got, _ := s.cache.LoadOrStore(key, c)
	return got.(*Command)
}

// place searches the index.
func (s *Set) place(name string) (off, n int, ok bool) {
	lo, hi := 0, len(s.index)
	for lo < hi {
		mid := lo + (hi-lo)/2
		start := strings.LastIndexByte(s.index[:mid], '\n') + 1
		end := start + strings.IndexByte(s.index[start:], '\n')
		line := s.index[start:end]
		key, rest, _ := strings.Cut(line, " ")
		switch strings.Compare(key, name) {
		case 0:
			a, b, _ := strings.Cut(rest, " ")
			b, _, _ = strings.Cut(b, " ") // " a" marks an alias
			off, _ = strconv.Atoi(a)
			n, _ = strconv.Atoi(b)
			return off, n, true
		case -1:
			lo = end + 1
		default:
			hi = start
		}
	}
	return 0, 0, false
}

// Names lists the commands of the set, without aliases.
func (s *Set) Names() []string {
	var out []string
	for line := range strings.Lines(s.index) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !strings.HasSuffix(rest, " a") {
			out = append(out, name)
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
