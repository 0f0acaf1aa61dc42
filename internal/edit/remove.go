package edit

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/tailscale/hujson"
)

// Remove takes out the element or member at path. Comments around it stay.
func (j *JSON) Remove(path ...string) error {
	if len(path) == 0 || j.find(path) == nil {
		return nil
	}
	parent := j.find(path[:len(path)-1])
	step := path[len(path)-1]
	switch c := parent.Value.(type) {
	case *hujson.Array:
		i, err := strconv.Atoi(step)
		if err != nil {
			return err
		}
		var prev *hujson.Value
		if i > 0 {
			prev = &c.Elements[i-1]
		}
		e := &c.Elements[i]
		more := i < len(c.Elements)-1 || e.AfterExtra != nil // or a trailing comma
		return j.cut(parent, prev, e.BeforeExtra, e.StartOffset, e, more)
	case *hujson.Object:
		i := slices.IndexFunc(c.Members, func(m hujson.ObjectMember) bool { return name(&m) == step })
		for k := range c.Members { // the last of equal names, as find
			if name(&c.Members[k]) == step {
				i = k
			}
		}
		var prev *hujson.Value
		if i > 0 {
			prev = &c.Members[i-1].Value
		}
		m := &c.Members[i]
		more := i < len(c.Members)-1 || m.Value.AfterExtra != nil
		return j.cut(parent, prev, m.Name.BeforeExtra, m.Name.StartOffset, &m.Value, more)
	}
	return nil
}

// cut removes the text from start to the end of val with one comma: the one
// behind it if there is one (more), else the one in front.
func (j *JSON) cut(parent, prev *hujson.Value, before hujson.Extra, start int, val *hujson.Value, more bool) error {
	from := start - len(before) + len(comments(before))
	next := val.EndOffset
	if more && len(val.AfterExtra) == 0 {
		next++ // the comma goes too
	}
	if from > start-len(before) && !breaksLine(j.src[next:]) {
		from = start // what follows must not slip into a line comment
	}
	end := val.EndOffset
	switch {
	case more:
		comma := val.EndOffset + len(val.AfterExtra)
		return j.cutTwo(from, end, comma, comma+1)
	case prev != nil:
		comma := prev.EndOffset + len(prev.AfterExtra)
		return j.cutTwo(comma, comma+1, from, end)
	}
	if err := j.splice(from, end, ""); err != nil {
		return err
	}
	// It was the only one: what is left is the white space around it.
	inside := bytes.TrimRight(j.src[:from], " \t\r\n")
	rest := bytes.TrimLeft(j.src[from:], " \t\r\n")
	if bytes.HasSuffix(inside, []byte(open(parent))) && len(rest) > 0 && (rest[0] == ']' || rest[0] == '}') {
		return j.splice(len(inside), len(j.src)-len(rest), "")
	}
	return nil
}

func open(v *hujson.Value) string {
	if v.Value.Kind() == '[' {
		return "["
	}
	return "{"
}

func breaksLine(rest []byte) bool {
	return bytes.HasPrefix(rest, []byte("\n")) || bytes.HasPrefix(rest, []byte("\r\n"))
}

// cutTwo removes src[a:b] and src[c:d].
func (j *JSON) cutTwo(a, b, c, d int) error {
	out := make([]byte, 0, len(j.src))
	out = append(out, j.src[:a]...)
	out = append(out, j.src[b:c]...)
	out = append(out, j.src[d:]...)
	return j.load(out)
}

// Prune removes the container at path if it is empty: entirely when it is one
// of made, else its inner white space. It says whether the container is gone.
func (j *JSON) Prune(made [][]string, path ...string) (bool, error) {
	v := j.find(path)
	if v == nil || len(path) == 0 {
		return false, nil
	}
	switch c := v.Value.(type) {
	case *hujson.Object:
		if len(c.Members) > 0 {
			return false, nil
		}
	case *hujson.Array:
		if len(c.Elements) > 0 {
			return false, nil
		}
	default:
		return false, nil
	}
	inside := j.src[v.StartOffset+1 : v.EndOffset-1]
	if len(bytes.TrimSpace(inside)) > 0 {
		return false, nil // comments
	}
	if slices.ContainsFunc(made, func(p []string) bool { return slices.Equal(p, path) }) {
		return true, j.Remove(path...)
	}
	return false, j.splice(v.StartOffset+1, v.EndOffset-1, "")
}
