package main

import (
	"os"
	"syscall"
)

// peakMemory is the largest resident size of an ended process, in bytes.
func peakMemory(state *os.ProcessState) int64 {
	u, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return u.Maxrss << 10 // Linux counts in KiB
}
