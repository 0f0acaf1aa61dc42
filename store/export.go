package store

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// An exported store is a text of canonical JSON lines, compressed with gzip:
//
//	{"evidence":<head>,"format":"1.0","kind":"store","program":...,"root":...,"version":1}
//	{"e":<entry>,"h":"<chain hash>","kind":"call","n":17}       one a call, in order
//	{"b":[<name>...],"kind":"bucket","seq":3}                    every other bucket,
//	{"k":<name>,"kind":"value","v":<value>}                      and what it holds
//	{"calls":n,"head":"<chain hash>","kind":"end","sessions":n,"sha256":"..."}
//
// A name or value is text, or {"b64":...} where it is no UTF-8. The last line
// holds the SHA-256 of all lines before it. Buckets this version does not know
// are in it like the others.
const exportVersion = 1

// ExportOptions leave things out.
type ExportOptions struct {
	Session string // only this session; "": all
	Calls   int    // only the newest calls; 0: all
}

// An ExportReport says what an exported file holds.
type ExportReport struct {
	Calls, Sessions int
	Head            trace.Hash // of the last call in it
}

// Export writes the store. With a session, its calls are numbered anew and
// chained anew: the file is a store of that session alone, without the memory of
// the project, and without evidence, whose records name the other chain.
func (s *Session) Export(w io.Writer, o ExportOptions) (r ExportReport, err error) {
	z := gzip.NewWriter(w)
	e := &exporter{w: bufio.NewWriterSize(z, 64<<10), sum: sha256.New(), o: o}
	err = s.ViewTx(func(t *Tx) error {
		if t.core.tx == nil {
			return fmt.Errorf("%s: %w", s.path, ErrNoStore)
		}
		if o.Session != "" && t.in(o.Session).scope(state.Session) == nil {
			return fmt.Errorf("session %q: %w", o.Session, ErrNoStore)
		}
		e.t = t
		return e.run()
	})
	if err == nil {
		err = e.w.Flush()
	}
	if err == nil {
		err = z.Close()
	}
	return e.report, err
}

type exporter struct {
	t      *Tx
	w      *bufio.Writer
	sum    hash.Hash
	o      ExportOptions
	first  int // number of the first call that goes along
	report ExportReport
}

func (e *exporter) run() error {
	err := e.line(map[string]any{
		"evidence": e.evidence(), "format": e.t.Meta("format"), "kind": "store", "program": e.t.Meta("program"), "root": e.t.Meta("root"),
		"version": json.Number(strconv.Itoa(exportVersion)),
	})
	if err != nil {
		return err
	}
	if e.o.Session != "" {
		err = e.oneSession()
	} else {
		err = e.all()
	}
	if err != nil {
		return err
	}
	return e.end()
}

func (e *exporter) all() error {
	calls := e.t.root(bCalls)
	e.first = firstKey(calls)
	if e.o.Calls > 0 {
		e.first = max(e.first, int(calls.Sequence())-e.o.Calls)
	}
	page := newPager(e.t.core.tx)
	c := calls.Cursor()
	for k, v := c.Seek(number(e.first)); k != nil; k, v = c.Next() {
		if err := e.call(fromNumber(k), trace.Hash(v[:hashLen]), v[hashLen:]); err != nil {
			return err
		}
		page.passed(len(v))
	}
	return e.t.core.tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		return e.bucket([][]byte{name}, b)
	})
}

// bucket writes a bucket and what is in it. Of the calls only the sequence: they
// have lines of their own. The parts of compiled sets stay behind.
func (e *exporter) bucket(path [][]byte, b *bbolt.Bucket) error {
	err := e.sequence(path, b.Sequence())
	if err != nil {
		return err
	}
	top := string(path[0])
	if top == bCalls {
		return nil
	}
	if top == bSessions && len(path) == 2 {
		e.report.Sessions++
	}
	var inner [][]byte
	err = b.ForEach(func(k, v []byte) error {
		switch {
		case v == nil:
			inner = append(inner, k)
			return nil
		case top == bSets && len(path) == 2 && string(k[:1]) == partKey:
			return nil
		case top == bMeta && e.o.Session != "" && (string(k) == mPruned || string(k) == mBase):
			return nil
		case top == bMeta && string(k) == mPruned && e.first > 0:
			h := e.t.hashBefore(e.first)
			v = []byte(hex.EncodeToString(h[:]))
		case top == bSessions && len(path) == 3 && string(path[2]) == bList && fromNumber(v) < e.first:
			return nil
		}
		return e.value(k, v)
	})
	if err == nil && top == bMeta && e.first > 0 && b.Get([]byte(mPruned)) == nil {
		h := e.t.hashBefore(e.first)
		err = e.value([]byte(mPruned), []byte(hex.EncodeToString(h[:])))
	}
	for _, k := range inner {
		if err == nil {
			err = e.bucket(slices.Concat(path, [][]byte{k}), b.Bucket(k))
		}
	}
	return err
}

