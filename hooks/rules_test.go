package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentltl/agentltl-hook/guard"
	"github.com/agentltl/agentltl-hook/trace"
)

func TestWhen(t *testing.T) {
	l := newLab(t, `rules:
  - {id: main-only, never: git_commit, when: 'repo.branch in ["main", "master"]'}
  - {id: subs, never: sub, when: agent.sub}
  - {id: claude, never: cl, when: 'harness == "claude-code"'}
  - {id: other, never: ot, when: 'harness == "codex"'}
  - {id: later, never: la, when: 'session.calls >= 3'}
  - {id: counted, never: co, when: 'count("ls") >= 2'}
  - {id: newest, never: ne, when: 'last({tool: "mk", where: {argv: "x*"}}).args.argv[0] == "xy"'}
  - {id: broken, never: br, when: 'args.n < "text"'}
  - {id: long, never: lo, when: 'session.minutes > 30'}
  - {id: tidy, finally: gofmt, when: 'count("Edit") > 0'}
`)
	l.start("startup")
	l.want("git commit -m x => deny main-only", "sub => allow", "cl => deny claude", "ot => allow", "la => allow", "co => allow", "ne => deny newest", "lo => allow") // null has no args: the rule applies
	l.put(".git/HEAD", "ref: refs/heads/topic\n")
	l.want("git commit -m x => allow", "br => deny broken")
	e := l.event("sub")
	e.Agent = "a1"
	if got := said(l.handle(e)); got != "deny subs" {
		t.Errorf("a subagent: %s", got)
	}
	if l.handle(Event{Kind: TurnEnd}).SendBack {
		t.Error("nothing was edited")
	}
	l.want("ls => allow", "ls => allow", "co => deny counted", "la => deny later", "mk xy => allow", "ne => deny newest", "mk xz => allow", "ne => allow", `Edit {"file_path": "a"} => allow`)
	if !l.handle(Event{Kind: TurnEnd}).SendBack {
		t.Error("an edit owes a gofmt")
	}
	l.now = l.now.Add(31 * time.Minute)
	l.want("lo => deny long")
}

func TestRepoFacts(t *testing.T) {
	l := newLab(t, "rules: [{id: wt, never: zap, when: 'repo.worktree == \"w\" && repo.branch == \"topic\"'}]\n")
	l.want("zap => allow")
	must(t, os.RemoveAll(filepath.Join(l.root, ".git")))
	main := filepath.Join(filepath.Dir(l.root), "main", ".git", "worktrees", "w")
	l.put(filepath.Join(main, "HEAD"), "ref: refs/heads/topic\n")
	l.put(filepath.Join(main, "gitdir"), filepath.Join(l.root, ".git")+"\n")
	l.put(".git", "gitdir: "+main+"\n")
	l.session = "s2"
	l.want("zap => deny wt")
}

func TestExceptionsOfAFile(t *testing.T) {
	l := newLab(t, `rules:
  - id: no-zap
    never: zap
    except: [{call: {tool: zap, with: {argv: agreed}}, until: 2026-03-05, reason: ticket 7}]
    review_by: 2026-03-01
`)
	a := l.propose("zap agreed")
	if said(a) != "allow" || !strings.Contains(a.Notice, "no-zap let this call pass by an exception of its file") {
		t.Errorf("%s, %q", said(a), a.Notice)
	}
	l.want("zap => deny no-zap", "zap $X => deny no-zap")
	holds(t, "a start", l.start("startup").Notice, "no-zap was to be reviewed by 2026-03-01")
	if strings.Contains(l.start("resume").Notice, "reviewed") {
		t.Error("told twice a day")
	}
	l.now = time.Date(2026, 3, 5, 23, 59, 0, 0, time.UTC)
	l.want("zap agreed => allow")
	l.now = time.Date(2026, 3, 6, 0, 0, 1, 0, time.UTC)
	l.want("zap agreed => deny no-zap")
}

func TestShadow(t *testing.T) {
	l := newLab(t, "rules: [{id: quiet, never: zap, shadow: true}, {id: loud, never: zip}]\n")
	l.want("zap => allow", "zip => deny loud")
	l.userRules("settings: {shadow: true}\nrules: [{id: mine, never: mmm}]\n")
	l.want("mmm => allow", "zip => allow")
	x, err := l.pipeline().Explain(Question{Dir: l.root, Session: "s1"})
	must(t, err)
	if x.Decision == nil || x.Decision.Action != "would_deny" || x.Decision.Rule != "loud" {
		t.Errorf("the last decision: %+v", x.Decision)
	}
}

