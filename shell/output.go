package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A sink collects what a part of a line writes to its standard output, as far
// as that is known: a text, or lines that are paths matching globs. It is nil
// where nobody asks.
type sink struct {
	text    strings.Builder
	globs   []string // lines are paths that match one of these
	oneOf   []string // the only line is one of these
	file    string   // all of it is what this file holds
	lost    bool
	oneLine bool // the only line is one path: mktemp

	// Where the part stands: what is written there, and not deeper in something
	// that may be skipped, is written whenever the part runs.
	scope, left, leftFn *scope
	repeated, ended     bool
	errexit             tri
}

func newSink(st *state, c ctx) *sink {
	return &sink{scope: c.scope, left: st.left, leftFn: st.leftFn, repeated: c.repeated, ended: st.ended || st.returned, errexit: st.errexit}
}

// surely says whether a command at c runs whenever the part does.
func (s *sink) surely(st *state, c ctx) bool {
	return c.scope == s.scope && st.left == s.left && st.leftFn == s.leftFn && st.errexit == s.errexit &&
		(s.repeated || !c.repeated) && (s.ended || !st.ended && !st.returned)
}

// lose says that something unknown is written.
func (s *sink) lose(ctx) {
	if s != nil {
		s.lost = true
	}
}

// write adds known text. What is written only maybe makes the whole unknown.
func (s *sink) write(text string, sure bool) {
	if s == nil {
		return
	}
	if !sure || len(s.globs) > 0 || len(s.oneOf) > 0 || s.file != "" || s.text.Len()+len(text) > maxValueLen {
		s.lost = true
	}
	if !s.lost {
		s.text.WriteString(text)
	}
}

// paths adds lines that are paths within globs; without any they may be anything.
func (s *sink) paths(globs []string) {
	if s == nil {
		return
	}
	if len(globs) == 0 || s.text.Len() > 0 || s.file != "" || len(s.globs)+len(globs) > maxValues {
		s.lost = true
	}
	s.globs = append(s.globs, globs...)
}

// choice says that one of these is the only line; not sure: or nothing is
// written.
func (s *sink) choice(sure bool, lines ...string) {
	if s.text.Len() > 0 || s.file != "" || len(s.globs) > 0 || len(s.oneOf) > 0 || len(lines) >= maxValues {
		s.lost = true
	}
	if !sure {
		lines = append(slices.Clip(lines), "")
	}
	s.oneOf = lines
	s.oneLine = !slices.ContainsFunc(lines, func(l string) bool {
		return l == "" || l[0] == '-' || strings.ContainsFunc(l, isBlank) || hasGlob(l)
	})
}

// copyOf says that a file's text is written. Only the whole of one file is kept.
func (s *sink) copyOf(file string, sure bool) {
	if !sure || file == "" || s.file != "" || s.text.Len() > 0 || len(s.globs) > 0 || len(s.oneOf) > 0 {
		s.lost = true
	}
	s.file = file
}

// known is the whole text, if it is.
func (s *sink) known() (string, bool) {
	if s.lost || s.file != "" || len(s.globs) > 0 || len(s.oneOf) > 0 {
		return "", false
	}
	return s.text.String(), true
}

// input is what the sink's reader gets. With errors it may get more.
func (s *sink) input(errors bool) *input {
	in := &input{piped: true}
	if text, ok := s.known(); ok {
		in.text, in.known = text, !errors || text != ""
	}
	if !s.lost {
		in.globs = s.globs
		if !errors {
			in.file = s.file
		}
	}
	return in
}

// An input is what a command's standard input holds.
type input struct {
	piped bool // not the terminal or whatever the harness gives
	known bool
	text  string
	globs []string // lines are paths that match one of these
	file  string   // it is this file
	word  *word    // it is this text, parts of which are not known
	alone bool     // nothing of the line: a remote shell's own, or a connection
	used  bool
	lines bool // what is left is whole lines
}

// take hands the input to a command that reads it: the next one gets what is
// left, which is not known.
func (in *input) take() input {
	got := *in
	if in.used {
		got.known, got.text, got.globs, got.word, got.file = false, "", nil, nil, ""
	}
	in.used, in.lines = true, false
	return got
}

