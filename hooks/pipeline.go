package hooks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/rules"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/store"
)

// A Pipeline turns events of one harness into answers. The zero value with a
// Profile judges by the rule files of the event's project and keeps its store
// in StateDir; everything it may look at is a field.
type Pipeline struct {
	Profile  Profile
	StateDir string            // absolute folder of the stores
	UserDirs []string          // absolute folders of user files: the shared one first, then the harness's
	UserFile string            // names one user file in place of UserDirs' ("": none)
	Only     []string          // rule files in place of all layers (check --rules); nil: all layers
	Add      []string          // rule files beside those found (check --add)
	Files    []rules.File      // rule files at hand, in place of all that could be found
	Bare     bool              // without any rule file the built-ins judge alone (check)
	Managed  string            // folder of the managed files; "": the system's
	Home     string            // for ~ in command lines
	Env      map[string]string // variables a command line may know: HOME, USER, TMPDIR
	Program  string            // version of this program; part of a compiled set's name
	NoEnv    bool              // an installed hook: AGENTLTL_AUTO counts as trust.md 5 says
	Auto     string            // value of AGENTLTL_AUTO
	Shadow   bool              // AGENTLTL_SHADOW, by hand only
	NoDisk   bool              // nothing is on disk: examples of rules
	Now      func() time.Time
	Store    func(project, session string) (state.Store, error) // nil: the store in StateDir
	Without  []string                                           // rule ids left out (check --without)
	Watch    func(guard.Decision)                               // sees every decision about a call; nil: nobody does (test --coverage)
	Switches func() []string                                    // settings that keep hooks from running; nil: none
	LastGood func(key string) [][]byte                          // of Load: the layers that loaded last; nil: none

	dry bool // decisions are a player's: nobody can ask about them later

	// ManagedTop and ManagedOwner are where the owner check of managed files ends
	// and who must own them, in tests; zero: the root of the file system, root.
	ManagedTop   string
	ManagedOwner int
}

// Handle answers one event. It returns no error for trouble of its own, which it
// answers as rules.md 17 says; an error is a bug or an ended context.
func (p *Pipeline) Handle(ctx context.Context, e Event) (Answer, error) {
	if err := ctx.Err(); err != nil || e.Kind == None {
		return Answer{}, err
	}
	r, err := p.begin(e)
	if errors.Is(err, store.ErrBusy) && e.Kind == PostTool && r.applies() {
		a, err := r.spoolBlind()
		if err != nil {
			a = r.trouble(err)
		}
		return a, nil
	}
	if err != nil {
		return r.trouble(err), nil
	}
	if r.set == nil {
		return r.gone(), nil
	}
	a, err := r.answer()
	if err != nil {
		a = r.trouble(err)
	} else if r.loaded != nil && !r.kept {
		_ = r.update(r.keepSet) // the next process parses again if this fails, and loses nothing
	}
	r.touch()
	return a, nil
}

// answer is the answer of each kind of event while rules are in force.
func (r *run) answer() (Answer, error) {
	switch r.e.Kind {
	case PreTool:
		r.see()
		return r.pre()
	case PostTool:
		return r.post()
	case SessionStart, SubagentStart:
		return r.start()
	case UserPrompt:
		return r.prompted()
	case TurnEnd:
		return r.turnEnd()
	case BatchEnd:
		return r.batchEnd()
	case SubagentEnd:
		return r.subagentEnd()
	case PreCompact:
		return r.compaction()
	case SessionEnd:
		return Answer{Notice: r.switchLines()}, nil
	default:
		return Answer{}, nil
	}
}

// clock is the time of an event; without a clock all happens at once.
func (p *Pipeline) clock() time.Time {
	if p.Now == nil {
		return time.Time{}
	}
	return p.Now()
}

// packDirs are where named packs are looked up before the project's own.
func (p *Pipeline) packDirs() []string {
	var dirs []string
	if d := p.managed(); d != "" {
		dirs = append(dirs, filepath.Join(d, "packs"))
	}
	if len(p.UserDirs) > 0 {
		dirs = append(dirs, filepath.Join(p.UserDirs[0], "packs"))
	}
	return dirs
}

// managed is the folder of the managed files.
func (p *Pipeline) managed() string {
	if p.Managed != "" {
		return p.Managed
	}
	return rules.ManagedDir(runtime.GOOS, func(name string) string {
		if name == "ProgramData" {
			return os.Getenv(name) // where the system keeps it, on Windows alone
		}
		return ""
	})
}

// Load finds and reads the rule files that are in force for a session in dir, as
// an event would, without a store: what counts as last good is LastGood's.
func (p *Pipeline) Load(dir string) (*rules.Set, rules.Problems) {
	return p.loadWith(dir, true)
}

// LoadUnchecked is Load without the examples being checked.
func (p *Pipeline) LoadUnchecked(dir string) (*rules.Set, rules.Problems) {
	return p.loadWith(dir, false)
}

func (p *Pipeline) loadWith(dir string, examples bool) (*rules.Set, rules.Problems) {
	r := &run{p: p, e: Event{Dir: dir}, folder: dir}
	r.find(r.findOptions())
	o := rules.LoadOptions{
		Program: p.Program, Harness: p.Profile.Name, Builtins: p.builtins(true), Without: p.Without,
		Context: r.context(), PackDirs: p.packDirs(), LastGood: p.LastGood,
	}
	if examples {
		o.Judge = p.Judge(r.root)
	}
	set, problems := rules.Load(r.found.Files, o)
	set.Told = append(r.found.Notices, set.Told...)
	return set, problems
}
