package spec

import "github.com/agentltl/agentltl-hook/trace"

// WithBeside returns the set with specs added whose commands already have one
// that rules of a higher layer depend on: they give the primary reading, and the
// reading without them stays beside it as another form of the call ([Set.Beside]),
// so that an added option that swallows an operand hides nothing (trust.md 3).
func (s *Set) WithBeside(own []*Command) *Set {
	if len(own) == 0 {
		return s
	}
	out := s.With(own)
	out.base = s
	return out
}

// Beside is the reading without the specs of [Set.WithBeside], if it differs
// from that of [Set.Parse]. Its paths are finished like those of any reading;
// its tool and arguments are then one more form of the call.
func (s *Set) Beside(words []Word) (Parsed, bool) {
	if s.base == nil || s.same(words[0].Text) {
		return Parsed{}, false
	}
	p, q := s.Parse(words), s.base.parse(words)
	if p.Tool == q.Tool && trace.Equal(map[string]any(p.Args), map[string]any(q.Args)) {
		return Parsed{}, false
	}
	return q, true
}

// same says whether a program has the same spec with and without the added ones.
func (s *Set) same(program string) bool {
	f, ok1 := s.find(program)
	g, ok2 := s.base.find(program)
	return ok1 == ok2 && f.command == g.command && f.tool == g.tool
}
