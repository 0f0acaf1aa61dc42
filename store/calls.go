package store

import (
	"encoding/hex"
	"fmt"
	"iter"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// hashLen bytes of chain hash stand before each entry.
const hashLen = len(trace.Hash{})

// mBase is the number of the first call of the project's trace: "reset
// --project" begins it anew without touching what other sessions recorded.
const mBase = "base"

// mPruned is the hash of the last call whose entry went, in hexadecimal.
const mPruned = "pruned-hash"

// mNewest is the time of the newest call when calls were pruned last: if all went,
// a clock that went back still stands there (rules.md 17).
const mNewest = "newest-time"

func (t *Tx) metaInt(key string) int {
	v := t.Meta(key)
	if v == "" {
		return 0
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		damaged("meta %s is %q", key, v)
	}
	return n
}

// list is the bucket whose keys are the positions of the scope's trace, and the
// key of position 0.
func (t *Tx) list(s state.Scope) (b *bbolt.Bucket, base int) {
	if s == state.Project {
		return t.root(bCalls), t.metaInt(mBase)
	}
	return t.sub(state.Session, bList), 0
}

// Len is the number of calls ever recorded in the scope.
func (t *Tx) Len(s state.Scope) int {
	b, base := t.list(s)
	if b == nil {
		return 0
	}
	return int(b.Sequence()) - base
}

// First is the position of the oldest call that is kept; Len if none is.
func (t *Tx) First(s state.Scope) int {
	b, base := t.list(s)
	if b == nil {
		return 0
	}
	k, _ := b.Cursor().Seek(number(base))
	if k == nil {
		return int(b.Sequence()) - base
	}
	return fromNumber(k) - base
}

// Calls yields the calls from a position on.
func (t *Tx) Calls(s state.Scope, from int, may func(tool string) bool) iter.Seq2[int, trace.Call] {
	return func(yield func(int, trace.Call) bool) {
		names := map[string]string{} // there are few, and a trace may be long
		named := func(b []byte) bool {
			name, ok := names[string(b)]
			if !ok {
				name = string(b)
				names[name] = name
			}
			return may(name)
		}
		for i, entry := range t.Entries(s, from) {
			if may != nil && !trace.EntryTools(entry, named) {
				continue
			}
			c, err := trace.DecodeEntry(entry)
			if err != nil {
				damaged("call %d: %v", i, err)
			}
			if !yield(i, c) {
				return
			}
		}
	}
}

// Entries yields the stored bytes of the calls from a position on, valid only
// until the next one.
func (t *Tx) Entries(s state.Scope, from int) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		b, base := t.list(s)
		if b == nil {
			return
		}
		at := t.lookup(s)
		page := newPager(t.core.tx)
		c := b.Cursor()
		for k, v := c.Seek(number(base + max(from, 0))); k != nil; k, v = c.Next() {
			raw := bounded(b, at(v))
			if len(raw) < hashLen {
				damaged("call %d is too short", fromNumber(k))
			}
			if !yield(fromNumber(k)-base, raw[hashLen:]) {
				return
			}
			page.passed(len(raw))
		}
	}
}

// lookup turns a value of the scope's list into the stored call. Numbers of a
// session mostly follow each other, so a cursor that steps finds them without
// a search from the root.
func (t *Tx) lookup(s state.Scope) func([]byte) []byte {
	if s == state.Project {
		return func(v []byte) []byte { return v }
	}
	calls := t.root(bCalls)
	if calls == nil {
		damaged("no bucket of calls")
	}
	c := calls.Cursor()
	last := -2
	return func(v []byte) []byte {
		n := fromNumber(v)
		var k, raw []byte
		if n == last+1 {
			k, raw = c.Next()
		}
		if k == nil || fromNumber(k) != n {
			k, raw = c.Seek(v)
		}
		if k == nil || fromNumber(k) != n {
			damaged("call %d of session %q is not there", n, t.session)
		}
		last = n
		return raw
	}
}

// Head is the hash of the newest call ever recorded.
func (t *Tx) Head() state.Digest {
	if b := t.root(bCalls); b != nil {
		if k, v := b.Cursor().Last(); k != nil && len(v) >= hashLen {
			return state.Digest(v[:hashLen])
		}
	}
	return t.prunedHash()
}

func (t *Tx) prunedHash() (h state.Digest) {
	v := t.Meta(mPruned)
	if v == "" {
		return h
	}
	if b, err := hex.DecodeString(v); err != nil || copy(h[:], b) != len(b) || len(b) != len(h) {
		damaged("the hash before the first call is %q", v)
	}
	return h
}

// newest is the time of the last call, remembered for the next one of the same
// transaction.
func (t *Tx) newest() time.Time {
	if t.core.newest == nil {
		at := t.lastTime()
		t.core.newest = &at
	}
	return *t.core.newest
}

func (t *Tx) lastTime() time.Time {
	b := t.root(bCalls)
	if b == nil {
		return time.Time{}
	}
	if k, v := b.Cursor().Last(); k != nil && len(v) >= hashLen {
		c, err := trace.DecodeEntry(v[hashLen:])
		if err != nil {
			damaged("the last call: %v", err)
		}
		return c.Time
	}
	v := t.Meta(mNewest)
	if v == "" {
		return time.Time{}
	}
	newest, err := time.Parse(time.RFC3339Nano, v)
	if err != nil {
		damaged("the time of the newest call is %q", v)
	}
	return newest
}

// Append records a call that ran, once, at the end of both traces.
func (t *Tx) Append(c trace.Call) (trace.Call, error) {
	c = trace.Clip(c)
	if c.Session == "" {
		c.Session = t.session
	}
	if newest := t.newest(); c.Time.Before(newest) {
		c.Time = newest
	}
	c.Time = c.Time.UTC()
	if c.Outcome == nil {
		c.Outcome = &trace.Outcome{}
	}
	n, err := t.appendEntry(trace.AppendEntry(nil, &c))
	if err != nil {
		return c, err
	}
	t.core.newest = &c.Time
	return c, t.appendNumber(n)
}

// appendEntry puts the bytes of an entry at the end of the project's trace.
func (t *Tx) appendEntry(entry []byte) (n int, err error) {
	calls, err := t.makeRoot(bCalls)
	if err != nil {
		return 0, err
	}
	calls.FillPercent = 1 // it only grows at the end: else every page would stay half empty
	hash := trace.Chain(t.Head(), entry)
	if n, err = next(calls); err != nil {
		return 0, err
	}
	return n, put(calls, number(n), append(hash[:], entry...), "call")
}

// appendNumber puts a call at the end of the session's trace.
func (t *Tx) appendNumber(n int) error {
	list, err := t.makeSub(state.Session, bList)
	if err != nil {
		return err
	}
	list.FillPercent = 1
	i, err := next(list)
	if err != nil {
		return err
	}
	return put(list, number(i), number(n), "list")
}

// next is the number of the next call of a list; its sequence counts those ever
// recorded, so the first is 0.
func next(b *bbolt.Bucket) (int, error) {
	n, err := b.NextSequence()
	if err != nil {
		return 0, fmt.Errorf("number a call: %w", err)
	}
	return int(n) - 1, nil
}
