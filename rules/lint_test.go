package rules

import (
	"strings"
	"testing"
	"time"
)

// A lintCase is a file that fires a code and a near miss that does not. user,
// if given, is the user's file beside it.
type lintCase struct {
	code        string
	fires, miss string
	user        string
	says        string
}

var lintCases = []lintCase{
	{code: "L001", fires: `rules: [{id: a, never: make_test}]`, miss: `rules: [{id: a, never: {tool: make, with: {argv: test}}}]`, says: "{tool: make, with: {argv: test}}"},
	{code: "L001", fires: `rules: [{id: a, never: git_pushh}]`, miss: `rules: [{id: a, never: git_notes}]`, says: "did you mean git_push?"},
	{code: "L001", fires: `rules: [{id: a, never: Bassh}]`, miss: `rules: [{id: a, ltl: 'G(!now("nc"))'}]`, says: "did you mean Bash?"},
	{code: "L002", fires: `rules: [{id: a, never: {tool: git_push, with: {repository: x}}}]`, miss: `rules: [{id: a, never: {tool: git_push, with: {remote: x}, where: {redirect_to: "*"}}}]`, says: "refspecs"},
	{code: "L002", fires: `rules: [{id: a, never: {tool: rm, where: {path: x}}}]`, miss: `rules: [{id: a, never: {tool: dd, with: {of: x}}}]`, says: "did you mean paths?"},
	{code: "L002", fires: `rules: [{id: a, never: {tool: zork, with: {level: 1}}}]`, miss: `rules: [{id: a, never: {tool: zork, with: {argv: x}}}]`, says: "add a spec"},
	{code: "L003", fires: `rules: [{id: a, never: Bash}]`, miss: `rules: [{id: a, never: unanalysed}]`, says: "could not be read"},
	{code: "L004", fires: `rules: [{id: a, never: {tool: rm, with: {paths: $f}}}]`, miss: `rules: [{id: a, never: {tool: rm, with: {paths: $$f}}}]`, says: "$f"},
	{code: "L005", fires: `rules: [{id: a, never: {tool: kubectl_delete, with: {namespace: on}}}]`, miss: `rules: [{id: a, never: {tool: git_push, with: {force: on}}}]`, says: "namespace"},
	{code: "L005", fires: `rules: [{id: a, never: {tool: helm_upgrade, with: {version: 1.10}}}]`, miss: `rules: [{id: a, never: {tool: helm_upgrade, with: {version: "1.10"}}}]`, says: "quotes"},
	{code: "L006", fires: `rules: [{id: a, require: {tool: rm, where: {paths: "out/*"}}}]`, miss: `rules: [{id: a, require: {tool: rm, each: {paths: "out/*"}}}]`, says: "each"},
	{code: "L007", fires: `rules: [{id: a, never: {tool: rm, succeeded: true}}]`, miss: `rules: [{id: a, before: [{tool: go_test, succeeded: true}, rm]}]`, says: "succeeded"},
	{code: "L010", fires: "rules:\n- {id: a, never: gofmt}\n- {id: b, finally: gofmt}", miss: "rules:\n- {id: a, never: {tool: gofmt, with: {write: true}}}\n- {id: b, finally: gofmt}", says: "what a never allows"},
	{code: "L010", fires: "rules:\n- {id: a, never: pytest}\n- {id: b, before: [{tool: pytest, succeeded: true}, git_push]}", miss: "rules:\n- {id: a, never: pytest}\n- {id: b, before: [[pytest, tox], git_push]}", says: "needs first"},
	{code: "L011", fires: "rules:\n- {id: a, before: [x, y]}\n- {id: b, before: [y, x]}", miss: "rules:\n- {id: a, before: [x, y]}\n- {id: b, before: [[y, z], x]}", says: "a and b wait"},
	{code: "L014", fires: `rules: [{id: a, ltl: 'called_n("x", < 0)'}]`, miss: `rules: [{id: a, ltl: 'called_n("x", < 2)'}]`, says: "never holds"},
	{code: "L015", fires: "rules:\n- {id: a, never: rm}\n- {id: b, never: rm}", miss: "rules:\n- {id: a, never: rm}\n- {id: b, never: rm, mode: ask}", says: "the same as a"},
	{code: "L015", fires: "rules:\n- {id: a, never: x, mode: log}", user: "rules:\n- {id: a, never: x, locked: true}", miss: "rules:\n- {id: c, never: x, mode: log}", says: "weaker than block"},
	{code: "L015", fires: "disable: [a]", user: "rules:\n- {id: a, never: x}", miss: "disable: [b]", says: "switches off 1 of your rules (a)"},
	{code: "L016", fires: `rules: [{id: a, ltl: '! now("x") W now("y")'}]`, miss: `rules: [{id: a, ltl: '(!now("x")) W now("y")'}]`, says: "is read as"},
	{code: "L016", fires: `rules: [{id: a, ltl: 'G(now("x") -> before("y", "x"))'}]`, miss: `rules: [{id: a, ltl: 'G(now("x") -> Y(O(now("y"))))'}]`, says: "whole trace"},
	{code: "L017", fires: "rules:\n- id: a\n  never: x\n  never: y", miss: "rules:\n- id: a\n  never: x", says: "twice"},
	{code: "L017", fires: "rules:\n- {id: a, never: {tool: git_push, with: {force: yes}}}", miss: "rules:\n- {id: a, never: {tool: git_push, with: {force: true}}}", says: "read as true"},
	{code: "L018", fires: `rules: [{id: a, never: x}]`, miss: `rules: [{id: a, never: x, why: It is slow., fix: Use y.}]`, says: "neither"},
	{code: "L018", fires: `rules: [{id: no-x, never: x, why: No x., fix: Use y.}]`, miss: `rules: [{id: no-x, never: x, why: It is slow., fix: Use y.}]`, says: "repeats"},
	{code: "L019", fires: `rules: [{id: a, never: {tool: Bash, matches: 'git push'}}]`, miss: `rules: [{id: a, never: {tool: Bash, matches: 'frobnicate'}}]`, says: "name the tool git"},
	{code: "L020", fires: `rules: [{id: a, never: x, review_by: 2026-06-10}]`, miss: `rules: [{id: a, never: x, review_by: 2026-06-30}]`, says: "in 9 days"},
	{code: "L020", fires: `rules: [{id: a, never: x, except: [{call: x, until: 2026-05-01, reason: r}]}]`, miss: `rules: [{id: a, never: x, except: [{call: x, until: 2027-05-01, reason: r}]}]`, says: "has passed"},
	{code: "L021", fires: "rules: [{id: a, never: x, locked: true}]", miss: "rules: [{id: a, never: x, shadow: true}]", says: "rules.locked"},
	{code: "L021", fires: "settings: {unparseable: allow}", user: "settings: {unparseable: deny, locked: [unparseable]}", miss: "settings: {unparseable: deny}", says: "unparseable.auto"},
	{code: "L022", fires: "tools: {git: {extend: false}}", user: "rules: [{id: u, never: git_push}]", miss: "tools: {kubectl: {extend: false}}", says: "depend"},
}

