package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSedCommands finds what a sed script does beyond its input, and nothing in
// text that only looks like it.
func TestSedCommands(t *testing.T) {
	for _, tt := range []struct {
		script string
		want   []sedCommand
	}{
		{"s/a/b/", nil},
		{"s/a/we/g", nil},
		{"s|w x|e y|", nil},
		{`s/\/w/x/`, nil},
		{"s/[/]w/x/", nil},
		{"y/abc/ewr/", nil},
		{"1,3d;p", nil},
		{"/w out/d", nil},
		{`\,e rm,d`, nil},
		{"a\\\nw x", nil},
		{"/x/{s/a/b/;p}", nil},
		{"w out.txt", []sedCommand{{'w', "out.txt"}}},
		{"/x/w out.txt", []sedCommand{{'w', "out.txt"}}},
		{"1e rm x", []sedCommand{{'e', "rm x"}}},
		{"$!e rm x", []sedCommand{{'e', "rm x"}}},
		{"e", []sedCommand{{'e', ""}}},
		{"s/a/b/e", []sedCommand{{'E', "b"}}},
		{"s/a/b/gw out", []sedCommand{{'w', "out"}}},
		{"s/a/b/;1r f\nw g", []sedCommand{{'r', "f"}, {'w', "g"}}},
		{"/x/{p;w f\n}", []sedCommand{{'w', "f"}}},
		{":a;N;$!ba;s/\\n/ /g;w f", []sedCommand{{'w', "f"}}},
	} {
		got := sedCommands(tt.script)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(sedCommand{})); diff != "" {
			t.Errorf("%q: -want +got\n%s", tt.script, diff)
		}
	}
}

// TestHost reads the host of an address.
func TestHost(t *testing.T) {
	for in, want := range map[string]string{
		"https://a.example/x?y": "a.example",
		"https://u:p@a.example": "a.example",
		"https://[::1]:80/x":    "::1",
		"u@h:path":              "h",
		"h:path":                "h",
		"h":                     "h",
		"/local/path":           "",
		"git@h.example:o/r.git": "h.example",
		"https://a.example?q":   "a.example",
		"ssh://git@h:22/o/r":    "h",
	} {
		if got := host(in); got != want {
			t.Errorf("host of %q is %q, want %q", in, got, want)
		}
	}
}

// TestRemote: what scp and rsync take for another machine.
func TestRemote(t *testing.T) {
	for in, want := range map[string]bool{"h:b": true, "u@h:": true, "a": false, "./h:b": false, "a/h:b": false, ":b": false, "/x": false} {
		if got := remote(in); got != want {
			t.Errorf("remote(%q) = %v", in, got)
		}
	}
}

// TestOptionText: an option reads back as it was written.
func TestOptionText(t *testing.T) {
	for _, o := range []Option{
		{Flags: []string{"-f", "--force"}, Dest: "force", Type: Bool},
		{Flags: []string{"-x"}, Dest: "exec", Type: List, Role: "code", Wrapper: "python -c", New: true, Global: true},
		{Flags: []string{"--how"}, Dest: "how", Choices: []string{"a b", "c"}, Path: AnyHost},
		{Flags: []string{"-i"}, Dest: "i", Type: Attached, Many: true, NewMany: true, Rest: true, Digits: true, Pair: true, Ends: true},
	} {
		b, err := o.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Option
		if err := back.UnmarshalText(b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(o, back); diff != "" {
			t.Errorf("%s: -want +got\n%s", b, diff)
		}
	}
	for _, bad := range []string{"-f . q", "-f . b ?", "-f . b p=x"} {
		if err := new(Option).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q decodes", bad)
		}
	}
}

// TestNormalize makes tool names.
func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"rm": "rm", "Remove-Item": "remove_item", "a.b-c_d": "a_b_c_d", "--x--": "x", "": "unknown_command", "@@": "unknown_command",
		"ld-linux-x86-64.so.2": "ld_linux_x86_64_so_2", "été": "t",
	} {
		if got := Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
}
