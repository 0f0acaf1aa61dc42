package adapter

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentltl/agentltl-hook/trace"
)

// short renders calls for the tables below.
func short(calls []trace.Call) string {
	var out []string
	for _, c := range calls {
		out = append(out, c.Tool+" "+trace.Canonical(map[string]any(c.Args)))
	}
	return strings.Join(out, "\n")
}

func TestPatch(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{
			"add", "*** Begin Patch\n*** Add File: a.txt\n+one\n+\n+two\n*** End Patch\n",
			`Write {"content":"one\n\ntwo\n","file_path":"a.txt"}`,
		},
		{
			"update with context", "*** Begin Patch\n*** Update File: src/a.go\n@@ func main\n x\n-y\n+z\n*** End of File\n*** End Patch",
			`Edit {"file_path":"src/a.go","new_string":"x\nz\n","old_string":"x\ny\n"}`,
		},
		{"delete", "*** Begin Patch\n*** Delete File: a b.txt\n*** End Patch", `rm {"paths":["a b.txt"]}`},
		{
			"move", "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch",
			"Edit {\"file_path\":\"a\",\"new_string\":\"y\\n\",\"old_string\":\"x\\n\"}\n" +
				"Write {\"content\":\"y\\n\",\"file_path\":\"b\"}\nrm {\"paths\":[\"a\"]}\nrm {\"paths\":[\"c\"]}",
		},
		{
			"several, CRLF, padding", "  *** Begin Patch  \r\n *** Add File: .env\r\n+K=1\r\n\r\n*** Update File: b \r\n@@\r\n-1\r\n+2\r\n*** End Patch\r\n",
			"Write {\"content\":\"K=1\\n\",\"file_path\":\".env\"}\nEdit {\"file_path\":\"b\",\"new_string\":\"2\\n\",\"old_string\":\"1\\n\"}",
		},
		{
			"a header inside an update is context", "*** Begin Patch\n*** Update File: a\n *** Delete File: b\n-x\n*** End Patch",
			`Edit {"file_path":"a","new_string":"*** Delete File: b\n","old_string":"*** Delete File: b\nx\n"}`,
		},
		{
			"a header inside an added file is text", "*** Begin Patch\n*** Add File: a\n+*** Delete File: b\n*** End Patch",
			`Write {"content":"*** Delete File: b\n","file_path":"a"}`,
		},
		{"no frame", "*** Add File: a\n+x", `Write {"content":"x\n","file_path":"a"}`},
		{"move to itself", "*** Update File: a\n*** Move to: a\n", `Edit {"file_path":"a","new_string":"","old_string":""}`},
		{"nothing", "*** Begin Patch\n*** End Patch", ""},
		{"other text", "diff --git a b", ""},
		{"move alone", "*** Move to: b", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := trace.Call{Native: "apply_patch", ID: "x", Dir: "/repo"}
			calls, err := Patch(tt.text, base)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, short(calls)); d != "" {
				t.Error(d)
			}
			for _, c := range calls {
				if c.Native != "apply_patch" || c.ID != "x" {
					t.Errorf("%s lost what the calls have in common", c.Tool)
				}
				if c.Tool == "rm" && (len(c.Effects) != 1 || !strings.HasPrefix(c.Effects[0].Target, "/repo/")) {
					t.Errorf("rm has the effects %v", c.Effects)
				}
			}
		})
	}
}

func TestPatchOfTooManyFiles(t *testing.T) {
	if _, err := Patch(strings.Repeat("*** Delete File: a\n", maxPatchFiles), trace.Call{}); err != nil {
		t.Error(err)
	}
	if _, err := Patch(strings.Repeat("*** Delete File: a\n", maxPatchFiles+1), trace.Call{}); !IsPayload(err) {
		t.Errorf("got %v", err)
	}
}

func TestShellPatch(t *testing.T) {
	const body = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"
	for _, tt := range []struct {
		line, dir string
		ok        bool
	}{
		{"apply_patch <<'EOF'\n" + body + "EOF\n", "", true},
		{"applypatch <<EOF\n" + body + "EOF", "", true},
		{"apply_patch << \"EOF\"\n" + body + "EOF\n", "", true},
		{"apply_patch <<-EOF\n" + body + "EOF\n", "", true},
		{"cd sub && apply_patch <<'EOF'\n" + body + "EOF\n", "sub", true},
		{"cd '/a b' && apply_patch <<'EOF'\n" + body + "EOF\n", "", false},
		{"apply_patch <<'EOF'\n" + body + "EOF\nrm -rf /\n", "", false},
		{"apply_patch <<'EOF'\n" + body + "EOF\nrm -rf /\nEOF\n", "", false},
		{"echo x; apply_patch <<'EOF'\n" + body + "EOF\n", "", false},
		{"apply_patch <<'EOF' > /dev/null\n" + body + "EOF\n", "", false},
		{"apply_patch '" + body + "'", "", false},
		{"apply_patch", "", false},
		{"git status", "", false},
		{"", "", false},
	} {
		patch, dir, ok := ShellPatch(tt.line)
		if ok != tt.ok || dir != tt.dir || (ok && patch != body) {
			t.Errorf("%q: %q, %q, %v", tt.line, patch, dir, ok)
		}
	}
}
