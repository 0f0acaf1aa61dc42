package shell

import (
	"strings"
)

// A codeWalk is the walk of one program text.
type codeWalk struct {
	w    *walker
	st   *state
	in   ctx
	cmd  command
	lang string
	text string
	seen map[string]bool
}

// codeText lists what program text is seen to run, as conditional calls. It is
// not claimed to be understood: the call that holds it is opaque.
func (w *walker) codeText(st *state, c ctx, cmd command, code, wrapper, lang string) {
	if lang == "" || !w.spend(len(code)/8) {
		return
	}
	in := within(c, wrapper).skippable()
	in.in, in.out, in.feed = &input{}, nil, nil
	r := codeWalk{w: w, st: st, in: in, cmd: cmd, lang: lang, seen: map[string]bool{}}
	r.walk(code, 0)
}

// walk looks for callers and for texts that run as they stand.
func (r *codeWalk) walk(code string, depth int) {
	if depth > maxDepth {
		return
	}
	r.text = code
	switch r.lang {
	case "tcl":
		r.tcl()
		return
	case "dc":
		for line := range strings.SplitSeq(code, "\n") {
			if _, rest, ok := strings.Cut(line, "!"); ok && !strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "<") && !strings.HasPrefix(rest, ">") {
				r.line(rest)
			}
		}
		return
	case "m":
		r.m4()
		return
	case "python":
		code = renamed(code)
		r.text = code
		if strings.HasPrefix(r.in.wrappers[len(r.in.wrappers)-1], "ipython") {
			r.bangs(code)
		}
	case "node":
		code = renamed(code)
		r.text = code
	case "gnuplot":
		r.bangs(strings.ReplaceAll(code, ";", "\n"))
	}
	for i := 0; i < len(code); i++ {
		if n := r.standing(i); n > 0 {
			i += n - 1
			continue
		}
		if i > 0 && (isWordByte(code[i-1]) || r.lang == "lisp" && code[i-1] == '-') {
			continue
		}
		for j := range callers {
			f := &callers[j]
			if f.lang != r.lang {
				continue
			}
			if n, ok := f.at(code[i:]); ok {
				r.called(f, i, code[i+n:], depth)
				r.text = code
			}
		}
	}
}

// bangs walks lines behind a "!".
func (r *codeWalk) bangs(code string) {
	for line := range strings.SplitSeq(code, "\n") {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			r.line(rest)
		}
	}
}

// renamed gives functions that run something their own names back: "system as
// s" of Python, "exec: e" of JavaScript.
func renamed(code string) string {
	for _, name := range []string{"system", "popen", "run", "call", "Popen", "check_output", "exec", "execSync", "spawn", "spawnSync", "execFile"} {
		for _, sep := range []string{name + " as ", name + ":", name + " : ", name + ": "} {
			_, rest, ok := strings.Cut(code, sep)
			n := 0
			for n < len(rest) && isWordByte(rest[n]) {
				n++
			}
			if ok && n > 0 {
				code = strings.ReplaceAll(code, rest[:n]+"(", name+"(")
			}
		}
	}
	return code
}

// at says whether the function's name stands at the beginning of code.
func (f *caller) at(code string) (n int, ok bool) {
	name, open := strings.CutSuffix(f.name, "*")
	if f.lang == "lisp" {
		name, open = f.name, false
	}
	if !strings.HasPrefix(code, name) {
		return 0, false
	}
	n = len(name)
	for open && n < len(code) && isWordByte(code[n]) {
		n++
	}
	if n < len(code) && (isWordByte(code[n]) || f.lang == "lisp" && (code[n] == '-' || code[n] == '*')) {
		return 0, false
	}
	return n, true
}

