package rules

import (
	"strings"
	"testing"
)

// The example of a command spec writes paths as its line does, in lists too.
func TestSpecExamplesNamePathsAsTheLineDoes(t *testing.T) {
	const spec = "tools: {dbtool: {positionals: [{name: files, nargs: '*', path: true}], " +
		"examples: [{line: dbtool a.txt sub/b, tool: dbtool, args: {files: ARGS}}]}}\n"
	for args, good := range map[string]bool{"[a.txt, sub/b]": true, "a.txt": true, "[a.txt]": false, "[a.txt, b]": false} {
		text := strings.Replace(spec, "ARGS", args, 1)
		_, problems := Load([]File{{Layer: ProjectFile, Path: "/proj/AGENTLTL.yaml", Text: []byte(text)}}, LoadOptions{Context: &Context{Root: "/proj"}})
		if good != (len(problems) == 0) {
			t.Errorf("args %s: %v", args, problems)
		}
	}
}
