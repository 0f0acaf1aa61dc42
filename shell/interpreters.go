package shell

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
	"github.com/agentltl/agentltl-hook/trace"
)

// language is the language of an interpreter's text.
func language(base string) string {
	switch name := strings.TrimRight(base, "0123456789.-"); name {
	case "python", "pypy", "ipython", "django-admin", "manage.py":
		return "python"
	case "node", "nodejs", "deno", "bun", "tsx", "ts-node", "mongosh", "mongo", "qjs", "gjs", "zx":
		return "node"
	case "ruby", "irb", "jruby", "rake", "rails":
		return "ruby"
	case "exiftool":
		return "perl"
	case "perl", "php", "lua", "osascript", "julia", "octave", "gnuplot", "expect", "tclsh", "wish", "m", "dc", "ghc", "ocaml", "vim":
		if name == "expect" || name == "tclsh" || name == "wish" {
			return "tcl"
		}
		if name == "m" && base != "m4" {
			return ""
		}
		return name
	case "awk", "gawk", "mawk", "nawk", "original-awk", "goawk", "bpftrace", "dtrace", "stap": // the latter have its system()
		return "awk"
	case "luajit":
		return "lua"
	case "rscript", "r":
		return "r"
	case "matlab":
		return "octave"
	case "runghc", "runhaskell":
		return "ghc"
	case "emacs", "emacsclient", "guile", "sbcl", "ecl", "clisp", "racket", "clojure", "clj", "bb":
		return "lisp"
	case "groovy", "scala", "kotlin", "jshell":
		return "jvm"
	case "elixir", "iex", "erl", "mix":
		return "beam"
	case "vi", "nvim", "gvim", "view", "ex":
		return "vim"
	}
	return ""
}

// codeFlags are the options of an interpreter without a spec behind which its
// program text stands.
func codeFlags(base string) string {
	switch base {
	case "emacs":
		return "--eval -eval --execute -execute"
	case "gjs", "guile", "expect", "ipython", "ipython3":
		return "-c"
	case "sbcl", "octave", "iex", "crystal":
		return "--eval -e"
	case "ecl", "erl":
		return "-eval"
	case "clisp":
		return "-x"
	case "matlab":
		return "-r -batch"
	case "dc":
		return "-e --expression"
	case "dtrace":
		return "-n"
	case "exiftool":
		return "-if -if2"
	}
	return "-e -E --eval --print"
}

// codeOption walks the program text behind an option of an interpreter without
// a spec.
func (w *walker) codeOption(st *state, c ctx, cmd command, base string, i int) {
	lang := language(base)
	if lang == "" {
		return
	}
	flags := codeFlags(base)
	for j, u := range cmd.words[1:] {
		name, _, glued := strings.Cut(u.text, "=")
		if !has(flags, name) || !glued && j+2 >= len(cmd.words) {
			continue
		}
		code := u
		if glued {
			code = u.cut(len(name) + 1)
		} else {
			code = cmd.words[j+2]
		}
		if lang != "dc" { // sums, mostly
			w.calls[i].CLI.Opaque = "code"
		}
		if !code.known && len(code.pieces) == 1 {
			w.note("dynamic-code", cmd.src, cmd.pos)
		}
		w.codeText(st, c, cmd, code.text, base+" "+name, lang)
	}
}

// codeOperand says whether an interpreter without a spec is given its program
// by its words: text, or a file.
func codeOperand(cmd command, base string) bool {
	flags := codeFlags(base)
	for _, u := range cmd.words[1:] {
		name, _, _ := strings.Cut(u.text, "=")
		if has(flags, name) || !isOption(u.text) && u.text != "-" {
			return true
		}
	}
	return false
}

