//go:build e2e

package e2e

import (
	"testing"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

// surfaceScenarios go through the other ways in which a harness lets its model
// call tools.
func surfaceScenarios() []scenario {
	return []scenario{
		{id: "code-mode", title: "calls from inside a script of the model (code mode) are judged", only: []string{"codex"}, run: scenarioCodeMode},
		{id: "patch", title: "a patch is judged as the writes, edits and removals it stands for", only: []string{"codex", "copilot-cli"}, run: scenarioPatch},
		{id: "typescript", title: "calls from inside `run_typescript`, `process.start` included, are judged", only: []string{"vibe"}, run: scenarioTypescript},
	}
}

func scenarioCodeMode(_ *testing.T, l *lab) {
	l.rules(noForcePush + "  - {id: env-is-not-ours, never: {tool: [Write, Edit], where: {file_path: .env}}}\n")
	l.install()
	exec := func(js string) model.Turn {
		return model.Do(model.Call{Namespace: "functions", Name: "exec", Input: js, Custom: true})
	}
	r := l.run(model.Say(
		exec("text(await tools.exec_command({cmd: 'git push -f'}));"),
		exec("text(await tools.exec_command({cmd: 'git push'}));"),
		exec("text(await tools.apply_patch('*** Begin Patch\\n*** Add File: .env\\n+A=1\\n*** End Patch\\n'));"),
		model.End("Done."),
	), runOption{model: "gpt-6-sol"})
	r.wantHeard("no-force-push", "env-is-not-ours")
	l.wantRan("git push -f", 0)
	l.wantRan("git push", 1)
	if l.exists(".env") {
		l.t.Error("the refused patch was applied")
	}
}

func scenarioPatch(_ *testing.T, l *lab) {
	l.write("old.txt", "one\n")
	l.write("keep.txt", "one\n")
	l.rules(`rules:
  - {id: env-is-not-ours, never: {tool: Write, where: {file_path: .env}}}
  - {id: keep-it, never: {tool: Edit, where: {file_path: keep.txt}}}
  - {id: no-removals, never: {tool: rm, where: {paths: old.txt}}}
`)
	l.install()
	o := runOption{}
	if l.d.name() == "copilot-cli" { // models of that family get apply_patch in place of create and edit
		o = runOption{model: "gpt-5.3-codex", env: []string{"COPILOT_PROVIDER_WIRE_API=responses"}}
	}
	r := l.run(model.Say(
		model.Do(patch("*** Begin Patch\n*** Add File: a.txt\n+one\n*** Add File: .env\n+A=1\n*** End Patch\n")),
		model.Do(patch("*** Begin Patch\n*** Update File: keep.txt\n@@\n-one\n+two\n*** End Patch\n")),
		model.Do(patch("*** Begin Patch\n*** Delete File: old.txt\n*** End Patch\n")),
		model.Do(patch("*** Begin Patch\n*** Add File: b.txt\n+one\n*** End Patch\n")),
		model.End("Done."),
	), o)
	r.wantResult(0, "env-is-not-ours")
	r.wantResult(1, "keep-it")
	r.wantResult(2, "no-removals")
	if l.exists("a.txt") || l.exists(".env") || !l.exists("old.txt") || !l.exists("b.txt") || l.read("keep.txt") != "one\n" {
		l.t.Errorf("the wrong patches were applied\n%s", r.evidence())
	}
}

func scenarioTypescript(_ *testing.T, l *lab) {
	l.rules(noForcePush)
	l.install()
	l.run(model.Say(
		model.Do(typescript("  const r = await tools.file_system.bash({command: 'git push -f'});\n  return JSON.stringify(r);")),
		model.Do(typescript("  const r = await tools.process.start({command: 'git push -f'});\n  return JSON.stringify(r);")),
		model.Do(typescript("  const r = await tools.file_system.bash({command: 'git push'});\n  return JSON.stringify(r);")),
		model.End("Done."),
	))
	l.wantRan("git push -f", 0)
	l.wantRan("git push", 1)
}
