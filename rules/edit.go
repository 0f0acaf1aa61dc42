package rules

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A ListItem is an element of "use" or "disable" as an edit writes it.
type ListItem struct {
	ID      string
	Options []string // "mode: ask", in order; nil: the id alone
}

func (i ListItem) String() string {
	id := quoteIfNeeded(i.ID)
	if len(i.Options) == 0 {
		return id
	}
	return "{" + id + ": {" + strings.Join(i.Options, ", ") + "}}"
}

// quoteIfNeeded writes text so that YAML, and a flow list, reads it back.
func quoteIfNeeded(s string) string {
	var v any
	plain := s != "" && !strings.ContainsAny(s, "[]{},#&*!|>'\"%@`\n") && !strings.Contains(s, ": ") && !strings.HasPrefix(s, "- ")
	if plain && yaml.Unmarshal([]byte(s), &v) == nil {
		if t, ok := v.(string); ok && t == s {
			if _, old := oldBoolean(&yaml.Node{Kind: yaml.ScalarNode, Value: s}); !old {
				return s
			}
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// What an edit does not touch.
var (
	errAlias   = errors.New("the list is written elsewhere in the file (an alias): edit it by hand")
	errShape   = errors.New("it is no list: edit it by hand")
	errEscapes = errors.New("the file is JSON with escaped characters: edit it by hand")
)

// EditList adds to and removes from the list of a top-level key, in place: every
// other byte of the file stays. An element whose id is there already is
// replaced if the new one has options. It says what changed.
func EditList(text []byte, key string, add []ListItem, remove []string) (out []byte, changed []string, err error) {
	e := &edit{text: text, key: key}
	for _, id := range remove {
		if err := e.read(); err != nil {
			return nil, nil, err
		}
		if e.remove(id) {
			changed = append(changed, id)
		}
	}
	for _, item := range add {
		if err := e.read(); err != nil {
			return nil, nil, err
		}
		done, err := e.add(item)
		if err != nil {
			return nil, nil, err
		}
		if done {
			changed = append(changed, item.ID)
		}
	}
	return e.text, changed, nil
}

// An edit is one file being changed: the text and where the list stands in it.
type edit struct {
	text []byte
	key  string

	root  *yaml.Node // top-level mapping; nil: an empty file
	name  *yaml.Node // the key
	list  *yaml.Node // its value; nil: the key is absent
	next  int        // offset of the next top-level key, or the end
	lines []int      // offset of each line
}

// read finds the list in the text as it is now.
func (e *edit) read() error {
	*e = edit{text: e.text, key: e.key}
	e.lines = []int{0}
	for i, c := range e.text {
		if c == '\n' {
			e.lines = append(e.lines, i+1)
		}
	}
	if isJSON(e.text) && len(yamlOfJSON(e.text)) != len(e.text) {
		return errEscapes // places in the text would not be those of the parser
	}
	root, yerr := parseYAML(e.text)
	if yerr != nil {
		return errors.New(yerr.msg)
	}
	if root == nil {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		return errShape
	}
	e.root = root
	e.next = len(e.text)
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != e.key {
			continue
		}
		// Of a key written twice the last counts.
		e.name, e.list = root.Content[i], root.Content[i+1]
		e.next = len(e.text)
		if i+2 < len(root.Content) {
			e.next = e.offset(root.Content[i+2])
		}
	}
	if e.list == nil || isNull(e.list) {
		return nil
	}
	if e.list.Kind == yaml.AliasNode {
		return errAlias
	}
	if e.list.Kind != yaml.SequenceNode {
		return errShape
	}
	return nil
}

// offset is where a node begins; columns count characters.
func (e *edit) offset(n *yaml.Node) int {
	at := e.lines[n.Line-1]
	if n.Line == 1 && bytes.HasPrefix(e.text, []byte("\xef\xbb\xbf")) {
		at += 3
	}
	for range n.Column - 1 {
		_, size := decodeRune(e.text[at:])
		at += size
	}
	return at
}

func decodeRune(b []byte) (rune, int) {
	for i, r := range string(b[:min(4, len(b))]) {
		if i == 0 {
			return r, len(string(r))
		}
	}
	return 0, 1
}

func (e *edit) splice(from, to int, s string) {
	e.text = slices.Concat(e.text[:from], []byte(s), e.text[to:])
}

func (e *edit) flow() bool { return e.list != nil && e.list.Style&yaml.FlowStyle != 0 }

// idOf is the id that an element names.
func idOf(n *yaml.Node) string {
	n = deref(n)
	if n.Kind == yaml.MappingNode && len(n.Content) > 0 {
		return strings.TrimSpace(n.Content[0].Value)
	}
	return strings.TrimSpace(n.Value)
}

func (e *edit) find(id string) int {
	if e.list == nil || e.list.Kind != yaml.SequenceNode {
		return -1
	}
	return slices.IndexFunc(e.list.Content, func(n *yaml.Node) bool { return idOf(n) == id })
}

func (e *edit) add(item ListItem) (bool, error) {
	if i := e.find(item.ID); i >= 0 {
		if len(item.Options) == 0 {
			return false, nil
		}
		from, to := e.span(i)
		old := strings.TrimRight(string(e.text[from:to]), " \n")
		if old == item.String() {
			return false, nil
		}
		e.splice(from, from+len(old), item.String())
		return true, nil
	}
	switch {
	case e.root == nil:
		e.appendKey(item)
	case e.list == nil:
		if e.root.Style&yaml.FlowStyle != 0 {
			return true, e.intoFlowRoot(item)
		}
		e.appendKey(item)
	case isNull(e.list):
		if e.root.Style&yaml.FlowStyle != 0 {
			return false, errShape
		}
		e.afterLine(e.name.Line, strings.Repeat(" ", e.name.Column-1)+"  - "+item.String())
	case e.flow():
		e.intoFlow(item)
	case len(e.list.Content) == 0:
		return false, errShape
	default:
		e.intoBlock(item)
	}
	return true, nil
}

// appendKey writes the key at the end of the file.
func (e *edit) appendKey(item ListItem) {
	var b strings.Builder
	if n := len(e.text); n > 0 && e.text[n-1] != '\n' {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s:\n  - %s\n", e.key, item)
	e.text = append(bytes.Clone(e.text), b.String()...)
}

// afterLine inserts a line behind line number n.
func (e *edit) afterLine(n int, s string) {
	if n < len(e.lines) {
		e.splice(e.lines[n], e.lines[n], s+"\n")
		return
	}
	e.text = append(bytes.Clone(e.text), "\n"+s+"\n"...)
}

// intoBlock adds an element behind the last one.
func (e *edit) intoBlock(item ListItem) {
	first := e.list.Content[0]
	dash := bytes.LastIndexByte(e.text[:e.offset(first)], '-')
	indent := string(e.text[e.lines[e.lineOf(dash)-1]:dash])
	e.afterLine(e.lineOf(e.contentEnd()-1), indent+"- "+item.String())
}

// contentEnd is behind the last text of the list: blank lines and comments
// before the next key are not the list's.
func (e *edit) contentEnd() int {
	for end := e.next; end > 0; {
		start := bytes.LastIndexByte(e.text[:end-1], '\n') + 1
		line := bytes.TrimSpace(e.text[start:end])
		if len(line) > 0 && line[0] != '#' {
			return start + len(bytes.TrimRight(e.text[start:end], "\r\n"))
		}
		end = start
	}
	return 0
}

func (e *edit) lineOf(at int) int {
	i, found := slices.BinarySearch(e.lines, at)
	if found {
		return i + 1
	}
	return i
}

// intoFlow adds an element before the closing bracket.
func (e *edit) intoFlow(item ListItem) {
	end := closingBracket(e.text, e.offset(e.list))
	if len(e.list.Content) == 0 {
		e.splice(end, end, item.String())
		return
	}
	at := len(bytes.TrimRight(e.text[:end], " \t\r\n"))
	sep := ", "
	if e.text[at-1] == ',' {
		sep = " "
	}
	if line := e.lineOf(at - 1); line < e.lineOf(end) {
		// The bracket stands on a line of its own, and so does each element.
		start := e.lines[line-1]
		text := e.text[start:]
		sep = strings.TrimRight(sep, " ") + "\n" + string(text[:len(text)-len(bytes.TrimLeft(text, " "))])
	}
	e.splice(at, at, sep+item.String())
}

// intoFlowRoot adds the key to a file written as one {..}.
func (e *edit) intoFlowRoot(item ListItem) error {
	end := closingBracket(e.text, e.offset(e.root))
	if end < 0 {
		return errShape
	}
	at := len(bytes.TrimRight(e.text[:end], " \t\r\n"))
	sep := ", "
	switch {
	case len(e.root.Content) == 0:
		sep = ""
	case e.text[at-1] == ',':
		sep = " "
	}
	key := e.key
	if isJSON(e.text) || bytes.Contains(e.text, []byte(`"`+rootKey(e.root)+`"`)) {
		key = `"` + key + `"`
		e.splice(at, at, sep+key+`: ["`+item.ID+`"]`)
		return nil
	}
	e.splice(at, at, sep+key+": ["+item.String()+"]")
	return nil
}

func rootKey(root *yaml.Node) string {
	if len(root.Content) == 0 {
		return "\x00"
	}
	return root.Content[0].Value
}

// closingBracket is the offset of the bracket that closes the one at i; -1: none.
func closingBracket(text []byte, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch c := text[i]; c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i
			}
		case '"', '\'':
			if !startsValue(text, i) {
				break
			}
			i = closingQuote(text, i)
		case '#':
			if text[i-1] == ' ' || text[i-1] == '\n' {
				if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
					i += n
				}
			}
		}
	}
	return -1
}

