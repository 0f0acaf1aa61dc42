package shell

import (
	"fmt"
	"iter"
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

// Programs whose options have a small language of their own, in which command
// lines stand.

// ownLines names the programs below that have no spec.
func ownLines(base string) bool {
	switch base {
	case "fzf", "socat", "hg", "gdb", "lldb", "tmux", "screen":
		return true
	}
	return false
}

// debuggerEscapes are what stands in front of a shell line in a command of gdb
// or lldb.
var debuggerEscapes = [...]string{"shell ", "!", "pipe ", "platform shell ", "platform process launch ", "make "}

// debuggerLines walks the commands that a debugger is given as options.
func (w *walker) debuggerLines(st *state, c ctx, cmd command, base string) {
	for i, u := range cmd.words {
		name, text, glued := strings.Cut(u.text, "=")
		switch strings.TrimLeft(name, "-") {
		case "ex", "iex", "eval-command", "init-eval-command", "early-init-eval-command",
			"o", "O", "k", "one-line", "one-line-before-file", "one-line-on-crash":
		default:
			continue
		}
		if !strings.HasPrefix(name, "-") {
			continue
		}
		if !glued {
			if i+1 >= len(cmd.words) {
				return
			}
			text = cmd.words[i+1].text
		}
		for _, pre := range debuggerEscapes {
			if rest, ok := strings.CutPrefix(text, pre); ok {
				w.shellOut(st, c, cmd, rest, base)
			}
		}
		if lead, code, ok := strings.Cut(text, " "); ok && has("python py pi python-interactive script", lead) {
			w.codeText(st, c, cmd, code, base, "python")
		}
	}
}

// fzf walks the lines of a preview and of the actions that keys are bound to:
// execute(..), reload:.. (man fzf, ACTION ARGUMENT).
func (w *walker) fzf(st *state, c ctx, cmd command) {
	for name, text := range valued(cmd.words[1:], "--preview --bind --with-shell") {
		if name != "--bind" {
			w.shellOut(st, c, cmd, fzfLine(text), "fzf")
			continue
		}
		for _, line := range fzfActions(text) {
			w.shellOut(st, c, cmd, fzfLine(line), "fzf")
		}
	}
}

// fzfLine puts words that are not known in place of {}, {q} and {+1..3}.
func fzfLine(line string) string {
	var b strings.Builder
	for line != "" {
		before, rest, ok := strings.Cut(line, "{")
		b.WriteString(before)
		inner, after, closed := strings.Cut(rest, "}")
		switch {
		case !ok:
			return b.String()
		case closed && strings.Trim(inner, "+*fnqrs0123456789.-:") == "":
			b.WriteString(`"$fzf"`)
			line = after
		default:
			b.WriteByte('{')
			line = rest
		}
	}
	return b.String()
}

// fzfActions are the texts of the actions of a binding that run something.
func fzfActions(s string) (lines []string) {
	for s != "" {
		// An action begins behind the ":" of a key or the "+" of another action.
		i := strings.IndexAny(s, ":+")
		if i < 0 {
			return lines
		}
		s = s[i+1:]
		n := 0
		for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] == '-') {
			n++
		}
		if n == 0 || n == len(s) || !fzfRuns(s[:n]) {
			continue
		}
		open := s[n]
		rest := s[n+1:]
		if open == ':' {
			return append(lines, rest)
		}
		end := strings.IndexByte(rest, closing(open))
		if open == '(' {
			end = balanced(rest)
		}
		if end < 0 || isWordByte(open) || open == '+' || open == ',' {
			continue
		}
		lines = append(lines, rest[:end])
		s = rest[end+1:]
	}
	return lines
}

func fzfRuns(action string) bool {
	action = strings.TrimPrefix(action, "change-")
	for _, a := range []string{"execute", "reload", "become", "transform", "preview"} {
		if action == a || strings.HasPrefix(action, a+"-") && !strings.HasPrefix(action, "preview-") {
			return true
		}
	}
	return false
}

