package hooks

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/shell"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// Judge checks examples of rules, from a project's root, for [rules.Load]: it says
// what is wrong with one, "" if the rule does what it says. Each example starts
// from an empty memory and an empty disk; of a list the last step is judged and
// the earlier ones count as run. Only this rule judges, with the command specs in
// force, attended (rules.md 4).
func (p *Pipeline) Judge(root string) func(*rules.Set, *rules.Rule, rules.Example) string {
	q := *p
	q.NoDisk = true
	q.Profile.ShellTools = exampleShells(p.Profile.ShellTools)
	place := rules.ExampleContext(&rules.Context{Root: root, Home: p.Home, Tmp: p.Env["TMPDIR"]})
	root, q.Home = place.Root, place.Home
	q.Env = maps.Clone(p.Env)
	if q.Env["HOME"] != "" {
		q.Env["HOME"] = q.Home
	}
	return func(set *rules.Set, rule *rules.Rule, ex rules.Example) string {
		r := &run{p: &q, root: root, folder: root, session: "example", now: exampleTime}
		return r.judgeExample(set, rule, ex)
	}
}

func (r *run) judgeExample(set *rules.Set, rule *rules.Rule, ex rules.Example) string {
	alone := *rule
	alone.When, alone.Except = nil, nil
	book := &guard.Rules{List: []*rules.Rule{&alone}, Set: set.Settings, Named: rule.Digest}
	book.Set.Shadow = false
	alone.Shadow = false
	j := &guard.Judge{Book: book, Now: exampleTime}
	mem := guard.NewMemory("example")
	refused, err := false, error(nil)
	for i, text := range ex.Steps {
		last := i == len(ex.Steps)-1
		j.Now = j.Now.Add(time.Second)
		if refused, err = r.exampleStep(mem, j, set, text, last); err != nil {
			return err.Error()
		}
	}
	switch {
	case ex.Refused && !refused:
		return fmt.Sprintf("is to be refused and is not: %s", ex.Steps[len(ex.Steps)-1])
	case !ex.Refused && refused:
		return fmt.Sprintf("is to be allowed and is refused: %s", ex.Steps[len(ex.Steps)-1])
	}
	return ""
}

var exampleTime = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// exampleShells are the shell tools of examples: those of every harness.
func exampleShells(own map[string]string) map[string]string {
	if len(own) > 0 {
		return own
	}
	return map[string]string{"Bash": "command"}
}

// exampleStep plays one step; the last one is judged, an earlier one counts as run.
func (r *run) exampleStep(mem *guard.Memory, j *guard.Judge, set *rules.Set, text string, last bool) (refused bool, err error) {
	s, err := ParseStep(text)
	if err != nil {
		return false, err
	}
	if s.Do == "sleep" {
		j.Now = j.Now.Add(s.Sleep)
		return false, nil
	}
	if s.Do == "session" {
		return false, nil
	}
	return refused, mem.Update(func(tx state.Tx) error {
		switch s.Do {
		case "prompt":
			return j.Turn(tx)
		case "finish":
			end, err := j.Finish(tx, 0, true)
			refused = len(end.Unmet)+len(end.Spent) > 0
			return err
		}
		r.e = Event{Kind: PreTool, Dir: r.root, Native: s.Tool, Calls: []trace.Call{{Tool: s.Tool, Args: s.Input}}}
		p := r.read(shell.Request{Specs: set.Specs, MaxLine: set.Settings.MaxLine}).Proposal
		if len(p.Unresolved) > 0 && len(p.Calls) == 0 {
			return fmt.Errorf("cannot be read: %s (%s)", s.Text, p.Unresolved[0].Code)
		}
		if last {
			d, err := j.Look(tx, p)
			refused = d.Action != guard.Allow && !d.ByUnread
			return err
		}
		calls, _ := p.Chain()
		p.Calls, p.Unresolved = slices.Clone(calls), nil
		status := 0
		if s.Status != nil {
			status = *s.Status
		}
		guard.Spread(p.Calls, &status, nil)
		return j.Record(tx, p)
	})
}
