package guard

import (
	"github.com/agentltl/agentltl-hook/cond"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// applies says whether a rule's condition holds for a call (nil: at a turn's
// end). One that cannot be evaluated makes the rule apply (rules.md 17).
func (j *Judge) applies(tx state.Tx, r *rules.Rule, c *trace.Call) bool {
	if r.When == nil {
		return true
	}
	w := &asked{Judge: j, tx: tx, scope: scopeOf(r)}
	env := cond.Env{Fact: w.fact, Count: w.count, Last: w.last}
	if c != nil {
		env.Args = c.Args
		env.Call = map[string]any{"tool": c.Tool, "t": trace.FormatTime(j.Now), "succeeded": nil}
		w.dir = c.Dir
	}
	ok, err := r.When.Bool(env)
	return err != nil || ok
}

// asked are the facts of one condition, each looked up when it is named.
type asked struct {
	*Judge
	tx    state.Tx
	scope state.Scope
	dir   string // of the call
}

func (w *asked) fact(name string) any {
	switch name {
	case "session":
		minutes := 0.0
		if start := w.tx.Memory(state.Session).Start; !start.IsZero() && w.Now.After(start) {
			minutes = w.Now.Sub(start).Minutes()
		}
		return map[string]any{"id": w.tx.Session(), "calls": w.tx.Len(state.Session), "minutes": minutes}
	case "harness":
		return w.Harness
	case "time":
		t := w.Now.Local()
		return map[string]any{"hour": t.Hour(), "weekday": t.Weekday().String()}
	}
	if w.Fact == nil {
		return nil
	}
	return w.Fact(name, w.dir)
}

// count is how many recorded calls match a target for certain.
func (w *asked) count(target any) (int, error) {
	n := 0
	err := w.each(target, func(*trace.Call) { n++ })
	return n, err
}

// last is the newest recorded call that matches a target for certain.
func (w *asked) last(target any) (map[string]any, error) {
	var out map[string]any
	err := w.each(target, func(c *trace.Call) {
		out = map[string]any{"tool": c.Tool, "args": map[string]any(c.Args), "t": trace.FormatTime(c.Time)}
	})
	return out, err
}

func (w *asked) each(target any, fn func(*trace.Call)) error {
	ctx := w.Context
	if ctx == nil {
		ctx = &rules.Context{}
	}
	m, err := rules.NewTarget(target, ctx)
	if err != nil {
		return err
	}
	var may func(string) bool
	if names := m.Tools(); names != nil {
		may = func(tool string) bool { return reacts(&rules.Rule{Tools: names}, []string{tool}) }
	}
	for _, c := range w.tx.Calls(w.scope, w.tx.First(w.scope), may) {
		if m.Match(&c) == trace.Yes {
			fn(&c)
		}
	}
	return nil
}
