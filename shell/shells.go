package shell

import (
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// isShell names the programs that read shell text.
func isShell(base string) bool {
	switch strings.TrimRight(base, "0123456789.-") {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh", "pdksh", "yash", "rbash", "rksh", "rzsh", "oksh",
		"csh", "tcsh", "osh", "ysh", "posh", "mrsh", "rc", "hush":
		return true
	}
	return base == "ksh93" || base == "bash-static"
}

// shellArgs is what the words of a shell come to.
type shellArgs struct {
	text     *word // -c
	script   *word
	zero     word
	params   []word
	errexit  tri
	unsure   bool // an option is not known
	anything bool // there are operands
}

// readShell reads a shell's words: options go on behind -c, its text is the
// first operand.
func readShell(words []word) shellArgs {
	var a shellArgs
	a.zero = words[0]
	command, stdin := false, false
	i := 1
	for ; i < len(words); i++ {
		u := words[i]
		t := u.text
		if !u.known || len(t) < 2 || t[0] != '-' && t[0] != '+' {
			if t == "-" && u.known {
				i++
			} else if !u.known && u.split && u.open {
				a.unsure = true
			}
			break
		}
		if t == "--" {
			i++
			break
		}
		if strings.HasPrefix(t, "--") {
			name, val, glued := strings.Cut(t, "=")
			switch {
			case name == "--rcfile" || name == "--init-file":
				if !glued {
					i++
				}
			case name == "--command" && glued: // fish
				v := u.cut(len(t) - len(val))
				a.text = &v
			case name == "--command":
				command = true
			}
			continue
		}
		value := 0
		for _, ch := range t[1:] {
			switch ch {
			case 'c':
				command = command || t[0] == '-'
			case 's':
				stdin = stdin || t[0] == '-'
			case 'e':
				a.errexit = off
				if t[0] == '-' {
					a.errexit = on
				}
			case 'o', 'O':
				value++
			}
		}
		i += value
	}
	rest := words[min(i, len(words)):]
	a.anything = len(rest) > 0
	switch {
	case a.text != nil:
		a.params = rest
	case command:
		if len(rest) > 0 {
			a.text = &rest[0]
			rest = rest[1:]
		}
		if len(rest) > 0 {
			a.zero, rest = rest[0], rest[1:]
		}
		a.params = rest
	case stdin || len(rest) == 0 || isStdin(rest[0]):
		if len(rest) > 0 && !stdin {
			rest = rest[1:]
		}
		a.params = rest
	default:
		a.script, a.zero, a.params = &rest[0], rest[0], rest[1:]
	}
	return a
}

func isStdin(u word) bool {
	switch u.text {
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return u.known
	}
	return false
}

// isDescriptor says whether a word names another open file of the process, in
// which anything may stand.
func isDescriptor(u word) bool {
	return u.known && !isStdin(u) && (strings.HasPrefix(u.text, "/dev/fd/") || strings.HasPrefix(u.text, "/proc/self/fd/"))
}

// shell walks what a shell is given to run.
func (w *walker) shell(st *state, c ctx, cmd command, base string, i int) {
	a := readShell(cmd.words)
	child := w.childShell(st, cmd)
	child.params = params{known: true, zero: a.zero, args: a.params}
	child.errexit = a.errexit
	in := within(c, base)
	in.loop, in.fn, in.noAlias, in.script = nil, nil, "", nil
	fed := c.feed != nil && c.feed.all
	if fed {
		// Words come behind those that are there.
		child.params = params{zero: a.zero, feed: true}
		in.feed = nil
	}
	switch {
	case a.text != nil:
		w.again(child, in, []word{*a.text}, cmd.pos)
	case a.unsure, fed && a.script == nil:
		w.note("dynamic-script", cmd.src, cmd.pos)
		c.out.lose(c)
	case a.script != nil:
		w.scriptFile(child, in, cmd, *a.script, base+" "+a.script.typed, i)
	default:
		w.stdinScript(child, in, cmd)
	}
}

// childShell is the state of a shell that a command starts: exported variables
// and functions, and the directory.
func (w *walker) childShell(st *state, cmd command) *state {
	child := st.clone()
	child.own(w)
	for _, e := range cmd.env {
		w.set(child, e.name, e.val)
		w.export(child, e.name, true)
	}
	for n, v := range child.vars {
		if v.exported {
			continue
		}
		if _, ok := w.req.Env[n]; ok {
			continue
		}
		// Hidden from the child, unless the environment has a variable of the
		// name: then an assignment reaches the child, too.
		child.vars[n] = variable{}
		if v.kind == text {
			child.vars[n] = variable{value: value{bound: bound{exact: []string{v.text, ""}}, closed: true}}
		}
	}
	if v, ok := child.vars["IFS"]; ok && !v.exported {
		delete(child.vars, "IFS")
	}
	for n := range child.funcs {
		if !child.exportedFn[n] {
			delete(child.funcs, n)
		}
	}
	clear(child.aliases)
	child.stack, child.stackLost = nil, false
	child.noglob, child.nobrace, child.errexit, child.expand = off, off, off, false
	child.ended, child.returned, child.lastpipe = false, false, false
	return child
}

// stdinScript walks the text that a shell reads from its input.
func (w *walker) stdinScript(st *state, c ctx, cmd command) {
	got := c.in.take()
	switch {
	case got.alone:
		// A shell in a container, or on a connection: what it is told there is
		// not in the line.
		w.calls[len(w.calls)-1].CLI.Opaque = "script"
		c.out.lose(c)
		return
	case got.known:
		w.again(st, c, []word{literal(got.text, cmd.pos)}, cmd.pos)
		return
	case got.word != nil:
		w.again(st, c, []word{*got.word}, cmd.pos)
		return
	case got.file != "":
		if text, ok, sure := w.scriptText(st, c, got.file, cmd); ok {
			w.maybeScript(st, c, text, cmd.pos, sure)
			if sure {
				return
			}
		}
	}
	w.note("dynamic-script", cmd.src, cmd.pos)
	c.out.lose(c)
	w.forgetAll(st)
}

// scriptFile walks a script that a shell is given by name.
func (w *walker) scriptFile(st *state, c ctx, cmd command, u word, wrapper string, i int) {
	if u.file != nil {
		w.again(st, c, []word{literal(*u.file, cmd.pos)}, cmd.pos)
		return
	}
	if !u.known && (strings.HasPrefix(u.typed, "<(") || len(u.typed) == 0) || isDescriptor(u) {
		w.note("dynamic-script", cmd.src, cmd.pos)
		c.out.lose(c)
		return
	}
	if i >= 0 && i < len(w.calls) {
		// What a rule that wants scripts read first looks at.
		r := w.resolve(st.dir, u)
		setArg(&w.calls[i], "script", r.shown)
		f := fieldWriter{w: w, call: &w.calls[i]}
		f.place("script", r)
		f.showUnknown()
	}
	c.wrappers[len(c.wrappers)-1] = wrapper
	text, ok, sure := w.scriptAt(st, c, u, cmd)
	if !ok || !sure {
		if i >= 0 && i < len(w.calls) {
			w.calls[i].CLI.Opaque = "script"
		}
		c.out.lose(c)
	}
	if ok {
		c.script = &u
		w.maybeScript(st, c, text, cmd.pos, sure)
	}
}

// maybeScript walks a script's text; not sure: another text may stand there.
func (w *walker) maybeScript(st *state, c ctx, text string, pos int, sure bool) {
	if sure {
		w.script(st, c, text, pos)
		return
	}
	child := st.clone()
	w.script(child, c.skippable(), text, pos)
	*st = *w.join(st, child)
}

func formOf(call *trace.Call) trace.Form {
	return trace.Form{Tool: call.Tool, Args: call.Args}
}
