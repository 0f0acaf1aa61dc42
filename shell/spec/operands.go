package spec

import "slices"

// expr says whether a word belongs to an expression of find.
func exprWord(s string) bool {
	switch s {
	case "(", ")", "!", ",":
		return true
	}
	return false
}

func exprStart(t token) bool {
	return t.word.Known && (len(t.text) > 1 && t.text[0] == '-' || t.text == "(" || t.text == "!")
}

// expression reads the rest as an expression: after its first word there are
// no operands any more (find).
func (p *parser) expression() {
	for len(p.toks) > 0 {
		t := p.toks[0]
		p.toks = p.toks[1:]
		o, f := p.option(t.text)
		switch {
		case exprWord(t.text):
			p.misread = true
		case o != nil && o.Role == "argv":
			p.until(o, f.slot(o.Dest))
		case o != nil && o.Type == Bool && o.Global:
			// -H -L -P stand before the paths: the expression has not begun.
			p.turnOn(o, f.slot(o.Dest))
			return
		case o != nil:
			p.take(o, f, t, t.text)
		default:
			p.note(t.word, true)
			p.extra = append(p.extra, t.value())
		}
	}
}

// until collects a command up to ";" or "+" behind a "{}" into one value.
func (p *parser) until(o *Option, s *slot) {
	text, idx := "", -1
	for i, t := range p.toks {
		if i > 0 {
			text += " "
		} else {
			idx = t.idx
		}
		text += t.text
		if t.text == ";" || t.text == "+" && i > 0 && p.toks[i-1].text == "{}" {
			p.toks = p.toks[i+1:]
			p.store(o, s, Value{Text: text, Word: idx}, Word{Known: true})
			return
		}
	}
	p.toks = nil
	p.missing = true
	p.store(o, s, Value{Text: text, Word: idx}, Word{Known: true})
}

// assignOperands gives the operands to the positionals: a greedy match from the
// left that keeps one for each required positional to come.
func (p *parser) assignOperands() {
	f := p.top()
	if f.cmd.KeyValue {
		p.keyValues(f)
		return
	}
	pos := p.positionals(f)
	rest := p.operands
	for i, q := range pos {
		later := 0
		for _, r := range pos[i+1:] {
			if r.required() {
				later++
			}
		}
		n := 0
		switch q.Nargs {
		case "", "?":
			n = min(1, len(rest)-later)
		default:
			n = len(rest) - later
		}
		if q.required() && n < 1 {
			if n = min(1, len(rest)); n == 0 {
				p.missing = true
			}
		}
		n = max(n, 0)
		s := f.slot(q.Name)
		if s.opt != nil && n == 0 && q.Nargs != "*" {
			continue // an option of the same name: mysql -D d
		}
		if s.opt != nil {
			s.vals = nil // the operand wins: mysql -D d e
		}
		s.pos, s.opt = q, nil
		for _, t := range rest[:n] {
			if len(q.Choices) > 0 && !slices.Contains(q.Choices, t.text) {
				p.odd, p.missing = true, true
			}
			s.set = true
			s.vals = append(s.vals, t.value())
		}
		rest = rest[n:]
	}
	p.operands = rest
	p.assignAfter(f)
}

// assignAfter puts the words behind "--" into their field, after those that an
// operand of the same name has.
func (p *parser) assignAfter(f *frame) {
	if len(p.after) == 0 && (!p.ended || f.cmd.AfterDash == "" || f.cmd.AfterNew) {
		return
	}
	s := f.slot(f.cmd.AfterDash)
	if s.pos == nil {
		s.pos, s.opt = &Positional{Name: f.cmd.AfterDash, Nargs: "*"}, nil
	}
	s.set = true
	for _, t := range p.after {
		s.vals = append(s.vals, t.value())
	}
}

func (q *Positional) required() bool { return q.Nargs == "" || q.Nargs == "+" }

// positionals lists those in force: "unless" takes some away.
func (p *parser) positionals(f *frame) (out []*Positional) {
	for i := range f.cmd.Positionals {
		q := &f.cmd.Positionals[i]
		if !slices.ContainsFunc(q.Unless, p.isSet) {
			out = append(out, q)
		}
	}
	return out
}

func (p *parser) isSet(dest string) bool {
	for _, f := range slices.Backward(p.frames) {
		if s := f.slots[dest]; s != nil && s.set {
			return s.opt == nil || s.opt.needs() || s.on
		}
	}
	return false
}

// keyValues reads dd's operands.
func (p *parser) keyValues(f *frame) {
	var rest []token
	for _, t := range p.operands {
		k, v, ok := cutKey(t.text)
		if !ok {
			rest = append(rest, t)
			continue
		}
		s := f.slot(k)
		s.pos, s.set = &Positional{Name: k}, true
		s.vals = []Value{{Text: v, Word: t.idx}}
	}
	p.operands = rest
}

func cutKey(s string) (k, v string, ok bool) {
	for i, r := range s {
		switch {
		case r == '=' && i > 0:
			return s[:i], s[i+1:], true
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r >= '0' && r <= '9' && i > 0:
		default:
			return "", "", false
		}
	}
	return "", "", false
}
