package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// layered loads files given as "managed", "user", "project" or "nested:FOLDER"
// and their texts, in layer order.
func layered(t *testing.T, harness string, texts ...string) (*Set, Problems) {
	t.Helper()
	var files []File
	for i := 0; i < len(texts); i += 2 {
		layer, folder, _ := strings.Cut(texts[i], ":")
		f := File{Text: []byte(texts[i+1])}
		switch layer {
		case "managed":
			f.Layer, f.Path = Managed, fmt.Sprintf("/etc/agentltl/%d.yaml", i)
		case "user":
			f.Layer, f.Path = User, fmt.Sprintf("/home/dev/%d.yaml", i)
		case "project":
			f.Layer, f.Path = ProjectFile, "/p/AGENTLTL.yaml"
		case "nested":
			f.Layer, f.Folder, f.Path = Nested, "/p/"+folder, "/p/"+folder+"/AGENTLTL.yaml"
		default:
			t.Fatalf("layer %q", layer)
		}
		files = append(files, f)
	}
	builtins := []File{
		{Layer: BuiltIn, Path: "built-in", Text: []byte("rules:\n  - {id: protect-guard, mode: ask, never: {tool: Write, where: {file_path: \"*AGENTLTL.yaml\"}}}\n")},
		{Layer: BuiltIn, Path: "built-in", Text: []byte("rules:\n  - {id: memory-first, mode: warn, never: {tool: Write, where: {file_path: \"*CLAUDE.md\"}}}\n")},
	}
	return Load(files, LoadOptions{Harness: harness, Builtins: builtins, Context: &Context{Root: "/p", Home: "/home/dev"}})
}

// setText writes what is in force in one line a rule.
func setText(s *Set) string {
	var out []string
	for i := range s.Rules {
		r := &s.Rules[i]
		if r.Layer == BuiltIn && r.Mode.String() != "" {
			out = append(out, r.ID+" "+r.Mode.String())
			continue
		}
		out = append(out, fmt.Sprintf("%s %s %s", r.ID, r.Mode, r.Layer))
	}
	return strings.Join(out, ", ")
}

// TestLayers is the table of trust.md 3: what each layer may say.
func TestLayers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts []string
		want  string // rules in force
		told  string // some notice holds it
	}{
		{
			"a project rule replaces an unlocked user rule in its place",
			[]string{"user", "rules: [{id: a, never: x}, {id: b, never: y}]", "project", "rules: [{id: a, never: z, mode: log}]"},
			"protect-guard ask, a log project, b block user, memory-first warn", "replaces 1 of your rules (a)",
		},
		{
			"a locked user rule stays, both apply",
			[]string{"user", "rules: [{id: a, never: x, locked: true}]", "project", "rules: [{id: a, never: x, mode: log}]"},
			"protect-guard ask, a block user, a@project log project, memory-first warn", "",
		},
		{
			"a managed rule stays against all",
			[]string{"managed", "rules: [{id: a, never: x}]", "user", "rules: [{id: a, never: x, mode: log}]", "project", "rules: [{id: a, never: x, mode: warn}]", "nested:sub", "rules: [{id: a, never: x, mode: log}]"},
			"protect-guard ask, a block managed, a@user log user, a@project warn project, a@sub log nested, memory-first warn", "",
		},
		{
			"an overridable managed rule is replaced",
			[]string{"managed", "rules: [{id: a, never: x, overridable: true}]", "project", "rules: [{id: a, never: x, mode: log}]"},
			"protect-guard ask, a log project, memory-first warn", "replaces 1",
		},
		{
			"later managed files win",
			[]string{"managed", "rules: [{id: a, never: x}]", "managed", "rules: [{id: a, never: x, mode: ask}]"},
			"protect-guard ask, a ask managed, memory-first warn", "",
		},
		{
			"a nested rule never replaces",
			[]string{"user", "rules: [{id: a, never: x}]", "project", "rules: [{id: b, never: x}]", "nested:sub", "rules: [{id: a, never: y, mode: log}, {id: b, never: y, mode: log}]", "nested:sub/in", "disable: [a, b]"},
			"protect-guard ask, a block user, b block project, a@sub log nested, b@sub log nested, memory-first warn", "disable.a",
		},
		{
			"disable reaches unlocked user rules, told",
			[]string{"user", "rules: [{id: a, never: x}, {id: b, never: y, locked: true}]", "project", "disable: [a, b, memory-first]"},
			"protect-guard ask, b block user", "switches off 1 of your rules (a)",
		},
		{
			"disable does not reach managed rules",
			[]string{"managed", "rules: [{id: a, never: x}, {id: o, never: x, overridable: true}]", "user", "disable: [a, o]"},
			"protect-guard ask, a block managed, memory-first warn", "disable.a",
		},
		{
			"a user file switches protect-guard off",
			[]string{"user", "disable: [protect-guard]"},
			"memory-first warn", "",
		},
		{
			"a project file cannot",
			[]string{"project", "rules: [{id: protect-guard, never: x, mode: log}]\nuse: [{protect-guard: {mode: log}}]", "nested:s", "disable: [protect-guard]"},
			"protect-guard ask, protect-guard@project log project, memory-first warn", "use.protect-guard",
		},
		{
			"a user file changes its mode",
			[]string{"user", "use: [{protect-guard: {mode: block}}]"},
			"protect-guard block, memory-first warn", "",
		},
		{
			"unless a managed file names it",
			[]string{"managed", "use: [{protect-guard: {mode: stop}}]", "user", "use: [{protect-guard: {mode: log}}]\ndisable: [protect-guard]"},
			"protect-guard stop, memory-first warn", "",
		},
		{
			"an own rule replaces memory-first",
			[]string{"project", "rules: [{id: memory-first, never: x, mode: log}]"},
			"protect-guard ask, memory-first log project", "",
		},
		{
			"the administrator allows no project rules",
			[]string{"managed", "allow_project_rules: false", "user", "rules: [{id: u, never: x}]", "project", "rules: [{id: a, never: x}]", "nested:s", "rules: [{id: b, never: x}]"},
			"protect-guard ask, u block user, memory-first warn", "no project rules",
		},
		{
			"a project cannot say so, nor lock, nor require",
			[]string{"project", "allow_project_rules: false\nrequire: {min_version: \"9\"}\nrules: [{id: a, never: x, locked: true, overridable: true}]"},
			"protect-guard ask, a block project, memory-first warn", "require",
		},
		{
			"disable of a group",
			[]string{"project", "groups: {g: [a, b]}\nrules: [{id: a, never: x}, {id: b, never: y}, {id: c, never: z, group: g}]\ndisable: [\"group:g\"]"},
			"protect-guard ask, memory-first warn", "",
		},
		{
			"two user files: the later wins",
			[]string{"user", "rules: [{id: a, never: x}]", "user", "rules: [{id: a, never: x, mode: ask}]"},
			"protect-guard ask, a ask user, memory-first warn", "",
		},
	} {
		set, problems := layered(t, "claude-code", tt.texts...)
		if len(problems) > 0 {
			t.Errorf("%s: %v", tt.name, problems)
			continue
		}
		if got := setText(set); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
		if !slices.ContainsFunc(set.Told, func(n Notice) bool { return strings.Contains(n.Text, tt.told) }) && tt.told != "" {
			t.Errorf("%s: no notice says %q: %+v", tt.name, tt.told, set.Told)
		}
	}
}

