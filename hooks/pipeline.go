package hooks

import (
	"context"
	"time"

	"github.com/agentltl/agentltl-hook/state"
)

// A Pipeline turns events of one harness into answers. The zero value with a
// Profile judges by the rule files of the event's project and keeps its store
// in StateDir; everything it may look at is a field.
type Pipeline struct {
	Profile  Profile
	StateDir string            // absolute folder of the stores; "": memory only
	UserDirs []string          // absolute folders of user files: the shared one first, then the harness's
	UserFile string            // names one user file in place of UserDirs' ("": none)
	Managed  string            // folder of the managed files; "": the system's
	Home     string            // for ~ in command lines
	Env      map[string]string // variables a command line may know: HOME, PWD, USER, TMPDIR
	Program  string            // version of this program; part of a compiled set's name
	NoEnv    bool              // an installed hook: AGENTLTL_AUTO counts as trust.md 5 says
	Auto     string            // value of AGENTLTL_AUTO
	Shadow   bool              // AGENTLTL_SHADOW, by hand only
	Now      func() time.Time
	Store    func(project, session string) (state.Store, error) // nil: the store in StateDir
	Without  []string                                           // rule ids left out (check --without)
}

// Handle answers one event. An error means that we could not do our work: the
// adapter turns it into the harness's way of asking or denying.
func (p *Pipeline) Handle(ctx context.Context, e Event) (Answer, error) {
	return Answer{}, ctx.Err()
}
