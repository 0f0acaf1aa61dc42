package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// findManaged adds the administrator's files: AGENTLTL.yaml, then AGENTLTL.d/*.yaml
// in byte order of the names. They count only if they, and every folder above,
// belong to the owner and nobody else can write to them (trust.md 2).
func (f *Found) findManaged(o FindOptions) {
	if o.ManagedDir == "" {
		return
	}
	if _, err := os.Stat(o.ManagedDir); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			f.add(File{Layer: Managed, Path: o.ManagedDir}, readResult{err: plain(err)})
		}
		return
	}
	for _, path := range f.managedPaths(o.ManagedDir) {
		if err := checkOwner(path, o.ManagedTop, o.ManagedOwner); err != nil {
			f.Notices = append(f.Notices, Notice{
				Layer: Managed, Path: path, Code: "managed-owner", Agent: true,
				Text: fmt.Sprintf("%s is not read: %s", path, err),
			})
			continue
		}
		f.add(File{Layer: Managed, Path: path}, read(path))
	}
}

func (f *Found) managedPaths(dir string) []string {
	var paths []string
	if main := filepath.Join(dir, FileName); ruleFileAt(main) {
		paths = append(paths, main)
	}
	folder := filepath.Join(dir, "AGENTLTL.d")
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.add(File{Layer: Managed, Path: folder}, readResult{err: plain(err)})
		return paths
	}
	var names []string
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".yaml") && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) > maxManagedFiles {
		f.Notices = append(f.Notices, Notice{
			Layer: Managed, Path: folder, Code: "managed-many", Agent: true,
			Text: fmt.Sprintf("%s holds %d rule files; only the first %d are read", folder, len(names), maxManagedFiles),
		})
		names = names[:maxManagedFiles]
	}
	for _, name := range names {
		paths = append(paths, filepath.Join(folder, name))
	}
	return paths
}

// checkOwner says what is wrong with a managed file, or a folder above it, after
// links are resolved; nil: it may be trusted.
func checkOwner(path, top string, owner int) error {
	realPath, err := filepath.EvalSymlinks(path)
	if err != nil {
		return plain(err)
	}
	if top != "" {
		if top, err = filepath.EvalSymlinks(top); err != nil {
			return plain(err)
		}
	}
	for p := realPath; ; p = filepath.Dir(p) {
		st, err := os.Stat(p)
		if err != nil {
			return plain(err)
		}
		if err := ownedBy(p, st, owner); err != nil {
			return err
		}
		if p == top || p == filepath.Dir(p) {
			return nil
		}
	}
}
