package adapter

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/agentltl/agentltl-hook/internal/atomicfile"
	"github.com/agentltl/agentltl-hook/internal/edit"
	"github.com/agentltl/agentltl-hook/trace"
)

// A File is one file that an install changes or writes.
type File struct {
	Path string
	New  []byte      // what it should hold
	Mode fs.FileMode // of a file that is not there yet
	Made [][]string  // containers made in it (edit.JSON), for Cut
	// Cut takes our entries out of the file again, leaving every other byte. nil:
	// the file is ours as a whole.
	Cut func(src []byte, made [][]string) ([]byte, error)
}

// A change is a planned write.
type change struct {
	File
	real    string // Path with links resolved
	old     []byte
	existed bool
	mode    fs.FileMode
	rec     record
}

// Apply writes the files, all or none of them, and keeps what they held before.
// With DryRun it only says what it would do.
func (o InstallOptions) Apply(harness string, files []File) ([]Change, error) {
	var todo []change
	var report []Change
	for _, f := range files {
		c, err := o.plan(harness, f)
		if err != nil {
			return nil, err
		}
		if c.existed && bytes.Equal(c.old, f.New) {
			report = append(report, Change{Path: f.Path, Action: "unchanged"})
			continue
		}
		if err := writable(c.real); err != nil {
			return nil, err
		}
		action := "changed"
		if !c.existed {
			action = "created"
		}
		todo = append(todo, c)
		report = append(report, Change{Path: f.Path, Action: o.would(action)})
	}
	if o.DryRun {
		return report, nil
	}
	for i := range todo {
		if err := o.write(&todo[i]); err != nil {
			for j := range slices.Backward(todo[:i]) {
				o.takeBack(&todo[j])
			}
			return nil, err
		}
	}
	return report, nil
}

// would words an action that a dry run does not do.
func (o InstallOptions) would(action string) string {
	if !o.DryRun {
		return action
	}
	switch action {
	case "created":
		return "would create"
	case "changed":
		return "would change"
	case "restored":
		return "would restore"
	default:
		return "would remove"
	}
}

// plan reads the file as it is. A link is followed: what it points to is changed.
func (o InstallOptions) plan(harness string, f File) (change, error) {
	c := change{File: f, real: f.Path, mode: f.Mode}
	if real, err := filepath.EvalSymlinks(f.Path); err == nil {
		c.real = real
	}
	st, err := os.Stat(c.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return c, err
	case !st.Mode().IsRegular():
		return c, fmt.Errorf("%s is not a regular file", f.Path)
	default:
		if c.old, err = os.ReadFile(c.real); err != nil {
			return c, err
		}
		c.existed, c.mode = true, st.Mode().Perm()
	}
	if c.mode == 0 {
		c.mode = 0o600
	}
	c.rec = record{
		Path: c.real, Harness: harness, Existed: c.existed, Original: c.old,
		Installed: digest(f.New), Made: f.Made,
	}
	if old, ok := o.load(c.real); ok {
		c.rec.Made = mergePaths(old.Made, f.Made)
		if old.Installed == digest(c.old) { // still as we left it
			c.rec.Existed, c.rec.Original = old.Existed, old.Original
			return c, nil
		}
	}
	if f.Cut == nil || !c.existed {
		return c, nil
	}
	// It may hold entries of ours already: those are not part of the original.
	if c.rec.Original, err = f.Cut(c.old, c.rec.Made); err != nil {
		return c, fmt.Errorf("%s: %w", f.Path, err)
	}
	return c, nil
}

func mergePaths(a, b [][]string) [][]string {
	out := slices.Clone(a)
	for _, p := range b {
		if !slices.ContainsFunc(out, func(q []string) bool { return slices.Equal(p, q) }) {
			out = append(out, p)
		}
	}
	return out
}

// writable says no to a file without a write bit too, although its folder would
// allow putting another one in its place: its owner meant something by it.
func writable(path string) error {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // making the file will tell
	}
	if err != nil {
		return err
	}
	if st.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("%s is read-only; nothing was changed", path)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("%w; nothing was changed", err)
	}
	return f.Close()
}

// write makes the file's folders, keeps the record, then puts the file in place.
func (o InstallOptions) write(c *change) error {
	if err := o.makeFolders(filepath.Dir(c.real)); err != nil {
		return err
	}
	if err := o.save(c.rec); err != nil {
		return err
	}
	return atomicfile.Write(c.real, c.New, c.mode)
}

// Track lets do change the file at path by other means (the harness's own
// program), and keeps what it held before. made names what was added, for the
// removal from an edited file.
func (o InstallOptions) Track(harness, path string, made [][]string, do func() error) (Change, error) {
	c, err := o.plan(harness, File{Path: path, Made: made})
	if err != nil {
		return Change{}, err
	}
	if c.existed {
		if err := writable(c.real); err != nil {
			return Change{}, err
		}
	}
	if err := do(); err != nil {
		return Change{}, err
	}
	now, err := os.ReadFile(c.real)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Change{}, err
	}
	if bytes.Equal(now, c.old) {
		return Change{Path: path, Action: "unchanged"}, nil
	}
	c.rec.Installed = digest(now)
	action := "changed"
	if !c.existed {
		action = "created"
	}
	return Change{Path: path, Action: action}, o.save(c.rec)
}

