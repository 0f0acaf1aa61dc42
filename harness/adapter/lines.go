package adapter

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// maxLine is the longest line of a session record that is read; a longer one is
// skipped and counted.
const maxLine = 64 << 20

// Lines yields the lines of r one at a time, without their line breaks. A line
// over the limit comes as nil. The slice is good until the next line.
func Lines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		b := bufio.NewReaderSize(r, 64<<10)
		var line []byte
		tooLong := false
		for {
			part, err := b.ReadSlice('\n')
			if len(line)+len(part) > maxLine {
				tooLong, line = true, line[:0]
			}
			if !tooLong {
				line = append(line, part...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if len(line) > 0 || tooLong {
				out := bytes.TrimRight(line, "\r\n")
				if tooLong {
					out = nil
				}
				if !yield(out, nil) {
					return
				}
			}
			line, tooLong = line[:0], false
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// Pending pairs calls with their results in a stream of records. Calls come out
// in the order they ended; those without a result at the end, without an outcome.
type Pending struct {
	order []string
	items map[string]Item
	done  map[string]bool
}

// Call notes a call; one that was noted or ended already is a repetition (a
// resumed session writes its lines again).
func (p *Pending) Call(id string, it Item) {
	if p.items == nil {
		p.items, p.done = map[string]Item{}, map[string]bool{}
	}
	if _, ok := p.items[id]; ok || p.done[id] {
		return
	}
	p.items[id] = it
	p.order = append(p.order, id)
}

// Result takes out the call that a result belongs to.
func (p *Pending) Result(id string) (Item, bool) {
	it, ok := p.items[id]
	if !ok {
		return Item{}, false
	}
	delete(p.items, id)
	p.done[id] = true
	return it, true
}

// Rest yields the calls that have no result.
func (p *Pending) Rest(yield func(Item, error) bool) {
	for _, id := range p.order {
		if it, ok := p.items[id]; ok && !yield(it, nil) {
			return
		}
	}
}
