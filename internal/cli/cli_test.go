package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestExitStatusAndWords(t *testing.T) {
	for _, tt := range []struct {
		name   string
		err    error
		status int
		want   string
	}{
		{"nothing", nil, 0, ""},
		{"hook", StatusError(2), 2, ""},
		{"finding without words", ErrFinding, 1, ""},
		{"wrapped finding", fmt.Errorf("check: %w", ErrFinding), 1, ""},
		{"finding", Findingf("no session"), 1, "p: no session\n"},
		{"usage with hint", WithHint(Usagef("x: %w", fs.ErrNotExist), "do %s", "y"), 2, "p: x: file does not exist\np: hint: do y\n"},
		{"input of two lines", Input(errors.New("a:1: b\na:2: c")), 2, "p: a:1: b\np: a:2: c\n"},
		{"trouble", errors.New("disk full"), 3, "p: disk full\n"},
		{"trouble with hint", WithHint(errors.New("disk full"), "make room"), 3, "p: disk full\np: hint: make room\n"},
	} {
		if got := ExitStatus(tt.err); got != tt.status {
			t.Errorf("%s: status %d, want %d", tt.name, got, tt.status)
		}
		var b strings.Builder
		PrintError(&b, "p", tt.err)
		if b.String() != tt.want {
			t.Errorf("%s: printed %q, want %q", tt.name, b.String(), tt.want)
		}
	}
	if !errors.Is(Input(fs.ErrNotExist), fs.ErrNotExist) || Input(nil) != nil {
		t.Error("Input must wrap, and leave nil alone")
	}
}

func TestNearest(t *testing.T) {
	names := []string{"validate", "version", "use", "unuse"}
	for in, want := range map[string]string{"valdate": "validate", "vrsion": "version", "us": "use", "xyzzy": "", "oneuse": "unuse", "nopuse": ""} {
		if got := Nearest(in, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestArgs(t *testing.T) {
	cmd := &cobra.Command{Use: "do THING [MORE]"}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "do: THING missing"},
		{[]string{"a"}, ""},
		{[]string{"a", "b", "c"}, `do: unexpected argument "c"`},
	} {
		got := ""
		if err := Args(1, 2)(cmd, tt.args); err != nil {
			got = err.Error()
			if ExitStatus(err) != Usage {
				t.Errorf("%v: status %d", tt.args, ExitStatus(err))
			}
		}
		if got != tt.want {
			t.Errorf("%v: %q, want %q", tt.args, got, tt.want)
		}
	}
	if err := Args(0, -1)(cmd, []string{"a", "b"}); err != nil {
		t.Error(err)
	}
}
