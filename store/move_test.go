package store

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

func TestMoveTakesAFormerProjectOver(t *testing.T) {
	o := testOptions(t)
	old := o
	old.Root = filepath.Join(t.TempDir(), "gone", "project")
	appendCalls(t, Open(old), 3)
	s := Open(o)
	path, err := Find(o.Dir, old.Root, o)
	if err != nil || path != Open(old).Path() {
		t.Fatalf("found %q, %v", path, err)
	}
	if r, err := s.Move(path, false, true); err != nil || r.Calls != 3 {
		t.Errorf("dry run: %+v, %v", r, err)
	}
	if r, err := s.Move(path, false, false); err != nil || r != (MoveReport{From: path, To: s.Path(), Calls: 3}) {
		t.Errorf("%+v, %v", r, err)
	}
	view(t, s, func(tx *Tx) {
		if tx.Len(state.Session) != 3 || tx.Meta("root") != RealPath(o.Root) {
			t.Errorf("%d calls of %s", tx.Len(state.Session), tx.Meta("root"))
		}
	})
	if _, err := Find(o.Dir, old.Root, o); !errors.Is(err, ErrNoStore) {
		t.Errorf("the old one: %v", err)
	}
	if _, err := s.Move(filepath.Join(o.Dir, "0123456789abcdef.db"), false, false); !errors.Is(err, ErrNoStore) {
		t.Errorf("moved from nowhere: %v", err)
	}
}

func TestMoveRefusesARecordedStore(t *testing.T) {
	o := testOptions(t)
	old := o
	old.Root = t.TempDir()
	appendCalls(t, Open(old), 3)
	s := Open(o)
	update(t, s, func(tx *Tx) error { return tx.PutMeta("empty", "store") })
	appendCalls(t, s, 2)
	if _, err := s.Move(Open(old).Path(), false, false); !errors.Is(err, ErrInUse) {
		t.Fatalf("got %v", err)
	}
	r, err := s.Move(Open(old).Path(), true, false)
	if err != nil || !strings.HasPrefix(filepath.Base(r.Replaced), filepath.Base(s.Path())+".replaced-2026") {
		t.Fatalf("%+v, %v", r, err)
	}
	o.Path = r.Replaced
	for s, want := range map[*Session]int{s: 3, Open(o): 2} {
		view(t, s, func(tx *Tx) {
			if n := tx.Len(state.Project); n != want {
				t.Errorf("%s has %d calls, want %d", s.Path(), n, want)
			}
		})
	}
}

func TestMoveOntoAnEmptyStore(t *testing.T) {
	o := testOptions(t)
	old := o
	old.Root = t.TempDir()
	appendCalls(t, Open(old), 3)
	s := Open(o)
	update(t, s, func(tx *Tx) error { return tx.PutMeta("a", "b") })
	if r, err := s.Move(Open(old).Path(), false, false); err != nil || r.Replaced != "" {
		t.Fatalf("%+v, %v", r, err)
	}
	view(t, s, func(tx *Tx) {
		if tx.Len(state.Project) != 3 {
			t.Error("not moved")
		}
	})
}

// rich is a store with something in most buckets.
func rich(t *testing.T) (*Session, Options) {
	o := testOptions(t)
	s := Open(o)
	appendCalls(t, s, 5)
	o2 := o
	o2.Session = strings.Repeat("long ", 100)
	update(t, Open(o2), func(tx *Tx) error {
		if err := tx.CopyFrom("s1"); err != nil {
			return err
		}
		_, err := tx.Append(call("y", 9))
		return err
	})
	update(t, s, func(tx *Tx) error {
		_, err := tx.PutDecision(state.Decision{Tool: "x", Args: trace.Args{"a": "b"}})
		_, err2 := tx.PutException(state.Exception{Scope: "once"})
		return errors.Join(err, err2,
			tx.PutMemory(state.Session, state.Memory{Finishes: 1}), tx.PutCallID("c", state.CallID{State: Recorded}),
			tx.PutSet(digest(100), map[string][]byte{"head": []byte("h")}, refs(1)), tx.PutSetPosition(state.Session, digest(100), 5),
			tx.PutCheckpoint(state.Session, digest(1), state.Checkpoint{Calls: 5, State: []byte{0, 1, 0xff}}),
			tx.PutVar(state.Session, digest(1), "k", []byte{0xfe}), tx.PutLastGood("user", []byte(`{"a":1}`)),
			reserve(tx, "r"),
		)
	})
	return s, o
}

