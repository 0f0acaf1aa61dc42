package adapter

import (
	"fmt"
	"io"
	"os"
)

// maxSmall is more than any settings file a person or program keeps.
const maxSmall = 8 << 20

// ReadSmall reads a regular file of a size that a settings file can have. A
// repository may put a device or a pipe in its place: those are not opened.
func ReadSmall(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSmall+1))
	if err == nil && len(b) > maxSmall {
		return nil, fmt.Errorf("%s is too large", path)
	}
	return b, err
}