// whole says whether what a command finds in the input is lines of it.
func (in *input) whole() bool { return in != nil && (in.lines || !in.used) }

// substitution walks $(...) and gives its output as a piece of a word.
func (w *walker) substitution(st *state, c ctx, x *syntax.CmdSubst, quoted bool) piece {
	p := piece{typed: c.src.slice(x.Pos(), x.End()), quoted: quoted, dyn: true}
	if !x.Backquotes {
		w.lostSeparator(c, x.Stmts)
	}
	out := w.capture(st, c, x.Stmts)
	if text, ok := out.known(); ok {
		p.known, p.text, p.shape = true, strings.TrimRight(text, "\n"), soft
		p.split = !quoted
		p.glob = !quoted && hasGlob(p.text)
		return p
	}
	if !out.lost {
		p.bound = bound{exact: out.oneOf, within: out.globs}
		p.one = out.oneLine
	}
	return p
}

// capture walks statements in a subshell and collects their output.
func (w *walker) capture(st *state, c ctx, list []*syntax.Stmt) *sink {
	in := c
	in.op = "$()"
	in.beside = c.pipeline
	in.depth++
	in.redirs = nil
	in.loop = nil
	child := st.clone()
	child.errexit = off // bash sets it aside there
	in.out = newSink(child, in)
	w.stmts(child, in, list)
	if st.errexit != off && len(list) > 1 {
		in.out.lose(c) // other shells do not, and a failure ends the text
	}
	return in.out
}

// procSubst walks <(...) and >(...) and gives what the first one writes.
func (w *walker) procSubst(st *state, c ctx, x *syntax.ProcSubst) *sink {
	w.lostSeparator(c, x.Stmts)
	in := c
	in.op = "$()"
	in.beside = c.pipeline
	in.depth++
	in.redirs = nil
	in.out = newSink(st, c)
	in.loop = nil
	if x.Op == syntax.CmdOut {
		in.in = &input{piped: true}
	}
	w.stmts(st.clone(), in, x.Stmts)
	if text, ok := in.out.known(); x.Op == syntax.CmdOut && (!ok || text != "") {
		c.out.lose(c) // it writes there, too, at any time
	}
	return in.out
}

// lostSeparator reports what bash 5.2 reads otherwise than it is written: in
// $(a <<E | b; c) it forgets the semicolon behind a here-document that does not
// belong to the last command before it, and runs "b c".
func (w *walker) lostSeparator(c ctx, list []*syntax.Stmt) {
	for i, s := range list {
		if at := innerHereDoc(s, true); i+1 < len(list) && at != nil && sameLine(c.src.text, at, list[i+1]) {
			w.note("syntax", c.src.slice(s.Pos(), list[i+1].Pos()), w.pos(c, s))
		}
		if b, ok := s.Cmd.(*syntax.Block); ok {
			w.lostSeparator(c, b.Stmts)
		}
	}
}

// sameLine says whether no line ends between a here-document's operator and a
// statement: then its text is still to come.
func sameLine(text string, r *syntax.Redirect, next *syntax.Stmt) bool {
	from, to := int(r.OpPos.Offset()), int(next.Pos().Offset())
	return from < to && to <= len(text) && !strings.Contains(text[from:to], "\n")
}

// innerHereDoc finds a here-document that belongs to another than the last
// simple command of a statement. last: that command itself may have one.
func innerHereDoc(s *syntax.Stmt, last bool) *syntax.Redirect {
	for _, r := range s.Redirs {
		if r.Hdoc != nil && (!last || !isSimple(s.Cmd)) {
			return r
		}
	}
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok {
		if r := innerHereDoc(b.X, false); r != nil {
			return r
		}
		return innerHereDoc(b.Y, last)
	}
	if isSimple(s.Cmd) {
		return nil
	}
	var found *syntax.Redirect
	syntax.Walk(s.Cmd, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Redirect:
			if n.Hdoc != nil {
				found = n
			}
		}
		return found == nil
	})
	return found
}

func isSimple(c syntax.Command) bool {
	switch c.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause, *syntax.TestClause:
		return true
	}
	return false
}
