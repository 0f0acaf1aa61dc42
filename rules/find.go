package rules

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// FileName is what a rule file of a user, project or nested folder is called.
const FileName = "AGENTLTL.yaml"

const (
	maxFileSize     = 1 << 20 // a larger file is not read (trust.md 2)
	maxManagedFiles = 64      // in AGENTLTL.d
	maxNested       = 8       // innermost ones of a call's folder (trust.md 4)
)

// ManagedDir is where the administrator's files are, by operating system.
func ManagedDir(goos string, getenv func(string) string) string {
	switch goos {
	case "darwin":
		return "/Library/Application Support/agentltl"
	case "windows":
		if d := getenv("ProgramData"); d != "" {
			return filepath.Join(d, "agentltl")
		}
		return `C:\ProgramData\agentltl`
	default:
		return "/etc/agentltl"
	}
}

// FindOptions say where to look for rule files.
type FindOptions struct {
	ManagedDir   string // "": no managed layer
	ManagedTop   string // where the owner check of managed files ends; "": the root of the file system
	ManagedOwner int    // uid that must own them; 0 is root
	// UserFiles are the user's files in the order they are read: the shared one,
	// then the harness's. Absent ones are passed over.
	UserFiles []string
	// SessionFolder is where the harness runs the session, absolute; "": no
	// project layer.
	SessionFolder string
	// ProjectFile is the file found when the session began, and Root the project
	// root then; "": search from SessionFolder. They hold for the whole session.
	ProjectFile, Root string
	// CallDir is the working directory of the call, for nested files; "": none.
	CallDir string
	// Only, if not nil, are the files to use in place of all layers, as the
	// project's own (--rules).
	Only []string
}

// A Found is the rule files in force, highest layer first, with their texts.
type Found struct {
	Files       []File
	Root        string // project root: the git root of the session's folder, else that folder
	ProjectFile string // the project file in force; "" none
	Notices     []Notice
}

// Find lists the rule files of every layer (trust.md 2 and 4). It reads them but
// parses nothing: a hook calls it on every event. A file that must not or
// cannot be used is in the list with its Err.
func Find(o FindOptions) Found {
	var f Found
	if o.Only != nil {
		f.Root = o.Root
		if f.Root == "" && o.SessionFolder != "" {
			f.Root = GitRoot(o.SessionFolder)
		}
		for _, path := range o.Only {
			f.add(File{Layer: ProjectFile, Path: path}, read(path))
		}
		return f
	}
	f.findManaged(o)
	for _, path := range o.UserFiles {
		if st, err := os.Stat(path); err != nil && errors.Is(err, fs.ErrNotExist) && !isLink(path) {
			continue
		} else if err == nil && st.IsDir() {
			continue
		}
		f.add(File{Layer: User, Path: path}, read(path))
	}
	if o.SessionFolder != "" {
		f.findProject(o)
	}
	return f
}

// findProject adds the session's file and the nested ones of the call's folder.
func (f *Found) findProject(o FindOptions) {
	f.Root, f.ProjectFile = o.Root, o.ProjectFile
	if f.ProjectFile == "" {
		f.ProjectFile, _ = Upwards(o.SessionFolder)
	}
	if f.Root == "" {
		f.Root = GitRoot(o.SessionFolder)
	}
	if f.ProjectFile != "" {
		f.add(File{Layer: ProjectFile, Path: f.ProjectFile}, readInside(f.ProjectFile, f.Root))
	}
	if o.CallDir != "" {
		f.findNested(o)
	}
}

// findNested adds the files between the session's folder and the call's, both
// included, outermost first, other than the session's file itself. An inner
// .git is no border.
func (f *Found) findNested(o FindOptions) {
	dir, ok := below(o.CallDir, o.SessionFolder)
	if !ok {
		return
	}
	var found []string
	for folder := dir; ; folder = filepath.Dir(folder) {
		path := filepath.Join(folder, FileName)
		if path != f.ProjectFile && ruleFileAt(path) {
			found = append(found, path)
		}
		if folder == filepath.Clean(o.SessionFolder) || folder == filepath.Dir(folder) {
			break
		}
	}
	if len(found) > maxNested {
		f.Notices = append(f.Notices, Notice{
			Layer: Nested, Path: found[0], Code: "nested-many", Agent: true,
			Text: fmt.Sprintf("%d rule files lie above %s; the innermost %d are in force", len(found), dir, maxNested),
		})
		found = found[:maxNested]
	}
	slices.Reverse(found)
	for _, path := range found {
		f.add(File{Layer: Nested, Path: path, Folder: filepath.Dir(path)}, readInside(path, f.Root))
	}
}

// below gives dir as a path below folder, with symbolic links resolved only if
// the text alone does not show it.
func below(dir, folder string) (string, bool) {
	dir, folder = filepath.Clean(dir), filepath.Clean(folder)
	if within(dir, folder) {
		return dir, true
	}
	realDir, err1 := filepath.EvalSymlinks(dir)
	realFolder, err2 := filepath.EvalSymlinks(folder)
	if err1 != nil || err2 != nil || !within(realDir, realFolder) {
		return "", false
	}
	rel, err := filepath.Rel(realFolder, realDir)
	if err != nil {
		return "", false
	}
	return filepath.Join(folder, rel), true
}

// within says whether path is folder or lies below it, by text.
func within(path, folder string) bool {
	if path == folder {
		return true
	}
	if !strings.HasSuffix(folder, string(filepath.Separator)) {
		folder += string(filepath.Separator)
	}
	return strings.HasPrefix(path, folder)
}

// Upwards is the nearest rule file from folder up to the first folder that
// holds .git, a file or a folder, or to the root of the file system; and that
// last folder looked at.
func Upwards(folder string) (file, end string) {
	for dir := filepath.Clean(folder); ; dir = filepath.Dir(dir) {
		if path := filepath.Join(dir, FileName); ruleFileAt(path) {
			return path, dir
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return "", dir
		}
	}
}

// GitRoot is the nearest folder from folder upwards that holds .git; folder
// itself if there is none.
func GitRoot(folder string) string {
	folder = filepath.Clean(folder)
	for dir := folder; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return folder
		}
	}
}

// ruleFileAt says whether something other than a folder stands at path. A
// dangling link counts: it is a file that cannot be read.
func ruleFileAt(path string) bool {
	st, err := os.Stat(path)
	if err != nil {
		return isLink(path)
	}
	return !st.IsDir()
}

func isLink(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.Mode()&fs.ModeSymlink != 0
}

// add appends a file that was read, or the reason why not.
func (f *Found) add(file File, r readResult) {
	file.Text, file.Err = r.text, r.err
	h := sha256.New()
	h.Write([]byte(file.Layer.String()))
	h.Write([]byte{0})
	h.Write([]byte(file.Path))
	h.Write([]byte{0})
	if file.Err != nil {
		h.Write([]byte(file.Err.Error()))
	} else {
		h.Write(file.Text)
	}
	h.Sum(file.Digest[:0])
	f.Files = append(f.Files, file)
}
