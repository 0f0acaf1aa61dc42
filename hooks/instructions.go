package hooks

import (
	"crypto/sha1"
	"encoding/hex"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Statement is one sentence of an instruction file that could be a rule: a
// bullet, a paragraph, a table row, or a whole file of the agent's own memory.
type Statement struct {
	ID        string   `json:"id"` // 10 hex digits, stable under changes of markup and white space
	File      string   `json:"file"`
	Line      int      `json:"line"`
	Text      string   `json:"text"`
	Section   string   `json:"section,omitempty"` // headings above it, outermost first, joined by " > "
	Context   string   `json:"context,omitempty"` // the line that introduces the list it stands in
	Code      []string `json:"code,omitempty"`    // quoted code: spans of it, and the block that follows
	Modality  string   `json:"modality,omitempty"`
	Emphasis  bool     `json:"emphasis,omitempty"`
	Candidate bool     `json:"candidate"` // phrased as an instruction about an action
}

// StatementID is the id of a statement: the first 10 hex digits of the SHA-1 of
// its text, with runs of white space and markup folded to one blank, trimmed, in
// lower case (rules.md 13).
func StatementID(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		if strings.ContainsRune(" \t\r\n*_`>#|", r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(r)
	}
	sum := sha1.Sum([]byte(strings.ToLower(b.String())))
	return hex.EncodeToString(sum[:])[:10]
}

// Statements reads an instruction file: markdown. whole makes the file one
// statement, as the agent's own memory files are.
func Statements(file, text string, whole bool) []Statement {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	p := &instructions{file: file}
	if whole {
		body := strings.TrimSpace(withoutFrontMatter(text))
		if body != "" {
			p.add(1, body, "", codeSpans(body))
		}
		return p.out
	}
	p.read(text)
	return p.out
}

// instructions walks a markdown file line by line.
type instructions struct {
	file     string
	out      []Statement
	headings []heading
	para     []string // lines of the open paragraph or bullet
	start    int      // its first line
	bullet   bool
	indent   int     // of the open bullet
	intros   []intro // lines that introduce a list, by indent
	lead     string  // the last paragraph, if it ended with a colon
}

type heading struct {
	level int
	text  string
}

type intro struct {
	indent int
	text   string
}

func (p *instructions) read(text string) {
	lines := strings.Split(text, "\n")
	i := len(strings.Split(text, "\n")) - len(strings.Split(withoutFrontMatter(text), "\n"))
	for ; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \t")
		trimmed := strings.TrimLeft(line, " \t")
		indent := width(line[:len(line)-len(trimmed)])
		switch {
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fence := trimmed[:3]
			j := i + 1
			var code []string
			for j < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[j]), fence) {
				code = append(code, strings.TrimSpace(lines[j]))
				j++
			}
			p.flush()
			p.attach(strings.TrimSpace(strings.Join(code, "\n")))
			i = j
		case strings.HasPrefix(trimmed, "<!--"):
			for i < len(lines) && !strings.Contains(lines[i], "-->") {
				i++
			}
		case trimmed == "":
			p.flush()
		case headingLevel(trimmed) > 0:
			p.flush()
			p.enter(headingLevel(trimmed), strings.Trim(trimmed, "# \t"))
		case strings.HasPrefix(trimmed, "|"):
			p.flush()
			p.row(lines, i, trimmed)
		case bulletText(trimmed) != "":
			p.flush()
			p.bullet, p.indent, p.start = true, indent, i+1
			p.para = []string{bulletText(trimmed)}
		case isRule(trimmed):
			p.flush()
		default:
			if len(p.para) == 0 {
				p.start, p.indent = i+1, indent
			}
			p.para = append(p.para, strings.TrimLeft(trimmed, "> "))
		}
	}
	p.flush()
}

// flush ends the open paragraph or bullet.
func (p *instructions) flush() {
	if len(p.para) == 0 {
		return
	}
	text := strings.Join(p.para, " ")
	bullet, indent := p.bullet, p.indent
	p.para, p.bullet = nil, false
	if bullet {
		for len(p.intros) > 0 && p.intros[len(p.intros)-1].indent >= indent {
			p.intros = p.intros[:len(p.intros)-1]
		}
	} else {
		p.intros, p.lead = nil, ""
	}
	if strings.HasSuffix(text, ":") {
		// It only introduces what follows.
		if bullet {
			p.intros = append(p.intros, intro{indent, text})
		} else {
			p.lead = text
		}
		return
	}
	context := p.lead
	if n := len(p.intros); bullet && n > 0 {
		context = p.intros[n-1].text
	}
	if !bullet {
		context = ""
	}
	p.add(p.start, text, context, codeSpans(text))
}

func (p *instructions) row(lines []string, i int, line string) {
	if strings.Trim(line, "|-: \t") == "" {
		return // the line under the head
	}
	if i+1 < len(lines) && strings.Trim(lines[i+1], "|-: \t") == "" && strings.Contains(lines[i+1], "-") {
		return // the head
	}
	var cells []string
	for c := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		if c = strings.TrimSpace(c); c != "" {
			cells = append(cells, c)
		}
	}
	if len(cells) > 0 {
		text := strings.Join(cells, " | ")
		p.add(i+1, text, "", codeSpans(text))
	}
}

// attach gives a code block to the statement or introduction before it.
func (p *instructions) attach(code string) {
	if code == "" {
		return
	}
	if p.lead != "" {
		text := p.lead
		p.lead = ""
		p.add(p.start, text, "", append(codeSpans(text), code))
		return
	}
	if n := len(p.out); n > 0 {
		p.out[n-1].Code = append(p.out[n-1].Code, code)
	}
}