// TestLayerSettings is the settings half of the table.
func TestLayerSettings(t *testing.T) {
	show := func(s *Settings) map[string]string {
		return map[string]string{
			"unparseable": s.UnparseableAsked.String() + "/" + s.UnparseableAuto.String(), "on_error": s.OnError,
			"scan_output": fmt.Sprint(s.ScanOutput), "finish_retries": fmt.Sprint(s.FinishRetries), "max_line": fmt.Sprint(s.MaxLine),
			"retries": fmt.Sprint(s.Retries), "shadow": fmt.Sprint(s.Shadow), "keep": fmt.Sprint(s.KeepSession), "scan_extra": strings.Join(s.ScanExtra, " "),
			"project_memory": s.ProjectMemory, "exceptions": s.Exceptions, "report": fmt.Sprint(s.Report), "memory_first": fmt.Sprint(s.MemoryFirst), "announce_max": fmt.Sprint(s.AnnounceMax),
		}
	}
	for _, tt := range []struct {
		name  string
		texts []string
		want  map[string]string
		told  string
	}{
		{
			"a project's block replaces the user's as a whole, told when weaker",
			[]string{"user", "settings: {unparseable: deny, retries: 7, on_error: deny}", "project", "settings: {report: 2}"},
			map[string]string{"unparseable": "ask/note", "retries": "3", "report": "2", "on_error": "deny"},
			"unparseable.interactive deny -> ask",
		},
		{
			"an empty block, too",
			[]string{"user", "settings: {unparseable: deny}", "project", "settings:"},
			map[string]string{"unparseable": "ask/note"},
			"unparseable.auto deny -> note",
		},
		{
			"pinned keys only tighten, each half for itself",
			[]string{"managed", "settings: {unparseable: {auto: ask}, scan_output: true, finish_retries: 1, max_line: 1000}", "project", "settings: {unparseable: {interactive: allow, auto: allow}, scan_output: false, finish_retries: 5, max_line: 500}"},
			map[string]string{"unparseable": "allow/ask", "scan_output": "true", "finish_retries": "5", "max_line": "500"},
			"settings.unparseable.auto",
		},
		{
			"locked user settings",
			[]string{"user", "settings: {unparseable: deny, locked: [unparseable, memory_first]}", "project", "settings: {unparseable: allow, memory_first: false}"},
			map[string]string{"unparseable": "deny/deny", "memory_first": "true"},
			"",
		},
		{
			"all locked, defaults too",
			[]string{"user", "settings: {locked: true}", "project", "settings: {unparseable: allow, announce_max: 1, retries: 9}"},
			map[string]string{"unparseable": "ask/note", "announce_max": "4000", "retries": "3"},
			"",
		},
		{
			"a project cannot lock",
			[]string{"project", "settings: {locked: true, unparseable: deny}", "nested:s", "settings: {unparseable: allow}"},
			map[string]string{"unparseable": "deny/deny"},
			"settings.locked",
		},
		{
			"nested files tighten only",
			[]string{"project", "settings: {unparseable: note, retries: 2}", "nested:s", "settings: {unparseable: deny, retries: 9, scan_output: false}"},
			map[string]string{"unparseable": "deny/deny", "retries": "2", "scan_output": "true"},
			"settings.scan_output",
		},
		{
			"what projects may not set",
			[]string{"project", "settings: {shadow: true, keep: {session: 1}, reservation_ttl: 0s, exceptions: any, project_memory: repo, scan_extra: [a]}"},
			map[string]string{"shadow": "false", "keep": "100000", "exceptions": "own", "project_memory": "repo", "scan_extra": "a"},
			"settings.shadow",
		},
		{
			"what users may set",
			[]string{"user", "settings: {shadow: true, keep: {session: 5}, exceptions: any, scan_extra: [b]}", "project", "settings: {scan_extra: [a]}"},
			map[string]string{"shadow": "true", "keep": "5", "exceptions": "own", "scan_extra": "b a"},
			"settings.exceptions",
		},
		{
			"what the administrator sets",
			[]string{"managed", "settings: {exceptions: none, retries: 9, shadow: true}", "user", "settings: {shadow: false}"},
			map[string]string{"exceptions": "none", "retries": "3", "shadow": "true"},
			"",
		},
		{
			"evidence of a project is ignored",
			[]string{"project", "settings: {evidence: {anchors: [~/x], sign: ~/.ssh/id_ed25519}, metrics: {textfile: /x}}"},
			map[string]string{"unparseable": "ask/note"},
			"settings.evidence",
		},
	} {
		set, problems := layered(t, "claude-code", tt.texts...)
		if len(problems) > 0 {
			t.Errorf("%s: %v", tt.name, problems)
			continue
		}
		got := show(&set.Settings)
		for k, w := range tt.want {
			if got[k] != w {
				t.Errorf("%s: %s is %s, want %s", tt.name, k, got[k], w)
			}
		}
		if !slices.ContainsFunc(set.Told, func(n Notice) bool { return strings.Contains(n.Text, tt.told) }) && tt.told != "" {
			t.Errorf("%s: no notice says %q: %+v", tt.name, tt.told, set.Told)
		}
	}
}

