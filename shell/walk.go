package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stmts walks a list of statements in order.
func (w *walker) stmts(st *state, c ctx, list []*syntax.Stmt) {
	for _, s := range list {
		if w.full {
			return
		}
		w.stmt(st, c, s)
		c.op = ";"
		if s.Background || s.Disown || s.Coprocess {
			c.op = "&"
		}
	}
}

func (w *walker) stmt(st *state, c ctx, s *syntax.Stmt) {
	if !w.spend(1) {
		return
	}
	if s.Background || s.Disown || s.Coprocess {
		st = st.clone()
		c.back = true
		c.out.lose(c)
	}
	switch cmd := s.Cmd.(type) {
	case nil:
		w.simple(st, c, s, &syntax.CallExpr{})
	case *syntax.CallExpr:
		w.simple(st, c, s, cmd)
	case *syntax.DeclClause:
		w.declare(st, c, s, cmd)
	case *syntax.TestClause:
		w.test(st, c, s, cmd)
	case *syntax.ArithmCmd:
		w.arithCommand(st, c, s, []syntax.ArithmExpr{cmd.X})
	case *syntax.LetClause:
		w.arithCommand(st, c, s, cmd.Exprs)
	case *syntax.TimeClause:
		w.time(st, c, s, cmd)
	case *syntax.BinaryCmd:
		w.group(st, c, s, func(c ctx) { w.binary(st, c, cmd) })
	case *syntax.Block:
		w.group(st, c, s, func(c ctx) {
			c.depth++
			w.stmts(st, c, cmd.Stmts)
		})
	case *syntax.Subshell:
		w.group(st, c, s, func(c ctx) {
			c.depth++
			w.stmts(st.clone(), c, cmd.Stmts)
		})
	case *syntax.IfClause:
		w.group(st, c, s, func(c ctx) { w.ifClause(st, c, cmd) })
	case *syntax.WhileClause:
		w.group(st, c, s, func(c ctx) { w.while(st, c, cmd) })
	case *syntax.ForClause:
		w.group(st, c, s, func(c ctx) { w.forClause(st, c, cmd) })
	case *syntax.CaseClause:
		w.group(st, c, s, func(c ctx) { w.caseClause(st, c, cmd) })
	case *syntax.FuncDecl:
		w.define(st, c, cmd)
	case *syntax.CoprocClause:
		w.group(st, c, s, func(c ctx) {
			c = c.skippable() // it may be ended before it starts
			c.back = true
			c.out = nil
			c.in = &input{piped: true}
			w.stmt(st.clone(), c, w.coprocStmt(st, c, cmd))
		})
	default:
		w.note("syntax", c.src.slice(s.Pos(), s.End()), w.pos(c, s))
	}
}

// coprocStmt is what a coproc runs. A name stands only in front of a compound
// command: before a simple one it is the program.
func (w *walker) coprocStmt(st *state, c ctx, cmd *syntax.CoprocClause) *syntax.Stmt {
	if cmd.Name == nil {
		return wordsInOrder(cmd.Stmt)
	}
	if lit, ok := cmd.Name.Parts[0].(*syntax.Lit); ok {
		if name, _, ok := strings.Cut(lit.Value, "="); ok && isName(strings.TrimSuffix(name, "+")) {
			w.single(st, c, cmd.Name) // NAME=value in front of the program
			return cmd.Stmt
		}
	}
	return withFirstWord(cmd.Stmt, cmd.Name)
}

// wordsInOrder puts right a simple command that the parser has read without its
// first word: what looked like assignments then are words behind the program.
func wordsInOrder(s *syntax.Stmt) *syntax.Stmt {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || !s.Pos().After(call.Args[0].Pos()) {
		return s
	}
	first := call.Args[0]
	rest := *s
	rest.Cmd = &syntax.CallExpr{Assigns: call.Assigns, Args: call.Args[1:]}
	return withFirstWord(&rest, first)
}

// withFirstWord puts a word in front of the first simple command of a statement.
func withFirstWord(s *syntax.Stmt, first *syntax.Word) *syntax.Stmt {
	whole := *s
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		// What the parser took for assignments are words behind a program.
		call := &syntax.CallExpr{Args: []*syntax.Word{first}}
		for _, a := range cmd.Assigns {
			call.Args = append(call.Args, assignWord(a))
		}
		call.Args = append(call.Args, cmd.Args...)
		whole.Cmd = call
	case *syntax.BinaryCmd:
		bin := *cmd
		bin.X = withFirstWord(cmd.X, first)
		whole.Cmd = &bin
	default:
		return s
	}
	whole.Position = first.Pos()
	return &whole
}

// assignWord is an assignment as the plain word it is written as.
func assignWord(a *syntax.Assign) *syntax.Word {
	op := "="
	if a.Append {
		op = "+="
	}
	w := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{ValuePos: a.Pos(), ValueEnd: a.End(), Value: a.Name.Value + op}}}
	if a.Value != nil {
		w.Parts = append(w.Parts, a.Value.Parts...)
	}
	return w
}

