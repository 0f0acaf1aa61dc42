package rules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agentltl/agentltl-hook/trace"
)

// maybeWords are said of a refusal that rests on a maybe (rules.md 16).
const maybeWords = "its files, or flags, are known only at run time: name them in the command"

func withMaybe(msg string, e Explanation) string {
	if e.Maybe && msg != "" {
		return msg + "; " + maybeWords
	}
	return msg
}

// callName names a call in a sentence: what was typed, if it was.
func callName(c *trace.Call) string {
	if c.Source != "" && !strings.Contains(c.Source, "\n") && len(c.Source) <= 80 {
		return "`" + c.Source + "`"
	}
	return c.Tool
}

// words says what a target means in a few words, for summaries and refusals:
// tools, then the conditions in brackets.
func (t *target) words() string {
	const enough = 240 // characters; a target of many parts names the first ones
	var out []string
	length := 0
	for i := range t.parts {
		if length > enough || len(out) == 8 {
			out = append(out, fmt.Sprintf("%d more", len(t.parts)-i))
			break
		}
		out = append(out, t.parts[i].words())
		length += len(out[i])
	}
	return list(out, "or")
}

func (p *part) words() string {
	var names []string
	for _, n := range p.tools {
		names = append(names, word(n.name))
	}
	name := list(names, "or")
	switch {
	case len(p.effects) > 0:
		name = "anything that may " + list(p.effects, "or")
	case name == "*":
		name = "any call"
	}
	if conds := p.conditionWords(); len(conds) > 0 {
		name += " (" + strings.Join(conds, ", ") + ")"
	}
	return name
}

func (p *part) conditionWords() []string {
	var out []string
	for _, w := range p.with {
		if w.variable != "" {
			out = append(out, word(w.arg)+"=$"+w.variable)
		} else {
			out = append(out, word(w.arg)+"="+word(plainValue(w.expected)))
		}
	}
	for _, c := range p.where {
		out = append(out, argWords(c.arg)+" like "+patternWords(c.patterns))
	}
	for _, c := range p.each {
		out = append(out, "every "+argWords(c.arg)+" like "+patternWords(c.patterns))
	}
	if p.regex != nil {
		out = append(out, "matching "+strconv.Quote(clip(printable(p.regex.source), 60)))
	}
	if len(p.outside) > 0 {
		out = append(out, "outside "+list(words(p.outside), "and"))
	}
	if len(p.inside) > 0 {
		out = append(out, "inside "+list(words(p.inside), "or"))
	}
	add := func(b *bool, yes, no string) {
		if b != nil && *b {
			out = append(out, yes)
		} else if b != nil {
			out = append(out, no)
		}
	}
	add(p.exists, "existing", "not existing")
	add(p.succeeded, "succeeded", "failed")
	add(p.remote, "on another machine", "here")
	if p.not != nil {
		out = append(out, "but not "+p.not.words())
	}
	return out
}

func argWords(arg string) string {
	if arg == "*" {
		return "any argument"
	}
	return word(arg)
}

// word shows a piece of a rule file inside a sentence of ours: what is more than
// one plain word stands in quotes, cut, so that it cannot pass for our own
// (trust.md 2).
func word(s string) string {
	plain := s != "" && len(s) <= 80 && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r == '"' || r == '\\' || r > '~' && !unicode.IsLetter(r)
	})
	if plain {
		return s
	}
	return strconv.Quote(clip(printable(s), 80))
}

func words(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = word(s)
	}
	return out
}

func patternWords(patterns []string) string {
	if len(patterns) > 4 {
		return strings.Join(words(patterns[:3]), ", ") + fmt.Sprintf(" and %d more", len(patterns)-3)
	}
	return list(words(patterns), "or")
}

func plainValue(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return string(v)
	}
	return trace.Canonical(v)
}

// broken says which part of the target a call meets, and by what.
func (t *target) broken(c *trace.Call, maybe bool) string {
	for want := trace.Yes; want > trace.No; want-- {
		for i := range t.parts {
			p := &t.parts[i]
			if p.match(c, nil, t.ctx) != want {
				continue
			}
			msg := p.words()
			if hits := p.hits(c, t.ctx); len(hits) > 0 {
				msg += "; here " + strings.Join(hits, ", ")
			}
			if maybe || want == trace.Maybe {
				msg += "; " + maybeWords
			}
			return msg
		}
	}
	return t.words()
}

// hits are the arguments of a call that a part's patterns match.
func (p *part) hits(c *trace.Call, ctx *Context) []string {
	var out []string
	for _, v := range p.views(c, ctx) {
		for i := range p.where {
			_, found := p.where[i].match(v)
			for _, s := range found {
				if s = word(clip(s, 120)); !slices.Contains(out, s) && len(out) < 3 {
					out = append(out, s)
				}
			}
		}
	}
	return out
}
