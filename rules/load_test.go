package rules

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type vectorCase struct {
	ID      string             `json:"id"`
	About   string             `json:"about"`
	Harness string             `json:"harness"`
	Cwd     string             `json:"cwd"`
	Disk    map[string]*string `json:"disk"`
	Steps   []struct {
		Do   string          `json:"do"`
		Want json.RawMessage `json:"want"`
	} `json:"steps"`
}

type wantLoad struct {
	OK       *bool `json:"ok"`
	Problems []struct {
		Line  *int     `json:"line"`
		About []string `json:"about"`
	} `json:"problems"`
	Files *[]string `json:"files"`
	Rules *[]struct {
		ID    string  `json:"id"`
		Kind  *string `json:"kind"`
		Mode  *string `json:"mode"`
		Scope *string `json:"scope"`
		From  *string `json:"from"`
	} `json:"rules"`
	Settings map[string]any `json:"settings"`
}

// memoryFirst stands for the built-in of Claude Code in these cases.
const memoryFirst = `rules:
  - {id: memory-first, mode: warn, never: {tool: Write, where: {file_path: "*CLAUDE.md"}}}
`

// TestVectorLoads runs the load steps of vectors/rules.
func TestVectorLoads(t *testing.T) {
	dirs, err := filepath.Glob("../testdata/vectors/rules/*")
	if err != nil || len(dirs) < 100 {
		t.Fatalf("vectors: %d folders, %v", len(dirs), err)
	}
	loads := 0
	for _, dir := range dirs {
		b, err := os.ReadFile(filepath.Join(dir, "case.json"))
		if err != nil {
			t.Fatal(err)
		}
		var c vectorCase
		if err := json.Unmarshal(b, &c); err != nil {
			t.Fatal(err)
		}
		for _, s := range c.Steps {
			if s.Do != "load" {
				continue
			}
			loads++
			t.Run(filepath.Base(dir), func(t *testing.T) { runLoad(t, dir, c, s.Want) })
		}
	}
	if loads < 50 {
		t.Errorf("only %d load steps ran", loads)
	}
}

func runLoad(t *testing.T, dir string, c vectorCase, raw json.RawMessage) {
	top := t.TempDir()
	root, home := filepath.Join(top, "proj"), filepath.Join(top, "home")
	fill := strings.NewReplacer("$ROOT", root, "$HOMEDIR", home).Replace
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(fill(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	user := filepath.Join(home, "user", FileName)
	for from, to := range map[string]string{"AGENTLTL.yaml": filepath.Join(root, FileName), "user.yaml": user} {
		if b, err := os.ReadFile(filepath.Join(dir, from)); err == nil {
			write(to, string(b))
		}
	}
	for name, text := range c.Disk {
		if text != nil {
			write(filepath.Join(root, name), *text)
		}
	}
	cwd := filepath.Join(root, c.Cwd)
	if err := os.MkdirAll(cwd, 0o700); err != nil {
		t.Fatal(err)
	}
	var want wantLoad
	if err := json.Unmarshal([]byte(fill(string(raw))), &want); err != nil {
		t.Fatal(err)
	}
	found := Find(FindOptions{UserFiles: []string{user}, SessionFolder: cwd})
	o := LoadOptions{Harness: c.Harness, Context: &Context{Root: found.Root, Home: home}}
	if c.Harness == "claude-code" {
		o.Builtins = []File{{Layer: BuiltIn, Path: "built-in", Text: []byte(memoryFirst)}}
	}
	set, problems := Load(found.Files, o)
	compareProblems(t, want, problems)
	if want.OK != nil && !*want.OK {
		return
	}
	compareSet(t, want, set, found)
}

func compareProblems(t *testing.T, want wantLoad, got Problems) {
	t.Helper()
	if len(got) != len(want.Problems) {
		t.Errorf("%d problems, want %d:\n%v", len(got), len(want.Problems), got)
		return
	}
	for i, w := range want.Problems {
		if w.Line != nil && got[i].Pos.Line != *w.Line {
			t.Errorf("problem %d is at line %d, want %d: %v", i, got[i].Pos.Line, *w.Line, got[i])
		}
		for _, s := range w.About {
			if !strings.Contains(got[i].Error(), s) {
				t.Errorf("problem %d does not say %q: %v", i, s, got[i])
			}
		}
	}
}

func compareSet(t *testing.T, want wantLoad, set *Set, found Found) {
	t.Helper()
	if want.Files != nil {
		var files []string
		for _, f := range found.Files {
			files = append(files, f.Path)
		}
		if strings.Join(files, "\n") != strings.Join(*want.Files, "\n") {
			t.Errorf("files %v, want %v", files, *want.Files)
		}
	}
	if want.Rules != nil {
		if len(set.Rules) != len(*want.Rules) {
			t.Errorf("%d rules, want %d", len(set.Rules), len(*want.Rules))
			return
		}
		for i, w := range *want.Rules {
			r := set.Rules[i]
			for _, p := range []struct {
				want *string
				got  string
			}{{&w.ID, r.ID}, {w.Kind, r.Kind}, {w.Mode, r.Mode.String()}, {w.Scope, r.Scope.String()}, {w.From, r.Source}} {
				if p.want != nil && *p.want != p.got {
					t.Errorf("rule %d: %q, want %q", i, p.got, *p.want)
				}
			}
		}
	}
	for k, w := range want.Settings {
		var got any
		switch k {
		case "unparseable_interactive":
			got = set.Settings.UnparseableAsked.String()
		case "unparseable_auto":
			got = set.Settings.UnparseableAuto.String()
		case "report":
			got = float64(set.Settings.Report)
		case "retries":
			got = float64(set.Settings.Retries)
		default:
			t.Errorf("unknown setting %q in the case", k)
			continue
		}
		if got != w {
			t.Errorf("setting %s is %v, want %v", k, got, w)
		}
	}
}
