package spec

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// flag reads one word that begins with "-" (shell.md 5.1).
func (p *parser) flag(t token) {
	c := p.top().cmd
	if slices.Contains(c.Derive, "python_module") && (p.isSet("module") || p.isSet("code")) {
		// What stands behind -m and -c belongs to the module or the code. The
		// peer reads its own flags there, too; those it does not know it keeps.
		if o, _ := p.option(t.text); o == nil || o.New {
			p.extra = append(p.extra, t.value())
			return
		}
	}
	if o, f := p.option(t.text); o != nil {
		p.take(o, f, t, t.text)
		return
	}
	if name, val, ok := strings.Cut(t.text, "="); ok {
		if o, f := p.option(name); o != nil {
			p.assign(o, f, t, name, val)
			return
		}
	}
	if n := c.Numeric; n != "" && len(t.text) > 1 && p.numeric(t, n) {
		return
	}
	switch {
	case strings.HasPrefix(t.text, "--"):
		p.long(t)
	case c.AnyDash:
		p.single(t)
	default:
		p.bundle(t)
	}
}

// option finds a declared flag, in the command itself first, then among the
// global options of those above it.
func (p *parser) option(flag string) (*Option, *frame) {
	for i, f := range slices.Backward(p.frames) {
		for j := range f.cmd.Options {
			o := &f.cmd.Options[j]
			if (o.Global || i == len(p.frames)-1) && o.has(flag, p.anyDash()) {
				return o, f
			}
		}
	}
	return nil, nil
}

func (p *parser) anyDash() bool { return p.frames[0].cmd.AnyDash || p.top().cmd.AnyDash }
func (p *parser) abbrev() bool  { return p.frames[0].cmd.Abbrev || p.top().cmd.Abbrev }

func (o *Option) has(flag string, anyDash bool) bool {
	if slices.Contains(o.Flags, flag) {
		return true
	}
	if !anyDash || len(flag) < 3 {
		return false
	}
	bare := strings.TrimLeft(flag, "-")
	return slices.ContainsFunc(o.Flags, func(f string) bool { return strings.TrimLeft(f, "-") == bare })
}

// needs says whether the option takes the next word when nothing is glued on.
func (o *Option) needs() bool {
	switch o.Type {
	case Str, List, Int, Map:
		return true
	default:
		return false
	}
}

// take sets an option whose flag stands alone.
func (p *parser) take(o *Option, f *frame, t token, flag string) {
	s := f.slot(o.Dest)
	if !o.needs() {
		p.turnOn(o, s)
		if o.Type == Attached && len(p.toks) > 0 && p.toks[0].text == "" && p.toks[0].word.Known {
			p.toks = p.toks[1:] // BSD sed -i ''
		}
		if o.Type == Glued && o.Digits && len(p.toks) > 0 && digits(p.toks[0].text) {
			s.vals = []Value{p.toks[0].value()}
			p.toks = p.toks[1:]
		}
		p.renew(o, t.value())
		return
	}
	if len(p.toks) == 0 {
		p.missing = true
		p.extra = append(p.extra, Value{Text: flag, Word: t.idx})
		return
	}
	if o.New {
		p.misread = true
	}
	switch {
	case o.Many:
		p.takeMany(o, s)
		return
	case o.Rest:
		p.takeRest(o, s)
		return
	}
	v := p.toks[0]
	p.toks = p.toks[1:]
	p.ended = p.ended || o.Ends
	if o.Pair && len(p.toks) > 0 {
		p.store(o, s, Value{Text: v.text + "=" + p.toks[0].text, Word: v.idx}, p.toks[0].word)
		p.toks = p.toks[1:]
		return
	}
	p.store(o, s, v.value(), v.word)
}

// takeMany collects the words up to the next option.
func (p *parser) takeMany(o *Option, s *slot) {
	for len(p.toks) > 0 {
		v := p.toks[0]
		if len(v.text) > 1 && v.text[0] == '-' && v.word.Known {
			return
		}
		p.toks = p.toks[1:]
		p.store(o, s, v.value(), v.word)
	}
}

// takeRest gives all words behind to the option.
func (p *parser) takeRest(o *Option, s *slot) {
	rest := p.toks
	p.toks = nil
	if o.Type == List {
		for _, t := range rest {
			p.store(o, s, t.value(), t.word)
		}
		return
	}
	var text []string
	for _, t := range rest {
		text = append(text, t.text)
		p.note(t.word, true)
	}
	p.store(o, s, Value{Text: strings.Join(text, " "), Word: rest[0].idx}, Word{})
}

func (p *parser) turnOn(o *Option, s *slot) {
	s.opt, s.set, s.on = o, true, true
	switch o.Type {
	case Count:
		s.n++
	case Attached, Optional:
		s.suffix = nil
	case Glued:
		s.vals = nil
	case Str, Bool, List, Int, Map:
	}
}

