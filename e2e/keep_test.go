//go:build e2e

package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

// keepScenarios are what makes the guard worth keeping: it explains itself,
// survives mistakes, and says when it is off.
func keepScenarios() []scenario {
	return []scenario{
		{id: "broken-file", title: "a rule file broken in mid-session leaves the last good rules; agent and refusals are told file and line", run: scenarioBrokenFile},
		{id: "turn-end", title: "the end of a turn is sent back once, then satisfied", run: scenarioTurnEnd},
		{id: "secret", title: "a credential in a tool's output is reported and not stored", run: scenarioSecret},
		{id: "subagent", title: "a subagent's call is judged in its parent's trace", not: map[string]string{"vibe": "no hook runs in subagents; see unguarded"}, run: scenarioSubagent},
		{id: "unguarded", title: "a subagent that no hook would see is not started", only: []string{"vibe"}, run: scenarioUnguarded},
		{
			id: "announced", title: "the rules are announced at the start and again after a compaction",
			not: map[string]string{"vibe": "nothing is signalled"}, run: scenarioAnnounced,
		},
		{id: "program-gone", title: "the program is deleted in mid-session: what the harness does is what docs say", run: scenarioProgramGone},
		{id: "program-fails", title: "the program fails at every start: the same", run: scenarioProgramFails},
		{id: "files", title: "a rule about files holds for the native tool and for the shell", run: scenarioFiles},
		{id: "retry", title: "`retry` refuses, then asks", run: scenarioRetry},
		{id: "log", title: "the note of a `log` rule reaches the model, and the call runs", run: scenarioLog},
		{id: "across", title: "a call made in this harness counts in another", run: scenarioAcross},
		{
			id: "twice", title: "two registrations of the guard are one attempt",
			not: map[string]string{"copilot-cli": "its payloads have no call id; `doctor` finds the second registration"}, run: scenarioTwice,
		},
		{
			id: "answered", title: "where there is no ask: after the person wrote, the exact call passes once",
			only: []string{"codex", "vibe"}, run: scenarioAnswered,
		},
		{
			id: "gap", title: "a call that no hook saw is found by `doctor` in the harness's own record",
			not: map[string]string{"copilot-cli": "its records are not read yet"}, run: scenarioGap,
		},
		{id: "doctor", title: "after install every check of the harness is fine", run: scenarioDoctor},
	}
}

func scenarioBrokenFile(_ *testing.T, l *lab) {
	l.rules(noForcePush)
	l.install()
	l.write(filepath.Join(l.bin, "broken.yaml"), strings.Replace(noForcePush, "never:", "nevr:", 1))
	l.script("break-rules", "cp "+filepath.Join(l.bin, "broken.yaml")+" "+l.path("AGENTLTL.yaml"))
	r := l.run(model.Say(
		model.Do(l.d.shell("git push -f")),
		model.Do(l.d.shell("break-rules")),
		model.Do(l.d.shell("git push -f")),
		model.End("Done."),
	))
	r.wantResult(0, "no-force-push")
	r.wantResult(2, "no-force-push", "AGENTLTL.yaml:2", "nevr")
	l.wantRan("break-rules ", 1)
	r = l.run(model.Say(model.Do(l.d.shell("git push -f")), model.End("Done.")))
	r.wantResult(0, "no-force-push")
	if l.d.name() != "vibe" { // it has no session start
		r.wantHeard("AGENTLTL.yaml:2")
	}
	l.wantRan("git push -f", 0)
}

func scenarioTurnEnd(_ *testing.T, l *lab) {
	l.rules(`rules:
  - id: tests-at-end
    finally: {call: pytest, since: [Edit, Write]}
    why: Work ends with a test run.
    fix: pytest
`)
	l.install()
	r := l.run(model.Say(
		model.Do(l.d.write(l, "notes.txt", "one\n")),
		model.End("All done."),
		model.Do(l.d.shell("pytest")),
		model.End("Now all done."),
	))
	if got := l.read("notes.txt"); got != "one\n" {
		l.t.Errorf("the file holds %q", got)
	}
	l.wantRan("pytest", 1)
	r.wantHeard("tests-at-end")
	if n := len(r.mainRequests()); n != 4 {
		l.t.Errorf("the model was asked %d times, want 4: one send-back\n%s", n, r.evidence())
	}
}

// mainRequests are the requests of the main conversation.
func (r *run) mainRequests() []model.Asked {
	var main []model.Asked
	for _, a := range r.Asked() {
		if a.Lane == "main" {
			main = append(main, a)
		}
	}
	return main
}

