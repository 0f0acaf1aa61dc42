//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

// foreign is a configuration file as a person may have it, and the edit that
// the person makes after the install.
type foreign struct{ file, text, old, new string }

func foreignFiles(l *lab) []foreign {
	const hook = `{"type": "command", "command": "true"}`
	switch l.d.name() {
	case "claude-code":
		return []foreign{{
			filepath.Join(l.home, ".claude", "settings.json"),
			"{\n\t\"model\":   \"sonnet\",\n  \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\",\n      \"hooks\": [" + hook + "]}]},\n\t\"zeta\": [1,\n2]}\n\n",
			`"sonnet"`, `"opus"`,
		}}
	case "copilot-cli":
		return []foreign{{
			filepath.Join(l.home, ".copilot", "hooks", "mine.json"),
			"{\"version\": 1,\n   \"hooks\": {\"preToolUse\": [{\"type\": \"command\", \"bash\": \"true\"}]}}\n", "   ", "\t",
		}}
	case "codex":
		return []foreign{
			{
				filepath.Join(codexHome(l), "hooks.json"),
				"{\n \"hooks\": {\"PreToolUse\": [ {\"hooks\": [" + hook + "]} ]}}\n", "\n \"hooks\"", "\n\n  \"hooks\"",
			},
		}
	default:
		return []foreign{{
			filepath.Join(l.home, ".vibe", "hooks.toml"),
			"# mine\n[[hooks]]\nname = \"mine\"   # odd\ntype='pre_tool'\ncommand = 'true'\n", "# mine", "# still mine",
		}}
	}
}

// scenarioUninstall: what install touched is as it was, byte for byte; after an
// edit only the edit remains.
func scenarioUninstall(_ *testing.T, l *lab) {
	l.rules(noForcePush)
	files := foreignFiles(l)
	for _, f := range files {
		l.write(f.file, f.text)
	}
	check := func(edited bool) {
		l.t.Helper()
		for _, f := range files {
			want := f.text
			if edited {
				want = strings.Replace(f.text, f.old, f.new, 1)
			}
			if got := l.read(f.file); got != want {
				l.t.Errorf("%s after uninstall:\n%s\nwant:\n%s", f.file, got, want)
			}
		}
	}
	refused := model.Say(model.Do(l.d.shell("git push -f")), model.End("Done."))
	l.install()
	l.run(refused).wantResult(0, "no-force-push")
	l.mustGuard("uninstall", l.d.name())
	check(false)
	l.run(refused)
	l.wantRan("git push -f", 1)

	l.install()
	for _, f := range files {
		l.write(f.file, strings.Replace(l.read(f.file), f.old, f.new, 1))
	}
	l.mustGuard("uninstall", l.d.name())
	check(true)
	l.run(refused)
	l.wantRan("git push -f", 2)
}
