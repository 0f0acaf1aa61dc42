package shell

import (
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentltl/agentltl-hook/trace"
)

// builtin walks a command that changes the shell it runs in. False: the name is
// none of these, and the command is a program like any other.
func (w *walker) builtin(st *state, c ctx, cmd command) bool {
	name := cmd.words[0].text
	args := cmd.words[1:]
	switch name {
	case "break", "continue":
		if c.loop != nil {
			c.loop.exits = append(c.loop.exits, st.clone())
		}
		return true
	case "cd", "chdir", "pushd", "popd":
		w.listed(st, c, cmd)
		w.inPrefix(st, cmd, func(st *state) { w.changeDir(st, name, args) })
	case "eval":
		w.eval(st, c, cmd)
	case "source", ".":
		w.source(st, c, cmd)
	case "trap":
		w.trap(st, c, cmd)
	case "alias":
		w.listed(st, c, cmd)
		w.defineAlias(st, args)
	case "unalias":
		w.listed(st, c, cmd)
		st.own(w)
		for _, u := range args {
			if u.known {
				delete(st.aliases, u.text)
			}
		}
	case "set":
		w.listed(st, c, cmd)
		w.setOptions(st, args)
	case "shift":
		w.listed(st, c, cmd)
		w.shift(st, args)
	case "unset":
		w.listed(st, c, cmd)
		w.subscripts(args)
		w.unset(st, args)
	case "read", "mapfile", "readarray", "getopts", "printf", "wait", "let":
		if name != "let" && (name != "printf" || len(args) > 1 && args[0].text == "-v") {
			w.subscripts(args)
		}
		return w.assigning(st, c, cmd)
	case "export", "declare", "typeset", "local", "readonly":
		w.listed(st, c, cmd)
		w.subscripts(args)
		w.declareWords(st, c, name, args)
	case "shopt":
		w.listed(st, c, cmd)
		w.shopt(st, args)
	case "fc":
		// It runs a line of the history again.
		if w.listed(st, c, cmd); len(args) == 0 || !strings.HasPrefix(args[0].text, "-") || !strings.Contains(args[0].text, "l") {
			w.note("dynamic-script", cmd.src, cmd.pos)
		}
	case "complete", "compgen":
		w.listed(st, c, cmd)
		w.completion(st, c, cmd)
	case "bind":
		w.listed(st, c, cmd)
		for _, u := range optionValues(cmd.words, "-x") {
			_, line, _ := strings.Cut(u.text, ":")
			w.shellOut(st, c, cmd, strings.Trim(line, ` "`), name)
		}
	case "enable", "hash":
		w.listed(st, c, cmd)
		w.shadow(cmd)
	case "exit", "logout":
		w.listed(st, c, cmd)
		st.ended = true
	case "return":
		w.listed(st, c, cmd)
		w.leave(st, c)
	case "exec":
		w.exec(st, c, cmd)
	case "command", "builtin":
		w.inner(st, c, cmd)
	case ":":
		cmd.tool, cmd.args = "colon", trace.Args{"argv": valueList(args)}
		w.listed(st, c, cmd)
	case "test", "[":
		if n := len(args); name == "[" && n > 0 && args[n-1].text == "]" {
			cmd.words = cmd.words[:n]
		}
		for i := range max(len(args)-1, 0) {
			if args[i].text == "-v" {
				w.subscripts(args[i+1 : i+2])
			}
		}
		cmd.tool, cmd.args = "test", trace.Args{"argv": valueList(cmd.words[1:])}
		w.listed(st, c, cmd)
	default:
		return false
	}
	return true
}

// valueList is words as the argv of a tool of ours.
func valueList(words []word) []any {
	l := make([]any, len(words))
	for i, u := range words {
		l[i] = u.text
	}
	return l
}

