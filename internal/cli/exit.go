package cli

import (
	"errors"
	"fmt"
)

// Exit statuses of every command but hook (rules.md 22).
const (
	OK      = 0
	Finding = 1 // an expectation failed, a thing was not found, a check found something
	Usage   = 2 // the command line, a rule file or an input is unusable
	Trouble = 3 // we could not do our work: store, I/O
)

// ErrFinding ends a command with status 1 when its output has said why.
var ErrFinding = &Error{Status: Finding}

// A StatusError ends the program with that status and prints nothing: what a
// harness expects of a hook.
type StatusError int

func (s StatusError) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// An Error is trouble with the status it ends the program with.
type Error struct {
	Status int
	Err    error  // nil: nothing is printed
	Hint   string // a second line; "" for none
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Status)
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Usagef is a mistake on the command line.
func Usagef(format string, args ...any) error {
	return &Error{Status: Usage, Err: fmt.Errorf(format, args...)}
}

// Findingf is an answer that is not the hoped-for one, such as a thing not found.
func Findingf(format string, args ...any) error {
	return &Error{Status: Finding, Err: fmt.Errorf(format, args...)}
}

// Input marks err as a fault of what the user handed in: a rule file, a trace.
func Input(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Status: Usage, Err: err}
}

// WithHint adds advice to err, printed on a line of its own.
func WithHint(err error, format string, args ...any) error {
	hint := fmt.Sprintf(format, args...)
	if e, ok := errors.AsType[*Error](err); ok {
		return &Error{Status: e.Status, Err: err, Hint: hint}
	}
	return &Error{Status: Trouble, Err: err, Hint: hint}
}

// ExitStatus maps what a command returned to the status of the program.
func ExitStatus(err error) int {
	if err == nil {
		return OK
	}
	if s, ok := errors.AsType[StatusError](err); ok {
		return int(s)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return Trouble
}