func (p *instructions) enter(level int, text string) {
	for len(p.headings) > 0 && p.headings[len(p.headings)-1].level >= level {
		p.headings = p.headings[:len(p.headings)-1]
	}
	p.headings = append(p.headings, heading{level, text})
	p.intros, p.lead = nil, ""
}

func (p *instructions) add(line int, text, context string, code []string) {
	var section []string
	for _, h := range p.headings {
		section = append(section, h.text)
	}
	s := Statement{
		ID: StatementID(text), File: p.file, Line: line, Text: text,
		Section: strings.Join(section, " > "), Context: context, Code: code,
	}
	s.Modality = modality(text)
	if s.Modality == "" {
		s.Modality = modality(context)
	}
	if s.Modality == "" && len(p.headings) > 0 {
		s.Modality = modality(p.headings[len(p.headings)-1].text)
	}
	s.Emphasis = emphasised(text)
	s.Candidate = s.Modality != "" && aboutAction(text, code)
	p.out = append(p.out, s)
}

func withoutFrontMatter(text string) string {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return text
	}
	if _, body, ok := strings.Cut(rest, "\n---\n"); ok {
		return body
	}
	return text
}

func headingLevel(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "#"))
	if n == 0 || n > 6 || len(s) == n || s[n] != ' ' {
		return 0
	}
	return n
}

// bulletText is the text of a list item, "" for other lines.
func bulletText(s string) string {
	if len(s) > 2 && strings.ContainsRune("-*+", rune(s[0])) && (s[1] == ' ' || s[1] == '\t') {
		t := strings.TrimSpace(s[2:])
		for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
			t = strings.TrimPrefix(t, box)
		}
		return t
	}
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if n > 0 && n < 4 && len(s) > n+2 && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		return strings.TrimSpace(s[n+2:])
	}
	return ""
}

func isRule(s string) bool {
	return len(s) >= 3 && (strings.Trim(s, "- ") == "" || strings.Trim(s, "* ") == "" || strings.Trim(s, "_ ") == "")
}

func width(s string) int {
	n := 0
	for _, r := range s {
		if r == '\t' {
			n += 4
		} else {
			n++
		}
	}
	return n
}

func codeSpans(text string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(text, "`")
		if !ok {
			return out
		}
		span, after, ok := strings.Cut(rest, "`")
		if !ok {
			return out
		}
		if span = strings.TrimSpace(span); span != "" {
			out = append(out, span)
		}
		text = after
	}
}

type phrase struct {
	modality string
	re       *regexp.Regexp
}

// phrases tell how binding a sentence is, strongest first. English only: that
// is what instruction files are written in nearly always.
var phrases = sync.OnceValue(func() []phrase {
	words := func(m, alternatives string) phrase {
		return phrase{m, regexp.MustCompile(`(?i)(^|[^\pL])(` + alternatives + `)($|[^\pL])`)}
	}
	return []phrase{
		words("never", `never|do not|don't|don’t|must not|mustn't|may not|cannot|can't|under no circumstances|not allowed|forbidden|prohibited|no longer|refuse to|stop using`),
		words("avoid", `avoid|should not|shouldn't|shouldn’t|instead of|rather than|refrain|without asking|without approval`),
		words("always", `always|must|make sure|ensure|be sure|required?|needs? to|have to|has to|only|mandatory`),
		words("before", `before|first|after|prior to|until|once|when(ever)?|each time|every time`),
		words("should", `should|prefer|please|remember to|ask|use|run|keep|check|read|write|commit|push|deploy|test|format|lint`),
	}
})

func modality(text string) string {
	if text == "" {
		return ""
	}
	for _, p := range phrases() {
		if p.re.MatchString(text) {
			return p.modality
		}
	}
	return ""
}

func emphasised(text string) bool {
	if strings.Contains(text, "**") || strings.Contains(text, "__") || strings.HasSuffix(text, "!") {
		return true
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return (r < 'A' || r > 'Z') && r != '\'' }) {
		switch w {
		case "NEVER", "ALWAYS", "MUST", "NOT", "IMPORTANT", "CRITICAL", "WARNING", "DO", "DON'T", "ONLY":
			return true
		}
	}
	return false
}

// actions are verbs of things an agent does by calling a tool.
var actions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[^\pL])(run|running|execut\w*|commit\w*|push\w*|pull\w*|merg\w*|rebas\w*|deploy\w*|releas\w*|publish\w*|delet\w*|remov\w*|edit\w*|modif\w*|chang\w*|writ\w*|creat\w*|overwrit\w*|read\w*|open\w*|touch\w*|install\w*|upgrad\w*|test\w*|lint\w*|format\w*|build\w*|migrat\w*|fetch\w*|download\w*|upload\w*|send\w*|call\w*|use|using|invok\w*|start\w*|restart\w*|kill\w*|drop\w*|apply|print\w*|log in|sudo|force[- ]push\w*|amend\w*|tag\w*|skip\w*|disabl\w*|mov\w*|renam\w*|copy|copying|search\w*|spawn\w*|generat\w*|regenerat\w*|check\w*|verif\w*)($|[^\pL])`)
})

func aboutAction(text string, code []string) bool {
	if actions().MatchString(text) {
		return true
	}
	return slices.ContainsFunc(code, func(c string) bool { return strings.Contains(c, " ") })
}

// IsMemoryOf says whether a file is one of the agent's own notes, each of which
// is one statement, and not an instruction file written by people.
func IsMemoryOf(path string) bool {
	dir := filepath.ToSlash(filepath.Dir(path))
	return strings.HasSuffix(dir, "/memory") && filepath.Base(path) != "MEMORY.md"
}
