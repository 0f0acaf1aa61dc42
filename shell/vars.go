package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// setOptions is the set builtin: options, and positional parameters.
func (w *walker) setOptions(st *state, args []word) {
	for i := 0; i < len(args); i++ {
		u := args[i]
		t := u.text
		switch {
		case !u.known && u.open:
			st.params = params{zero: st.params.zero}
			st.noglob, st.nobrace = maybe, maybe
			return
		case t == "--" && u.known:
			w.setParams(st, args[i+1:])
			return
		case t == "-" && u.known:
			if i+1 < len(args) {
				w.setParams(st, args[i+1:])
			}
			return
		case u.known && len(t) > 1 && (t[0] == '-' || t[0] == '+'):
			var long string
			if strings.Contains(t, "o") && i+1 < len(args) {
				i++
				long = args[i].text
			}
			st.option(t[0] == '-', t[1:], long)
		default:
			w.setParams(st, args[i:])
			return
		}
	}
}

// option applies set -x or set -o name.
func (st *state) option(yes bool, letters, long string) {
	to, not := off, on
	if yes {
		to, not = on, off
	}
	if strings.Contains(letters, "f") || long == "noglob" {
		st.noglob = to
	}
	if strings.Contains(letters, "B") || long == "braceexpand" {
		st.nobrace = not
	}
	if strings.Contains(letters, "e") || long == "errexit" {
		st.errexit = to
	}
}

func (w *walker) setParams(st *state, args []word) {
	st.params = params{known: true, zero: st.params.zero, args: args}
}

func (w *walker) shift(st *state, args []word) {
	n := 1
	if len(args) > 0 {
		m, ok := arithNumber(args[0].text)
		if !ok || !args[0].known || m < 0 {
			st.params = params{zero: st.params.zero}
			return
		}
		n = int(m)
	}
	switch {
	case !st.params.known:
	case st.params.count().kind != text:
		st.params = params{zero: st.params.zero}
	case n <= len(st.params.args):
		st.params.args = st.params.args[n:]
	}
}

// unset takes variables and functions away.
func (w *walker) unset(st *state, args []word) {
	fn := false
	for _, u := range args {
		name := u.text
		switch {
		case !u.known:
			w.forgetVars(st)
		case name == "-f":
			fn = true
		case strings.HasPrefix(name, "-"):
		case fn:
			st.own(w)
			delete(st.funcs, name)
		case isName(name):
			w.set(st, name, value{kind: unset})
			if name == "IFS" {
				w.set(st, name, known(" \t\n"))
			}
		default:
			name, _, _ = strings.Cut(name, "[")
			if isName(name) {
				w.set(st, name, value{})
			}
		}
	}
}

// declareWords is export and its like when a runner calls them: the words were
// expanded, not read as assignments.
func (w *walker) declareWords(st *state, c ctx, variant string, args []word) {
	var opts strings.Builder
	for _, u := range args {
		if u.known && len(u.text) > 1 && (u.text[0] == '-' || u.text[0] == '+') {
			opts.WriteString(u.text[1:])
			continue
		}
		w.declareWord(st, c, variant, opts.String(), u)
	}
}

func (w *walker) shopt(st *state, args []word) {
	set := false
	for _, u := range args {
		switch u.text {
		case "-s":
			set = true
		case "-u":
			set = false
		case "expand_aliases":
			st.expand = set
		case "lastpipe":
			st.lastpipe = set
		}
	}
}

// assigning walks builtins that bind the variables their words name.
func (w *walker) assigning(st *state, c ctx, cmd command) bool {
	name := cmd.words[0].text
	args := cmd.words[1:]
	switch name {
	case "read":
		in := cmd.rs.input(c.in)
		v := w.readValue(c, in, cmd)
		lines := in.whole() && readsWhole(args)
		w.listed(st, c, cmd)
		if in != nil {
			in.lines = lines
		}
		w.read(st, args, v)
	case "printf":
		if len(args) < 2 || args[0].text != "-v" {
			return false
		}
		w.listedOnly(st, c, cmd)
		w.bind(st, args[1], value{}) // a program of that name would leave it
	case "mapfile", "readarray":
		w.listed(st, c, cmd)
		target := literal("MAPFILE", 0)
		for i := 0; i < len(args); i++ {
			if t := args[i].text; args[i].known && len(t) > 1 && t[0] == '-' {
				if t[len(t)-1] == 'C' && i+1 < len(args) {
					in := within(c, name).skippable()
					in.in, in.out = &input{}, nil
					w.again(st.clone(), in, args[i+1:i+2], cmd.pos)
				}
				if isOneOf(t[len(t)-1], "dnOsuCc") {
					i++
				}
				continue
			}
			target = args[i]
		}
		w.bind(st, target, value{})
	case "getopts":
		w.listed(st, c, cmd)
		if len(args) > 1 {
			w.bind(st, args[1], value{})
		}
		w.set(st, "OPTARG", value{})
		w.set(st, "OPTIND", value{})
	case "wait":
		for i, u := range args {
			if u.text == "-p" && i+1 < len(args) {
				w.bind(st, args[i+1], value{oneWord: true})
			}
		}
		return false
	case "let":
		w.listedLet(st, c, cmd, args)
	}
	return true
}