// TestOwnSettings: managed and locked rules are judged with the settings of
// their own files.
func TestOwnSettings(t *testing.T) {
	set, problems := layered(t, "plain",
		"managed", "settings: {retries: 5, mode: ask, maybe: note}\nrules: [{id: m, never: x}]",
		"user", "settings: {retries: 4, retry_counting: hybrid}\nrules: [{id: l, never: x, locked: true}, {id: u, never: x}]",
		"project", "settings: {retries: 2}\nrules: [{id: p, never: x}]")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got := map[string]string{}
	for i := range set.Rules {
		r := &set.Rules[i]
		got[r.ID] = fmt.Sprintf("%d %s %s %s", r.Retries, r.Counting, r.Mode, r.Maybe.Read)
	}
	for id, want := range map[string]string{"m": "5 cumulative ask note", "l": "4 hybrid block refuse", "u": "0  block refuse", "p": "0  block refuse"} {
		if got[id] != want {
			t.Errorf("%s: %s, want %s", id, got[id], want)
		}
	}
	if set.Settings.Retries != 2 {
		t.Errorf("retries of the set: %d", set.Settings.Retries)
	}
}

// TestMinVersion: an older program keeps the last good set of the layer.
func TestMinVersion(t *testing.T) {
	load := func(program string) Problems {
		_, problems := Load([]File{{Layer: Managed, Path: "/etc/agentltl/AGENTLTL.yaml", Text: []byte("require: {min_version: \"1.4\"}\nnew_key: 1\n")}}, LoadOptions{Program: program})
		return problems
	}
	if p := load("v1.2.9"); len(p) == 0 || !strings.Contains(p[0].Msg, "needs agentltl-hook 1.4, this is v1.2.9") {
		t.Errorf("%v", p)
	}
	for _, program := range []string{"1.4.0", "2.0", "devel-abc"} {
		if p := load(program); len(p) != 1 || strings.Contains(p[0].Msg, "needs") {
			t.Errorf("%s: %v", program, p)
		}
	}
}
