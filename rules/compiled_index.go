package rules

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

// An indexReader finds rules by tool name in the bytes of an index.
type indexReader struct {
	rules int
	exact int    // number of exact names
	table []byte // offsets of the exact names' records
	names []byte // records of the exact names
	globs []byte // records of the globs, and of ""
}

var errIndex = errors.New("not an index")

func (x *indexReader) open(b []byte) error {
	if len(b) < 12 {
		return errIndex
	}
	x.rules = int(binary.BigEndian.Uint32(b))
	x.exact = int(binary.BigEndian.Uint32(b[4:]))
	split := int(binary.BigEndian.Uint32(b[8:]))
	b = b[12:]
	if x.exact > len(b)/4 || split > len(b)-4*x.exact || x.rules > maxRules*64 {
		return errIndex
	}
	x.table = b[:4*x.exact]
	b = b[4*x.exact:]
	x.names, x.globs = b[:split], b[split:]
	return nil
}

// record reads the record at the start of b.
func record(b []byte) (name string, rules []int, rest []byte, ok bool) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return "", nil, nil, false
	}
	name, b = string(b[k:k+int(n)]), b[k+int(n):]
	count, k := binary.Uvarint(b)
	if k <= 0 || count > uint64(len(b)) {
		return "", nil, nil, false
	}
	b = b[k:]
	for range count {
		i, k := binary.Uvarint(b)
		if k <= 0 {
			return "", nil, nil, false
		}
		rules, b = append(rules, int(i)), b[k:]
	}
	return name, rules, b, true
}

// reacting gives the numbers of the rules for a call's tools, in order.
func (x *indexReader) reacting(tools []string) []int {
	var out []int
	add := func(rules []int) {
		for _, i := range rules {
			if i < x.rules {
				out = append(out, i)
			}
		}
	}
	for _, t := range tools {
		add(x.named(t))
	}
	for b := x.globs; len(b) > 0; {
		name, rules, rest, ok := record(b)
		if !ok {
			break
		}
		if b = rest; name == "" || slices.ContainsFunc(tools, newGlob(name).match) {
			add(rules)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// named finds an exact name by halving.
func (x *indexReader) named(tool string) []int {
	lo, hi := 0, x.exact
	for lo < hi {
		mid := (lo + hi) / 2
		at := binary.BigEndian.Uint32(x.table[4*mid:])
		if int(at) >= len(x.names) {
			return nil
		}
		name, rules, _, ok := record(x.names[at:])
		if !ok {
			return nil
		}
		switch c := strings.Compare(name, tool); {
		case c == 0:
			return rules
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return nil
}
