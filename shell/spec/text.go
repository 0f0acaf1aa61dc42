package spec

import (
	"strings"
	"unicode"
)

// Some programs have commands of their own that run a shell line or write a
// file: they are read here, out of literal text only.

// texted runs the readings of program text that the spec names.
func (p *parser) texted() {
	f := p.top()
	for _, name := range f.cmd.Derive {
		switch name {
		case "checkpoint_action":
			for _, v := range f.many("checkpoint_action") {
				if line, ok := strings.CutPrefix(v.Text, "exec="); ok {
					p.line(line, v.Word, true)
				}
			}
		case "ssh_options":
			for _, v := range f.many("option") {
				key, val, ok := strings.Cut(v.Text, "=")
				if !ok {
					key, val, ok = strings.Cut(v.Text, " ")
				}
				switch strings.ToLower(strings.TrimSpace(key)) {
				case "pkcs11provider", "securitykeyprovider":
					p.out.Roles = append(p.out.Roles, Role{Role: "load", Value: Value{Text: strings.TrimSpace(val), Word: v.Word}})
				case "proxycommand", "localcommand", "knownhostscommand":
					if val = strings.TrimSpace(val); ok && val != "" && val != "none" {
						p.line(val, v.Word, false)
					}
				}
			}
		case "rsync_shell":
			if v, ok := f.one("rsh"); ok {
				prog, args, _ := strings.Cut(strings.TrimSpace(v.Text), " ")
				if b := Base(prog); b != "ssh" && b != "rsh" || strings.Contains(strings.ToLower(args), "command") {
					p.line(v.Text, v.Word, true)
				}
			}
			if v, ok := f.one("rsync_path"); ok && Base(v.Text) != "rsync" {
				p.out.Run = append(p.out.Run, Run{Kind: "line", Words: []Value{v}, Wrapper: p.wrapper(), Remote: "host"})
			}
		case "vim_commands":
			for _, dest := range []string{"commands", "before", "line"} {
				for _, v := range f.many(dest) {
					p.bangs(v)
					p.vimCode(v)
				}
			}
		case "pager_commands":
			for _, v := range f.many("paths") {
				if t := strings.TrimLeft(v.Text, "+"); t != v.Text && strings.HasPrefix(t, "!") {
					p.line(t[1:], v.Word, true)
				}
			}
		case "wget_effects":
			for _, v := range f.many("execute") {
				key, val, _ := strings.Cut(v.Text, "=")
				if key = strings.Map(letter, key); key == "useaskpass" {
					p.line(val, v.Word, true)
				}
			}
		case "shell_escapes":
			for _, dest := range []string{"command", "execute", "cmd", "sql", "eval", "ex"} {
				for _, v := range f.many(dest) {
					p.escapes(v)
				}
			}
		case "sed_effects":
			p.sedRuns()
		case "python_module":
			if v, ok := f.one("module"); ok {
				p.behind(v, "python -m")
			}
		case "uv_run":
			p.uvRun(f)
		case "grep_pager":
			if v, ok := f.one("open_files_in_pager"); ok {
				p.line(v.Text, v.Word, true)
			}
		case "filter_branch":
			for _, o := range f.cmd.Options {
				if strings.HasSuffix(o.Dest, "_filter") && o.Type == List {
					for _, v := range f.many(o.Dest) {
						p.out.Run = append(p.out.Run, Run{Kind: "line", Words: []Value{v}, Wrapper: p.wrapper(), Repeated: true})
					}
				}
			}
		}
	}
}

// line is a shell line that the command runs.
func (p *parser) line(text string, word int, conditional bool) {
	if text = strings.TrimSpace(text); text != "" {
		p.out.Run = append(p.out.Run, Run{Kind: "line", Words: []Value{{Text: text, Word: word}}, Wrapper: p.wrapper(), Conditional: conditional})
	}
}

// letter keeps the letters of a name, in lower case.
func letter(r rune) rune {
	if r = unicode.ToLower(r); r < 'a' || r > 'z' {
		return -1
	}
	return r
}