func closingQuote(text []byte, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		case text[i] == quote:
			return i
		}
	}
	return i
}

// span is where an element begins and ends, without its dash, comma or line end.
func (e *edit) span(i int) (from, to int) {
	from = e.offset(e.list.Content[i])
	if !e.flow() {
		to = e.contentEnd()
		if i+1 < len(e.list.Content) {
			to = bytes.LastIndexByte(e.text[:e.offset(e.list.Content[i+1])], '-')
			to = len(bytes.TrimRight(e.text[:to], " \n"))
		}
		// a comment behind the element stays
		if n := bytes.Index(e.text[from:to], []byte(" #")); n >= 0 {
			to = from + len(bytes.TrimRight(e.text[from:from+n], " "))
		}
		return from, to
	}
	end := closingBracket(e.text, e.offset(e.list))
	for to = from; to < end; to++ {
		switch c := e.text[to]; {
		case c == '[' || c == '{':
			to = closingBracket(e.text, to)
		case (c == '"' || c == '\'') && startsValue(e.text, to):
			to = closingQuote(e.text, to)
		case c == ',':
			return from, len(bytes.TrimRight(e.text[:to], " \t\r\n"))
		}
	}
	return from, len(bytes.TrimRight(e.text[:end], " \t\r\n,"))
}

