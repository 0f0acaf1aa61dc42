//go:build unix

package adapter

import (
	"io/fs"
	"syscall"
)

// Owner is the user id a file belongs to; false where files have none.
func Owner(st fs.FileInfo) (int, bool) {
	s, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}
