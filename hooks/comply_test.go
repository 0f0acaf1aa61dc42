package hooks

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/rules"
)

// offered reads, as an agent that knows nothing but the refusal could, the calls
// after which a refused one would pass.
func offered(text string) []string {
	_, rest, ok := strings.Cut(text, "It would pass after:\n")
	if !ok {
		return nil
	}
	var out []string
	for line := range strings.SplitSeq(rest, "\n") {
		step, ok := strings.CutPrefix(line, "  ")
		if !ok {
			break
		}
		out = append(out, step)
	}
	return out
}

// advises says whether a refusal tells what to do: in words, by calls that come
// first, or by asking the user, who decides; a stop tells to end the turn.
func advises(p Played) bool {
	if p.Action == "ask" || p.Action == "stop" && strings.Contains(p.Text, "end your turn") {
		return true
	}
	_, words, ok := strings.Cut(p.Text, "What to do: ")
	words, _, _ = strings.Cut(words, "\n")
	return ok && len(strings.Fields(words)) > 2 || len(offered(p.Text)) > 0
}

// comply plays steps; the last is to be refused. When the refusal offers a way it
// is taken, call by call, and the refused call made again. A packaged rule's
// refusal has to say what to do in any case.
func comply(t *testing.T, ruleText string, steps []string, packaged bool) (offers bool) {
	t.Helper()
	root := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(root, ".git"), 0o755))
	p := &Pipeline{
		Profile: plain("plain"), Managed: filepath.Join(root, "none"), Without: quiet,
		Files: []rules.File{{Layer: rules.ProjectFile, Path: filepath.Join(root, rules.FileName), Text: []byte(ruleText)}},
	}
	pl := NewPlayer(p, root, vectorStart)
	play := func(text string) Played {
		s, err := ParseStep(text)
		must(t, err)
		got, err := pl.Play(context.Background(), s)
		must(t, err)
		return got
	}
	var last Played
	for _, s := range steps {
		last = play(s)
	}
	if packaged && last.Action != "none" && !advises(last) {
		t.Errorf("%s of %q does not say what to do:\n%s", last.Action, steps, last.Text)
	}
	way := offered(last.Text)
	if last.Action == "none" || len(way) == 0 {
		return false
	}
	for _, s := range way {
		if got := play(s); got.Action != "none" {
			t.Errorf("%q is offered by the refusal of %q and refused itself: %s\n%s", s, steps[len(steps)-1], got.Action, got.Text)
		}
	}
	if got := play(steps[len(steps)-1]); got.Action != "none" {
		t.Errorf("%q is still refused after %q:\n%s", steps[len(steps)-1], way, got.Text)
	}
	return true
}

// TestEveryOfferIsGood: what a refusal of a packaged rule offers can be run as it
// stands, is let through, and after it the refused call passes.
func TestEveryOfferIsGood(t *testing.T) {
	files, err := filepath.Glob("../rules/library/*.yaml")
	must(t, err)
	if len(files) < 70 {
		t.Fatalf("%d entries", len(files))
	}
	var offers []string
	for _, f := range files {
		id := strings.TrimSuffix(filepath.Base(f), ".yaml")
		text := "use: [" + id + "]\n"
		set, problems := rules.LoadEntry(id, rules.LoadOptions{Context: &rules.Context{Root: "/x"}})
		if len(problems) > 0 {
			t.Fatalf("%s: %v", id, problems)
		}
		for i := range set.Rules {
			for _, ex := range set.Rules[i].Examples {
				if ex.Refused && comply(t, text, ex.Steps, true) {
					offers = append(offers, set.Rules[i].ID)
				}
			}
		}
	}
	t.Logf("%d refusals of packaged rules offer a way", len(offers))
	if len(offers) < 10 {
		t.Errorf("only %d refusals of packaged rules offer a way: %v", len(offers), offers)
	}
}

// TestKindsOffer: each kind that calls made first can help offers them.
func TestKindsOffer(t *testing.T) {
	for _, tt := range []struct {
		name, rules string
		steps       []string
	}{
		{"before", "rules: [{id: r, before: [pytest, git_push]}]\n", []string{"git push"}},
		{"before, last in a line", "rules: [{id: r, before: [pytest, git_push]}]\n", []string{"ls && git push"}},
		{"before since", "rules: [{id: r, before: {first: {tool: pytest, succeeded: true}, then: git_push, since: [Edit]}}]\n", []string{"pytest", `Edit {"file_path": "a"}`, "git push"}},
		{"before with arguments", "rules: [{id: r, before: [{tool: make, with: {argv: stage}}, {tool: make, with: {argv: live}}]}]\n", []string{"make live"}},
		{"before with a value", "rules: [{id: r, before: [{tool: Read, with: {file_path: $f}}, {tool: Edit, with: {file_path: $f}}]}]\n", []string{`Edit {"file_path": "a"}`}},
		{"two rules", "rules: [{id: r, before: [pytest, git_push]}, {id: q, before: [ruff, git_push]}]\n", []string{"git push"}},
		{"a prerequisite with one of its own", "rules: [{id: r, before: [build, ship]}, {id: q, before: [fetch, build]}]\n", []string{"ship"}},
		{"must_precede", "rules: [{id: r, must_precede: [quote, pay]}]\n", []string{"pay"}},
		{"cannot_follow_without", "rules: [{id: r, cannot_follow_without: [pay, quote]}]\n", []string{"pay"}},
		{"ltl", "rules: [{id: r, ltl: 'G(now(\"git_push\") -> Y(now(\"pytest\")))'}]\n", []string{"pytest", "ls", "git push"}},
		{"ltl until", "rules: [{id: r, ltl: '(!now(\"deploy\")) W now(\"plan\")'}]\n", []string{"deploy"}},
		{"formula", "rules: [{id: r, formula: {type: Globally, args: {operand: {type: Implies, args: {left: {type: Now, args: {tool: ship}}, right: {type: Previous, args: {operand: {type: Once, args: {operand: {type: Now, args: {tool: build}}}}}}}}}}}]\n", []string{"ship"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !comply(t, tt.rules, tt.steps, false) {
				t.Error("nothing is offered")
			}
		})
	}
	// What another rule refuses is not offered.
	if comply(t, "rules: [{id: r, before: [pytest, git_push]}, {id: q, never: pytest}]\n", []string{"git push"}, false) {
		t.Error("a call that the rules refuse was offered")
	}
}
