package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentltl/agentltl-hook/trace"
)

// simple walks a simple command: words, then redirections, then assignments,
// as bash expands them, then what the command is.
func (w *walker) simple(st *state, c ctx, s *syntax.Stmt, call *syntax.CallExpr) {
	words := w.words(st, c, call.Args)
	rs := w.redirects(st, c, s.Redirs)
	cmd := command{words: words, rs: rs, src: w.sourceOf(c, s), pos: w.pos(c, s)}
	if len(words) == 0 {
		// Assignments stay, also behind a word that vanished.
		for _, a := range call.Assigns {
			w.assign(st, c, a)
		}
		if len(rs.list) > 0 {
			w.emitRedirect(st, c, s, rs)
			w.fileWritten(st, c, &rs, newSink(false))
		}
		return
	}
	for _, a := range call.Assigns {
		cmd.env = append(cmd.env, w.prefix(st, c, a))
	}
	w.run(st, c, cmd, unquotedName(call))
}

// sourceOf is the text of a statement without what ends it and without the
// bodies of here-documents.
func (w *walker) sourceOf(c ctx, s *syntax.Stmt) string {
	end := s.Pos()
	if s.Cmd != nil {
		end = s.Cmd.End()
	}
	for _, r := range s.Redirs {
		if r.Word != nil && r.Word.End().After(end) {
			end = r.Word.End()
		}
	}
	return c.src.slice(s.Pos(), end)
}

// unquotedName is the first word as written, if nothing in it is quoted: only
// such a word can be an alias.
func unquotedName(call *syntax.CallExpr) string {
	if len(call.Args) == 0 {
		return ""
	}
	lit := call.Args[0].Lit()
	if strings.Contains(lit, "\\") {
		return ""
	}
	return lit
}

// emitRedirect lists redirections that belong to no call.
func (w *walker) emitRedirect(st *state, c ctx, s *syntax.Stmt, rs redirections) {
	w.emit(st, c, command{
		words: []word{literal("redirect", 0)}, rs: rs, src: w.sourceOf(c, s), pos: w.pos(c, s), raw: true,
	})
}

// run walks a command whose words are known as far as they can be. alias is the
// first word if it may be an alias.
func (w *walker) run(st *state, c ctx, cmd command, alias string) {
	if !w.spend(1) {
		return
	}
	w.environment(st, c, cmd)
	name := cmd.words[0]
	if !name.known || name.glob {
		w.unknownCommand(st, c, cmd)
		return
	}
	if cmd.external {
		// What a runner starts is no function of this shell.
		if !cmd.here || strings.Contains(name.text, "/") || !w.builtin(st, c, cmd) {
			w.program(st, c, cmd)
		}
		return
	}
	if alias != "" && w.aliased(st, c, cmd, alias) {
		return
	}
	if set, ok := st.funcs[name.text]; ok && !strings.Contains(name.text, "/") {
		w.callFunction(st, c, cmd, set)
		return
	}
	if !strings.Contains(name.text, "/") && w.builtin(st, c, cmd) {
		return
	}
	w.program(st, c, cmd)
}

// program lists a command that is no builtin with an effect on the shell, what
// it runs, and what it changes for the rest of the line.
func (w *walker) program(st *state, c ctx, cmd command) {
	i, p := w.emit(st, c, cmd)
	if i < 0 {
		return
	}
	w.ranWritten(st, c, cmd)
	in := w.opened(st, c, cmd)
	if !w.runs(st, in, cmd, p, i) {
		w.output(st, in, cmd, p)
	}
	w.fileWritten(st, c, &cmd.rs, in.out)
	w.effectsWritten(c, i, cmd)
}

// unknownCommand lists a command whose name only the shell will know.
func (w *walker) unknownCommand(st *state, c ctx, cmd command) {
	name := cmd.words[0]
	if !name.hole {
		w.note("dynamic-command", cmd.src, cmd.pos)
	}
	words := append([]word{literal("unknown_command", cmd.pos)}, cmd.words...)
	cmd.words = words
	w.emit(st, c, cmd)
	c.out.lose(c)
	cands := name.cands
	if name.known && name.glob {
		cands = nil
	}
	cands = append(cands, name.bound.exact...)
	for _, t := range cands {
		fields := strings.Fields(t)
		if len(fields) == 0 {
			continue
		}
		in := c
		in.cond = true
		var ws []word
		for _, s := range fields {
			ws = append(ws, literal(s, cmd.pos))
		}
		other := cmd
		other.words = append(ws, cmd.words[2:]...)
		child := st.clone()
		w.run(child, in, other, "")
		*st = *w.join(st, child)
	}
}

