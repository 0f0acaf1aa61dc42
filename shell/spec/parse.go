package spec

import (
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/trace"
)

// Parse reads the words of one command, the program first. Without a spec the
// tool is the program's normalised basename and the words are its argv.
func (s *Set) Parse(words []Word) Parsed {
	p := s.parse(words)
	if s.base == nil || s.same(words[0].Text) {
		return p
	}
	if q := s.base.parse(words); len(q.Run) != len(p.Run) || q.DynamicTool != p.DynamicTool {
		return q // not one call each: the higher layer's reading alone counts
	}
	return p
}

func (s *Set) parse(words []Word) Parsed {
	f, ok := s.find(words[0].Text)
	if !ok {
		return bare(words)
	}
	p := &parser{words: words, program: f.program}
	if f.sub != "" {
		p.toks = append(p.toks, token{text: f.sub, word: words[0]})
	}
	for i, w := range words[1:] {
		p.toks = append(p.toks, token{text: w.Text, idx: i + 1, word: w})
	}
	p.enter(f.command, f.tool, Base(words[0].Text))
	p.oldBundle()
	p.read()
	out := p.finish()
	s.packages(&out)
	return out
}

// packages settles runs of kind "package" (npx): the first word names a package,
// which holds a program that is mostly called the same. One that has a spec is
// listed as a command that runs; any other is a form of this call, so that a
// rule on its name still matches.
func (s *Set) packages(p *Parsed) {
	var runs []Run
	for _, r := range p.Run {
		if r.Kind != "package" {
			runs = append(runs, r)
			continue
		}
		name := r.Words[0].Text
		if before, _, ok := cutLast(name, "@"); ok && before != "" {
			name = before
		}
		if _, ok := s.find(name); ok {
			r.Kind = "argv"
			r.Words = slices.Clone(r.Words)
			r.Words[0].Text = name
			runs = append(runs, r)
			continue
		}
		args := make([]any, 0, len(r.Words))
		for _, w := range r.Words[1:] {
			args = append(args, w.Text)
		}
		p.Forms = append(p.Forms, Form{Tool: Normalize(name), Args: trace.Args{"argv": args}})
		runs = append(runs, r) // the program may be one that runs others, which specs do not say
	}
	p.Run = runs
}

// bare is the reading without a spec (shell.md 5.4).
func bare(words []Word) Parsed {
	p := Parsed{Tool: Normalize(Base(words[0].Text)), Args: trace.Args{"argv": argv(words)}}
	if words[0].Text == "[" {
		if n := len(words); words[n-1].Text == "]" && n > 1 {
			words = words[:n-1]
		}
		p.Tool, p.Args["argv"] = "test", argv(words)
	}
	p.UnknownArgs = slices.ContainsFunc(words[1:], func(w Word) bool { return !w.Known })
	return p
}

func argv(words []Word) []any {
	out := make([]any, 0, len(words)-1)
	for _, w := range words[1:] {
		out = append(out, w.Text)
	}
	return out
}

// A token is a word to be read, or the subcommand that a program's name holds
// (git-push).
type token struct {
	text string
	idx  int
	word Word
}

func (t token) value() Value { return Value{Text: t.text, Word: t.idx} }

// A slot is what the words say about one dest.
type slot struct {
	opt    *Option     // nil for an operand
	pos    *Positional // nil for an option
	set    bool
	on     bool // bool, attached, optional, glued
	n      int  // count
	vals   []Value
	suffix *Value // of attached and optional
}

// A frame is one level of the command: the program, then each subcommand.
type frame struct {
	cmd   *Command
	name  string // as typed
	slots map[string]*slot
	order []string
}

func (f *frame) slot(dest string) *slot {
	s := f.slots[dest]
	if s == nil {
		s = &slot{}
		f.slots[dest] = s
		f.order = append(f.order, dest)
	}
	return s
}

type parser struct {
	words    []Word
	program  string // name of the program's spec
	toks     []token
	frames   []*frame
	tool     string
	peerTool string // what the peer calls it, when it has no spec for it

	peerExtra bool // it keeps the words of that in extra_args
	operands  []token
	after     []token // behind "--", where the command keeps them apart
	extra     []Value // flags no spec declares, then operands no positional takes
	flags     int     // how many of extra are flags
	renewed   []Value // words whose options only we declare, where the peer keeps each as one word
	misread   bool    // a word that the peer reads in another way than it would stay
	ended     bool    // "--" was seen
	missing   bool    // a value or operand is missing
	odd       bool    // a spelling the program refuses
	unspec    bool    // a subcommand without a spec
	dynamic   bool    // the subcommand is not known
	unsure    []string
	maybe     bool // a word may be a flag, or several words
	uploads   []Value
	cuts      []cut // values that the peer reads without the "=" in front
	out       Parsed
}

// A cut is the value of "-d=x" as the peer reads it.
type cut struct{ dest, text string }

func (p *parser) top() *frame { return p.frames[len(p.frames)-1] }

// enter makes c the command whose words come next.
func (p *parser) enter(c *Command, tool, typed string) {
	if p.peerTool == "" && (c.New || slices.Contains(c.NewAliases, typed)) {
		if p.peerTool = p.tool + "_" + Normalize(typed); len(p.frames) == 0 {
			p.peerTool = Normalize(typed)
		} else if !p.frames[0].cmd.New && !peerPlain(typed) {
			p.peerTool, p.peerExtra = p.tool, true // heroku pg:reset
		}
	}
	p.tool = tool
	f := &frame{cmd: c, name: typed, slots: map[string]*slot{}}
	for i := range c.Options {
		o := &c.Options[i]
		f.slot(o.Dest).opt = o
	}
	p.frames = append(p.frames, f)
}

