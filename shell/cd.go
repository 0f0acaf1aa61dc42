package shell

import (
	"slices"
	"strings"
)

// changeDir follows cd, pushd and popd (shell.md 3.3). A cd that may fail leaves
// the old directory as another place where the shell may be.
func (w *walker) changeDir(st *state, name string, args []word) {
	opts := true
	var target *word
	for i := range args {
		t := args[i].text
		if opts && args[i].known && t == "--" {
			opts = false
			continue
		}
		if opts && args[i].known && len(t) > 1 && t[0] == '-' && !isDigits(t[1:]) {
			if name != "cd" && strings.Contains(t, "n") {
				return // pushd -n, popd -n move nothing
			}
			continue
		}
		if target == nil {
			target = &args[i]
		}
	}
	old := st.dir
	switch name {
	case "popd":
		if target != nil {
			st.stack, st.stackLost = nil, true
		}
		if st.stackLost || len(st.stack) == 0 {
			w.moveTo(st, old, dir{path: old.path})
			return
		}
		n := len(st.stack) - 1
		to := st.stack[n]
		st.stack = st.stack[:n:n]
		w.moveTo(st, old, to)
	case "pushd":
		if target == nil || target.known && len(target.text) > 1 && (target.text[0] == '+' || target.text[0] == '-') && isDigits(target.text[1:]) {
			if n := len(st.stack) - 1; target == nil && n >= 0 && !st.stackLost {
				to := st.stack[n]
				st.stack = append(st.stack[:n:n], old)
				w.moveTo(st, old, to)
				return
			}
			st.stack, st.stackLost = nil, true
			w.moveTo(st, old, dir{path: old.path})
			return
		}
		st.stack = append(slices.Clip(st.stack), old)
		w.moveTo(st, old, w.destination(st, *target))
	default:
		to := dir{path: old.path}
		switch {
		case target == nil:
			if home := w.lookup(st, "HOME"); home.kind == text {
				to = at(clean(home.text))
			}
		case target.known && target.text == "-":
			to = st.old
			if !to.known {
				to.path = old.path
			}
		default:
			to = w.destination(st, *target)
		}
		w.moveTo(st, old, to)
	}
}

// destination is the directory a word names. CDPATH may lead a relative one
// elsewhere.
func (w *walker) destination(st *state, u word) dir {
	to := u.text
	if !u.known {
		if len(u.bound.exact) != 1 {
			return dir{path: st.dir.path}
		}
		to = u.bound.exact[0]
	}
	if u.glob {
		return dir{path: st.dir.path}
	}
	if strings.HasPrefix(to, "/") {
		return at(clean(to))
	}
	if to == "" {
		return st.dir
	}
	if v, ok := st.vars["CDPATH"]; ok && (v.kind != text || v.text != "") && v.kind != unset &&
		!strings.HasPrefix(to, ".") {
		return dir{path: st.dir.path}
	}
	if !st.dir.known {
		return dir{path: st.dir.path}
	}
	d := at(join(st.dir.path, to))
	for _, a := range st.dir.alts {
		if p := join(a, to); p != d.path && !slices.Contains(d.alts, p) {
			d.alts = append(d.alts, p)
		}
	}
	return d
}

// maxAlts bounds the places where a shell may stand.
const maxAlts = 8

// moveTo changes the directory; unless the shell ends on failure, it may still
// be where it was.
func (w *walker) moveTo(st *state, old, to dir) {
	to.ok = slices.Clone(to.alts)
	certain := st.errexit == on || to.known && w.req.FS != nil && w.req.FS.IsDir(to.path)
	if to.known && old.known && !certain && to.path != old.path {
		for _, p := range append([]string{old.path}, old.alts...) {
			if p != to.path && !slices.Contains(to.alts, p) {
				to.alts = append(to.alts, p)
			}
		}
	}
	if to.known && !old.known && !certain {
		// An absolute cd that may fail in an unknown place: taken to work, as
		// the place it would stay in cannot be named.
		to.alts = nil
	}
	if len(to.alts) > maxAlts {
		to = dir{path: to.path}
	}
	to.sure = certain
	st.dir, st.old = to, old
	st.old.ok = nil
	st.own(w)
	delete(st.vars, "PWD")
	delete(st.vars, "OLDPWD")
}
