package adapter

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/internal/atomicfile"
)

// A record says how a file was before install touched it. It lies in the state
// folder, so that uninstall can give the old bytes back.
type record struct {
	Path      string     `json:"path"`
	Harness   string     `json:"harness"`
	Existed   bool       `json:"existed"`
	Original  []byte     `json:"original,omitempty"`
	Installed string     `json:"installed"` // SHA-256 of what install left
	Made      [][]string `json:"made,omitempty"`
}

func (o InstallOptions) recordPath(real string) string {
	return filepath.Join(o.StateDir, "install", digest([]byte(real))[:16]+".json")
}

func (o InstallOptions) load(real string) (record, bool) {
	var r record
	b, err := os.ReadFile(o.recordPath(real))
	if err != nil || json.Unmarshal(b, &r) != nil || r.Path != real {
		return record{}, false
	}
	return r, true
}

func (o InstallOptions) save(r record) error {
	p := o.recordPath(r.Path)
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		return err
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return atomicfile.Write(p, b, 0o600)
}

func (o InstallOptions) forget(real string) {
	_ = os.Remove(o.recordPath(real))
	o.sweepFolders()
	o.sweep()
}

// sweep removes the folder of the records when it is empty, and the state folder
// if nothing was recorded either.
func (o InstallOptions) sweep() {
	if len(o.Records()) == 0 { // folders that are in use by now stay
		_ = os.Remove(o.foldersPath())
	}
	if os.Remove(filepath.Join(o.StateDir, "install")) == nil {
		_ = os.Remove(o.StateDir)
	}
}

// InstalledAt says when install last wrote a file for the harness.
func (o InstallOptions) InstalledAt(harness string) (time.Time, bool) {
	files, err := filepath.Glob(filepath.Join(o.StateDir, "install", "*.json"))
	if err != nil {
		return time.Time{}, false
	}
	var at time.Time
	for _, f := range files {
		var r record
		b, err := os.ReadFile(f)
		if err != nil || json.Unmarshal(b, &r) != nil || r.Harness != harness {
			continue
		}
		if st, err := os.Stat(f); err == nil && st.ModTime().After(at) {
			at = st.ModTime()
		}
	}
	return at, !at.IsZero()
}

// Records names the harnesses that files were installed for, once a file.
func (o InstallOptions) Records() []string {
	files, err := filepath.Glob(filepath.Join(o.StateDir, "install", "*.json"))
	if err != nil {
		return nil
	}
	var names []string
	for _, f := range files {
		var r record
		if b, err := os.ReadFile(f); err == nil && json.Unmarshal(b, &r) == nil {
			names = append(names, r.Harness)
		}
	}
	return names
}

// foldersPath lists the folders that install made, which uninstall removes
// again when nothing else is in them.
func (o InstallOptions) foldersPath() string { return filepath.Join(o.StateDir, "install", "folders") }

func (o InstallOptions) folders() []string {
	b, err := os.ReadFile(o.foldersPath())
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// makeFolders is MkdirAll that keeps which folders it made.
func (o InstallOptions) makeFolders(dir string) error {
	var missing []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || filepath.Dir(d) == d {
			break
		}
		missing = append(missing, d)
	}
	if len(missing) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return o.saveFolders(append(o.folders(), missing...))
}

// sweepFolders removes the folders of the list that are empty now, the deepest
// first, and takes those that are gone off it.
func (o InstallOptions) sweepFolders() {
	list := o.folders()
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	left := slices.DeleteFunc(slices.Clone(list), func(d string) bool {
		_ = os.Remove(d)
		_, err := os.Stat(d)
		return errors.Is(err, fs.ErrNotExist)
	})
	switch {
	case len(left) == len(list):
	case len(left) == 0:
		_ = os.Remove(o.foldersPath())
	default:
		_ = o.saveFolders(left)
	}
}

func (o InstallOptions) saveFolders(list []string) error {
	if err := os.MkdirAll(filepath.Dir(o.foldersPath()), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(o.foldersPath(), []byte(strings.Join(list, "\n")+"\n"), 0o600)
}
