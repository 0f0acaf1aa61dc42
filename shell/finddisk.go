package shell

import (
	"slices"
	"strings"
)

// maxFound is how many directory entries one line's searches look at.
const maxFound = 5000

// found is where the files are that find finds: with a view of the disk those
// that are there, or the folders that hold some, unless they are too many or
// the line wrote among them (shell.md 4.3, 4.9).
func (w *walker) found(st *state, f findArgs) []string {
	general := f.within()
	if w.req.FS == nil || general == nil || len(f.names) == 0 || f.follows || !st.dir.known || len(st.dir.alts) > 0 {
		return general
	}
	roots := f.roots
	if len(roots) == 0 {
		roots = []word{literal(".", 0)}
	}
	var s search
	for _, u := range roots {
		texts, ok := u.options()
		if !ok || len(texts) != 1 {
			return general
		}
		root := strings.TrimSuffix(texts[0], "/")
		if !w.search(&s, join(st.dir.path, texts[0]), quoteGlob(root), f.names) {
			return general
		}
		for _, n := range f.names {
			if match(n, lastElem(root)) {
				s.files, s.folders = append(s.files, quoteGlob(root)), append(s.folders, quoteGlob(root))
			}
		}
	}
	switch {
	case len(s.files) == 0:
		// Of nothing there is no glob: what is made in the meantime.
		return general
	case len(s.files) <= maxValues:
		return s.files
	case len(s.folders) <= maxValues:
		return s.folders
	}
	return general
}

// A search is what was found so far: the files, and the same as patterns in the
// folders that hold them.
type search struct{ files, folders []string }

// search looks below one folder, which the line shows as the glob shown. Links
// are not followed. Not ok: it cannot tell.
func (w *walker) search(s *search, dir, shown string, names []string) bool {
	if w.madeBelow(dir) {
		return false
	}
	type folder struct{ path, shown string }
	todo := []folder{{dir, shown}}
	for len(todo) > 0 {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		entries, ok := w.req.FS.Names(d.path, maxFound)
		if w.entries += len(entries) + 1; !ok || w.entries > maxFound {
			return false
		}
		held := make([]bool, len(names))
		for _, e := range entries {
			p := join(d.path, e)
			for i, n := range names {
				if !match(n, e) {
					continue
				}
				if len(s.files) <= maxValues {
					s.files = append(s.files, d.shown+"/"+quoteGlob(e))
				}
				if !held[i] && len(s.folders) <= maxValues {
					s.folders = append(s.folders, d.shown+"/"+n)
				}
				held[i] = true
			}
			if w.req.FS.IsDir(p) && !w.isLink(d.path, p) {
				todo = append(todo, folder{p, d.shown + "/" + quoteGlob(e)})
			}
		}
	}
	return true
}

// isLink says whether p, in a folder, is a symbolic link.
func (w *walker) isLink(dir, p string) bool {
	return w.req.FS.Real(p) != join(w.req.FS.Real(dir), lastElem(p))
}

// madeBelow says whether the line put something into a folder, at any depth, or
// the folder itself.
func (w *walker) madeBelow(dir string) bool {
	return slices.ContainsFunc(w.files, func(f fileText) bool { return !strings.HasPrefix(f.path, "/") || below(dir, f.path) }) ||
		slices.ContainsFunc(w.trees, func(t string) bool { return below(t, dir) || below(dir, t) }) ||
		slices.ContainsFunc(w.links, func(l link) bool { return below(dir, l.name) })
}
