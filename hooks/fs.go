package hooks

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A disk is the read-only view of the file system that lines and rules are
// judged with. It remembers whether the reading of a line depended on what is in
// files or folders: such a line is recorded as it was read before it ran.
type disk struct {
	reads int // looks into files and folders
	files int // of these, files
}

// maxFilesRead is how many files one line may make us read (shell.md 4.8).
const maxFilesRead = 64

var errTooMuch = errors.New("more than may be read")

// ReadFile reads a regular file of at most limit bytes; it never waits for a
// pipe or a device.
func (d *disk) ReadFile(path string, limit int) ([]byte, error) {
	d.reads++
	if d.files++; d.files > maxFilesRead {
		return nil, errTooMuch
	}
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > int64(limit) {
		return nil, errTooMuch
	}
	f, err := openNonblock(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(b) > limit {
		err = errTooMuch
	}
	return b, err
}

// Real resolves symbolic links in every component; "" when nothing is there.
func (d *disk) Real(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return real
}

// realName is the real name of an absolute path; of one that is not there, by
// the folder it would be in. Other text stays as it is.
func (d *disk) realName(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	if real := d.Real(path); real != "" {
		return real
	}
	if real := d.Real(filepath.Dir(path)); real != "" {
		return filepath.Join(real, filepath.Base(path))
	}
	return path
}

// Exists says whether something is at path, be it a dangling link.
func (d *disk) Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsDir says whether path is a folder.
func (d *disk) IsDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// Names lists a folder, sorted; false when there are more than limit names.
func (d *disk) Names(dir string, limit int) ([]string, bool) {
	d.reads++
	f, err := os.Open(dir)
	if err != nil {
		return nil, errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	names, err := f.Readdirnames(limit + 1)
	if err != nil && !errors.Is(err, io.EOF) || len(names) > limit {
		return nil, false
	}
	slices.Sort(names)
	return names, true
}
