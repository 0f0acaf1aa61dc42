package rules

import (
	"crypto/sha256"
	"strconv"

	"github.com/agentltl/agentltl-hook/trace"
)

// A def is one rule, read and checked: what a compiled set and the last good
// sets keep. Compiling it makes a [Rule], in this process or a later one.
type def struct {
	ID     string         `json:"id"`
	Kind   string         `json:"kind"`
	Value  any            `json:"value"`
	With   map[string]any `json:"with,omitempty"`
	Where  map[string]any `json:"where,omitempty"`
	Let    map[string]any `json:"let,omitempty"`
	Mode   Mode           `json:"mode"`
	Scope  Scope          `json:"scope"`
	Why    string         `json:"why,omitempty"`
	Fix    string         `json:"fix,omitempty"`
	When   string         `json:"when,omitempty"`
	Group  string         `json:"group,omitempty"`
	Maybe  MaybePair      `json:"maybe"`
	From   []From         `json:"from,omitempty"`
	Except []exceptDef    `json:"except,omitempty"`
	Review string         `json:"review_by,omitempty"`

	Shadow      bool   `json:"shadow,omitempty"`
	Locked      bool   `json:"locked,omitempty"`
	Overridable bool   `json:"overridable,omitempty"`
	Layer       Layer  `json:"layer"`
	Folder      string `json:"folder,omitempty"`
	Source      string `json:"source"`
	File        string `json:"file"`
	Line        int    `json:"line"`
	Retries     int    `json:"retries,omitempty"`
	Counting    string `json:"counting,omitempty"`

	examples []Example
}

type exceptDef struct {
	Call   any    `json:"call"`
	Until  string `json:"until"`
	Reason string `json:"reason"`
	By     string `json:"by,omitempty"`
}

func (d *def) pos() Pos { return Pos{File: d.File, Line: d.Line} }

// digest names all that the rule's evaluation depends on: its kind with the
// revision of its meaning, what it says, and its scope; not mode, maybe,
// exceptions, layer or words. canonical is the formula or contract.
func (d *def) digest(canonical string, revision int) [32]byte {
	h := sha256.New()
	for _, s := range []string{"rule", strconv.Itoa(revision), d.Kind, d.Scope.String(), canonical, d.When, trace.Canonical(d.Let)} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	var sum [32]byte
	h.Sum(sum[:0])
	return sum
}
