package edit

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBlock(t *testing.T) {
	const body = "[[hooks]]\nname = 'a'"
	for name, src := range map[string]string{
		"empty":      "",
		"own hooks":  "# mine\n[[hooks]]\nname = \"x\"\n",
		"no newline": "a = 1",
		"CRLF":       "a = 1\r\n[t]\r\nb = 2\r\n",
		"BOM":        "\ufeffa = 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := SetBlock([]byte(src), body)
			if err != nil {
				t.Fatal(err)
			}
			again, err := SetBlock(out, body)
			if err != nil || string(again) != string(out) {
				t.Errorf("a second time: %v, %q", err, again)
			}
			if got, ok, err := Block(out); !ok || err != nil || got != body+"\n" {
				t.Errorf("block is %q, %v, %v", got, ok, err)
			}
			if strings.Contains(src, "\r\n") && strings.Contains(strings.ReplaceAll(string(out), "\r\n", ""), "\n") {
				t.Error("mixed line endings")
			}
			edited := append([]byte("new = 1\n"), out...)
			if name == "BOM" {
				edited = append(out, "new = 1\n"...)
			}
			cut, err := CutBlock(edited)
			if err != nil {
				t.Fatal(err)
			}
			want := "new = 1\n" + src
			if name == "BOM" {
				want = src + "new = 1\n"
			}
			if name == "no newline" {
				want += "\n" // the line our block needed to begin on
			}
			if d := cmp.Diff(want, string(cut)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBlockRefuses(t *testing.T) {
	for name, src := range map[string]string{
		"broken":       "a = \n",
		"other shape":  "hooks = 1\n",
		"inline list":  "hooks = [{name = 'a'}]\n",
		"open marker":  blockStart + "\n",
		"lone end":     blockEnd + "\n",
		"two starts":   blockStart + "\n" + blockStart + "\n" + blockEnd + "\n",
		"second block": strings.Repeat(blockStart+"\n"+blockEnd+"\n", 2),
	} {
		if out, err := SetBlock([]byte(src), "[[hooks]]\nname = 'a'"); err == nil {
			t.Errorf("%s: accepted as %q", name, out)
		}
	}
	if _, err := CutBlock([]byte(blockEnd)); !errors.Is(err, ErrBlock) {
		t.Errorf("got %v", err)
	}
}

func TestLiteral(t *testing.T) {
	for _, s := range []string{"", `a "b" \c`, "it's", "tab\there", "a\nb", "'\"\\\x7f", "é"} {
		m, err := TOML([]byte("v = " + Literal(s)))
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		if m["v"] != s {
			t.Errorf("%q came back as %q", s, m["v"])
		}
	}
}
