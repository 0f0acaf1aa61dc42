// Command gen writes the command specs of shell/packs as the data that package
// shell embeds: one JSON object per command, and an index by name and alias.
// "go generate ./shell" runs it in the folder shell.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

func main() {
	index, data, paths, err := generate("packs")
	if err == nil {
		err = os.WriteFile("packs.gen.idx", index, 0o644)
	}
	if err == nil {
		err = os.WriteFile("packs.gen.json", data, 0o644)
	}
	if err == nil {
		err = os.WriteFile("packs.gen.paths", paths, 0o644)
	}
	if err != nil {
		panic(err)
	}
}

// generate reads the packs of a folder.
func generate(dir string) (index, data, paths []byte, err error) {
	commands, err := load(dir)
	if err != nil {
		return nil, nil, nil, err
	}
	var buf bytes.Buffer
	lines := map[string]string{}
	emit := func(path string, aliases []string, c *spec.Command) error {
		b, err := json.Marshal(c)
		if err != nil {
			return err
		}
		parent := strings.TrimSuffix(path, c.Name)
		for i, n := range append([]string{c.Name}, aliases...) {
			if _, twice := lines[parent+n]; twice {
				return fmt.Errorf("two specs have the name %q", parent+n)
			}
			lines[parent+n] = fmt.Sprintf("%s\t%d\t%d", parent+n, buf.Len(), len(b))
			if i > 0 {
				lines[parent+n] += "\ta"
			}
		}
		buf.Write(b)
		buf.WriteByte('\n')
		return nil
	}
	for _, c := range commands {
		if err := c.Records(c.Name, emit); err != nil {
			return nil, nil, nil, err
		}
	}
	keys := make([]string, 0, len(lines))
	for k := range lines {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var idx bytes.Buffer
	for _, k := range keys {
		fmt.Fprintln(&idx, lines[k])
	}
	set := spec.NewSet(idx.String(), buf.String(), "")
	for _, l := range set.PathLines() {
		paths = append(append(paths, l...), '\n')
	}
	return idx.Bytes(), buf.Bytes(), paths, nil
}

// load reads all packs, sorted by command.
func load(dir string) ([]*spec.Command, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var out []*spec.Command
	var bad []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var doc yaml.Node
		if err := yaml.Unmarshal(text, &doc); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		root := node(doc.Content[0])
		for i, k := range root.Keys {
			if strings.HasPrefix(k.Value, "x-") {
				continue // a place for anchors
			}
			c, problems := spec.Load(k.Value, root.Items[i])
			for _, p := range problems {
				bad = append(bad, fmt.Sprintf("%s:%d: %s", f, p.Line, p.Msg))
			}
			out = append(out, c)
		}
	}
	if len(bad) > 0 {
		return nil, fmt.Errorf("%s", strings.Join(bad, "\n"))
	}
	slices.SortFunc(out, func(a, b *spec.Command) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// node turns a YAML node into the form package spec reads: anchors followed,
// merge keys ("<<") unfolded, a later key winning.
func node(y *yaml.Node) spec.Node {
	if y.Kind == yaml.AliasNode {
		n := node(y.Alias)
		n.Line = y.Line
		return n
	}
	n := spec.Node{Value: y.Value, Line: y.Line}
	switch y.Kind {
	case yaml.SequenceNode:
		n.Kind = spec.Seq
		for _, c := range y.Content {
			n.Items = append(n.Items, node(c))
		}
	case yaml.MappingNode:
		n.Kind = spec.Mapping
		for i := 0; i+1 < len(y.Content); i += 2 {
			k, v := y.Content[i], node(y.Content[i+1])
			if k.Tag == "!!merge" {
				put(&n, v.Keys, v.Items)
				continue
			}
			put(&n, []spec.Node{node(k)}, []spec.Node{v})
		}
	default:
		n.Kind = scalar(y)
	}
	return n
}

func put(n *spec.Node, keys, items []spec.Node) {
	for i, k := range keys {
		at := slices.IndexFunc(n.Keys, func(x spec.Node) bool { return x.Value == k.Value })
		if at < 0 {
			n.Keys, n.Items = append(n.Keys, k), append(n.Items, items[i])
		} else {
			n.Items[at] = items[i]
		}
	}
}

func scalar(y *yaml.Node) spec.Kind {
	switch y.Tag {
	case "!!null":
		return spec.Null
	case "!!bool":
		return spec.Boolean
	case "!!int", "!!float":
		return spec.Number
	}
	return spec.String
}
