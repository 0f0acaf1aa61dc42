package hooks

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMessages: rule files in, what is said out (testdata/messages). A step is one
// of check's; "start:" is a session's start. The last section is rewritten by
// -update.
func TestMessages(t *testing.T) {
	files, err := filepath.Glob("testdata/messages/*.txtar")
	must(t, err)
	if len(files) == 0 {
		t.Fatal("no golden files")
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) { goldenMessages(t, f) })
	}
}

func goldenMessages(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	must(t, err)
	l := newLab(t, "")
	var steps, want string
	for _, f := range ar.Files {
		text := string(f.Data)
		switch f.Name {
		case "steps":
			steps = text
		case "said":
			want = text
		case "user.yaml":
			l.userRules(text)
		case "harness":
			l.profile.Ask = !strings.Contains(text, "no ask")
		default:
			l.put(f.Name, text)
		}
	}
	var out strings.Builder
	for step := range strings.Lines(steps) {
		step = strings.TrimSpace(step)
		if step == "" {
			continue
		}
		fmt.Fprintf(&out, "== %s\n%s", step, l.told(step))
	}
	got := strings.NewReplacer(l.root, "$ROOT", l.user, "$USER").Replace(out.String())
	if *update {
		for i := range ar.Files {
			if ar.Files[i].Name == "said" {
				ar.Files[i].Data = []byte(got)
			}
		}
		must(t, os.WriteFile(file, txtar.Format(ar), 0o644))
		return
	}
	if got != want {
		t.Errorf("said:\n%s\nwant:\n%s", got, want)
	}
}

// told plays one step and writes out all that was said.
func (l *lab) told(step string) string {
	var a Answer
	switch step {
	case "start:":
		a = l.start("startup")
	case "finish:":
		a = l.handle(Event{Kind: TurnEnd})
	case "user:":
		a = l.writes("go on")
	case endOfMessage:
		a = l.handle(Event{Kind: BatchEnd})
	default:
		e := l.event(step)
		a = l.handle(e)
		if a.Action == 0 {
			l.ran(e)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", said(a))
	for _, x := range []struct{ name, text string }{{"agent", a.Reason}, {"beside", a.Context}, {"person", a.Notice}} {
		if x.text != "" {
			fmt.Fprintf(&b, "  %s| %s\n", x.name, strings.ReplaceAll(x.text, "\n", "\n  "+x.name+"| "))
		}
	}
	return b.String()
}
