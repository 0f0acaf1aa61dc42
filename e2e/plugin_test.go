//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

func pluginScenarios() []scenario {
	return []scenario{
		{
			id: "plugin", title: "as a plugin from a local marketplace: a refusal; switched off and taken out, none",
			not: map[string]string{"vibe": "its plugins carry no hooks"}, run: scenarioPlugin,
		},
		{
			id: "project-hooks", title: "hooks in the project's `.claude/settings.json` judge a Copilot CLI session too, each call once",
			only: []string{"copilot-cli"}, run: scenarioSharedSettings,
		},
	}
}

func scenarioPlugin(t *testing.T, l *lab) {
	// A plugin's hooks carry no folders: theirs lie below the home that the user
	// database names, which here must not be the home of whoever runs the tests.
	l.homeInPasswd(t)
	l.rules(noForcePush)
	l.install("--plugin")
	refused := model.Say(model.Do(l.d.shell("git push -f")), model.End("Done."))
	r := l.run(refused)
	r.wantResult(0, "no-force-push")
	l.wantRan("git push -f", 0)
	switch l.d.name() {
	case "claude-code":
		l.sh("claude plugin disable agentltl@agentltl")
	case "copilot-cli":
		l.sh("copilot plugin uninstall agentltl@agentltl")
	case "codex":
		l.sh("codex plugin remove agentltl@agentltl")
	}
	l.run(refused)
	l.wantRan("git push -f", 1)
	l.mustGuard("uninstall", l.d.name())
	l.run(refused)
	l.wantRan("git push -f", 2)
	if file := filepath.Join(l.home, ".claude", "settings.json"); l.exists(file) && strings.Contains(l.read(file), "agentltl@") {
		l.t.Errorf("settings still name the plugin:\n%s", l.read(file))
	}
}

// scenarioSharedSettings: Copilot CLI runs a trusted repository's Claude Code
// hooks. Alone they judge; beside our own Copilot hooks they stand aside.
func scenarioSharedSettings(_ *testing.T, l *lab) {
	l.rules(oneDeploy)
	l.mustGuard("install", "claude-code", "--project")
	trusted := runOption{env: []string{"GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true"}}
	two := model.Say(model.Do(l.d.shell("deploy a")), model.Do(l.d.shell("deploy b")), model.End("Done."))
	l.run(two, trusted).wantResult(1, "one-deploy")
	l.wantRan("deploy a", 1)
	l.wantRan("deploy b", 0)
	l.install()
	l.run(two, trusted).wantResult(1, "one-deploy")
	l.wantRan("deploy a", 2)
	l.wantRan("deploy b", 0)
	out := l.mustGuard("trace", "--json", "--project")
	if n := strings.Count(out, `"source":"deploy a"`); n != 2 {
		l.t.Errorf("the two deploys are recorded %d times:\n%s", n, out)
	}
}