func scenarioSecret(_ *testing.T, l *lab) {
	secret := "ghp_" + strings.Repeat("a1B2", 9) // in two parts: no scanner should find it here
	l.rules(noForcePush)
	l.install()
	l.script("show-token", "echo token="+secret)
	r := l.run(model.Say(model.Do(l.d.shell("show-token")), model.Do(l.d.shell("lint")), model.End("Done.")))
	r.wantHeard("GitHub")
	l.wantRan("show-token ", 1)
	found := l.stateHolds(secret)
	if len(found) > 0 {
		l.t.Errorf("the credential is in %q", found)
	}
	if len(l.stateHolds("show-token")) == 0 {
		l.t.Error("the call is not in the store at all")
	}
}

// stateHolds lists the files of the state folder that hold text.
func (l *lab) stateHolds(text string) (files []string) {
	root := filepath.Join(l.home, ".local", "state", "agentltl")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			files = append(files, path)
		}
		return err
	})
	l.must(err)
	return files
}

const oneDeploy = `rules:
  - id: one-deploy
    at_most: {call: deploy, times: 1}
`

func scenarioSubagent(_ *testing.T, l *lab) {
	l.rules(oneDeploy)
	l.install()
	spawn, o := spawnCalls(l)
	r := l.run(model.Script{
		Lanes: []model.Lane{{
			Name: "sub", When: model.When{Body: "SUBTASK", LastUser: "SUBTASK"},
			Turns: []model.Turn{model.Do(l.d.shell("deploy child")), model.End("The child is done.")},
		}},
		Turns: append(append([]model.Turn{model.Do(l.d.shell("deploy parent"))}, spawn...), model.End("Done.")),
	}, o)
	l.wantRan("deploy parent", 1)
	l.wantRan("deploy child", 0)
	r.wantHeard("one-deploy")
}

// spawnCalls are the turns that start a subagent and wait for it.
func spawnCalls(l *lab) ([]model.Turn, runOption) {
	switch l.d.name() {
	case "claude-code":
		return []model.Turn{model.Do(model.Call{Name: "Task", Args: args{
			"description": "sub", "prompt": "SUBTASK do it", "subagent_type": "general-purpose", "run_in_background": false,
		}})}, runOption{}
	case "copilot-cli":
		return []model.Turn{model.Do(model.Call{Name: "task", Args: args{
			"name": "sub-one", "description": "sub", "prompt": "SUBTASK do it", "agent_type": "general-purpose", "mode": "sync",
		}})}, runOption{}
	default: // an unknown model name brings these tools (harness-codex.md 8)
		wait := model.Do(model.Call{Namespace: "multi_agent_v1", Name: "wait_agent", Args: args{
			"targets": []string{"@ID@"}, "timeout_ms": 20000,
		}})
		wait.Vars = map[string]string{"ID": `agent_id\\?\\?\\?":\s*\\?\\?\\?"([0-9a-f-]+)`}
		return []model.Turn{
			model.Do(model.Call{Namespace: "multi_agent_v1", Name: "spawn_agent", Args: args{"message": "SUBTASK do it", "agent_type": "default"}}),
			wait,
		}, runOption{model: "scripted-model"}
	}
}

// typescript is a call of Vibe's tool that runs a program which calls tools.
func typescript(body string) model.Call {
	return model.Call{Name: "run_typescript", Args: args{"code": "async function main() {\n" + body + "\n}"}}
}

func scenarioUnguarded(_ *testing.T, l *lab) {
	l.rules(noForcePush)
	l.install()
	l.run(model.Script{
		Lanes: []model.Lane{{
			Name: "sub", When: model.When{LastUser: "SUBTASK"},
			Turns: []model.Turn{model.Do(l.d.shell("deploy child")), model.End("The child is done.")},
		}},
		Turns: []model.Turn{
			model.Do(typescript(`  const s = await tools.subagent.spawn({agentName: "helper", message: "SUBTASK go"});
  return JSON.stringify(s);`)),
			model.End("Done."),
		},
	})
	l.wantRan("deploy child", 0)
	out, _ := l.guard("trace", "--decisions", "--json", "--harness", "vibe")
	if !strings.Contains(out, "no-unguarded-subagents") {
		l.t.Errorf("no decision names the rule:\n%s", out)
	}
}

