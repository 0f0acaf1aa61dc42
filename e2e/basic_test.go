//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

const noForcePush = `rules:
  - id: no-force-push
    never: {tool: git_push, with: {force: true}}
    why: A force push rewrites what others have already fetched.
    fix: Push without --force.
`

const testsFirst = `rules:
  - id: tests-first
    before: {first: {tool: pytest, succeeded: true}, then: git_push}
    why: Only tested work is pushed.
    fix: Run pytest and wait until it passes.
`

// basicScenarios are what makes the guard worth installing at all.
func basicScenarios() []scenario {
	return []scenario{
		{id: "a", title: "a forced push behind `cd` and `sudo` does not run; the model reads rule, why and fix", run: scenarioForcePush},
		{id: "b", title: "a push is refused until the tests ran *and* succeeded", run: scenarioTestsFirst},
		{id: "c", title: "scope project: prod is refused in a new session until staging ran in an earlier one", run: scenarioStaging},
		{id: "d", title: "session memory survives a resume and is empty in a new session", run: scenarioResume},
		{id: "d2", title: "session memory survives a forced compaction", run: scenarioCompaction},
		{id: "e", title: "parallel calls of one message cannot pass `at_most` 1", run: scenarioParallel},
		{id: "f", title: "a warn refusal is overridden by the exact repeat only", run: scenarioWarn},
		{id: "g", title: "`ask` headless is a refusal with its reason", run: scenarioAsk},
		{id: "h", title: "`stop` holds until the user writes", run: scenarioStop},
		{id: "i", title: "uninstall gives configuration files their old bytes back, or takes out our entries only", run: scenarioUninstall},
		{id: "j", title: "a refused test run does not satisfy `before`", run: scenarioRefusedTests},
		{id: "k", title: "a hostile environment block, a nested rule file and `git init` below the root weaken nothing", run: scenarioHostileFolder},
	}
}

func scenarioForcePush(_ *testing.T, l *lab) {
	l.rules(noForcePush)
	l.install()
	r := l.run(model.Say(
		model.Do(l.d.shell("mkdir -p x && cd x && sudo git push --force origin main")),
		model.Do(l.d.shell("git push origin main")),
		model.End("Done."),
	))
	r.wantResult(0, "no-force-push", "A force push rewrites what others have already fetched.", "Push without --force.")
	l.wantRan("git push --force origin main", 0)
	l.wantRan("git push origin main", 1)
	if l.exists("x") {
		l.t.Error("a part of the refused line ran")
	}
}

func scenarioTestsFirst(_ *testing.T, l *lab) {
	l.rules(testsFirst)
	l.write("pytest-status", "1\n")
	l.install()
	r := l.run(model.Say(
		model.Do(l.d.shell("git push")),
		model.Do(l.d.shell("pytest")),
		model.Do(l.d.shell("git push")),
		model.Do(l.d.shell("echo 0 > pytest-status")),
		model.Do(l.d.shell("pytest")),
		model.Do(l.d.shell("git push")),
		model.End("Done."),
	))
	r.wantResult(0, "tests-first", "Run pytest and wait until it passes.")
	r.wantResult(2, "tests-first")
	l.wantRan("pytest", 2)
	l.wantRan("git push", 1)
}

func scenarioStaging(_ *testing.T, l *lab) {
	l.rules(`rules:
  - id: staging-first
    scope: project
    before: [{tool: make, with: {argv: deploy-staging}}, {tool: make, with: {argv: deploy-prod}}]
    why: Staging catches what tests do not.
`)
	l.install()
	prod := model.Say(model.Do(l.d.shell("make deploy-prod")), model.End("Done."))
	l.run(prod).wantResult(0, "staging-first", "Staging catches what tests do not.")
	l.wantRan("make deploy-prod", 0)
	l.run(model.Say(model.Do(l.d.shell("make deploy-staging")), model.End("Done.")))
	l.run(prod)
	l.wantRan("make deploy-staging", 1)
	l.wantRan("make deploy-prod", 1)
}

func scenarioResume(_ *testing.T, l *lab) {
	l.rules(testsFirst)
	l.install()
	push := model.Say(model.Do(l.d.shell("git push")), model.End("Done."))
	l.run(model.Say(model.Do(l.d.shell("pytest")), model.End("Done.")))
	l.run(push, runOption{resume: true, prompt: "go on"})
	l.wantRan("git push", 1)
	l.run(push).wantResult(0, "tests-first")
	l.wantRan("git push", 1)
}

// compactionLanes answer the requests by which the harnesses ask for a summary.
func compactionLanes() []model.Lane {
	summary := model.End("Summary: pytest passed. Next: push.")
	var lanes []model.Lane
	for _, text := range []string{
		"summary of the conversation", "CONTEXT CHECKPOINT", "create a detailed summary",
	} {
		lanes = append(lanes, model.Lane{Name: "summary", When: model.When{LastUser: text}, Then: &summary})
	}
	return lanes
}

