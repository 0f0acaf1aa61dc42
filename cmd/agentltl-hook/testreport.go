package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/internal/cli"
)

// watch counts what each decision says of the rules it looked at.
func (t *tester) watch(d guard.Decision) {
	for _, id := range d.Looked {
		c := t.seen[id]
		switch {
		case c == nil:
		case slices.Contains(d.Faults, id):
			c.Refused++
		default:
			c.Passed++
		}
	}
}

func (t *tester) failures() int {
	n := len(t.bad)
	for _, c := range t.cases {
		if !c.OK {
			n++
		}
	}
	return n
}

// coverage lists the rules with what was never seen of them.
func (t *tester) coverage() []covered {
	out := []covered{}
	for _, id := range t.order {
		c := *t.seen[id]
		never := ""
		switch {
		case c.Refused == 0 && c.Passed == 0:
			never = "both"
		case c.Refused == 0:
			never = "refused"
		case c.Passed == 0:
			never = "passed"
		}
		if never != "" {
			c.Never = &never
		}
		out = append(out, c)
	}
	return out
}

// uncovered counts the rules that nothing ever refused.
func (t *tester) uncovered() int {
	n := 0
	for _, c := range t.coverage() {
		if c.Refused == 0 {
			n++
		}
	}
	return n
}

// report prints what came of it, in each form that was asked for.
func (t *tester) report(files []string) error {
	if t.o.junit != "" {
		if err := os.WriteFile(t.e.Path(t.o.junit), t.junit(), 0o644); err != nil {
			return err
		}
	}
	if t.o.github {
		t.annotate()
	}
	if t.e.JSON {
		return t.json(files)
	}
	t.print(files)
	return nil
}

func (t *tester) json(files []string) error {
	type examples struct {
		Run    int             `json:"run"`
		Failed []failedExample `json:"failed"`
	}
	doc := struct {
		Version  int          `json:"version"`
		Files    []string     `json:"files"`
		Cases    []testedCase `json:"cases"`
		Examples examples     `json:"examples"`
		Coverage []covered    `json:"coverage"`
		Failed   int          `json:"failed"`
	}{1, files, t.cases, examples{t.ran, t.bad}, t.coverage(), t.failures()}
	if doc.Files == nil {
		doc.Files = []string{}
	}
	if doc.Cases == nil {
		doc.Cases = []testedCase{}
	}
	if doc.Examples.Failed == nil {
		doc.Examples.Failed = []failedExample{}
	}
	return cli.WriteJSON(t.e.Stdout, doc)
}

func (t *tester) print(files []string) {
	w := t.e.Stdout
	for _, c := range t.cases {
		if c.OK {
			continue
		}
		fmt.Fprintf(w, "FAIL %s:%d: %s\n", t.name(c.File), c.Line, c.Name)
		for _, f := range c.Failed {
			fmt.Fprintf(w, "  line %d: %s\n    %s\n", f.Line, f.Step, strings.ReplaceAll(f.Text, "\n", "\n    "))
		}
	}
	for _, x := range t.bad {
		fmt.Fprintf(w, "FAIL %s:%d: rule %s: %s\n", t.name(x.File), x.Line, x.Rule, x.Problem)
	}
	if t.o.coverage || t.o.strict {
		for _, c := range t.coverage() {
			if c.Never != nil {
				fmt.Fprintf(w, "%s: no step or example %s\n", c.Rule, neverWords(*c.Never))
			}
		}
	}
	fmt.Fprintf(w, "%s, %s, %s, %d failed\n", cli.Count(len(files), "file"), cli.Count(len(t.cases), "case"), cli.Count(t.ran, "example"), t.failures())
}

// neverWords says what no case showed of a rule.
func neverWords(never string) string {
	switch never {
	case "refused":
		return "is refused by it"
	case "passed":
		return "passes it"
	default:
		return "is judged by it"
	}
}

// name is a file as it is shown: relative to the working directory.
func (t *tester) name(file string) string {
	if rel, err := filepath.Rel(t.e.Dir, file); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return file
}

// annotate prints failures as GitHub's workflow commands.
func (t *tester) annotate() {
	one := func(file string, line int, text string) {
		text = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
		fmt.Fprintf(t.e.Stdout, "::error file=%s,line=%d::%s\n", t.name(file), line, text)
	}
	for _, c := range t.cases {
		for _, f := range c.Failed {
			one(c.File, f.Line, c.Name+": "+f.Step+": "+f.Text)
		}
	}
	for _, x := range t.bad {
		one(x.File, x.Line, "rule "+x.Rule+": "+x.Problem)
	}
}

type junitSuite struct {
	name            string
	tests, failures int
	cases           []junitCase
}

type junitCase struct {
	name, class string
	failure     *junitFailure
}

type junitFailure struct{ message, text string }

// junit is one suite a file, one case a case; the examples are a suite of their
// own. It is written by hand because encoding/xml would be linked into every
// hook process.
func (t *tester) junit() []byte {
	var suites []junitSuite
	at := map[string]int{}
	add := func(suite string, c junitCase) {
		i, ok := at[suite]
		if !ok {
			i = len(suites)
			at[suite] = i
			suites = append(suites, junitSuite{name: suite})
		}
		s := &suites[i]
		s.tests++
		if c.failure != nil {
			s.failures++
		}
		s.cases = append(s.cases, c)
	}
	for _, c := range t.cases {
		j := junitCase{name: c.Name, class: t.name(c.File)}
		if !c.OK {
			j.failure = &junitFailure{message: c.Failed[0].Step}
			for _, f := range c.Failed {
				j.failure.text += fmt.Sprintf("line %d: %s: %s\n", f.Line, f.Step, f.Text)
			}
		}
		add(t.name(c.File), j)
	}
	for _, x := range t.bad {
		add("examples", junitCase{name: x.Rule, class: t.name(x.File), failure: &junitFailure{message: x.Problem, text: fmt.Sprintf("line %d", x.Line)}})
	}
	for range t.ran - len(t.bad) {
		add("examples", junitCase{name: "example", class: "examples"})
	}
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n<testsuites>\n")
	for _, s := range suites {
		fmt.Fprintf(&b, "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\">\n", xmlText(s.name), s.tests, s.failures)
		for _, c := range s.cases {
			fmt.Fprintf(&b, "    <testcase name=\"%s\" classname=\"%s\">", xmlText(c.name), xmlText(c.class))
			if c.failure != nil {
				fmt.Fprintf(&b, "\n      <failure message=\"%s\">%s</failure>\n    ", xmlText(c.failure.message), xmlText(c.failure.text))
			}
			b.WriteString("</testcase>\n")
		}
		b.WriteString("  </testsuite>\n")
	}
	b.WriteString("</testsuites>\n")
	return b.Bytes()
}

// xmlText escapes a text or an attribute's value. What XML 1.0 has no form for
// (section 2.2, Char) becomes U+FFFD.
func xmlText(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == '\ufffe' || c == '\uffff' {
			return '\ufffd'
		}
		return c
	}, s)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;").Replace(s)
}
