//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/e2e/model"
)

// A lab is one person's machine for one scenario: a home, a repository, stand-ins
// for the commands that the stories run, and the guard as install leaves it.
type lab struct {
	t       *testing.T
	d       driver
	pin     pin
	dir     string // everything
	home    string
	repo    string
	bin     string // first on PATH
	program string // agentltl-hook in bin
	extra   []string
	wrap    []string // command in front of every program: a private /etc
	session string   // id of the session that runs resume
	runs    int
}

func newLab(t *testing.T, d driver, p pin) *lab {
	t.Helper()
	dir, err := os.MkdirTemp(runDir, d.name()+"-") //nolint:usetesting // a failed scenario's files are kept
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{
		t: t, d: d, pin: p, dir: dir,
		home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo"), bin: filepath.Join(dir, "bin"),
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("files are in %s (go test -keep keeps them)", dir)
		} else if !*keep {
			os.RemoveAll(dir)
		}
	})
	for _, d := range []string{l.home, l.repo, l.bin, filepath.Join(dir, "tmp")} {
		l.must(os.MkdirAll(d, 0o755))
	}
	l.program = filepath.Join(l.bin, "agentltl-hook")
	l.must(copyFile(program, l.program))
	l.must(os.Symlink(p.program, filepath.Join(l.bin, filepath.Base(p.program))))
	l.standIns()
	l.sh("git init -q . && git config user.email e2e@example.invalid && git config user.name e2e && git commit -q --allow-empty -m start")
	d.prepare(l)
	return l
}

func (l *lab) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// standIns are programs that log that they ran. pytest ends with the status in
// the file pytest-status of its folder; git push pushes nothing. Login shells set PATH anew,
// hence the profiles.
func (l *lab) standIns() {
	git, err := exec.LookPath("git")
	l.must(err)
	l.script("git", `case " $* " in *" push "*) exit 0 ;; esac
exec `+git+` "$@"`)
	l.script("pytest", `exit "$(cat pytest-status 2> /dev/null || echo 0)"`)
	l.script("sudo", `exec "$@"`)
	for _, name := range []string{"make", "deploy", "lint"} {
		l.script(name, "exit 0")
	}
	profile := "export PATH=" + l.bin + ":$PATH\n"
	for _, f := range []string{".bash_profile", ".bashrc", ".profile", ".zshenv"} {
		l.write(filepath.Join(l.home, f), profile)
	}
}

// script writes a stand-in that logs its name and arguments first.
func (l *lab) script(name, body string) {
	text := "#!/bin/sh\necho \"" + name + " $*\" >> " + l.logFile() + "\n" + body + "\n"
	l.must(os.WriteFile(filepath.Join(l.bin, name), []byte(text), 0o755))
}

func (l *lab) logFile() string { return filepath.Join(l.dir, "ran.log") }

// ran counts how often a stand-in ran with exactly this line.
func (l *lab) ran(line string) int {
	data, err := os.ReadFile(l.logFile())
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	l.must(err)
	n := 0
	for s := range strings.Lines(string(data)) {
		if strings.TrimSpace(s) == strings.TrimSpace(line) {
			n++
		}
	}
	return n
}

// wantRan fails the scenario unless the line ran exactly n times.
func (l *lab) wantRan(line string, n int) {
	l.t.Helper()
	if got := l.ran(line); got != n {
		l.t.Errorf("%q ran %d times, want %d", line, got, n)
	}
}

func (l *lab) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(l.repo, name)
}

func (l *lab) write(name, text string) {
	l.t.Helper()
	l.must(os.MkdirAll(filepath.Dir(l.path(name)), 0o755))
	l.must(os.WriteFile(l.path(name), []byte(text), 0o644))
}

func (l *lab) read(name string) string {
	l.t.Helper()
	b, err := os.ReadFile(l.path(name))
	l.must(err)
	return string(b)
}

func (l *lab) exists(name string) bool {
	_, err := os.Stat(l.path(name))
	return err == nil
}

// rules writes the project's AGENTLTL.yaml.
func (l *lab) rules(text string) { l.write("AGENTLTL.yaml", text) }

// env is the environment of everything in the lab: nothing of the person who
// runs the tests but where programs are.
func (l *lab) env() []string {
	env := []string{
		"PATH=" + l.bin + ":" + os.Getenv("PATH"), "HOME=" + l.home, "TMPDIR=" + filepath.Join(l.dir, "tmp"),
		"LANG=C.UTF-8", "SHELL=/bin/bash", "USER=e2e", "TERM=dumb",
	}
	return append(env, append(l.d.env(l), l.extra...)...)
}

