package edit

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
)

// insert adds a member (key given) or an element to the container v, behind its
// last value. tail is the extra in front of the closing bracket.
func (j *JSON) insert(v, last *hujson.Value, tail hujson.Extra, key string, val json.RawMessage) error {
	inside := j.src[v.StartOffset:v.EndOffset]
	multi := bytes.IndexByte(inside, '\n') >= 0
	if last == nil {
		return j.insertFirst(v, inside, multi, key, val)
	}
	sep, indent := " ", ""
	if !multi && bytes.IndexByte(j.src, '\n') < 0 && !bytes.Contains(inside, []byte(", ")) {
		sep = "" // a minified file
	}
	if multi {
		indent = lineIndent(j.src, last.StartOffset)
		sep = j.eol() + indent
	}
	text := sep + j.member(key, val, indent, multi)
	if last.AfterExtra != nil { // a trailing comma: behind it, and with one of our own
		at := last.EndOffset + len(last.AfterExtra) + 1 + len(comments(tail))
		return j.splice(at, at, text+",")
	}
	return j.spliceTwo(last.EndOffset, ",", last.EndOffset+len(comments(tail)), text)
}

// spliceTwo inserts a at first and b at second.
func (j *JSON) spliceTwo(first int, a string, second int, b string) error {
	out := make([]byte, 0, len(j.src)+len(a)+len(b))
	out = append(out, j.src[:first]...)
	out = append(out, a...)
	out = append(out, j.src[first:second]...)
	out = append(out, b...)
	out = append(out, j.src[second:]...)
	return j.load(out)
}

// insertFirst adds the only value of an empty container.
func (j *JSON) insertFirst(v *hujson.Value, inside []byte, multi bool, key string, val json.RawMessage) error {
	at := v.StartOffset + 1
	blank := len(bytes.TrimSpace(inside[1:len(inside)-1])) == 0
	if bytes.IndexByte(j.src, '\n') < 0 && len(bytes.TrimSpace(j.src)) > 2 { // a minified file
		return j.splice(at, at, j.member(key, val, "", false))
	}
	outer := lineIndent(j.src, v.StartOffset)
	indent := outer + j.unit()
	text := j.eol() + indent + j.member(key, val, indent, true)
	end := at
	if blank {
		end = v.EndOffset - 1
	}
	if blank || !multi {
		text += j.eol() + outer
	}
	return j.splice(at, end, text)
}

// member is the text of a member, or of an element when key is empty.
func (j *JSON) member(key string, val json.RawMessage, indent string, multi bool) string {
	text := j.layout(val, indent, multi)
	if key == "" {
		return text
	}
	colon := ": "
	if !multi && bytes.IndexByte(j.src, '\n') < 0 {
		colon = ":"
	}
	return quote(key) + colon + text
}

// layout is val as this file would write it.
func (j *JSON) layout(val json.RawMessage, indent string, multi bool) string {
	var b bytes.Buffer
	if !multi {
		if json.Compact(&b, val) != nil {
			return string(val)
		}
		return b.String()
	}
	v, err := hujson.Parse(val)
	if err != nil {
		return string(val)
	}
	indented(&b, v, j.eol()+indent, j.unit())
	return b.String()
}

// indented writes v over several lines, lists of plain values on one. nl is the
// line break with the indentation of v's own line.
func indented(b *bytes.Buffer, v hujson.Value, nl, unit string) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		if len(c.Members) == 0 {
			b.WriteString("{}")
			return
		}
		for i, m := range c.Members {
			b.WriteString([]string{"{", ","}[min(i, 1)] + nl + unit)
			b.Write(m.Name.Value.(hujson.Literal))
			b.WriteString(": ")
			indented(b, m.Value, nl+unit, unit)
		}
		b.WriteString(nl + "}")
	case *hujson.Array:
		plain := true
		for _, e := range c.Elements {
			_, lit := e.Value.(hujson.Literal)
			plain = plain && lit
		}
		b.WriteByte('[')
		for i, e := range c.Elements {
			switch {
			case !plain:
				b.WriteString([]string{"", ","}[min(i, 1)] + nl + unit)
			case i > 0:
				b.WriteString(", ")
			}
			indented(b, e, nl+unit, unit)
		}
		if !plain {
			b.WriteString(nl)
		}
		b.WriteByte(']')
	case hujson.Literal:
		b.Write(c)
	}
}

// eol is the file's line ending.
func (j *JSON) eol() string { return lineEnding(j.src) }

func lineEnding(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unit is one step of the file's indentation: that of its first indented line.
func (j *JSON) unit() string {
	for line := range bytes.Lines(j.src) {
		rest := bytes.TrimLeft(line, " \t")
		if n := len(line) - len(rest); n > 0 && len(bytes.TrimSpace(rest)) > 0 {
			if line[0] == '\t' {
				return "\t"
			}
			return strings.Repeat(" ", min(n, 8))
		}
	}
	return "  "
}

// lineIndent is the white space at the start of the line that holds offset.
func lineIndent(src []byte, offset int) string {
	start := bytes.LastIndexByte(src[:offset], '\n') + 1
	end := start
	for end < len(src) && (src[end] == ' ' || src[end] == '\t') {
		end++
	}
	return string(src[start:end])
}

// comments is extra up to the end of its last comment: what must stay in front
// of something new. A line comment keeps its line break.
func comments(extra hujson.Extra) []byte {
	end, i := 0, 0
	for i < len(extra) {
		switch {
		case bytes.HasPrefix(extra[i:], []byte("//")):
			n := bytes.IndexByte(extra[i:], '\n')
			if n < 0 {
				n = len(extra) - i
			}
			i += n
			end = i
			if end > 0 && extra[end-1] == '\r' {
				end--
			}
		case bytes.HasPrefix(extra[i:], []byte("/*")):
			n := bytes.Index(extra[i+2:], []byte("*/"))
			if n < 0 {
				n = len(extra) - i - 4
			}
			i += n + 4
			end = i
		default:
			i++
		}
	}
	return extra[:end]
}

func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Raw is v as JSON text without escaping of <, > and &, for Append and Set.
func Raw(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("edit: " + err.Error())
	}
	return json.RawMessage(bytes.TrimSpace(b.Bytes()))
}
