package hooks

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agentltl/agentltl-hook/rules"
)

// fact is what conditions may ask about the place of a call, read from files; no
// program is started (rules.md 19).
func (r *run) fact(name, dir string) any {
	switch name {
	case "agent":
		return map[string]any{"sub": r.e.Agent != ""}
	case "repo":
		if dir == "" {
			dir = r.folder
		}
		if r.p.NoDisk {
			return nil
		}
		return repo(dir)
	}
	return nil
}

// repo is the git repository of a folder: its root, branch, and, of a linked
// worktree, that one's name; what is not known is null.
func repo(dir string) map[string]any {
	out := map[string]any{"root": nil, "branch": nil, "worktree": nil}
	root := rules.GitRoot(dir)
	git := filepath.Join(root, ".git")
	st, err := os.Stat(git)
	if err != nil {
		return out
	}
	out["root"] = root
	d := &disk{}
	if !st.IsDir() {
		path := readPath(d, git, "gitdir: ")
		if path == "" {
			return out
		}
		if filepath.Base(filepath.Dir(path)) == "worktrees" {
			out["worktree"] = filepath.Base(path)
		}
		git = path
	}
	b, err := d.ReadFile(filepath.Join(git, "HEAD"), 4096)
	if branch, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "ref: refs/heads/"); err == nil && ok {
		out["branch"] = branch
	}
	return out
}