// command prepares a program of the lab, started in the repository.
func (l *lab) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if !filepath.IsAbs(name) {
		if p := filepath.Join(l.bin, name); l.exists(p) {
			name = p
		}
	}
	argv := append(append(slices.Clone(l.wrap), name), args...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = l.repo
	cmd.Env = l.env()
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// sh runs a shell line as the person would, outside of any agent.
func (l *lab) sh(line string) string {
	l.t.Helper()
	out, err := l.command(context.Background(), "/bin/sh", "-c", line).CombinedOutput()
	if err != nil {
		l.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// guard runs agentltl-hook and returns its output and exit status.
func (l *lab) guard(args ...string) (out string, status int) {
	l.t.Helper()
	b, err := l.command(context.Background(), l.program, args...).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(b), exit.ExitCode()
	}
	l.must(err)
	return string(b), 0
}

// mustGuard is guard for commands that must succeed.
func (l *lab) mustGuard(args ...string) string {
	l.t.Helper()
	out, status := l.guard(args...)
	if status != 0 {
		l.t.Fatalf("agentltl-hook %s: exit status %d\n%s", strings.Join(args, " "), status, out)
	}
	return out
}

// install installs the guard for the lab's harness.
func (l *lab) install(args ...string) string {
	l.t.Helper()
	return l.mustGuard(append([]string{"install", l.d.name()}, args...)...)
}

// A run is one headless session, or the part of one up to its end.
type run struct {
	*model.Server
	l              *lab
	stdout, stderr string
	err            error
}

// A runOption changes how the harness is started.
type runOption struct {
	prompt  string   // default: "Do the scripted steps."
	resume  bool     // go on with the session of the run before
	args    []string // further arguments
	env     []string
	model   string // a model name; it decides which tools some harnesses offer
	compact bool   // let the harness compact its context at the script's large turn
	halts   bool   // the harness may end the session before the script does
}

// run lets the model say the script to the harness, once.
func (l *lab) run(s model.Script, opts ...runOption) *run {
	l.t.Helper()
	var o runOption
	if len(opts) > 0 {
		o = opts[0]
	}
	if o.prompt == "" {
		o.prompt = "Do the scripted steps."
	}
	r := &run{Server: model.New(s), l: l}
	srv := httptest.NewServer(r.Server)
	defer srv.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	l.runs++
	cmd := l.d.start(ctx, l, srv.URL, o)
	cmd.Env = append(cmd.Env, o.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	r.err = cmd.Run()
	r.stdout, r.stderr = stdout.String(), stderr.String()
	if *keep {
		l.write(filepath.Join(l.dir, fmt.Sprintf("run%d.out", l.runs)), r.stdout)
		l.write(filepath.Join(l.dir, fmt.Sprintf("run%d.err", l.runs)), r.stderr)
		l.write(filepath.Join(l.dir, fmt.Sprintf("run%d.results", l.runs)), r.told())
	}
	if ctx.Err() != nil {
		l.t.Fatalf("%s did not end within its time\n%s", l.d.name(), r.evidence())
	}
	if left := r.Left(); left > 0 && !o.halts {
		l.t.Errorf("%s asked for all turns but %d (%v)\n%s", l.d.name(), left, r.err, r.evidence())
	}
	return r
}

// told is every tool result the model read.
func (r *run) told() string {
	var b strings.Builder
	for i, res := range r.Results() {
		fmt.Fprintf(&b, "--- %d %s\n%s\n", i, res.Tool, res.Text)
	}
	return b.String()
}

func (r *run) evidence() string {
	return fmt.Sprintf("tool results:\n%s\nstdout:\n%s\nstderr:\n%s", r.told(), tail(r.stdout), tail(r.stderr))
}

func tail(s string) string {
	if len(s) > 3000 {
		return "..." + s[len(s)-3000:]
	}
	return s
}

// result is the text of the i-th tool result.
func (r *run) result(i int) string {
	r.l.t.Helper()
	all := r.Results()
	if i >= len(all) {
		r.l.t.Fatalf("there are %d tool results, no number %d\n%s", len(all), i, r.evidence())
	}
	return all[i].Text
}

// wantHeard fails unless each text reached the model.
func (r *run) wantHeard(texts ...string) {
	r.l.t.Helper()
	for _, s := range texts {
		if !r.Heard(s) {
			r.l.t.Errorf("the model never read %q\n%s", s, r.evidence())
		}
	}
}

// wantNotHeard fails if one of the texts reached the model.
func (r *run) wantNotHeard(texts ...string) {
	r.l.t.Helper()
	for _, s := range texts {
		if r.Heard(s) {
			r.l.t.Errorf("the model read %q\n%s", s, r.evidence())
		}
	}
}

// wantResult fails unless the i-th tool result holds each text.
func (r *run) wantResult(i int, texts ...string) {
	r.l.t.Helper()
	got := r.result(i)
	for _, s := range texts {
		if !strings.Contains(got, s) {
			r.l.t.Errorf("tool result %d lacks %q:\n%s", i, s, got)
		}
	}
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o755)
}
