package harness_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentltl/agentltl-hook/harness"
	"github.com/agentltl/agentltl-hook/harness/adapter"
)

// installed are the adapters that install something.
func installed() []adapter.Adapter {
	return slices.DeleteFunc(harness.All(), func(a adapter.Adapter) bool { return a.Command() == "" })
}

// options are those of a person with a fresh home below dir.
func options(dir string, a adapter.Adapter) adapter.InstallOptions {
	home := filepath.Join(dir, "home")
	return adapter.InstallOptions{
		Program:   filepath.Join(dir, "bin", "agentltl-hook"),
		StateDir:  filepath.Join(home, ".local", "state", "agentltl"),
		SharedDir: filepath.Join(home, ".config", "agentltl"),
		UserDir:   filepath.Join(home, filepath.FromSlash(a.Profile().UserDir)),
		Home:      home,
		Root:      filepath.Join(dir, "repo"),
		Version:   "v1.2.3",
		Random:    func() (string, error) { return "5f0c2a9e", nil },
	}
}

// settingsOf is the file that install merges into, per harness; "" where the
// file is ours as a whole.
func settingsOf(name string, o adapter.InstallOptions) string {
	switch {
	case name == "claude-code" && o.Project:
		return filepath.Join(o.Root, ".claude", "settings.json")
	case name == "claude-code":
		return filepath.Join(o.UserDir, "settings.json")
	case name == "codex" && o.Project:
		return filepath.Join(o.Root, ".codex", "hooks.json")
	case name == "codex":
		return filepath.Join(o.UserDir, "hooks.json")
	case name == "vibe" && o.Project:
		return filepath.Join(o.Root, ".vibe", "hooks.toml")
	case name == "vibe":
		return filepath.Join(o.UserDir, "hooks.toml")
	}
	return ""
}

// oddFiles are configurations as people and programs leave them.
func oddFiles(name string) map[string]string {
	if name == "vibe" {
		return map[string]string{
			"empty": "", "comments": "# mine\n\n[[hooks]]\nname = \"x\" # why\ntype = \"pre_tool\"\ncommand = 'true'\n",
			"CRLF": "[[hooks]]\r\nname = 'x'\r\ntype = 'pre_tool'\r\ncommand = 'true'\r\n", "no newline": "# nothing yet",
			"tabs": "[[hooks]]\n\tname = 'x'\n\ttype = 'post_tool'\n\tcommand = 'true'\n",
		}
	}
	return map[string]string{
		"empty":    "",
		"object":   "{}",
		"minified": `{"z":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]},"a":2}`,
		"foreign":  "{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"echo hi\"}]}\n    ]\n  }\n}\n",
		"BOM":      "\ufeff{\n  \"model\": \"x\"\n}\n",
		"CRLF":     "{\r\n    \"hooks\": {\"Stop\": []},\r\n    \"z\": 1,\r\n    \"a\": 2\r\n}\r\n",
		"tabs":     "{\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{\n\t\t\t\t\"hooks\": []\n\t\t\t}\n\t\t]\n\t}\n}",
	}
}

// foreign is a configuration with an entry of somebody else.
func foreign(name string) string {
	if name == "vibe" {
		return oddFiles(name)["comments"]
	}
	return oddFiles(name)["foreign"]
}

// TestInstallRefusesComments: Claude Code and Codex ignore a file that is not
// plain JSON without a word, so hooks in it would never run.
func TestInstallRefusesComments(t *testing.T) {
	for _, name := range []string{"claude-code", "codex"} {
		for _, text := range []string{"{\n  // mine\n  \"model\": \"x\"\n}\n", "{\"model\": \"x\",}"} {
			a := harness.Find(name)
			o := options(t.TempDir(), a)
			path := settingsOf(name, o)
			put(t, path, text, 0o600)
			if _, err := a.Install(o); err == nil || !strings.Contains(err.Error(), "comments") {
				t.Errorf("%s: %v", name, err)
			}
			if got := get(t, path); got != text {
				t.Errorf("%s: the file became %q", name, got)
			}
		}
	}
}

