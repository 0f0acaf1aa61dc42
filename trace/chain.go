package trace

import "crypto/sha256"

// chainDomain separates the hashes of the trace from all others.
const chainDomain = "agentltl-trace-v1"

// A Hash names a trace up to and with one of its entries.
type Hash = [sha256.Size]byte

// Chain is the hash of a trace whose last entry is entry, after a trace with the
// hash prev; the empty trace has the zero hash. It covers the entry's bytes as
// they are stored (contracts.md 3.2), so whoever verifies need not decode them.
func Chain(prev Hash, entry []byte) Hash {
	h := sha256.New()
	h.Write([]byte(chainDomain))
	h.Write(prev[:])
	h.Write(entry)
	var sum Hash
	h.Sum(sum[:0])
	return sum
}
