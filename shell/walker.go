package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentltl/agentltl-hook/shell/spec"
	"github.com/agentltl/agentltl-hook/trace"
)

// A walker collects the calls of one line.
type walker struct {
	req     Request
	specs   *spec.Set
	parser  *syntax.Parser
	variant syntax.LangVariant

	calls      []trace.Call
	unresolved []Unresolved
	pipelines  int
	steps      int // budget used
	full       bool

	holes []hole // what the placeholders in texts that are parsed again stand for

	files   []fileText  // written earlier in the line, in order
	trees   []string    // folders something was unpacked into
	links   []link      // made earlier in the line
	reads   int         // files read through the view of the disk
	names   int         // directory entries looked at
	entries int         // the same, by searches
	defined []*function // functions seen, in order
	named   []*alias    // aliases seen, in order
	calling []*function // being walked
	level   int         // depth of nested texts
	inArith int         // depth of an arithmetic expression
}

// A source is a text being walked and where it stands in the line.
type source struct {
	text   string
	offset int  // of the text in the line, when it is the line itself
	nested bool // a text within the line: positions are those of the command that runs it
	file   *syntax.File
	outer  *source
	script *word // the file it is in, as it was named
}

// slice is the text between two positions.
func (s *source) slice(from, to syntax.Pos) string {
	a, b := int(from.Offset()), int(to.Offset())
	if a < 0 || a > b || b > len(s.text) {
		return ""
	}
	return s.text[a:b]
}

// A ctx says where in a line a command stands.
type ctx struct {
	op       string // of the next call
	cond     bool
	repeated bool
	back     bool
	pipeline int
	beside   int // a pipeline whose commands these only run for: of a substitution
	depth    int
	wrappers []string
	remote   string
	redirs   []redir // of the groups around, outermost first
	in       *input
	out      *sink
	feed     *feed
	src      *source
	script   *word // the file whose text is walked
	loop     *loopInfo
	reading  bool // the condition of a loop that is nothing but read
	unrolled *unrolled
	again    int     // offset in the text of the outermost loop around, plus 1; 0: none
	fn       *fnInfo // the function being walked
	scope    *scope  // see certainly
	noAlias  string  // the alias whose text this is: not expanded again
	top      bool    // the line itself
}

// A scope is a part of the line that may be skipped as a whole: what happened
// in it, or around it, did happen for what stands deeper in it.
type scope struct{ outer *scope }

// holds says whether a scope is t, or around it.
func (s *scope) holds(t *scope) bool {
	for ; t != nil; t = t.outer {
		if t == s {
			return true
		}
	}
	return s == nil
}

// skippable is the place of a part that may be skipped.
func (c ctx) skippable() ctx {
	c.cond = true
	c.scope = &scope{c.scope}
	return c
}

// certainly says whether what happened in scope s has happened here.
func (c ctx) certainly(s *scope) bool { return s.holds(c.scope) }

// A pair is a NAME=value prefix.
type pair struct {
	name string
	show string
	val  value
}

// An unrolled is a loop variable of an unrolled loop, in one round.
type unrolled struct {
	name, value string
	outer       *unrolled
}

// raw is a part of the text as written, where a loop variable has its value of
// this round, as the peer has it in words that it keeps raw.
func (w *walker) raw(st *state, c ctx, n syntax.Node) string {
	if c.unrolled == nil {
		return c.src.slice(n.Pos(), n.End())
	}
	var b strings.Builder
	from := n.Pos()
	syntax.Walk(n, func(x syntax.Node) bool {
		pe, ok := x.(*syntax.ParamExp)
		if !ok || pe.Param == nil || pe.Exp != nil || pe.Repl != nil || pe.Slice != nil || pe.Length || pe.Excl || pe.Index != nil {
			return true
		}
		for u := c.unrolled; u != nil; u = u.outer {
			if v := w.lookup(st, u.name); u.name == pe.Param.Value && v.kind == text && v.text == u.value {
				b.WriteString(c.src.slice(from, pe.Pos()))
				b.WriteString(u.value)
				from = pe.End()
				break
			}
		}
		return false
	})
	b.WriteString(c.src.slice(from, n.End()))
	return b.String()
}

// A loopInfo collects what happens in a loop body.
type loopInfo struct {
	exits []*state // where break and continue left the body
}

func newWalker(r Request) *walker {
	w := &walker{req: r, specs: r.Specs, variant: syntax.LangBash}
	if w.specs == nil {
		w.specs = Bundled()
	}
	// POSIX is read as bash: what dash spells otherwise differs in words, not in
	// programs (shell.md 8).
	if r.Dialect == Zsh {
		w.variant = syntax.LangZsh
	}
	w.parser = syntax.NewParser(syntax.Variant(w.variant))
	return w
}

func (w *walker) startState() *state {
	dir := w.req.Dir
	if dir == "" {
		dir = w.req.Root
	}
	st := &state{
		dir:        at(clean(dir)),
		vars:       map[string]variable{},
		funcs:      map[string]funcSet{},
		aliases:    map[string][]*alias{},
		exportedFn: map[string]bool{},
		params:     params{zero: literal("bash", 0), top: true},
	}
	if dir == "" {
		st.dir = dir0()
	}
	if old, ok := w.req.Env["OLDPWD"]; ok {
		st.old = at(old)
	}
	return st
}

func dir0() dir { return dir{path: "/"} }

func (w *walker) startCtx() ctx {
	return ctx{in: &input{}, src: &source{text: w.req.Command}, top: true}
}

func (w *walker) result() Result {
	for i := range w.calls {
		w.calls[i].CLI.Index = i
	}
	return Result{Calls: w.calls, Unresolved: w.unresolved}
}

// note adds an unresolved part, once per code and text.
func (w *walker) note(code, src string, pos int) {
	src = strings.TrimSpace(src)
	for _, u := range w.unresolved {
		if u.Code == code && u.Source == src && u.Pos == pos {
			return
		}
	}
	if len(w.unresolved) < maxUnread {
		w.unresolved = append(w.unresolved, Unresolved{Code: code, Reason: reason(code), Source: src, Pos: pos})
	}
}

// pos is the place of a node in the line.
func (w *walker) pos(c ctx, n syntax.Node) int {
	if c.src.nested {
		return c.src.offset
	}
	return c.src.offset + int(n.Pos().Offset())
}
