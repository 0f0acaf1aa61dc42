package plugins

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTrees: manifests are JSON with a version, every skill has its front matter,
// nothing is left open.
func TestTrees(t *testing.T) {
	for _, harness := range []string{"claude-code", "copilot-cli", "codex"} {
		files, err := Marketplace(harness, "v1.2.3")
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, f := range files {
			paths = append(paths, f.Path)
			text := string(f.Data)
			if strings.Contains(text, "@VERSION@") || strings.Contains(text, "@PREFIX@") {
				t.Errorf("%s has an open placeholder", f.Path)
			}
			switch {
			case strings.HasSuffix(f.Path, ".json"):
				var v map[string]any
				if err := json.Unmarshal(f.Data, &v); err != nil {
					t.Errorf("%s: %v", f.Path, err)
				}
				if strings.HasSuffix(f.Path, "plugin.json") && v["version"] != "1.2.3" {
					t.Errorf("%s has version %v", f.Path, v["version"])
				}
			case strings.HasSuffix(f.Path, "SKILL.md"):
				name := filepath.Base(filepath.Dir(f.Path))
				if !strings.HasPrefix(text, "---\nname: "+name+"\ndescription: ") {
					t.Errorf("%s begins with %.60q", f.Path, text)
				}
			}
			if f.Exec != strings.HasSuffix(f.Path, "bin/launch") {
				t.Errorf("%s is executable: %v", f.Path, f.Exec)
			}
		}
		prefix := ""
		if harness == "copilot-cli" {
			prefix = "agentltl-" // it puts no plugin name in front of a skill's
		}
		for _, want := range []string{"bin/launch", "skills/*setup/SKILL.md", "skills/*rules/SKILL.md", "skills/*import/SKILL.md", "skills/*status/SKILL.md", "LICENSE"} {
			want = strings.Replace(want, "*", prefix, 1)
			if !slices.Contains(paths, harness+"/"+want) {
				t.Errorf("%s has no %s in %q", harness, want, paths)
			}
		}
		for _, dot := range []string{".claude-plugin/marketplace.json", ".github/plugin/marketplace.json", ".agents/plugins/marketplace.json"} {
			if !slices.Contains(paths, dot) {
				t.Errorf("%s is not embedded", dot)
			}
		}
	}
	if _, err := Plugin("vibe", ""); err == nil {
		t.Error("a plugin for vibe, which runs no plugin hooks")
	}
}

// A place is a file system for the launcher: a plugin, a home, a project.
type place struct {
	root, home, project string
}

func newPlace(t *testing.T) place {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no sh")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{filepath.Join(dir, "plugin"), filepath.Join(dir, "home"), filepath.Join(dir, "home", "project")}
	launch, err := trees.ReadFile("shared/launch")
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, filepath.Join(p.root, "bin", "launch"), string(launch), 0o755)
	p.write(t, filepath.Join(p.project, ".git", "HEAD"), "", 0o644)
	return p
}

func (p place) write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// program puts a stand-in for agentltl-hook at path, which says who it is.
func (p place) program(t *testing.T, path, name string) {
	t.Helper()
	p.write(t, path, "#!/bin/sh\necho "+name+" \"$@\"\n", 0o755)
}

func (p place) run(t *testing.T, pathVar, harness, event string) (out string, status int) {
	t.Helper()
	cmd := exec.Command("/bin/sh", filepath.Join(p.root, "bin", "launch"), harness, event)
	cmd.Env = []string{"HOME=" + p.home, "PATH=" + pathVar, "CLAUDE_PROJECT_DIR=" + p.project}
	cmd.Dir = p.project
	var errs strings.Builder
	cmd.Stderr = &errs
	b, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return strings.TrimSpace(string(b) + errs.String()), exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b) + errs.String()), 0
}