// largeUsage is what a turn reports so that the harness compacts its context.
const largeUsage = 150_000

func scenarioCompaction(_ *testing.T, l *lab) {
	l.rules(testsFirst)
	l.install()
	large := model.Do(l.d.shell("echo large"))
	large.TokensIn = largeUsage
	r := l.run(model.Script{
		Lanes: compactionLanes(),
		Turns: []model.Turn{
			model.Do(l.d.shell("pytest")),
			large,
			model.Do(l.d.shell("git push")),
			model.End("Done."),
		},
	}, runOption{compact: true})
	compacted := false
	for _, a := range r.Asked() {
		compacted = compacted || a.Lane == "summary"
	}
	if !compacted {
		l.t.Errorf("the harness did not compact its context\n%s", r.evidence())
	}
	l.wantRan("git push", 1)
}

func scenarioParallel(_ *testing.T, l *lab) {
	l.rules(`rules:
  - id: one-deploy
    at_most: {call: deploy, times: 1}
  - id: one-echo
    at_most: {call: echo, times: 1}
`)
	l.install()
	r := l.run(model.Say(
		model.Do(l.d.shell("deploy a"), l.d.shell("deploy b"), l.d.shell("deploy c")),
		model.Do(l.d.shell("echo first-echo"), l.d.shell("echo second-echo"), l.d.shell("echo third-echo")),
		model.End("Done."),
	))
	if n := l.ran("deploy a") + l.ran("deploy b") + l.ran("deploy c"); n != 1 {
		l.t.Errorf("%d of three parallel deploys ran, want 1\n%s", n, r.evidence())
	}
	echoes := 0
	for _, res := range r.Results() {
		if !strings.Contains(res.Text, "one-echo") && strings.Contains(res.Text, "-echo") {
			echoes++
		}
	}
	if echoes != 1 {
		l.t.Errorf("%d of three parallel echoes ran, want 1\n%s", echoes, r.evidence())
	}
}

func scenarioWarn(_ *testing.T, l *lab) {
	l.rules(`rules:
  - id: careful
    mode: warn
    never: {tool: make, with: {argv: clean}}
    why: Cleaning takes an hour to undo.
`)
	l.install()
	r := l.run(model.Say(
		model.Do(l.d.shell("make clean")),     // refused
		model.Do(l.d.shell("make clean all")), // another call: refused
		model.Do(l.d.shell("make clean")),     // the refusal before was another's
		model.Do(l.d.shell("make clean")),     // the exact repeat passes
		model.Do(l.d.shell("make clean")),     // and is used up
		model.End("Done."),
	))
	l.wantRan("make clean", 1)
	l.wantRan("make clean all", 0)
	for _, i := range []int{0, 1, 2, 4} {
		r.wantResult(i, "careful")
	}
}

func scenarioAsk(_ *testing.T, l *lab) {
	l.rules(`rules:
  - id: ask-deploy
    mode: ask
    never: deploy
    why: A person says when to deploy.
`)
	l.install()
	r := l.run(model.Say(model.Do(l.d.shell("deploy now")), model.End("Done.")))
	r.wantResult(0, "ask-deploy", "A person says when to deploy.")
	l.wantRan("deploy now", 0)
}

func scenarioStop(_ *testing.T, l *lab) {
	l.rules(`rules:
  - id: no-deploys
    mode: stop
    never: deploy
    why: Deploys are frozen.
`)
	l.install()
	first := model.Say(model.Do(l.d.shell("deploy now")), model.Do(l.d.shell("lint")), model.End("Done."))
	if l.d.name() == "claude-code" { // it ends the turn after the message: the second call is in the same one
		first = model.Say(model.Do(l.d.shell("deploy now"), l.d.shell("lint")), model.End("Done."))
	}
	r := l.run(first, runOption{halts: true})
	r.wantNotHeard("this text is in no answer")
	l.wantRan("deploy now", 0)
	l.wantRan("lint", 0)
	l.run(model.Say(model.Do(l.d.shell("lint")), model.End("Done.")), runOption{resume: true, prompt: "I have read it; go on."})
	l.wantRan("lint", 1)
}

func scenarioRefusedTests(_ *testing.T, l *lab) {
	l.rules(testsFirst + `  - id: no-deploy
    never: deploy
`)
	l.install()
	r := l.run(model.Say(
		model.Do(l.d.shell("pytest && deploy now")),
		model.Do(l.d.shell("git push")),
		model.End("Done."),
	))
	r.wantResult(0, "no-deploy")
	r.wantResult(1, "tests-first")
	l.wantRan("pytest", 0)
	l.wantRan("git push", 0)
}
