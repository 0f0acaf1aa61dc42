package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, path, data string
		prepare          func() error
		mode             os.FileMode
	}{
		{"a new file, through a link to nothing", link, "one", func() error { return nil }, 0o640},
		{"its mode is kept", real, "two", func() error { return os.Chmod(real, 0o755) }, 0o755},
		{"through a link", link, "three", func() error { return nil }, 0o755},
		{"nothing", real, "", func() error { return nil }, 0o755},
	} {
		if err := tt.prepare(); err != nil {
			t.Fatal(err)
		}
		if err := Write(tt.path, []byte(tt.data), 0o640); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		got, err := os.ReadFile(real)
		if err != nil || string(got) != tt.data {
			t.Errorf("%s: holds %q, %v", tt.name, got, err)
		}
		if info, err := os.Lstat(real); err != nil || info.Mode() != tt.mode {
			t.Errorf("%s: mode %v, want %v", tt.name, info.Mode(), tt.mode)
		}
		if to, err := os.Readlink(link); err != nil || to != "real" {
			t.Errorf("%s: the link is gone: %q %v", tt.name, to, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"folder": dir, "no folder": filepath.Join(dir, "a", "b"), "loop": loop} {
		if err := Write(path, []byte("x"), 0o600); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if err := Write(filepath.Join(dir, "a", "b"), nil, 0o600); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
}

func TestAFailedWriteReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Write(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	err := WriteFrom(path, 0o600, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return boom
	})
	if got, _ := os.ReadFile(path); !errors.Is(err, boom) || string(got) != "old" {
		t.Errorf("%v, holds %q", err, got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// At no step is the file anything but whole.
func TestOldOrNewAtEveryStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	var steps []string
	err := WriteSteps(path, []byte("new"), 0o600, func(step string) {
		got, err := os.ReadFile(path)
		want := "old"
		if step == "rename.after" {
			want = "new"
		}
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", step, got, err)
		}
		steps = append(steps, step)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(steps, " "); got != "write.before write.after sync.before sync.after rename.before rename.after" {
		t.Errorf("steps %s", got)
	}
}
