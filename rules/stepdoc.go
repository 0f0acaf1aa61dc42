package rules

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// A StepDoc is a step file of the command test (rules.md 22.6).
type StepDoc struct {
	About   string
	Rules   string // a file, or the text of one; "": those in force
	Harness string
	Dir     string
	Cases   []StepCase
}

// A StepCase is one case: steps from an empty memory.
type StepCase struct {
	Name    string
	Line    int
	Without []string
	Steps   []StepItem
}

// A StepItem is one step: a line of text, or an object with "do".
type StepItem struct {
	Line int
	Text string
	Do   map[string]any // nil: Text
}

// ReadStepDoc reads a step file; its problems carry lines.
func ReadStepDoc(file string, text []byte) (StepDoc, Problems) {
	r := stepReader{file: file}
	root, err := parseYAML(text)
	switch {
	case err != nil:
		r.problem(err.line, "%s", err.msg)
	case root == nil:
		r.problem(0, "no cases")
	case root.Kind != yaml.MappingNode:
		r.problem(root.Line, "not a mapping")
	default:
		r.doc(root)
	}
	return r.out, r.problems
}

type stepReader struct {
	file     string
	out      StepDoc
	problems Problems
}

func (r *stepReader) problem(line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{Pos: Pos{File: r.file, Line: line}, Msg: fmt.Sprintf(format, args...)})
}

// text reads a value that must be text.
func (r *stepReader) text(f field) string {
	s, ok := value(f.node).(string)
	if !ok {
		r.problem(f.line, "%s is not text", f.key)
	}
	return s
}

func (r *stepReader) doc(root *yaml.Node) {
	for _, f := range fields(root) {
		switch f.key {
		case "about":
			r.out.About = r.text(f)
		case "rules":
			r.out.Rules = r.text(f)
		case "harness":
			r.out.Harness = r.text(f)
		case "cwd":
			r.out.Dir = r.text(f)
		case "cases":
			r.cases(f)
		default:
			r.problem(f.line, "unknown key %q; a step file has about, rules, harness, cwd, cases", f.key)
		}
	}
	if len(r.out.Cases) == 0 && len(r.problems) == 0 {
		r.problem(root.Line, "no cases")
	}
}

func (r *stepReader) cases(f field) {
	list := deref(f.node)
	if list.Kind != yaml.SequenceNode {
		r.problem(f.line, "cases is not a list")
		return
	}
	for _, n := range list.Content {
		n = deref(n)
		if n.Kind != yaml.MappingNode {
			r.problem(n.Line, "a case is a mapping with name and steps")
			continue
		}
		c := StepCase{Line: n.Line}
		for _, f := range fields(n) {
			switch f.key {
			case "name":
				c.Name = r.text(f)
			case "without":
				c.Without = r.texts(f)
			case "steps":
				c.Steps = r.steps(f)
			default:
				r.problem(f.line, "unknown key %q; a case has name, without, steps", f.key)
			}
		}
		if strings.TrimSpace(c.Name) == "" {
			r.problem(n.Line, "a case without a name")
		}
		if len(c.Steps) == 0 {
			r.problem(n.Line, "a case without steps")
		}
		r.out.Cases = append(r.out.Cases, c)
	}
}

func (r *stepReader) texts(f field) []string {
	list, ok := value(f.node).([]any)
	if !ok {
		r.problem(f.line, "%s is not a list", f.key)
		return nil
	}
	var out []string
	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			r.problem(f.line, "%s holds something that is not text", f.key)
			continue
		}
		out = append(out, s)
	}
	return out
}

func (r *stepReader) steps(f field) []StepItem {
	list := deref(f.node)
	if list.Kind != yaml.SequenceNode {
		r.problem(f.line, "steps is not a list")
		return nil
	}
	var out []StepItem
	for _, n := range list.Content {
		n = deref(n)
		item := StepItem{Line: n.Line}
		switch v := value(n).(type) {
		case string:
			item.Text = v
		case map[string]any:
			item = r.mapping(n, v)
		default:
			r.problem(n.Line, "a step is a line, or a mapping with do")
			continue
		}
		out = append(out, item)
	}
	return out
}

// mapping is {do: ...}; a line such as "deny: git push -f", which YAML takes for a
// mapping when it is not quoted, is the text it looks like.
func (r *stepReader) mapping(n *yaml.Node, v map[string]any) StepItem {
	item := StepItem{Line: n.Line, Do: v}
	if _, ok := v["do"]; ok || len(v) != 1 {
		return item
	}
	for k, x := range v {
		switch x := x.(type) {
		case string:
			item.Do, item.Text = nil, k+": "+x
		case nil:
			item.Do, item.Text = nil, k+":"
		}
	}
	return item
}
