package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// needCommand skips while a command is not in the tree.
func needCommand(t *testing.T, name string) {
	t.Helper()
	for _, c := range commands() {
		if c.name == name {
			return
		}
	}
	t.Skipf("no command %s", name)
}

// TestVectorsRules: every folder of vectors/rules through check --json --file.
func TestVectorsRules(t *testing.T) {
	needCommand(t, "check")
	dirs, err := filepath.Glob(filepath.Join(vectorsDir, "rules", "*", "case.json"))
	if err != nil || len(dirs) != 199 {
		t.Fatalf("%d cases, want 199 (%v)", len(dirs), err)
	}
	w := wrongAnswers{t: t, disputed: disputed(t)}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		w.add(filepath.Base(dir), "", checkFolder(t, dir))
	}
	w.end(len(dirs))
}

// checkFolder sets one case up and compares every step; "" if all agree.
func checkFolder(t *testing.T, dir string) string {
	t.Helper()
	root, home := filepath.Join(t.TempDir(), "root"), t.TempDir()
	text, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if err != nil {
		t.Fatal(err)
	}
	c := decodeVector(t, text)
	place := strings.NewReplacer("$ROOT", root, "$HOMEDIR", home)
	put := func(path, content string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(place.Replace(content)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "AGENTLTL.yaml")); err == nil {
		put(filepath.Join(root, "AGENTLTL.yaml"), string(b))
	}
	if b, err := os.ReadFile(filepath.Join(dir, "user.yaml")); err == nil {
		put(filepath.Join(home, "user", "AGENTLTL.yaml"), string(b))
	}
	for name, content := range object(c["disk"]) {
		put(filepath.Join(root, name), words(content))
	}
	cwd := filepath.Join(root, words(c["cwd"]))
	if err := os.MkdirAll(cwd, 0o755); err != nil {
		t.Fatal(err)
	}
	caseFile := filepath.Join(t.TempDir(), "case.json")
	if err := os.WriteFile(caseFile, text, 0o644); err != nil {
		t.Fatal(err)
	}
	got, problem := checkJSON(t, root, home, caseFile)
	if problem != "" {
		return problem
	}
	steps := items(got["steps"])
	wanted := items(c["steps"])
	if len(steps) != len(wanted) {
		return fmt.Sprintf("%d steps, want %d", len(steps), len(wanted))
	}
	for i := range wanted {
		want := object(object(wanted[i])["want"])
		p := stepHolds(words(object(wanted[i])["do"]), placed(want, place), object(steps[i]))
		if ok := isTrue(object(steps[i])["ok"]); p == "" != ok {
			p = fmt.Sprintf("the program says ok: %v, and this test %q", ok, p)
		}
		if p != "" {
			return fmt.Sprintf("step %d %s: %s\n\t%s", i, show(wanted[i]), p, show(steps[i]))
		}
	}
	return ""
}

// placed fills in the folders of this run.
func placed(v vector, place *strings.Replacer) vector {
	var out vector
	b, _ := json.Marshal(v)
	dec := json.NewDecoder(strings.NewReader(place.Replace(string(b))))
	dec.UseNumber()
	_ = dec.Decode(&out)
	return out
}

