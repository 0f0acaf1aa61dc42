package store

import (
	"errors"
	"fmt"

	"github.com/agentltl/agentltl-hook/trace"
)

// The troubles a caller tells apart (rules.md 17).
var (
	// ErrBusy means that others held the lock until the deadline.
	ErrBusy = errors.New("store busy")
	// ErrCorrupt means that the file is damaged, or no store.
	ErrCorrupt = errors.New("store damaged")
	// ErrNewer means that the file has a newer major format; see [NewerError].
	ErrNewer = errors.New("store of a newer format")
	// ErrUnsafe means that the file or its folder could have been written by somebody else.
	ErrUnsafe = errors.New("store not safe to use")
)

// A NewerError names both formats. It is an ErrNewer.
type NewerError struct {
	Have, Want string // of the file, of this program
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("store has format %s, this program reads %s", e.Have, e.Want)
}

// Is makes errors.Is(err, ErrNewer) true.
func (e *NewerError) Is(target error) bool { return target == ErrNewer }

// A damage is panicked with where bytes of the file do not decode in a place
// that cannot return an error, and becomes an ErrCorrupt at the end of the
// transaction.
type damage struct{ what string }

func (d damage) Error() string { return d.what }

func damaged(format string, args ...any) {
	panic(damage{fmt.Sprintf(format, args...)})
}

func corrupt(path, what string) error {
	return fmt.Errorf("store %s: %w: %s", path, ErrCorrupt, what)
}

// decode reads a struct of package state; what names the value for the message
// of a damaged file. It returns the whole object.
func decode(data []byte, v any, what string) map[string]any {
	m, err := trace.DecodeStruct(data, v)
	if err != nil {
		damaged("%s: %v", what, err)
	}
	return m
}
