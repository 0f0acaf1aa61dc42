package main

import (
	"path/filepath"
	"syscall"
)

// inMemory says whether a folder, or the nearest one above that is there, lies
// on a file system that a restart empties.
func inMemory(dir string) bool {
	const tmpfs, ramfs = 0x01021994, 0x858458f6
	var st syscall.Statfs_t
	for dir != "" {
		if syscall.Statfs(dir, &st) == nil {
			return uint32(st.Type) == tmpfs || uint32(st.Type) == ramfs
		}
		if dir == "/" {
			break
		}
		dir = filepath.Dir(dir)
	}
	return false
}