// group walks a compound command. Its redirections go to every call inside;
// without a call inside they are opened all the same (shell.md 8).
func (w *walker) group(st *state, c ctx, s *syntax.Stmt, walk func(ctx)) {
	if len(s.Redirs) == 0 {
		walk(c)
		return
	}
	rs := w.redirects(st, c, s.Redirs)
	took := false
	for i := range rs.list {
		rs.list[i].sure = !w.conditional(st, c)
		rs.list[i].took = &took
	}
	inner := c
	inner.in = rs.input(c.in)
	inner.redirs = slices.Concat(c.redirs, rs.list)
	if rs.gone {
		inner.out = nil
		if rs.out >= 0 {
			inner.out = newSink(st, c)
		}
	}
	walk(inner)
	if !took {
		w.emitRedirect(st, c, s, rs)
	}
	w.fileWritten(st, c, &rs, inner.out)
}

// conditional says whether a command here may be skipped.
func (w *walker) conditional(st *state, c ctx) bool {
	return c.cond || st.ended || st.returned
}

// binary walks a chain of && and ||, or a pipeline, without recursion to the
// left: a line may be one long chain.
func (w *walker) binary(st *state, c ctx, cmd *syntax.BinaryCmd) {
	if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
		w.pipeline(st, c, pipeParts(cmd))
		return
	}
	type link struct {
		op string
		s  *syntax.Stmt
	}
	var chain []link
	first := cmd.X
	for {
		chain = append(chain, link{cmd.Op.String(), cmd.Y})
		x, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || !bare(first) || x.Op == syntax.Pipe || x.Op == syntax.PipeAll {
			break
		}
		cmd, first = x, x.X
	}
	st.dir.sure = false
	w.stmt(st, c, first)
	_, simple := first.Cmd.(*syntax.CallExpr)
	moved := simple && endsInCd(first) && len(st.funcs["cd"].list) == 0 && st.dir.sure // by a cd that cannot fail
	// ok and bad are the states in which the chain so far worked, or not.
	bad, ok := st.clone(), st
	if endsInCd(first) {
		ok = st.clone()
		ok.dir = ok.dir.worked()
	}
	around := c.scope
	for i := len(chain) - 1; i >= 0 && !w.full; i-- {
		l := chain[i]
		in := c
		in.scope = around
		if l.op == "||" {
			in.scope = c.scope
		}
		if in.cond = true; i < len(chain)-1 || l.op != "&&" || !moved {
			in = in.skippable()
		}
		in.op = l.op
		if around = in.scope; l.op == "||" {
			around = c.scope
		}
		from := ok
		if l.op == "||" {
			from = bad
		}
		ran := from.clone()
		w.stmt(ran, in, l.s)
		worked := ran
		if endsInCd(l.s) {
			worked = ran.clone()
			worked.dir = worked.dir.worked()
		}
		if l.op == "||" {
			bad, ok = ran, w.joinChain(ok, worked)
		} else {
			bad, ok = w.joinChain(bad, ran), worked
		}
	}
	*st = *w.joinChain(bad, ok)
}

// bare says whether a statement is its command and nothing more.
func bare(s *syntax.Stmt) bool {
	return len(s.Redirs) == 0 && !s.Negated && !s.Background && !s.Coprocess && !s.Disown
}

// endsInCd says whether the status of s is that of a change of directory.
func endsInCd(s *syntax.Stmt) bool {
	for !s.Negated && !s.Background {
		switch cmd := s.Cmd.(type) {
		case *syntax.CallExpr:
			if len(cmd.Args) == 0 {
				return false
			}
			for i, a := range cmd.Args {
				switch a.Lit() {
				case "cd", "pushd", "popd", "chdir":
					return true
				case "command", "builtin":
					if i == len(cmd.Args)-1 {
						return false
					}
				default:
					return false
				}
			}
			return false
		case *syntax.Block:
			if len(cmd.Stmts) == 0 {
				return false
			}
			s = cmd.Stmts[len(cmd.Stmts)-1]
		case *syntax.BinaryCmd:
			if cmd.Op != syntax.AndStmt {
				return false
			}
			s = cmd.Y
		default:
			return false
		}
	}
	return false
}

// pipeParts are the statements of a pipeline.
func pipeParts(cmd *syntax.BinaryCmd) []pipePart {
	var parts []pipePart
	for {
		parts = append(parts, pipePart{cmd.Y, cmd.Op == syntax.PipeAll})
		x, ok := cmd.X.Cmd.(*syntax.BinaryCmd)
		if !ok || !bare(cmd.X) || x.Op != syntax.Pipe && x.Op != syntax.PipeAll {
			break
		}
		cmd = x
	}
	parts = append(parts, pipePart{s: cmd.X})
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return parts
}

// A pipePart is a statement of a pipeline; all: its input has the errors of the
// one before, too.
type pipePart struct {
	s   *syntax.Stmt
	all bool
}

// pipeline walks the parts, each in a shell of its own.
func (w *walker) pipeline(st *state, c ctx, parts []pipePart) {
	w.pipelines++
	c.pipeline = w.pipelines
	for i, p := range parts {
		if w.full {
			return
		}
		in := c
		if i > 0 {
			in.op = "|"
		}
		last := i == len(parts)-1
		if !last {
			in.out = newSink(st, c)
		}
		part := st.clone()
		w.stmt(part, in, p.s)
		if last && st.lastpipe {
			*st = *w.join(st, part)
		}
		if !last {
			c.in = in.out.input(parts[i+1].all)
		}
	}
}
