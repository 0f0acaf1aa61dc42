package rules

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes files below a fresh folder and returns it. A name that ends in /
// is a folder, a text "-> x" a link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		target, link := strings.CutPrefix(text, "-> ")
		switch {
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		case link:
			err = os.Symlink(strings.ReplaceAll(target, "$TOP", top), path)
		default:
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return top
}

// foundText writes what was found, one file a line, relative to top.
func foundText(f Found, top string) string {
	var out []string
	for _, x := range f.Files {
		line := x.Layer.String() + " " + strings.TrimPrefix(x.Path, top+"/")
		if x.Err != nil {
			line += " (" + x.Err.Error() + ")"
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func TestFindProject(t *testing.T) {
	for _, tt := range []struct {
		name          string
		files         map[string]string
		session, call string
		want          string
		root          string
	}{
		{"at the root", map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": ""}, "p", "", "project p/AGENTLTL.yaml", "p"},
		{"upwards", map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "", "p/a/b/": ""}, "p/a/b", "", "project p/AGENTLTL.yaml", "p"},
		{"the nearest", map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "", "p/a/AGENTLTL.yaml": "", "p/a/b/": ""}, "p/a/b", "", "project p/a/AGENTLTL.yaml", "p"},
		{"an inner repository", map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "", "p/in/.git/": ""}, "p/in", "", "", "p/in"},
		{"a worktree's .git file", map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "", "p/w/.git": "gitdir: x"}, "p/w", "", "", "p/w"},
		{"a folder of that name", map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "", "p/a/AGENTLTL.yaml/": ""}, "p/a", "", "project p/AGENTLTL.yaml", "p"},
		{
			"nested, outermost first, over an inner .git",
			map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "", "p/a/AGENTLTL.yaml": "", "p/a/b/.git/": "", "p/a/b/AGENTLTL.yaml": ""},
			"p", "p/a/b", "project p/AGENTLTL.yaml\nnested p/a/AGENTLTL.yaml\nnested p/a/b/AGENTLTL.yaml", "p",
		},
		{"outside the session's folder", map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "", "q/AGENTLTL.yaml": ""}, "p", "q", "project p/AGENTLTL.yaml", "p"},
		{"above the session's folder", map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "", "p/a/AGENTLTL.yaml": ""}, "p/a", "p", "project p/a/AGENTLTL.yaml", "p"},
		{
			"a nearer file in the session's folder itself",
			map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "", "p/a/AGENTLTL.yaml": ""},
			"p/a", "p/a", "project p/a/AGENTLTL.yaml", "p",
		},
		{"a link inside", map[string]string{"p/.git/": "", "p/cfg/x.yaml": "", "p/AGENTLTL.yaml": "-> cfg/x.yaml"}, "p", "", "project p/AGENTLTL.yaml", "p"},
		{"a link out", map[string]string{"p/.git/": "", "secret": "aws_key", "p/AGENTLTL.yaml": "-> ../secret"}, "p", "", "project p/AGENTLTL.yaml (a link that leads out of the project is not read)", "p"},
		{"a dangling link", map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "-> nowhere"}, "p", "", "project p/AGENTLTL.yaml (the file is not there)", "p"},
		{
			"a nested folder that is a link out",
			map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "", "out/AGENTLTL.yaml": "", "p/s": "-> $TOP/out"},
			"p", "p/s", "project p/AGENTLTL.yaml\nnested p/s/AGENTLTL.yaml (a link that leads out of the project is not read)", "p",
		},
		{"too large", map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": strings.Repeat("#\n", 1<<20)}, "p", "", "project p/AGENTLTL.yaml (larger than 1024 KiB)", "p"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := tree(t, tt.files)
			o := FindOptions{SessionFolder: filepath.Join(top, tt.session)}
			if tt.call != "" {
				o.CallDir = filepath.Join(top, tt.call)
			}
			f := Find(o)
			if got := foundText(f, top); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if got := strings.TrimPrefix(f.Root, top+"/"); got != tt.root {
				t.Errorf("root %s, want %s", got, tt.root)
			}
		})
	}
}

// TestFindKept: the file found when the session began holds, a nearer one made
// later only adds, and one that is gone is a problem of its layer.
func TestFindKept(t *testing.T) {
	top := tree(t, map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "", "p/a/AGENTLTL.yaml": "", "p/a/.git/": ""})
	o := FindOptions{SessionFolder: filepath.Join(top, "p/a"), CallDir: filepath.Join(top, "p/a"), ProjectFile: filepath.Join(top, "p/AGENTLTL.yaml"), Root: filepath.Join(top, "p")}
	if got, want := foundText(Find(o), top), "project p/AGENTLTL.yaml\nnested p/a/AGENTLTL.yaml"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := os.Remove(o.ProjectFile); err != nil {
		t.Fatal(err)
	}
	f := Find(o)
	if len(f.Files) != 2 || !errors.Is(f.Files[0].Err, ErrGone) {
		t.Errorf("%s", foundText(f, top))
	}
}

func TestFindNestedMany(t *testing.T) {
	files := map[string]string{"p/.git/": ""}
	dir := "p"
	for range 10 {
		dir += "/d"
		files[dir+"/AGENTLTL.yaml"] = ""
	}
	top := tree(t, files)
	f := Find(FindOptions{SessionFolder: filepath.Join(top, "p"), CallDir: filepath.Join(top, dir)})
	if len(f.Files) != maxNested || !strings.HasSuffix(f.Files[7].Path, dir+"/AGENTLTL.yaml") {
		t.Errorf("%d files: %s", len(f.Files), foundText(f, top))
	}
	if len(f.Notices) != 1 || f.Notices[0].Code != "nested-many" {
		t.Errorf("%+v", f.Notices)
	}
}

