package shell

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

// progName is the name by which a program is looked up: its basename without
// .exe, in lower case.
func progName(name string) string {
	return strings.TrimSuffix(strings.ToLower(spec.Base(name)), ".exe")
}

// runs walks what a listed command runs. It says whether the command's output
// is that of what it runs.
func (w *walker) runs(st *state, c ctx, cmd command, p spec.Parsed, i int) bool {
	base := progName(cmd.words[0].text)
	done := w.special(st, c, cmd, base, i)
	if !done {
		for _, r := range p.Run {
			done = w.specRun(st, c, cmd, r) || done
		}
	}
	w.embedded(st, c, cmd, p, base, i)
	if done {
		return true
	}
	sub := ""
	if len(cmd.words) > 1 && cmd.words[1].known {
		sub = cmd.words[1].text
	}
	r := runnerFor(base, sub)
	if r == nil {
		return false
	}
	words := cmd.words[1:]
	if r.name == base+" "+sub {
		words = words[1:]
		if !p.Specced && !r.plain {
			w.renameTool(i, r.name)
		}
	}
	if r.name == "env" {
		words = w.envSplit(words)
	}
	return w.runner(st, c, cmd, r, r.parse(words))
}

// inner walks what command, builtin and exec run, listing them first.
func (w *walker) inner(st *state, c ctx, cmd command) {
	i := w.listedOnly(st, c, cmd)
	if i < 0 {
		return
	}
	in := w.opened(st, c, cmd)
	r := findRunner(cmd.words[0].text)
	if !w.runner(st, in, cmd, r, r.parse(cmd.words[1:])) {
		in.out.lose(in)
	}
	w.fileWritten(st, c, &cmd.rs, in.out)
}

// renameTool gives a call of "direnv exec" the tool name direnv_exec, and the
// plain one as its other form.
func (w *walker) renameTool(i int, name string) {
	call := &w.calls[i]
	call.Forms = append(call.Forms, formOf(call))
	call.Tool = spec.Normalize(name)
}

// special walks commands whose words are read in a way of their own.
func (w *walker) special(st *state, c ctx, cmd command, base string, i int) bool {
	switch {
	case isShell(base):
		w.shell(st, c, cmd, base, i)
	case base == "xargs" || base == "gxargs":
		w.xargs(st, c, cmd)
	case base == "parallel" || base == "env_parallel":
		w.parallel(st, c, cmd)
	case base == "find" || base == "gfind":
		return w.findExec(st, c, cmd)
	case base == "fd" || base == "fdfind":
		return w.fdExec(st, c, cmd)
	case base == "tmux":
		return w.tmux(st, c, cmd)
	case base == "screen":
		return w.screen(st, c, cmd)
	default:
		return false
	}
	return true
}

// runner walks what a runner of the table runs.
func (w *walker) runner(st *state, c ctx, cmd command, r *runner, a runnerArgs) bool {
	if a.nothing {
		return false
	}
	child := st
	if !r.here {
		child = st.clone()
	}
	if r.lost || a.clear {
		w.loseEnv(child)
	}
	for _, u := range a.assigns {
		name, val, _ := strings.Cut(u.text, "=")
		if !isName(name) {
			continue
		}
		v := known(val)
		if !u.known {
			v = value{}
		}
		w.set(child, name, v)
		w.export(child, name, true)
		w.envExec(name, v, u.text, cmd.pos)
	}
	for _, u := range a.unset {
		if isName(u.text) {
			w.set(child, u.text, value{kind: unset})
		}
	}
	for _, u := range a.chdir {
		child.dir = w.destination(child, u)
	}
	in := within(c, r.name)
	if r.remote != "" {
		in.remote = r.remote
	}
	for _, u := range a.lines {
		w.again(child.clone(), in, []word{u}, cmd.pos)
	}
	switch {
	case r.each:
		for _, u := range a.command {
			w.again(child.clone(), in, []word{u}, cmd.pos)
		}
	case (r.joined && !a.flag(r.argv) || a.flag(r.text)) && len(a.command) > 0:
		w.again(child, in, a.command, cmd.pos)
	case len(a.lines) > 0 && (r.name != "script" || len(a.command) == 0):
	case len(a.command) > 0:
		if a.unsure {
			w.note("dynamic-command", cmd.src, cmd.pos)
			in = in.skippable()
		}
		w.run(child, in, w.subCommand(cmd, a.command, r.here), "")
	case r.shell, r.flagSh != "" && a.flag(r.flagSh):
		w.stdinScript(child, in, cmd)
	case c.feed != nil && c.feed.all:
		return w.runFed(child, in, cmd, r)
	default:
		return false
	}
	return len(a.command) > 0 || len(a.lines) > 0
}

// runFed walks a runner that gets its program from the input of xargs.
func (w *walker) runFed(st *state, c ctx, cmd command, r *runner) bool {
	if len(c.feed.bound.exact) == 0 {
		w.note("dynamic-command", cmd.src, cmd.pos)
		return false
	}
	var words []word
	for _, s := range c.feed.bound.exact {
		words = append(words, literal(s, cmd.pos))
	}
	a := r.parse(append(cmd.words[1:len(cmd.words):len(cmd.words)], words...))
	if len(a.command) == 0 {
		return false
	}
	c = c.skippable()
	c.feed = nil
	w.run(st, c, w.subCommand(cmd, a.command, false), "")
	return true
}

