package shell

import (
	_ "embed"
	"sync"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

//go:generate go run ./gen

//go:embed packs.gen.json
var packData string

//go:embed packs.gen.idx
var packIndex string

//go:embed packs.gen.paths
var packPaths string

var bundled = sync.OnceValue(func() *spec.Set { return spec.NewSet(packIndex, packData, packPaths) })

// Bundled returns the command specs that come with the program. Each is decoded
// when a line names its command, so their number costs nothing at start.
func Bundled() *spec.Set { return bundled() }
