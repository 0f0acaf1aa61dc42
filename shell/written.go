package shell

import (
	"maps"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// A fileText is a file that the line wrote, with its text if that is known
// (shell.md 4.5).
type fileText struct {
	path     string
	text     string
	known    bool
	folder   bool
	pipeline int

	scope, left, leftFn *scope // where it was written
	errexit             tri
}

// surely says whether the file has been written at a place behind it.
func (f *fileText) surely(st *state, c ctx) bool {
	return c.certainly(f.scope) && f.left.holds(st.left) && f.leftFn.holds(st.leftFn) && (f.errexit == off || st.errexit == on)
}

// A link is made by ln -s in the line: name stands for target.
type link struct{ name, target string }

// fileWritten records what redirections wrote; out holds the text that went to
// standard output.
func (w *walker) fileWritten(st *state, c ctx, rs *redirections, out *sink) {
	for i := range rs.list {
		r := &rs.list[i]
		if !r.writes() {
			continue
		}
		key := w.pathKey(r.base, r.target)
		if isNull(key) {
			continue
		}
		f := fileText{path: key, scope: c.scope, left: st.left, leftFn: st.leftFn, errexit: st.errexit, pipeline: c.pipeline}
		if c.back || c.repeated || st.ended || st.returned {
			f.scope = &scope{} // never certain
		}
		if i == rs.out && out != nil {
			f.text, f.known = out.known()
		}
		if !r.truncates() {
			// What was there before stays.
			old, ok := w.writtenFile(key)
			f.known = f.known && ok && old.known && r.op == ">>" && old.surely(st, c)
			f.text = old.text + f.text
		}
		// Where a cd may not have worked, the same file lies elsewhere.
		other := f
		other.scope, other.known = &scope{}, f.known && r.truncates()
		for _, p := range r.places(w)[1:] {
			if other.path = p; p != key {
				w.files = append(w.files, other)
			}
		}
		w.files = append(w.files, f)
	}
}

// places are the files that a redirection may mean.
func (r *redir) places(w *walker) []string { return w.places(r.base, r.target) }

// effectsWritten records the files that a call's effects write: their text is
// not known, but for tee.
func (w *walker) effectsWritten(st *state, c ctx, i int, cmd command) {
	if i >= len(w.calls) {
		return
	}
	call := &w.calls[i]
	if c.remote != "" {
		return
	}
	for _, e := range call.Effects {
		switch e.Op {
		case "write", "truncate", "append":
		default:
			continue
		}
		if slices.ContainsFunc(cmd.rs.list, func(r redir) bool { return r.writes() && slices.Contains(r.places(w), e.Target) }) {
			continue
		}
		if e.Recursive {
			w.trees = append(w.trees, e.Target)
		}
		w.files = append(w.files, fileText{path: e.Target, folder: call.Tool == "mkdir"})
	}
	w.teeWritten(st, c, call)
	w.linkMade(call)
}

// wroteSome says whether the line has made a file before.
func (w *walker) wroteSome() bool {
	return len(w.trees)+len(w.links) > 0 || slices.ContainsFunc(w.files, func(f fileText) bool { return !f.folder })
}

// compiles judges what a compiler makes. Of sources that lay there it is no more
// the line's than what "go run" runs; own: with files that the line made it is
// (shell.md 4.5).
func (w *walker) compiles(st *state, c ctx, cmd command, own bool) bool {
	if c.remote != "" {
		return false
	}
	words := cmd.words[1:]
	switch progName(cmd.words[0].text) {
	case "go":
		if len(words) == 0 || !words[0].known {
			return false
		}
		if words[0].text == "run" && slices.ContainsFunc(words, func(u word) bool {
			f, ok := w.writtenFile(w.pathKey(st.dir, u))
			return ok && !f.known
		}) {
			w.note("script-written", cmd.src, cmd.pos)
		}
		return words[0].text == "build" && !own
	case "cc", "gcc", "clang", "c++", "g++", "clang++", "tcc", "rustc":
	default:
		return false
	}
	if !own {
		return true
	}
	out := literal("a.out", cmd.pos)
	for i, u := range words {
		switch {
		case u.text == "-o" && i+1 < len(words):
			out = words[i+1]
		case strings.HasPrefix(u.text, "-o"):
			out = u.cut(len("-o"))
		}
	}
	w.files = append(w.files, fileText{path: w.pathKey(st.dir, out)})
	return true
}

// cloned records the folder that a clone makes: all below it is the line's
// (shell.md 4.5).
func (w *walker) cloned(st *state, c ctx, i int) {
	if i >= len(w.calls) || c.remote != "" {
		return
	}
	call := &w.calls[i]
	if call.Tool != "git_clone" && call.Tool != "gh_repo_clone" {
		return
	}
	if d, ok := call.Args["directory"].(string); ok && d != "" {
		w.trees = append(w.trees, d)
		return
	}
	from, ok := call.Args["repository"].(string)
	if !ok {
		from, _ = call.Args["repo"].(string)
	}
	from = strings.TrimSuffix(strings.TrimRight(from, "/"), "/.git")
	name := strings.TrimSuffix(from[strings.LastIndexAny(from, "/:")+1:], ".git")
	if name != "" {
		w.trees = append(w.trees, join(st.dir.path, name))
	}
}

// teeWritten gives the files of tee the text of its input.
func (w *walker) teeWritten(st *state, c ctx, call *trace.Call) {
	if call.Tool != "tee" || call.Args["append"] == true {
		return
	}
	text, ok := call.Args["stdin"].(string)
	paths, _ := call.Args["paths"].([]any)
	if !ok || len(text) >= maxStdin {
		return
	}
	for _, p := range paths {
		if s, ok := p.(string); ok {
			w.files = append(w.files, fileText{
				path: s, text: text, known: true, pipeline: c.pipeline,
				scope: c.scope, left: st.left, leftFn: st.leftFn, errexit: st.errexit,
			})
		}
	}
}

// linkMade follows ln -s a b: b stands for a.
func (w *walker) linkMade(call *trace.Call) {
	if call.Tool != "ln" {
		return
	}
	paths, _ := call.Args["paths"].([]any)
	var ps []string
	for _, p := range paths {
		if s, ok := p.(string); ok {
			ps = append(ps, s)
		}
	}
	dir, _ := call.Args["target_dir"].(string)
	switch {
	case dir != "":
	case len(ps) == 1:
		dir = call.Dir
	case len(ps) == 2:
		w.links = append(w.links, link{ps[1], ps[0]}, link{ps[1] + "/" + lastElem(ps[0]), ps[0]})
		return
	case len(ps) > 2:
		dir, ps = ps[len(ps)-1], ps[:len(ps)-1]
	}
	for _, p := range ps {
		w.links = append(w.links, link{join(dir, lastElem(p)), p})
	}
}

func lastElem(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// writtenFile is the last thing written to a path.
func (w *walker) writtenFile(path string) (fileText, bool) {
	for _, f := range slices.Backward(w.files) {
		if f.path == path {
			return f, true
		}
	}
	return fileText{}, false
}

// madeHere says whether the line put something at a path.
func (w *walker) madeHere(path string) bool {
	if _, ok := w.writtenFile(path); ok {
		return true
	}
	for _, t := range w.trees {
		if below(t, path) {
			return true
		}
	}
	for _, l := range w.links {
		if l.name == path {
			return true
		}
	}
	return false
}

// otherNames are the paths that a path stands for besides: through a link made
// in the line, or on the disk.
func (w *walker) otherNames(path string) []string {
	if !strings.HasPrefix(path, "/") {
		return nil
	}
	var out []string
	for _, l := range w.links {
		if l.name != l.target && below(l.name, path) {
			out = append(out, l.target+strings.TrimPrefix(path, l.name))
		}
	}
	if w.req.FS != nil {
		if real := w.realPath(path); real != "" && real != path && !slices.Contains(out, real) {
			out = append(out, real)
		}
	}
	return out
}

// ranWritten reports a program that the line itself made.
func (w *walker) ranWritten(st *state, c ctx, cmd command) {
	name := cmd.words[0]
	if c.remote != "" || !strings.Contains(name.text, "/") {
		return
	}
	if slices.ContainsFunc(w.places(st.dir, name), w.madeHere) {
		w.note("script-written", cmd.src, cmd.pos)
	}
}

// scriptAt is the text of the script file that a word names in a directory. A
// word for several files is read as the first, unless the line made another.
func (w *walker) scriptAt(st *state, c ctx, u word, cmd command) (text string, ok, sure bool) {
	paths := w.places(st.dir, u)
	first, _ := w.writtenFile(paths[0])
	for _, p := range paths[1:] {
		if f, _ := w.writtenFile(p); f.known && first.known && f.text == first.text {
			continue
		}
		if p != paths[0] && w.madeHere(p) {
			w.note("script-written", cmd.src, cmd.pos)
			return "", false, true
		}
	}
	return w.scriptText(st, c, paths[0], cmd)
}

// scriptText is the text of a script file: as the line wrote it, or from the
// disk. A file that the line made otherwise is script-written. Not sure: the
// file may be the one that was there before.
func (w *walker) scriptText(st *state, c ctx, path string, cmd command) (text string, ok, sure bool) {
	if f, ok := w.writtenFile(path); ok && f.known {
		return f.text, true, f.surely(st, c) && (f.pipeline == 0 || f.pipeline != c.pipeline)
	}
	if w.madeHere(path) {
		w.note("script-written", cmd.src, cmd.pos)
		return "", false, true
	}
	text, ok = w.readFile(path)
	return text, ok, ok
}

// otherForms adds readings of the call: with values spelled as in the line, as
// the peer has them, and with the other names of its paths.
func (f *fieldWriter) otherForms() {
	forms := f.call.Forms
	if len(f.typed) > 0 {
		for _, fm := range append(slices.Clone(forms), trace.Form{Tool: f.call.Tool, Args: f.call.Args}) {
			f.putAnother(fm, f.typed)
		}
	}
	f.putAnother(trace.Form{Tool: f.call.Tool, Args: f.call.Args}, f.alt)
}

// putAnother adds a form with some texts put another way. An argv, and extra_args,
// may hold the texts of any field.
func (f *fieldWriter) putAnother(fm trace.Form, alts []alternative) {
	args, changed := maps.Clone(fm.Args), false
	for _, a := range alts {
		for _, field := range slices.Compact([]string{a.field, "argv", "extra_args"}) {
			switch v := args[field].(type) {
			case string:
				if v == a.text {
					args[field], changed = a.other, true
				}
			case []any:
				if i := slices.Index(v, any(a.text)); i >= 0 {
					l := slices.Clone(v)
					for ; i < len(l); i++ {
						if l[i] == a.text {
							l[i] = a.other
						}
					}
					args[field], changed = l, true
				}
			}
		}
	}
	if changed {
		f.call.Forms = append(f.call.Forms, trace.Form{Tool: fm.Tool, Args: args})
	}
}
