//go:build truth

package shell

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

var (
	truthLines = flag.Int("truth.lines", 2000, "random lines to run")
	truthSeed  = flag.Uint64("truth.seed", 1, "seed of the lines")
	truthShow  = flag.Bool("truth.show", false, "print each line")
)

// TestTruth runs random lines in a real bash with stand-ins for the programs,
// which only log their words, on a closed PATH in a temporary folder. Every
// program that ran must be among the calls of the line, and every file that a
// redirection opened, or the line must be unresolved.
//
//	go test -tags truth ./shell -run '^TestTruth$' -truth.lines 20000 -timeout 2h -v
func TestTruth(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	box := newBox(t, bash)
	used := map[string]int{}
	failed, unread, ran := 0, 0, 0
	for i := range *truthLines {
		m := &lineMaker{r: rand.New(rand.NewPCG(*truthSeed, uint64(i))), used: map[string]int{}}
		line := m.line()
		if *truthShow {
			t.Logf("%d: %s", i, line)
		}
		for k, n := range m.used {
			used[k] += min(n, 1)
		}
		got := asVector(t, Translate(Request{
			Command: line, Dir: box.dir, Root: box.dir, Home: box.home, Fresh: true,
		}))
		if len(got.Unresolved) > 0 {
			unread++
			continue
		}
		modes := []int{0, 1 + i%3}
		for _, mode := range modes {
			logged, wrote := box.run(t, line, mode)
			ran += len(logged)
			if msg := box.missing(t, got, logged, wrote); msg != "" {
				failed++
				t.Errorf("line %d, mode %d: %s\n%s", i, mode, msg, line)
				break
			}
		}
		if failed > 20 {
			t.Fatal("too many")
		}
		if i%1000 == 999 {
			t.Logf("%d lines so far", i+1)
		}
	}
	t.Logf("%d lines, %d programs ran, %d lines unresolved (%.1f %%), %d not sound", *truthLines, ran, unread, 100*float64(unread)/float64(*truthLines), failed)
	constructs(t, used)
}

// TestTruthSees takes each call of some lines away: the run must notice.
func TestTruthSees(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	box := newBox(t, bash)
	for _, line := range []string{
		"alpha a; rm -rf b", "true && git push -f", "f() { beta \"$1\"; }; f x", "echo w | xargs -n1 zap", "cd sub && touch x > y",
		"for i in 1 2; do mk $i; done", "bash -c 'curl u'", "echo \"$(gamma)\"", "(relay) & wait", "nice rm x",
	} {
		got := asVector(t, Translate(Request{Command: line, Dir: box.dir, Root: box.dir, Home: box.home, Fresh: true}))
		logged, wrote := box.run(t, line, 0)
		if msg := box.missing(t, got, logged, wrote); msg != "" {
			t.Errorf("%s: %s", line, msg)
		}
		noticed := 0
		for i := range got.Calls {
			less := got
			less.Calls = slices.Delete(slices.Clone(got.Calls), i, i+1)
			if box.missing(t, less, logged, wrote) != "" {
				noticed++
			}
		}
		if noticed == 0 {
			t.Errorf("%s: nothing is noticed", line)
		}
	}
}

// constructs prints how many lines held each construct; a full run has 200 of each.
func constructs(t *testing.T, used map[string]int) {
	names := make([]string, 0, len(used))
	for k := range used {
		names = append(names, k)
	}
	sort.Strings(names)
	var b strings.Builder
	few := 0
	for _, k := range names {
		fmt.Fprintf(&b, "%6d  %s\n", used[k], k)
		if used[k] < 200 {
			few++
		}
	}
	t.Logf("lines per construct (%d constructs):\n%s", len(names), b.String())
	if *truthLines >= 20000 && few > 0 {
		t.Errorf("%d constructs are in fewer than 200 lines", few)
	}
}

// A box is the folder the lines run in.
type box struct {
	bash, top, bin, dir, home, log, mode string
}

// standIns are the programs that only log; runners log and go on as themselves.
var standIns = []string{
	"alpha", "beta", "gamma", "ship", "relay", "zap", "mk", "w4", "probe", "run-it", "git", "rm", "curl", "npm", "docker",
	"kubectl", "terraform", "make", "chmod", "mv", "cp", "tee", "touch", "mkdir", "dd", "psql", "gh", "pytest", "ssh", "ll", "r", "omega", "late",
}

var realOnes = []string{"env", "nice", "timeout", "nohup", "setsid", "stdbuf", "xargs", "find", "bash", "sh", "cat", "dirname", "basename", "ls"}

