package shell

import "strings"

// A lineMark is what stands in front of a line for a shell within a word of some
// programs.
type lineMark struct {
	programs string
	text     string
	end      string // what stands behind the line: ")" the one that closes; "": nothing
}

var lineMarks = [...]lineMark{
	{"rpm rpmbuild rpmspec", "%(", ")"},
	{"make gmake bmake", "$(shell ", ")"},
	{"make gmake bmake", "${shell ", "}"},
	{"tex pdftex xetex luatex latex pdflatex xelatex lualatex latexmk", `\write18{`, "}"},
	{"tex pdftex xetex luatex latex pdflatex xelatex lualatex latexmk", `|"`, `"`},
	{"java javac", "-XX:OnError=", ""},
	{"java javac", "-XX:OnOutOfMemoryError=", ""},
	{"sshfs", "ssh_command=", ","},
	{"sshfs", "ProxyCommand=", ","},
	{"apt apt-get apt-cache aptitude", "Invoke::=", ""},
	{"apt apt-get apt-cache aptitude", "Invoke=", ""},
	{"apt apt-get apt-cache aptitude", "Install-Pkgs::=", ""},
	{"borg restic", ".command=", ""},
	{"npm pnpm yarn", "scripts.", ""},
	{"mvn mvnw mvnd", "-Dexec.executable=", ""},
}

// marked walks the lines that stand behind marks in a command's words.
func (w *walker) marked(st *state, c ctx, cmd command, base string) {
	for i := range lineMarks {
		m := &lineMarks[i]
		if !has(m.programs, base) {
			continue
		}
		for _, u := range cmd.words[1:] {
			_, rest, ok := strings.Cut(u.text, m.text)
			if !ok {
				continue
			}
			switch m.end {
			case "":
			case ")":
				if end := balanced(rest); end >= 0 {
					rest = rest[:end]
				}
			default:
				rest, _, _ = strings.Cut(rest, m.end)
			}
			switch m.text {
			case "scripts.":
				if _, rest, ok = strings.Cut(rest, "="); !ok {
					continue
				}
			case "-Dexec.executable=":
				for _, v := range cmd.words[1:] {
					if args, ok := strings.CutPrefix(v.text, "-Dexec.args="); ok {
						rest += " " + args
					}
				}
			}
			if !u.known {
				w.note("dynamic-script", cmd.src, cmd.pos)
			}
			w.shellOut(st, c, cmd, strings.Trim(rest, ` {}";`), base)
		}
	}
}

// optionValues are the values of an option that stands in a command's words:
// the next word, or what is glued on.
func optionValues(words []word, flags string) (out []word) {
	for i := 1; i < len(words); i++ {
		t := words[i].text
		name, _, glued := strings.Cut(t, "=")
		switch {
		case has(flags, t) && i+1 < len(words):
			i++
			out = append(out, words[i])
		case glued && strings.HasPrefix(name, "--") && has(flags, name):
			out = append(out, words[i].cut(len(name)+1))
		case len(t) > 2 && t[0] == '-' && t[1] != '-' && has(flags, t[:2]):
			out = append(out, words[i].cut(2))
		}
	}
	return out
}

// elsewhere walks what a tool for many machines runs on them.
func (w *walker) elsewhere(st *state, c ctx, cmd command, base string) {
	var lines []word
	in := within(c, base)
	in.in, in.out, in.feed = &input{}, nil, nil
	in.remote = "host"
	switch base {
	case "ansible":
		module := optionValues(cmd.words, "-m --module-name")
		if len(module) > 0 && !has("shell command raw script ansible.builtin.shell ansible.builtin.command ansible.builtin.raw", module[len(module)-1].text) {
			return
		}
		lines = optionValues(cmd.words, "-a --args")
	case "salt", "salt-ssh", "salt-call":
		for i, u := range cmd.words {
			if has("cmd.run cmd.shell cmd.exec_code cmd.run_all cmd.run_stdout cmd.run_bg", u.text) && i+1 < len(cmd.words) {
				lines = cmd.words[i+1 : i+2]
			}
		}
		if base == "salt-call" {
			in.remote = ""
		}
	case "aws":
		for _, u := range optionValues(cmd.words, "--parameters") {
			if _, text, ok := strings.Cut(u.text, "commands="); ok {
				lines = append(lines, literal(strings.NewReplacer(`","`, "; ", `["`, "", `"]`, "").Replace(strings.Trim(text, `"`)), cmd.pos))
			}
		}
		if len(cmd.words) > 2 && cmd.words[2].text == "execute-command" {
			lines = append(lines, optionValues(cmd.words, "--command")...)
		}
	case "az":
		if len(cmd.words) > 2 && has("run-command container", cmd.words[2].text) || len(cmd.words) > 1 && cmd.words[1].text == "container" {
			lines = append(optionValues(cmd.words, "--scripts"), optionValues(cmd.words, "--exec-command --command-line")...)
		}
	}
	for _, u := range lines {
		child := st.clone()
		if in.remote != "" {
			w.loseEnv(child)
		}
		w.again(child, in, []word{u}, cmd.pos)
	}
}

