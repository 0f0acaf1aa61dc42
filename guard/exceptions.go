package guard

import (
	"slices"
	"time"

	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// exceptedByFile says whether a dated exception of the rule's own file covers
// the refused call for certain, on or before its day (UTC; trust.md 7).
func (c *check) exceptedByFile(f *finding) bool {
	day := c.Now.UTC().Format(time.DateOnly)
	for _, e := range f.rule.Except {
		if day <= e.Until && e.Call.Match(&c.chain[f.call]) == trace.Yes {
			return true
		}
	}
	return false
}

// exceptedByPerson says whether a person lets this exact call break the rule.
func (c *check) exceptedByPerson(f *finding) bool {
	for _, e := range c.tx.Exceptions() {
		if e.Scope == "pause" || e.Key != c.key || !slices.Contains(e.Rules, f.rule.ID) || !c.live(e.Until, e.Revoked) {
			continue
		}
		if e.Scope == "once" && e.Used > 0 || e.Scope == "session" && e.Session != c.tx.Session() || !c.mayExcept(f.rule) {
			continue
		}
		if !slices.ContainsFunc(c.used, func(u state.Exception) bool { return u.Number == e.Number }) {
			c.used = append(c.used, e)
		}
		return true
	}
	return false
}

func (c *check) live(until time.Time, revoked bool) bool {
	return !revoked && (until.IsZero() || !c.Now.After(until))
}

// mayExcept says whether a person's exceptions reach a rule (settings.exceptions).
func (c *check) mayExcept(r *rules.Rule) bool { return MayExcept(r, c.Book.Settings()) }

// MayExcept says whether allow and pause reach a rule: all but the managed ones,
// unless the managed settings say otherwise (trust.md 3 and 7).
func MayExcept(r *rules.Rule, s *rules.Settings) bool {
	switch s.Exceptions {
	case "none":
		return false
	case "any":
		return true
	default:
		return r.Layer != rules.Managed || r.Overridable
	}
}

// inShadow says whether a rule is judged without being enforced: by its own key,
// by the settings, or because a person paused the project's rules.
func (c *check) inShadow(r *rules.Rule) bool {
	if r.Shadow || c.Shadow || c.Book.Settings().Shadow {
		return true
	}
	if r.ID == ProtectGuard || !c.mayExcept(r) {
		return false
	}
	return c.paused()
}

// paused says whether a pause is running.
func (c *check) paused() bool {
	for _, e := range c.tx.Exceptions() {
		if e.Scope == "pause" && c.live(e.Until, e.Revoked) {
			return true
		}
	}
	return false
}

// Unread stands, in a person's exception, for the setting that speaks about lines
// that could not be read.
const Unread = "unanalysed"

// unreadExcepted says whether a person lets this exact line pass unread.
func (c *check) unreadExcepted() bool {
	if len(c.p.Unresolved) == 0 || c.Book.Settings().Exceptions == "none" {
		return false
	}
	r := &rules.Rule{ID: Unread, Layer: rules.User}
	return c.exceptedByPerson(&finding{rule: r})
}

// Ids of the built-in rules.
const (
	MemoryFirst  = "memory-first"
	ProtectGuard = "protect-guard"
	NoUnguarded  = "no-unguarded-subagents"
)
