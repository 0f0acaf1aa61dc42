package rules

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// stoppedAt finds the line where the parser gave up. Its own messages name the
// line where the enclosing list or mapping began, which may be the first of the
// file. msg is the complaint.
func stoppedAt(text []byte, msg string) int {
	if strings.Contains(msg, "did not find expected") || strings.Contains(msg, "unknown anchor") {
		return firstBadLine(text)
	}
	if strings.Contains(msg, "found a tab") {
		return farthestLine(text, 1) // the tab is the last read, or the one before
	}
	return farthestLine(text, 4)
}

// readAll reads every document, as parseYAML does to find a second one.
func readAll(r io.Reader) error {
	for d := yaml.NewDecoder(r); ; {
		var n yaml.Node
		if err := d.Decode(&n); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// firstBadLine is the first line with which the text cannot be completed any
// more: each prefix of lines is read with its open brackets closed. It is found
// by halving, because a prefix of a bad prefix may only be good or unfinished.
func firstBadLine(text []byte) int {
	lines := bytes.SplitAfter(text, []byte("\n"))
	bad := func(n int) bool {
		prefix := bytes.Join(lines[:n], nil)
		closers, ok := openBrackets(prefix)
		return !ok || readAll(bytes.NewReader(append(bytes.Clone(prefix), closers...))) != nil
	}
	lo, hi := 0, len(lines)
	if !bad(hi) {
		return bytes.Count(text, []byte("\n")) + 1
	}
	for lo+1 < hi {
		if mid := (lo + hi) / 2; bad(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// openBrackets is what would close the brackets and the quote that text leaves
// open; false: a bracket is closed by one of the other kind.
func openBrackets(text []byte) (closers string, ok bool) {
	var stack []byte
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && startsValue(text, i):
			quote = c
		case c == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\n'):
			if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(text)
			}
		case (c == '[' || c == '{') && (len(stack) > 0 || startsValue(text, i)):
			stack = append(stack, c+2) // ']' and '}' follow their openers by two
		case (c == ']' || c == '}') && len(stack) > 0:
			if stack[len(stack)-1] != c {
				return "", false
			}
			stack = stack[:len(stack)-1]
		}
	}
	var b strings.Builder
	b.WriteByte('\n')
	if quote != 0 {
		b.WriteByte(quote)
	}
	for _, c := range slices.Backward(stack) {
		b.WriteByte(c)
	}
	return b.String(), true
}

// startsValue says whether a value can begin at i: quotes and brackets inside
// plain text are ordinary characters.
func startsValue(text []byte, i int) bool {
	before := bytes.TrimRight(text[:i], " ")
	return len(before) == 0 || bytes.IndexByte([]byte("\n:,-[{?"), before[len(before)-1]) >= 0
}

// farthestLine reads the text again byte by byte to see how far the scanner
// came: it looks so many bytes ahead of what it complains about.
func farthestLine(text []byte, ahead int) int {
	r := &byteReader{text: append(bytes.Clone(text), "\n#--------------------------------"...)}
	if readAll(r) == nil || r.ended { // what stands at the end is wrong only there
		return bytes.Count(text, []byte("\n")) + 1
	}
	at := min(max(r.next-ahead, 0), len(text))
	return bytes.Count(text[:at], []byte("\n")) + 1
}

// A byteReader gives one byte at a time; the comment at its end is read across
// only by a value without an end.
type byteReader struct {
	text  []byte
	next  int
	ended bool
}

func (r *byteReader) Read(p []byte) (int, error) {
	if r.next == len(r.text) {
		r.ended = true
		return 0, io.EOF
	}
	p[0] = r.text[r.next]
	r.next++
	return 1, nil
}
