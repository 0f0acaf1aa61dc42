package store

import "github.com/agentltl/agentltl-hook/trace"

// verifyChain computes the hashes of the kept calls anew. What was pruned before
// them is represented by the hash of its last call.
func (t *Tx) verifyChain() error {
	b := t.root(bCalls)
	if b == nil {
		return nil
	}
	prev, page := t.prunedHash(), newPager(t.core.tx)
	next := firstKey(b)
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		n := fromNumber(k)
		if n != next {
			damaged("call %d follows call %d", n, next-1)
		}
		if len(v) < hashLen || trace.Chain(prev, v[hashLen:]) != trace.Hash(v[:hashLen]) {
			damaged("the hash of call %d is not that of its bytes", n)
		}
		prev, next = trace.Hash(v[:hashLen]), n+1
		page.passed(len(v))
	}
	if next != int(b.Sequence()) {
		damaged("%d calls were recorded, the last one here is %d", b.Sequence(), next-1)
	}
	return nil
}
