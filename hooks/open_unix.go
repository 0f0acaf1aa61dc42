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

// appendNonblock opens for appending, making the file; a pipe that nobody reads
// is an error in place of a wait.
func appendNonblock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
}