// bangs: ":!cmd", ":r !cmd", ":w !cmd", "%!cmd" of vim, behind other commands
// and in the text of exe, too.
func (p *parser) bangs(v Value) {
	for part := range strings.SplitSeq(v.Text, "\n") {
		for part != "" {
			part = vimCommand(part)
			if i := strings.IndexByte(part, '!'); i >= 0 && bangPrefix(part[:i]) {
				p.line(part[i+1:], v.Word, true)
				p.out.Opaque = "code"
				break
			}
			word, rest, _ := strings.Cut(part, " ")
			switch {
			case shortens(word, "terminal"):
				for strings.HasPrefix(rest, "++") {
					_, rest, _ = strings.Cut(rest, " ")
				}
				p.line(rest, v.Word, true)
				p.out.Opaque = "code"
			case shortens(word, "execute") && len(rest) > 1:
				inner := strings.Trim(rest, rest[:1]+" ")
				if rest[0] == '"' || rest[0] == '\'' {
					p.bangs(Value{Text: inner, Word: v.Word})
				}
			}
			_, part, _ = strings.Cut(part, "|")
		}
	}
}

// shortens says whether a word is a command of vim, or its beginning.
func shortens(word, command string) bool {
	return len(word) > 2 && strings.HasPrefix(command, word)
}

// vimCommand cuts what stands in front of a command: colons, and commands that
// take one.
func vimCommand(s string) string {
	for {
		s = strings.TrimLeft(s, ": \t")
		word, rest, ok := strings.Cut(s, " ")
		switch w := strings.TrimSuffix(word, "!"); {
		case !ok:
		case shortens(w, "silent"), shortens(w, "noautocmd"), shortens(w, "verbose"), w == "keepalt", w == "bufdo", w == "windo", w == "argdo", w == "tabdo", w == "cdo":
			s = rest
			continue
		}
		return s
	}
}

// vimCode: text that calls a function which runs something, or another language.
func (p *parser) vimCode(v Value) {
	cmd := vimCommand(v.Text)
	for _, mark := range []string{"system(", "systemlist(", "jobstart(", "job_start(", "termopen(", "term_start(", "lua", "py", "ruby", "perl"} {
		if strings.HasPrefix(cmd, mark) || mark[len(mark)-1] == '(' && strings.Contains(cmd, mark) {
			p.out.Roles = append(p.out.Roles, Role{Role: "code", Field: "commands", Value: v, Wrapper: "vim"})
			p.out.Opaque = "code"
			return
		}
	}
}

// bangPrefix says whether what stands before a "!" makes it a shell line: a
// range, or a read or write. "wq!" is none.
func bangPrefix(s string) bool {
	s = strings.TrimSpace(s)
	switch s {
	case "", "%", "r", "read", "w", "write", ".", "$":
		return true
	}
	return strings.Trim(s, "0123456789,.$%'<>") == ""
}

// escapes: "\\! cmd" of psql and mysql, ".shell cmd" of sqlite, "shell cmd" of
// gdb.
func (p *parser) escapes(v Value) {
	for part := range strings.SplitSeq(v.Text, "\n") {
		part = strings.TrimSpace(part)
		for _, lead := range []string{".shell ", ".system ", "shell ", "!"} {
			if line, ok := strings.CutPrefix(part, lead); ok && (lead != "shell " || p.program == "gdb") {
				p.line(line, v.Word, true)
				p.out.Opaque = "code"
			}
		}
		if strings.HasPrefix(part, ".") {
			// .once |cmd, .import "|cmd" t: the rest of the line, or the text in quotes.
			if lead, line, ok := strings.Cut(part, "|"); ok {
				if n := len(lead); n > 0 && (lead[n-1] == '"' || lead[n-1] == '\'') {
					line, _, _ = strings.Cut(line, lead[n-1:])
				}
				p.line(line, v.Word, true)
				p.out.Opaque = "code"
			}
		}
		if i := strings.Index(strings.ToLower(part), "program '"); i >= 0 {
			line, _, _ := strings.Cut(part[i+len("program '"):], "'")
			p.line(line, v.Word, true)
		}
		if strings.Contains(part, "load_extension(") || strings.HasPrefix(part, ".load ") {
			p.out.Roles = append(p.out.Roles, Role{Role: "env", Value: v})
		}
		for _, lead := range []string{`\!`, `\g |`, `\o |`, `system `} {
			if _, line, ok := strings.Cut(part, lead); ok && (lead != "system " || strings.HasPrefix(part, lead) && p.program == "mysql") {
				p.line(line, v.Word, true)
				p.out.Opaque = "code"
			}
		}
	}
}

