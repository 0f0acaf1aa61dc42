package edit

import (
	"bytes"
	"errors"
	"fmt"
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