// listedLet carries out let, which is no call, as arithmetic.
func (w *walker) listedLet(st *state, c ctx, cmd command, args []word) {
	for _, u := range args {
		x, err := w.parser.Arithmetic(strings.NewReader(u.text))
		if err != nil || !u.known {
			w.forgetVars(st)
			continue
		}
		in := c
		in.src = &source{text: u.text, nested: true, offset: u.pos}
		w.arith(st, in, x)
	}
	if len(cmd.rs.list) > 0 {
		w.emit(st, c, command{words: []word{literal("redirect", 0)}, tool: "redirect", rs: cmd.rs, src: cmd.src, pos: cmd.pos})
		w.fileWritten(st, c, &cmd.rs, newSink(st, c))
	}
}

// bind sets the variable a word names; any, when the word is not known.
func (w *walker) bind(st *state, u word, v value) {
	name, _, indexed := strings.Cut(u.text, "[")
	switch {
	case !u.known:
		w.forgetVars(st)
	case indexed && isName(name):
		w.set(st, name, value{})
	case isName(name):
		w.set(st, name, v)
	}
}

// read binds its variables; v is what a single one gets.
func (w *walker) read(st *state, args []word, v value) {
	var names []word
	for i := 0; i < len(args); i++ {
		t := args[i].text
		if args[i].known && len(t) > 1 && t[0] == '-' && len(names) == 0 {
			if strings.Contains(t, "a") && i+1 < len(args) {
				w.bind(st, args[i+1], value{})
			}
			if isOneOf(t[len(t)-1], "adinNptu") {
				i++
			}
			continue
		}
		names = append(names, args[i])
	}
	if len(names) == 0 {
		w.set(st, "REPLY", value{})
		return
	}
	if len(names) > 1 {
		v = value{}
	}
	for _, n := range names {
		w.bind(st, n, v)
	}
}

// readsWhole says whether read takes a whole line, or what ends in a NUL byte.
func readsWhole(args []word) bool {
	for i, u := range args {
		t := u.text
		if len(t) < 2 || t[0] != '-' {
			continue
		}
		if !u.known || strings.Trim(t[1:], "rsepad") != "" {
			return false
		}
		if strings.Contains(t, "d") && (!strings.HasSuffix(t, "d") || i+1 == len(args) || !args[i+1].known || args[i+1].text != "") {
			return false
		}
	}
	return true
}

// readValue is what one line of the input can be, as far as that is known: a
// path, or one of known lines (shell.md 4.9). Only as the condition of a loop
// has read found a line when its variable is used.
func (w *walker) readValue(c ctx, in *input, cmd command) value {
	switch {
	case !in.whole() || !c.reading || !allKnown(cmd.words) || !readsWhole(cmd.words[1:]):
		return value{}
	case len(in.globs) > 0:
		return value{bound: bound{within: in.globs}, oneWord: true}
	case !in.known || slices.ContainsFunc(cmd.words, func(u word) bool { return u.text == "" }) || strings.Contains(in.text, "\\"):
		return value{}
	}
	lines := strings.Split(strings.TrimSuffix(in.text, "\n"), "\n")
	if len(lines) > maxValues {
		return value{}
	}
	for _, l := range lines {
		if strings.TrimFunc(l, isBlank) != l {
			return value{} // IFS decides what is left of it
		}
	}
	return value{bound: bound{exact: lines}}
}

// readsLine says whether the condition of a loop is nothing but read.
func readsLine(cond []*syntax.Stmt) bool {
	if len(cond) != 1 || !bare(cond[0]) {
		return false
	}
	call, ok := cond[0].Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && call.Args[0].Lit() == "read"
}

// assignsTo says whether a command may rebind a variable: a loop over known
// words is not unrolled when its body does.
func assignsTo(name string, stmts []*syntax.Stmt) bool {
	found := false
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				found = found || n.Name != nil && n.Name.Value == name
			case *syntax.WordIter:
				found = found || n.Name.Value == name
			case *syntax.BinaryArithm:
				found = found || n.Op >= syntax.Assgn && strings.HasPrefix(indexLit(n.X), name)
			case *syntax.UnaryArithm:
				found = found || indexLit(n.X) == name
			case *syntax.ParamExp:
				found = found || n.Param != nil && n.Param.Value == name && n.Exp != nil &&
					(n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull)
			case *syntax.CallExpr:
				if len(n.Args) > 1 {
					switch n.Args[0].Lit() {
					case "read", "mapfile", "readarray", "getopts", "printf", "unset", "let":
						for _, a := range n.Args[1:] {
							found = found || a.Lit() == name
						}
					}
				}
			}
			return !found
		})
	}
	return found
}
