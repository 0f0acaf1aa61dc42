package guard

import (
	"fmt"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/rules"
)

// A Message is a decision in words (rules.md 16).
type Message struct {
	Reason  string // to the agent; of a question: to the user
	Notice  string // one line to the user
	Context string // to the agent beside the answer
}

// A Wording says for whom a decision is worded.
type Wording struct {
	Program  string   // how a command of ours is called: "agentltl-hook"
	NoAsk    bool     // the harness cannot ask: a question is a refusal that tells how to put it
	Alone    bool     // nobody can answer: a question is a refusal
	Problems []string // file:line: text of a broken rule file whose last good rules are in force
	Rules    []string // ids of rules about commands, for a line that was not read
}

// Words tells what was decided. An allow has words only where something is to be
// told.
func (d *Decision) Words(w Wording) Message {
	if w.Program == "" {
		w.Program = "agentltl-hook"
	}
	b := &wordBuilder{w: w, d: d, left: maxTexts}
	var m Message
	switch {
	case d.Latched:
		m.Reason = b.latched()
		if d.ID != "" {
			m.Reason += fmt.Sprintf("\nexplain: %s explain %s", w.Program, d.ID)
		}
		return m
	case d.Action == Allow:
		m.Context = b.told()
	case d.ByUnread:
		m = b.unread()
		m.Context = b.told()
	case d.Action == Ask && !w.Alone && !w.NoAsk:
		m.Reason = b.question()
		m.Context = join(b.told(), b.asked())
	default:
		m.Reason = b.refusal()
		if d.Action != Stop { // all that is left to a stopped agent is to end its turn
			m.Context = b.told()
		}
	}
	if d.Action != Allow {
		if len(w.Problems) > 0 {
			m.Reason += "\nRule files with problems (the last rules of them that loaded are in force):\n  " + strings.Join(w.Problems, "\n  ")
		}
		if d.ID != "" {
			m.Reason += fmt.Sprintf("\nexplain: %s explain %s", w.Program, d.ID)
		}
		m.Notice = b.line()
	}
	if n := b.exceptions(); n != "" {
		m.Notice = join(m.Notice, n)
	}
	return m
}

