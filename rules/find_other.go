//go:build !unix

package rules

import (
	"fmt"
	"io/fs"
	"os"
)

func openNonblock(path string) (*os.File, error) { return os.Open(path) }

// ownedBy cannot be answered here: owners of this system's files are not read
// yet, and a file whose owner is not known is not trusted.
func ownedBy(path string, _ fs.FileInfo, _ int) error {
	return fmt.Errorf("the owner of %s is not known on this system", path)
}
