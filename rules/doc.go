package rules

import (
	"encoding/json"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

// A doc is one rule file, read and checked: rules resolved (packaged entries
// expanded, defaults filled in), command specs parsed. It is what the last good
// sets keep, as JSON.
type doc struct {
	Layer    Layer               `json:"layer"`
	Path     string              `json:"path"`
	Folder   string              `json:"folder,omitempty"`
	Digest   string              `json:"digest"` // of the text, hex
	Text     string              `json:"text"`
	Rules    []def               `json:"rules,omitempty"`
	Disable  []string            `json:"disable,omitempty"`
	Settings map[string]any      `json:"settings,omitempty"`
	Has      bool                `json:"has_settings,omitempty"` // the key is there, if empty
	Tools    []toolDef           `json:"tools,omitempty"`
	Builtins []builtinUse        `json:"builtins,omitempty"` // use: of built-in rules
	Groups   map[string][]string `json:"groups,omitempty"`
	Facts    []string            `json:"facts,omitempty"`
	Require  *requirement        `json:"require,omitempty"`
	AllowOff bool                `json:"no_project_rules,omitempty"`
	Ignored  []string            `json:"ignored,omitempty"` // keys that this layer may not set
	Packs    []packUse           `json:"packs,omitempty"`

	problems Problems
	warnings []warning // lint that needs the nodes: L017
}

// A toolDef is one command spec of a file.
type toolDef struct {
	Name  string        `json:"name"`
	Spec  *spec.Command `json:"spec"`
	Line  int           `json:"line,omitempty"`
	Entry string        `json:"entry,omitempty"` // packaged entry it came with
	// Beside: the reading without this spec stays beside its own.
	Beside bool `json:"beside,omitempty"`
}

// A builtinUse changes a built-in rule from a managed or user file.
type builtinUse struct {
	ID     string     `json:"id"`
	Mode   *Mode      `json:"mode,omitempty"`
	Maybe  *MaybePair `json:"maybe,omitempty"`
	Shadow bool       `json:"shadow,omitempty"`
}

type requirement struct {
	MinVersion string   `json:"min_version,omitempty"`
	Harnesses  []string `json:"harnesses,omitempty"`
}

// A packUse is a local pack that a file read.
type packUse struct {
	Path   string `json:"path"`
	Digest string `json:"digest"`
}

// A warning is a finding of lint about the text itself.
type warning struct {
	code string
	line int
	msg  string
}

func (d *doc) problem(line int, rule, msg string) {
	d.problems = append(d.problems, Problem{Pos: Pos{File: d.Path, Line: line}, Rule: rule, Msg: msg})
}

func decodeJSONInto(b []byte, v any) error {
	dec := json.NewDecoder(bytesReader(b))
	dec.UseNumber()
	return dec.Decode(v)
}
