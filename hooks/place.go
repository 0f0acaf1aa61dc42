package hooks

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
)

// storeOptions are those of the store of a root.
func (r *run) storeOptions(root string) store.Options {
	o := store.Options{Dir: r.p.StateDir, Root: root, Session: r.session, Now: r.now}
	if r.e.Kind == PreTool {
		o.Deadline = store.PreDeadline
	}
	return o
}

// openStore names the store of the project; nothing is opened yet. Worktrees of
// one repository may share theirs (project_memory: repo): where there is such a
// store it is looked at first, because the rules in it say whether they do.
func (r *run) openStore() error {
	if r.p.Store != nil {
		var err error
		r.store, err = r.p.Store(r.root, r.session)
		return err
	}
	if common := commonDir(r.root); common != "" {
		s := store.Open(r.storeOptions(common))
		if _, err := os.Stat(s.Path()); err == nil {
			r.store, r.shared = s, true
			return nil
		}
	}
	r.store = store.Open(r.storeOptions(r.root))
	return nil
}

// share goes over to the store that the settings want: the project's own, or the
// one of all worktrees. true: it is another one than was looked at.
func (r *run) share() bool {
	if r.p.Store != nil || r.set == nil {
		return false
	}
	want := r.set.Settings().ProjectMemory == "repo"
	root := r.root
	if want {
		common := commonDir(r.root)
		if want = common != ""; want {
			root = common
		}
	}
	if want == r.shared {
		return false
	}
	r.store, r.shared = store.Open(r.storeOptions(root)), want
	return true
}

// StoreRoot is the folder whose store keeps the memory of a session in dir: the
// project's root, or, where the rules share it, the git folder of all worktrees.
func (p *Pipeline) StoreRoot(dir string) string {
	r := &run{p: p, e: Event{Dir: dir}, folder: dir}
	r.find(r.findOptions())
	common := commonDir(r.root)
	if common == "" {
		return r.root
	}
	if set, _ := p.LoadUnchecked(dir); set.Settings.ProjectMemory == "repo" {
		return common
	}
	return r.root
}

// commonDir is the git folder that all worktrees of a root's repository share; ""
// for what is none. A .git file counts as a worktree only if the repository it
// names points back here: else a checkout could borrow another's memory
// (trust.md 13, row 24).
func commonDir(root string) string {
	git := filepath.Join(root, ".git")
	st, err := os.Stat(git)
	if err != nil {
		return ""
	}
	if st.IsDir() {
		return git
	}
	d := &disk{}
	own := readPath(d, git, "gitdir: ")
	if own == "" || filepath.Base(filepath.Dir(own)) != "worktrees" {
		return ""
	}
	if back := readPath(d, filepath.Join(own, "gitdir"), ""); back == "" || store.RealPath(back) != store.RealPath(git) {
		return ""
	}
	if common := readPath(d, filepath.Join(own, "commondir"), ""); common != "" {
		return common
	}
	return filepath.Dir(filepath.Dir(own))
}

// readPath reads a path out of one of git's small files; a relative one is taken
// from the file's folder.
func readPath(d *disk, file, prefix string) string {
	b, err := d.ReadFile(file, 4096)
	path, ok := strings.CutPrefix(strings.TrimSpace(string(b)), strings.TrimSpace(prefix))
	path = strings.TrimSpace(path)
	if err != nil || !ok || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path)
}

// moved looks for the store in which the session began, when the project's root
// seems to be another one since: a .git made or removed in between changes
// nothing for a running session (trust.md 4). Where it is found the run goes on
// with it.
func (r *run) moved() bool {
	own, ok := r.store.(*store.Session)
	if !ok || r.e.Kind == SessionStart && r.e.Source != "compact" {
		return false
	}
	for dir := filepath.Clean(r.folder); ; dir = filepath.Dir(dir) {
		s := store.Open(r.storeOptions(dir))
		if _, err := os.Stat(s.Path()); err == nil && s.Path() != own.Path() {
			var m state.Memory
			err := s.View(func(tx state.Tx) error { m = tx.Memory(state.Session); return nil })
			if err == nil && !m.Start.IsZero() && m.Folder == r.folder {
				r.store, r.root, r.rooted = s, dir, true
				return true
			}
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// storeThere says whether the project has a store already. Only then can the
// session have had a rule file that is gone.
func (r *run) storeThere() bool {
	s, ok := r.store.(*store.Session)
	if !ok {
		return true
	}
	_, err := os.Stat(s.Path())
	return err == nil
}
