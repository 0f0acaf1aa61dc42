package shell

import "strings"

// A paneCommand is a command of tmux that runs something: a line in a pane, or
// further commands of tmux.
type paneCommand struct {
	names string // and aliases
	opts  string // options with a value
	skip  int    // operands in front
	kind  byte   // l: the operands are a line; f: the first is; c: they are a command of tmux; i: a line, then two commands; k: keys; o: an option and its value
}

var paneCommands = [...]paneCommand{
	{"new-session new", "-c -e -f -F -n -s -t -x -y", 0, 'l'},
	{"new-window neww", "-c -e -F -n -t", 0, 'l'},
	{"split-window splitw", "-c -e -l -p -t -F", 0, 'l'},
	{"respawn-pane respawnp", "-c -e -t", 0, 'l'},
	{"respawn-window respawnw", "-c -e -t", 0, 'l'},
	{"display-popup popup", "-b -c -d -e -h -s -S -t -T -w -x -y", 0, 'l'},
	{"run-shell run", "-c -d -t", 0, 'f'},
	{"pipe-pane pipep", "-t", 0, 'f'},
	{"copy-pipe", "", 0, 'f'},
	{"if-shell if", "-t", 0, 'i'},
	{"bind-key bind", "-N -T", 1, 'c'},
	{"set-hook", "-t", 1, 'c'},
	{"confirm-before confirm", "-c -p -t", 0, 'c'},
	{"command-prompt", "-I -p -t -T", 0, 'c'},
	{"send-keys send", "-N -t -c", 0, 'k'},
	{"set-option set", "-t", 0, 'o'},
	{"set-window-option setw", "-t", 0, 'o'},
}

// paneCommandOf finds a command by its name, alias, or the beginning of a name.
func paneCommandOf(name string) *paneCommand {
	for i := range paneCommands {
		if has(paneCommands[i].names, name) {
			return &paneCommands[i]
		}
	}
	for i := range paneCommands {
		if len(name) > 3 && strings.HasPrefix(paneCommands[i].names, name) {
			return &paneCommands[i]
		}
	}
	return nil
}

// tmux walks what tmux is told to run. It says whether that is anything.
func (w *walker) tmux(st *state, c ctx, cmd command) bool {
	r := runner{name: "tmux", opts: "-f -L -S -T", line: "-c"}
	a := r.parse(cmd.words[1:])
	in := within(c, "tmux")
	in.out, in.feed = nil, nil
	in.in = &input{}
	for _, u := range a.lines {
		w.again(st.clone(), in, []word{u}, cmd.pos)
	}
	return w.paneCommands(st, in, cmd, a.command, 0) || len(a.lines) > 0
}