// TestInstallAndBack installs into odd files, twice, and takes it back: the
// bytes are the old ones.
func TestInstallAndBack(t *testing.T) {
	for _, a := range installed() {
		name := a.Profile().Name
		for _, project := range []bool{false, true} {
			files := map[string]string{"absent": "\x00"}
			if settingsOf(name, adapter.InstallOptions{}) != "" {
				maps.Copy(files, oddFiles(name))
			}
			for kind, text := range files {
				place := map[bool]string{false: "user", true: "project"}[project]
				t.Run(name+"/"+place+"/"+kind, func(t *testing.T) {
					o := options(t.TempDir(), a)
					o.Project = project
					if path := settingsOf(name, o); text != "\x00" {
						put(t, path, text, 0o640)
					}
					before := tree(t, o)
					dry := o
					dry.DryRun = true
					if _, err := a.Install(dry); err != nil {
						t.Fatal(err)
					}
					if d := cmp.Diff(before, tree(t, o)); d != "" {
						t.Errorf("a dry run changed: %s", d)
					}
					if _, err := a.Install(o); err != nil {
						t.Fatal(err)
					}
					after := tree(t, o)
					if cmp.Equal(before, after) {
						t.Fatal("nothing was installed")
					}
					r, err := a.Install(o)
					if err != nil {
						t.Fatal(err)
					}
					for _, c := range r.Changed {
						if c.Action != "unchanged" {
							t.Errorf("a second install: %s %s", c.Action, c.Path)
						}
					}
					if d := cmp.Diff(after, tree(t, o)); d != "" {
						t.Errorf("a second install changed: %s", d)
					}
					if _, err := a.Remove(o); err != nil {
						t.Fatal(err)
					}
					if d := cmp.Diff(before, tree(t, o)); d != "" {
						t.Errorf("after removal: %s", d)
					}
				})
			}
		}
	}
}

