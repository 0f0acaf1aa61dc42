//go:build !unix

package hooks

import "os"

func openNonblock(path string) (*os.File, error) { return os.Open(path) }

func appendNonblock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
}
