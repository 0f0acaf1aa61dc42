//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// noFollow makes open fail on a symbolic link in the file's place, and not wait
// for the other end of a pipe that stands there.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// ownLock says that lock takes the lock, before bbolt asks for it again.
const ownLock = true

// lock takes the lock that bbolt uses, by trying until done. bbolt naps 50 ms
// between tries, which made eight parallel hooks wait 107 to 165 ms; asking for a
// lock that this descriptor already holds, as bbolt then does, is a no-op.
func lock(f *os.File, exclusive bool, done <-chan time.Time) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for nap := firstNap; ; nap = min(nap*3/2, lastNap) {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
		select {
		case <-done:
			return ErrBusy
		case <-time.After(nap):
		}
	}
}

// unlock gives the lock back; a closed file has none.
func unlock(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _ = syscall.Flock(int(fd), syscall.LOCK_UN) })
	}
}

// owner is the user a file belongs to; false where there are none.
func owner(info fs.FileInfo) (int, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}