// balanced is the index of the ")" that closes a "(" in front of s.
func balanced(s string) int {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// socat walks the programs among its addresses: EXEC:, SYSTEM: and SHELL:. What
// they read comes from the other side, and is not known.
func (w *walker) socat(st *state, c ctx, cmd command) {
	for _, u := range cmd.words[1:] {
		for part := range strings.SplitSeq(u.text, "!!") {
			for _, pre := range []string{"exec:", "system:", "shell:", "exec1:", "system1:", "shell1:"} {
				rest, ok := cutFold(part, pre)
				if !ok {
					continue
				}
				if !u.known {
					w.note("dynamic-script", cmd.src, cmd.pos)
				}
				in := within(c, "socat")
				in.in, in.out, in.feed = &input{piped: true}, nil, nil
				w.again(st.clone(), in, []word{literal(socatLine(rest), cmd.pos)}, cmd.pos)
			}
		}
	}
}

// socatLine is an address without its options, which stand behind a comma
// outside of quotes; a backslash takes the meaning from the next character.
func socatLine(s string) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
			continue
		case quote != 0 && s[i] == quote:
			quote = 0
		case quote == 0 && (s[i] == '"' || s[i] == '\''):
			quote = s[i]
		case quote == 0 && s[i] == ',':
			return b.String()
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// cmakeTool walks what cmake -E does: the everyday commands under its own names.
func (w *walker) cmakeTool(st *state, c ctx, cmd command) {
	words := cmd.words[1:]
	if len(words) < 3 || words[0].text != "-E" {
		return
	}
	as := cmakeName(words[1].text)
	if as == "" {
		return
	}
	var run []word
	for name := range strings.FieldsSeq(as) {
		run = append(run, literal(name, cmd.pos))
	}
	run = append(run, words[2:]...)
	child := st.clone()
	if as == "chdir" {
		child.dir = w.destination(child, words[2])
		run = words[3:]
	}
	if len(run) > 0 {
		w.run(child, within(c, "cmake"), w.subCommand(cmd, run, false), "")
	}
}

// cmakeName is the everyday command that a command of cmake -E is.
func cmakeName(name string) string {
	switch name {
	case "rm", "touch", "cat", "env", "time", "tar", "chdir":
		return name
	case "remove":
		return "rm -f"
	case "remove_directory":
		return "rm -rf"
	case "rename":
		return "mv"
	case "copy", "copy_if_different", "copy_if_newer":
		return "cp"
	case "copy_directory", "copy_directory_if_different", "copy_directory_if_newer":
		return "cp -r"
	case "make_directory":
		return "mkdir -p"
	case "create_symlink":
		return "ln -s"
	case "create_hardlink":
		return "ln"
	}
	return ""
}

// valued are those of the named options that have a value, glued or behind.
func valued(words []word, names string) iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		for i := 0; i < len(words); i++ {
			name, text, glued := strings.Cut(words[i].text, "=")
			if !has(names, name) {
				continue
			}
			if !glued {
				if i++; i >= len(words) {
					return
				}
				text = words[i].text
			}
			if !yield(name, text) {
				return
			}
		}
	}
}

// hgConfig walks settings that Mercurial is given for one call, or that hand a
// program the connection.
func (w *walker) hgConfig(st *state, c ctx, cmd command) {
	for name, text := range valued(cmd.words[1:], "--config -e --ssh --remotecmd") {
		if name != "--config" {
			w.shellOut(st, c, cmd, text, "hg")
			continue
		}
		key, val, _ := strings.Cut(text, "=")
		section, item, _ := strings.Cut(key, ".")
		switch section {
		case "extensions":
			if val != "" && val != "!" {
				w.note("env-exec", cmd.src, cmd.pos) // a file of Python, which is loaded
			}
		case "alias":
			line, shell := strings.CutPrefix(val, "!")
			if !shell {
				line = "hg " + line
			}
			w.shellOut(st, c, cmd, line, "hg")
		case "hooks":
			if strings.HasPrefix(val, "python:") {
				w.note("env-exec", cmd.src, cmd.pos)
				continue
			}
			w.shellOut(st, c, cmd, val, "hg")
		case "ui", "pager", "extdiff", "merge-tools", "gpg":
			if has("ssh editor merge pager cmd gpg remotecmd", item) || strings.HasPrefix(item, "cmd.") || strings.HasSuffix(item, ".executable") {
				w.shellOut(st, c, cmd, val, "hg")
			}
		}
	}
}

// ghLines walks an alias or a setting of gh that is a line.
func (w *walker) ghLines(st *state, c ctx, cmd command, p spec.Parsed) {
	switch p.Tool {
	case "gh_repo_clone":
		// What stands behind "--" are options of git clone.
		for j, u := range cmd.words {
			if u.known && u.text == "--" {
				words := append([]word{literal("git", cmd.pos), literal("clone", cmd.pos)}, cmd.words[j+1:]...)
				w.run(st.clone(), within(c, "gh repo clone"), w.subCommand(cmd, append(words, literal(fmt.Sprint(p.Args["repo"]), cmd.pos)), false), "")
				return
			}
		}
	case "gh_alias_set":
		text, _ := p.Args["expansion"].(string)
		line, shell := strings.CutPrefix(text, "!")
		switch {
		case line == "" || line == "-":
			return
		case !shell && p.Args["shell"] != true:
			line = "gh " + line
		}
		w.shellOut(st, c, cmd, line, "gh alias")
	case "gh_config_set":
		args, _ := p.Args["args"].([]any)
		if len(args) < 2 {
			return
		}
		key, _ := args[0].(string)
		if line, ok := args[1].(string); ok && has("editor pager browser", key) {
			w.shellOut(st, c, cmd, line, "gh config")
		}
	}
}
