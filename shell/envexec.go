package shell

import (
	"slices"
	"strings"
)

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
		"GIT_CONFIG_PARAMETERS", "GIT_TEMPLATE_DIR", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "PYTHONHOME", "PYTHONUSERBASE",
		"PERL5DB", "LUA_INIT", "PHPRC", "PHP_INI_SCAN_DIR", "VIMINIT", "EXINIT", "ZDOTDIR", "GCONV_PATH", "OPENSSL_CONF",
		"OPENSSL_ENGINES", "OPENSSL_MODULES", "MAKEFILES", "RIPGREP_CONFIG_PATH", "WGETRC":
		if v.kind == text && (v.text == "" || isNull(v.text)) || v.kind == unset {
			return
		}
		w.note("env-exec", src, pos)
	case "SHELL":
		if i := strings.LastIndexByte(v.text, '/'); v.kind == text && v.text != "" && w.hijacks(v.text[:max(i, 0)]) {
			w.note("env-exec", src, pos)
		}
	case "PS4":
		if v.kind == text && expandsAgain(v.text) {
			w.note("dynamic-script", src, pos)
		}
	case "PATH":
		if w.pathHijacks(v) {
			w.note("env-exec", src, pos)
		}
	default:
		if strings.HasPrefix(name, "DYLD_") || strings.HasPrefix(name, "BASH_FUNC_") || v.kind == text && optionsRun(name, v.text) {
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

// optionsRun says whether a variable adds options to a program by which it runs
// something else.
func optionsRun(name, val string) bool {
	var marks []string
	switch name {
	case "TAR_OPTIONS":
		marks = []string{"exec=", "command", "program", "script", "-I", "-F"}
	case "FZF_DEFAULT_OPTS":
		marks = []string{"execute", "reload", "become", "preview", "transform"}
	case "MAKEFLAGS", "GNUMAKEFLAGS":
		marks = []string{"--eval", "SHELL=", "-f", "--file", "--makefile", "$(", "${"}
	case "GOFLAGS":
		marks = []string{"-toolexec", "-exec", "-vettool", "-overlay"}
	case "RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS":
		marks = []string{"linker="}
	case "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS", "MAVEN_OPTS", "GRADLE_OPTS", "ANT_OPTS", "SBT_OPTS":
		marks = []string{"agent", "OnError=", "OnOutOfMemoryError=", "classpath"}
	case "MANOPT":
		marks = []string{"-P", "--pager", "-H", "--html"}
	}
	return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(val, m) })
}

// envLines walks variables in front of a command whose value is a line that
// programs run: an editor, a pager, the ssh of git.
func (w *walker) envLines(st *state, c ctx, cmd command) {
	for _, e := range cmd.env {
		w.envLine(st, c, e.name, e.val, cmd.pos)
	}
}

// isEnvLine names variables that hold a command.
func isEnvLine(name string) bool {
	switch name {
	case "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_EXTERNAL_DIFF",
		"GIT_ASKPASS", "SSH_ASKPASS", "GIT_PROXY_COMMAND", "PAGER", "MANPAGER", "EDITOR", "VISUAL", "BROWSER",
		"RSYNC_RSH", "CVS_RSH", "FCEDIT", "GH_PAGER", "GH_EDITOR", "GH_BROWSER", "BAT_PAGER", "DELTA_PAGER",
		"SYSTEMD_PAGER", "SYSTEMD_EDITOR", "PSQL_PAGER", "PSQL_EDITOR", "AWS_PAGER", "KUBE_EDITOR", "SUDO_EDITOR",
		"SUDO_ASKPASS", "HGEDITOR", "SVN_EDITOR", "SVN_SSH", "FZF_DEFAULT_COMMAND", "RSYNC_CONNECT_PROG",
		"BORG_RSH", "BORG_PASSCOMMAND", "RESTIC_PASSWORD_COMMAND", "RUSTC", "RUSTDOC", "RUSTC_WRAPPER",
		"RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_RUSTC", "CARGO_BUILD_RUSTC_WRAPPER", "CMAKE_C_COMPILER_LAUNCHER",
		"CMAKE_CXX_COMPILER_LAUNCHER", "CC", "CXX", "LD", "AR", "LESSOPEN", "LESSCLOSE", "LESS":
		return true
	}
	if rest, ok := cutFold(name, "npm_config_"); ok {
		switch strings.ToLower(rest) {
		case "script_shell", "editor", "git", "viewer", "shell":
			return true
		}
	}
	return strings.HasPrefix(name, "CARGO_TARGET_") && (strings.HasSuffix(name, "_RUNNER") || strings.HasSuffix(name, "_LINKER"))
}

func (w *walker) envLine(st *state, c ctx, name string, v value, pos int) {
	if v.kind != text || !isEnvLine(name) {
		return
	}
	line := v.text
	switch name {
	case "LESSOPEN", "LESSCLOSE":
		line = strings.TrimLeft(line, "|- ")
	case "LESS":
		_, after, ok := strings.Cut(line, "+!")
		if !ok {
			return
		}
		line = after
	case "CC", "CXX", "LD", "AR":
		if isBuildTool(line) {
			return
		}
	}
	in := within(c, name).skippable()
	in.in, in.out, in.feed = &input{}, nil, nil
	w.again(st.clone(), in, []word{literal(line, pos)}, pos)
}

// isBuildTool says whether a line starts a compiler or linker, which every
// build runs anyway.
func isBuildTool(line string) bool {
	prog, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	prog = strings.TrimRight(progName(prog), "0123456789.-")
	for _, end := range []string{"cc", "gcc", "clang", "clang-cl", "++", "tcc", "zig", "ld", "lld", "gold", "mold", "ar", "cl", "ccache", "sccache", "distcc"} {
		if strings.HasSuffix(prog, end) {
			return true
		}
	}
	return prog == ""
}