// A wordBuilder writes one answer; left is how many characters of a repository's
// own words may still come.
type wordBuilder struct {
	w    Wording
	d    *Decision
	left int
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// segment is the part of the line that a violation is about.
func (b *wordBuilder) segment(v *Violation) string {
	if v.Call < len(b.d.Chain) {
		return describe(&b.d.Chain[v.Call])
	}
	return ""
}

// unknownFiles says whether the call has words that only the shell knows when it
// runs: then a maybe is about them, else about how an earlier call ended.
func (b *wordBuilder) unknownFiles(v *Violation) bool {
	if v.Call >= len(b.d.Chain) {
		return false
	}
	c := b.d.Chain[v.Call].CLI
	return c != nil && (c.AllPathsUnknown || c.UnknownArgs || len(c.UnknownPaths) > 0 || len(c.Fields) > 0 || len(c.DynamicArgs) > 0)
}

// facts lists what is known about one violation, a line each.
func (b *wordBuilder) facts(s *strings.Builder, v *Violation) {
	r := v.Rule
	if r.Why != "" && !foreign(r) {
		fmt.Fprintf(s, "Why: %s\n", cutText(r.Why))
	}
	if v.Problem != "" {
		fmt.Fprintf(s, "What breaks it: %s\n", cut(Clean(v.Problem), maxWhy))
	}
	if seg := b.segment(v); seg != "" && len(b.d.Chain) > 1 && !strings.Contains(v.Problem, seg) {
		fmt.Fprintf(s, "In the line: %s\n", seg)
	}
	if v.InFlight != "" {
		fmt.Fprintf(s, "Only because %s has not ended yet: try again when it has.\n", v.InFlight)
	}
	if v.Maybe && b.unknownFiles(v) && !strings.Contains(v.Problem, "run time") {
		s.WriteString("Which files this touches is known only at run time: name them in the command.\n")
	}
	if v.Pruned > 0 {
		fmt.Fprintf(s, "Judged on the calls that are kept: %d earlier ones were pruned before this rule came.\n", v.Pruned)
	}
	if v.RetryAfter > 0 {
		fmt.Fprintf(s, "It may run in %s.\n", seconds(v.RetryAfter))
	}
	b.advice(s, v)
}

// advice is how to comply: the rule's own fix, or the suggestion; of a
// repository's rule both why and fix stand behind words that say whose they are.
func (b *wordBuilder) advice(s *strings.Builder, v *Violation) {
	r := v.Rule
	if foreign(r) {
		b.quote(s, r)
	} else if r.Fix != "" {
		fmt.Fprintf(s, "What to do: %s\n", cutText(r.Fix))
	}
	if len(v.Comply) > 0 {
		s.WriteString(complies)
		for _, step := range v.Comply {
			fmt.Fprintf(s, "  %s\n", Clean(step))
		}
	}
}

// complies stands before the calls, a line each, after which a refused one passes.
const complies = "It would pass after:\n"

// quote gives a repository's own words, cut and cleaned, as its words.
func (b *wordBuilder) quote(s *strings.Builder, r *rules.Rule) {
	if r.Why == "" && r.Fix == "" {
		return
	}
	s.WriteString("This repository's AGENTLTL.yaml says:\n")
	for _, x := range []struct{ name, text string }{{"why", r.Why}, {"fix", r.Fix}} {
		text := cut(cutText(x.text), max(1, b.left))
		if x.text == "" || b.left <= 0 {
			continue
		}
		b.left -= len([]rune(text))
		fmt.Fprintf(s, "  %s: %s\n", x.name, strings.ReplaceAll(text, "\n", "\n  "))
	}
}

func seconds(ns int64) string {
	d := time.Duration(ns)
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// refusal is the answer to the agent whose call does not run.
func (b *wordBuilder) refusal() string {
	d := b.d
	v := &d.Broken[0]
	var s strings.Builder
	fmt.Fprintf(&s, "%s refused this call (mode %s). Nothing ran.\n", Name(v.Rule.ID), v.Rule.Mode)
	b.facts(&s, v)
	s.WriteString(b.terms(v))
	for i := range d.Broken[1:] {
		b.also(&s, &d.Broken[i+1])
	}
	return strings.TrimRight(s.String(), "\n")
}

// also names a further broken rule of the same mode.
func (b *wordBuilder) also(s *strings.Builder, v *Violation) {
	fmt.Fprintf(s, "Also broken: %s", Name(v.Rule.ID))
	if v.Problem != "" {
		fmt.Fprintf(s, ": %s", cut(Clean(v.Problem), maxWhy))
	}
	s.WriteString("\n")
	if !foreign(v.Rule) && v.Rule.Why != "" {
		fmt.Fprintf(s, "Why: %s\n", cutText(v.Rule.Why))
	}
	b.advice(s, v)
}

// terms says what a mode leaves open after a refusal.
func (b *wordBuilder) terms(v *Violation) string {
	d := b.d
	switch {
	case d.Action == Stop:
		return "All calls are now refused until the user writes. Explain what happened and end your turn.\n"
	case d.Action == Ask && b.w.Alone:
		return "The rule wants the user asked, and nobody can answer here. Do not work around it; leave it for the user.\n"
	case d.Action == Ask:
		return "The rule wants the user asked. Put the question to the user and end your turn; after the user's answer, exactly this call passes once.\n"
	case v.Mode == rules.Warn:
		return "If it is right all the same, make exactly this call again as your next one: it will pass once.\n"
	case v.Mode == rules.Retry:
		return fmt.Sprintf("This was try %d of %d; at try %d the user is asked.\n", d.Try, d.Limit, d.Limit)
	default:
		return "It cannot be overridden: satisfy the rule, or tell the user. Do not work around it.\n"
	}
}

// question is what the user is asked.
func (b *wordBuilder) question() string {
	d := b.d
	v := &d.Broken[0]
	var s strings.Builder
	fmt.Fprintf(&s, "%s wants you asked about this call.\n", Name(v.Rule.ID))
	if seg := b.segment(v); seg != "" && !strings.Contains(v.Problem, seg) {
		fmt.Fprintf(&s, "Call: %s\n", seg)
	}
	b.facts(&s, v)
	if d.Escalated {
		fmt.Fprintf(&s, "The agent was refused before: %d of %d tries.\n", max(0, d.Try-1), d.Limit)
	}
	for i := range d.Broken[1:] {
		b.also(&s, &d.Broken[i+1])
	}
	s.WriteString("Let it run?")
	return s.String()
}

// asked is the side note to the agent when the user is asked.
func (b *wordBuilder) asked() string {
	return fmt.Sprintf("The user was asked about this call because of %s. If the answer is no, do not retry it and do not work around it.", Name(b.d.Broken[0].Rule.ID))
}

// latched is the answer to every call of a stopped session.
func (b *wordBuilder) latched() string {
	r := b.d.Broken[0].Rule
	var s strings.Builder
	fmt.Fprintf(&s, "%s stopped this session. All calls are refused until the user writes. Explain what happened and end your turn.", Name(r.ID))
	if r.Why != "" && !foreign(r) {
		fmt.Fprintf(&s, "\nWhy: %s", cutText(r.Why))
	}
	return s.String()
}

// unread is the answer about a line with parts that could not be read.
func (b *wordBuilder) unread() Message {
	d := b.d
	var s strings.Builder
	if d.Action == Ask && !b.w.NoAsk && !b.w.Alone {
		s.WriteString("This command line could not be read in full, so the rules could not judge all of it.\n")
	} else {
		s.WriteString("This command line could not be read in full, so it was refused. Nothing ran.\n")
	}
	b.parts(&s)
	if len(b.w.Rules) > 0 {
		fmt.Fprintf(&s, "Rules that could not be checked: %s\n", names(b.w.Rules))
	}
	switch {
	case d.Action == Ask && !b.w.NoAsk && !b.w.Alone:
		s.WriteString("Let it run?")
	case d.Action == Ask && !b.w.Alone:
		s.WriteString("Write it plainly, or put the question to the user and end your turn; after the user's answer, exactly this call passes once.")
	default:
		s.WriteString("Write it plainly.")
	}
	return Message{Reason: s.String()}
}

// parts lists the unread parts of the line.
func (b *wordBuilder) parts(s *strings.Builder) {
	for i, u := range b.d.Unread {
		if i == 5 {
			fmt.Fprintf(s, "  and %d more\n", len(b.d.Unread)-i)
			break
		}
		fmt.Fprintf(s, "  %s: %s", u.Code, oneLine(u.Reason))
		if u.Source != "" {
			fmt.Fprintf(s, " [%s]", cut(oneLine(u.Source), 120))
		}
		s.WriteString("\n")
	}
}

func names(ids []string) string {
	const most = 12
	var out []string
	for i, id := range ids {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(ids)-most))
			break
		}
		out = append(out, Name(id))
	}
	return strings.Join(out, ", ")
}