// subCommand is a command made of some words of another.
func (w *walker) subCommand(cmd command, words []word, here bool) command {
	return command{words: words, rs: redirections{out: -1}, src: joinTyped(words), pos: cmd.pos, external: true, here: here}
}

// loseEnv is an environment that is not the shell's: its values are not known.
func (w *walker) loseEnv(st *state) {
	st.own(w)
	clear(st.vars)
	clear(st.exportedFn)
	st.envLost = true
}

// specRun walks what a command's spec says it runs. It says whether that is
// anything.
func (w *walker) specRun(st *state, c ctx, cmd command, r spec.Run) bool {
	if r.Kind == "package" {
		name := packageProgram(r.Words[0].Text)
		sub := ""
		if len(r.Words) > 1 {
			sub = r.Words[1].Text
		}
		if runnerFor(name, sub) == nil && language(name) == "" && !ownLines(name) {
			return false // a form of the call names it
		}
		r.Kind = "argv"
		r.Words = append([]spec.Value{{Text: name, Word: -1}}, r.Words[1:]...)
	}
	in := within(c, r.Wrapper)
	if r.Conditional {
		in = in.skippable()
	}
	in.repeated = c.repeated || r.Repeated
	child := st.clone()
	if c.in == nil || !c.in.piped {
		in.in = &input{alone: true}
	}
	if r.Remote != "" {
		in.remote = r.Remote
		w.loseEnv(child)
	}
	var words []word
	for _, v := range r.Words {
		u := literal(v.Text, cmd.pos)
		if v.Word >= 0 && v.Word < len(cmd.words) {
			u = cmd.words[v.Word].part(v.Text)
		}
		words = append(words, u)
	}
	if len(words) == 0 {
		return true
	}
	if in.in != nil && in.in.alone && r.Remote == "" && len(words) == 1 && isShell(progName(words[0].text)) {
		return true // nc -e /bin/sh: the call says all there is to say
	}
	switch {
	case r.Kind == "argv":
		w.run(child, in, w.subCommand(cmd, words, false), "")
	case r.Kind == "line" || len(words) > 0:
		w.again(child, in, words, cmd.pos)
	}
	return true
}

// packageProgram is the program that a package of a registry is mostly used by.
func packageProgram(name string) string {
	if before, _, ok := strings.Cut(name[min(1, len(name)):], "@"); ok {
		name = name[:1] + before
	}
	return strings.TrimSuffix(progName(name), "-cli")
}

// envSplit reads env -S: its text is split into words, which stand in place of
// the option.
func (w *walker) envSplit(words []word) []word {
	for i, u := range words {
		if !u.known || !isOption(u.text) || u.text == "--" {
			if u.known && isAssignment(u.text) {
				continue
			}
			return words
		}
		var textWord word
		rest := words[i+1:]
		t := u.text
		switch {
		case strings.HasPrefix(t, "--split-string="):
			textWord = u.cut(len("--split-string="))
		case t == "--split-string" && len(rest) > 0:
			textWord, rest = rest[0], rest[1:]
		case strings.HasPrefix(t, "--"):
			continue
		default:
			j := strings.IndexByte(t, 'S')
			if k := strings.IndexAny(t, "uCa"); j < 0 || k >= 0 && k < j {
				continue
			}
			flags := literal(t[:j], u.pos)
			if j+1 < len(t) {
				textWord = u.cut(j + 1)
			} else if len(rest) > 0 {
				textWord, rest = rest[0], rest[1:]
			} else {
				return words
			}
			if len(flags.text) > 1 {
				words = append(words[:i:i], flags)
				i++
			}
		}
		return w.envSplit2(slices.Concat(words[:i], splitString(textWord), rest), i)
	}
	return words
}

// envSplit2 looks for a further -S in what the first one brought.
func (w *walker) envSplit2(words []word, from int) []word {
	if !w.spend(len(words)) {
		return words
	}
	return append(words[:from:from], w.envSplit(words[from:])...)
}

// splitString splits the text of env -S: blanks, quotes, backslashes.
func splitString(u word) []word {
	if !u.known {
		return []word{u.lost()}
	}
	var out []word
	var b strings.Builder
	in, unknownPart := false, false
	quote := byte(0)
	s := u.text
	flush := func() {
		if in {
			v := literal(b.String(), u.pos)
			if unknownPart {
				v = v.lost()
				v.split = false
			}
			out = append(out, v)
		}
		b.Reset()
		in, unknownPart = false, false
	}
	for i := 0; i < len(s); i++ {
		ch := s[i]
		switch {
		case quote == 0 && strings.IndexByte(" \t\n\r\v\f", ch) >= 0:
			flush()
			continue
		case quote == 0 && !in && ch == '#':
			return out
		case ch == quote:
			quote = 0
			continue
		case quote == 0 && (ch == '\'' || ch == '"'):
			quote, in = ch, true
			continue
		case ch == '\\' && i+1 < len(s) && quote != '\'':
			i++
			in = true
			switch s[i] {
			case '_':
				if quote == 0 {
					flush()
				} else {
					b.WriteByte(' ')
				}
			case 'c':
				flush()
				return out
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(s[i])
			}
			continue
		case ch == '$' && quote != '\'' && strings.HasPrefix(s[i:], "${"):
			unknownPart = true
		}
		in = true
		b.WriteByte(ch)
	}
	flush()
	return out
}
