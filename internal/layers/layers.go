// Package layers holds the import rules of the module as data and the test
// that keeps them (architecture.md 2). It is imported by nothing.
package layers

// Module is the path that our own imports begin with.
const Module = "github.com/agentltl/agentltl-hook"

// Leaves are the packages of internal that every other package may import;
// they import nothing of ours.
var Leaves = []string{
	"internal/version", "internal/atomicfile", "internal/secrets", "internal/edit", "internal/stack",
}

// TestOnly are packages that tests alone import, and that may import anything.
var TestOnly = []string{"internal/testutil", "internal/layers", "e2e", "e2e/model"}

// Allowed is the table of architecture.md 2: what a package may name beside
// the leaves. A package ending in "/*" stands for each folder below it.
var Allowed = map[string][]string{
	"trace":   {},
	"plugins": {},
	"metrics": {},

	"ltl":      {"trace"},
	"shell":    {"trace", "shell/spec"},
	"cond":     {"trace"},
	"evidence": {"trace"},

	"shell/spec":          {"trace"},
	"metrics/httpmetrics": {"metrics"},

	"contract": {"cond", "trace"},
	"state":    {"evidence", "trace"},

	"rules": {"contract", "ltl", "shell", "shell/spec", "cond", "trace"},

	"guard": {"rules", "contract", "ltl", "shell", "cond", "state", "evidence", "metrics", "trace"},
	"store": {"state", "evidence", "trace"},

	"hooks":  {"guard", "rules", "shell", "state", "store", "evidence", "metrics", "trace"},
	"mcp":    {"guard", "rules", "state", "store", "evidence", "metrics", "trace"},
	"report": {"guard", "rules", "evidence", "trace"},

	"harness/adapter": {"hooks", "guard", "trace"},
	"harness/*":       {"harness/adapter", "hooks", "guard", "trace", "plugins"},
	"harness":         {"harness/*", "harness/adapter", "hooks"},

	"internal/cli": {},

	"cmd/agentltl-hook": {
		"trace", "plugins", "metrics", "ltl", "shell", "shell/spec", "cond", "evidence", "contract", "state", "rules",
		"guard", "store", "hooks", "report", "harness/adapter", "harness/*", "harness", "internal/cli",
	},
	"cmd/agentltl-mcp": {
		"mcp", "guard", "rules", "state", "store", "evidence", "metrics", "metrics/httpmetrics", "trace", "internal/cli",
	},
}

// ThirdParty says which packages may name a module that is not ours; the key
// is a prefix of the import path. Tests may name more.
var ThirdParty = map[string][]string{
	"github.com/spf13/cobra":                 {"cmd/agentltl-hook", "cmd/agentltl-mcp", "internal/cli"},
	"mvdan.cc/sh/v3/syntax":                  {"shell"},
	"mvdan.cc/sh/v3/expand":                  {"shell"},
	"go.etcd.io/bbolt":                       {"store"},
	"gopkg.in/yaml.v3":                       {"rules", "contract"},
	"github.com/expr-lang/expr":              {"cond"},
	"github.com/tailscale/hujson":            {"internal/edit"},
	"github.com/pelletier/go-toml/v2":        {"internal/edit"},
	"github.com/modelcontextprotocol/go-sdk": {"mcp"},
	"golang.org/x/term":                      {"internal/cli"}, // is a stream a terminal: on three systems
}

// Unlinked are packages that the hook program must not hold on any system:
// together they cost 0.7 ms of start-up (architecture.md, first page).
var Unlinked = []string{"net/http", "crypto/tls"}

// Systems are the systems the hook program is built for.
var Systems = []string{"linux", "darwin", "windows"}
