package shell

import "strings"

// environment reports prefixes by which the environment decides what runs, and
// walks those whose value is a line (shell.md 3.2, 4.6).
func (w *walker) environment(cmd command) {
	for _, e := range cmd.env {
		w.envExec(e.name, e.val, cmd.src, cmd.pos)
	}
}

// envExec reports a variable that makes programs run other code.
func (w *walker) envExec(name string, v value, src string, pos int) {
	switch name {
	case "BASH_ENV", "ENV", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PYTHONSTARTUP", "PYTHONPATH",
		"NODE_OPTIONS", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "GIT_EXEC_PATH", "GIT_CONFIG_COUNT",
		"GIT_CONFIG_PARAMETERS", "GIT_TEMPLATE_DIR":
		if v.kind == text && v.text == "" || v.kind == unset {
			return
		}
		w.note("env-exec", src, pos)
	case "PS4":
		if v.kind == text && expandsAgain(v.text) {
			w.note("dynamic-script", src, pos)
		}
	case "PATH":
		if w.pathHijacks(v) {
			w.note("env-exec", src, pos)
		}
	default:
		if strings.HasPrefix(name, "DYLD_") || strings.HasPrefix(name, "BASH_FUNC_") {
			w.note("env-exec", src, pos)
		}
	}
}

// pathHijacks says whether a PATH looks for programs first where the project or
// the line itself can put them.
func (w *walker) pathHijacks(v value) bool {
	opts, ok := v.options()
	if !ok {
		first, _, _ := strings.Cut(v.head, ":")
		return v.kind == unknown && v.head != "" && w.hijacks(first)
	}
	for _, s := range opts {
		first, _, _ := strings.Cut(s, ":")
		if w.hijacks(first) {
			return true
		}
	}
	return false
}

// hijacks judges the first entry of a PATH.
func (w *walker) hijacks(first string) bool {
	if !strings.HasPrefix(first, "/") {
		return !strings.HasPrefix(first, "$") && !strings.HasPrefix(first, "`")
	}
	first = clean(first)
	if root := clean(w.req.Root); root != "" && root != "/" && below(root, first) {
		return true
	}
	for _, f := range w.files {
		if below(first, f.path) {
			return true
		}
	}
	for _, t := range w.trees {
		if below(t, first) || below(first, t) {
			return true
		}
	}
	return false
}

// shadow reports enable -f and hash -p, which put other code under a name.
func (w *walker) shadow(cmd command) {
	name := cmd.words[0].text
	for _, u := range cmd.words[1:] {
		t := u.text
		if !u.known || len(t) < 2 || t[0] != '-' {
			continue
		}
		switch {
		case name == "enable" && strings.Contains(t, "f"):
			w.note("env-exec", cmd.src, cmd.pos)
			return
		case name == "hash" && strings.Contains(t, "p"):
			w.note("shadowed", cmd.src, cmd.pos)
			return
		}
	}
}
