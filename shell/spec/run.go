package spec

import "strings"

// runs lists what the words make the command run: entries of run, and options
// and operands with the roles line and argv.
func (p *parser) runs() {
	c := p.top().cmd
	for _, r := range c.Run {
		if !p.holds(r.When) {
			continue
		}
		run := Run{Kind: r.Kind, Remote: r.Remote, Wrapper: r.Wrapper, Repeated: r.Repeated, Conditional: r.Conditional}
		if run.Wrapper == "" {
			run.Wrapper = p.wrapper()
		}
		each := false // the values of an option are lines of their own, operands make one
		if r.From == "argv" {
			run.Words = p.rest()
		} else if s := p.lookup(r.From); s != nil && s.set {
			run.Words, each = s.vals, s.opt != nil
		}
		if s := p.lookup(r.Program); s != nil && s.set && len(s.vals) > 0 {
			run.Words = append(fieldsOf(s.vals[len(s.vals)-1]), run.Words...)
		}
		if len(run.Words) == 0 {
			continue
		}
		if r.Kind == "line" && each {
			for _, w := range run.Words {
				one := run
				one.Words = []Value{w}
				p.out.Run = append(p.out.Run, one)
			}
			continue
		}
		p.out.Run = append(p.out.Run, run)
	}
	for _, f := range p.frames {
		for i := range f.cmd.Options {
			o := &f.cmd.Options[i]
			if o.Role != "line" {
				continue
			}
			for _, v := range f.many(o.Dest) {
				w := o.Wrapper
				if w == "" {
					w = p.wrapper()
				}
				p.out.Run = append(p.out.Run, Run{Kind: "line", Words: []Value{v}, Wrapper: w, Conditional: true})
			}
		}
	}
}

// fieldsOf splits a value at blanks.
func fieldsOf(v Value) (out []Value) {
	for text := range strings.FieldsSeq(v.Text) {
		out = append(out, Value{Text: text, Word: v.Word})
	}
	return out
}

// wrapper names the command as cli.wrapper does: "docker exec".
func (p *parser) wrapper() string {
	var parts []string
	for i, f := range p.frames {
		name := f.cmd.Name
		if i == 0 {
			name = p.program
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, " ")
}

// rest is the words behind the command's own options: for a wrapper that a rule
// file declares with "run: {from: argv}".
func (p *parser) rest() []Value {
	var out []Value
	for _, t := range p.operands {
		out = append(out, t.value())
	}
	for _, t := range p.after {
		out = append(out, t.value())
	}
	return out
}