func scenarioAnnounced(_ *testing.T, l *lab) {
	l.rules(testsFirst)
	l.install()
	large := model.Do(l.d.shell("echo large"))
	large.TokensIn = largeUsage
	r := l.run(model.Script{
		Lanes: compactionLanes(),
		Turns: []model.Turn{
			model.Do(l.d.shell("lint")), large,
			model.Do(l.d.shell("lint again")), model.Do(l.d.shell("lint more")), model.End("Done."),
		},
	}, runOption{compact: true})
	main := r.mainRequests()
	if !strings.Contains(main[0].Body, "tests-first") {
		l.t.Errorf("the first request announces no rule\n%s", r.evidence())
	}
	compacted, announced := false, false
	for _, a := range r.Asked() {
		compacted = compacted || a.Lane == "summary"
		announced = announced || compacted && a.Lane == "main" && strings.Contains(a.Body, "tests-first")
	}
	if !compacted || !announced {
		l.t.Errorf("compacted: %v, announced afterwards: %v\n%s", compacted, announced, r.evidence())
	}
}

// scenarioProgramGone: closed where the installed registration makes it so.
func scenarioProgramGone(_ *testing.T, l *lab) {
	l.rules(noForcePush)
	l.install()
	l.script("lose-program", "rm -f "+l.program)
	l.run(model.Say(
		model.Do(l.d.shell("lint before")),
		model.Do(l.d.shell("lose-program")),
		model.Do(l.d.shell("lint after")),
		model.End("Done."),
	))
	l.wantRan("lint before", 1)
	if l.exists(l.program) {
		l.t.Fatal("the program is still there")
	}
	l.wantRan("lint after", openRuns(l))
}

func scenarioProgramFails(_ *testing.T, l *lab) {
	l.rules(noForcePush)
	l.install()
	l.write(filepath.Join(l.bin, "broken-program"), "#!/bin/sh\nexit 1\n")
	l.script("spoil-program", "chmod 755 "+filepath.Join(l.bin, "broken-program")+"; mv "+filepath.Join(l.bin, "broken-program")+" "+l.program)
	l.run(model.Say(
		model.Do(l.d.shell("lint before")),
		model.Do(l.d.shell("spoil-program")),
		model.Do(l.d.shell("lint after")),
		model.End("Done."),
	))
	l.wantRan("lint before", 1)
	l.wantRan("lint after", openRuns(l))
}

// openRuns is how often a call runs whose hook failed: Codex lets it.
func openRuns(l *lab) int {
	if l.d.name() == "codex" {
		return 1
	}
	return 0
}

func scenarioFiles(_ *testing.T, l *lab) {
	l.rules(`rules:
  - id: env-is-not-ours
    never: {tool: "*", where: {"*": [.env]}}
    why: Secrets are written by people.
`)
	l.install()
	r := l.run(model.Say(
		model.Do(l.d.write(l, ".env", "A=1\n")),
		model.Do(l.d.shell("echo A=1 > .env")),
		model.Do(l.d.shell("cat .env")),
		model.Do(l.d.write(l, "plain.txt", "A=1\n")),
		model.End("Done."),
	))
	for i := range 3 {
		r.wantResult(i, "env-is-not-ours")
	}
	if l.exists(".env") || !l.exists("plain.txt") {
		l.t.Errorf(".env there: %v, plain.txt there: %v", l.exists(".env"), l.exists("plain.txt"))
	}
}

func scenarioRetry(_ *testing.T, l *lab) {
	l.rules(`settings: {retries: 2}
rules:
  - id: try-again
    mode: retry
    never: deploy
    why: Deploys need a reason.
`)
	l.install()
	r := l.run(model.Say(
		model.Do(l.d.shell("deploy one")),
		model.Do(l.d.shell("deploy two")),
		model.Do(l.d.shell("deploy three")),
		model.End("Done."),
	))
	for i := range 3 {
		r.wantResult(i, "try-again")
	}
	if r.result(0) == r.result(1) {
		l.t.Errorf("the second refusal reads like the first:\n%s", r.result(1))
	}
	for _, s := range []string{"deploy one", "deploy two", "deploy three"} {
		l.wantRan(s, 0)
	}
}

func scenarioLog(_ *testing.T, l *lab) {
	l.rules(`settings: {announce: false}
rules:
  - id: just-noting
    mode: log
    never: deploy
    why: Deploys are counted.
`)
	l.install()
	r := l.run(model.Say(model.Do(l.d.shell("deploy now")), model.Do(l.d.shell("lint")), model.End("Done.")))
	l.wantRan("deploy now", 1)
	r.wantHeard("just-noting")
}

