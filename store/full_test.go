//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/agentltl/agentltl-hook/state"
)

// full fills the disk: no file of this process grows beyond so many bytes. It
// prints how many calls it could record.
func (j helperJob) full() error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: uint64(j.N), Max: uint64(j.N)}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	s := Open(j.Options)
	for i := range 100_000 {
		err := s.UpdateTx(func(tx *Tx) error { _, err := tx.Append(benchCall(i)); return err })
		if err == nil {
			continue
		}
		if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrBusy) {
			return fmt.Errorf("a full disk is told as %w", err)
		}
		fmt.Println(i)
		// What is there can still be judged on.
		return s.View(func(tx state.Tx) error {
			if n := tx.Len(state.Project); n != i {
				return fmt.Errorf("%d calls are there, %d were recorded", n, i)
			}
			return nil
		})
	}
	return errors.New("the disk was never full")
}

func TestFullDisk(t *testing.T) {
	o := testOptions(t)
	j := helperJob{Do: "full", Options: o, N: 600 << 10}
	out, err := j.cmd(os.Args[0]).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	n := 0
	if _, err := fmt.Sscan(strings.TrimSpace(string(out)), &n); err != nil || n < 100 {
		t.Fatalf("printed %q", out)
	}
	if got := ids(t, o); len(got) != n {
		t.Errorf("%d calls, want %d", len(got), n)
	}
	appendCalls(t, Open(o), 1) // with room again it goes on
	entries, err := os.ReadDir(o.Dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