// toolOptions walks options of some programs that run something only when their
// value has a certain shape.
func (w *walker) toolOptions(st *state, c ctx, cmd command, base string) {
	switch base {
	case "strace", "ltrace":
		for _, u := range optionValues(cmd.words, "-o --output") {
			if line := strings.TrimLeft(u.text, "|!"); line != u.text {
				w.shellOut(st, c, cmd, line, base)
			}
		}
	case "lftp":
		for _, u := range optionValues(cmd.words, "-c -e") {
			for part := range strings.SplitSeq(u.text, ";") {
				if line, ok := strings.CutPrefix(strings.TrimSpace(part), "!"); ok {
					w.shellOut(st, c, cmd, line, base)
				}
			}
		}
	case "cargo":
		for _, u := range optionValues(cmd.words, "--config") {
			for _, key := range []string{"wrapper", "runner", "linker", "rustc", "rustdoc", "credential-provider", "alias"} {
				if strings.Contains(u.text, key) {
					w.note("env-exec", cmd.src, cmd.pos)
				}
			}
		}
	case "php":
		for _, u := range optionValues(cmd.words, "-d --define") {
			for _, key := range []string{"auto_prepend_file", "auto_append_file", "extension", "sendmail_path", "preload"} {
				if name, val, _ := strings.Cut(u.text, "="); strings.HasSuffix(name, key) && (strings.HasPrefix(key, "auto_") || strings.ContainsAny(val, "/. ")) {
					w.note("env-exec", cmd.src, cmd.pos)
				}
			}
		}
	case "npm":
		for _, u := range optionValues(cmd.words, "--script-shell") {
			w.loaded(cmd, u.text)
		}
		for i, u := range cmd.words {
			switch {
			case u.text == "script-shell" && i+1 < len(cmd.words):
				w.loaded(cmd, cmd.words[i+1].text)
			case strings.HasPrefix(u.text, "script-shell="):
				w.loaded(cmd, u.text[len("script-shell="):])
			case i == 1 && u.text == "set-script" && len(cmd.words) > 3:
				w.shellOut(st, c, cmd, cmd.words[3].text, base)
			}
		}
	case "yarn":
		if len(cmd.words) > 2 && cmd.words[1].text == "node" {
			w.run(st.clone(), within(c, base), w.subCommand(cmd, cmd.words[1:], false), "")
		}
	case "rails", "flask":
		// A console reads its program from the input.
		if len(cmd.words) > 1 && has("console c shell", cmd.words[1].text) && c.in != nil && c.in.known && !c.in.used {
			lang := "ruby"
			if base == "flask" {
				lang = "python"
			}
			w.codeText(st, c, cmd, c.in.text, base, lang)
		}
	case "openssl":
		for _, u := range optionValues(cmd.words, "-engine -provider -t") {
			w.loaded(cmd, u.text)
		}
	case "timeit":
		for _, u := range cmd.words[1:] {
			w.codeText(st, c, cmd, u.text, base, "python")
		}
	case "python", "python3":
		// manage.py shell -c TEXT
		for i, u := range cmd.words {
			if u.text == "shell" && i > 0 && strings.HasSuffix(cmd.words[i-1].text, "manage.py") {
				for _, v := range optionValues(cmd.words[i:], "-c --command") {
					w.codeText(st, c, cmd, v.text, "manage.py shell", "python")
				}
			}
		}
	}
}

// loaded reports a program or library that is run in place of the usual one,
// where the project or the line itself can put it.
func (w *walker) loaded(cmd command, path string) {
	path, _, _ = strings.Cut(strings.TrimLeft(path, ":"), "=")
	i := strings.LastIndexByte(path, '/')
	bare := i < 0 && (strings.HasSuffix(path, ".so") || strings.HasSuffix(path, ".jar") || strings.HasSuffix(path, ".dylib"))
	if i > 0 && w.hijacks(path[:i]) || bare {
		w.note("env-exec", cmd.src, cmd.pos)
	}
}