func scenarioAcross(t *testing.T, l *lab) {
	l.rules(`rules:
  - id: staging-first
    scope: project
    before: [{tool: make, with: {argv: deploy-staging}}, {tool: make, with: {argv: deploy-prod}}]
`)
	other := drivers()[0]
	if l.d.name() == other.name() {
		other = drivers()[2]
	}
	l2 := l.with(other)
	if l2 == nil {
		t.Skipf("%s is not installed", other.name())
	}
	l.install()
	l2.install()
	prod := func(d driver) model.Script {
		return model.Say(model.Do(d.shell("make deploy-prod")), model.End("Done."))
	}
	l2.run(prod(other)).wantResult(0, "staging-first")
	l.run(model.Say(model.Do(l.d.shell("make deploy-staging")), model.End("Done.")))
	l2.run(prod(other))
	l.wantRan("make deploy-staging", 1)
	l.wantRan("make deploy-prod", 1)
}

// with is the same machine with another harness on it; nil if that is not installed.
func (l *lab) with(d driver) *lab {
	p := pinned(d.name())
	if p.program == "" {
		return nil
	}
	l2 := *l
	l2.d, l2.pin = d, p
	l.must(os.Symlink(p.program, filepath.Join(l.bin, filepath.Base(p.program))))
	d.prepare(&l2)
	return &l2
}

func scenarioTwice(_ *testing.T, l *lab) {
	l.rules(`rules:
  - id: careful
    mode: warn
    never: deploy
`)
	l.install()
	l.install("--project", "--force")
	trustProject(l)
	r := l.run(model.Say(
		model.Do(l.d.shell("deploy now")), // one attempt, although two hooks judge it
		model.Do(l.d.shell("deploy now")), // the repeat passes
		model.End("Done."),
	))
	r.wantResult(0, "careful")
	l.wantRan("deploy now", 1)
}

// trustProject lets the harness run the repository's own hooks.
func trustProject(l *lab) {
	if l.d.name() == "codex" {
		file := filepath.Join(codexHome(l), "config.toml")
		l.write(file, l.read(file)+"\n[projects.\""+l.repo+"\"]\ntrust_level = \"trusted\"\n")
		l.install("--project", "--force")
	}
}

func scenarioAnswered(_ *testing.T, l *lab) {
	l.rules(`rules:
  - id: ask-deploy
    mode: ask
    never: deploy
    why: A person says when to deploy.
`)
	l.install()
	deploy := model.Do(l.d.shell("deploy now"))
	asking := []model.Turn{deploy, deploy, model.End("May I deploy?")}
	answered := []model.Turn{deploy, deploy, model.Do(l.d.shell("deploy other")), model.End("Done.")}
	if l.d.name() == "codex" { // headless it says that nobody is there: only its terminal can be answered
		answerInTerminal(l, asking, answered)
	} else {
		r := l.run(model.Say(asking...))
		r.wantResult(0, "ask-deploy")
		r.wantResult(1, "ask-deploy")
		l.wantRan("deploy now", 0)
		l.run(model.Say(answered...), runOption{resume: true, prompt: "Yes, deploy."})
	}
	l.wantRan("deploy now", 1)
	l.wantRan("deploy other", 0)
}

func scenarioGap(_ *testing.T, l *lab) {
	l.rules(noForcePush)
	l.install()
	l.run(model.Say(model.Do(l.d.shell("lint seen")), model.End("Done.")))
	file := foreignFiles(l)[0].file // the registration, gone for a while
	l.must(os.Rename(file, file+".away"))
	l.run(model.Say(model.Do(l.d.shell("lint unseen")), model.Do(l.d.shell("lint again")), model.End("Done.")), runOption{resume: true, prompt: "go on"})
	l.must(os.Rename(file+".away", file))
	out, _ := l.guard("doctor", "--json", "--harness", l.d.name())
	if !strings.Contains(out, `"harness.`+l.d.name()+`.unchecked_calls","severity":"warn"`) {
		l.t.Errorf("doctor does not see the two calls:\n%s", out)
	}
}

func scenarioDoctor(_ *testing.T, l *lab) {
	l.rules(noForcePush)
	l.install()
	l.run(model.Say(model.Do(l.d.shell("lint")), model.End("Done.")))
	out, status := l.guard("doctor", "--json", "--harness", l.d.name())
	if status != 0 {
		l.t.Errorf("doctor ends with %d:\n%s", status, out)
	}
	for _, id := range []string{"registered", "runs", "last_event"} {
		if !strings.Contains(out, `"harness.`+l.d.name()+"."+id+`","severity":"ok"`) {
			l.t.Errorf("doctor: %s is not ok:\n%s", id, out)
		}
	}
}
