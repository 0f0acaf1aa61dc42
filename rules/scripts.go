package rules

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
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
