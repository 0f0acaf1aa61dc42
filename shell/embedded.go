package shell

import (
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

// embedded walks the lines that sit in a command's words and environment, and
// what its program text is seen to run (shell.md 3.2).
func (w *walker) embedded(st *state, c ctx, cmd command, p spec.Parsed, base string, i int) {
	w.envLines(st, c, cmd)
	for _, r := range p.Roles {
		switch r.Role {
		case "code":
			w.codeText(st, c, cmd, r.Value.Text, wrapperOr(r.Wrapper, base), language(base))
			if language(base) == "vim" {
				for _, lang := range []string{"lua", "python", "ruby", "perl"} {
					if strings.Contains(r.Value.Text, lang[:2]) {
						w.codeText(st, c, cmd, r.Value.Text, "vim "+lang, lang)
					}
				}
			}
		case "env":
			if r.Value.Text != "" {
				w.note("env-exec", cmd.src, cmd.pos)
			}
		case "program":
			if u := literal(r.Value.Text, cmd.pos); r.Value.Word > 0 && r.Value.Word < len(cmd.words) {
				w.programFile(st, c, cmd, cmd.words[r.Value.Word].part(u.text), base, i)
			}
		case "load":
			w.loaded(cmd, r.Value.Text)
		case "script":
			w.note("dynamic-script", cmd.src, cmd.pos)
		case "config":
			if base != "git" {
				w.note("dynamic-args", cmd.src, cmd.pos)
			}
		}
	}
	w.marked(st, c, cmd, base)
	w.toolOptions(st, c, cmd, base)
	switch base {
	case "ansible", "salt", "salt-ssh", "salt-call", "aws", "az":
		w.elsewhere(st, c, cmd, base)
	case "git":
		w.gitLines(st, c, cmd, p, i)
	case "make", "gmake", "bmake":
		w.makeLines(st, c, cmd, i)
	case "npm", "pnpm", "yarn", "bun":
		w.projectScripts(st, cmd, "package.json")
	case "just":
		w.projectScripts(st, cmd, "justfile")
	case "pwsh", "powershell":
		w.powershell(cmd, i)
	case "cmd":
		w.note("dialect", cmd.src, cmd.pos)
	case "at", "batch":
		w.stdinLine(st, c, cmd, base)
	case "crontab":
		w.crontab(st, c, cmd)
	case "ed", "ex", "vi", "vim", "nvim":
		w.editorInput(st, c, cmd)
	case "ssh":
		w.sshInput(st, c, cmd, p)
	case "awk", "gawk", "mawk", "nawk", "sed", "gsed":
		if i < len(w.calls) {
			w.computedFields(cmd, w.calls[i].Args, "program", "source", "script", "expression")
		}
	case "gdb", "lldb":
		w.debuggerLines(st, c, cmd, base)
		w.clientInput(st, c, cmd, base)
	case "psql", "mysql", "mariadb", "sqlite3", "duckdb", "sftp", "ftp", "lftp", "dc", "gnuplot":
		w.clientInput(st, c, cmd, base)
	case "fzf":
		w.fzf(st, c, cmd)
	case "socat":
		w.socat(st, c, cmd)
	case "cmake":
		w.cmakeTool(st, c, cmd)
	case "gh":
		w.ghLines(st, c, cmd, p)
	case "hg":
		w.hgConfig(st, c, cmd)
	}
	if !p.Specced {
		w.codeOption(st, c, cmd, base, i)
	}
	for _, u := range programFiles(cmd, base, p.Specced) {
		w.programFile(st, c, cmd, u, base, i)
	}
	w.stdinCode(st, c, cmd, base, i)
}

func wrapperOr(wrapper, base string) string {
	if wrapper != "" {
		return wrapper
	}
	return base
}

// stdinLine walks the text that at and batch read: commands for a shell, at
// another time.
func (w *walker) stdinLine(st *state, c ctx, cmd command, wrapper string) {
	for _, u := range cmd.words[1:] {
		if t := u.text; u.known && strings.HasPrefix(t, "-f") || t == "-l" || t == "-d" || t == "-r" || t == "-c" {
			return
		}
	}
	if c.in == nil || !c.in.piped {
		return
	}
	in := within(c, wrapper).skippable()
	in.out = nil
	w.stdinScript(st.clone(), in, cmd)
}

// crontab walks the table that it reads: lines to be run at some time.
func (w *walker) crontab(st *state, c ctx, cmd command) {
	if c.in == nil || !c.in.piped {
		return
	}
	for i := 1; i < len(cmd.words); i++ {
		switch u := cmd.words[i]; {
		case u.known && (u.text == "-u" || u.text == "-c"):
			i++
		case u.known && u.text == "-":
		default:
			return // a file, or what needs no input
		}
	}
	got := c.in.take()
	in := within(c, "crontab").skippable()
	in.in, in.out, in.feed = &input{}, nil, nil
	if !got.known {
		w.note("dynamic-script", cmd.src, cmd.pos)
		return
	}
	w.cronTable(st, in, cmd, got.text)
}

func (w *walker) cronTable(st *state, in ctx, cmd command, text string) {
	for entry := range strings.SplitSeq(text, "\n") {
		if line := cronLine(entry); line != "" {
			w.again(st.clone(), in, []word{literal(line, cmd.pos)}, cmd.pos)
		}
	}
}

// cronLine is the command of an entry: what stands behind five fields or an
// "@daily", up to a percent sign.
func cronLine(entry string) string {
	rest := strings.TrimLeft(entry, " \t")
	fields := 5
	switch {
	case rest == "" || rest[0] == '#':
		return ""
	case rest[0] == '@':
		fields = 1
	case isAssignment(rest) && strings.IndexByte("0123456789*", rest[0]) < 0:
		return ""
	}
	for range fields {
		i := strings.IndexAny(rest, " \t")
		if i < 0 {
			return ""
		}
		rest = strings.TrimLeft(rest[i:], " \t")
	}
	for i := 0; i < len(rest); i++ {
		if rest[i] == '%' && (i == 0 || rest[i-1] != '\\') {
			return rest[:i]
		}
	}
	return strings.ReplaceAll(rest, `\%`, "%")
}

// editorInput walks "!" commands in what ed reads.
func (w *walker) editorInput(st *state, c ctx, cmd command) {
	if c.in == nil || c.in.used || !c.in.known {
		return
	}
	for line := range strings.SplitSeq(c.in.text, "\n") {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(line, "0123456789,$.%"), "!"); ok {
			w.shellOut(st, c, cmd, rest, "ed")
		}
		for _, pre := range []string{"r !", "w !", "e !"} {
			if _, rest, ok := strings.Cut(line, pre); ok {
				w.shellOut(st, c, cmd, rest, "ed")
			}
		}
	}
}

