package rules

import (
	"crypto/sha256"
	"slices"
)

// KeyOptions are what a compiled set depends on beside its files.
type KeyOptions struct {
	Program  string   // version of the program
	Harness  string   // canonical name
	Builtins []File   // rule files of the program itself
	Without  []string // ids left out
}

// setFormat is part of every set's key: raise it when the bytes of a compiled
// set change.
const setFormat = "rules-set-1"

// SetKey names the rule set that files come to, without reading them. The packs
// that they use are not in it: see [Head.Stale].
func SetKey(files []File, o KeyOptions) [32]byte {
	h := sha256.New()
	text := func(s string) {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	text(setFormat)
	text(o.Program)
	text(o.Harness)
	without := slices.Clone(o.Without)
	slices.Sort(without)
	for _, id := range without {
		text(id)
	}
	text("")
	for _, list := range [][]File{o.Builtins, files} {
		for _, f := range list {
			digest := f.Digest
			if digest == ([32]byte{}) {
				digest = sha256.Sum256(f.Text)
			}
			h.Write([]byte{byte(f.Layer)})
			h.Write(digest[:])
			text(f.Folder)
		}
	}
	var key [32]byte
	h.Sum(key[:0])
	return key
}
