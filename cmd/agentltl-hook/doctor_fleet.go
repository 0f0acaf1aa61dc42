package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/internal/version"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
)

// fleet makes the checks that need no project and ask nothing (trust.md 11). No
// program is started: it has two seconds on a busy machine.
func (d *doctor) fleet() []finding {
	d.e.Dir = "/" // no project
	var checks []finding
	for _, a := range d.here() {
		name := a.Profile().Name
		o := d.options[name]
		o.Root, o.Run = "", nil
		d.regs[name] = a.Registrations(o)
		if len(d.regs[name]) == 0 {
			checks = append(checks, check("harness."+name+".registered", adapter.Warn,
				"no hook of "+name+" runs agentltl-hook", "agentltl-hook install "+name))
			continue
		}
		for _, f := range a.Doctor(o) {
			switch strings.TrimPrefix(f.ID, "harness."+name+".") {
			case "registered", "program", "env", "duplicate":
				checks = append(checks, f)
			}
		}
		checks = append(checks, d.hooksOff(a), d.silent(a))
	}
	l := d.load()
	checks = append(checks, d.managed(l)...)
	checks = append(checks, d.rules(l)[0])
	checks = append(checks, d.state()...)
	return append(checks, d.pauses())
}

// roots are the projects that have a store.
func (d *doctor) roots() []string {
	paths, err := store.List(stateDir(d.e))
	if err != nil {
		return nil
	}
	var out []string
	for _, p := range paths {
		s := store.Open(store.Options{Path: p, Now: d.e.Now(), Deadline: 100 * time.Millisecond})
		_ = s.View(func(tx state.Tx) error {
			if root := tx.Meta("root"); root != "" {
				out = append(out, root)
			}
			return nil
		})
	}
	return out
}

// hooksOff looks for switches in the user's settings and in every project that
// has a store.
func (d *doctor) hooksOff(a adapter.Adapter) finding {
	name := a.Profile().Name
	id := "harness." + name + ".hooks_off"
	var off []string
	for _, root := range append([]string{""}, d.roots()...) {
		for _, s := range a.HooksOff(d.options[name].UserDir, root) {
			off = appendNew(off, s.File+": "+s.Key)
		}
	}
	held := false
	for _, f := range a.Doctor(func() adapter.InstallOptions { o := d.options[name]; o.Run = nil; return o }()) {
		held = held || f.ID == id && strings.Contains(f.Detail, "managed registration holds")
	}
	if held {
		return check(id, adapter.OK, strings.Join(off, "; ")+" (the managed registration holds against it)", "")
	}
	return judged(id, adapter.Bad, off, "no setting switches hooks off", "remove that setting, or install a managed registration")
}

// silent fails when sessions go on of which no hook hears.
func (d *doctor) silent(a adapter.Adapter) finding {
	name := a.Profile().Name
	id := "harness." + name + ".last_event"
	o := d.options[name]
	last, err := os.Stat(filepath.Join(o.StateDir, "last", name))
	r := a.Newest(o)
	newest, rerr := os.Stat(r.Path)
	switch {
	case err != nil:
		return check(id, adapter.Warn, "no event yet", "start a session in a folder with an AGENTLTL.yaml")
	case r.Path != "" && rerr == nil && newest.ModTime().Sub(last.ModTime()) > 10*time.Minute && d.ruled(a, r):
		return check(id, adapter.Bad, fmt.Sprintf("the newest session is from %s, the last event from %s",
			newest.ModTime().UTC().Format(time.RFC3339), last.ModTime().UTC().Format(time.RFC3339)),
			"look whether hooks were switched off")
	}
	return check(id, adapter.OK, ago(d.e.Now(), last.ModTime()), "")
}

// ruled says whether a rule file applies where the newest session ran: only
// there an event leaves a trace.
func (d *doctor) ruled(a adapter.Adapter, r adapter.Record) bool {
	dir := r.Dir
	if dir == "" {
		f, err := os.Open(r.Path)
		if err != nil {
			return false
		}
		defer func() { _ = f.Close() }()
		for it, err := range a.Transcripts(f) {
			if err != nil {
				break
			}
			if it.Call.Dir != "" {
				dir = it.Call.Dir
				break
			}
		}
	}
	if dir == "" {
		return false
	}
	if file, _ := rules.Upwards(dir); file != "" {
		return true
	}
	o := d.options[a.Profile().Name]
	files := []string{filepath.Join(o.SharedDir, rules.FileName), filepath.Join(o.UserDir, rules.FileName)}
	return slices.ContainsFunc(files, adapter.IsFile)
}

// pauses says which projects are paused.
func (d *doctor) pauses() finding {
	paths, _ := store.List(stateDir(d.e))
	var until []string
	for _, p := range paths {
		s := store.Open(store.Options{Path: p, Now: d.e.Now(), Deadline: 100 * time.Millisecond})
		_ = s.View(func(tx state.Tx) error {
			for _, x := range tx.Exceptions() {
				if x.Scope == "pause" && !x.Revoked && x.Until.After(d.e.Now()) {
					until = append(until, tx.Meta("root")+" until "+x.Until.UTC().Format(time.RFC3339))
				}
			}
			return nil
		})
	}
	return judged("pause", adapter.Warn, until, "nothing is paused", "agentltl-hook pause --end, in that project")
}

// printFleet prints one document a machine.
func printFleet(e *env, checks []finding) error {
	host, _ := os.Hostname()
	counts := map[string]int{adapter.OK: 0, adapter.Warn: 0, adapter.Bad: 0}
	for _, c := range checks {
		counts[c.Severity]++
	}
	if !e.JSON {
		for _, c := range checks {
			fmt.Fprintf(e.Stdout, "%-4s  %s  %s\n", c.Severity, c.ID, c.Detail)
		}
		fmt.Fprintf(e.Stdout, "%d ok, %d warn, %d fail\n", counts[adapter.OK], counts[adapter.Warn], counts[adapter.Bad])
		return nil
	}
	program, err := ownProgram(e)
	if err != nil {
		program = ""
	}
	return cli.WriteJSON(e.Stdout, struct {
		Version int            `json:"version"`
		Host    string         `json:"host"`
		User    string         `json:"user"`
		Program string         `json:"program"`
		Path    string         `json:"path"`
		Time    string         `json:"time"`
		Checks  []finding      `json:"checks"`
		Summary map[string]int `json:"summary"`
	}{
		1, host, e.Getenv("USER"), version.String(), program, e.Now().UTC().Format(time.RFC3339), checks, counts,
	})
}
