package rules

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Why a rule file is not read. The texts say nothing of its content.
var (
	ErrGone       = errors.New("the file is not there")
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = fmt.Errorf("larger than %d KiB", maxFileSize>>10)
	errOutside    = errors.New("a link that leads out of the project is not read")
)

type readResult struct {
	text []byte
	err  error
}

// read reads a rule file: a regular one of at most 1 MiB, looked at before it is
// opened and opened without waiting, so that a FIFO or a device hangs nobody.
func read(path string) readResult {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return readResult{err: ErrGone}
	case err != nil:
		return readResult{err: plain(err)}
	case !st.Mode().IsRegular():
		return readResult{err: errNotRegular}
	case st.Size() > maxFileSize:
		return readResult{err: errTooLarge}
	}
	f, err := openNonblock(path)
	if err != nil {
		return readResult{err: plain(err)}
	}
	defer f.Close()
	if st, err = f.Stat(); err != nil || !st.Mode().IsRegular() {
		return readResult{err: errNotRegular}
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err != nil {
		return readResult{err: plain(err)}
	}
	if len(text) > maxFileSize {
		return readResult{err: errTooLarge}
	}
	return readResult{text: text}
}

// readInside reads a project's rule file, which must lie in the project (its
// root, or the folder it stands in when that is above) after links are resolved.
func readInside(path, root string) readResult {
	if realPath, err := filepath.EvalSymlinks(path); err == nil {
		realRoot, err := filepath.EvalSymlinks(root)
		if err != nil {
			return readResult{err: plain(err)}
		}
		if !within(realPath, realRoot) && (isLink(path) || !within(realRoot, filepath.Dir(realPath))) {
			return readResult{err: errOutside}
		}
	}
	return read(path)
}

// plain drops the path from a file error: the place of a problem names it already.
func plain(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("cannot be read: %w", p.Err)
	}
	return err
}
