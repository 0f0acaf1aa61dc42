package rules

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentltl/agentltl-hook/shell/spec"
	"github.com/agentltl/agentltl-hook/trace"
)

// What a store keeps of a set comes back whole.
func TestPartsComeBack(t *testing.T) {
	t.Parallel()
	text := `tools: {frob: {options: [{flags: [-f, --force], type: bool}]}}
rules:
  - {id: a, never: {tool: git_push, with: {force: true, refspecs: [main, {not: dev}]}}, mode: ask, maybe: {read: note}, why: w, review_by: 2030-01-01}
  - {id: b, at_most: {call: frob, times: 3}, except: [{call: frob, until: 2030-01-01, reason: r}]}
settings: {retries: 4, unparseable: deny, keep: {session: 10}}
`
	set, problems := Load([]File{{Layer: User, Path: "/AGENTLTL.yaml", Text: []byte(text)}}, LoadOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	h := head{Settings: set.Settings, Told: set.Told, Tools: set.tools, Groups: set.Groups, BuiltIns: map[string]int{"x": 3}}
	var got head
	if _, err := trace.DecodeStruct(trace.AppendStruct(nil, &h, nil), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(spec.Command{}), cmpopts.IgnoreFields(spec.Command{}, "Line")); diff != "" {
		t.Errorf("head (-wrote +read):\n%s", diff)
	}
	for i := range set.defs {
		c, err := readRule(set.rulePart(i))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(set.defs[i], c.Def, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(def{})); diff != "" {
			t.Errorf("rule %d (-wrote +read):\n%s", i, diff)
		}
	}
}
