package hooks

import (
	"errors"
	"fmt"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/store"
)

// trouble is the answer when our own work failed: a proposed call is asked about,
// or refused where nobody can answer or on_error says so; other events get a
// notice (rules.md 17).
func (r *run) trouble(err error) Answer {
	what := troubleText(err)
	switch r.e.Kind {
	case PreTool:
		a := Answer{Action: r.askOnError(), Trouble: true}
		a.Reason = fmt.Sprintf("agentltl could not judge this call: %s. Nothing ran.", what)
		if a.Action == guard.Ask {
			a.Reason = fmt.Sprintf("agentltl could not judge this call: %s. Let it run?", what)
		}
		a.Notice = "agentltl: could not judge a call: " + what
		return a
	case PostTool:
		return Answer{Trouble: true, Notice: "agentltl: this call was not recorded: " + what}
	default:
		return Answer{Trouble: true, Notice: "agentltl: " + what}
	}
}

// askOnError is ask, or deny; where the rules in force are not known yet their
// files are asked.
func (r *run) askOnError() guard.Action {
	if r.set == nil && len(r.found.Files) > 0 {
		set, _ := rules.Load(r.found.Files, rules.LoadOptions{Program: r.p.Program, Harness: r.p.Profile.Name, Context: r.context()})
		if set != nil {
			r.set = set.Compiled()
		}
	}
	return r.ask()
}

func troubleText(err error) string {
	if errors.Is(err, store.ErrBusy) {
		return "store busy"
	}
	return guard.Clean(err.Error())
}