// listed emits a builtin and does for its redirections what a program's need.
func (w *walker) listed(st *state, c ctx, cmd command) {
	if i, p := w.emit(st, c, cmd); i >= 0 {
		in := w.opened(st, c, cmd)
		w.output(st, in, cmd, p)
		w.fileWritten(st, c, &cmd.rs, in.out)
	}
}

// inPrefix runs f with the command's NAME=value prefixes in force.
func (w *walker) inPrefix(st *state, cmd command, f func(*state)) {
	if len(cmd.env) == 0 {
		f(st)
		return
	}
	hidden := map[string]variable{}
	for _, e := range cmd.env {
		hidden[e.name] = variable{w.lookup(st, e.name), st.vars[e.name].exported || w.inherits(e.name)}
		w.set(st, e.name, e.val)
		w.export(st, e.name, true)
	}
	f(st)
	st.own(w)
	maps.Copy(st.vars, hidden)
}

// eval walks the text that its words come to, in the same shell.
func (w *walker) eval(st *state, c ctx, cmd command) {
	w.listedOnly(st, c, cmd)
	words := cmd.words[1:]
	if len(words) > 0 && words[0].known && words[0].text == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	in := within(w.opened(st, c, cmd), "eval")
	w.inPrefix(st, cmd, func(st *state) { w.again(st, in, words, cmd.pos) })
	w.fileWritten(st, c, &cmd.rs, in.out)
}

// listedOnly emits a command whose output comes from what it runs.
func (w *walker) listedOnly(st *state, c ctx, cmd command) int {
	i, _ := w.emit(st, c, cmd)
	return i
}

// opened is the place of what a command runs, behind its redirections.
func (w *walker) opened(st *state, c ctx, cmd command) ctx {
	c.in = cmd.rs.input(c.in)
	if cmd.rs.gone {
		c.out = nil
		if cmd.rs.out >= 0 {
			c.out = newSink(st, c)
		}
	}
	return c
}

// within is the place of what a runner runs.
func within(c ctx, wrapper string) ctx {
	c.op, c.depth, c.wrappers = "wrap", c.depth+1, wrap(c.wrappers, wrapper)
	return c
}

// trap lists its text as conditional: it runs at some later time, or never.
func (w *walker) trap(st *state, c ctx, cmd command) {
	w.listed(st, c, cmd)
	args := cmd.words[1:]
	if len(args) > 0 && args[0].known && len(args[0].text) > 1 && args[0].text[0] == '-' {
		if args[0].text != "--" {
			return // -l, -p
		}
		args = args[1:]
	}
	if len(args) < 2 || args[0].known && (args[0].text == "-" || isDigits(args[0].text)) {
		return
	}
	in := within(c, "trap").skippable()
	c.out.lose(c) // its text may write at the end
	in.out = nil
	in.loop = nil
	later := st.clone()
	later.ended, later.returned = false, false
	w.forgetLater(later, c, cmd.pos)
	w.again(later, in, args[:1], cmd.pos)
}

// forgetLater makes unknown what the rest of the line may change before a trap
// runs: variables assigned behind it, or anywhere if it stands in a loop or
// function, and the directory if anything moves.
func (w *walker) forgetLater(st *state, c ctx, pos int) {
	from := pos
	if c.again > 0 {
		from = min(from, c.again-1)
	}
	for src := c.src; src != nil; src = src.outer {
		if src.file == nil {
			continue
		}
		if src.nested || c.fn != nil {
			from = -1
		}
		syntax.Walk(src.file, func(n syntax.Node) bool {
			if n == nil || int(n.Pos().Offset())+src.offset <= from {
				return true
			}
			switch n := n.(type) {
			case *syntax.DeclClause:
				w.forgetAssigns(st, n.Args)
			case *syntax.WordIter:
				w.set(st, n.Name.Value, value{})
			case *syntax.CallExpr:
				if len(n.Args) > 0 {
					w.forgetBy(st, n)
				} else {
					w.forgetAssigns(st, n.Assigns)
				}
			}
			return true
		})
		w.spend(len(src.text) / 8)
		if from = src.offset; c.again > 0 {
			from = -1
		}
	}
}

