package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"go.etcd.io/bbolt"
)

// bbolt never shrinks a file: it reads the list of free pages at each open and
// writes it at each commit. 85,690 free pages made a synced commit 7 times and an
// open 300 times slower, so a file with many is written anew.

// rewriteBatch bytes of keys and values are committed together, which bounds
// memory, not safety: nobody sees the new file before it is whole.
const rewriteBatch = 512 << 10

// A keeper says whether a value goes into the new file. path are the names of
// the buckets around it.
type keeper func(path [][]byte, k, v []byte) bool

// rewrite replaces the file by a copy without free pages and without what keep
// (nil: keep all) turns down; edit (may be nil) changes the copy before it is
// complete. h holds the exclusive lock, on a file that is no longer the store
// afterwards: those who waited for it find the new one by its inode.
func (s *Session) rewrite(h *handle, keep keeper, edit func(*Tx) error) error {
	temp, err := tempFile(s.path)
	if err != nil {
		return err
	}
	defer discard(temp)
	fault("rewrite.write.before")
	if err := s.copyTo(temp, h, keep, edit); err != nil {
		return fmt.Errorf("rewrite store %s: %w", s.path, err)
	}
	fault("rewrite.rename.before")
	if err := os.Rename(temp, s.path); err != nil {
		return fmt.Errorf("rewrite store %s: %w", s.path, err)
	}
	fault("rewrite.rename.after")
	return syncDir(filepath.Dir(s.path))
}

func (s *Session) copyTo(temp string, h *handle, keep keeper, edit func(*Tx) error) (err error) {
	dst, err := bbolt.Open(temp, 0o600, &bbolt.Options{NoSync: true, NoGrowSync: true, NoStatistics: true})
	if err != nil {
		return err
	}
	dst.AllocSize = allocSize
	defer func() { err = errors.Join(err, dst.Close()) }()
	src, err := h.db.Begin(false)
	if err != nil {
		return err
	}
	defer func() { _ = src.Rollback() }()
	c := &copier{db: dst, keep: keep, page: newPager(src)}
	if err := c.run(src); err != nil {
		return err
	}
	var size int64
	err = dst.Update(func(tx *bbolt.Tx) error {
		size = tx.Size()
		if edit == nil {
			return nil
		}
		return edit(newTx(s, tx))
	})
	if err != nil {
		return err
	}
	err = dst.View(func(tx *bbolt.Tx) error { size = tx.Size(); return nil })
	if err != nil {
		return err
	}
	fault("rewrite.sync.before")
	// What bbolt grew the file by in advance is given back.
	if err := errors.Join(os.Truncate(temp, size), dst.Sync()); err != nil {
		return err
	}
	fault("rewrite.sync.after")
	return nil
}

// A copier writes one file's content into another, committing now and then.
type copier struct {
	db   *bbolt.DB
	tx   *bbolt.Tx
	keep keeper
	page *pager
	size int
	gen  int // rises with each commit: buckets of an earlier one are gone
}

func (c *copier) run(src *bbolt.Tx) (err error) {
	if c.tx, err = c.db.Begin(true); err != nil {
		return err
	}
	err = src.ForEach(func(name []byte, b *bbolt.Bucket) error {
		return c.copy([][]byte{slices.Clone(name)}, b)
	})
	if err != nil {
		return errors.Join(err, c.tx.Rollback())
	}
	return c.tx.Commit()
}

func (c *copier) copy(path [][]byte, src *bbolt.Bucket) error {
	dst, err := c.open(path)
	if err != nil {
		return err
	}
	if err := dst.SetSequence(src.Sequence()); err != nil {
		return err
	}
	gen := c.gen
	return src.ForEach(func(k, v []byte) (err error) {
		if v == nil {
			return c.copy(slices.Concat(path, [][]byte{bytes.Clone(k)}), src.Bucket(k))
		}
		c.page.passed(len(k) + len(v))
		if c.keep != nil && !c.keep(path, k, v) {
			return nil
		}
		if c.gen != gen || c.size > rewriteBatch {
			if dst, err = c.reopen(path); err != nil {
				return err
			}
			gen = c.gen
		}
		c.size += len(k) + len(v)
		return dst.Put(k, v) // v stays valid as long as src is open
	})
}

// reopen is open after a commit, if it is time for one.
func (c *copier) reopen(path [][]byte) (*bbolt.Bucket, error) {
	if c.size > rewriteBatch {
		err := c.tx.Commit()
		if err != nil {
			return nil, err
		}
		if c.tx, err = c.db.Begin(true); err != nil {
			return nil, err
		}
		c.size = 0
		c.gen++
	}
	return c.open(path)
}

// open is the bucket at a path, made if it is missing, filled page by page.
func (c *copier) open(path [][]byte) (*bbolt.Bucket, error) {
	b, err := c.tx.CreateBucketIfNotExists(path[0])
	for _, name := range path[1:] {
		if err != nil {
			return nil, err
		}
		b, err = b.CreateBucketIfNotExists(name)
	}
	if err != nil {
		return nil, err
	}
	b.FillPercent = 1
	return b, nil
}

// copyBucket copies src into dst, of the same transaction, buckets in it and
// sequences included.
func copyBucket(dst, src *bbolt.Bucket) error {
	if err := dst.SetSequence(src.Sequence()); err != nil {
		return err
	}
	dst.FillPercent = 1
	return src.ForEach(func(k, v []byte) error {
		if v != nil {
			return dst.Put(bytes.Clone(k), bytes.Clone(v))
		}
		in, err := dst.CreateBucketIfNotExists(bytes.Clone(k))
		if err != nil {
			return err
		}
		return copyBucket(in, src.Bucket(k))
	})
}