// remove takes an element out; a list that becomes empty is written [].
func (e *edit) remove(id string) bool {
	i := e.find(id)
	if i < 0 {
		return false
	}
	from, to := e.span(i)
	n := len(e.list.Content)
	switch {
	case n == 1 && e.flow():
		start := e.offset(e.list)
		e.splice(start, closingBracket(e.text, start)+1, "[]")
	case n == 1:
		dash := bytes.LastIndexByte(e.text[:from], '-')
		start := e.lines[e.lineOf(dash)-1]
		e.splice(start, min(e.lineEnd(to)+1, len(e.text)), "")
		colon := e.offset(e.name) + bytes.IndexByte(e.text[e.offset(e.name):], ':') + 1
		e.splice(colon, colon, " []")
	case e.flow() && i+1 < n:
		e.splice(from, e.offset(e.list.Content[i+1]), "")
	case e.flow():
		_, before := e.span(i - 1)
		e.splice(before, to, "")
	default:
		dash := bytes.LastIndexByte(e.text[:from], '-')
		start := e.lines[e.lineOf(dash)-1]
		e.splice(start, min(e.lineEnd(to)+1, len(e.text)), "")
	}
	return true
}

// lineEnd is the offset of the line break at or after at.
func (e *edit) lineEnd(at int) int {
	if n := bytes.IndexByte(e.text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(e.text)
}
