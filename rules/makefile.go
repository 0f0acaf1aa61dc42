package rules

import (
	"regexp"
	"strings"
	"sync"
)

// A makefile is as much of a Makefile as its recipes need: the variables it
// sets, and whether others may come from elsewhere.
type makefile struct {
	vars  map[string]string
	whole bool // it includes no other file and makes no names: what it does not set is empty
}

// unknownMake stands for a value of make that only make knows.
const unknownMake = "$MAKE_VALUE"

var makeAssignment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ *(?:export\s+|override\s+)*([A-Za-z_][A-Za-z0-9_.-]*)\s*(\?=|:=|::=|\+=|=)\s*(.*)$`)
})

// makeScripts are the recipe lines of a Makefile, continued lines joined, as the
// shell gets them.
func makeScripts(name string, text []byte) []Script {
	lines := strings.Split(string(text), "\n")
	m := makefile{vars: map[string]string{}, whole: !strings.Contains(string(text), "$(eval")}
	var recipes []recipe
	target := ""
	for i := 0; i < len(lines); i++ {
		start := i
		line := lines[i]
		for strings.HasSuffix(line, "\\") && i+1 < len(lines) {
			i++
			line += "\n" + strings.TrimPrefix(lines[i], "\t")
		}
		first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case strings.HasPrefix(line, "\t"):
			recipes = append(recipes, recipe{start + 1, strings.TrimPrefix(line, "\t"), target})
		case first == "define":
			for i+1 < len(lines) && strings.TrimSpace(lines[i]) != "endef" {
				i++
			}
		case first == "include" || first == "-include" || first == "sinclude":
			m.whole = false
		default:
			if !m.assign(line) {
				target = ruleTarget(line, target)
			}
		}
	}
	var out []Script
	for _, r := range recipes {
		// What depends on make's functions and patterns is no text yet.
		if cmd := m.shell(r); cmd != "" && !strings.Contains(cmd, unknownMake) {
			out = append(out, Script{File: name, Line: r.line, Text: cmd})
		}
	}
	return out
}

type recipe struct {
	line   int
	text   string
	target string
}

// assign keeps a variable. Recipes see the last value of a file, whatever the
// place, so conditionals count as taken unless they only fill a gap (?=).
func (m *makefile) assign(line string) bool {
	g := makeAssignment().FindStringSubmatch(strings.ReplaceAll(line, "\\\n", " "))
	if g == nil {
		return false
	}
	name, op, value := g[1], g[2], strings.TrimSpace(g[3])
	if before, _, ok := strings.Cut(value, " #"); ok {
		value = strings.TrimSpace(before)
	}
	old, set := m.vars[name]
	switch {
	case op == "?=" && set:
	case op == "+=" && set:
		m.vars[name] = strings.TrimSpace(old + " " + value)
	default:
		m.vars[name] = value
	}
	return true
}

// ruleTarget is the first target of a rule line.
func ruleTarget(line, old string) string {
	head, _, ok := strings.Cut(line, ":")
	fields := strings.Fields(head)
	if !ok || len(fields) == 0 || strings.HasPrefix(strings.TrimSpace(line), "#") {
		return old
	}
	return fields[0]
}

// shell is a recipe line as the shell gets it: make's own prefixes gone, its
// variables replaced, $$ as $.
func (m *makefile) shell(r recipe) string {
	s := strings.TrimLeft(strings.TrimSpace(r.text), "@-+ ")
	return strings.TrimLeft(m.expand(s, r.target, 0), " ")
}

func (m *makefile) expand(s, target string, depth int) string {
	if depth > 10 {
		return unknownMake
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '$' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case '$':
			b.WriteByte('$')
		case '(', '{':
			ref, n := makeReference(s[i:])
			if n < 0 {
				b.WriteString(unknownMake)
				return b.String()
			}
			b.WriteString(m.reference(ref, target, depth+1))
			i += n
		case '@':
			b.WriteString(plainTarget(target))
		default: // $< $^ $*: files of the rule; $x: a one-letter variable
			b.WriteString(unknownMake)
		}
	}
	return b.String()
}

// makeReference cuts "(NAME)" with nested references and returns its inside and
// the offset of its end.
func makeReference(s string) (inside string, end int) {
	open, shut := s[0], byte(')')
	if open == '{' {
		shut = '}'
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return s[1:i], i
			}
		}
	}
	return "", -1
}

// reference is the value of $(NAME). $(shell CMD) is a substitution to the
// shell, too; other functions are make's own.
func (m *makefile) reference(ref, target string, depth int) string {
	if cmd, ok := strings.CutPrefix(ref, "shell "); ok {
		return "$(" + m.expand(strings.TrimSpace(cmd), target, depth) + ")"
	}
	switch ref {
	case "MAKE":
		return "make"
	case "CURDIR":
		return "$PWD"
	case "CC", "CXX", "LD", "AR", "AS":
		if v, ok := m.vars[ref]; ok {
			return m.expand(v, target, depth)
		}
		return map[string]string{"CC": "cc", "CXX": "c++", "LD": "ld", "AR": "ar", "AS": "as"}[ref]
	case "RM":
		return "rm -f"
	case "@":
		return plainTarget(target)
	}
	if v, ok := m.vars[ref]; ok {
		return m.expand(v, target, depth)
	}
	if m.whole && !strings.ContainsAny(ref, " ,:$@<^*?%+|") {
		return "" // nobody sets it
	}
	return unknownMake
}

// plainTarget is $@ where the rule has one plain target.
func plainTarget(target string) string {
	if target == "" || strings.ContainsAny(target, "%$") {
		return unknownMake
	}
	return target
}