// TestRemoveFromEdited takes our entries out of files that were edited since:
// every other byte stays.
func TestRemoveFromEdited(t *testing.T) {
	for _, a := range installed() {
		name := a.Profile().Name
		if settingsOf(name, adapter.InstallOptions{}) == "" {
			continue
		}
		for kind, text := range oddFiles(name) {
			if kind == "empty" {
				continue // nothing to edit beside ours
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				o := options(t.TempDir(), a)
				path := settingsOf(name, o)
				put(t, path, text, 0o600)
				if _, err := a.Install(o); err != nil {
					t.Fatal(err)
				}
				src := get(t, path)
				edited, want := edit(src), edit(text)
				put(t, path, edited, 0o600)
				if _, err := a.Remove(o); err != nil {
					t.Fatal(err)
				}
				if name == "vibe" && kind == "no newline" {
					want += "\n" // the line that our block began on
				}
				if d := cmp.Diff(want, get(t, path)); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// edit is what a person changes: a line in front.
func edit(s string) string {
	if before, after, ok := strings.Cut(s, "{"); ok && len(before) <= 3 {
		return before + "{ // edited\n" + after
	}
	return "# edited\n" + s
}

// TestInstallSparesForeignEntries: groups of others keep their place and bytes.
func TestInstallSparesForeignEntries(t *testing.T) {
	for _, a := range installed() {
		name := a.Profile().Name
		if settingsOf(name, adapter.InstallOptions{}) == "" {
			continue
		}
		o := options(t.TempDir(), a)
		path := settingsOf(name, o)
		text := foreign(name)
		put(t, path, text, 0o600)
		if _, err := a.Install(o); err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(get(t, path), ",", "") // one goes in behind the last of a list
		for line := range strings.SplitSeq(strings.ReplaceAll(text, ",", ""), "\n") {
			if line = strings.Trim(line, " {}[]"); line != "" && !strings.Contains(got, line) {
				t.Errorf("%s: %q is gone from\n%s", name, line, got)
			}
		}
	}
}

// TestInstallFollowsLinks: what a link points to is changed, the link stays.
func TestInstallFollowsLinks(t *testing.T) {
	for _, a := range installed() {
		name := a.Profile().Name
		if settingsOf(name, adapter.InstallOptions{}) == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			o := options(t.TempDir(), a)
			path := settingsOf(name, o)
			text := foreign(name)
			real := filepath.Join(o.Home, "dotfiles", "settings")
			put(t, real, text, 0o600)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(real, path); err != nil {
				t.Skip(err)
			}
			if _, err := a.Install(o); err != nil {
				t.Fatal(err)
			}
			if st, err := os.Lstat(path); err != nil || st.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("the link is gone: %v", err)
			}
			if get(t, real) == text {
				t.Error("what the link points to was not changed")
			}
			if _, err := a.Remove(o); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(text, get(t, real)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestInstallRefuses: a file that is read-only or broken is named and left alone,
// and nothing else is written.
func TestInstallRefuses(t *testing.T) {
	for _, a := range installed() {
		name := a.Profile().Name
		if settingsOf(name, adapter.InstallOptions{}) == "" {
			continue
		}
		for kind, mode := range map[string]fs.FileMode{"read-only": 0o444, "broken": 0o600} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				o := options(t.TempDir(), a)
				path := settingsOf(name, o)
				text := foreign(name)
				if kind == "broken" {
					text = "{ \"hooks\": [ ="
				}
				put(t, path, text, mode)
				before := tree(t, o)
				_, err := a.Install(o)
				if err == nil || !strings.Contains(err.Error(), path) {
					t.Errorf("the error is %v", err)
				}
				if d := cmp.Diff(before, tree(t, o)); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// TestInstallHalfway: when a later file cannot be written, the earlier ones are
// as before.
func TestInstallHalfway(t *testing.T) {
	o := options(t.TempDir(), installed()[0])
	first, second := filepath.Join(o.Home, "a"), filepath.Join(o.Home, "b")
	put(t, first, "old", 0o600)
	put(t, filepath.Join(o.Home, "c"), "a file", 0o600)
	before := tree(t, o)
	_, err := o.Apply("test", []adapter.File{
		{Path: first, New: []byte("new")},
		{Path: filepath.Join(second, "x"), New: []byte("new")},
		{Path: filepath.Join(o.Home, "c", "below a file"), New: []byte("new")},
	})
	if err == nil {
		t.Fatal("no error")
	}
	after := tree(t, o)
	maps.DeleteFunc(after, func(p, _ string) bool { return strings.Contains(p, "/install/") })
	if d := cmp.Diff(before, after); d != "" {
		t.Error(d)
	}
}

// TestUpdateKeepsTheOriginal: installing another version over an installation
// still gives back the bytes from before the first.
func TestUpdateKeepsTheOriginal(t *testing.T) {
	for _, a := range installed() {
		name := a.Profile().Name
		if settingsOf(name, adapter.InstallOptions{}) == "" {
			continue
		}
		o := options(t.TempDir(), a)
		path := settingsOf(name, o)
		text := foreign(name)
		put(t, path, text, 0o600)
		if _, err := a.Install(o); err != nil {
			t.Fatal(err)
		}
		o.Program += "-2"
		o.Program = strings.Replace(o.Program, "agentltl-hook-2", "v2/agentltl-hook", 1)
		o.Random = func() (string, error) { return "ffffffff", nil }
		if _, err := a.Install(o); err != nil {
			t.Fatal(err)
		}
		got := get(t, path)
		if strings.Contains(got, "/bin/agentltl-hook") || !strings.Contains(got, "v2/agentltl-hook") {
			t.Errorf("%s: the program was not updated:\n%s", name, got)
		}
		if strings.Contains(got, "ffffffff") {
			t.Errorf("%s: the names changed with the update", name)
		}
		if _, err := a.Remove(o); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(text, get(t, path)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestManaged: the administrator's files, and the user's registration goes.
func TestManaged(t *testing.T) {
	for _, name := range []string{"claude-code", "codex"} {
		a := harness.Find(name)
		o := options(t.TempDir(), a)
		if _, err := a.Install(o); err != nil {
			t.Fatal(err)
		}
		before := tree(t, o)
		m := o
		m.Managed, m.ManagedRoot = true, filepath.Join(o.Home, "root")
		r, err := a.Install(m)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Changed) < 2 {
			t.Errorf("%s: changed only %v", name, r.Changed)
		}
		got := ""
		for p, text := range tree(t, m) {
			if strings.Contains(p, "/root/") {
				got += text
			}
		}
		for _, want := range []string{"PreToolUse", "--no-env"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in %s", name, want, got)
			}
		}
		if strings.Contains(got, "--state-dir") {
			t.Errorf("%s: a managed line carries folders: %s", name, got)
		}
		if _, err := os.Stat(settingsOf(name, o)); err == nil {
			t.Errorf("%s: the user's registration stayed beside the managed one", name)
		}
		if _, err := a.Remove(m); err != nil {
			t.Fatal(err)
		}
		if cmp.Equal(before, tree(t, o)) {
			t.Errorf("%s: nothing was removed", name)
		}
		for p := range tree(t, m) {
			if strings.Contains(p, "/root/") {
				t.Errorf("%s: %s stayed", name, p)
			}
		}
	}
}

func TestManagedCodexByHand(t *testing.T) {
	a := harness.Find("codex")
	o := options(t.TempDir(), a)
	o.Managed, o.ManagedRoot = true, filepath.Join(o.Home, "root")
	path := filepath.Join(o.ManagedRoot, "etc", "codex", "requirements.toml")
	put(t, path, "[features]\nx = true\n", 0o644)
	_, err := a.Install(o)
	m, ok := errors.AsType[*adapter.ManualError](err)
	if !ok || !strings.Contains(m.Lines, "[[hooks.PreToolUse.hooks]]") {
		t.Errorf("got %v", err)
	}
	if got := get(t, path); got != "[features]\nx = true\n" {
		t.Errorf("the file became %q", got)
	}
}

// TestPeers: the Python plugins of the same name are found, and switched off
// when the person wants it.
func TestPeers(t *testing.T) {
	a := harness.Find("claude-code")
	o := options(t.TempDir(), a)
	path := settingsOf("claude-code", o)
	put(t, path, `{"enabledPlugins": {"agentltl@python": true, "other@x": true}, "hooks": {"PreToolUse": [{"hooks": [
  {"type": "command", "command": "python3 -m agentltl_coding.hook"}, {"type": "command", "command": "echo mine"}]}]}}`, 0o600)
	if got := a.Peers(o); len(got) != 2 {
		t.Errorf("found %q", got)
	}
	r, err := a.Install(o)
	if err != nil || len(r.Warnings) != 2 {
		t.Fatalf("%v, %q", err, r.Warnings)
	}
	o.NoPeers = true
	if _, err := a.Install(o); err != nil {
		t.Fatal(err)
	}
	got := get(t, path)
	if strings.Contains(got, "agentltl_coding") || !strings.Contains(got, `"agentltl@python": false`) ||
		!strings.Contains(got, "echo mine") || !strings.Contains(got, `"other@x": true`) {
		t.Error(got)
	}
}

// TestPluginAndSettingsNeverBoth: with the plugin enabled nothing is written.
func TestPluginAndSettingsNeverBoth(t *testing.T) {
	for name, file := range map[string]string{
		"claude-code": "settings.json", "copilot-cli": "settings.json", "codex": "config.toml",
	} {
		a := harness.Find(name)
		o := options(t.TempDir(), a)
		text := `{"enabledPlugins": {"agentltl@agentltl": true}}`
		if name == "codex" {
			text = "[plugins.\"agentltl@agentltl\"]\nenabled = true\n"
		}
		put(t, filepath.Join(o.UserDir, file), text, 0o600)
		before := tree(t, o)
		if _, err := a.Install(o); err == nil || !strings.Contains(err.Error(), "agentltl@agentltl") {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(before, tree(t, o)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestPluginFiles: without the harness's program the marketplace is written and
// the person is told what to type; taking it back leaves nothing.
func TestPluginFiles(t *testing.T) {
	for _, a := range installed() {
		name := a.Profile().Name
		o := options(t.TempDir(), a)
		o.Plugin = true
		before := tree(t, o)
		r, err := a.Install(o)
		if err != nil {
			t.Fatal(err)
		}
		if name != "vibe" && len(r.Next) == 0 {
			t.Errorf("%s: nothing to do next", name)
		}
		after := tree(t, o)
		found := false
		for p, text := range after {
			found = found || strings.Contains(p, "SKILL.md ") && strings.Contains(text, "agentltl-hook")
			if strings.Contains(text, "@VERSION@") || strings.Contains(text, "@PREFIX@") {
				t.Errorf("%s: %s has an open placeholder", name, p)
			}
		}
		if !found {
			t.Errorf("%s: no skills", name)
		}
		if _, err := a.Remove(o); err != nil {
			t.Fatal(err)
		}
		o.Plugin = false
		if _, err := a.Remove(o); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(before, tree(t, o)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestPluginByTheHarness: the harness's own commands are run, in order.
func TestPluginByTheHarness(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": "plugin marketplace add,plugin install agentltl@agentltl,plugin uninstall agentltl@agentltl,plugin marketplace remove",
		"copilot-cli": "plugin marketplace add,plugin install agentltl@agentltl,plugin uninstall agentltl@agentltl,plugin marketplace remove",
	} {
		a := harness.Find(name)
		o := options(t.TempDir(), a)
		o.Plugin = true
		var ran []string
		o.Look = func(p string) string { return "/usr/bin/" + p }
		o.Run = func(_ context.Context, c adapter.Command) (adapter.Result, error) {
			ran = append(ran, strings.Join(c.Args[1:min(4, len(c.Args))], " "))
			return adapter.Result{}, nil
		}
		if _, err := a.Install(o); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Remove(o); err != nil {
			t.Fatal(err)
		}
		for i, w := range strings.Split(want, ",") {
			if i >= len(ran) || !strings.HasPrefix(ran[i], w) {
				t.Errorf("%s ran %q", name, ran)
				break
			}
		}
	}
}

func put(t *testing.T, path, text string, mode fs.FileMode) {
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

func get(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// tree is every file below home and project with its mode, folders included.
func tree(t *testing.T, o adapter.InstallOptions) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, root := range []string{o.Home, o.Root} {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				return err
			}
			st, err := d.Info()
			if err != nil {
				return err
			}
			text := ""
			if st.Mode().IsRegular() {
				text = get(t, p)
			}
			if !strings.HasPrefix(p, filepath.Join(o.Home, ".local")) && p != o.Home && p != o.Root {
				out[p+" "+st.Mode().String()] = text
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}
