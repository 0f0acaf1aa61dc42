package hooks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
)

// announcement is what the agent is told about the rules in force, and what the
// person is told about the files (rules.md 13, trust.md 2).
func (r *run) announcement(m *state.Memory) (text, notice string) {
	s := r.set.Settings()
	list := r.listed()
	if s.Announce && len(list) > 0 {
		text = announce(list, s.AnnounceMax)
	}
	for _, b := range r.broken() {
		text, notice = join(text, brokenText(b)), join(notice, "agentltl: "+brokenText(b))
	}
	for _, n := range r.notices() {
		if n.Agent {
			text = join(text, guard.Clean(n.Text))
		}
		if n.Code == "weakened" || n.Code == "managed-owner" || told(m, "notice "+n.Path+" "+n.Text, "yes") {
			text := guard.Clean(n.Text)
			if n.Code == "weakened" {
				text = "the project's AGENTLTL.yaml: " + text
			}
			notice = join(notice, "agentltl: "+text)
		}
	}
	return text, notice
}

func (r *run) notices() []rules.Notice {
	return append(slices.Clone(r.found.Notices), r.set.Told()...)
}

// announce lists the rules, the strongest modes first, as many as fit.
func announce(list []rules.Listed, limit int) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b rules.Listed) int { return cmp.Compare(b.Mode, a.Mode) })
	n := "1 rule is"
	if len(list) != 1 {
		n = fmt.Sprintf("%d rules are", len(list))
	}
	head := "Tool calls are checked by agentltl: " + n + " in force here. Shell lines are checked command by command. " +
		"When a call is refused, do what the refusal says, do not work around it, and tell the user the rule's name.\n"
	const repo = "This repository's AGENTLTL.yaml says:\n"
	left := limit - utf8.RuneCountInString(head) - len(repo) - 60
	var ours, theirs strings.Builder
	shown := 0
	for i := range list {
		line := guard.RuleLine(&list[i])
		if left -= utf8.RuneCountInString(line); left < 0 {
			break
		}
		shown++
		if list[i].Foreign() {
			theirs.WriteString(line)
		} else {
			ours.WriteString(line)
		}
	}
	s := head + ours.String()
	if theirs.Len() > 0 {
		s += repo + theirs.String()
	}
	if shown < len(list) {
		s += fmt.Sprintf("and %d more: agentltl-hook validate\n", len(list)-shown)
	}
	return strings.TrimRight(s, "\n")
}

// brokenText tells about a layer with problems.
func brokenText(b rules.Broken) string {
	what := "has problems; the last rules of it that loaded here stay in force"
	if !b.LastGood {
		what = "has problems and never loaded here; calls are asked about until it is mended"
		if b.Layer == rules.Nested {
			what = "has problems and never loaded here; the other rules judge"
		}
	}
	return fmt.Sprintf("A rule file of the %s layer %s:\n  %s", b.Layer, what, strings.Join(problemLines([]rules.Broken{b}), "\n  "))
}

// nested announces files that come in force for calls from their folder: once a
// session and version (trust.md 4).
func (w *work) nested(m *state.Memory) (text, notice string) {
	for _, f := range w.found.Files {
		if f.Layer != rules.Nested || !told(m, "nested "+f.Path, digestText(f)) {
			continue
		}
		var list []rules.Listed
		for _, l := range w.listed() {
			if l.Layer == rules.Nested && l.Folder == f.Folder {
				list = append(list, l)
			}
		}
		notice = join(notice, fmt.Sprintf("agentltl: %s adds %s to calls from its folder", f.Path, ruleCount(len(list))))
		if len(list) > 0 && w.set.Settings().Announce {
			text = join(text, announce(list, w.set.Settings().AnnounceMax))
		}
	}
	for _, b := range w.broken() {
		if b.Layer == rules.Nested && told(m, "broken "+b.Folder, "yes") {
			text, notice = join(text, brokenText(b)), join(notice, "agentltl: "+brokenText(b))
		}
	}
	return text, notice
}

// newNested says whether nested would have something to tell.
func (w *work) newNested() bool {
	for _, f := range w.found.Files {
		if f.Layer == rules.Nested && w.mem.Told["nested "+f.Path] != digestText(f) {
			return true
		}
	}
	return false
}

func digestText(f rules.File) string { return fmt.Sprintf("%x", f.Digest[:6]) }

func ruleCount(n int) string {
	if n == 1 {
		return "1 rule"
	}
	return fmt.Sprintf("%d rules", n)
}
