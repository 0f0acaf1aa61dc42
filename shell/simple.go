package shell

import (
	"slices"
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
			w.fileWritten(st, c, &rs, newSink(st, c))
		}
		return
	}
	for _, a := range call.Assigns {
		cmd.env = append(cmd.env, w.prefix(st, c, a))
	}
	w.cutByAmpersand(st, c, s, call, cmd)
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

// emitRedirect lists redirections that belong to no call. $(< f) gives what is
// in f, and zsh writes it without a substitution, too.
func (w *walker) emitRedirect(st *state, c ctx, s *syntax.Stmt, rs redirections) {
	if slices.ContainsFunc(rs.list, func(r redir) bool { return r.reads() || w.req.Dialect == "zsh" }) {
		c.out.lose(c)
	}
	w.emit(st, c, command{
		words: []word{literal("redirect", 0)}, tool: "redirect", rs: rs, src: w.sourceOf(c, s), pos: w.pos(c, s),
	})
}

// run walks a command whose words are known as far as they can be. alias is the
// first word if it may be an alias.
func (w *walker) run(st *state, c ctx, cmd command, alias string) {
	if !w.spend(1) {
		return
	}
	w.environment(cmd)
	name := cmd.words[0]
	if p, ok := w.programIn(name, cmd.external); ok {
		cmd.words = append([]word{literal(p, name.pos)}, cmd.words[1:]...)
		name = cmd.words[0]
	}
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

// programIn is the program of a name of which only the folder is not known:
// $(pwd)/bin/tool, "$DIR"/tool. Specs and rules go by the last element, wherever
// it lies. What the line may have put into that folder is no such program, and
// what a runner may take for an option of its own is none.
func (w *walker) programIn(u word, external bool) (string, bool) {
	if u.known || u.split || len(u.pieces) < 2 {
		return "", false
	}
	last := u.pieces[len(u.pieces)-1]
	i := strings.LastIndexByte(last.text, '/')
	if !last.known || last.glob || i < 0 || i == len(last.text)-1 {
		return "", false
	}
	if external && slices.ContainsFunc(u.bound.exact, runnersOwn) {
		return "", false
	}
	if i := slices.IndexFunc(u.bound.exact, w.madeHere); len(u.bound.exact) > 0 {
		return u.bound.exact[max(i, 0)], true
	}
	if external {
		return "", false
	}
	base := last.text[i+1:]
	made := len(w.trees)+len(w.links) > 0 || slices.ContainsFunc(w.files, func(f fileText) bool {
		return match(lastElem(f.path), base) || strings.ContainsAny(lastElem(f.path), "$`")
	})
	return u.typed, !made
}

// program lists a command that is no builtin with an effect on the shell, what
// it runs, and what it changes for the rest of the line.
func (w *walker) program(st *state, c ctx, cmd command) {
	i, p := w.emit(st, c, cmd)
	if i < 0 {
		return
	}
	if w.fedName(c, cmd) {
		w.note("dynamic-command", cmd.src, cmd.pos)
	}
	w.ranWritten(st, c, cmd)
	own := w.wroteSome()
	in := w.opened(st, c, cmd)
	if !w.runs(st, in, cmd, p, i) {
		w.output(st, in, cmd, p)
	}
	w.fileWritten(st, c, &cmd.rs, in.out)
	if !w.compiles(st, c, cmd, own) {
		w.effectsWritten(st, c, i, cmd)
	}
	w.cloned(st, c, i)
}

// unknownCommand lists a command whose name only the shell will know.
func (w *walker) unknownCommand(st *state, c ctx, cmd command) {
	name := cmd.words[0]
	if name.none {
		// Nothing stands there in a fresh shell: the next word is the program.
		w.emit(st, c.skippable(), unknownListing(cmd))
		w.listedAs(st, c, cmd, name.lists)
		return
	}
	if w.oneOfThese(st, cmd) {
		w.candidates(st, c, cmd, name.bound.exact)
		return
	}
	if !name.hole {
		w.note("dynamic-command", cmd.src, cmd.pos)
	}
	w.emit(st, c, unknownListing(cmd))
	c.out.lose(c)
	w.candidates(st, c, cmd, append(name.cands, name.bound.exact...))
}

// runnersOwn says whether a runner may take a text in place of the program for
// an option or an assignment of its own, or for several words.
func runnersOwn(s string) bool {
	return s == "" || strings.ContainsAny(s[:1], "-+;") || strings.ContainsAny(s, "= \t\n")
}

// oneOfThese says whether an unknown name is one of the texts of its bound for
// sure, as a variable that branches of the line gave constants (shell.md 4.9):
// then these are all that can run.
func (w *walker) oneOfThese(st *state, cmd command) bool {
	name := cmd.words[0]
	if !name.closed || len(name.bound.exact) == 0 {
		return false
	}
	if cmd.external && slices.ContainsFunc(name.bound.exact, runnersOwn) {
		return false
	}
	if !name.split {
		return true
	}
	ifs := w.lookup(st, "IFS")
	return ifs.kind == text && ifs.text == " \t\n" && (st.noglob == on || !slices.ContainsFunc(name.bound.exact, hasGlob))
}

// listedAs walks the commands that "$@" in place of a name may stand for: its
// lists, or the words behind it.
func (w *walker) listedAs(st *state, c ctx, cmd command, lists [][]word) {
	rest := cmd.words[1:]
	if len(lists) > 0 {
		c = c.skippable()
	}
	for _, l := range append([][]word{nil}, lists...) {
		other := cmd
		if other.words = slices.Concat(l, rest); len(other.words) == 0 {
			continue
		}
		child := st
		if len(lists) > 0 {
			child = st.clone()
		}
		w.run(child, c, other, "")
		*st = *w.join(st, child)
	}
}

// unknownListing is how a command without a known name is listed.
func unknownListing(cmd command) command {
	cmd.tool, cmd.args = "unknown_command", trace.Args{"argv": typedList(cmd.words)}
	return cmd
}

// candidates lists as conditional the commands that an unknown name may well
// stand for.
func (w *walker) candidates(st *state, c ctx, cmd command, texts []string) {
	c = c.skippable()
	c.out.lose(c)
	for _, t := range texts {
		var ws []word
		for s := range strings.FieldsSeq(t) {
			ws = append(ws, literal(s, cmd.pos))
		}
		if cmd.words[0].quoted && t != "" {
			ws = []word{literal(t, cmd.pos)}
		}
		other := cmd
		if other.words = slices.Concat(ws, cmd.words[1:]); len(other.words) == 0 {
			continue
		}
		child := st.clone()
		w.run(child, c, other, "")
		*st = *w.join(st, child)
	}
}

// test walks [[ ... ]].
func (w *walker) test(st *state, c ctx, s *syntax.Stmt, t *syntax.TestClause) {
	w.testExpr(st, c, t.X)
	rs := w.redirects(st, c, s.Redirs)
	inside := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(w.raw(st, c, t), "[["), "]]"))
	w.listed(st, c, command{
		words: []word{literal("test", 0)}, tool: "test", args: trace.Args{"argv": []any{inside}}, rs: rs, src: w.sourceOf(c, s), pos: w.pos(c, s),
	})
}

