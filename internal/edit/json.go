// Package edit changes configuration files of other programs in place.
//
// A [JSON] file (comments and trailing commas allowed) gets and loses list
// elements and members by splices of its text: every byte that is not ours
// stays, comments, order and layout included. A TOML file gets one block of
// ours between two marker lines ([SetBlock], [CutBlock]). The package reads and
// writes no file: callers pass and keep bytes.
package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// A JSON is one parsed file. The zero value is not usable: see [ParseJSON].
type JSON struct {
	bom  []byte
	src  []byte
	root hujson.Value
}

// ParseJSON reads the text of a file whose top level is an object. A file that
// holds nothing but white space counts as an empty object.
func ParseJSON(src []byte) (*JSON, error) {
	j := &JSON{}
	if rest, ok := bytes.CutPrefix(src, []byte("\ufeff")); ok {
		j.bom, src = src[:3:3], rest
	}
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}\n")
	}
	if err := j.load(bytes.Clone(src)); err != nil {
		return nil, err
	}
	if _, ok := j.root.Value.(*hujson.Object); !ok {
		return nil, errors.New("the top level is not an object")
	}
	return j, nil
}

// load parses src; the tree's offsets are those of src.
func (j *JSON) load(src []byte) error {
	v, err := hujson.Parse(src)
	if err != nil {
		return err
	}
	j.src, j.root = src, v
	return nil
}

// Strict says whether the file is plain JSON, without comments and trailing
// commas, which not every program that keeps such files reads.
func (j *JSON) Strict() bool { return j.root.IsStandard() }

// Bytes is the text of the file as it is now.
func (j *JSON) Bytes() []byte { return append(bytes.Clone(j.bom), j.src...) }

// Get is the decoded value at a path of member names and list indexes; false if
// there is none.
func (j *JSON) Get(path ...string) (any, bool) {
	v := j.find(path)
	if v == nil {
		return nil, false
	}
	c := v.Clone()
	c.Standardize()
	c.BeforeExtra, c.AfterExtra = nil, nil
	dec := json.NewDecoder(bytes.NewReader(c.Pack()))
	dec.UseNumber()
	var out any
	if dec.Decode(&out) != nil {
		return nil, false
	}
	return out, true
}

// Keys lists the member names of the object at path, in order.
func (j *JSON) Keys(path ...string) []string {
	v := j.find(path)
	if v == nil {
		return nil
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	var keys []string
	for i := range o.Members {
		keys = append(keys, name(&o.Members[i]))
	}
	return keys
}

func name(m *hujson.ObjectMember) string {
	lit, ok := m.Name.Value.(hujson.Literal)
	if !ok {
		return ""
	}
	return lit.String()
}

// find walks to the value at path, nil if there is none. Of members with equal
// names the last counts, as in the programs that read these files.
func (j *JSON) find(path []string) *hujson.Value {
	v := &j.root
	for _, step := range path {
		switch c := v.Value.(type) {
		case *hujson.Object:
			v = nil
			for i := range c.Members {
				if name(&c.Members[i]) == step {
					v = &c.Members[i].Value
				}
			}
		case *hujson.Array:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(c.Elements) {
				return nil
			}
			v = &c.Elements[i]
		default:
			return nil
		}
		if v == nil {
			return nil
		}
	}
	return v
}

// Append adds val, a JSON text, at the end of the list at path; missing lists
// and objects on the way are made. It returns the paths of those it made.
func (j *JSON) Append(path []string, val json.RawMessage) (made [][]string, err error) {
	made, err = j.make(path, "[]")
	if err != nil {
		return nil, err
	}
	v := j.find(path)
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("%s is not a list", strings.Join(path, "."))
	}
	var last *hujson.Value
	if n := len(a.Elements); n > 0 {
		last = &a.Elements[n-1]
	}
	return made, j.insert(v, last, a.AfterExtra, "", val)
}

// Set gives the member at path the value val, replacing the value it has;
// missing objects on the way are made. It returns the paths of those it made,
// the member itself included.
func (j *JSON) Set(path []string, val json.RawMessage) (made [][]string, err error) {
	parent, key := path[:len(path)-1], path[len(path)-1]
	made, err = j.make(parent, "{}")
	if err != nil {
		return nil, err
	}
	if v := j.find(path); v != nil {
		text := j.layout(val, lineIndent(j.src, v.StartOffset), bytes.IndexByte(j.src, '\n') >= 0)
		return made, j.splice(v.StartOffset, v.EndOffset, text)
	}
	v := j.find(parent)
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s is not an object", strings.Join(parent, "."))
	}
	var last *hujson.Value
	if n := len(o.Members); n > 0 {
		last = &o.Members[n-1].Value
	}
	made = append(made, path)
	return made, j.insert(v, last, o.AfterExtra, key, val)
}

// make sees to it that something is at path: objects on the way, empty at its end.
func (j *JSON) make(path []string, empty string) (made [][]string, err error) {
	for i := range path {
		if j.find(path[:i+1]) != nil {
			continue
		}
		text := "{}"
		if i == len(path)-1 {
			text = empty
		}
		m, err := j.Set(path[:i+1], json.RawMessage(text))
		if err != nil {
			return nil, err
		}
		made = append(made, m...)
	}
	return made, nil
}

// splice replaces src[from:to].
func (j *JSON) splice(from, to int, text string) error {
	out := make([]byte, 0, len(j.src)+len(text))
	out = append(out, j.src[:from]...)
	out = append(out, text...)
	out = append(out, j.src[to:]...)
	return j.load(out)
}
