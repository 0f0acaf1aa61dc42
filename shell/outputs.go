package shell

import (
	"fmt"
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
	"github.com/agentltl/agentltl-hook/trace"
)

// output adds what a command writes to its standard output, as far as its words
// tell, and gives it its input.
func (w *walker) output(st *state, c ctx, cmd command, p spec.Parsed) {
	words := cmd.words[1:]
	base := progName(cmd.words[0].text)
	if c.in != nil && !readsNothing(base) {
		lines := c.in.whole() && !readsBytes(base)
		in := c.in.take()
		c.in.lines = lines
		w.giveStdin(in)
		if c.out != nil && w.passes(st, c, cmd, base, in) {
			return
		}
	}
	out := c.out
	if out == nil {
		return
	}
	sure := out.surely(st, c)
	switch base {
	case "echo":
		if s, ok := w.echoText(c, words); ok {
			out.write(s, sure)
			return
		}
	case "printf":
		if s, ok := printfText(words); ok {
			out.write(s, sure)
			return
		}
	case "cat":
		if len(words) == 1 && words[0].known && !words[0].glob && !strings.HasPrefix(words[0].text, "-") &&
			st.dir.known && len(st.dir.alts) == 0 {
			out.copyOf(w.pathKey(st.dir, words[0]), sure)
			return
		}
	case "pwd":
		if dirs, ok := w.lookup(st, "PWD").options(); len(words) == 0 && ok {
			out.choice(sure, dirs...)
			return
		}
	case "cd":
		if cdSilent(st, words) {
			return
		}
	case "dirname", "basename", "realpath", "readlink":
		if w.pathOutput(st, c, cmd, base) {
			return
		}
	case "mktemp":
		w.mktempOutput(st, c, words)
		return
	case "git":
		if w.gitOutput(st, c, cmd) {
			return
		}
	case "ls":
		if w.lsOutput(c, cmd) {
			return
		}
	case "go":
		if dir, ok := w.goFolder(words); ok {
			out.choice(sure, dir)
			return
		}
	case "find", "gfind":
		if f := readFind(words); !f.other {
			out.paths(w.found(st, f))
			return
		}
	case "fd", "fdfind":
		out.paths(fdWithin(words))
		return
	case "grep", "egrep", "fgrep":
		if w.grepOutput(c, p) {
			return
		}
	default:
		if silent(base, words) {
			return
		}
	}
	out.lost = true
}

// readsNothing names commands that leave their input alone.
func readsNothing(base string) bool {
	switch base {
	case "echo", "printf", "pwd", "true", "false", "test", "[", "cd", "colon", "export", "declare", "local",
		"readonly", "typeset", "set", "shift", "unset", "exit", "return", "mkdir", "rm", "touch", "chmod",
		"mktemp", "dirname", "basename", "sleep", "date", "kill", "mv", "cp", "ln", "shopt", "trap", "alias",
		"redirect", "wait", "pushd", "popd", "ls":
		return true
	}
	return false
}

// readsBytes names commands that may leave a part of a line in their input.
// Others read all of it, or none.
func readsBytes(base string) bool {
	switch base {
	case "head", "dd", "od", "xxd", "hexdump", "hd", "sed", "gsed", "awk", "gawk", "mawk", "mapfile", "readarray", "xargs":
		return true
	}
	return isShell(base) || language(base) != ""
}

// silent names builtins that write nothing to standard output when all goes
// well. What other programs write is not known.
func silent(base string, words []word) bool {
	switch base {
	case "true", "false", "test", "[", "colon", "shift", "unset", "exit", "return", "let", "shopt", "read",
		"wait", "redirect":
		return true
	case "export", "declare", "local", "readonly", "typeset", "set", "alias", "trap":
		return len(words) > 0 && words[0].known && !strings.HasPrefix(words[0].text, "-p")
	}
	return false
}

// cdSilent says whether cd does not write where it went, as it does for "cd -"
// and for what it finds through CDPATH.
func cdSilent(st *state, words []word) bool {
	v, set := st.vars["CDPATH"]
	for _, u := range words {
		dirs, ok := u.options()
		if !ok {
			return false
		}
		for _, d := range dirs {
			if d == "-" || set && v.kind != unset && !strings.HasPrefix(d, "/") {
				return false
			}
		}
	}
	return true
}

// maxStdin is how much of a text a call shows as its stdin.
const maxStdin = 8 << 10

// giveStdin puts the text that a command reads into the call.
func (w *walker) giveStdin(in input) {
	if !in.known || len(w.calls) == 0 {
		return
	}
	call := &w.calls[len(w.calls)-1]
	switch call.Tool {
	case "tee", "cat", "psql", "mysql", "sqlite3", "duckdb", "mongosh", "redis_cli", "python", "node", "ruby",
		"perl", "php", "lua", "osascript", "ed", "bash", "sh", "zsh", "at", "batch", "crontab", "kubectl_apply",
		"kubectl_create", "docker_build", "ssh", "patch", "git_apply", "git_am":
		s := in.text
		if len(s) > maxStdin {
			s = s[:maxStdin]
		}
		setArg(call, "stdin", s)
	}
}

