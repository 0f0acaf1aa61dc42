//go:build unix

package hooks

import (
	"os"
	"syscall"
)

// openNonblock opens for reading without waiting: a file may have become a pipe
// since it was looked at.
func openNonblock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
