package store

import (
	"fmt"
	"io/fs"
	"os"
)

// checkFile refuses a file whose content somebody else could have written. A
// file that others can only read is for doctor to find.
func checkFile(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("store %s: %w: not a regular file", path, ErrUnsafe)
	}
	return checkOwner(path, info, 0o022)
}

// checkDir does so for its folder. A sticky one (like /tmp) keeps others from
// replacing our files; one that a group may write is common with a umask of 002.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("store folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("store folder %s: %w: not a folder", dir, ErrUnsafe)
	}
	if info.Mode()&fs.ModeSticky != 0 {
		return nil
	}
	return checkOwner(dir, info, 0o002)
}

func checkOwner(path string, info fs.FileInfo, others fs.FileMode) error {
	if perm := info.Mode().Perm(); ownLock && perm&others != 0 {
		return fmt.Errorf("%s: %w: mode %04o lets others write", path, ErrUnsafe, perm)
	}
	if uid, ok := owner(info); ok && uid != os.Geteuid() && os.Geteuid() != 0 {
		return fmt.Errorf("%s: %w: it belongs to user %d", path, ErrUnsafe, uid)
	}
	return nil
}
