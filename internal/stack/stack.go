// Package stack makes the main goroutine's stack large once, for programs that
// import it for this. Left alone it doubles four times on the way down, and each
// time all frames are looked up and copied, which is a twentieth of a hook
// process's time. Packages without imports are initialized first, in the order
// of their paths (Go specification, Package initialization), so it happens while
// there are next to no frames.
package stack

// need is a little more than half of what the deepest hook event uses: the
// runtime doubles until it fits.
const need = 20 << 10

var _ = grow()

func grow() bool {
	var room [need]byte
	use(&room)
	return true
}

// use keeps the compiler from leaving room out.
//
//go:noinline
func use(*[need]byte) {}