// awkProgram: a program that neither runs nor writes anything is no secret.
func (p *parser) awkProgram(f *frame) {
	var texts []Value
	texts = append(texts, f.many("program")...)
	texts = append(texts, f.many("source")...)
	for _, v := range texts {
		p.out.Roles = append(p.out.Roles, Role{Role: "code", Field: "program", Value: v, Wrapper: "awk"})
		p.awkFiles(v)
		if strings.Contains(v.Text, "@load") {
			p.out.Roles = append(p.out.Roles, Role{Role: "env", Value: v})
		}
		if strings.Contains(v.Text, "system") || strings.ContainsAny(v.Text, "|>@") || strings.Contains(v.Text, "getline") {
			p.out.Opaque = "code"
		}
	}
}

// awkFiles: print > "file", and getline < "file".
func (p *parser) awkFiles(v Value) {
	for i := 0; i < len(v.Text); i++ {
		op := "read"
		switch {
		case v.Text[i] == '>':
			op = "write"
		case v.Text[i] != '<' || !strings.HasSuffix(strings.TrimRight(v.Text[:i], " \t"), "getline") && !strings.Contains(v.Text[:i], "getline "):
			continue
		}
		rest := strings.TrimLeft(v.Text[i+1:], "> \t")
		if name, ok := strings.CutPrefix(rest, `"`); ok {
			name, _, ok = strings.Cut(name, `"`)
			if ok && name != "" && name != "-" && !strings.HasPrefix(name, "/dev/std") {
				p.add(op, false, true, Value{Text: name, Word: v.Word})
			}
			i = len(v.Text) - len(rest)
		}
	}
}

// A sedCommand is a command of a sed script that reaches beyond its input.
type sedCommand struct {
	name byte // r, R, w, W, e, or s with its flags w and e (E: what it puts in is run)
	arg  string
}

// sedCommands finds them. It reads addresses, s and y with any delimiter, and
// takes the rest of a line as the argument of commands with a file.
func sedCommands(script string) (out []sedCommand) {
	s := script
	for s != "" {
		s = sedAddress(strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == ';' || r == '}' || r == '{' }))
		if s == "" {
			break
		}
		c := s[0]
		s = s[1:]
		switch c {
		case 'r', 'R', 'w', 'W', 'e':
			arg, rest, _ := strings.Cut(s, "\n")
			out = append(out, sedCommand{name: c, arg: strings.TrimSpace(arg)})
			s = rest
		case 's', 'y':
			var put, flags string
			put, flags, s = sedSubstitute(s)
			if c == 's' {
				out = append(out, sedFlags(flags, put)...)
			}
		case 'a', 'i', 'c', ':', '#', 'b', 't', 'T':
			end := strings.IndexAny(s, "\n")
			if c == 'b' || c == 't' || c == 'T' || c == ':' {
				end = strings.IndexAny(s, "\n;}")
			}
			for end > 0 && s[end-1] == '\\' {
				next := strings.IndexByte(s[end+1:], '\n')
				if next < 0 {
					end = -1
					break
				}
				end += 1 + next
			}
			if end < 0 {
				return out
			}
			s = s[end:]
		case '!', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'l', 'n', 'N', 'p', 'P', 'q', 'Q', 'x', 'z', 'F', 'v', '{', '}':
		default:
			return out // not a script we follow any further
		}
	}
	return out
}

// sedAddress skips "1,/re/!".
func sedAddress(s string) string {
	for s != "" {
		switch c := s[0]; {
		case c >= '0' && c <= '9', c == '$', c == ',', c == '~', c == '+', c == ' ', c == '!':
			s = s[1:]
		case c == '/' || c == '\\' && len(s) > 1:
			d := c
			s = s[1:]
			if c == '\\' {
				d, s = s[0], s[1:]
			}
			end := sedDelimiter(s, d)
			if end < 0 {
				return ""
			}
			s = strings.TrimLeft(s[end+1:], "IM")
		default:
			return s
		}
	}
	return s
}

// sedSubstitute cuts "/a/b/flags" and returns b, the flags and the rest.
func sedSubstitute(s string) (put, flags, rest string) {
	if s == "" {
		return "", "", ""
	}
	d := s[0]
	s = s[1:]
	for range 2 {
		end := sedDelimiter(s, d)
		if end < 0 {
			return "", "", ""
		}
		put, s = s[:end], s[end+1:]
	}
	n := 0
	for n < len(s) && strings.IndexByte("gpiIMme0123456789", s[n]) >= 0 {
		n++
	}
	if n < len(s) && s[n] == 'w' {
		arg, rest, _ := strings.Cut(s[n:], "\n")
		return put, s[:n] + arg, rest
	}
	return put, s[:n], s[n:]
}