// paneCommands walks commands of tmux with ";" between them.
func (w *walker) paneCommands(st *state, c ctx, cmd command, words []word, depth int) bool {
	ran := false
	for len(words) > 0 && depth < maxDepth {
		end := len(words)
		one := words
		for i, u := range words {
			if t, ok := strings.CutSuffix(u.text, ";"); ok && u.known && !strings.HasSuffix(t, `\`) {
				end = i + 1
				one = words[:i:i]
				if t != "" {
					one = append(one, u.part(t))
					one[i] = literal(t, u.pos)
				}
				break
			}
		}
		words = words[end:]
		if len(one) > 0 {
			ran = w.paneCommand(st, c, cmd, one, depth) || ran
		}
	}
	return ran
}

func (w *walker) paneCommand(st *state, c ctx, cmd command, words []word, depth int) bool {
	name := words[0]
	if !name.known {
		w.note("dynamic-command", cmd.src, cmd.pos)
		return false
	}
	p := paneCommandOf(name.text)
	if p == nil {
		return false
	}
	r := runner{name: "tmux", opts: p.opts, skip: p.skip}
	a := r.parse(words[1:])
	c.wrappers = wrap(c.wrappers[:len(c.wrappers)-1], "tmux "+name.text)
	ops := a.command
	line := func(ws ...word) { w.again(st.clone(), c, ws, cmd.pos) }
	if len(ops) == 0 {
		return false
	}
	switch p.kind {
	case 'l':
		line(ops...)
	case 'f':
		if a.flag("-C") {
			return w.paneText(st, c, cmd, ops[:1], depth)
		}
		line(ops[0])
	case 'c':
		return w.paneText(st, c.skippable(), cmd, ops, depth)
	case 'i':
		if !a.flag("-F") {
			line(ops[0])
		}
		for _, u := range ops[1:] {
			w.paneText(st, c.skippable(), cmd, []word{u}, depth)
		}
	case 'k':
		return w.keys(st, c.skippable(), cmd, ops, a.flag("-l"))
	case 'o':
		if len(ops) < 2 || !has("default-command default-shell lock-command copy-command editor", ops[0].text) {
			return false
		}
		w.again(st.clone(), c.skippable(), ops[1:2], cmd.pos)
	}
	return true
}

// paneText walks commands of tmux that stand in one word, or in several.
func (w *walker) paneText(st *state, c ctx, cmd command, words []word, depth int) bool {
	if len(words) == 1 {
		if !words[0].known {
			w.note("dynamic-script", cmd.src, cmd.pos)
			return false
		}
		words = splitString(words[0])
	}
	return w.paneCommands(st, c, cmd, words, depth+1)
}

// keys walks what is typed into a pane, in which a shell reads it, maybe.
func (w *walker) keys(st *state, c ctx, cmd command, words []word, asIs bool) bool {
	var text strings.Builder
	for _, u := range words {
		switch {
		case !u.known:
			w.note("dynamic-script", cmd.src, cmd.pos)
			return false
		case asIs || !isKey(u.text):
			text.WriteString(u.text)
		case has("Enter KPEnter C-m C-j", u.text):
			text.WriteByte('\n')
		case u.text == "Space":
			text.WriteByte(' ')
		}
	}
	return w.typed(st, c, cmd, text.String())
}

// typed walks text as a shell that gets it typed would read it.
func (w *walker) typed(st *state, c ctx, cmd command, text string) bool {
	if blank(text) {
		return false
	}
	w.again(st.clone(), c, []word{literal(text, cmd.pos)}, cmd.pos)
	return true
}

// isKey says whether a word names a key of tmux: C-m, Enter, F5.
func isKey(t string) bool {
	switch {
	case len(t) > 2 && (t[0] == 'C' || t[0] == 'M' || t[0] == 'S') && t[1] == '-' && !strings.ContainsAny(t, " /"):
		return true
	case len(t) == 2 && t[0] == '^':
		return true
	case len(t) > 1 && len(t) < 4 && t[0] == 'F' && isDigits(t[1:]):
		return true
	}
	return has("Enter KPEnter Space Tab BTab Escape BSpace Up Down Left Right Home End PageUp PgUp PPage PageDown PgDn NPage DC IC Delete Insert", t)
}

// screen walks what GNU screen starts, and what -X makes a running one do.
func (w *walker) screen(st *state, c ctx, cmd command) bool {
	r := runner{
		name: "screen", opts: "-c -e -h -Logfile -p -S -s -t -T", after: "-X",
		none: "-ls -list -wipe -v -Q -r -R -x -RR",
	}
	in := within(c, "screen")
	in.out, in.feed = nil, nil
	in.in = &input{}
	if a := r.parse(cmd.words[1:]); len(a.flags) > 0 && a.flags[len(a.flags)-1] == "-X" {
		return w.screenTold(st, in, cmd, a.command)
	}
	r.after = ""
	a := r.parse(cmd.words[1:])
	if a.nothing || len(a.command) == 0 {
		return false
	}
	w.run(st.clone(), in, w.subCommand(cmd, a.command, false), "")
	return true
}

func (w *walker) screenTold(st *state, c ctx, cmd command, words []word) bool {
	if len(words) < 2 {
		return false
	}
	switch words[0].text {
	case "stuff":
		if !words[1].known {
			w.note("dynamic-script", cmd.src, cmd.pos)
			return false
		}
		return w.typed(st, c.skippable(), cmd, strings.NewReplacer(`\n`, "\n", "^M", "\n", `\r`, "\n", `\015`, "\n", "\r", "\n").Replace(words[1].text))
	case "exec", "screen":
		rest := words[1:]
		for len(rest) > 0 && (strings.Trim(rest[0].text, ".!|:") == "" || isOption(rest[0].text)) {
			rest = rest[1:] // where its output goes
		}
		if len(rest) == 0 {
			return false
		}
		w.run(st.clone(), c, w.subCommand(cmd, rest, false), "")
		return true
	case "eval":
		for _, u := range words[1:] {
			if u.known {
				w.screenTold(st, c, cmd, splitString(u))
			}
		}
		return true
	}
	return false
}
