package spec

// A Node is a piece of a spec as people write it, with its place. The caller
// makes it of its own YAML nodes, anchors followed; this package reads none
// itself, so that whoever only translates links no YAML.
type Node struct {
	Kind  Kind
	Value string // of a scalar
	Line  int
	Keys  []Node // of a map, beside Items
	Items []Node // of a list, or the values of a map
}

// A Kind is what a node is. Bools and numbers are plain (unquoted) scalars.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	String
	Boolean
	Number
	Seq
	Mapping
)

// A Problem is something wrong in a spec.
type Problem struct {
	Line int
	Msg  string
}

// value is the node as JSON has it, for the arguments of examples.
func (n Node) value() any {
	switch n.Kind {
	case Null:
		return nil
	case Boolean:
		return n.truth()
	case Seq:
		out := make([]any, len(n.Items))
		for i, x := range n.Items {
			out[i] = x.value()
		}
		return out
	case Mapping:
		out := map[string]any{}
		for i, k := range n.Keys {
			out[k.Value] = n.Items[i].value()
		}
		return out
	default:
		if n.Kind == Number {
			return jsonNumber(n.Value)
		}
		return n.Value
	}
}

func (n Node) truth() bool {
	switch n.Value {
	case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y":
		return true
	}
	return false
}
