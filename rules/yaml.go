package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// What a rule file may cost before its content is looked at (trust.md 2).
const (
	maxNodes = 100_000 // after aliases are expanded
	maxDepth = 50
	maxRules = 5_000
)

// parseYAML reads the one document of a rule file. An empty file gives nil.
func parseYAML(text []byte) (*yaml.Node, *yamlError) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(text) {
		return nil, &yamlError{line: badUTF8Line(text), msg: "not valid UTF-8"}
	}
	if n := roughNodes(text); n > maxNodes*3/2 {
		return nil, &yamlError{msg: fmt.Sprintf("too large: about %d values; at most %d are read", n, maxNodes)}
	}
	if roughDepth(text) > 4*maxDepth {
		return nil, &yamlError{msg: fmt.Sprintf("nested more than %d levels deep", maxDepth)}
	}
	if isJSON(text) {
		text = yamlOfJSON(text)
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, newYAMLError(err, text)
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		return nil, &yamlError{line: second.Line, msg: "a second document: a rule file holds one"}
	} else if !errors.Is(err, io.EOF) {
		return nil, newYAMLError(err, text)
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return nil, nil
	}
	m := measure{seen: map[*yaml.Node]int{}}
	if err := m.node(root, 0); err != nil {
		return nil, err
	}
	return root, nil
}

func isJSON(text []byte) bool {
	t := bytes.TrimSpace(text)
	return len(t) > 0 && t[0] == '{' && json.Valid(t)
}

// yamlOfJSON makes the two things YAML that JSON has and YAML has not: tabs
// between tokens, and characters escaped as two halves. Lines stay.
func yamlOfJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\t':
			out = append(out, ' ') // never inside a JSON text
		case text[i] != '\\' || i+1 == len(text):
			out = append(out, text[i])
		case text[i+1] == 'u' && i+12 <= len(text) && text[i+6] == '\\' && text[i+7] == 'u':
			hi, err1 := strconv.ParseUint(string(text[i+2:i+6]), 16, 16)
			lo, err2 := strconv.ParseUint(string(text[i+8:i+12]), 16, 16)
			if r := utf16.DecodeRune(rune(hi), rune(lo)); err1 == nil && err2 == nil && r != utf8.RuneError {
				out = utf8.AppendRune(out, r)
				i += 11
				continue
			}
			fallthrough
		default:
			out = append(out, text[i], text[i+1])
			i++
		}
	}
	return out
}

// A yamlError is why a file is no YAML we read. Its words name our limits or
// the parser's complaint, never other content of the file.
type yamlError struct {
	line int
	msg  string
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^line \d+: `) })

func newYAMLError(err error, text []byte) *yamlError {
	msg := yamlLine().ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "")
	if strings.Contains(msg, "unknown anchor") {
		msg = "an alias to an anchor that is not there" // theirs quotes the name
	}
	return &yamlError{line: stoppedAt(text, msg), msg: "not YAML: " + msg}
}

func badUTF8Line(text []byte) int {
	line := 1
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			return line
		}
		if r == '\n' {
			line++
		}
		text = text[n:]
	}
	return 0
}

// roughNodes is a cheap upper guess at the number of values, taken before the
// parser spends time on them.
func roughNodes(text []byte) int {
	pairs := bytes.Count(text, []byte(": ")) + bytes.Count(text, []byte(":\n"))
	return 2*pairs + bytes.Count(text, []byte("- ")) + bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("["))
}

// roughDepth is the deepest run of brackets open at once, quotes ignored.
func roughDepth(text []byte) int {
	depth, deepest := 0, 0
	for _, c := range text {
		switch c {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return deepest
}

// measure counts the values of a document with its aliases expanded.
type measure struct {
	seen  map[*yaml.Node]int // anchored node -> its count; -1 while it is being counted
	total int
}

func (m *measure) node(n *yaml.Node, depth int) *yamlError {
	if depth > maxDepth {
		return &yamlError{line: n.Line, msg: fmt.Sprintf("nested more than %d levels deep", maxDepth)}
	}
	if n.Kind == yaml.AliasNode {
		return m.alias(n, depth)
	}
	before := m.total
	m.total++
	if n.Anchor != "" {
		m.seen[n] = -1
	}
	for _, c := range n.Content {
		if err := m.node(c, depth+1); err != nil {
			return err
		}
	}
	if n.Anchor != "" {
		m.seen[n] = m.total - before
	}
	if m.total > maxNodes {
		return &yamlError{line: n.Line, msg: fmt.Sprintf("more than %d values once aliases are expanded", maxNodes)}
	}
	return nil
}

func (m *measure) alias(n *yaml.Node, depth int) *yamlError {
	if m.seen[n.Alias] < 0 {
		return &yamlError{line: n.Line, msg: "an alias that holds itself"}
	}
	// The depth below the alias counts from here: walk it again, which the total
	// keeps bounded.
	return m.node(&yaml.Node{Kind: n.Alias.Kind, Line: n.Line, Content: n.Alias.Content}, depth)
}
