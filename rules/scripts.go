package rules

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A Script is a piece of shell that a repository runs itself.
type Script struct {
	File string // relative to the root
	Line int
	Text string
}

// maxScriptFile is the largest file that is looked at for scripts.
const maxScriptFile = 1 << 20

// Scripts collects the shell of a repository's workflows, Makefile and package
// scripts, so that a new rule file can be tried on it. What cannot be read is
// passed over.
func Scripts(root fs.FS) []Script {
	var out []Script
	for _, pattern := range []string{".github/workflows/*.yml", ".github/workflows/*.yaml", ".github/actions/*/action.yml"} {
		names, err := fs.Glob(root, pattern)
		if err != nil {
			continue
		}
		for _, name := range names {
			out = append(out, workflowScripts(name, small(root, name))...)
		}
	}
	for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
		out = append(out, makeScripts(name, small(root, name))...)
	}
	return append(out, packageScripts("package.json", small(root, "package.json"))...)
}

// small reads a regular file that is not too large.
func small(root fs.FS, name string) []byte {
	st, err := fs.Stat(root, name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxScriptFile {
		return nil
	}
	b, err := fs.ReadFile(root, path.Clean(name))
	if err != nil {
		return nil
	}
	return b
}

// workflowScripts are the values of "run" anywhere in a workflow, other shells'
// excepted.
func workflowScripts(name string, text []byte) []Script {
	root, err := parseYAML(text)
	if err != nil || root == nil {
		return nil
	}
	var out []Script
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		n = deref(n)
		if n.Kind != yaml.MappingNode {
			for _, c := range n.Content {
				walk(c)
			}
			return
		}
		fs := fields(n)
		shell := ""
		for _, f := range fs {
			if f.key == "shell" {
				shell = deref(f.node).Value
			}
		}
		for _, f := range fs {
			v := deref(f.node)
			if f.key == "run" && v.Kind == yaml.ScalarNode {
				if shell == "" || strings.HasPrefix(shell, "bash") || strings.HasPrefix(shell, "sh") {
					out = append(out, Script{File: name, Line: v.Line, Text: expressionsAway(v.Value)})
				}
				continue
			}
			walk(f.node)
		}
	}
	walk(root)
	return out
}

// expressionsAway writes ${{ .. }} as a variable, which is as unknown to a
// reader of the shell as the expression.
func expressionsAway(s string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "${{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		_, after, ok := strings.Cut(rest, "}}")
		if !ok {
			return b.String()
		}
		b.WriteString("$WORKFLOW_VALUE")
		s = after
	}
}

// packageScripts are the scripts of a package.json, by name.
func packageScripts(name string, text []byte) []Script {
	var doc struct {
		Scripts map[string]any `json:"scripts"`
	}
	if len(text) == 0 || json.Unmarshal(text, &doc) != nil {
		return nil
	}
	lines := strings.Split(string(text), "\n")
	var out []Script
	for _, key := range sortedKeys(doc.Scripts) {
		s, ok := doc.Scripts[key].(string)
		if !ok || strings.TrimSpace(s) == "" {
			continue
		}
		line := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), `"`+key+`"`) })
		out = append(out, Script{File: name, Line: line + 1, Text: s})
	}
	return out
}
