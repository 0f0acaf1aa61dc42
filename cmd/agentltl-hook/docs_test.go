package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documents are those whose blocks must be true.
func documents(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(docs, "../../README.md", "../../CONTRIBUTING.md")
}

// A block is one fenced block of a document.
type block struct {
	file, kind, note string // note: the HTML comment right above it
	line             int
	text             string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", filepath.Base(b.file), b.line) }

func blocks(t *testing.T, file string) []block {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []block
	var cur *block
	note := ""
	for i, line := range strings.Split(string(data), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case cur == nil && strings.HasPrefix(trimmed, "```"):
			cur = &block{file: file, kind: strings.TrimPrefix(trimmed, "```"), line: i + 1, note: note}
		case cur != nil && trimmed == "```":
			all = append(all, *cur)
			cur, note = nil, ""
		case cur != nil:
			cur.text += line + "\n"
		case trimmed != "":
			note = ""
			if c, ok := strings.CutPrefix(trimmed, "<!-- "); ok {
				note = strings.TrimSuffix(c, " -->")
			}
		}
	}
	if cur != nil {
		t.Fatalf("%s: the block does not end", cur)
	}
	return all
}

// TestReadmeBegins: the first two commands a newcomer meets.
func TestReadmeBegins(t *testing.T) {
	all := blocks(t, "../../README.md")
	for i, want := range []string{"go run ./cmd/agentltl-hook demo\n", "go test ./...\n"} {
		if len(all) <= i || all[i].text != want {
			t.Errorf("fenced block %d of the README is not %q", i+1, want)
		}
	}
}

// TestDocsLinks: files that the documents point to exist.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	for _, file := range documents(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", filepath.Base(file), m[1])
			}
		}
	}
}

// TestDocsCommands: each agentltl-hook line of a shell block, and each named in
// the text, is a command with flags that exist.
func TestDocsCommands(t *testing.T) {
	inline := regexp.MustCompile("`(agentltl-hook [^`]+)`")
	for _, file := range documents(t) {
		for _, b := range blocks(t, file) {
			if b.kind != "sh" && b.kind != "console" {
				continue
			}
			for line := range strings.Lines(b.text) {
				checkCommandLine(t, b.String(), strings.TrimPrefix(strings.TrimSpace(line), "$ "))
			}
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inline.FindAllStringSubmatch(string(data), -1) {
			checkCommandLine(t, filepath.Base(file), strings.ReplaceAll(m[1], "\n", " "))
		}
	}
}

func checkCommandLine(t *testing.T, where, line string) {
	t.Helper()
	line, _, _ = strings.Cut(line, "  #")
	words := strings.Fields(line)
	for len(words) > 0 && strings.Contains(words[0], "=") {
		words = words[1:]
	}
	if len(words) < 2 || words[0] != "agentltl-hook" {
		return
	}
	args := words[1:]
	root := newRoot(&env{Ctx: t.Context()}, "")
	if strings.HasPrefix(args[0], "-") || strings.ToUpper(args[0]) == args[0] {
		return // a placeholder, such as COMMAND
	}
	cmd, rest, err := root.Find(args)
	if err != nil || cmd == root {
		t.Errorf("%s: %q: no such command", where, line)
		return
	}
	for _, w := range rest {
		name, ok := strings.CutPrefix(w, "--")
		if !ok || name == "" {
			continue
		}
		name, _, _ = strings.Cut(name, "=")
		name = strings.TrimRight(name, "`'\".,;)")
		if cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
			t.Errorf("%s: %q: %s has no flag --%s", where, line, cmd.Name(), name)
		}
	}
}

// TestDocsConsole runs each console block: "$ cat FILE" and what follows writes
// that file, any other "$ " line is run in one project a document, and what
// follows is its output; a line "..." stands for any lines.
func TestDocsConsole(t *testing.T) {
	for _, file := range documents(t) {
		var dir string
		for _, b := range blocks(t, file) {
			if b.kind != "console" {
				continue
			}
			if dir == "" {
				dir = docsProject(t)
			}
			runConsole(t, dir, b)
		}
	}
}

