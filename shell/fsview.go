package shell

import (
	"path"
	"slices"
	"strings"
)

// readFile reads a script through the view of the disk: inside the project
// only, small ones, and few.
func (w *walker) readFile(p string) (string, bool) {
	if w.req.FS == nil || !strings.HasPrefix(p, "/") || w.req.Root != "" && !below(clean(w.req.Root), p) {
		return "", false
	}
	if w.reads >= maxFiles {
		return "", false
	}
	w.reads++
	b, err := w.req.FS.ReadFile(p, maxFileSize)
	if err != nil || strings.IndexByte(string(b), 0) >= 0 {
		return "", false
	}
	return string(b), true
}

// realPath resolves symbolic links; of a path that is not there, those of the
// folder it would be in.
func (w *walker) realPath(p string) string {
	if !w.look(1) {
		return ""
	}
	if real := w.req.FS.Real(p); real != "" {
		return real
	}
	dir := path.Dir(p)
	if dir == p || !w.look(1) {
		return ""
	}
	if real := w.req.FS.Real(dir); real != "" && real != dir {
		return join(real, path.Base(p))
	}
	return ""
}

// look counts looks at the disk.
func (w *walker) look(n int) bool {
	w.names += n
	return w.names <= maxNames
}

// globBound is what a glob matches on the disk. A write into its folder earlier
// in the line may have made more.
func (w *walker) globBound(base dir, pattern string) bound {
	if w.req.FS == nil || !base.known && !strings.HasPrefix(pattern, "/") || strings.ContainsAny(pattern, "()") {
		return bound{}
	}
	var out []string
	for _, b := range append([]string{base.path}, base.alts...) {
		full := pattern
		if !strings.HasPrefix(pattern, "/") {
			full = b + "/" + pattern
		}
		got, ok := w.expandGlob(strings.Split(full, "/"))
		if !ok {
			return bound{}
		}
		out = append(out, got...)
		if strings.HasPrefix(pattern, "/") {
			break
		}
	}
	slices.Sort(out)
	return bound{exact: slices.Compact(out)}
}

// expandGlob lists the paths that match the elements of a pattern. Not ok: too
// many, or the line wrote there.
func (w *walker) expandGlob(elems []string) ([]string, bool) {
	paths := []string{"/"}
	for i, e := range elems {
		if e == "" {
			continue
		}
		if !hasGlob(e) {
			for j := range paths {
				paths[j] = join(paths[j], e)
			}
			continue
		}
		last := i == len(elems)-1
		var next []string
		for _, dir := range paths {
			if w.wroteIn(dir) {
				return nil, false
			}
			if !w.req.FS.IsDir(dir) {
				continue // no folder, no names
			}
			names, ok := w.req.FS.Names(dir, maxNames)
			if !ok || !w.look(len(names)+1) {
				return nil, false
			}
			for _, n := range names {
				// Hidden names match a pattern that begins with a dot only.
				if strings.HasPrefix(n, ".") && !strings.HasPrefix(e, ".") {
					continue
				}
				if match(e, n) && (last || w.req.FS.IsDir(join(dir, n))) {
					next = append(next, join(dir, n))
				}
			}
		}
		if len(next) > maxNames {
			return nil, false
		}
		paths = next
	}
	if len(paths) == 0 {
		// Without a match the pattern stays, as a name.
		paths = []string{clean(strings.Join(elems, "/"))}
	}
	var out []string
	for _, p := range paths {
		if hasGlob(p) || w.req.FS.Exists(p) || len(paths) == 1 {
			out = append(out, p)
		}
	}
	return out, true
}

// wroteIn says whether the line wrote into a folder.
func (w *walker) wroteIn(dir string) bool {
	for _, f := range w.files {
		if path.Dir(f.path) == dir || !strings.HasPrefix(f.path, "/") {
			return true
		}
	}
	for _, t := range w.trees {
		if below(t, dir) || below(dir, t) {
			return true
		}
	}
	return false
}