func TestReachOfExceptions(t *testing.T) {
	for _, tt := range []struct {
		managed string
		want    string
	}{
		{"rules: [{id: m, never: zap}]\n", "refused"},
		{"rules: [{id: m, never: zap, overridable: true}]\n", "may"},
		{"settings: {exceptions: any}\nrules: [{id: m, never: zap}]\n", "may"},
		{"settings: {exceptions: none}\nrules: [{id: m, never: zap, overridable: true}]\n", "refused"},
	} {
		l := newLab(t, "")
		l.managedRules(tt.managed)
		a := l.propose("zap")
		if said(a) != "deny m" {
			t.Fatalf("%s: %s", tt.managed, said(a))
		}
		_, err := l.pipeline().Office(l.root).Petition(a.ID)
		if (err == nil) != (tt.want == "may") {
			t.Errorf("%s: %v", tt.managed, err)
		}
	}
}

func TestExists(t *testing.T) {
	l := newLab(t, `rules:
  - {id: no-overwrite, never: {tool: Write, where: {file_path: "*.txt"}, exists: true}}
  - {id: made, before: [{tool: rm, where: {paths: "*.lock"}, exists: true}, ship]}
`)
	l.put("old.txt", "")
	l.want(`Write {"file_path": "new.txt", "content": ""} => allow`, `Write {"file_path": "old.txt", "content": ""} => deny no-overwrite`)
	l.want("rm a.lock => allow", "ship => deny made")
	lock := l.put("a.lock", "")
	e := l.event("rm a.lock")
	l.handle(e)
	must(t, os.Remove(lock)) // it is gone when the call is recorded
	l.ran(e)
	l.want("ship => allow")
}

func TestNativeCalls(t *testing.T) {
	for _, tt := range []struct {
		in   trace.Call
		args string
		op   string
	}{
		{trace.Call{Tool: "Write", Args: trace.Args{"file_path": "a/../b", "content": "../x"}, Dir: "/w"}, `{"content":"../x","file_path":"/w/b"}`, "write /w/b"},
		{trace.Call{Tool: "Read", Args: trace.Args{"file_path": "~/x"}, Dir: "/w"}, `{"file_path":"/home/dev/x"}`, "read /home/dev/x"},
		{trace.Call{Tool: "mcp__fs__move", Args: trace.Args{"sources": []any{"a", "/b"}, "destination": "https://x/y"}, Dir: "/w"}, `{"destination":"https://x/y","sources":["/w/a","/b"]}`, ""},
		{trace.Call{Tool: "rm", Args: trace.Args{"paths": []any{"a"}}, Dir: "/w"}, `{"paths":["/w/a"]}`, "delete /w/a"},
		{trace.Call{Tool: "Read", Args: trace.Args{"file_path": "https://../x"}, Dir: "/w"}, `{"file_path":"/w/x"}`, "read /w/x"},
		{trace.Call{Tool: "Write", Args: trace.Args{"file_path": []any{"-/../x"}}, Dir: "/w"}, `{"file_path":["/w/x"]}`, "write /w/x"},
		{trace.Call{Tool: "Grep", Args: trace.Args{"paths": []any{"a"}, "path": "b"}, Dir: "/w"}, `{"path":"/w/b","paths":["/w/a"]}`, "read /w/bread /w/a"},
		{trace.Call{Tool: "WebFetch", Args: trace.Args{"url": "https://x"}, Dir: "/w"}, `{"url":"https://x"}`, "net https://x"},
		{trace.Call{Tool: "Grep", Args: trace.Args{"pattern": "x", "path": ""}, Dir: "/w"}, `{"path":"","pattern":"x"}`, ""},
	} {
		before := trace.Canonical(tt.in.Args)
		got := native(tt.in, "/home/dev")
		op := ""
		for _, e := range got.Effects {
			op += e.Op + " " + e.Target
		}
		if args := trace.Canonical(got.Args); args != tt.args || op != tt.op {
			t.Errorf("%s %s: %s, effects %q; want %s, %q", tt.in.Tool, before, args, op, tt.args, tt.op)
		}
		if trace.Canonical(tt.in.Args) != before {
			t.Errorf("%s: the arguments that were given are changed", tt.in.Tool)
		}
	}
}

// TestGuardedByOtherWays: an MCP server writes files too, and a harness is told in
// several ways to take its settings from elsewhere.
func TestGuardedByOtherWays(t *testing.T) {
	l := newLab(t, "rules: [{id: other, never: other}]\n")
	const asked = " => ask protect-guard"
	l.want(`mcp__fs__write_file {"path": "AGENTLTL.yaml", "content": ""}`+asked,
		`mcp__fs__move {"source": "x", "destination": "sub/AGENTLTL.yaml"}`+asked,
		`mcp__fs__delete {"uri": "file:///w/.claude/settings.json"}`+asked,
		`mcp__fs__read_file {"path": "AGENTLTL.yaml"} => allow`,
		`mcp__fs__write_file {"path": "README.md", "content": "AGENTLTL.yaml holds the rules"} => allow`,
		"CLAUDE_CONFIG_DIR=/x claude -p hi"+asked, "env CLAUDE_CONFIG_DIR=/x claude -p hi"+asked,
		"export CODEX_HOME=/x; codex exec hi"+asked, "VIBE_HOME=/x; export VIBE_HOME; vibe"+asked,
		"declare -x COPILOT_HOME=/x; copilot"+asked, "export EDITOR=vi; claude -p hi => allow")
}