// store keeps a value. The last one counts, except where all are kept.
func (p *parser) store(o *Option, s *slot, v Value, w Word) {
	s.opt, s.set = o, true
	if w.Split {
		p.maybe = true // it may be more words, and those flags
	}
	if o.Type == List || o.Type == Map || o.Role == "cwd" {
		s.vals = append(s.vals, v)
		return
	}
	s.vals = append(s.vals[:0:0], v)
}

// assign reads "flag=value".
func (p *parser) assign(o *Option, f *frame, t token, name, val string) {
	s := f.slot(o.Dest)
	v := Value{Text: val, Word: t.idx}
	short := len(name) == 2
	switch o.Type {
	case Bool, Count:
		if short && p.abbrev() {
			// getopt knows no "=" behind a letter: the rest are more letters.
			p.odd = true
		}
		p.odd = p.odd || p.abbrev()
		s.opt, s.set, s.on = o, true, truth(val)
		if n, err := strconv.Atoi(val); err == nil && o.Type == Count {
			s.n = n
		} else if o.Type == Count && s.on {
			s.n++
		}
	case Attached, Optional:
		p.turnOn(o, s)
		if o.Type == Attached && short {
			v.Text = "=" + v.Text // sed -i=.bak makes f=.bak
		}
		s.suffix = &v
	case Glued:
		p.turnOn(o, s)
		s.vals = []Value{v}
	default:
		if short && p.abbrev() {
			p.getopt(o, f, v)
			return
		}
		p.store(o, s, v, t.word)
	}
	p.renew(o, t.value())
}

// getopt keeps the "=" of "-d=": getopt programs have it in the value. The
// peer cuts it off, and its reading stays as a form.
func (p *parser) getopt(o *Option, f *frame, v Value) {
	p.cuts = append(p.cuts, cut{dest: o.Dest, text: v.Text})
	v.Text = "=" + v.Text
	p.store(o, f.slot(o.Dest), v, Word{})
	if o.New {
		p.misread = true
	}
}

func truth(s string) bool {
	switch strings.ToLower(s) {
	case "false", "0", "no", "off":
		return false
	}
	return true
}

// renew notes a word whose option the peer does not know. It leaves such a
// word as it is, in extra_args.
func (p *parser) renew(o *Option, v Value) {
	if o.New {
		p.renewed = append(p.renewed, v)
	}
}

// long reads "--x" and "--x=v" that no spec declares as such: a negation, an
// abbreviation, else extra.
func (p *parser) long(t token) {
	name, val, hasVal := strings.Cut(t.text, "=")
	if o, f := p.negated(name); o != nil && !hasVal {
		s := f.slot(o.Dest)
		s.opt, s.set, s.on, s.n, s.suffix = o, true, false, 0, nil
		p.renewed = append(p.renewed, t.value())
		return
	}
	if cands := p.abbreviated(name); len(cands) == 1 {
		o, f := cands[0].o, cands[0].f
		if hasVal {
			p.assign(o, f, t, "--"+o.Dest, val)
		} else {
			p.take(o, f, t, t.text)
		}
		p.misread = true
		return
	} else if len(cands) > 1 {
		for _, c := range cands {
			p.unsure = append(p.unsure, c.o.Dest)
		}
	}
	if p.openField(t, name, val, hasVal) {
		return
	}
	p.extra = append(p.extra, t.value())
}

// negated finds the boolean X of "--no-X".
func (p *parser) negated(name string) (*Option, *frame) {
	if !p.frames[0].cmd.Negations && !p.top().cmd.Negations || !strings.HasPrefix(name, "--no-") {
		return nil, nil
	}
	o, f := p.option("--" + name[len("--no-"):])
	if o == nil || o.needs() {
		return nil, nil
	}
	return o, f
}

type candidate struct {
	o *Option
	f *frame
}

// abbreviated lists the options a long flag may be the beginning of.
func (p *parser) abbreviated(name string) (out []candidate) {
	if !p.abbrev() || len(name) < 3 {
		return nil
	}
	for i, f := range slices.Backward(p.frames) {
		for j := range f.cmd.Options {
			o := &f.cmd.Options[j]
			if (o.Global || i == len(p.frames)-1) && slices.ContainsFunc(o.Flags, func(x string) bool { return strings.HasPrefix(x, name) }) {
				out = append(out, candidate{o, f})
			}
		}
	}
	return out
}

// single reads "-x" of a program that has no bundles: a value may be glued to a
// letter (java -Dx=y).
func (p *parser) single(t token) {
	if o, f := p.option(t.text[:2]); o != nil && o.needs() && len(t.text) > 2 {
		p.store(o, f.slot(o.Dest), Value{Text: t.text[2:], Word: t.idx}, t.word)
		p.renew(o, t.value())
		return
	}
	p.extra = append(p.extra, t.value())
}