func (w *walker) forgetAssigns(st *state, list []*syntax.Assign) {
	for _, a := range list {
		if a.Name != nil {
			w.set(st, a.Name.Value, value{})
		}
	}
}

// forgetBy forgets what a command of the rest of the line may change.
func (w *walker) forgetBy(st *state, n *syntax.CallExpr) {
	switch staticText(n.Args[0]) {
	case "cd", "pushd", "popd", "command", "builtin":
		st.dir = dir{path: st.dir.path}
	case "read", "mapfile", "readarray", "getopts", "printf", "unset", "let":
		for _, a := range n.Args[1:] {
			if name := staticText(a); isName(name) {
				w.set(st, name, value{})
			}
		}
	case "eval", "source", ".":
		w.forgetVars(st)
		st.dir = dir{path: st.dir.path}
	case "set", "shift":
		st.params = params{zero: st.params.zero}
	}
}

// staticText is a word that holds no expansion, quotes removed; "" otherwise.
func staticText(x *syntax.Word) string {
	var b strings.Builder
	for _, part := range x.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(part.Value, "\\", ""))
		case *syntax.SglQuoted:
			s := part.Value
			if part.Dollar {
				s = ansiC(s)
			}
			b.WriteString(s)
		case *syntax.DblQuoted:
			b.WriteString(staticText(&syntax.Word{Parts: part.Parts}))
		default:
			return ""
		}
	}
	return b.String()
}

// completion walks what a completion runs: -C a command, -W words that are
// expanded.
func (w *walker) completion(st *state, c ctx, cmd command) {
	for _, u := range optionValues(cmd.words, "-C") {
		in := within(c, cmd.words[0].text).skippable()
		in.in, in.out = &input{}, nil
		w.again(st.clone(), in, []word{u}, cmd.pos)
	}
	for _, u := range optionValues(cmd.words, "-W") {
		if expandsAgain(u.text) {
			w.note("dynamic-script", cmd.src, cmd.pos)
		}
	}
}

// exec replaces the shell; without a program its redirections stay.
func (w *walker) exec(st *state, c ctx, cmd command) {
	w.inner(st, c, cmd)
	if hasProgram(cmd.words) {
		st.ended = true
	}
}

// hasProgram says whether exec has more than options.
func hasProgram(words []word) bool {
	for i := 1; i < len(words); i++ {
		t := words[i].text
		switch {
		case t == "--":
			return i+1 < len(words)
		case strings.HasPrefix(t, "-") && strings.HasSuffix(t, "a") && words[i].known:
			i++
		case strings.HasPrefix(t, "-") && words[i].known:
		default:
			return true
		}
	}
	return false
}

// defineAlias binds alias words.
func (w *walker) defineAlias(st *state, args []word) {
	st.own(w)
	for _, u := range args {
		name, _, ok := strings.Cut(u.text, "=")
		if !ok || strings.HasPrefix(name, "-") || name == "" {
			continue
		}
		a := &alias{name: name, text: u.cut(len(name) + 1), pos: u.pos}
		w.named = append(w.named, a)
		st.aliases[name] = []*alias{a}
	}
}

// cut is the word without its first n bytes, which are known.
func (u word) cut(n int) word {
	v := u
	v.text = u.text[n:]
	v.typed = u.typed[min(n, len(u.typed)):]
	v.pieces = nil
	for i, p := range u.pieces {
		if n >= len(p.typed) {
			n -= len(p.typed)
			continue
		}
		p.typed = p.typed[n:]
		if p.known {
			p.text = p.text[min(n, len(p.text)):]
		}
		v.pieces = append(v.pieces, p)
		v.pieces = append(v.pieces, u.pieces[i+1:]...)
		break
	}
	return v
}