// TestLinks: a path condition holds for the typed and for the real path, be it
// in a command line or not.
func TestLinks(t *testing.T) {
	l := newLab(t, `rules:
  - {id: sealed, never: {tool: [Read, Write, cat], where: {"*": "conf/*"}}}
  - {id: kept, never: {effect: write, where: {target: "kept/*"}}}
`)
	l.put("conf/a", "")
	l.put("kept/a", "")
	must(t, os.Symlink("conf", filepath.Join(l.root, "folder")))
	must(t, os.Symlink("conf/a", filepath.Join(l.root, "file")))
	must(t, os.Symlink("kept", filepath.Join(l.root, "k")))
	l.want("cat folder/a => deny sealed", `Read {"file_path": "folder/a"} => deny sealed`, `Read {"file_path": "file"} => deny sealed`,
		`Write {"file_path": "folder/new", "content": ""} => deny sealed`, `Edit {"file_path": "k/a"} => deny kept`,
		`Read {"file_path": "k/a"} => allow`)
	name := l.root + "-link"
	must(t, os.Symlink(l.root, name))
	real := l.root
	l.root = name
	l.want(`Read {"file_path": "conf/a"} => deny sealed`, `Read {"file_path": "`+real+`/conf/a"} => deny sealed`, "cat "+real+"/conf/a => deny sealed")
}

// TestATildeThatIsAName: Codex and Copilot CLI take "~/../x" for the file x
// below the working directory.
func TestATildeThatIsAName(t *testing.T) {
	l := newLab(t, `rules: [{id: sealed, never: {tool: [Write, mcp__fs__put], where: {"*": "secret/*"}}}]`+"\n")
	l.want(`Write {"file_path": "~/../secret/a"} => allow`)
	l.profile.PlainTilde = true
	l.want(`Write {"file_path": "~/../secret/a"} => deny sealed`, `mcp__fs__put {"path": "~/../secret/a"} => allow`)
}

func TestFilesThatACommandPrinted(t *testing.T) {
	l := newLab(t, "rules: [{id: read-first, before: [{tool: Read, with: {file_path: $f}}, {tool: Edit, with: {file_path: $f}}]}]\n")
	l.profile.ShellReads = true
	l.want(`Edit {"file_path": "a"} => deny read-first`, "fail: cat a => allow", `Edit {"file_path": "a"} => deny read-first`,
		"cat a b => allow", `Edit {"file_path": "b"} => allow`, "sed -i s/x/y/ c => allow", `Edit {"file_path": "c"} => deny read-first`,
		"sed -n 1p c => allow", `Edit {"file_path": "c"} => allow`)
}

func TestParseStep(t *testing.T) {
	for _, tt := range []struct {
		in, do, tool, want string
	}{
		{"git push -f", "call", "Bash", ""},
		{"deny: git push", "call", "Bash", "deny"},
		{"allow: fail: pytest", "call", "Bash", "allow"},
		{`Write {"file_path": "a"}`, "call", "Write", ""},
		{`mcp__a__b {"x": 1}`, "call", "mcp__a__b", ""},
		{"echo {a,b}", "call", "Bash", ""},
		{"http: //x", "call", "Bash", ""},
		{"user:", "prompt", "", ""},
		{"user: go on", "prompt", "", ""},
		{"finish:", "finish", "", ""},
		{"session: two", "session", "", ""},
		{"sleep: 10m", "sleep", "", ""},
	} {
		s, err := ParseStep(tt.in)
		must(t, err)
		want := ""
		if s.Want != nil {
			want = s.Want.Result
		}
		if s.Do != tt.do || s.Tool != tt.tool || want != tt.want {
			t.Errorf("%s: %s %s %s", tt.in, s.Do, s.Tool, want)
		}
	}
	for _, bad := range []string{"", "deny:", "deny: allow: x", "Write {broken", "session:", "sleep: soon", "sleep: -1s"} {
		if _, err := ParseStep(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestOneStorePerProject(t *testing.T) {
	l := newLab(t, "rules: [{id: once, at_most: {call: deploy, times: 1}, scope: project}]\n")
	l.want("deploy => allow")
	link := filepath.Join(filepath.Dir(l.root), "link")
	must(t, os.Symlink(l.root, link))
	e := l.event("deploy")
	e.Session, e.Project, e.Dir = "s2", link, link
	if got := said(l.handle(e)); got != "deny once" {
		t.Errorf("by another path: %s", got)
	}
	l.profile.Name = "codex"
	e = l.event("deploy")
	e.Session = "s3"
	if got := said(l.handle(e)); got != "deny once" {
		t.Errorf("in another harness: %s", got)
	}
	if a := l.propose("ls"); a.Action != guard.Allow {
		t.Error(a.Action)
	}
}
