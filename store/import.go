package store

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// ErrExport means that a file is no exported store, or was changed since.
var ErrExport = errors.New("no sound exported store")

// An exported line as read. Calls keep the bytes of their entry.
type exportLine struct {
	kind  string
	entry []byte
	hash  trace.Hash
	n     int
	m     map[string]any
}

// readExport calls fn for each line of an exported store and checks at the end
// that all of it is as it was written.
func readExport(r io.Reader, fn func(exportLine) error) (rep ExportReport, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return rep, fmt.Errorf("%w: %w", ErrExport, err)
	}
	in, sum := bufio.NewReaderSize(z, 64<<10), sha256.New()
	for {
		data, err := in.ReadBytes('\n')
		if err != nil {
			return rep, fmt.Errorf("%w: it ends too early: %w", ErrExport, err)
		}
		line, err := parseLine(bytes.TrimSuffix(data, []byte("\n")))
		if err != nil {
			return rep, fmt.Errorf("%w: %w", ErrExport, err)
		}
		switch {
		case line.kind == "end":
			if !bytes.Equal(data, endLine(rep, sum.Sum(nil))) {
				return rep, fmt.Errorf("%w: its last line does not fit the others", ErrExport)
			}
			return rep, nil
		case line.kind == "call":
			rep.Calls++
			rep.Head = line.hash
		case line.kind == "bucket" && line.session():
			rep.Sessions++
		case line.kind == "bucket" || line.kind == "value" || line.kind == "store":
		default:
			return rep, fmt.Errorf("%w: a line of kind %q", ErrExport, line.kind)
		}
		sum.Write(data)
		if err := fn(line); err != nil {
			return rep, err
		}
	}
}

// session says whether a line begins the bucket of a session.
func (l *exportLine) session() bool {
	names, _ := l.m["b"].([]any)
	return len(names) == 2 && names[0] == bSessions
}

func parseLine(data []byte) (l exportLine, err error) {
	// The entry's bytes are hashed: they are cut out, not written again.
	const head, tail = `{"e":`, `,"h":"`
	if bytes.HasPrefix(data, []byte(head)) {
		i := bytes.LastIndex(data, []byte(tail))
		if i < len(head) {
			return l, errors.New("a call without its hash")
		}
		l.entry = data[len(head):i]
		data = append([]byte("{"), data[i+1:]...)
	}
	v, err := trace.DecodeJSON(data)
	if err != nil {
		return l, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return l, errors.New("a line is no object")
	}
	l.m = m
	l.kind, _ = m["kind"].(string)
	if l.kind != "call" {
		return l, nil
	}
	text, _ := m["h"].(string)
	sum, err := hex.DecodeString(text)
	if err != nil || copy(l.hash[:], sum) != len(l.hash) {
		return l, errors.New("a call without its hash")
	}
	n, _ := m["n"].(json.Number)
	l.n, err = strconv.Atoi(string(n))
	return l, err
}

// checkExport reads an exported store and verifies its sum and its chain.
func checkExport(r io.Reader) (ExportReport, error) {
	var prev trace.Hash
	first := true
	return readExport(r, func(l exportLine) error {
		switch l.kind {
		case "store":
			if have, _ := l.m["version"].(json.Number); string(have) != strconv.Itoa(exportVersion) {
				return fmt.Errorf("%w: it has version %s", ErrExport, have)
			}
		case "call":
			// The hash in front of the first call is not in the file when calls were
			// pruned before it; then the first one cannot be checked.
			if (!first || l.n == 0) && trace.Chain(prev, l.entry) != l.hash {
				return fmt.Errorf("%w: the hash of call %d is not that of its bytes", ErrExport, l.n)
			}
			first = false
			prev = l.hash
		}
		return nil
	})
}

// A Source opens an exported file, more than once.
type Source func() (io.ReadCloser, error)

func (src Source) check() (ExportReport, error) {
	r, err := src()
	if err != nil {
		return ExportReport{}, err
	}
	defer func() { _ = r.Close() }()
	return checkExport(r)
}

func (src Source) read(fn func(exportLine) error) error {
	r, err := src()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	_, err = readExport(r, fn)
	return err
}

