// Package atomicfile replaces files so that a reader, or a crash, finds the old
// content or the new one and never a part: temporary file beside it, sync,
// rename, sync of the folder.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the content of the file at path. A file that is there keeps its
// mode; a new one gets mode as it is, whatever the umask. A symbolic link stays
// and the file it leads to is replaced. The folder must exist.
func Write(path string, data []byte, mode fs.FileMode) error {
	return WriteSteps(path, data, mode, func(string) {})
}

// WriteSteps is Write that tells step before and after each of its steps
// ("write", "sync", "rename"), for tests that end the process there.
func WriteSteps(path string, data []byte, mode fs.FileMode, step func(point string)) error {
	return replace(path, mode, step, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFrom is Write for content that write makes piece by piece. When write
// fails nothing is replaced.
func WriteFrom(path string, mode fs.FileMode, write func(io.Writer) error) error {
	return replace(path, mode, func(string) {}, write)
}

func replace(path string, mode fs.FileMode, step func(point string), write func(io.Writer) error) error {
	target, err := follow(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return &fs.PathError{Op: "replace", Path: target, Err: errors.New("not a regular file")}
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	step("write.before")
	temp, err := writeTemp(target, mode, step, write)
	if err != nil {
		return err
	}
	step("rename.before")
	if err := os.Rename(temp, target); err != nil {
		_ = os.Remove(temp)
		return err
	}
	step("rename.after")
	syncDir(filepath.Dir(target))
	return nil
}

// maxLinks is how many links are followed, as the system does.
const maxLinks = 40

// follow is the file that path leads to, which need not exist.
func follow(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, or nothing there
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", &fs.PathError{Op: "follow", Path: path, Err: errors.New("too many symbolic links")}
}

func writeTemp(target string, mode fs.FileMode, step func(string), write func(io.Writer) error) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".tmp-*")
	if err != nil {
		return "", fmt.Errorf("replace %s: %w", target, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("replace %s: %w", target, err)
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return "", err
	}
	step("write.after")
	if err := f.Chmod(mode); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return "", err
	}
	step("sync.before")
	if err := f.Sync(); err != nil {
		return "", err
	}
	step("sync.after")
	return f.Name(), f.Close()
}

// syncDir makes the rename last. Systems that cannot sync a folder are left
// alone: the content is safe, the name may be the old one after a power cut.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
