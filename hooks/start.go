package hooks

import (
	"fmt"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
)

// start announces the rules: at a session's start, when it is resumed, cleared or
// compacted, and to a subagent.
func (r *run) start() (Answer, error) {
	var a Answer
	err := r.update(func(tx state.Tx) error {
		if err := r.keepSet(tx); err != nil {
			return err
		}
		if r.e.Source == "fork" && r.e.Parent != "" {
			if err := tx.CopyFrom(r.e.Parent); err != nil {
				return err
			}
		}
		if err := r.project(tx, &a); err != nil {
			return err
		}
		r.note = &a.Notice
		return r.keepMemory(tx, func(m *state.Memory) { r.started(m, &a) })
	})
	if err == nil && r.e.Kind == SessionStart {
		a.Notice = join(a.Notice, r.daily())
	}
	a.Notice = join(a.Notice, r.switchLines())
	return a, err
}

// daily prunes raw calls beyond settings.keep, once a day, and says so.
func (r *run) daily() string {
	s, ok := r.store.(*store.Session)
	if !ok {
		return ""
	}
	done, _, err := s.Daily(keepOf(r.set.Settings()))
	n := done.Project
	for _, k := range done.Sessions {
		n = max(n, k)
	}
	switch {
	case err != nil:
		return "agentltl: old calls could not be pruned: " + err.Error()
	case n > 0:
		return fmt.Sprintf("agentltl: %d raw calls beyond settings.keep were pruned; what rules made of them is kept", n)
	}
	return ""
}

func (r *run) started(m *state.Memory, a *Answer) {
	if r.e.Kind == SessionStart {
		m.Owed = false
		told(m, "announced", "yes")
		switch r.e.Source {
		case "resume":
			m.Resumes++
			fallthrough
		case "startup", "clear", "fork", "":
			m.RuleFile, m.Folder = r.found.ProjectFile, r.folder
		}
	}
	text, notice := r.announcement(m)
	a.Context = join(a.Context, text)
	if r.e.Kind == SessionStart {
		a.Notice = join(a.Notice, notice)
	}
	a.Announced = text != ""
}

// project tells the person once about a new or changed project file, and at
// every start about a pause (trust.md 2 and 7).
func (r *run) project(tx state.Tx, a *Answer) error {
	if r.e.Kind != SessionStart {
		return nil
	}
	for _, e := range tx.Exceptions() {
		if e.Scope == "pause" && !e.Revoked && e.Until.After(r.now) {
			a.Notice = join(a.Notice, "agentltl: the rules of this project are paused until "+e.Until.Local().Format(time.DateTime))
		}
	}
	if unseen := guard.Unseen(tx, r.listed()); len(unseen) > 0 {
		a.Notice = join(a.Notice, "agentltl: new here after calls were pruned, so judged on the kept ones: "+strings.Join(unseen, ", "))
	}
	digest, count := "", 0
	for _, f := range r.found.Files {
		if f.Layer == rules.ProjectFile && f.Err == nil {
			digest += digestText(f)
		}
	}
	for _, l := range r.listed() {
		if l.Layer == rules.ProjectFile {
			count++
		}
	}
	if digest == "" && tx.Meta(metaTold) != "" {
		a.Notice = join(a.Notice, goneText)
		if err := tx.PutMeta(metaTold, ""); err != nil {
			return err
		}
	}
	if digest != "" && tx.Meta(metaTold) != digest {
		a.Notice = join(a.Notice, fmt.Sprintf("agentltl: AGENTLTL.yaml of this repository: %s. agentltl-hook validate lists them", ruleCount(count)))
		if err := tx.PutMeta(metaTold, digest); err != nil {
			return err
		}
	}
	if n := r.reviews(); n != "" && tx.Meta(metaReviewed) != r.now.UTC().Format(time.DateOnly) {
		a.Notice = join(a.Notice, n)
		return tx.PutMeta(metaReviewed, r.now.UTC().Format(time.DateOnly))
	}
	return nil
}

const goneText = "agentltl: this project's AGENTLTL.yaml is gone; its rules are no longer checked"

// gone is the answer where no rule file is in force: silence, but for a session's
// start in a project whose file is gone since it was last told of.
func (r *run) gone() Answer {
	if r.e.Kind != SessionStart || !r.storeThere() {
		return Answer{}
	}
	had := false
	err := r.view(func(tx state.Tx) error {
		had = tx.Meta(metaTold) != "" || tx.Memory(state.Session).RuleFile != ""
		return nil
	})
	if err != nil || !had {
		return Answer{}
	}
	err = r.update(func(tx state.Tx) error {
		m := tx.Memory(state.Session)
		m.RuleFile = "" // from here on the session has none
		if err := tx.PutMemory(state.Session, m); err != nil {
			return err
		}
		return tx.PutMeta(metaTold, "")
	})
	if err != nil {
		return r.trouble(err)
	}
	return Answer{Notice: goneText}
}

// Keys of the project's small texts.
const (
	metaTold     = "told project files"  // digests of the project files the person was told about
	metaReviewed = "told reviews due on" // day of the last notice about review_by
)

// reviews names rules whose review_by has passed.
func (r *run) reviews() string {
	day := r.now.UTC().Format(time.DateOnly)
	s := ""
	for _, l := range r.listed() {
		if l.ReviewBy != "" && l.ReviewBy < day {
			s = join(s, fmt.Sprintf("agentltl: rule %s was to be reviewed by %s", guard.Name(l.ID), l.ReviewBy))
		}
	}
	return s
}
