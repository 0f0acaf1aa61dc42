//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

func terminalScenarios() []scenario {
	noAsk := map[string]string{"codex": "has no ask; see g", "vibe": "has no ask; see g"}
	return []scenario{
		{id: "ask-yes", title: "`ask` in a terminal: the person reads the reason and says yes; the call runs", not: noAsk, run: func(_ *testing.T, l *lab) { scenarioAnswer(l, true) }},
		{id: "ask-no", title: "`ask` in a terminal: the person says no; the call does not run", not: noAsk, run: func(_ *testing.T, l *lab) { scenarioAnswer(l, false) }},
	}
}

// A terminal is a program behind a pseudo-terminal, and what it has shown.
type terminal struct {
	l      *lab
	master *os.File
	mu     sync.Mutex
	screen bytes.Buffer
}

// openTerminal starts the harness's interactive interface against a model.
func openTerminal(ctx context.Context, l *lab, url string) *terminal {
	l.t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	l.must(err)
	l.must(unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	l.must(err)
	l.must(unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 160}))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	l.must(err)
	defer slave.Close()

	var args, env []string
	name := ""
	switch l.d.name() {
	case "claude-code":
		name, args = "claude", []string{"--model", "claude-sonnet-4-5", "--permission-mode", "default"}
		env = []string{"ANTHROPIC_BASE_URL=" + url}
	case "copilot-cli":
		name, args = "copilot", []string{"--no-color", "--allow-all-tools"}
		env = []string{"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_MODEL=gpt-4.1"}
	case "codex":
		// A name it does not know: for the others it offers a newer model first.
		name, args = "codex", append(codexModel(url, "scripted-model"), "-s", "danger-full-access", "-a", "on-request")
	}
	cmd := l.command(ctx, name, args...)
	cmd.Env = append(append(cmd.Env, env...), "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	l.must(cmd.Start())
	t := &terminal{l: l, master: master}
	go t.watch()
	l.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		master.Close()
	})
	return t
}

func (t *terminal) watch() {
	buf := make([]byte, 1<<16)
	for {
		n, err := t.master.Read(buf)
		t.mu.Lock()
		t.screen.Write(buf[:n])
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// escapes are the control sequences of a terminal.
var escapes = regexp.MustCompile(`\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[@-Z\\-_=>]`)

// text is what was shown so far, without blanks: cells that did not change are
// skipped by cursor movements, so words run together.
func (t *terminal) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	plain := escapes.ReplaceAllString(t.screen.String(), "")
	return strings.Join(strings.Fields(plain), "")
}

// await waits until the screen has shown one of the texts since mark.
func (t *terminal) await(limit time.Duration, wanted ...string) string {
	t.l.t.Helper()
	deadline := time.Now().Add(limit)
	for time.Now().Before(deadline) {
		shown := t.text()
		for _, w := range wanted {
			if strings.Contains(shown, strings.Join(strings.Fields(w), "")) {
				return w
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.l.t.Fatalf("the terminal never showed %q; it showed\n%s", wanted, tail(t.text()))
	return ""
}

func (t *terminal) press(keys string) {
	t.l.t.Helper()
	_, err := t.master.WriteString(keys)
	t.l.must(err)
}

// scenarioAnswer plays a person who is asked and answers.
func scenarioAnswer(l *lab, yes bool) {
	l.rules(`rules:
  - id: ask-deploy
    mode: ask
    never: deploy
    why: A person says when to deploy.
`)
	l.install()
	m := model.New(model.Say(model.Do(l.d.shell("deploy now")), model.End("The story ends.")))
	srv := httptest.NewServer(m)
	defer srv.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	seenBefore(l)
	t := openTerminal(ctx, l, srv.URL)
	t.ready()
	t.say("Do the scripted steps.")
	t.await(60*time.Second, "A person says when to deploy.")
	time.Sleep(time.Second)
	if yes {
		t.press("\r") // the first choice is yes
		// The log tells, not the screen: only cells that changed are drawn.
		waitFor(func() bool { return l.ran("deploy now") > 0 })
		l.wantRan("deploy now", 1)
		return
	}
	t.press("\x1b")
	time.Sleep(2 * time.Second)
	l.wantRan("deploy now", 0)
}

// ready waits until the harness takes input.
func (t *terminal) ready() {
	t.l.t.Helper()
	t.await(60*time.Second, "? for shortcuts", "/ commands", "Type @ to mention", "Enter to submit", "shift+tab", "context left")
	time.Sleep(time.Second)
}

// say types a prompt and sends it.
func (t *terminal) say(prompt string) {
	t.l.t.Helper()
	t.press(prompt)
	time.Sleep(500 * time.Millisecond)
	t.press("\r")
}

// answerInTerminal plays a person who is asked in words, not by a dialog: the
// model ends its turn after asking, the person writes, the model goes on.
func answerInTerminal(l *lab, asking, answered []model.Turn) {
	title := model.End("A title")
	m := model.New(model.Script{
		Lanes: []model.Lane{{Name: "title", When: model.When{LastUser: "single-line task title"}, Then: &title}},
		Turns: append(asking, answered...),
	})
	srv := httptest.NewServer(m)
	defer srv.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	seenBefore(l)
	t := openTerminal(ctx, l, srv.URL)
	t.ready()
	t.say("Do the scripted steps.")
	waitFor(func() bool { return m.Left() <= len(answered) })
	time.Sleep(time.Second)
	l.wantRan("deploy now", 0)
	t.say("Yes, deploy.")
	waitFor(func() bool { return m.Left() == 0 })
	time.Sleep(time.Second)
	if m.Left() > 0 || l.ran("deploy now") != 1 {
		r := run{Server: m, l: l}
		l.t.Errorf("%d turns were not asked for; the model read\n%s\nthe terminal shows\n%s", m.Left(), r.told(), tail(t.text()))
	}
}

// waitFor waits for half a minute at most.
func waitFor(done func() bool) {
	for range 300 {
		if done() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// seenBefore answers the questions that a first start asks.
func seenBefore(l *lab) {
	switch l.d.name() {
	case "claude-code":
		l.write(filepath.Join(l.home, ".claude.json"), `{"hasCompletedOnboarding": true, "theme": "dark",
			"customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
			"projects": {"`+l.repo+`": {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}}`)
	case "codex":
		file := filepath.Join(codexHome(l), "config.toml")
		l.write(file, l.read(file)+"\n[projects.\""+l.repo+"\"]\ntrust_level = \"trusted\"\n")
	case "copilot-cli":
		l.write(filepath.Join(l.home, ".copilot", "config.json"), `{"trustedFolders": ["`+l.repo+`"], "banner": "never"}`)
	}
}
