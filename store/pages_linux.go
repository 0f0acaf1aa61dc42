package store

import (
	"syscall"
	"unsafe"

	"go.etcd.io/bbolt"
)

// A pager gives back the pages of the file that a pass over a long trace has
// read. They stay in the system's cache; without it a catch-up over a million
// calls would count as hundreds of megabytes of this process.
type pager struct {
	tx   *bbolt.Tx
	read int
}

// pagerStep is how much is read between two looks: far below the 20 MiB a hook
// may hold, and a thousand calls apart.
const pagerStep = 1 << 20

func newPager(tx *bbolt.Tx) *pager { return &pager{tx: tx} }

func (p *pager) passed(n int) {
	if p.read += n; p.read < pagerStep {
		return
	}
	p.read = 0
	// Dropping clean pages of a shared read-only mapping loses nothing: the next
	// access maps them again.
	data := p.tx.DB().Info().Data
	size := int(p.tx.Size())
	_ = syscall.Madvise(unsafe.Slice(*(**byte)(unsafe.Pointer(&data)), size), syscall.MADV_DONTNEED)
}
