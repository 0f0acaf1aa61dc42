package guard

import (
	"slices"
	"testing"

	"github.com/agentltl/agentltl-hook/rules"
)

// A warn repeat insists past warn rules and nothing else: every rule is judged
// again, so that a call which completed in between counts (formulas.md 12, D5).
// Notes about the other calls of the line are given again.
func TestRepeatIsJudgedAgain(t *testing.T) {
	warn, once, note := never("careful", rules.Warn, "x"), atMost("once", 1, "x"), never("noted", rules.Log, "x")
	b := newBench(t, warn, once, note)
	if d := b.check(line("x")); d.Action != Deny || d.Rule() != "careful" {
		t.Fatalf("x: %v by %q, want a warning", d.Action, d.Rule())
	}
	b.ran(line("x")) // another one, let through before, ends
	if d := b.check(line("x")); d.Action != Deny || d.Rule() != "once" {
		t.Errorf("x again after another x ran: %v by %q, want a refusal by once", d.Action, d.Rule())
	}

	b = newBench(t, warn, note)
	b.check(line("x"))
	d := b.check(line("x"))
	if d.Action != Allow || !slices.Equal(d.Override, []string{"careful"}) {
		t.Errorf("x again: %v past %q, want it let through past careful", d.Action, d.Override)
	}
	if len(d.Notes) > 0 {
		t.Errorf("x again: notes %v, want none: the refusal told them", d.Notes)
	}
	b = newBench(t, never("careful", rules.Warn, "y"), note)
	for _, want := range []Action{Deny, Allow} {
		if d := b.check(line("x", "y")); d.Action != want || len(d.Notes) != 1 {
			t.Errorf("x; y: %v with notes %v, want %v and that of x", d.Action, d.Notes, want)
		}
	}
}
