//go:build !unix

package main

import "testing"

// lockedStore needs the lock of another process on the store, which bbolt takes
// in a way of its own on this system.
func lockedStore(t *testing.T, _ *reportProject, _ vector) {
	t.Skip("the store's lock is held by flock in this case")
}
