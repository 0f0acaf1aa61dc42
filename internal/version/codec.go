package version

import (
	"strconv"
	"strings"
)

// Codec is the version of saved monitor states, part of the key of every
// checkpoint (trust.md 8). It is text because a build can set it only so:
// -ldflags "-X .../internal/version.Codec=2", which the test with two programs
// on one store does. Raise it when the bytes of a checkpoint change.
var Codec = "1"

// CodecVersion is Codec as the store's keys hold it. A text that is no number
// from 1 to 65535 counts as 1.
func CodecVersion() uint16 {
	n, err := strconv.ParseUint(Codec, 10, 16)
	if err != nil || n == 0 {
		return 1
	}
	return uint16(n)
}

// Series is the major.minor of a version: programs of one series read each
// other's compiled and resolved rules. A version without numbers is its own.
func Series(v string) string {
	parts := strings.SplitN(strings.TrimPrefix(v, "v"), ".", 3)
	if len(parts) < 2 {
		return v
	}
	for _, p := range parts[:2] {
		if _, err := strconv.ParseUint(p, 10, 32); err != nil {
			return v
		}
	}
	return parts[0] + "." + parts[1]
}
