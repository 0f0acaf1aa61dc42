//go:build e2e

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

func managedScenarios() []scenario {
	return []scenario{
		{
			id: "managed", title: "a managed install holds against the switches that turn a user's hooks off",
			not: map[string]string{"copilot-cli": "no managed setting is known", "vibe": "no managed setting is known"},
			run: scenarioManaged,
		},
	}
}

// privateEtc makes the lab's programs see an /etc of their own, a layer over the
// machine's, in a mount namespace that ends with each of them.
func (l *lab) privateEtc(t *testing.T) {
	t.Helper()
	upper, work := filepath.Join(l.dir, "etc"), filepath.Join(l.dir, "etc-work")
	l.must(os.MkdirAll(upper, 0o755))
	l.must(os.MkdirAll(work, 0o755))
	// A layer cannot lie on a layered file system itself: it gets one in memory,
	// and what is written there is carried over from run to run.
	script := filepath.Join(l.dir, "in-private-etc")
	l.must(os.WriteFile(script, []byte(`#!/bin/sh
set -e
m=`+l.dir+`/etc-mount
mkdir -p $m
mount -t tmpfs none $m
mkdir $m/upper $m/work
cp -a `+upper+`/. $m/upper/
mount -t overlay overlay -o lowerdir=/etc,upperdir=$m/upper,workdir=$m/work /etc
"$@" && s=0 || s=$?
rm -rf `+upper+`/*
cp -a $m/upper/. `+upper+`/
exit $s
`), 0o755))
	l.wrap = []string{"unshare", "-m", script}
	if out, err := exec.Command("unshare", "-m", script, "true").CombinedOutput(); err != nil {
		t.Skipf("no private /etc here: %v %s", err, out)
	}
}

// homeInPasswd makes the lab's home that of the running user in a private /etc.
func (l *lab) homeInPasswd(t *testing.T) {
	t.Helper()
	l.privateEtc(t)
	data, err := os.ReadFile("/etc/passwd")
	l.must(err)
	var lines []string
	for line := range strings.Lines(string(data)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), ":"); len(f) == 7 && f[2] == strconv.Itoa(os.Geteuid()) {
			f[5] = l.home
			line = strings.Join(f, ":") + "\n"
		}
		lines = append(lines, line)
	}
	l.write(filepath.Join(l.dir, "etc", "passwd"), strings.Join(lines, ""))
}

func scenarioManaged(t *testing.T, l *lab) {
	l.homeInPasswd(t) // a managed line carries no folders either
	// The program must belong to root outside of every home.
	l.must(os.MkdirAll(filepath.Join(l.dir, "etc", "agentltl"), 0o755))
	l.write(filepath.Join(l.dir, "etc", "agentltl", "AGENTLTL.yaml"), noForcePush)
	l.mustGuard("install", "--managed", l.d.name())
	refused := model.Say(model.Do(l.d.shell("git push -f")), model.End("Done."))
	off := runOption{}
	switch l.d.name() {
	case "claude-code":
		l.write(".claude/settings.json", `{"disableAllHooks": true, "env": {"AGENTLTL_SHADOW": "1"}}`)
		l.write(filepath.Join(l.home, ".claude", "settings.json"), `{"disableAllHooks": true}`)
		off.args = []string{"--settings", `{"disableAllHooks":true}`}
	case "codex":
		l.write(".codex/config.toml", "[features]\nhooks = false\n")
		off.args = []string{"--disable", "hooks"}
	}
	l.run(refused).wantResult(0, "no-force-push")
	l.run(refused, off).wantResult(0, "no-force-push")
	l.wantRan("git push -f", 0)
	l.mustGuard("uninstall", "--managed", l.d.name())
	l.run(refused, off)
	l.wantRan("git push -f", 1)
	if left := l.find(filepath.Join(l.dir, "etc"), "agentltl"); len(left) > 0 {
		t.Errorf("uninstall leaves %q", left)
	}
}

// find lists the files below dir, its own rule file aside, that hold text.
func (l *lab) find(dir, text string) []string {
	out, _ := l.command(context.Background(), "grep", "-rl", text, dir).Output()
	var files []string
	for f := range strings.Lines(string(out)) {
		f = strings.TrimSpace(f)
		if !strings.HasSuffix(f, "/agentltl/AGENTLTL.yaml") && !strings.HasSuffix(f, "/etc/passwd") { // the lab's own
			files = append(files, f)
		}
	}
	return files
}
