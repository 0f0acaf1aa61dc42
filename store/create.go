package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/trace"
)

// create makes the store's file, complete and synced, under another name and
// then gives it its own, so that nobody ever sees a file without buckets and an
// empty one is known for damage. Whoever comes second uses the first one's.
func (s *Session) create() error {
	dir := filepath.Dir(s.path)
	temp, err := tempFile(s.path)
	if err != nil {
		return err
	}
	defer discard(temp)
	fault("create.write.before")
	db, err := bbolt.Open(temp, 0o600, &bbolt.Options{NoStatistics: true, NoSync: s.o.NoSync})
	if err != nil {
		return fmt.Errorf("create store %s: %w", s.path, err)
	}
	err = errors.Join(db.Update(s.initialize), db.Close())
	if err != nil {
		return fmt.Errorf("create store %s: %w", s.path, err)
	}
	fault("create.write.after")
	fault("create.rename.before")
	if err := os.Link(temp, s.path); err != nil && !errors.Is(err, fs.ErrExist) {
		if err := renameNew(temp, s.path); err != nil {
			return fmt.Errorf("create store %s: %w", s.path, err)
		}
	}
	fault("create.rename.after")
	return syncDir(dir)
}

// renameNew is for file systems without hard links: two creators at the very
// same moment could replace each other's file, and the check after the lock
// sends the loser to the other one.
func renameNew(temp, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return os.Rename(temp, path)
}

func (s *Session) initialize(tx *bbolt.Tx) error {
	for _, b := range rootBuckets() {
		if _, err := tx.CreateBucketIfNotExists([]byte(b)); err != nil {
			return err
		}
	}
	meta := tx.Bucket([]byte(bMeta))
	root := s.o.Root
	if root != "" {
		root = RealPath(root)
	}
	for _, kv := range [][2]string{
		{"format", format},
		{"root", root},
		{"program", s.o.Program},
		{"created", trace.FormatTime(s.o.Now)},
	} {
		if err := meta.Put([]byte(kv[0]), []byte(kv[1])); err != nil {
			return err
		}
	}
	return nil
}

// tempMark is in the names of files that are to become a store.
const tempMark = ".new-"

// sweep removes those that a process which ended too early has left behind: no
// live one is a day old.
func (s *Session) sweep() {
	left, err := filepath.Glob(s.path + tempMark + "*")
	if err != nil {
		return
	}
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && s.o.Now.Sub(info.ModTime()) > 24*time.Hour {
			discard(path)
		}
	}
}

// tempFile makes an empty file beside path that only we can read.
func tempFile(path string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+tempMark+"*")
	if err != nil {
		return "", fmt.Errorf("create store %s: %w", path, err)
	}
	return f.Name(), f.Close()
}

// discard removes a temporary file, which after success has another name.
func discard(temp string) { _ = os.Remove(temp) }

// syncDir makes a rename in dir last. Some systems cannot sync a folder; there
// is nothing to be done about it.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("store folder: %w", err)
	}
	defer d.Close()
	_ = d.Sync()
	return nil
}
