package shell

import "strings"

// makeLines reports SHELL=, and walks the recipes of a makefile that the line
// itself wrote or gives as input.
func (w *walker) makeLines(st *state, c ctx, cmd command, i int) {
	for _, u := range cmd.words[1:] {
		if strings.HasPrefix(u.text, "SHELL=") || strings.HasPrefix(u.text, "SHELL:=") || strings.HasPrefix(u.text, "MAKEFLAGS=") {
			w.note("env-exec", cmd.src, cmd.pos)
		}
	}
	for _, u := range optionValues(cmd.words, "--eval -E") {
		w.recipes(st, c, cmd, u.text)
	}
	dir := st.dir.path
	if s, ok := w.calls[i].Args["directory"].(string); ok && strings.HasPrefix(s, "/") {
		dir = s
	}
	named, _ := w.calls[i].Args["file"].([]any)
	for _, f := range named {
		switch f, _ := f.(string); {
		case f != "-":
			w.builtFrom(st, c, cmd, f, true)
		case c.in == nil || !c.in.piped:
		case c.in.known && !c.in.used:
			w.recipes(st, c, cmd, c.in.text)
		default:
			w.note("dynamic-code", cmd.src, cmd.pos)
		}
	}
	if len(named) == 0 {
		for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
			w.builtFrom(st, c, cmd, join(dir, name), false)
		}
	}
}

// builtFrom looks at a makefile that the line wrote. unpacked: one that came
// with a folder counts, too.
func (w *walker) builtFrom(st *state, c ctx, cmd command, path string, unpacked bool) {
	f, ok := w.writtenFile(path)
	switch {
	case ok && f.known:
		w.recipes(st, c, cmd, f.text)
	case ok, unpacked && w.madeHere(path):
		w.note("script-written", cmd.src, cmd.pos)
	}
}

// recipes walks the lines that make hands to a shell, each of which may be for
// another target. One with a variable of make is not read.
func (w *walker) recipes(st *state, c ctx, cmd command, text string) {
	in := within(c, progName(cmd.words[0].text)).skippable()
	in.in, in.out, in.feed = &input{}, nil, nil
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		recipe, ok := strings.CutPrefix(line, "\t")
		if !ok {
			_, rest, target := strings.Cut(line, ":")
			if _, recipe, ok = strings.Cut(rest, ";"); !ok {
				// "x != command" and $(shell command) run without a target.
				if strings.Contains(line, "!=") || strings.Contains(line, "$(shell") || strings.Contains(line, "${shell") ||
					!target && strings.HasPrefix(strings.TrimSpace(line), "include") {
					w.note("script-written", cmd.src, cmd.pos)
				}
				continue
			}
		}
		recipe = strings.TrimLeft(recipe, " \t@-+")
		if strings.Contains(strings.ReplaceAll(recipe, "$$", ""), "$") {
			w.note("script-written", cmd.src, cmd.pos)
			continue
		}
		w.again(st.clone(), in, []word{literal(strings.ReplaceAll(recipe, "$$", "$"), cmd.pos)}, cmd.pos)
	}
}

// projectScripts reports a package.json or justfile that the line wrote and runs.
func (w *walker) projectScripts(st *state, cmd command, file string) {
	sub := ""
	if len(cmd.words) > 1 {
		sub = cmd.words[1].text
	}
	switch sub {
	case "run", "run-script", "test", "t", "start", "stop", "restart":
	default:
		if file == "package.json" {
			return
		}
	}
	if _, ok := w.writtenFile(join(st.dir.path, file)); ok {
		w.note("script-written", cmd.src, cmd.pos)
	}
}
