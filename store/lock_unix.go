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

// lock takes the lock that bbolt uses and waits for it in the kernel until done.
// bbolt naps 50 ms between tries, and 64 hooks that nap 0.2 to 5 ms keep two
// cores so busy that the one with the lock gets nowhere. Asking for a lock that
// this descriptor already holds, as bbolt then does, is a no-op.
func lock(f *os.File, exclusive bool, done <-chan time.Time) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	fd := int(f.Fd())
	err := flock(fd, how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		// Past the deadline the wait goes on without us, and the lock that comes
		// of it goes at once: the caller has closed the file by then.
		got := make(chan error, 1)
		go func() { got <- flock(fd, how) }()
		select {
		case err = <-got:
		case <-done:
			return ErrBusy
		}
	}
	if err != nil {
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return nil
}

func flock(fd, how int) error {
	for {
		if err := syscall.Flock(fd, how); !errors.Is(err, syscall.EINTR) {
			return err
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