// told is what the agent is told beside the answer: notes of rules that only
// note, and of an unread line that goes ahead.
func (b *wordBuilder) told() string {
	var s strings.Builder
	for i := range b.d.Notes {
		v := &b.d.Notes[i]
		fmt.Fprintf(&s, "Note from %s", Name(v.Rule.ID))
		if v.Problem != "" {
			fmt.Fprintf(&s, ": %s", cut(Clean(v.Problem), maxWhy))
		}
		s.WriteString("\n")
		if v.Maybe && b.unknownFiles(v) && !strings.Contains(v.Problem, "run time") {
			s.WriteString("Which files this touches is known only at run time.\n")
		}
		if v.Rule.Why != "" && !foreign(v.Rule) {
			fmt.Fprintf(&s, "Why: %s\n", cutText(v.Rule.Why))
		}
		b.advice(&s, v)
	}
	if b.d.Action == Allow && len(b.d.Unread) > 0 {
		s.WriteString("This command line could not be read in full and goes ahead unchecked in part:\n")
		b.parts(&s)
	}
	return strings.TrimRight(s.String(), "\n")
}

// line is the one line for the person beside a refusal.
func (b *wordBuilder) line() string {
	d := b.d
	verb := "refused"
	switch d.Action {
	case Ask:
		verb = "asks about"
		if b.w.Alone || b.w.NoAsk {
			verb = "wants you asked about"
		}
	case Stop:
		verb = "stopped the agent at"
	case Allow, Deny:
	}
	who, what := "a line that could not be read", ""
	if len(d.Broken) > 0 {
		who = Name(d.Broken[0].Rule.ID)
		what = b.segment(&d.Broken[0])
	} else if len(d.Chain) > 0 {
		c := &d.Chain[len(d.Chain)-1]
		what = cut(oneLine(c.Source), 120)
		who = "the setting for unread lines"
	}
	s := fmt.Sprintf("agentltl: %s %s %s", who, verb, cut(oneLine(what), 120))
	if d.ID != "" {
		s += fmt.Sprintf("; %s explain %s", b.w.Program, d.ID)
	}
	return s
}

// exceptions tells the person that an exception was used.
func (b *wordBuilder) exceptions() string {
	if b.d.Action != Allow || len(b.d.Excepted) == 0 {
		return ""
	}
	how := "by an exception of its file"
	if len(b.d.Exceptions) > 0 {
		how = fmt.Sprintf("by exception %d", b.d.Exceptions[0])
	}
	return fmt.Sprintf("agentltl: %s let this call pass %s", names(b.d.Excepted), how)
}