// stdinCode settles what an interpreter reads when no program is named: known
// text is its code, any other input is dynamic-code.
func (w *walker) stdinCode(st *state, c ctx, cmd command, base string, i int) {
	lang := language(base)
	if lang == "" || lang == "awk" || lang == "osascript" || lang == "vim" || has("rake rails mix exiftool django-admin manage.py", base) || i >= len(w.calls) {
		return
	}
	call := &w.calls[i]
	if _, bare := call.Args["argv"]; bare && codeOperand(cmd, base) {
		return
	}
	script, _ := call.Args["script"].(string)
	if w.computedFields(cmd, call.Args, "code", "expression", "module", "print", "eval") {
		return
	}
	if base == "mongosh" || base == "mongo" {
		return
	}
	if isDescriptor(literal(script, cmd.pos)) {
		w.note("dynamic-code", cmd.src, cmd.pos)
		return
	}
	if script != "" && script != "-" && script != "/dev/stdin" {
		w.codeFile(st, c, cmd, script, lang, i)
		return
	}
	for i, u := range cmd.words[1:] {
		if u.text == "run" && slices.ContainsFunc(cmd.words[i+1:], func(u word) bool { return u.text == "-" }) {
			break // deno run -
		}
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
	case lang == "m" || lang == "dc" || lang == "gnuplot" || base == "emacs" || base == "emacsclient":
		// Data more than code, as a rule.
	default:
		w.note("dynamic-code", cmd.src, cmd.pos)
	}
}

// computedFields reports program text among fields of which no part is known.
// It says whether there is any text.
func (w *walker) computedFields(cmd command, args trace.Args, fields ...string) bool {
	for _, f := range fields {
		switch v := args[f].(type) {
		case string:
			if v != "" {
				w.computedCode(cmd, v)
				return true
			}
		case []any:
			for _, s := range v {
				if s, ok := s.(string); ok {
					w.computedCode(cmd, s)
				}
			}
			if len(v) > 0 {
				return true
			}
		}
	}
	return false
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

// programFiles are the files of a program without a role for them in a spec that
// hold what it is to do.
func programFiles(cmd command, base string, specced bool) []word {
	switch base {
	case "at", "batch":
		return optionValues(cmd.words, "-f")
	case "emacs":
		return optionValues(cmd.words, "-l --load --script -script")
	case "gdb", "lldb":
		return optionValues(cmd.words, "-x -s --command --source")
	case "cmake":
		return optionValues(cmd.words, "-P -C")
	case "tmux":
		return append(optionValues(cmd.words, "-f"), optionValues(cmd.words, "source-file source")...)
	case "screen":
		return optionValues(cmd.words, "-c")
	}
	if specced || language(base) == "" {
		return nil
	}
	flags := codeFlags(base)
	for _, u := range cmd.words[1:] {
		switch name, _, _ := strings.Cut(u.text, "="); {
		case has(flags, name):
			return nil
		case !isOption(u.text):
			return []word{u}
		}
	}
	return nil
}

// programFile looks at a file that a program is to do what it says, if the line
// wrote it.
func (w *walker) programFile(st *state, c ctx, cmd command, u word, base string, i int) {
	var text string
	switch {
	case isStdin(u):
		got := c.in
		if got == nil || !got.piped || base == "crontab" || base == "at" || base == "batch" {
			return
		}
		if !got.known || got.used {
			if language(base) != "" || base == "sed" {
				w.note("dynamic-code", cmd.src, cmd.pos)
			}
			return
		}
		text = got.text
	case isDescriptor(u):
		w.note("dynamic-code", cmd.src, cmd.pos)
		return
	case u.text != "" && slices.ContainsFunc(w.places(st.dir, u), w.madeHere):
		var ok bool
		if text, ok, _ = w.scriptAt(st, c, u, cmd); !ok {
			return
		}
	default:
		return
	}
	in := within(c, base).skippable()
	in.in, in.out, in.feed = &input{}, nil, nil
	switch lang := language(base); base {
	case "crontab":
		w.cronTable(st, in, cmd, text)
	case "at", "batch":
		w.script(st.clone(), in, text, cmd.pos)
	case "psql", "mysql", "mariadb", "sqlite3", "duckdb", "gdb", "lldb":
		w.escapedLines(st, c, cmd, base, text)
	case "sed", "gsed":
		lines, input := spec.SedRuns(text)
		for _, line := range lines {
			w.shellOut(st, c, cmd, line, base)
		}
		if input {
			w.note("dynamic-script", cmd.src, cmd.pos)
		}
	case "ssh", "scp", "sftp", "tmux", "screen", "cmake":
		w.note("script-written", cmd.src, cmd.pos) // it may say to run something
	default:
		if lang == "" {
			return
		}
		if i < len(w.calls) {
			w.calls[i].CLI.Opaque = "script"
		}
		w.codeText(st, c, cmd, text, base+" "+u.text, lang)
	}
}
