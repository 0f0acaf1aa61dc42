package shell

import (
	"slices"
	"strings"
)

// language is the language of an interpreter's text.
func language(base string) string {
	switch name := strings.TrimRight(base, "0123456789."); name {
	case "python", "pypy", "ipython", "python-config":
		return "python"
	case "node", "nodejs", "deno", "bun", "tsx", "ts-node", "mongosh", "mongo":
		return "node"
	case "ruby", "irb", "jruby":
		return "ruby"
	case "perl", "php", "lua", "osascript", "awk":
		return name
	case "luajit":
		return "lua"
	case "rscript", "r":
		return "r"
	case "julia":
		return "julia"
	}
	return ""
}

// A caller is a function of a language that runs what it is given: a line for a
// shell, or a program and its words.
type caller struct {
	lang string
	name string
	argv bool // the words are a list, or arguments
}

// callers are the functions looked for in program text, a literal argument of
// which is listed (shell.md 3.2). What is not literal stays opaque.
var callers = [...]caller{
	{"python", "os.system", false},
	{"python", "os.popen", false},
	{"python", "subprocess.run", true},
	{"python", "subprocess.call", true},
	{"python", "subprocess.check_call", true},
	{"python", "subprocess.check_output", true},
	{"python", "subprocess.Popen", true},
	{"python", "subprocess.getoutput", false},
	{"python", "subprocess.getstatusoutput", false},
	{"python", "pty.spawn", true},
	{"python", "commands.getoutput", false},
	{"python", "asyncio.create_subprocess_shell", false},
	{"python", "asyncio.create_subprocess_exec", true},
	{"python", "system", false},
	{"python", "popen", false},
	{"python", "check_output", true},
	{"python", "check_call", true},
	{"python", "Popen", true},
	{"node", "execSync", false},
	{"node", "exec", false},
	{"node", "spawn", true},
	{"node", "spawnSync", true},
	{"node", "execFile", true},
	{"node", "execFileSync", true},
	{"node", "execa", true},
	{"node", "execaSync", true},
	{"node", "Deno.Command", true},
	{"node", "Bun.spawn", true},
	{"node", "Bun.spawnSync", true},
	{"ruby", "system", true},
	{"ruby", "exec", true},
	{"ruby", "spawn", true},
	{"ruby", "IO.popen", true},
	{"ruby", "popen", true},
	{"ruby", "Open3.capture2", true},
	{"ruby", "Open3.capture2e", true},
	{"ruby", "Open3.capture3", true},
	{"ruby", "Open3.popen3", true},
	{"ruby", "sh", false},
	{"perl", "system", true},
	{"perl", "exec", true},
	{"perl", "qx", false},
	{"php", "system", false},
	{"php", "exec", false},
	{"php", "shell_exec", false},
	{"php", "passthru", false},
	{"php", "popen", false},
	{"php", "proc_open", false},
	{"php", "pcntl_exec", true},
	{"lua", "os.execute", false},
	{"lua", "io.popen", false},
	{"osascript", "do shell script", false},
	{"osascript", "doShellScript", false},
	{"awk", "system", false},
	{"r", "system", false},
	{"r", "system2", true},
	{"r", "shell", false},
	{"julia", "run", false},
}

// codeText lists what program text is seen to run, as conditional calls. It is
// not claimed to be understood: the call that holds it is opaque.
func (w *walker) codeText(st *state, c ctx, cmd command, code, wrapper, lang string) {
	if lang == "" || !w.spend(len(code)/8) {
		return
	}
	in := within(c, wrapper).skippable()
	in.in, in.out, in.feed = &input{}, nil, nil
	seen := map[string]bool{}
	list := func(key string, run func(*state)) {
		if !seen[key] {
			seen[key] = true
			run(st.clone())
		}
	}
	line := func(s string) {
		list(s, func(st *state) { w.again(st, in, []word{literal(s, cmd.pos)}, cmd.pos) })
	}
	argv := func(l []string) {
		if len(l) == 1 && strings.ContainsAny(l[0], " \t\n;|&") {
			line(l[0])
			return
		}
		var words []word
		for _, s := range l {
			words = append(words, literal(s, cmd.pos))
		}
		list(strings.Join(l, "\x00"), func(st *state) { w.run(st, in, w.subCommand(cmd, words, false), "") })
	}
	for i := 0; i < len(code); i++ {
		if ticks(lang) && code[i] == '`' {
			if s, n, ok := quotedCode(code[i:], lang); ok {
				line(s)
				i += n - 1
			}
			continue
		}
		if s, n, ok := percent(code[i:], lang); ok {
			line(s)
			i += n - 1
			continue
		}
		if lang == "awk" && code[i] == '"' {
			s, n, ok := quotedCode(code[i:], lang)
			if ok && piped(code[:i], code[i+n:]) {
				line(s)
			}
			i += max(n-1, 0)
			continue
		}
		if i > 0 && isWordByte(code[i-1]) {
			continue
		}
		for _, f := range callers {
			if f.lang != lang || !strings.HasPrefix(code[i:], f.name) {
				continue
			}
			rest := code[i+len(f.name):]
			if rest != "" && isWordByte(rest[0]) {
				continue
			}
			if l := literals(rest, lang); len(l) > 0 {
				if f.argv {
					argv(l)
				} else {
					line(l[0])
				}
			}
		}
	}
}

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

// ticks says whether backquotes run their text.
func ticks(lang string) bool { return lang == "ruby" || lang == "perl" || lang == "php" }