// docsProject is a project with a home of its own beside it.
func docsProject(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "..", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "agentltl-hook")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func runConsole(t *testing.T, dir string, b block) {
	t.Helper()
	for _, step := range strings.Split("\n"+b.text, "\n$ ")[1:] {
		line, want, _ := strings.Cut(step, "\n")
		if name, ok := strings.CutPrefix(line, "cat "); ok {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got := docsShell(t, dir, line)
		if !linesMatch(splitLines(got), splitLines(want)) {
			t.Errorf("%s: $ %s\nprints\n%s\nand not\n%s", b, line, got, want)
		}
	}
}

// docsShell runs a line as a person in the project would.
func docsShell(t *testing.T, dir, line string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Dir = dir
	parent := filepath.Dir(dir)
	cmd.Env = []string{"PATH=" + filepath.Join(parent, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + filepath.Join(parent, "home")}
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Errorf("%s: %v", line, err)
	}
	return string(out)
}

func splitLines(s string) []string {
	return strings.Split(strings.TrimRight(s, "\n"), "\n")
}

// linesMatch compares lines; "..." among the wanted ones matches any number.
func linesMatch(got, want []string) bool {
	if len(want) == 0 || len(want) == 1 && want[0] == "" {
		return len(got) == 0 || len(got) == 1 && got[0] == ""
	}
	if want[0] == "..." {
		for i := range len(got) + 1 {
			if len(want) == 1 || linesMatch(got[i:], want[1:]) {
				return true
			}
		}
		return false
	}
	if len(got) == 0 || strings.TrimRight(got[0], " ") != want[0] {
		return false
	}
	return len(want) == 1 && len(got) == 1 || linesMatch(got[1:], want[1:])
}

// TestDocsRuleFiles: each YAML block that is a rule file loads without a
// problem or warning of validate; step files run. A block that begins with a
// comment naming another file is that file's, and not ours to check.
func TestDocsRuleFiles(t *testing.T) {
	needCommand(t, "validate")
	loaded := 0
	for _, file := range documents(t) {
		for _, b := range blocks(t, file) {
			if b.kind != "yaml" {
				continue
			}
			text := b.text
			if name, ok := blockFile(text); ok && !strings.HasSuffix(name, "AGENTLTL.yaml") {
				continue
			}
			if b.note == "rule" {
				text = "rules:\n" + indent(text, "  ") + "\n"
			}
			loaded++
			dir := docsProject(t)
			if err := os.WriteFile(filepath.Join(dir, "AGENTLTL.yaml"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := programCommand(t, dir, "validate")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s does not load: %v\n%s\n%s", b, err, out, text)
			}
		}
	}
	if loaded < 20 {
		t.Errorf("%d rule files in the documents; some are not found", loaded)
	}
}

// blockFile is the file that the first line of a block names: "# NAME".
func blockFile(text string) (string, bool) {
	first, _, _ := strings.Cut(text, "\n")
	name, ok := strings.CutPrefix(first, "# ")
	if !ok || strings.ContainsAny(name, " ") {
		return "", false
	}
	return name, filepath.Ext(name) != ""
}

// TestReadmeRefusal: the refusal in the README is what its rule file produces.
func TestReadmeRefusal(t *testing.T) {
	needCommand(t, "check")
	all := blocks(t, "../../README.md")
	rules := slices.IndexFunc(all, func(b block) bool { return b.kind == "yaml" })
	told := slices.IndexFunc(all, func(b block) bool { return strings.HasPrefix(b.note, "refusal: ") })
	if rules < 0 || told < 0 {
		t.Fatal("the README has no rule file or no refusal")
	}
	if n := strings.Count(all[rules].text, "\n"); n > 10 {
		t.Errorf("the rule file of the README has %d lines, want ten at most", n)
	}
	dir := docsProject(t)
	if err := os.WriteFile(filepath.Join(dir, "AGENTLTL.yaml"), []byte(all[rules].text), 0o644); err != nil {
		t.Fatal(err)
	}
	line := strings.TrimPrefix(all[told].note, "refusal: ")
	cmd := programCommand(t, dir, "check", "--json", line)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("check: %v\n%s", err, out)
	}
	step := object(items(decodeVector(t, out)["steps"])[0])
	if got := withoutExplain(words(step["text"])) + "\n"; got != all[told].text {
		t.Errorf("the refusal is\n%s\nand not\n%s", got, all[told].text)
	}
}