// testExpr walks what a test runs; the right of && and || may be skipped.
func (w *walker) testExpr(st *state, c ctx, x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		w.single(st, c, x)
	case *syntax.UnaryTest:
		if wd, ok := x.X.(*syntax.Word); ok && x.Op == syntax.TsVarSet {
			w.testedNumber(st, w.single(st, c, wd))
			return
		}
		w.testExpr(st, c, x.X)
	case *syntax.ParenTest:
		w.testExpr(st, c, x.X)
	case *syntax.BinaryTest:
		if isNumberTest(x.Op) {
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if wd, ok := side.(*syntax.Word); ok {
					w.testedNumber(st, w.single(st, c, wd))
				}
			}
			return
		}
		w.testExpr(st, c, x.X)
		if x.Op == syntax.AndTest || x.Op == syntax.OrTest {
			c = c.skippable()
			other := st.clone()
			w.testExpr(other, c, x.Y)
			*st = *w.join(st, other)
			return
		}
		w.testExpr(st, c, x.Y)
	}
}

// typedList is words as an unread command shows them.
func typedList(words []word) []any {
	l := make([]any, len(words))
	for i, u := range words {
		l[i] = u.shown()
	}
	return l
}

// arithCommand walks (( ... )) and let: no call, but for redirections.
func (w *walker) arithCommand(st *state, c ctx, s *syntax.Stmt, xs []syntax.ArithmExpr) {
	for _, x := range xs {
		w.arith(st, c, x)
	}
	if rs := w.redirects(st, c, s.Redirs); len(rs.list) > 0 {
		w.emitRedirect(st, c, s, rs)
		w.fileWritten(st, c, &rs, newSink(st, c))
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
	return append(slices.Clip(wrappers), name)
}
