package adapter

import (
	"io/fs"
	"path/filepath"
	"time"
)

// NewestFile is the regular file below dir written last of those that want
// takes, "" if there is none. Links are not followed.
func NewestFile(dir string, want func(path string, d fs.DirEntry) bool) string {
	best, when := "", time.Time{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !want(path, d) {
			return nil //nolint:nilerr // what cannot be read is not the newest
		}
		st, err := d.Info()
		if err == nil && st.ModTime().After(when) {
			best, when = path, st.ModTime()
		}
		return nil
	})
	return best
}