func newBox(t *testing.T, bash string) *box {
	top := t.TempDir()
	b := &box{bash: bash, top: top, bin: filepath.Join(top, "bin"), log: filepath.Join(top, "log"), mode: filepath.Join(top, "mode")}
	// Deep enough that no "cd .." of a line leaves the folder.
	b.dir = filepath.Join(top, "1", "2", "3", "4", "5", "proj")
	b.home = filepath.Join(top, "h", "2", "3", "4", "dev")
	if err := os.MkdirAll(b.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	record := fmt.Sprintf("#!/bin/sh\n. '%s'\n{ printf '%%s\\0' \"$#\" \"$PWD\" \"${0##*/}\" \"$@\"; } >> '%s'\n", b.mode, b.log)
	for _, p := range standIns {
		b.script(t, p, record+"[ -n \"$OUT\" ] && echo $OUT\nexit $(($RC))\n")
	}
	for _, p := range realOnes {
		real, err := exec.LookPath(p)
		if err != nil {
			t.Skipf("no %s here", p)
		}
		if p == "sh" {
			real = bash // dash leaves braces and $'..' as they are (shell.md 8)
		}
		b.script(t, p, record+fmt.Sprintf("exec '%s' \"$@\"\n", real))
	}
	// What tee writes is what it reads.
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Skip("no cat here")
	}
	b.script(t, "tee", record+cat+"\nexit $(($RC))\n")
	// sudo runs what it is given, without its options.
	b.script(t, "sudo", record+"while :; do case $1 in -u) shift 2;; -n) shift;; *) break;; esac; done\nexec \"$@\"\n")
	return b
}

func (b *box) script(t *testing.T, name, text string) {
	if err := os.WriteFile(filepath.Join(b.bin, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// A logged program: its words and where it ran.
type logged struct {
	argv []string
	dir  string
}

// fill makes the files of a run.
func (b *box) fill(t *testing.T) {
	for _, d := range []string{b.dir, b.home} {
		if err := os.RemoveAll(d); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"a.txt": "one\n", "b.txt": "two\n", "list": "p1\np2\n", ".env": "K=1\n", "src/x.c": "", "src/y.c": "", "sub/in.txt": "in\n",
		"sub/deep/z.txt": "", "lib.sh": "omega lib\n", "script": "omega script\n",
	} {
		p := filepath.Join(b.dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(b.home, 0o755); err != nil {
		t.Fatal(err)
	}
}

// run runs a line and returns the programs that ran and the files that are new
// or changed. Mode 0: all succeed; 1: variables are set and programs write; 2:
// all fail; 3: some fail.
func (b *box) run(t *testing.T, line string, mode int) ([]logged, []string) {
	b.fill(t)
	os.Remove(b.log)
	// Functions that call themselves end soon.
	env := []string{"PATH=" + b.bin, "HOME=" + b.home, "PWD=" + b.dir, "FUNCNEST=8"}
	modes := []string{"RC=0 OUT=", "RC=0 OUT='zed w4'", "RC=1 OUT=", "RC='$$%3==0' OUT="}
	if mode == 1 {
		env = append(env, "U1=alpha zed", "U2=p q", "U3=/etc", "Z=set")
	}
	if err := os.WriteFile(b.mode, []byte(modes[mode]+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := b.stamps(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.bash, "-c", line)
	cmd.Dir, cmd.Env = b.dir, env
	ownGroup(cmd)
	cmd.Stdin = strings.NewReader("")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok && !errors.Is(err, exec.ErrWaitDelay) {
			t.Fatalf("%v: %s", err, line)
		}
	}
	killGroup(cmd)
	return b.read(t), b.changed(t, before)
}

// read reads the log.
func (b *box) read(t *testing.T) []logged {
	data, err := os.ReadFile(b.log)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	fields := strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
	var out []logged
	for i := 0; i < len(fields); {
		n := 0
		if _, err := fmt.Sscanf(fields[i], "%d", &n); err != nil || i+3+n > len(fields) {
			break // a program was stopped while it wrote
		}
		// Without a folder: what the line before left running in its own.
		if fields[i+1] != "" {
			out = append(out, logged{argv: fields[i+2 : i+3+n], dir: fields[i+1]})
		}
		i += 3 + n
	}
	return out
}

// stamps notes the files that are there.
func (b *box) stamps(t *testing.T) map[string]string {
	m := map[string]string{}
	for _, top := range []string{filepath.Join(b.top, "1"), filepath.Join(b.top, "h")} {
		err := filepath.WalkDir(top, func(p string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			if i, err := d.Info(); err == nil {
				m[p] = fmt.Sprint(i.Size(), i.ModTime().UnixNano())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (b *box) changed(t *testing.T, before map[string]string) []string {
	var out []string
	for p, s := range b.stamps(t) {
		if before[p] != s && filepath.Base(p) != "nohup.out" {
			out = append(out, p)
		}
	}
	return out
}

// missing names what ran or was written and is not among the calls.
func (b *box) missing(t *testing.T, got vectorResult, ran []logged, wrote []string) string {
	for _, l := range ran {
		want := runOf(t, l.argv, l.dir)
		if !slices.ContainsFunc(got.Calls, func(c vectorCall) bool { return standsFor(c, want) }) {
			return fmt.Sprintf("%q in %s ran, as %s; got %s", l.argv, strings.TrimPrefix(l.dir, b.top), show([]vectorCall{want}), strings.ReplaceAll(show(got.Calls), b.top, ""))
		}
	}
	for _, f := range wrote {
		if !slices.ContainsFunc(got.Calls, func(c vectorCall) bool { return writesTo(c, f) }) {
			return fmt.Sprintf("%s was written; got %s", strings.TrimPrefix(f, b.top), strings.ReplaceAll(show(got.Calls), b.top, ""))
		}
	}
	return ""
}