// standing reads a text at i that runs without a function: backquotes, qx{},
// a pipe of awk, "rm x".execute(). It returns its length.
func (r *codeWalk) standing(i int) int {
	code := r.text
	if code[i] == '`' && (ticks(r.lang) || r.lang == "node" && i > 0 && code[i-1] == '$') {
		if s, n, ok := r.literal(code[i:]); ok {
			r.line(s)
			return n
		}
		return 0
	}
	if s, n, ok := percent(code[i:], r.lang); ok && (i == 0 || !isWordByte(code[i-1])) {
		r.line(r.filled(s))
		return n
	}
	if r.lang == "awk" && (code[i] == '/' || code[i] == '|') {
		return r.awkMark(i)
	}
	if code[i] != '"' && code[i] != '\'' {
		return 0
	}
	switch r.lang {
	case "awk":
		if code[i] != '"' {
			return 0
		}
		s, n, ok := r.literal(code[i:])
		if ok && piped(code[:i], code[i+n:]) {
			r.line(r.joined(s, code[i+n:]))
		}
		return n
	case "jvm":
		s, n, ok := r.literal(code[i:])
		if rest := code[i+n:]; ok && (strings.HasPrefix(rest, ".execute(") || strings.HasPrefix(rest, ".!")) {
			r.line(s)
			return n
		}
	case "gnuplot":
		if s, n, ok := r.literal(code[i:]); ok && strings.HasPrefix(strings.TrimSpace(s), "<") {
			r.line(strings.TrimPrefix(strings.TrimSpace(s), "<"))
			return n
		}
	}
	return 0
}

// called lists what a call of f runs, whose arguments begin rest.
func (r *codeWalk) called(f *caller, at int, rest string, depth int) {
	if f.lang == "python" && !f.sure && has("run call getoutput", f.name) && !strings.Contains(r.text, "subprocess") {
		return
	}
	args := r.args(f, rest)
	if len(args) == 0 {
		switch {
		case !r.isCall(rest, at):
		case f.sure:
			r.w.note("dynamic-script", r.cmd.src, r.cmd.pos)
		case f.kind == callCode && (at == 0 || r.text[at-1] != '.'):
			r.w.note("dynamic-code", r.cmd.src, r.cmd.pos)
		}
		return
	}
	switch f.kind {
	case callLine:
		r.line(args[0])
	case callArgv:
		r.argv(args)
	case callLate:
		r.argv(args[min(2, len(args)-1):])
	case callExec:
		if len(args) > 1 {
			args = append(args[:1:1], args[2:]...)
		}
		r.argv(args)
	case callOpen:
		switch first := strings.TrimSpace(args[0]); {
		case first == "-|" || first == "|-":
			r.argv(args[1:])
		case strings.HasPrefix(first, "|") || strings.HasSuffix(first, "|"):
			r.line(strings.Trim(first, "| "))
		}
	case callCode:
		r.walk(args[0], depth+1)
	}
}

// isCall says whether a name of which no argument is literal is called at all,
// and as a function of its own.
func (r *codeWalk) isCall(rest string, at int) bool {
	if rest == "" {
		return false
	}
	if at > 0 && strings.IndexByte(">$@%", r.text[at-1]) >= 0 {
		return false // a method, or a variable
	}
	switch r.lang {
	case "lisp", "ghc", "ocaml":
		return at > 0 && r.text[at-1] == '('
	case "perl", "ruby":
		if len(rest) > 1 && rest[0] == ' ' && strings.IndexByte("$@", rest[1]) >= 0 {
			return true
		}
	}
	return rest[0] == '(' && len(rest) > 1 && rest[1] != ')' && rest[1] != '\\' // (\": it stands in a text itself
}

// line walks a line that goes to a shell. A part that is computed may hold
// anything.
func (r *codeWalk) line(s string) {
	if r.once(s) {
		if r.holed(s) {
			r.w.note("dynamic-script", r.cmd.src, r.cmd.pos)
		}
		r.w.again(r.st.clone(), r.in, []word{literal(s, r.cmd.pos)}, r.cmd.pos)
	}
}