// oneSession writes a store of one session.
func (e *exporter) oneSession() error {
	of := e.t.in(e.o.Session)
	list := of.sub(state.Session, bList)
	from := 0
	if list != nil {
		from = firstKey(list)
		if e.o.Calls > 0 {
			from = max(from, int(list.Sequence())-e.o.Calls)
		}
	}
	n := 0
	for _, entry := range of.Entries(state.Session, from) {
		if err := e.call(n, trace.Chain(e.report.Head, entry), entry); err != nil {
			return err
		}
		n++
	}
	if err := e.sequence([][]byte{[]byte(bCalls)}, uint64(n)); err != nil {
		return err
	}
	if err := e.bucket([][]byte{[]byte(bMeta)}, e.t.root(bMeta)); err != nil {
		return err
	}
	if err := e.bucket([][]byte{[]byte(bSets)}, e.t.root(bSets)); err != nil {
		return err
	}
	if err := e.bucket([][]byte{[]byte(bRules)}, e.t.root(bRules)); err != nil {
		return err
	}
	if err := e.sequence([][]byte{[]byte(bSessions)}, 0); err != nil {
		return err
	}
	path := [][]byte{[]byte(bSessions), name(e.o.Session)}
	e.first = 0
	return e.session(path, of.scope(state.Session), from, n)
}

// session writes the bucket of the only session, its list numbered anew.
func (e *exporter) session(path [][]byte, b *bbolt.Bucket, from, n int) error {
	e.report.Sessions = 1
	if err := e.sequence(path, b.Sequence()); err != nil {
		return err
	}
	err := b.ForEach(func(k, v []byte) error {
		if v == nil {
			return nil
		}
		return e.value(k, v)
	})
	if err != nil {
		return err
	}
	return b.ForEach(func(k, v []byte) error {
		in := slices.Concat(path, [][]byte{k})
		switch {
		case v != nil || string(k) == bRes: // what was in flight there is not here
			return nil
		case string(k) != bList:
			return e.bucket(in, b.Bucket(k))
		}
		if err := e.sequence(in, b.Bucket(k).Sequence()); err != nil {
			return err
		}
		for i := range n {
			if err := e.value(number(from+i), number(i)); err != nil {
				return err
			}
		}
		return nil
	})
}

// sequence writes the line of a bucket.
func (e *exporter) sequence(path [][]byte, seq uint64) error {
	names := make([]any, len(path))
	for i, n := range path {
		names[i] = exportBytes(n)
	}
	return e.line(map[string]any{"b": names, "kind": "bucket", "seq": json.Number(strconv.FormatUint(seq, 10))})
}

func (e *exporter) call(n int, h trace.Hash, entry []byte) error {
	e.report.Calls++
	e.report.Head = h
	b := append([]byte(`{"e":`), entry...)
	b = append(b, `,"h":"`...)
	b = hex.AppendEncode(b, h[:])
	b = append(b, `","kind":"call","n":`...)
	b = strconv.AppendInt(b, int64(n), 10)
	return e.bytes(append(b, "}\n"...))
}

func (e *exporter) value(k, v []byte) error {
	return e.line(map[string]any{"k": exportBytes(k), "kind": "value", "v": exportBytes(v)})
}

// evidence is the head of the record chain, for those who look at the first line
// only; null: there is none.
func (e *exporter) evidence() any {
	b := e.t.root(bEvidenceHead)
	if b == nil || e.o.Session != "" {
		return nil
	}
	if k, v := b.Cursor().First(); k != nil {
		return exportBytes(v)
	}
	return nil
}

func (e *exporter) end() error { return e.bytes(endLine(e.report, e.sum.Sum(nil))) }

func endLine(r ExportReport, sum []byte) []byte {
	return append(trace.AppendJSON(nil, map[string]any{
		"calls": json.Number(strconv.Itoa(r.Calls)), "head": hex.EncodeToString(r.Head[:]), "kind": "end",
		"sessions": json.Number(strconv.Itoa(r.Sessions)), "sha256": hex.EncodeToString(sum),
	}), '\n')
}

func exportBytes(b []byte) any {
	if utf8.Valid(b) {
		return string(b)
	}
	return map[string]any{"b64": base64.StdEncoding.EncodeToString(b)}
}

func (e *exporter) line(v any) error { return e.bytes(append(trace.AppendJSON(nil, v), '\n')) }

func (e *exporter) bytes(line []byte) error {
	e.sum.Write(line)
	_, err := e.w.Write(line)
	return err
}
