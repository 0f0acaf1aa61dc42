package guard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/trace"
)

// Bounds of a rule file's own words in an answer (trust.md 2).
const (
	maxWhy   = 1000 // characters of a why or fix
	maxLines = 20   // lines of one
	maxID    = 100  // characters of an id
	maxTexts = 3000 // characters of all such words in one answer
)

// Clean takes out of a rule file's words what could act on a terminal or hide
// text: control characters except newline and tab, bidirectional overrides,
// zero-width and tag characters.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r),
			r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F,
			r == 0xFEFF, r == 0x00AD, r == 0x061C, r == 0x180E,
			r >= 0xE0000 && r <= 0xE0FFF:
			return -1
		}
		return r
	}, s)
}

// cut shortens a text to a number of characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:n-1]) + "…"
}

// cutText is a rule's why or fix as an answer shows it.
func cutText(s string) string {
	s = cut(strings.TrimSpace(Clean(s)), maxWhy)
	if lines := strings.Split(s, "\n"); len(lines) > maxLines {
		s = strings.Join(lines[:maxLines], "\n") + "\n…"
	}
	return s
}

// Name is a rule's id as our sentences show it: plain when it is a plain word,
// else quoted.
func Name(id string) string {
	id = cut(Clean(id), maxID)
	if strings.IndexFunc(id, func(r rune) bool { return !plainRune(r, "-_.:@/") }) >= 0 {
		return fmt.Sprintf("%q", id)
	}
	return id
}

// plainRune says whether a character is a letter or digit of ASCII or one of
// more.
func plainRune(r rune, more string) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(more, r)
}

// foreign says whether a rule's words are the repository's and not ours, the
// person's or the administrator's.
func foreign(r *rules.Rule) bool {
	return (r.Layer == rules.ProjectFile || r.Layer == rules.Nested) && !strings.HasPrefix(r.Source, "library:")
}

// describe names a call in few words: its text in the line, or tool and arguments.
func describe(c *trace.Call) string {
	if c.CLI != nil && c.CLI.Source != "" {
		return cut(oneLine(c.CLI.Source), 200)
	}
	if c.Source != "" && c.CLI != nil {
		return cut(oneLine(c.Source), 200)
	}
	return cut(c.Tool+describeArgs(c.Args), 200)
}

func describeArgs(a trace.Args) string {
	keys := make([]string, 0, len(a))
	for k := range a {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var b strings.Builder
	for _, k := range keys {
		v := a[k]
		if v == nil || v == false || v == "" {
			continue
		}
		if l, ok := v.([]any); ok && len(l) == 0 {
			continue
		}
		fmt.Fprintf(&b, " %s=%s", k, cut(valueText(v), 60))
	}
	return b.String()
}

// valueText prints a value as a person would write it.
func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return oneLine(v)
	case json.Number:
		return string(v)
	default:
		return trace.Canonical(v)
	}
}

// oneLine puts a text on a line; of a very long one its beginning.
func oneLine(s string) string {
	const most = 4 << 10
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.Join(strings.Fields(Clean(s)), " ")
}

// problem says what in a call breaks a rule: the kind's own words, else the
// contract's, else the formula.
func (c *check) problem(f *finding) string {
	if what := builtinProblem(f.rule); what != "" {
		return fmt.Sprintf("`%s` %s", describe(&c.chain[f.call]), what)
	}
	if f.rule.Explain != nil {
		if s := f.rule.Explain(c.explanation(f)); s != "" {
			return s
		}
	}
	if f.fault.problem != "" {
		return f.fault.problem
	}
	call := describe(&c.chain[f.call])
	if f.rule.Formula != nil {
		may := ""
		if f.fault.maybe {
			may = "may "
			return fmt.Sprintf("%s %sbreak %s", call, may, f.rule.Formula)
		}
		return fmt.Sprintf("%s breaks %s", call, f.rule.Formula)
	}
	return call + " is not allowed"
}

// builtinProblem says what a call that a built-in rule refuses does: their
// targets are long lists, their meaning is short.
func builtinProblem(r *rules.Rule) string {
	if r.Layer != rules.BuiltIn {
		return ""
	}
	switch r.ID {
	case ProtectGuard:
		return "would change the guard's own files, its registration or its settings"
	case MemoryFirst:
		return "writes into the agent's own instructions"
	case NoUnguarded:
		return "starts or steers a subagent whose calls no rule sees"
	}
	return ""
}

// explanation is what a kind gets to word a finding.
func (c *check) explanation(f *finding) rules.Explanation {
	return rules.Explanation{
		Call: c.chain[f.call],
		Earlier: func() []trace.Call {
			var calls []trace.Call
			may := func(tool string) bool { return reacts(f.rule, []string{tool}) }
			for _, x := range c.tx.Calls(f.scope, c.tx.First(f.scope), may) {
				calls = append(calls, x)
			}
			return append(calls, c.chain[:f.call]...)
		},
		First:   c.tx.First(f.scope),
		Maybe:   f.fault.maybe,
		Witness: f.fault.witness,
		Problem: f.fault.problem,
	}
}

// RuleLine is a rule in an announcement: id, mode, scope, what it says and why.
func RuleLine(l *rules.Listed) string {
	what := l.Mode.String()
	if l.Finally {
		what = "at turn end"
	}
	if l.Scope == rules.Project {
		what += ", whole project"
	}
	if l.Shadow {
		what += ", shadow"
	}
	if l.Layer == rules.BuiltIn {
		return fmt.Sprintf("- %s (%s, built-in): %s\n", Name(l.ID), what, l.Why)
	}
	s := fmt.Sprintf("- %s (%s): %s", Name(l.ID), what, cut(oneLine(l.Summary), 300))
	if l.Why != "" {
		s += " Why: " + cut(oneLine(l.Why), 300)
	}
	return s + "\n"
}

// Commands says whether a rule speaks of more than the tools of the harness, so
// that a line which was not read may have broken it.
func Commands(l *rules.Listed) bool {
	if l.Finally || l.Layer == rules.BuiltIn {
		return false
	}
	return l.Tools == nil || slices.ContainsFunc(l.Tools, func(t string) bool { return !isNative(t) })
}