// test walks [[ ... ]].
func (w *walker) test(st *state, c ctx, s *syntax.Stmt, t *syntax.TestClause) {
	w.testExpr(st, c, t.X)
	rs := w.redirects(st, c, s.Redirs)
	inside := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(c.src.slice(t.Pos(), t.End()), "[["), "]]"))
	w.emitRaw(st, c, "test", trace.Args{"argv": []any{inside}}, command{rs: rs, src: w.sourceOf(c, s), pos: w.pos(c, s)})
}

// testExpr walks what a test runs; the right of && and || may be skipped.
func (w *walker) testExpr(st *state, c ctx, x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		w.single(st, c, x)
	case *syntax.UnaryTest:
		w.testExpr(st, c, x.X)
	case *syntax.ParenTest:
		w.testExpr(st, c, x.X)
	case *syntax.BinaryTest:
		w.testExpr(st, c, x.X)
		if x.Op == syntax.AndTest || x.Op == syntax.OrTest {
			c.cond = true
			other := st.clone()
			w.testExpr(other, c, x.Y)
			*st = *w.join(st, other)
			return
		}
		w.testExpr(st, c, x.Y)
	}
}

// emitRaw lists a call of ours whose arguments are given.
func (w *walker) emitRaw(st *state, c ctx, tool string, args trace.Args, cmd command) int {
	cmd.words = []word{literal(tool, cmd.pos)}
	cmd.raw = true
	i, _ := w.emit(st, c, cmd)
	if i >= 0 {
		call := &w.calls[i]
		for k, v := range args {
			call.Args[k] = v
		}
	}
	return i
}

// arithCommand walks (( ... )) and let: no call, but for redirections.
func (w *walker) arithCommand(st *state, c ctx, s *syntax.Stmt, xs []syntax.ArithmExpr) {
	for _, x := range xs {
		w.arith(st, c, x)
	}
	if rs := w.redirects(st, c, s.Redirs); len(rs.list) > 0 {
		w.emitRedirect(st, c, s, rs)
		w.fileWritten(st, c, &rs, newSink(false))
	}
}

// time walks "time cmd": the call of time, then the command in the same shell.
func (w *walker) time(st *state, c ctx, s *syntax.Stmt, t *syntax.TimeClause) {
	rs := w.redirects(st, c, s.Redirs)
	cmd := command{words: []word{literal("time", 0)}, rs: rs, src: w.sourceOf(c, s), pos: w.pos(c, s)}
	if t.PosixFormat {
		cmd.words = append(cmd.words, literal("-p", 0))
	}
	var call *syntax.CallExpr
	if t.Stmt != nil {
		call, _ = t.Stmt.Cmd.(*syntax.CallExpr)
	}
	in := c
	in.op, in.depth, in.wrappers = "wrap", c.depth+1, wrap(c.wrappers, "time")
	if call == nil || len(call.Args) == 0 {
		w.emit(st, c, cmd)
		if t.Stmt != nil {
			w.stmt(st, in, t.Stmt)
		}
		return
	}
	// The words are expanded once, and shown by both calls.
	words := w.words(st, c, call.Args)
	cmd.words = append(cmd.words, words...)
	w.emit(st, c, cmd)
	inner := command{rs: w.redirects(st, in, t.Stmt.Redirs), src: w.sourceOf(c, t.Stmt), pos: w.pos(c, t.Stmt), words: words}
	for _, a := range call.Assigns {
		inner.env = append(inner.env, w.prefix(st, in, a))
	}
	if len(words) > 0 {
		w.run(st, in, inner, unquotedName(call))
	}
}

func wrap(wrappers []string, name string) []string {
	return append(wrappers[:len(wrappers):len(wrappers)], name)
}
