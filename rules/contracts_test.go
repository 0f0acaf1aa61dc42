package rules

import (
	"os"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/trace"
)

// TestContractFiles: a contract file can simply be named AGENTLTL.yaml. The
// recorded configuration cases load, or are refused with the entry named.
func TestContractFiles(t *testing.T) {
	data, err := os.ReadFile("../testdata/vectors/contracts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for line := range strings.Lines(string(data)) {
		v, err := trace.DecodeJSON([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		m := v.(map[string]any)
		config, ok := m["config"].(map[string]any)
		if !ok {
			continue
		}
		// Initial state belongs to a later release: such files are refused with words
		// that say so, until then.
		later := config["state"] != nil || config["initial_state"] != nil
		set, problems := Load([]File{{Layer: ProjectFile, Path: "/p/AGENTLTL.yaml", Text: []byte(trace.Canonical(config))}}, LoadOptions{Context: &Context{Root: "/p"}})
		expect := m["expect"].(map[string]any)
		ran++
		switch {
		case later:
			if len(problems) == 0 || !strings.Contains(problems.Error(), "later release") {
				t.Errorf("%s: %v", m["id"], problems)
			}
		case expect["valid"] != (len(problems) == 0):
			t.Errorf("%s %s: valid %v, want %v: %v\n%s", m["id"], m["category"], len(problems) == 0, expect["valid"], problems, line)
		case len(problems) == 0 && trace.Canonical(expect["contracts"]) != trace.Canonical(len(set.Rules)):
			t.Errorf("%s: %d rules, want %v", m["id"], len(set.Rules), expect["contracts"])
		}
	}
	if ran != 22 {
		t.Errorf("%d cases, want 22", ran)
	}
}

func TestContractForm(t *testing.T) {
	set := loadText(t, `
groups:
  shop:
    - {template: at_most_total, args: [pay, amount], kwargs: {limit: 500}}
    - {template: rate_limit, args: [get, 3, 1.5]}
  names: [must-precede-validate-record-delete-record]
contracts:
  - {template: must_precede, args: [validate_record, delete_record]}
  - {group: shop}
  - {template: must_precede, args: [validate_record, delete_record]}
  - {template: never_after, args: [{tool: Bash, matches: git push}, freeze]}
  - {template: mutually_exclusive, args: [a, b, c]}
rules:
  - {id: own, never: x}
`)
	var got []string
	for i := range set.Rules {
		got = append(got, set.Rules[i].ID+" "+set.Rules[i].Kind+" "+set.Rules[i].Mode.String())
	}
	want := []string{
		"own never block", "must-precede-validate-record-delete-record must_precede block", "at-most-total-pay at_most_total block",
		"rate-limit-get rate_limit block", "must-precede-validate-record-delete-record-2 must_precede block",
		"never-after-bash-freeze never_after block", "mutually-exclusive-a-b-c mutually_exclusive block",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