// UndoTracked takes back what Track kept, after the other program has undone
// its own part: a file that means the same as before gets its old bytes, else
// cut takes out what is left of ours.
func (o InstallOptions) UndoTracked(path string, cut func(src []byte, made [][]string) ([]byte, error)) (Change, error) {
	real := path
	if r, err := filepath.EvalSymlinks(path); err == nil {
		real = r
	}
	rec, known := o.load(real)
	src, err := os.ReadFile(real)
	if !known || err != nil {
		return o.Undo(path, cut)
	}
	out, err := cut(src, rec.Made)
	if err != nil {
		return Change{}, fmt.Errorf("%s: %w", path, err)
	}
	if sameValues(out, rec.Original) {
		if !rec.Existed {
			return o.drop(path, real)
		}
		return o.put(path, real, rec.Original, "restored")
	}
	return o.Undo(path, cut)
}

// sameValues says whether two files, JSON or TOML, hold the same.
func sameValues(a, b []byte) bool {
	x, errA := edit.ParseJSON(a)
	y, errB := edit.ParseJSON(b)
	if errA != nil || errB != nil {
		t, errA := edit.TOML(a)
		u, errB := edit.TOML(b)
		return errA == nil && errB == nil && reflect.DeepEqual(t, u)
	}
	v, _ := x.Get()
	w, _ := y.Get()
	return trace.Equal(v, w)
}

// takeBack undoes a write of an install that failed further on.
func (o InstallOptions) takeBack(c *change) {
	if c.existed {
		_ = atomicfile.Write(c.real, c.old, c.mode)
		return
	}
	_ = os.Remove(c.real)
	o.forget(c.real)
}

// Undo takes an installed file back: a file that is as install left it gets its
// old bytes, of an edited one cut removes our entries and every other byte
// stays. A file we know nothing of is cut too. cut nil: the file is ours as a
// whole and is removed.
func (o InstallOptions) Undo(path string, cut func(src []byte, made [][]string) ([]byte, error)) (Change, error) {
	real := path
	if r, err := filepath.EvalSymlinks(path); err == nil {
		real = r
	}
	unchanged := Change{Path: path, Action: "unchanged"}
	src, err := os.ReadFile(real)
	if errors.Is(err, fs.ErrNotExist) {
		if !o.DryRun {
			o.forget(real)
		}
		return unchanged, nil
	}
	if err != nil {
		return unchanged, err
	}
	rec, known := o.load(real)
	switch {
	case known && rec.Installed == digest(src) && rec.Existed:
		return o.put(path, real, rec.Original, "restored")
	case known && rec.Installed == digest(src), cut == nil:
		return o.drop(path, real)
	}
	out, err := cut(src, rec.Made)
	if err != nil {
		return unchanged, fmt.Errorf("%s: %w", path, err)
	}
	if bytes.Equal(out, src) {
		if !o.DryRun {
			o.forget(real)
		}
		return unchanged, nil
	}
	if known && !rec.Existed && isBlank(out) {
		return o.drop(path, real)
	}
	return o.put(path, real, out, "changed")
}

// Rewrite changes an installed file to data, which still holds entries of ours:
// the way back stays what it was.
func (o InstallOptions) Rewrite(path string, data []byte) (Change, error) {
	c := Change{Path: path, Action: o.would("changed")}
	real := path
	if r, err := filepath.EvalSymlinks(path); err == nil {
		real = r
	}
	src, err := os.ReadFile(real)
	if err != nil {
		return c, err
	}
	if bytes.Equal(src, data) {
		return Change{Path: path, Action: "unchanged"}, nil
	}
	if err := writable(real); err != nil || o.DryRun {
		return c, err
	}
	rec, known := o.load(real)
	if known && rec.Installed == digest(src) {
		rec.Installed = digest(data)
		if err := o.save(rec); err != nil {
			return c, err
		}
	}
	return c, atomicfile.Write(real, data, 0o600)
}

// Keep writes a small file of our own beside the records.
func (o InstallOptions) Keep(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Join(o.StateDir, "install"), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(o.StateDir, "install", name), data, 0o600)
}

// Kept reads what Keep wrote.
func (o InstallOptions) Kept(name string) ([]byte, bool) {
	b, err := os.ReadFile(filepath.Join(o.StateDir, "install", name))
	return b, err == nil
}

// DropKept removes what Keep wrote.
func (o InstallOptions) DropKept(name string) {
	_ = os.Remove(filepath.Join(o.StateDir, "install", name))
	o.sweep()
}

// isBlank says whether nothing but an empty object or white space is left.
func isBlank(b []byte) bool {
	s := bytes.Join(bytes.Fields(b), nil)
	return len(s) == 0 || string(s) == "{}"
}

func (o InstallOptions) put(path, real string, data []byte, action string) (Change, error) {
	c := Change{Path: path, Action: o.would(action)}
	if err := writable(real); err != nil {
		return c, err
	}
	if o.DryRun {
		return c, nil
	}
	st, err := os.Stat(real)
	if err != nil {
		return c, err
	}
	if err := atomicfile.Write(real, data, st.Mode().Perm()); err != nil {
		return c, err
	}
	o.forget(real)
	return c, nil
}

func (o InstallOptions) drop(path, real string) (Change, error) {
	c := Change{Path: path, Action: o.would("removed")}
	if o.DryRun {
		return c, nil
	}
	if err := os.Remove(real); err != nil {
		return c, err
	}
	o.forget(real)
	return c, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