// percent is %x{...} of ruby and qx{...} of perl.
func percent(s, lang string) (text string, n int, ok bool) {
	prefix := ""
	switch lang {
	case "ruby":
		prefix = "%x"
	case "perl":
		prefix = "qx"
	}
	if prefix == "" || !strings.HasPrefix(s, prefix) || len(s) < 4 {
		return "", 0, false
	}
	open := s[2]
	end := closing(open)
	if isWordByte(open) || open == ' ' {
		return "", 0, false
	}
	j := strings.IndexByte(s[3:], end)
	if j < 0 {
		return "", 0, false
	}
	return s[3 : 3+j], 4 + j, !interpolates(s[3:3+j], lang)
}

func closing(open byte) byte {
	switch open {
	case '{':
		return '}'
	case '(':
		return ')'
	case '[':
		return ']'
	case '<':
		return '>'
	}
	return open
}

// literals are the string literals at the beginning of a call's arguments: one,
// several, or a list of them. Nothing when the first is none.
func literals(s, lang string) []string {
	var out []string
	i := 0
	skip := func(set string) {
		for i < len(s) && strings.IndexByte(set, s[i]) >= 0 {
			i++
		}
	}
	skip(" \t\n(")
	skip("[{ \t\n")
	for i < len(s) {
		if lang == "node" && len(out) == 1 {
			skip("[ \t\n")
		}
		if lang == "python" && len(s[i:]) > 1 && (s[i] == 'r' || s[i] == 'b') && (s[i+1] == '"' || s[i+1] == '\'') {
			i++
		}
		text, n, ok := quotedCode(s[i:], lang)
		if !ok {
			break
		}
		out = append(out, text)
		i += n
		skip(" \t\n")
		if i >= len(s) || s[i] != ',' {
			break
		}
		i++
		skip(" \t\n")
	}
	return out
}

// quotedCode reads one string literal without interpolation.
func quotedCode(s, lang string) (text string, n int, ok bool) {
	if s == "" {
		return "", 0, false
	}
	q := s[0]
	switch {
	case q == '\'' || q == '"':
	case q == '`' && (lang == "node" || ticks(lang)):
	default:
		return "", 0, false
	}
	if lang == "python" && len(s) > 6 && s[1] == q && s[2] == q {
		j := strings.Index(s[3:], s[:3])
		if j < 0 {
			return "", 0, false
		}
		return s[3 : 3+j], j + 6, true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case q, '\\':
				b.WriteByte(s[i])
			default:
				b.WriteByte('\\')
				b.WriteByte(s[i])
			}
		case s[i] == q:
			t := b.String()
			return t, i + 1, t != "" && (q == '\'' || !interpolates(t, lang))
		default:
			b.WriteByte(s[i])
		}
	}
	return "", 0, false
}

// interpolates says whether a literal has parts that are computed.
func interpolates(s, lang string) bool {
	switch lang {
	case "ruby":
		return strings.Contains(s, "#{")
	case "node":
		return strings.Contains(s, "${")
	case "perl", "php":
		return strings.ContainsAny(s, "$@")
	case "julia":
		return strings.Contains(s, "$")
	}
	return false
}

// stdinCode settles what an interpreter reads when no program is named: known
// text is its code, any other input is dynamic-code.
func (w *walker) stdinCode(st *state, c ctx, cmd command, base string, i int) {
	lang := language(base)
	if lang == "" || lang == "awk" || lang == "osascript" || i >= len(w.calls) {
		return
	}
	call := &w.calls[i]
	script, _ := call.Args["script"].(string)
	for _, f := range []string{"code", "expression", "module", "print", "eval"} {
		switch v := call.Args[f].(type) {
		case string:
			if v != "" {
				w.computedCode(cmd, v)
				return
			}
		case []any:
			for _, s := range v {
				if s, ok := s.(string); ok {
					w.computedCode(cmd, s)
				}
			}
			if len(v) > 0 {
				return
			}
		}
	}
	if base == "mongosh" || base == "mongo" {
		return
	}
	if script != "" && script != "-" && script != "/dev/stdin" {
		w.codeFile(st, c, cmd, script, lang, i)
		return
	}
	for _, u := range cmd.words[1:] {
		switch u.text {
		case "--version", "-V", "-v", "--help", "-h", "run", "test", "repl", "install", "add":
			return
		}
	}
	if c.in == nil || !c.in.piped {
		return
	}
	got := c.in.take()
	switch {
	case got.known:
		if _, ok := call.Args["code"]; !ok {
			call.Args["code"] = clip(got.text)
		}
		call.CLI.Opaque = "code"
		w.codeText(st, c, cmd, got.text, base, lang)
	case got.file != "":
		if text, ok, sure := w.scriptText(st, c, got.file, cmd); ok && sure {
			call.CLI.Opaque = "code"
			w.codeText(st, c, cmd, text, base, lang)
			return
		}
		w.note("dynamic-code", cmd.src, cmd.pos)
	default:
		w.note("dynamic-code", cmd.src, cmd.pos)
	}
}

// computedCode reports a program text of which no part is known: $(curl u).
func (w *walker) computedCode(cmd command, typed string) {
	for _, u := range cmd.words[1:] {
		if u.known || u.typed != typed || len(u.pieces) != 1 {
			continue
		}
		w.note("dynamic-code", cmd.src, cmd.pos)
	}
}

// codeFile looks at a program that the line wrote, or that is on the disk.
func (w *walker) codeFile(st *state, c ctx, cmd command, script, lang string, i int) {
	u := literal(script, cmd.pos)
	if i := slices.IndexFunc(cmd.words, func(x word) bool { return x.text == script }); i > 0 {
		u = cmd.words[i]
	}
	text, ok, _ := w.scriptAt(st, c, u, cmd)
	if !ok {
		return
	}
	w.calls[i].CLI.Opaque = "script"
	w.codeText(st, c, cmd, text, progName(cmd.words[0].text)+" "+script, lang)
}

func clip(s string) string {
	if len(s) > maxStdin {
		return s[:maxStdin]
	}
	return s
}