// clientInput walks what a client is told to hand to a shell: the rest of its
// input is its own, or the server's.
func (w *walker) clientInput(st *state, c ctx, cmd command, base string) {
	if c.in == nil || c.in.used || !c.in.known {
		return
	}
	w.escapedLines(st, c, cmd, base, c.in.text)
}

func (w *walker) escapedLines(st *state, c ctx, cmd command, base, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		for _, pre := range clientEscapes(base) {
			if rest, ok := strings.CutPrefix(line, pre); ok {
				w.shellOut(st, c, cmd, rest, base)
			}
		}
	}
}

// clientEscapes are what stands in front of a shell line in a client's input.
func clientEscapes(base string) []string {
	switch base {
	case "psql":
		return []string{`\!`}
	case "mysql", "mariadb":
		return []string{`\!`, "system "}
	case "sqlite3", "duckdb":
		return []string{".shell ", ".system "}
	case "gdb", "lldb":
		return debuggerEscapes[:]
	}
	return []string{"!"}
}

// shellOut walks a line that a program hands to a shell, maybe.
func (w *walker) shellOut(st *state, c ctx, cmd command, line, wrapper string) {
	in := within(c, wrapper).skippable()
	in.in, in.out, in.feed = &input{}, nil, nil
	w.again(st.clone(), in, []word{literal(line, cmd.pos)}, cmd.pos)
}

// sshInput walks what a remote shell reads when ssh is given no command.
func (w *walker) sshInput(st *state, c ctx, cmd command, p spec.Parsed) {
	if l, ok := p.Args["command"].([]any); !ok || len(l) > 0 || c.in == nil || !c.in.piped || p.Args["no_command"] == true {
		return
	}
	for _, u := range cmd.words[1:] {
		if u.text == "-n" || u.text == "-N" {
			return
		}
	}
	in := within(c, "ssh")
	in.remote = "host"
	in.out = nil
	child := st.clone()
	w.loseEnv(child)
	w.stdinScript(child, in, cmd)
}

// powershell: its text is not read, encoded text not even seen; a script file is
// a program like any other.
func (w *walker) powershell(cmd command, i int) {
	operands := false
	for _, u := range cmd.words[1:] {
		t := strings.ToLower(strings.TrimLeft(u.text, "-/"))
		switch {
		case !u.known || t == strings.ToLower(u.text) || t == "":
			operands = operands || u.text != "-"
		case abbreviates(t, "encodedcommand") && t != "ex" || t == "ec":
			w.note("dynamic-script", cmd.src, cmd.pos)
			return
		case abbreviates(t, "file"):
			w.calls[i].CLI.Opaque = "script"
			return
		case abbreviates(t, "version"), abbreviates(t, "help"):
			return
		}
	}
	if !operands {
		w.note("dynamic-script", cmd.src, cmd.pos)
		return
	}
	w.note("dialect", cmd.src, cmd.pos)
}

func abbreviates(t, option string) bool { return strings.HasPrefix(option, t) }