// Import puts an exported store in this project's place, which must be empty.
// Nothing is changed when the file does not verify.
func (s *Session) Import(src Source, dryRun bool) (rep ExportReport, err error) {
	if rep, err = src.check(); err != nil {
		return rep, err
	}
	here := 0
	err = s.ViewTx(func(t *Tx) error { here = t.Len(state.Project); return nil })
	if err == nil && here > 0 {
		err = fmt.Errorf("%s: %w (%d calls)", s.path, ErrInUse, here)
	}
	if err != nil || dryRun {
		return rep, err
	}
	// The empty file, too, is replaced under its lock.
	h, err := s.open(true)
	if err != nil {
		return rep, err
	}
	return rep, h.use(func() error {
		err := s.reading(h, func(t *Tx) error { here = t.Len(state.Project); return nil })
		if err == nil && here > 0 {
			err = fmt.Errorf("%s: %w (%d calls)", s.path, ErrInUse, here)
		}
		if err != nil {
			return err
		}
		temp, err := tempFile(s.path)
		if err != nil {
			return err
		}
		defer discard(temp)
		fault("import.write.before")
		if err := s.build(temp, src); err != nil {
			return fmt.Errorf("import store: %w", err)
		}
		fault("import.write.after")
		fault("import.rename.before")
		if err := os.Rename(temp, s.path); err != nil {
			return fmt.Errorf("import store: %w", err)
		}
		fault("import.rename.after")
		return syncDir(filepath.Dir(s.path))
	})
}

// build makes a store file of an exported one.
func (s *Session) build(path string, src Source) (err error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, NoGrowSync: true, NoStatistics: true})
	if err != nil {
		return err
	}
	db.AllocSize = allocSize
	defer func() { err = errors.Join(err, db.Close()) }()
	c := &copier{db: db}
	if c.tx, err = db.Begin(true); err != nil {
		return err
	}
	err = s.fill(c, src)
	if err != nil {
		return errors.Join(err, c.tx.Rollback())
	}
	if err := c.tx.Commit(); err != nil {
		return err
	}
	return db.Sync()
}

func (s *Session) fill(c *copier, src Source) error {
	if err := s.initialize(c.tx); err != nil {
		return err
	}
	var path [][]byte
	err := src.read(func(l exportLine) error {
		switch l.kind {
		case "call":
			return c.put([][]byte{[]byte(bCalls)}, number(l.n), append(l.hash[:], l.entry...))
		case "bucket":
			var err error
			path, err = importPath(l.m)
			if err != nil {
				return err
			}
			b, err := c.open(path)
			if err != nil {
				return err
			}
			n, _ := l.m["seq"].(json.Number)
			seq, err := strconv.ParseUint(string(n), 10, 64)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrExport, err)
			}
			return b.SetSequence(seq)
		case "value":
			k, err1 := importBytes(l.m["k"])
			v, err2 := importBytes(l.m["v"])
			if err := errors.Join(err1, err2); err != nil || path == nil {
				return fmt.Errorf("%w: a value without its place: %w", ErrExport, err)
			}
			return c.put(path, k, v)
		}
		return nil
	})
	if err != nil || s.o.Root == "" {
		return err
	}
	b, err := c.open([][]byte{[]byte(bMeta)})
	if err != nil {
		return err
	}
	return b.Put([]byte("root"), []byte(RealPath(s.o.Root)))
}

// put is one value, with a commit now and then.
func (c *copier) put(path [][]byte, k, v []byte) error {
	c.size += len(k) + len(v)
	b, err := c.reopen(path)
	if err != nil {
		return err
	}
	return b.Put(k, v)
}

func importPath(m map[string]any) (path [][]byte, err error) {
	names, _ := m["b"].([]any)
	for _, n := range names {
		b, err := importBytes(n)
		if err != nil || len(b) == 0 {
			return nil, fmt.Errorf("%w: a bucket without a name: %w", ErrExport, err)
		}
		path = append(path, b)
	}
	if len(path) == 0 {
		return nil, fmt.Errorf("%w: a bucket without a name", ErrExport)
	}
	return path, nil
}

func importBytes(v any) ([]byte, error) {
	switch v := v.(type) {
	case string:
		return []byte(v), nil
	case map[string]any:
		text, _ := v["b64"].(string)
		return base64.StdEncoding.DecodeString(text)
	default:
		return nil, fmt.Errorf("%w: neither text nor bytes", ErrExport)
	}
}

