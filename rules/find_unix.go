//go:build unix

package rules

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openNonblock opens a file for reading without waiting for a writer.
func openNonblock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// ownedBy checks that a file or folder belongs to uid owner and that neither
// group nor others may write to it.
func ownedBy(path string, st fs.FileInfo, owner int) error {
	if st.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s is writable by others (mode %04o)", path, st.Mode().Perm())
	}
	if s, ok := st.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != owner {
		return fmt.Errorf("%s does not belong to user %d", path, owner)
	}
	return nil
}