// argv walks a program and its words. One text alone is a line, as for the
// functions that take either.
func (r *codeWalk) argv(args []string) {
	if len(args) == 0 {
		return
	}
	if len(args) == 1 && (r.holed(args[0]) || strings.ContainsAny(args[0], " \t\n;|&")) {
		r.line(args[0])
		return
	}
	if !r.once(strings.Join(args, "\x00")) {
		return
	}
	var words []string
	holed := false
	for _, s := range args {
		holed = holed || r.holed(s)
		words = append(words, r.w.quotedText(literal(s, r.cmd.pos)))
	}
	if r.holed(args[0]) {
		r.w.note("dynamic-command", r.cmd.src, r.cmd.pos)
	}
	if holed {
		// The shell reader knows words of which a part is not known.
		r.w.again(r.st.clone(), r.in, []word{literal(strings.Join(words, " "), r.cmd.pos)}, r.cmd.pos)
		return
	}
	list := make([]word, len(args))
	for i, s := range args {
		list[i] = literal(s, r.cmd.pos)
	}
	r.w.run(r.st.clone(), r.in, r.w.subCommand(r.cmd, list, false), "")
}

func (r *codeWalk) once(key string) bool {
	if r.seen[key] || strings.TrimSpace(key) == "" {
		return false
	}
	r.seen[key] = true
	return true
}

func (r *codeWalk) holed(s string) bool { return strings.ContainsFunc(s, r.w.isHole) }

// piped says whether a text of awk stands at a pipe: print | "cmd", and
// "cmd" | getline.
func piped(before, behind string) bool {
	b := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(before, " \t"), "&"), " \t")
	if strings.HasSuffix(b, "|") && !strings.HasSuffix(b, "||") {
		return true
	}
	rest, ok := strings.CutPrefix(strings.TrimLeft(behind, " \t"), "|")
	return ok && strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(rest, "&"), " \t"), "getline")
}

// awkMark skips a regular expression, and reports a pipe to or from a program
// that is computed.
func (r *codeWalk) awkMark(i int) int {
	before := strings.TrimRight(r.text[:i], " \t\n")
	if r.text[i] == '/' {
		if before != "" && strings.IndexByte("(,{;!~&|", before[len(before)-1]) < 0 {
			return 0 // a division
		}
		for j := i + 1; j < len(r.text); j++ {
			switch r.text[j] {
			case '\\':
				j++
			case '/':
				return j - i + 1
			}
		}
		return 0
	}
	rest := r.text[i+1:]
	if strings.HasPrefix(rest, "|") {
		return 2
	}
	rest = strings.TrimLeft(rest, "& \t")
	computed := rest != "" && (isWordByte(rest[0]) || rest[0] == '$' || rest[0] == '(')
	if strings.HasPrefix(rest, "getline") {
		computed = !strings.HasSuffix(before, `"`)
	}
	if computed {
		r.w.note("dynamic-script", r.cmd.src, r.cmd.pos)
	}
	return 0
}

// tcl walks spawn, exec and system, whose words are bare: [exec rm x].
func (r *codeWalk) tcl() {
	for i := 0; i < len(r.text); i++ {
		if i > 0 && strings.IndexByte("[{;\n \t\"", r.text[i-1]) < 0 {
			continue
		}
		for _, name := range []string{"spawn", "exec", "system"} {
			rest, ok := strings.CutPrefix(r.text[i:], name)
			if !ok || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
				continue
			}
			if end := strings.IndexAny(rest, "];\n"); end >= 0 {
				rest = rest[:end]
			}
			for rest = strings.TrimLeft(rest, " \t"); strings.HasPrefix(rest, "-"); {
				_, rest, _ = strings.Cut(rest, " ") // -noecho, -ignorestderr, --
			}
			if s, n, ok := r.literal(rest); ok && n == len(rest) {
				rest = s
			}
			r.line(strings.NewReplacer("{", "'", "}", "'").Replace(rest))
		}
		if rest, ok := strings.CutPrefix(r.text[i:], "open "); ok {
			if s, _, ok := r.literal(strings.TrimLeft(rest, " {")); ok && strings.HasPrefix(s, "|") {
				r.line(s[1:])
			}
		}
	}
}

// m4 walks syscmd(rm x) and esyscmd.
func (r *codeWalk) m4() {
	for rest := r.text; ; {
		_, after, ok := strings.Cut(rest, "syscmd(")
		if !ok {
			return
		}
		end := balanced(after)
		if end < 0 {
			return
		}
		r.line(strings.Trim(after[:end], "`' "))
		rest = after[end:]
	}
}
