package hooks

import (
	"time"

	"github.com/agentltl/agentltl-hook/state"
)

// pauseOf is what the command pause keeps.
func pauseOf(_ *lab, o *Office) state.Exception {
	return state.Exception{Scope: "pause", Until: o.Now().Add(time.Hour), Reason: "test", By: "dev"}
}