// read goes through the words from left to right.
func (p *parser) read() {
	for len(p.toks) > 0 && !p.unspec && !p.dynamic {
		t, c := p.toks[0], p.top().cmd
		p.toks = p.toks[1:]
		switch {
		case p.ended:
			p.operand(t)
		case t.text == "--":
			p.dashdash(c)
		case t.text == "-" && p.dash() != nil:
			p.flag(t)
		case c.Expression && exprStart(t):
			p.toks = append([]token{t}, p.toks...)
			p.expression()
		case len(t.text) > 1 && t.text[0] == '-' && p.readable(t) && !dashedOperand(c, len(p.operands), t.text):
			p.flag(t)
		case t.word.Open && t.text[0] == '-':
			p.openFlag(t)
		case !p.descend(c, t):
			p.operand(t)
			if c.Posix && (c.AfterDash == "" || !p.dashAhead()) {
				p.ended = true
				if len(p.toks) > 0 && p.toks[0].text == "--" && !words(c) {
					p.toks = p.toks[1:]
				}
			}
		}
	}
}

// words says whether the first operand of c is already one of many words, as of
// echo, where a "--" behind it is one of them.
func words(c *Command) bool {
	return len(c.Positionals) > 0 && c.Positionals[0].Nargs == "*"
}

// dash is the option that a lone "-" is (su -).
func (p *parser) dash() *Option {
	o, _ := p.option("-")
	return o
}

// readable says whether a word that begins with "-" can be read as a flag: one
// that is known, or whose unknown part is the value of an option (--file=$X,
// -o$X).
func (p *parser) readable(t token) bool {
	if !t.word.Open {
		return true
	}
	lit := t.text
	if i := strings.IndexAny(lit, "$`"); i >= 0 {
		lit = lit[:i]
	}
	if name, _, ok := strings.Cut(lit, "="); ok {
		o, _ := p.option(name)
		return o != nil
	}
	if strings.HasPrefix(lit, "--") || p.anyDash() {
		return false
	}
	for _, r := range lit[1:] {
		o, _ := p.option("-" + string(r))
		if o == nil {
			return false
		}
		if o.needs() {
			return true
		}
	}
	return false
}

// openFlag takes a flag whose letters are not all known: those that are count.
func (p *parser) openFlag(t token) {
	p.maybe = true
	p.misread = true
	p.extra = append(p.extra, t.value())
	if strings.HasPrefix(t.text, "--") || p.anyDash() {
		return
	}
	for _, r := range t.text[1:] {
		o, f := p.option("-" + string(r))
		if r == '$' || r == '`' || o == nil || o.needs() {
			return
		}
		p.turnOn(o, f.slot(o.Dest))
	}
}

// dashdash ends the options. Where the command has a field for the words
// behind, they go there.
func (p *parser) dashdash(c *Command) {
	p.ended = true
	if c.AfterDash != "" {
		p.after, p.toks = p.toks, nil
		for _, t := range p.after {
			p.note(t.word, false)
		}
	}
}

func (p *parser) dashAhead() bool {
	return slices.ContainsFunc(p.toks, func(t token) bool { return t.text == "--" })
}

func (p *parser) operand(t token) {
	p.note(t.word, !p.ended)
	p.operands = append(p.operands, t)
}

// note remembers that a word may turn out to be flags: one that begins with an
// unknown part where flags are read, or one that may be split.
func (p *parser) note(w Word, flags bool) {
	if flags && (w.Open || w.Split) {
		p.maybe = true
	}
}

// dashedOperand says whether text is an operand although it begins with "-":
// the mode of "chmod -x f".
func dashedOperand(c *Command, n int, text string) bool {
	if n >= len(c.Positionals) || c.Positionals[n].Dashed == "" || n > 0 {
		return false
	}
	return strings.Trim(text[1:], c.Positionals[n].Dashed) == ""
}

// descend goes on with a subcommand when t names one. It reports false when t
// is an operand.
func (p *parser) descend(c *Command, t token) bool {
	if !c.hasSubs() && c.Any == "" || len(p.operands) > 0 {
		return false
	}
	shape := c.Any
	if shape == "" && c.hasSubs() {
		shape = p.frames[0].cmd.Any
	}
	if !t.word.Known || t.word.Glob {
		if len(c.Positionals) == 0 {
			p.dynamic = true
			return true
		}
		return false
	}
	if sub := c.sub(t.text); sub != nil {
		tool := p.tool + "_" + Normalize(sub.Name)
		if sub.Tool != "" {
			tool = sub.Tool
		}
		p.enter(sub, tool, t.text)
		return true
	}
	if len(c.Positionals) > 0 || !plain(t.text) || !p.frames[0].cmd.New && !peerPlain(t.text) && !strings.Contains(t.text, ":") {
		return false
	}
	if next, ok := p.undeclared(shape, t.text); ok {
		p.enter(next, p.tool+"_"+Normalize(t.text), t.text)
		return true
	}
	p.tool += "_" + Normalize(t.text)
	p.unspec = true
	return true
}

// peerPlain says whether the peer takes a word for the name of a subcommand.
func peerPlain(s string) bool {
	return s != "" && s[0] >= 'a' && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// plain says whether a word can be the name of a subcommand.
func plain(s string) bool {
	if s == "" || s[0] == '-' || s[0] == '.' {
		return false
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == ':', r == '.', r == '+':
		default:
			return false
		}
	}
	return true
}
