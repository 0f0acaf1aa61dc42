//go:build !unix

package store

import (
	"io/fs"
	"os"
	"time"
)

const noFollow = 0

// ownLock: bbolt's own wait is used (not run).
const ownLock = false

func lock(*os.File, bool, <-chan time.Time) error { return nil }

func unlock(*os.File) {}

func owner(fs.FileInfo) (int, bool) { return 0, false }