// sedDelimiter finds the next unescaped d outside brackets.
func sedDelimiter(s string, d byte) int {
	bracket := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '[' && !bracket && d != '[':
			bracket = true
			if i+1 < len(s) && s[i+1] == '^' {
				i++
			}
			if i+1 < len(s) && s[i+1] == ']' {
				i++
			}
		case s[i] == ']' && bracket:
			bracket = false
		case s[i] == d && !bracket:
			return i
		}
	}
	if bracket {
		return strings.LastIndexByte(s, d) // a "[" that opens nothing
	}
	return -1
}

func sedFlags(flags, put string) (out []sedCommand) {
	if before, file, ok := strings.Cut(flags, "w"); ok {
		out = append(out, sedCommand{name: 'w', arg: strings.TrimSpace(file)})
		flags = before
	}
	if strings.Contains(flags, "e") {
		out = append(out, sedCommand{name: 'E', arg: put})
	}
	return out
}

func (p *parser) sedScript() (texts []Value) {
	f := p.top()
	return append(append(texts, f.many("script")...), f.many("expression")...)
}

// SedRuns are the lines that a script of sed runs: "e cmd" runs cmd; "e" and the
// flag e of s run what the input says, which may be all of what s puts in.
func SedRuns(script string) (lines []string, input bool) {
	for _, c := range sedCommands(script) {
		if c.name != 'e' && c.name != 'E' {
			continue
		}
		input = input || c.name == 'E' || c.arg == ""
		if c.arg != "" && !strings.ContainsAny(c.arg, `&\`) {
			lines = append(lines, c.arg)
		}
	}
	return lines, input
}

func (p *parser) sedRuns() {
	for _, v := range p.sedScript() {
		lines, input := SedRuns(v.Text)
		for _, line := range lines {
			p.line(line, v.Word, true)
		}
		if input {
			p.out.Roles = append(p.out.Roles, Role{Role: "script", Value: v})
		}
		if input || len(lines) > 0 {
			p.out.Opaque = "code"
		}
	}
}

func (p *parser) sedEffects() {
	f := p.top()
	for _, v := range p.sedScript() {
		for _, c := range sedCommands(v.Text) {
			t := Value{Text: c.arg, Word: v.Word}
			switch {
			case c.arg == "" || strings.HasPrefix(c.arg, "/dev/std"):
			case c.name == 'w' || c.name == 'W':
				p.add("write", false, false, t)
			case c.name == 'r' || c.name == 'R':
				p.add("read", false, false, t)
			}
		}
	}
	paths := f.many("paths")
	p.add("read", false, false, paths...)
	if !f.on("in_place") {
		return
	}
	p.add("write", false, false, paths...)
	if s := f.slots["in_place"]; s.suffix != nil && s.suffix.Text != "" && !strings.Contains(s.suffix.Text, "*") {
		for _, v := range paths {
			v.Text += s.suffix.Text
			p.add("write", false, false, v)
		}
	}
}

// behind is a run of the value and all words behind it: python -m takes no
// options of its own any more.
func (p *parser) behind(v Value, wrapper string) {
	run := Run{Kind: "argv", Words: []Value{v}, Wrapper: wrapper}
	for i := v.Word + 1; i < len(p.words); i++ {
		run.Words = append(run.Words, Value{Text: p.words[i].Text, Word: i})
	}
	p.out.Run = append(p.out.Run, run)
}

// uvRun: uv runs a command, a script by python, or a module.
func (p *parser) uvRun(f *frame) {
	words := f.many("command")
	if len(words) == 0 {
		return
	}
	switch {
	case f.on("module"):
		words = append([]Value{{Text: "python", Word: -1}, {Text: "-m", Word: -1}}, words...)
	case f.on("script"), strings.HasSuffix(words[0].Text, ".py"), words[0].Text == "-":
		words = append([]Value{{Text: "python", Word: -1}}, words...)
	}
	p.out.Run = append(p.out.Run, Run{Kind: "argv", Words: words, Wrapper: "uv run"})
}