// Merge appends the calls of an exported store that are not here yet, told by
// their entries, in the order of their times, to the traces of the project and
// of their sessions. Monitors catch up with them by their positions. It returns
// how many there were.
func (s *Session) Merge(src Source, dryRun bool) (rep ExportReport, added int, err error) {
	if rep, err = src.check(); err != nil {
		return rep, 0, err
	}
	var fresh []foreign
	err = s.ViewTx(func(t *Tx) (err error) {
		fresh, err = t.fresh(src)
		return err
	})
	if err != nil || dryRun {
		return rep, len(fresh), err
	}
	// Merging again after a crash in between appends the rest.
	for batch := range slices.Chunk(fresh, pruneBatch) {
		err := s.UpdateTx(func(t *Tx) error {
			for _, c := range batch {
				if err := t.appendForeign(c); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return rep, added, err
		}
		added += len(batch)
	}
	return rep, added, nil
}

// A foreign call comes from another store.
type foreign struct {
	entry    []byte
	at       time.Time
	sessions []string
}

// fresh are the calls of src that are not here. Equal entries are counted, not
// lumped together: two calls may be alike to the last byte.
func (t *Tx) fresh(src Source) (list []foreign, err error) {
	here := map[trace.Hash]int{}
	for _, entry := range t.Entries(state.Project, t.First(state.Project)) {
		id, err := entryID(entry)
		if err != nil {
			return nil, err
		}
		here[id]++
	}
	index := map[int]int{} // number there -> place in list
	var path [][]byte
	session := ""
	err = src.read(func(l exportLine) error {
		switch l.kind {
		case "call":
			id, err := entryID(l.entry)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrExport, err)
			}
			if here[id] > 0 {
				here[id]--
				return nil
			}
			c, err := trace.DecodeEntry(l.entry)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrExport, err)
			}
			index[l.n] = len(list)
			list = append(list, foreign{entry: bytes.Clone(l.entry), at: c.Time})
		case "bucket":
			path, err = importPath(l.m)
			if len(path) == 2 {
				session = string(path[1])
			}
			return err
		case "value":
			if len(path) < 2 || string(path[0]) != bSessions {
				return nil
			}
			switch full, _ := l.m["v"].(string); {
			case len(path) == 2 && l.m["k"] == kID:
				session = full
			case len(path) == 3 && string(path[2]) == bList:
				return noteSession(list, index, session, l.m["v"])
			}
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b foreign) int { return a.at.Compare(b.at) })
	return list, err
}

func noteSession(list []foreign, index map[int]int, session string, v any) error {
	b, err := importBytes(v)
	if err != nil || len(b) != 8 {
		return fmt.Errorf("%w: a session's list holds no number: %w", ErrExport, err)
	}
	if i, ok := index[fromNumber(b)]; ok {
		list[i].sessions = append(list[i].sessions, session)
	}
	return nil
}

// wasTime is the member of an entry that keeps its own time when the trace it
// was appended to had gone on already.
const wasTime = "t_was"

// entryID tells whether two entries are the same call.
func entryID(entry []byte) (trace.Hash, error) {
	if !bytes.Contains(entry, []byte(`"`+wasTime+`":`)) {
		return sha256.Sum256(entry), nil
	}
	c, err := trace.DecodeEntry(entry)
	if err != nil {
		return trace.Hash{}, err
	}
	if was, ok := c.Extra[wasTime].(string); ok {
		if c.Time, err = time.Parse(time.RFC3339Nano, was); err != nil {
			return trace.Hash{}, err
		}
		delete(c.Extra, wasTime)
	}
	return sha256.Sum256(trace.AppendEntry(nil, &c)), nil
}

func (t *Tx) appendForeign(f foreign) error {
	entry := f.entry
	if newest := t.newest(); f.at.Before(newest) {
		c, err := trace.DecodeEntry(entry)
		if err != nil {
			return err
		}
		if c.Extra == nil {
			c.Extra = trace.Args{}
		}
		if _, twice := c.Extra[wasTime]; !twice {
			c.Extra[wasTime] = trace.FormatTime(c.Time)
		}
		c.Time = newest
		entry = trace.AppendEntry(nil, &c)
	}
	n, err := t.appendEntry(entry)
	if err != nil {
		return err
	}
	if t.newest().Before(f.at) {
		t.core.newest = &f.at
	}
	for _, id := range f.sessions {
		if err := t.in(id).appendNumber(n); err != nil {
			return err
		}
	}
	return nil
}
