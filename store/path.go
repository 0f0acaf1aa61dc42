package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
)

// Path is the file of the project with the given root, below a state directory.
// The root is named by its real path, so that two ways to one folder are one
// project; of a folder that is gone, what is left of the path is resolved.
func Path(dir, root string) string {
	return filepath.Join(dir, ID(root)+".db")
}

// ID names a project: 16 hex digits of the SHA-256 of its root's real path.
func ID(root string) string {
	sum := sha256.Sum256([]byte(RealPath(root)))
	return hex.EncodeToString(sum[:8])
}

// RealPath is path made absolute and with its symbolic links resolved as far as
// it exists.
func RealPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = filepath.Clean(path)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err == nil {
		return real
	}
	parent := filepath.Dir(abs)
	if !errors.Is(err, fs.ErrNotExist) || parent == abs {
		return abs
	}
	return filepath.Join(RealPath(parent), filepath.Base(abs))
}