// TestLauncherOrder: the shipped program, the one install wrote down, the fixed
// folders, PATH last; never one of the project.
func TestLauncherOrder(t *testing.T) {
	p := newPlace(t)
	if _, err := os.Stat("/usr/local/bin/agentltl-hook"); err == nil {
		t.Skip("agentltl-hook is installed on this machine")
	}
	elsewhere := filepath.Join(filepath.Dir(p.home), "elsewhere")
	ours := filepath.Join(p.project, "bin")
	path := ours + ":/usr/bin:/bin:" + elsewhere
	p.program(t, filepath.Join(ours, "agentltl-hook"), "hostile")
	for _, stub := range []string{"uname", "sh", "ls", "id", "dirname"} {
		p.program(t, filepath.Join(ours, stub), "hostile")
	}
	if out, status := p.run(t, path, "claude-code", "PreToolUse"); out != "" || status != 0 {
		t.Errorf("without a program and rules: %d %q", status, out)
	}
	p.program(t, filepath.Join(elsewhere, "agentltl-hook"), "path")
	want := func(name string) {
		t.Helper()
		out, status := p.run(t, path, "claude-code", "PreToolUse")
		if out != name+" hook claude-code PreToolUse --no-env" || status != 0 {
			t.Errorf("%d %q, want %s", status, out, name)
		}
	}
	want("path")
	p.program(t, filepath.Join(p.home, "go", "bin", "agentltl-hook"), "go")
	want("go")
	p.program(t, filepath.Join(p.home, ".local", "bin", "agentltl-hook"), "local")
	want("local")
	written := filepath.Join(p.home, ".config", "agentltl", "program")
	p.program(t, filepath.Join(p.home, "tools", "agentltl-hook"), "written")
	for text, then := range map[string]string{
		filepath.Join(ours, "agentltl-hook") + "\n": "local",
		"tools/agentltl-hook\n":                     "local",
		"\n":                                        "local",
		filepath.Join(p.home, "tools", "agentltl-hook") + "\nx\n": "written",
	} {
		p.write(t, written, text, 0o644)
		want(then)
	}
	p.write(t, written, filepath.Join(p.home, "tools", "agentltl-hook")+"\n", 0o666) // anybody may write it
	want("local")
	p.write(t, written, filepath.Join(p.home, "tools", "agentltl-hook")+"\n", 0o644)
	if err := os.Chmod(filepath.Join(p.home, "tools", "agentltl-hook"), 0o757); err != nil {
		t.Fatal(err)
	}
	want("local")
	for _, system := range []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"} {
		p.program(t, filepath.Join(p.root, "bin", system, "agentltl-hook"), "shipped")
	}
	want("shipped")
}

// TestLauncherWithoutProgram refuses calls only where a rule file applies.
func TestLauncherWithoutProgram(t *testing.T) {
	if _, err := os.Stat("/usr/local/bin/agentltl-hook"); err == nil {
		t.Skip("agentltl-hook is installed on this machine")
	}
	if _, err := os.Stat("/etc/agentltl"); err == nil {
		t.Skip("this machine has managed rules")
	}
	for _, file := range []string{
		"project/AGENTLTL.yaml", ".config/agentltl/AGENTLTL.yaml", ".claude/AGENTLTL.yaml", "",
	} {
		p := newPlace(t)
		if file != "" {
			p.write(t, filepath.Join(p.home, filepath.FromSlash(file)), "rules: []\n", 0o644)
		}
		out, status := p.run(t, "/usr/bin:/bin", "claude-code", "PreToolUse")
		if refused := status == 2 && strings.Contains(out, "agentltl-hook was not found"); refused != (file != "") {
			t.Errorf("%q: %d %q", file, status, out)
		}
		if out, status := p.run(t, "/usr/bin:/bin", "claude-code", "PostToolUse"); out != "" || status != 0 {
			t.Errorf("%q after a call: %d %q", file, status, out)
		}
		if file == ".claude/AGENTLTL.yaml" {
			if _, status := p.run(t, "/usr/bin:/bin", "codex", "PreToolUse"); status != 0 {
				t.Error("another harness's user file counts")
			}
		}
	}
	p := newPlace(t)
	p.write(t, filepath.Join(p.home, "AGENTLTL.yaml"), "rules: []\n", 0o644) // above the project's .git
	if _, status := p.run(t, "/usr/bin:/bin", "claude-code", "PreToolUse"); status != 0 {
		t.Error("a file above the project's root counts")
	}
}