// numeric reads "-20" and "-20f", and for signals "-TERM".
func (p *parser) numeric(t token, dest string) bool {
	o, f := p.byDest(dest)
	if o == nil {
		return false
	}
	s := f.slot(dest)
	body := t.text[1:]
	n := 0
	for n < len(body) && body[n] >= '0' && body[n] <= '9' {
		n++
	}
	if dest == "signal" {
		// A second number is a process group: kill -9 -1.
		if s.set {
			if n == len(body) {
				p.operand(t)
				return true
			}
			return false
		}
		if n < len(body) && strings.ToUpper(body) == body && len(body) > 2 && plain(body) {
			n = len(body)
		}
	}
	if n == 0 {
		return false
	}
	p.store(o, s, Value{Text: body[:n], Word: t.idx}, t.word)
	p.misread = true
	if rest := body[n:]; rest != "" {
		p.bundle(token{text: "-" + rest, idx: t.idx, word: t.word})
	}
	return true
}

func (p *parser) byDest(dest string) (*Option, *frame) {
	f := p.top()
	for i := range f.cmd.Options {
		if f.cmd.Options[i].Dest == dest {
			return &f.cmd.Options[i], f
		}
	}
	return nil, nil
}

// bundle reads "-abc" letter by letter. A letter with a value takes the rest,
// or the next word. A letter no spec declares does not hide the others, unless
// one with a value follows it: then the rest may be its value.
func (p *parser) bundle(t token) {
	body := t.text[1:]
	var unknown []string
	known := false
	if p.unknownToPeer(body) {
		p.renewed = append(p.renewed, t.value())
		for _, r := range body {
			o, f := p.option("-" + string(r))
			p.turnOn(o, f.slot(o.Dest))
		}
		return
	}
	for body != "" {
		_, w := utf8.DecodeRuneInString(body)
		letter := body[:w]
		o, f := p.option("-" + letter)
		body = body[w:]
		if o == nil {
			unknown = append(unknown, "-"+letter)
			continue
		}
		if o.needs() && len(unknown) > 0 {
			unknown = append(unknown, "-"+letter+body)
			break
		}
		known = true
		if o.New {
			p.misread = true
		}
		body = body[p.letter(o, f, t, letter, body):]
	}
	switch {
	case len(unknown) == 0:
	case !known:
		p.extra = append(p.extra, t.value())
	default:
		p.misread = true
		for _, u := range unknown {
			p.extra = append(p.extra, Value{Text: u, Word: t.idx})
		}
	}
}

// unknownToPeer says whether the letters of a bundle are options without values
// that the peer does not know: it keeps the word.
func (p *parser) unknownToPeer(body string) bool {
	for _, r := range body {
		o, _ := p.option("-" + string(r))
		if o == nil || !o.New || o.Type != Bool && o.Type != Count && o.Type != Optional {
			return false
		}
	}
	return true
}

// letter sets one letter of a bundle and reports how much of the rest it took.
func (p *parser) letter(o *Option, f *frame, t token, letter, rest string) int {
	s, all := f.slot(o.Dest), len(rest)
	switch {
	case o.Type == Bool || o.Type == Count || o.Type == Optional:
		p.turnOn(o, s)
		return 0
	case o.Type == Attached && o.Digits:
		p.turnOn(o, s)
		n := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if n > 0 {
			s.suffix = &Value{Text: rest[:n], Word: t.idx}
		}
		return n
	case !o.needs() && rest != "":
		p.turnOn(o, s)
		v := Value{Text: strings.TrimPrefix(rest, "="), Word: t.idx}
		if o.Type == Glued {
			s.vals = []Value{v}
		} else {
			s.suffix = &v
		}
		return all
	case o.needs() && rest != "":
		if !p.abbrev() {
			rest = strings.TrimPrefix(rest, "=")
		}
		p.store(o, s, Value{Text: rest, Word: t.idx}, t.word)
		return all
	default:
		p.take(o, f, t, "-"+letter)
		return all
	}
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// oldBundle reads a first word without a dash as a bundle, whose letters take
// their values from the words behind it in turn: tar cfz a.tgz d, ps aux.
func (p *parser) oldBundle() {
	if !p.top().cmd.OldBundle || len(p.toks) == 0 {
		return
	}
	t := p.toks[0]
	if t.text == "" || t.text[0] == '-' || !t.word.Known || t.word.Glob {
		return
	}
	for _, r := range t.text {
		if o, _ := p.bare(r); o == nil {
			return
		}
	}
	p.toks = p.toks[1:]
	p.misread = true
	for _, r := range t.text {
		o, f := p.bare(r)
		p.take(o, f, t, "-"+string(r))
	}
}

// bare finds the option of a letter in a word without a dash: its own ("u" of
// ps), else the one with a dash.
func (p *parser) bare(letter rune) (*Option, *frame) {
	if o, f := p.option(string(letter)); o != nil {
		return o, f
	}
	return p.option("-" + string(letter))
}
