package shell

import (
	"path"
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

// pathOutput is what dirname, basename, realpath and readlink -f write.
func (w *walker) pathOutput(st *state, c ctx, cmd command, base string) bool {
	var ops []word
	follow := base != "readlink"
	for _, u := range cmd.words[1:] {
		if u.known && len(u.text) > 1 && u.text[0] == '-' {
			if base != "readlink" && base != "realpath" || strings.Trim(u.text, "-fems") != "" {
				return false
			}
			follow = true
			continue
		}
		ops = append(ops, u)
	}
	if !follow || len(ops) == 0 || len(ops) > 2 || len(ops) == 2 && (base != "basename" || !ops[1].known) {
		return false
	}
	f := func(s string) string {
		switch base {
		case "dirname":
			return path.Dir(s)
		case "basename":
			b := path.Base(s)
			if len(ops) == 2 && b != ops[1].text {
				b = strings.TrimSuffix(b, ops[1].text)
			}
			return b
		}
		// Links are resolved where the path is judged.
		return join(st.dir.path, s)
	}
	u := ops[0]
	if base != "dirname" && base != "basename" && !st.dir.known {
		return false
	}
	ss, ok := u.options()
	if !ok {
		return false
	}
	all := make([]string, len(ss))
	for i, s := range ss {
		all[i] = f(s)
	}
	c.out.choice(c.out.surely(st, c), all...)
	return true
}

// tmp is the folder of temporary files.
func (w *walker) tmp() string {
	if t := w.req.Env["TMPDIR"]; t != "" {
		return clean(t)
	}
	return "/tmp"
}

// mktempOutput is a path in the folder of temporary files, or where a template
// says.
func (w *walker) mktempOutput(st *state, c ctx, words []word) {
	folder, template, suffix, tmp := "", "", "", false
	for i := 0; i < len(words); i++ {
		t := words[i].text
		switch {
		case !words[i].known:
			c.out.lost = true
			return
		case t == "-p" && i+1 < len(words):
			i++
			if folder = words[i].text; !words[i].known {
				c.out.lost = true
				return
			}
		case strings.HasPrefix(t, "--tmpdir="):
			folder = strings.TrimPrefix(t, "--tmpdir=")
		case t == "--tmpdir" || t == "-t":
			tmp = true
		case strings.HasPrefix(t, "-p"):
			folder = t[2:]
		case strings.HasPrefix(t, "--suffix="):
			suffix = strings.TrimPrefix(t, "--suffix=")
		case t == "--suffix" && i+1 < len(words):
			i++
			suffix = words[i].text
		case strings.HasPrefix(t, "-"):
		default:
			template = t
		}
	}
	name := tempName(template, suffix)
	glob := quoteGlob(w.tmp()) + "/" + name
	switch {
	case folder != "":
		glob = quoteGlob(strings.TrimSuffix(folder, "/")) + "/" + name
	case strings.Contains(template, "/"):
		glob = quoteGlob(path.Dir(template)) + "/" + name
	case template != "" && !tmp:
		glob = name
	}
	c.out.lost = c.out.lost || !c.out.surely(st, c)
	c.out.oneLine = true
	c.out.paths([]string{glob})
}

// tempName is the name that mktemp makes of a template: each X is one letter or
// digit, so that no other name is meant.
func tempName(template, suffix string) string {
	if template == "" {
		template = "tmp.XXXXXXXXXX"
	}
	name := path.Base(template)
	if !strings.Contains(name, "XXX") {
		return quoteGlob(name) + "*" // BSD: a prefix
	}
	return strings.ReplaceAll(quoteGlob(name), "X", "[0-9A-Za-z]") + quoteGlob(suffix)
}

// goFolder is where go keeps its files unless it was told otherwise.
func (w *walker) goFolder(words []word) (string, bool) {
	if len(words) != 2 || !allKnown(words) || words[0].text != "env" || w.req.Home == "" {
		return "", false
	}
	name := words[1].text
	if v, ok := w.req.Env[name]; ok && v != "" {
		return v, true
	}
	switch name {
	case "GOPATH":
		return join(w.req.Home, "go"), true
	case "GOMODCACHE":
		return join(w.req.Home, "go/pkg/mod"), true
	case "GOCACHE":
		return join(w.req.Home, ".cache/go-build"), true
	}
	return "", false
}

// runnerFile names the files that a CI runner keeps for its jobs, and the folders
// with the checkout and with temporary files. A step only ever means those, whatever the runner calls them.
func (w *walker) runnerFile(variable string) (string, bool) {
	switch variable {
	case "GITHUB_WORKSPACE":
		return w.req.Root, w.req.Root != ""
	case "RUNNER_TEMP":
		return "/home/runner/work/_temp", true
	case "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY":
		return "/home/runner/work/_temp/_runner_file_commands/" + strings.ToLower(strings.TrimPrefix(variable, "GITHUB_")), true
	}
	return "", false
}

// gitOutput is what git ls-files, diff --name-only and rev-parse write.
func (w *walker) gitOutput(st *state, c ctx, cmd command) bool {
	words := cmd.words[1:]
	if !allKnown(words) && len(words) > 0 && !words[0].known {
		return false
	}
	if len(words) == 0 {
		return false
	}
	sub, rest := words[0].text, words[1:]
	switch sub {
	case "rev-parse":
		if len(rest) == 1 && rest[0].text == "--show-toplevel" && st.dir.known {
			c.out.choice(c.out.surely(st, c), w.gitRoot(st.dir.path))
			return true
		}
	case "ls-files", "diff":
		return w.gitPaths(c, sub, rest)
	}
	return false
}

func (w *walker) gitPaths(c ctx, sub string, rest []word) bool {
	var pats []string
	names, dashes := sub == "ls-files", false
	for _, u := range rest {
		switch {
		case !u.known:
			return false
		case u.text == "--":
			dashes = true
		case !dashes && strings.HasPrefix(u.text, "-"):
			names = names || u.text == "--name-only"
			if strings.HasPrefix(u.text, "--relative") || u.text == "-C" || u.text == "-x" || u.text == "-X" ||
				sub == "ls-files" && (u.text == "-s" || u.text == "-t" || u.text == "-v" || u.text == "-f" || u.text == "--stage") {
				return false
			}
		case sub == "diff" && !dashes:
			// A revision, or a path: both leave the whole tree open.
		default:
			pats = append(pats, u.text)
		}
	}
	if !names {
		return false
	}
	if len(pats) == 0 {
		c.out.paths([]string{w.req.Root + "/*"})
		return true
	}
	var globs []string
	for _, p := range pats {
		if strings.HasPrefix(p, ":") {
			return false
		}
		p = strings.TrimSuffix(p, "/")
		globs = append(globs, p)
		if !hasGlob(path.Base(p)) {
			globs = append(globs, p+"/*")
		}
	}
	c.out.paths(globs)
	return true
}

// gitRoot is the folder of the repository around a directory, or the project's.
func (w *walker) gitRoot(dir string) string {
	root := clean(w.req.Root)
	if w.req.FS == nil {
		if root == "" {
			return dir
		}
		return root
	}
	for d := dir; ; d = path.Dir(d) {
		if w.look(1) && w.req.FS.Exists(join(d, ".git")) {
			return d
		}
		if d == "/" {
			return root
		}
	}
}

// lsOutput is the names in a folder.
func (w *walker) lsOutput(c ctx, cmd command) bool {
	var ops []word
	for _, u := range cmd.words[1:] {
		if u.known && strings.HasPrefix(u.text, "-") && len(u.text) > 1 {
			if strings.ContainsAny(u.text, "lRsigoFpm") {
				return false
			}
			continue
		}
		ops = append(ops, u)
	}
	switch {
	case len(ops) == 0:
		c.out.paths([]string{"*"})
		return true
	case !allKnown(ops):
		// ls *.go writes the names themselves.
		var globs []string
		for _, u := range ops {
			if !u.known {
				return false
			}
			globs = append(globs, u.text)
			if u.glob && !strings.Contains(path.Base(u.text), ".") {
				return false // may be folders, whose names are written bare
			}
		}
		c.out.paths(globs)
		return true
	case len(ops) == 1:
		// Of a folder, names without it; of a file, its path.
		c.out.paths([]string{"*", quoteGlob(ops[0].text) + "/*", quoteGlob(ops[0].text)})
		return true
	}
	return false
}

// grepOutput is the files of grep -l.
func (w *walker) grepOutput(c ctx, p spec.Parsed) bool {
	if p.Args["files_with_matches"] != true {
		return false
	}
	var globs []string
	for _, f := range p.Fields {
		if f.Name != "paths" {
			continue
		}
		for _, v := range f.From {
			t := strings.TrimSuffix(v.Text, "/")
			globs = append(globs, t)
			if p.Args["recursive"] == true {
				globs = append(globs, t+"/*")
			}
		}
	}
	if len(globs) == 0 && p.Args["recursive"] == true {
		globs = []string{"*"}
	}
	if len(globs) == 0 || p.UnknownArgs {
		return false
	}
	c.out.paths(globs)
	return true
}