func lintText(t *testing.T, project, user string) []Finding {
	t.Helper()
	var files []File
	if user != "" {
		files = append(files, File{Layer: User, Path: "/home/AGENTLTL.yaml", Text: []byte(user)})
	}
	files = append(files, File{Layer: ProjectFile, Path: "/p/AGENTLTL.yaml", Text: []byte(project)})
	set, problems := Load(files, LoadOptions{Harness: "plain", Context: &Context{Root: "/p", Home: "/home"}})
	if len(problems) > 0 {
		t.Fatalf("%s\n%v", project, problems)
	}
	return Lint(set, time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
}

func TestLint(t *testing.T) {
	covered := map[string]bool{}
	for _, c := range lintCases {
		covered[c.code] = true
		var said []string
		for _, f := range lintText(t, c.fires, c.user) {
			if f.Code == c.code {
				said = append(said, f.String())
			}
		}
		if !strings.Contains(strings.Join(said, "\n"), c.says) {
			t.Errorf("%s does not say %q on\n%s\n%q", c.code, c.says, c.fires, said)
		}
		for _, f := range lintText(t, c.miss, c.user) {
			if f.Code == c.code {
				t.Errorf("%s fires on its near miss\n%s\n%v", c.code, c.miss, f)
			}
		}
	}
	for code := range LintCodes() {
		if !covered[code] {
			t.Errorf("no case fires %s", code)
		}
	}
}

func TestLintIgnore(t *testing.T) {
	const text = `rules:
  # agentltl: ignore L018, L001
  - {id: a, never: git_pushh}
  # agentltl: ignore L003
  - {id: b, never: git_pushh, mode: ask}
`
	for _, f := range lintText(t, text, "") {
		if f.Rule == "a" {
			t.Errorf("not silenced: %v", f)
		}
	}
	if got := len(lintText(t, text, "")); got != 2 {
		t.Errorf("%d findings for b, want 2", got)
	}
}
