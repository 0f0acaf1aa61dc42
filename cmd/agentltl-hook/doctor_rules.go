package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/agentltl/agentltl-hook/harness"
	"github.com/agentltl/agentltl-hook/harness/adapter"
	"github.com/agentltl/agentltl-hook/internal/version"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
)

// A loadedHere is what the rule files come to for the working directory, over
// all harnesses found: they share all files but the user's own.
type loadedHere struct {
	found    rules.Found
	sets     []*rules.Set
	problems map[rules.Layer][]string
	notices  []string // what a project's file switches off or weakens
	kept     []string // layers in force by their last rules that loaded
	lost     []string // broken layers of which no rules ever loaded
	user     []string // user files read
}

// load reads the rule files as hooks of the harnesses would.
func (d *doctor) load() loadedHere {
	l := loadedHere{problems: map[rules.Layer][]string{}}
	adapters := d.here()
	if len(adapters) == 0 {
		adapters = []adapter.Adapter{harness.Find("generic")}
		o := adapterOptions(d.e, adapters[0])
		d.options["generic"] = o
	}
	for _, a := range adapters {
		pl := d.pipeline(a)
		pl.LastGood = d.lastGood
		set, _ := pl.Load(d.e.Dir)
		l.sets = append(l.sets, set)
		l.add(set)
		for _, dir := range pl.UserDirs {
			path := filepath.Join(dir, rules.FileName)
			if adapter.IsFile(path) && !slices.Contains(l.user, path) {
				l.user = append(l.user, path)
			}
		}
	}
	l.found = rules.Find(rules.FindOptions{
		ManagedDir: managedDir(d.e), UserFiles: l.user, SessionFolder: d.e.Dir, CallDir: d.e.Dir,
	})
	return l
}

func managedDir(e *env) string { return rules.ManagedDir(runtime.GOOS, e.Getenv) }

// lastGood are the rules of a layer that loaded here before.
func (d *doctor) lastGood(key string) (list [][]byte) {
	_ = d.project().View(func(tx state.Tx) error { list = tx.LastGood(key); return nil })
	return list
}

func (l *loadedHere) add(set *rules.Set) {
	for _, b := range set.Broken {
		for _, p := range b.Problems {
			l.problems[b.Layer] = appendNew(l.problems[b.Layer], p.Error())
		}
		name := b.Layer.String()
		if b.LastGood {
			l.kept = appendNew(l.kept, name)
		} else {
			l.lost = appendNew(l.lost, name)
		}
	}
	for _, n := range set.Told {
		if n.Code == "weakened" {
			l.notices = appendNew(l.notices, n.Path+": "+n.Text)
		}
	}
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// needsNewer says whether a problem is that the file wants a newer program.
func needsNewer(problem string) bool { return strings.Contains(problem, "needs agentltl-hook") }

// managed checks the administrator's files.
func (d *doctor) managed(l loadedHere) []finding {
	var files, owner, newer []string
	for _, p := range l.problems[rules.Managed] {
		if needsNewer(p) {
			newer = append(newer, p)
			continue
		}
		files = append(files, p)
	}
	for _, n := range l.found.Notices {
		if n.Code == "managed-owner" {
			owner = append(owner, n.Text)
		}
	}
	good := "no managed files"
	if slices.ContainsFunc(l.found.Files, func(f rules.File) bool { return f.Layer == rules.Managed }) {
		good = "loaded from " + managedDir(d.e)
	}
	checks := []finding{
		judged("managed.file", adapter.Bad, files, good, "mend the file; agentltl-hook validate shows every problem"),
		judged("managed.owner", adapter.Bad, owner, good, "chown root FILE; chmod go-w FILE, and its folders"),
		judged("managed.version", adapter.Bad, newer, version.String(), "update agentltl-hook"),
	}
	for _, name := range l.required() {
		id := "managed.harness." + name
		if len(d.regs[name]) > 0 {
			checks = append(checks, check(id, adapter.OK, "registered", ""))
			continue
		}
		checks = append(checks, check(id, adapter.Bad, "the managed rules require it and no hook is registered",
			"agentltl-hook install "+name))
	}
	return checks
}

// required are the harnesses that managed files want registered.
func (l *loadedHere) required() []string {
	var names []string
	for _, s := range l.sets {
		for _, n := range s.Settings.RequiredHarnesses {
			if a := harness.Find(n); a != nil {
				n = a.Profile().Name
			}
			names = appendNew(names, n)
		}
	}
	slices.Sort(names)
	return names
}

// rules checks the files of the other layers.
func (d *doctor) rules(l loadedHere) []finding {
	user := slices.Clone(l.problems[rules.User])
	for _, f := range l.user {
		if t := userFileTrouble(f); t != "" {
			user = append(user, t)
		}
	}
	fix := "agentltl-hook validate shows every problem"
	checks := []finding{
		judged("rules.user", adapter.Bad, user, present(l.user, "no user file"), fix),
		judged("rules.project", adapter.Bad, l.problems[rules.ProjectFile], present(nonEmpty(l.found.ProjectFile), "no project file"), fix),
		judged("rules.nested", adapter.Warn, l.problems[rules.Nested], "no trouble", fix),
		judged("rules.weakened", adapter.Warn, l.notices, "the project's file weakens nothing of the user's",
			"\"locked: true\" on a rule of your own file holds it"),
	}
	switch {
	case len(l.lost) > 0:
		checks = append(checks, check("rules.last_good", adapter.Bad,
			"broken, and no rules of that layer ever loaded here: "+strings.Join(l.lost, ", "), fix))
	case len(l.kept) > 0:
		checks = append(checks, check("rules.last_good", adapter.Warn,
			"the last rules that loaded are in force: "+strings.Join(l.kept, ", "), fix))
	default:
		checks = append(checks, check("rules.last_good", adapter.OK, "the rules in force are those on disk", ""))
	}
	return checks
}

func present(files []string, none string) string {
	if len(files) == 0 {
		return none
	}
	return strings.Join(files, ", ")
}

// userFileTrouble says that somebody else could write the user's rules.
func userFileTrouble(path string) string {
	st, err := os.Stat(path)
	if err != nil {
		return ""
	}
	uid, known := adapter.Owner(st)
	switch {
	case known && uid != os.Geteuid() && uid != 0:
		return fmt.Sprintf("%s belongs to somebody else", path)
	case known && st.Mode().Perm()&0o022 != 0:
		return fmt.Sprintf("%s is writable by others", path)
	}
	return ""
}