func export(t *testing.T, s *Session, o ExportOptions) (Source, ExportReport) {
	t.Helper()
	var b bytes.Buffer
	r, err := s.Export(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	return source(b.Bytes()), r
}

func source(data []byte) Source {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

// dump is everything in a store but what is left out of exported files.
func dump(t *testing.T, s *Session) []string {
	t.Helper()
	src, _ := export(t, s, ExportOptions{})
	r, err := src()
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(data)))
}

func TestExportAndImport(t *testing.T) {
	s, o := rich(t)
	src, rep := export(t, s, ExportOptions{})
	if rep.Calls != 6 || rep.Sessions != 2 {
		t.Errorf("exported %+v", rep)
	}
	o.Root = t.TempDir()
	there := Open(o)
	if r, err := there.Import(src, true); err != nil || r != rep {
		t.Errorf("dry run: %+v, %v", r, err)
	}
	if r, err := there.Import(src, false); err != nil || r != rep {
		t.Fatalf("imported %+v, %v; exported %+v", r, err, rep)
	}
	want, got := dump(t, s), dump(t, there)
	// Root and, with it, the sum differ.
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], RealPath(testRoot(s)), RealPath(o.Root))
	}
	if diff := cmp.Diff(want[:len(want)-1], got[:len(got)-1]); diff != "" {
		t.Errorf("after the import:\n%s", diff)
	}
	if err := there.Verify(); err != nil {
		t.Error(err)
	}
	if _, err := there.Import(src, false); !errors.Is(err, ErrInUse) {
		t.Errorf("imported twice: %v", err)
	}
	if info, err := os.Stat(there.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func testRoot(s *Session) string { return s.o.Root }

func TestExportOfSome(t *testing.T) {
	s, o := rich(t)
	if _, err := s.Prune(PruneOptions{Project: true, Keep: Keep{Project: 5}}); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("long ", 100)
	for _, tt := range []struct {
		o                 ExportOptions
		calls, project    []string
		sessions, session int
	}{
		{ExportOptions{}, []string{"1 x", "2 x", "3 x", "4 x", "5 y"}, []string{"1 x", "2 x", "3 x", "4 x", "5 y"}, 2, 5},
		{ExportOptions{Calls: 2}, []string{"4 x", "5 y"}, []string{"4 x", "5 y"}, 2, 2},
		{ExportOptions{Session: long}, []string{"1 x", "2 x", "3 x", "4 x", "5 y"}, []string{"0 x", "1 x", "2 x", "3 x", "4 y"}, 1, 5},
		{ExportOptions{Session: long, Calls: 2}, []string{"4 x", "5 y"}, []string{"0 x", "1 y"}, 1, 2},
	} {
		src, rep := export(t, s, tt.o)
		if rep.Calls != len(tt.project) || rep.Sessions != tt.sessions {
			t.Errorf("%+v: exported %+v", tt.o, rep)
		}
		o.Root, o.Session = t.TempDir(), long
		there := Open(o)
		if _, err := there.Import(src, false); err != nil {
			t.Errorf("%+v: %v", tt.o, err)
		}
		if err := there.Verify(); err != nil {
			t.Errorf("%+v: %v", tt.o, err)
		}
		view(t, there, func(tx *Tx) {
			if diff := cmp.Diff(tt.project, tools(tx, state.Project, 0)); diff != "" {
				t.Errorf("%+v: project: %s", tt.o, diff)
			}
			if diff := cmp.Diff(tt.calls, tools(tx, state.Session, 0)); diff != "" {
				t.Errorf("%+v: session: %s", tt.o, diff)
			}
			if n := len(tx.Sessions()); n != tt.sessions {
				t.Errorf("%+v: %d sessions", tt.o, n)
			}
		})
		appendCalls(t, there, 1)
	}
	if _, err := s.Export(io.Discard, ExportOptions{Session: "unknown"}); !errors.Is(err, ErrNoStore) {
		t.Errorf("unknown session: %v", err)
	}
}

func TestExportWithoutCalls(t *testing.T) {
	s, o := rich(t)
	if _, err := s.Prune(PruneOptions{Project: true}); err != nil {
		t.Fatal(err)
	}
	src, _ := export(t, s, ExportOptions{})
	o.Root = t.TempDir()
	there := Open(o)
	if _, err := there.Import(src, false); err != nil {
		t.Fatal(err)
	}
	view(t, there, func(tx *Tx) {
		view(t, s, func(from *Tx) {
			if tx.Head() != from.Head() || tx.Len(state.Project) != 6 {
				t.Errorf("%d calls, head %x", tx.Len(state.Project), tx.Head())
			}
		})
	})
}

// Any byte changed in an exported file is noticed, and then nothing changes.
func TestTamperedExports(t *testing.T) {
	s, o := rich(t)
	var packed bytes.Buffer
	if _, err := s.Export(&packed, ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	repack := func(text []byte) Source {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return source(b.Bytes())
	}
	o.Root = t.TempDir()
	there := Open(o)
	if _, err := there.Import(repack(text), true); err != nil {
		t.Fatal(err)
	}
	end := bytes.LastIndex(text, []byte(`{"calls"`))
	for i := 0; i < len(text); i += 1 + len(text)/400 {
		changed := bytes.Clone(text)
		changed[i] ^= 1
		if _, err := there.Import(repack(changed), false); !errors.Is(err, ErrExport) {
			t.Fatalf("byte %d (%q): %v", i, text[max(0, i-20):i+1], err)
		}
	}
	for name, data := range map[string][]byte{
		"no end": text[:end], "cut": text[:end/2], "empty": nil, "a call less": dropLine(text, `"kind":"call","n":2`),
	} {
		if _, err := there.Import(repack(data), false); !errors.Is(err, ErrExport) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := there.Import(source([]byte("no gzip")), false); !errors.Is(err, ErrExport) {
		t.Errorf("no gzip: %v", err)
	}
	if there.size() != 0 {
		t.Error("something was created")
	}
}

func dropLine(text []byte, with string) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if !bytes.Contains(line, []byte(with)) {
			out = append(out, line...)
		}
	}
	return out
}

func TestMerge(t *testing.T) {
	o := testOptions(t)
	here := Open(o)
	o.Root = t.TempDir()
	there := Open(o)
	record := func(s *Session, session string, at int, tool string) {
		update(t, s, func(tx *Tx) error {
			c := call(tool, at)
			_, err := tx.in(session).Append(c)
			return err
		})
	}
	record(here, "s1", 10, "both")
	record(there, "s1", 10, "both")
	record(there, "s2", 11, "late")
	record(there, "s1", 5, "clamped") // recorded after 11: its time is 11 there
	record(here, "s1", 12, "here")
	src, _ := export(t, there, ExportOptions{})
	if _, n, err := here.Merge(src, true); err != nil || n != 2 {
		t.Errorf("dry run: %d, %v", n, err)
	}
	for i, want := range []int{2, 0} {
		if _, n, err := here.Merge(src, false); err != nil || n != want {
			t.Errorf("merge %d: %d added, want %d (%v)", i, n, want, err)
		}
	}
	// What came from there, merged back, is known there.
	src, _ = export(t, here, ExportOptions{})
	if _, n, err := there.Merge(src, false); err != nil || n != 1 {
		t.Errorf("back: %d added, %v", n, err)
	}
	view(t, here, func(tx *Tx) {
		if diff := cmp.Diff([]string{"0 both", "1 here", "2 late", "3 clamped"}, tools(tx, state.Project, 0)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"0 late"}, tools(tx.in("s2"), state.Session, 0)); diff != "" {
			t.Error(diff)
		}
		last := time.Time{}
		for _, c := range tx.Calls(state.Project, 0, nil) {
			if c.Time.Before(last) {
				t.Errorf("%s goes back to %v", c.Tool, c.Time)
			}
			last = c.Time
		}
	})
	if err := here.Verify(); err != nil {
		t.Error(err)
	}
}