func setArg(call *trace.Call, name string, v any) {
	if call.Args == nil {
		call.Args = trace.Args{}
	}
	if _, ok := call.Args[name]; !ok {
		call.Args[name] = v
	}
}

// passes is what commands write that hand their input on.
func (w *walker) passes(st *state, c ctx, cmd command, base string, in input) bool {
	operands := 0
	for _, u := range cmd.words[1:] {
		if !u.known || !strings.HasPrefix(u.text, "-") || u.text == "-" {
			operands++
		}
	}
	whole := false
	switch base {
	case "cat":
		whole = len(cmd.words) == 1 || len(cmd.words) == 2 && cmd.words[1].text == "-"
	case "tee":
		whole = true
		operands = 0
	case "sort", "uniq", "head", "tail", "tac":
	case "grep", "egrep":
		operands--
	case "tr":
		operands = 0
		if joinTyped(cmd.words[1:]) != `\n \0` {
			return false
		}
	default:
		return false
	}
	switch {
	case whole && in.known:
		c.out.write(in.text, c.out.surely(st, c))
		return true
	case whole && in.file != "":
		c.out.copyOf(in.file, c.out.surely(st, c))
		return true
	case len(in.globs) > 0 && operands <= 0:
		c.out.paths(in.globs)
		return true
	}
	return false
}

// echoText is what echo writes. Whether a backslash is read depends on the
// shell, so such a text is known for bash only.
func (w *walker) echoText(c ctx, words []word) (string, bool) {
	newline, escapes := true, false
	i := 0
	for ; i < len(words); i++ {
		t := words[i].text
		if !words[i].known || len(t) < 2 || t[0] != '-' || strings.Trim(t[1:], "neE") != "" {
			break
		}
		for _, ch := range t[1:] {
			switch ch {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
	}
	if !allKnown(words[i:]) {
		return "", false
	}
	var l []string
	for _, u := range words[i:] {
		l = append(l, u.text)
	}
	s := strings.Join(l, " ")
	if strings.Contains(s, "\\") {
		if w.req.Dialect != "" && w.req.Dialect != Bash || len(c.wrappers) > 0 && c.wrappers[len(c.wrappers)-1] != "bash" {
			return "", false
		}
		if escapes {
			if j := strings.Index(s, `\c`); j >= 0 {
				newline = false
			}
			s = backslashes(s)
		}
	}
	if newline {
		s += "\n"
	}
	return s, true
}

// printfText is what printf writes.
func printfText(words []word) (string, bool) {
	if len(words) > 0 && words[0].known && words[0].text == "--" {
		words = words[1:]
	}
	if len(words) == 0 || !allKnown(words) {
		return "", false
	}
	format := words[0].text
	args := words[1:]
	var b strings.Builder
	for round := 0; ; round++ {
		before := len(args)
		if !printfRound(&b, format, &args) {
			return "", false
		}
		if len(args) == 0 || len(args) == before || b.Len() > maxValueLen {
			break
		}
	}
	return b.String(), b.Len() <= maxValueLen
}

// printfRound writes the format once.
func printfRound(b *strings.Builder, format string, args *[]word) bool {
	for i := 0; i < len(format); {
		j := strings.IndexByte(format[i:], '%')
		if j < 0 {
			b.WriteString(backslashes(format[i:]))
			return true
		}
		b.WriteString(backslashes(format[i : i+j]))
		i += j + 1
		start := i
		for i < len(format) && strings.IndexByte("-+ #0123456789.", format[i]) >= 0 {
			i++
		}
		if i == len(format) {
			return false
		}
		flags, verb := format[start:i], format[i]
		i++
		if verb == '%' {
			b.WriteByte('%')
			continue
		}
		arg := ""
		if len(*args) > 0 {
			arg, *args = (*args)[0].text, (*args)[1:]
		}
		if len(flags) > 4 {
			return false
		}
		switch verb {
		case 's':
			fmt.Fprintf(b, "%"+flags+"s", arg)
		case 'b':
			b.WriteString(backslashes(arg))
		case 'c':
			b.WriteString(arg[:min(1, len(arg))])
		case 'd', 'i', 'x', 'X', 'o':
			n, ok := arithNumber(arg)
			if !ok && arg != "" {
				return false
			}
			if verb == 'i' {
				verb = 'd'
			}
			fmt.Fprintf(b, "%"+flags+string(verb), n)
		default:
			return false
		}
	}
	return true
}
