package edit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// The marker lines around our block of a TOML file.
const (
	blockStart = `# >>> agentltl-hook: written by "agentltl-hook install", removed by "uninstall" >>>`
	blockEnd   = `# <<< agentltl-hook <<<`
)

// ErrBlock is a file whose marker lines do not pair up.
var ErrBlock = errors.New("the marker lines of agentltl-hook do not pair up")

// TOML decodes a file, to look into it and to see that it parses: the programs
// that read such files drop a broken one without a word.
func TOML(src []byte) (map[string]any, error) {
	m := map[string]any{}
	if err := toml.Unmarshal(bytes.TrimPrefix(src, []byte("\ufeff")), &m); err != nil {
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			row, _ := d.Position()
			return nil, fmt.Errorf("line %d: %s", row, strings.TrimPrefix(d.Error(), "toml: "))
		}
		return nil, err
	}
	return m, nil
}

// Block is the text between the marker lines; false if there is no block.
func Block(src []byte) (string, bool, error) {
	from, to, ok, err := findBlock(src)
	if !ok || err != nil {
		return "", false, err
	}
	lines := strings.SplitAfter(string(src[from:to]), "\n")
	if strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.ReplaceAll(strings.Join(lines[1:len(lines)-1], ""), "\r\n", "\n"), true, nil
}

// SetBlock puts body between the marker lines: in place of the block that is
// there, else at the end. Both the file as it is and the result must parse.
func SetBlock(src []byte, body string) ([]byte, error) {
	if _, err := TOML(src); err != nil {
		return nil, err
	}
	from, to, ok, err := findBlock(src)
	if err != nil {
		return nil, err
	}
	eol := lineEnding(src)
	block := blockStart + "\n" + strings.TrimSuffix(body, "\n") + "\n" + blockEnd + "\n"
	block = strings.ReplaceAll(block, "\n", eol)
	var out []byte
	if ok {
		out = append(append(append(out, src[:from]...), block...), src[to:]...)
	} else {
		out = append(out, src...)
		if len(src) > 0 && !bytes.HasSuffix(src, []byte("\n")) {
			out = append(out, eol...)
		}
		out = append(out, block...)
	}
	if _, err := TOML(out); err != nil {
		return nil, fmt.Errorf("with our block the file would not parse: %w", err)
	}
	return out, nil
}

// CutBlock removes our block; every other byte stays. Without a block the file
// comes back as it is.
func CutBlock(src []byte) ([]byte, error) {
	from, to, ok, err := findBlock(src)
	if err != nil || !ok {
		return src, err
	}
	return append(bytes.Clone(src[:from]), src[to:]...), nil
}

// findBlock is where the block stands, from the start of its first line to the
// start of the line behind it.
func findBlock(src []byte) (from, to int, ok bool, err error) {
	from, to = -1, -1
	at := 0
	for line := range bytes.Lines(src) {
		switch string(bytes.TrimSpace(line)) {
		case blockStart:
			if from >= 0 {
				return 0, 0, false, ErrBlock
			}
			from = at
		case blockEnd:
			if from < 0 || to >= 0 {
				return 0, 0, false, ErrBlock
			}
			to = at + len(line)
		}
		at += len(line)
	}
	if (from < 0) != (to < 0) {
		return 0, 0, false, ErrBlock
	}
	return from, to, from >= 0, nil
}

// Literal is s as a TOML string: a literal one where it can be, because a
// backslash in a basic string is the usual way to break such a file.
func Literal(s string) string {
	if !strings.ContainsAny(s, "'\n\r") && strings.IndexFunc(s, isControl) < 0 {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case isControl(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

// CutTables removes the tables that want takes, header and lines, and then the
// headers that hold nothing any more and only led to them. Every other byte
// stays. The result has to parse.
func CutTables(src []byte, want func(path []string) bool) ([]byte, error) {
	type table struct {
		path     []string
		from, to int
		empty    bool
	}
	var tables []table
	at := 0
	for line := range bytes.Lines(src) {
		text := bytes.TrimSpace(line)
		if path, ok := tableHeader(text); ok {
			tables = append(tables, table{path: path, from: at, to: at + len(line), empty: true})
		} else if n := len(tables); n > 0 && len(text) > 0 && text[0] != '#' {
			tables[n-1].to, tables[n-1].empty = at+len(line), false
		}
		at += len(line)
	}
	var parents [][]string
	drop := make([]bool, len(tables))
	for i, t := range tables {
		if want(t.path) {
			drop[i] = true
			for n := 1; n < len(t.path); n++ {
				parents = append(parents, t.path[:n])
			}
		}
	}
	if len(parents) == 0 && !slices.Contains(drop, true) {
		return src, nil
	}
	for i := len(tables) - 1; i >= 0; i-- {
		t := tables[i]
		if drop[i] || !t.empty || !slices.ContainsFunc(parents, func(p []string) bool { return slices.Equal(p, t.path) }) {
			continue
		}
		used := false
		for k, other := range tables {
			used = used || !drop[k] && len(other.path) > len(t.path) && slices.Equal(other.path[:len(t.path)], t.path)
		}
		drop[i] = !used
	}
	var out []byte
	last := 0
	for i, t := range tables {
		if !drop[i] {
			continue
		}
		from := t.from // with the blank line in front, as TOML writers put it
		if rest, ok := bytes.CutSuffix(src[last:from], []byte("\r\n")); ok && endsLine(src[:last+len(rest)]) {
			from = last + len(rest)
		} else if rest, ok := bytes.CutSuffix(src[last:from], []byte("\n")); ok && endsLine(src[:last+len(rest)]) {
			from = last + len(rest)
		}
		out = append(out, src[last:from]...)
		last = t.to
	}
	out = append(out, src[last:]...)
	if _, err := TOML(out); err != nil {
		return nil, fmt.Errorf("without our tables the file would not parse: %w", err)
	}
	return out, nil
}

// endsLine says whether b is empty or ends with a line break.
func endsLine(b []byte) bool { return len(b) == 0 || b[len(b)-1] == '\n' }

// tableHeader reads "[a.b."c"]"; tables of arrays are none.
func tableHeader(line []byte) ([]string, bool) {
	if !bytes.HasPrefix(line, []byte("[")) || bytes.HasPrefix(line, []byte("[[")) {
		return nil, false
	}
	m, err := TOML(append(bytes.Clone(line), "\nx = 1\n"...))
	if err != nil {
		return nil, false
	}
	var path []string
	for {
		if len(m) != 1 {
			return nil, false
		}
		for k, v := range m {
			next, ok := v.(map[string]any)
			if !ok {
				return path, k == "x" && len(path) > 0
			}
			path = append(path, k)
			m = next
		}
	}
}