// checkJSON runs check on a step file; built-ins of ours are off as the cases
// have them.
func checkJSON(t *testing.T, root, home, file string, more ...string) (vector, string) {
	t.Helper()
	args := append([]string{
		"check", "--json", "-C", root, "--write", "--file", file,
		"--without", "no-unguarded-subagents",
	}, more...)
	if len(more) == 0 {
		args = append(args, "--without", "protect-guard")
	}
	cmd := programCommand(t, root, args...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home,
		"AGENTLTL_USER_FILE=" + filepath.Join(home, "user", "AGENTLTL.yaml"),
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 1 || err != nil && !ok {
		return nil, fmt.Sprintf("check: %v %s", err, stderr.Bytes())
	}
	return decodeVector(t, out), ""
}

// stepHolds compares one step of check with what the case wants of it.
func stepHolds(do string, want, got vector) string {
	switch do {
	case "call":
		return callHolds(want, got)
	case "finish":
		if want["action"] != got["action"] {
			return fmt.Sprintf("action %s, want %s", show(got["action"]), show(want["action"]))
		}
		if rules, ok := want["rules"]; ok && !slices.Equal(texts(rules), texts(got["rules"])) {
			return fmt.Sprintf("rules %s, want %s", show(got["rules"]), show(rules))
		}
		return says(want, words(got["text"]))
	case "start":
		if v, ok := want["announced"]; ok && isTrue(v) != isTrue(got["announced"]) {
			return fmt.Sprintf("announced %v", got["announced"])
		}
		for _, s := range texts(want["mentions"]) {
			if !strings.Contains(words(got["text"]), s) {
				return fmt.Sprintf("the announcement lacks %q", s)
			}
		}
	case "load":
		return loadHolds(want, got)
	}
	return ""
}

func callHolds(want, got vector) string {
	for _, k := range []string{"action", "note"} {
		if v, ok := want[k]; ok && !equal(v, got[k]) {
			return fmt.Sprintf("%s is %s, want %s", k, show(got[k]), show(v))
		}
	}
	if rule, ok := want["rule"]; ok && !equal(rule, got["rule"]) {
		return fmt.Sprintf("rule is %s, want %s", show(got["rule"]), show(rule))
	}
	if calls, ok := want["calls"]; ok && !slices.Equal(texts(calls), texts(got["calls"])) {
		return fmt.Sprintf("calls %s, want %s", show(got["calls"]), show(calls))
	}
	if leaks := want["leaks"]; !equalSets(leaks, got["leaks"]) {
		return fmt.Sprintf("leaks %s, want %s", show(got["leaks"]), show(leaks))
	}
	return says(want, words(got["text"])+"\n"+words(got["context"]))
}

func says(want vector, text string) string {
	for _, s := range texts(want["says"]) {
		if !strings.Contains(text, s) {
			return fmt.Sprintf("the answer lacks %q", s)
		}
	}
	for _, s := range texts(want["silent"]) {
		if strings.Contains(text, s) {
			return fmt.Sprintf("the answer holds %q", s)
		}
	}
	return ""
}

func loadHolds(want, got vector) string {
	if ok, given := want["ok"]; given && !isTrue(ok) {
		return problemsHold(items(want["problems"]), got)
	}
	if ok, given := got["ok"]; given && !isTrue(ok) {
		return "does not load: " + show(got["problems"])
	}
	if files, ok := want["files"]; ok && !equal(files, got["files"]) {
		return fmt.Sprintf("files %s, want %s", show(got["files"]), show(files))
	}
	if wanted, ok := want["rules"].([]any); ok {
		rules := items(got["rules"])
		if len(rules) != len(wanted) {
			return fmt.Sprintf("%d rules, want %d: %s", len(rules), len(wanted), show(rules))
		}
		for i := range wanted {
			for k, v := range object(wanted[i]) {
				if !equal(v, object(rules[i])[k]) {
					return fmt.Sprintf("rule %d: %s is %s, want %s", i, k, show(object(rules[i])[k]), show(v))
				}
			}
		}
	}
	for k, v := range object(want["settings"]) {
		have := object(got["settings"])
		g := have[k]
		if half, ok := strings.CutPrefix(k, "unparseable_"); ok {
			g = object(have["unparseable"])[half]
		}
		if !equal(v, g) {
			return fmt.Sprintf("settings.%s is %s, want %s", k, show(g), show(v))
		}
	}
	return ""
}

func problemsHold(want []any, got vector) string {
	have := items(got["problems"])
	if len(have) != len(want) {
		return fmt.Sprintf("%d problems, want %d: %s", len(have), len(want), show(have))
	}
	for i, p := range want {
		g, w := object(have[i]), object(p)
		if w["line"] != nil && !equal(w["line"], g["line"]) {
			return fmt.Sprintf("problem %d at line %s, want %s: %s", i, show(g["line"]), show(w["line"]), show(g))
		}
		message := strings.ToLower(words(g["file"]) + " " + words(g["rule"]) + " " + words(g["message"]))
		for _, about := range texts(w["about"]) {
			if !strings.Contains(message, strings.ToLower(about)) {
				return fmt.Sprintf("problem %d lacks %q: %s", i, about, show(g))
			}
		}
	}
	return ""
}