func TestFindUserAndOnly(t *testing.T) {
	top := tree(t, map[string]string{"u/AGENTLTL.yaml": "", "h/": "", "p/.git/": "", "p/AGENTLTL.yaml": "", "x.yaml": ""})
	o := FindOptions{UserFiles: []string{top + "/u/AGENTLTL.yaml", top + "/h/AGENTLTL.yaml"}, SessionFolder: top + "/p"}
	if got, want := foundText(Find(o), top), "user u/AGENTLTL.yaml\nproject p/AGENTLTL.yaml"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	o.Only = []string{top + "/x.yaml", top + "/gone.yaml"}
	if got, want := foundText(Find(o), top), "project x.yaml\nproject gone.yaml (the file is not there)"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFindManaged(t *testing.T) {
	top := tree(t, map[string]string{
		"etc/AGENTLTL.yaml": "", "etc/AGENTLTL.d/b.yaml": "", "etc/AGENTLTL.d/a.yaml": "", "etc/AGENTLTL.d/.c.yaml": "", "etc/AGENTLTL.d/d.txt": "",
	})
	o := FindOptions{ManagedDir: top + "/etc", ManagedTop: top, ManagedOwner: os.Getuid()}
	if got, want := foundText(Find(o), top), "managed etc/AGENTLTL.yaml\nmanaged etc/AGENTLTL.d/a.yaml\nmanaged etc/AGENTLTL.d/b.yaml"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	// A file, or a folder above it, that others can write to.
	if err := os.Chmod(top+"/etc/AGENTLTL.d/a.yaml", 0o666); err != nil {
		t.Fatal(err)
	}
	f := Find(o)
	if got, want := foundText(f, top), "managed etc/AGENTLTL.yaml\nmanaged etc/AGENTLTL.d/b.yaml"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(f.Notices) != 1 || f.Notices[0].Code != "managed-owner" || !f.Notices[0].Agent || !strings.Contains(f.Notices[0].Text, "writable by others") {
		t.Errorf("%+v", f.Notices)
	}
	if err := os.Chmod(top+"/etc", 0o775); err != nil {
		t.Fatal(err)
	}
	if f := Find(o); len(f.Files) != 0 || len(f.Notices) != 3 {
		t.Errorf("%s, %d notices", foundText(f, top), len(f.Notices))
	}
	if err := os.Chmod(top+"/etc", 0o755); err != nil {
		t.Fatal(err)
	}

	// Another owner.
	o.ManagedOwner = os.Getuid() + 1
	if f := Find(o); len(f.Files) != 0 || len(f.Notices) != 3 {
		t.Errorf("%s, %d notices", foundText(f, top), len(f.Notices))
	}

	// A link is judged where it leads.
	linked := tree(t, map[string]string{"etc/AGENTLTL.yaml": "-> $TOP/open/x.yaml", "open/x.yaml": ""})
	if err := os.Chmod(linked+"/open", 0o777); err != nil {
		t.Fatal(err)
	}
	if f := Find(FindOptions{ManagedDir: linked + "/etc", ManagedTop: linked, ManagedOwner: os.Getuid()}); len(f.Files) != 0 || len(f.Notices) != 1 {
		t.Errorf("%s, %d notices", foundText(f, linked), len(f.Notices))
	}

	// None there: nothing is said.
	if f := Find(FindOptions{ManagedDir: top + "/none"}); len(f.Files)+len(f.Notices) != 0 {
		t.Errorf("%+v", f)
	}
}

func TestFindManagedMany(t *testing.T) {
	files := map[string]string{}
	for i := range maxManagedFiles + 6 {
		files[fmt.Sprintf("etc/AGENTLTL.d/%03d.yaml", i)] = ""
	}
	top := tree(t, files)
	f := Find(FindOptions{ManagedDir: top + "/etc", ManagedTop: top, ManagedOwner: os.Getuid()})
	if len(f.Files) != maxManagedFiles || len(f.Notices) != 1 {
		t.Errorf("%d files, %+v", len(f.Files), f.Notices)
	}
}

// TestSetKey: what a set depends on changes its name, and nothing else does.
func TestSetKey(t *testing.T) {
	top := tree(t, map[string]string{"p/.git/": "", "p/AGENTLTL.yaml": "rules: []\n"})
	o := FindOptions{SessionFolder: top + "/p"}
	k := KeyOptions{Program: "1", Harness: "codex", Builtins: []File{{Layer: BuiltIn, Text: []byte("x")}}, Without: []string{"a", "b"}}
	base := SetKey(Find(o).Files, k)
	if SetKey(Find(o).Files, k) != base {
		t.Error("the key differs between two looks")
	}
	k2 := k
	k2.Without = []string{"b", "a"}
	if SetKey(Find(o).Files, k2) != base {
		t.Error("the order of Without counts")
	}
	for name, change := range map[string]func(*KeyOptions){
		"program": func(k *KeyOptions) { k.Program = "2" }, "harness": func(k *KeyOptions) { k.Harness = "vibe" },
		"built-in": func(k *KeyOptions) { k.Builtins = []File{{Layer: BuiltIn, Text: []byte("y")}} }, "without": func(k *KeyOptions) { k.Without = nil },
	} {
		k3 := k
		change(&k3)
		if SetKey(Find(o).Files, k3) == base {
			t.Errorf("%s does not count", name)
		}
	}
	if err := os.WriteFile(top+"/p/AGENTLTL.yaml", []byte("rules: [] \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if SetKey(Find(o).Files, k) == base {
		t.Error("the text does not count")
	}
}
