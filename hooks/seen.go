package hooks

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/store"
)

// A post event without a pre event tells of a call that no rule was asked about:
// the hook was not registered, crashed, or was too slow. So that it can be told,
// each pre event leaves a line in a small file beside the store. It is not
// synced and needs no lock: losing it costs a false word to the person, never a
// decision.
const (
	seenSuffix = ".seen"
	oldSuffix  = ".seen.old"
	maxSeen    = 64 << 10 // bytes; then the file becomes the old one
)

// seenBase is the path of the store without its suffix; "" where there is none.
func (r *run) seenBase() string {
	s, ok := r.store.(*store.Session)
	if !ok || !r.p.Profile.CallIDs || r.e.ID == "" {
		return ""
	}
	return strings.TrimSuffix(s.Path(), filepath.Ext(s.Path()))
}

// mark names the event's call.
func (r *run) mark() []byte {
	sum := sha256.Sum256([]byte(r.session + "\x00" + r.e.ID))
	return append(hex.AppendEncode(nil, sum[:10]), '\n')
}

// see leaves a pre event's mark.
func (r *run) see() {
	base := r.seenBase()
	if base == "" {
		return
	}
	f, err := appendNonblock(base + seenSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		if os.MkdirAll(filepath.Dir(base), 0o700) != nil {
			return
		}
		f, err = appendNonblock(base + seenSuffix)
	}
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.Write(r.mark())
	if st, err := f.Stat(); err == nil && st.Size() > maxSeen {
		_ = os.Rename(base+seenSuffix, base+oldSuffix)
	}
}

// unseen says whether a post event's call left no mark.
func (r *run) unseen() bool {
	base := r.seenBase()
	if base == "" {
		return false
	}
	for _, suffix := range []string{seenSuffix, oldSuffix} {
		b, err := new(disk).ReadFile(base+suffix, 2*maxSeen)
		if err == nil && bytes.Contains(b, r.mark()) {
			return false
		}
	}
	return true
}

// RemoveStore deletes a project's store and the marks beside it.
func RemoveStore(o store.Options) error {
	base := strings.TrimSuffix(o.Path, filepath.Ext(o.Path))
	err := store.Open(o).Remove()
	for _, suffix := range []string{seenSuffix, oldSuffix} {
		if gone := os.Remove(base + suffix); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// ProbeSession is the session of doctor's sample payload.
const ProbeSession = "agentltl-doctor"

// touch notes that an event of the harness arrived where rules apply: doctor
// compares it with the newest transcript (trust.md 11). At most once a minute,
// and never for doctor's own, which would hide that none arrives.
func (r *run) touch() {
	if r.p.StateDir == "" || r.p.Profile.Name == "" || r.e.Session == ProbeSession {
		return
	}
	if _, ok := r.store.(*store.Session); !ok {
		return
	}
	path := filepath.Join(r.p.StateDir, "last", r.p.Profile.Name)
	st, err := os.Stat(path)
	if err == nil && r.now.Sub(st.ModTime()) < time.Minute {
		return
	}
	if err != nil {
		if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
			return
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return
		}
		_ = f.Close()
	}
	_ = os.Chtimes(path, r.now, r.now)
}
