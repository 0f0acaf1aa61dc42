package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Disk is the disk itself as an [FS].
type Disk struct{}

// ReadFile implements [FS].
func (Disk) ReadFile(path string, limit int) ([]byte, error) {
	// Before it is opened: to open a named pipe is to wait for its writer.
	if i, err := os.Stat(path); err != nil || !i.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(b) > limit {
		err = fmt.Errorf("read %s: more than %d bytes", path, limit)
	}
	return b, err
}

// Real implements [FS].
func (Disk) Real(path string) string {
	p, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return p
}

// Exists implements [FS].
func (Disk) Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsDir implements [FS].
func (Disk) IsDir(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.IsDir()
}

// Names implements [FS].
func (Disk) Names(dir string, limit int) ([]string, bool) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	names, err := f.Readdirnames(limit + 1)
	if err != nil && !errors.Is(err, io.EOF) || len(names) > limit {
		return nil, false
	}
	slices.Sort(names)
	return names, true
}
