package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A redir is one redirection with its target expanded.
type redir struct {
	op     string // as cli.redirects says it
	fd     string // as written; "" when none is
	target word
	hdoc   bool  // a here-document or here-string: no file
	dup    bool  // of a descriptor, or a closing: no file
	sure   bool  // opened for certain, whatever becomes of the command
	took   *bool // of a group: a call in it has the redirection
	base   dir   // where the shell stood when it was opened
}

// redirections are those of one command.
type redirections struct {
	list []redir
	in   *input // what standard input is now; nil: unchanged
	out  int    // index of the file that standard output goes to; -1: none
	gone bool   // standard output goes to a file, or elsewhere
}

// redirects expands redirections in order, walking what their targets run.
func (w *walker) redirects(st *state, c ctx, list []*syntax.Redirect) redirections {
	rs := redirections{out: -1}
	for _, r := range list {
		rs.list = append(rs.list, w.redirect(st, c, r))
		rs.follow(w, st, c, r)
	}
	return rs
}

func (w *walker) redirect(st *state, c ctx, r *syntax.Redirect) redir {
	out := redir{op: r.Op.String(), base: st.dir}
	if r.N != nil {
		out.fd = r.N.Value
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		out.op, out.hdoc = "<<", true
		s := c.src.slice(r.Word.Pos(), r.Word.End())
		out.target = literal(s, w.pos(c, r.Word))
		return out
	case syntax.WordHdoc:
		out.hdoc = true
		out.target = w.single(st, c, r.Word)
		return out
	}
	out.target = w.target(st, c, r.Word)
	if r.Op == syntax.DplIn || r.Op == syntax.DplOut {
		t := out.target.text
		switch {
		case t == "-" && out.target.known:
			out.op, out.dup, out.target = out.op+"-", true, word{known: true}
		case out.target.known && isDigits(strings.TrimSuffix(t, "-")):
			out.dup = true
		}
	}
	return out
}

// target expands the word after a redirection: globs count, splitting makes it
// ambiguous, so that nothing is run.
func (w *walker) target(st *state, c ctx, x *syntax.Word) word {
	if list, whole := w.braces(st, x); whole && len(list) == 1 {
		x = list[0]
	}
	ps := w.pieces(st, c, x.Parts, false)
	w.tilde(st, ps, x.Parts)
	for i := range ps {
		ps[i].split, ps[i].brk = false, false
	}
	u := makeWord(ps)
	w.globbing(st, &u)
	u.split, u.pos = false, w.pos(c, x)
	return u
}

// follow keeps track of standard input and output behind the last redirection.
func (rs *redirections) follow(w *walker, st *state, c ctx, x *syntax.Redirect) {
	n := len(rs.list) - 1
	r := &rs.list[n]
	first := r.fd == "" || r.fd == "0"
	second := r.fd == "" || r.fd == "1"
	switch {
	case r.op == "<<":
		u := literal("", 0)
		if x.Hdoc != nil {
			u = w.hereText(st, c, x)
		}
		rs.in = wordInput(u)
	case r.op == "<<<":
		u := r.target
		u.text += "\n"
		rs.in = wordInput(u)
	case r.reads() && first:
		rs.in = &input{piped: true, file: w.pathKey(r.base, r.target)}
		if r.target.file != nil {
			rs.in = &input{piped: true, known: true, text: *r.target.file}
		}
	case (r.op == "<&-" || r.op == "<&") && first:
		rs.in = &input{piped: true}
	case r.writes() && second:
		rs.out, rs.gone = n, true
		if isNull(r.target.text) {
			rs.out = -1
		}
	case r.op == ">&" && second && r.target.text != "1", r.op == ">&-" && second:
		rs.out, rs.gone = -1, true
	}
}

// wordInput is the input that a here-document or here-string gives.
func wordInput(u word) *input {
	in := &input{piped: true}
	if u.known {
		in.known, in.text = true, u.text
	} else {
		in.word = &u
	}
	return in
}

// reads and writes say whether the redirection opens a file that way.
func (r *redir) reads() bool {
	return !r.hdoc && !r.dup && (r.op == "<" || r.op == "<>" || r.op == "<&")
}

func (r *redir) writes() bool {
	if r.hdoc || r.dup {
		return false
	}
	switch r.op {
	case ">", ">>", ">|", "&>", "&>>", ">&", "<>":
		return true
	}
	return false
}

func (r *redir) truncates() bool {
	return r.writes() && r.op != ">>" && r.op != "&>>" && r.op != "<>"
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isNull names targets that are no files to overwrite.
func isNull(p string) bool {
	switch p {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/stdin":
		return true
	}
	return strings.HasPrefix(p, "/dev/fd/")
}

// input is standard input behind the redirections.
func (rs *redirections) input(in *input) *input {
	if rs.in != nil {
		return rs.in
	}
	return in
}

// hereText is the text of a here-document.
func (w *walker) hereText(st *state, c ctx, x *syntax.Redirect) word {
	if quotedWord(x.Word) {
		u := literal(x.Hdoc.Lit(), 0)
		if x.Op == syntax.DashHdoc {
			u.text = stripTabs(u.text)
		}
		return u
	}
	ps := w.hereParts(st, c, x.Hdoc.Parts)
	u := w.oneWord(ps, 0)
	if x.Op == syntax.DashHdoc && u.known {
		u.text = stripTabs(u.text)
	}
	return u
}

// hereParts expands the body of a here-document: quotes are plain characters.
func (w *walker) hereParts(st *state, c ctx, parts []syntax.WordPart) []piece {
	var ps []piece
	for _, part := range parts {
		if lit, ok := part.(*syntax.Lit); ok {
			ps = w.addLiteral(ps, unescape(lit.Value, "$`\\"), true)
			continue
		}
		ps = append(ps, w.pieces(st, c, []syntax.WordPart{part}, true)...)
	}
	return ps
}

func quotedWord(x *syntax.Word) bool {
	for _, part := range x.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.Contains(part.Value, "\\") {
				return true
			}
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		}
	}
	return false
}

func stripTabs(s string) string {
	lines := strings.SplitAfter(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimLeft(l, "\t")
	}
	return strings.Join(lines, "")
}
