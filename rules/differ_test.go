package rules_test

import (
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/rules"
)

// TestDiffers: where we differ from the peer on purpose (rules.md 21), as far as
// it shows in one rule file and its decisions; each with our answer. D1 and D29
// are in TestLastGood and TestFindProject, D2 to D4 and D19 are the store's,
// D11 and D27 TestFindKept's, the modes guard's.
func TestDiffers(t *testing.T) {
	for _, tt := range []struct{ id, text, steps, want string }{
		{
			"D5 one repeat covers every warn of the line",
			"rules: [{id: a, never: aaa, mode: warn}, {id: b, never: bbb, mode: warn}]",
			"aaa; bbb\naaa; bbb", "deny, allow",
		},
		{
			"D9 every value is judged",
			"rules: [{id: r, before: {first: {tool: Write, with: {file_path: $f}}, then: {tool: rm, with: {paths: $f}}}}]",
			"Write {\"file_path\": \"a.tmp\"}\nWrite {\"file_path\": \"b.tmp\"}\nrm a.tmp\nrm b.tmp\nrm a.tmp README", "allow, allow, allow, allow, deny",
		},
		{
			"D10 strength over both scopes",
			"rules: [{id: p, never: aaa, mode: warn, scope: project}, {id: s, never: aaa, mode: ask}]",
			"aaa", "ask",
		},
		{
			"D12 maps are looked into",
			"rules: [{id: r, never: {tool: mcp__a__b, where: {\"*\": \"*DROP*\"}}}]",
			"mcp__a__b {\"q\": {\"sql\": [\"DROP x\"]}}\nmcp__a__b {\"q\": {\"sql\": \"x\"}}", "deny, allow",
		},
		{
			"D13 a shell tool without a command is not analysable",
			"rules: [{id: r, never: rm}]",
			"Bash {}", "ask",
		},
		{
			"D17 a force push by refspec, discarding by checkout",
			"use: [no-force-push, ask-before-discarding-work]",
			"git push origin +main\ngit checkout .", "deny, ask",
		},
		{
			"D22 values that are not known",
			"rules: [{id: r, before: {first: {tool: Read, with: {file_path: $f}}, then: {tool: rm, with: {paths: $f}}}}]",
			"Read {\"file_path\": \"a\"}\nls | xargs rm\nrm $X\nrm a", "allow, deny, deny, allow",
		},
		{
			"D23 the readable calls are judged",
			"settings: {unparseable: note}\nrules: [{id: r, never: {tool: rm, with: {recursive: true}}}]",
			"rm -rf /x ; eval \"$X\"\neval \"$X\"", "deny, note",
		},
		{
			"D24 what can be read is read",
			"rules: [{id: r, never: rm}]",
			"eval 'rm x'\nrm x &\nf() { rm x; }; f\nsh <<'E'\\nrm x\\nE\neval 'ls x'", "deny, deny, deny, deny, allow",
		},
		{
			"D28 unknown files of packaged entries; operands of echo",
			"use: [protect-secret-files]",
			"for f in *.go; do cat $f; done\ncat $X\necho .env\ncat .env", "note, note, allow, stop",
		},
		{
			"D28 and back to the peer's answer",
			"use: [{protect-env-files: {maybe: refuse}}]",
			"cat $X", "deny",
		},
	} {
		got := decisions(t, tt.text, tt.steps)
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.id, got, tt.want)
		}
	}
}

// TestDiffersAtLoad: D20 and D26.
func TestDiffersAtLoad(t *testing.T) {
	load := func(text string) (*rules.Set, rules.Problems) {
		return rules.Load([]rules.File{{Layer: rules.ProjectFile, Path: "/p/AGENTLTL.yaml", Text: []byte(text)}}, rules.LoadOptions{})
	}
	for _, text := range []string{
		"settings: {retries: true}", "rules: [{id: a, at_most: {call: x, times: true}}]", "settings: {announce: 1}",
	} {
		if _, problems := load(text); len(problems) != 1 {
			t.Errorf("D20: %s: %v", text, problems)
		}
	}
	got := decisions(t, `rules:
  - {id: clock, never: {tool: mcp__a__b, with: {v: 1:30}}}
  - {id: thousand, never: {tool: mcp__a__b, with: {v: 1e3}}}
  - {id: octal, never: {tool: mcp__a__b, with: {v: 0o10}}}
  - {id: old, never: {tool: mcp__a__b, with: {w: yes}}}
`, `mcp__a__b {"v": "1:30"}
mcp__a__b {"v": 1000}
mcp__a__b {"v": 8}
mcp__a__b {"w": true}
mcp__a__b {"v": 90}`)
	if want := "deny, deny, deny, deny, allow"; got != want {
		t.Errorf("D26: %s, want %s", got, want)
	}
}

func decisions(t *testing.T, text, steps string) string {
	t.Helper()
	var out []string
	for line := range strings.Lines(playKind(t, text, strings.ReplaceAll(steps, `\n`, "\x00"))) {
		if line = strings.TrimRight(line, "\n"); strings.HasPrefix(line, "    ") {
			continue
		}
		_, answer, _ := strings.Cut(line[strings.LastIndex(line, ": "):], ": ")
		answer, _, _ = strings.Cut(answer, " ")
		out = append(out, answer)
	}
	return strings.Join(out, ", ")
}
