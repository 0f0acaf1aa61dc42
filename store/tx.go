package store

import (
	"bytes"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/state"
)

// A Tx is one transaction: a view of the store from one of its sessions. Values
// it returns stay valid afterwards. Reading never fails; what does not decode
// ends the transaction with ErrCorrupt.
type Tx struct {
	core    *core
	session string
	own     *bbolt.Bucket // the session's bucket, once it was found
}

var _ state.Tx = (*Tx)(nil)

// A core is what the views of one transaction share.
type core struct {
	s      *Session
	tx     *bbolt.Tx // nil: the store does not exist
	dirty  bool
	newest *time.Time // time of the last call, once it was looked up
}

func newTx(s *Session, tx *bbolt.Tx) *Tx {
	return &Tx{core: &core{s: s, tx: tx}, session: s.o.Session}
}

// Session is the id of the session this view is about.
func (t *Tx) Session() string { return t.session }

// In is the same transaction seen from another session.
func (t *Tx) In(session string) state.Tx { return t.in(session) }

func (t *Tx) in(session string) *Tx { return &Tx{core: t.core, session: session} }

// now is when the process started.
func (t *Tx) now() time.Time { return t.core.s.o.Now }

// today numbers days, for "last use".
func (t *Tx) today() uint32 { return uint32(max(t.now().Unix(), 0) / 86_400) }

// root is a bucket of the file's root; nil: not there.
func (t *Tx) root(b string) *bbolt.Bucket {
	if t.core.tx == nil {
		return nil
	}
	return t.core.tx.Bucket([]byte(b))
}

// makeRoot is root for writing.
func (t *Tx) makeRoot(b string) (*bbolt.Bucket, error) {
	if err := t.writing(); err != nil {
		return nil, err
	}
	return t.core.tx.CreateBucketIfNotExists([]byte(b))
}

func (t *Tx) writing() error {
	if t.core.tx == nil || !t.core.tx.Writable() {
		return fmt.Errorf("write in a view of store %s", t.core.s.path)
	}
	t.core.dirty = true
	return nil
}

// scope is the bucket of the session or the project; nil: not there.
func (t *Tx) scope(s state.Scope) *bbolt.Bucket {
	if s == state.Project {
		return t.root(bProject)
	}
	if t.own == nil {
		if all := t.root(bSessions); all != nil {
			t.own = all.Bucket(name(t.session))
		}
	}
	return t.own
}

func (t *Tx) makeScope(s state.Scope) (*bbolt.Bucket, error) {
	if s == state.Project {
		return t.makeRoot(bProject)
	}
	if err := t.writing(); err != nil {
		return nil, err
	}
	if b := t.scope(s); b != nil {
		return b, nil
	}
	all, err := t.makeRoot(bSessions)
	if err != nil {
		return nil, err
	}
	t.own, err = all.CreateBucket(name(t.session))
	if err == nil && string(name(t.session)) != t.session {
		err = t.own.Put([]byte(kID), []byte(t.session))
	}
	return t.own, err
}

// sub is a bucket of a scope; nil: not there.
func (t *Tx) sub(s state.Scope, b string) *bbolt.Bucket {
	return child(t.scope(s), b)
}

func (t *Tx) makeSub(s state.Scope, b string) (*bbolt.Bucket, error) {
	in, err := t.makeScope(s)
	if err != nil {
		return nil, err
	}
	return in.CreateBucketIfNotExists([]byte(b))
}

// child and the functions below let nil stand for an empty bucket.
func child(b *bbolt.Bucket, name string) *bbolt.Bucket {
	if b == nil {
		return nil
	}
	return b.Bucket([]byte(name))
}

func get(b *bbolt.Bucket, k []byte) []byte {
	if b == nil {
		return nil
	}
	return bounded(b, b.Get(k))
}

// bounded stops at a damaged length before somebody copies gigabytes. What was
// written in this transaction may be larger than the file is yet: a rule file's
// texts are up to a mebibyte each.
func bounded(b *bbolt.Bucket, v []byte) []byte {
	most := b.Tx().Size()
	if b.Writable() {
		most += 64 << 20
	}
	if int64(len(v)) > most {
		damaged("a value of %d bytes", len(v))
	}
	return v
}

// each calls fn for every key with the prefix until it returns false. Buckets
// inside b are passed over.
func each(b *bbolt.Bucket, prefix []byte, fn func(k, v []byte) bool) {
	if b == nil {
		return
	}
	c := b.Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if v != nil && !fn(bounded(b, k), bounded(b, v)) {
			return
		}
	}
}

func put(b *bbolt.Bucket, k, v []byte, point string) error {
	fault(point + ".before")
	err := b.Put(k, v)
	fault(point + ".after")
	return err
}

// del removes a key. Keys passed over from b itself must be copied before.
func del(b *bbolt.Bucket, k []byte, point string) error {
	fault(point + ".before")
	err := b.Delete(k)
	fault(point + ".after")
	return err
}

// Meta is a text of the project's file; "": none.
func (t *Tx) Meta(key string) string { return string(get(t.root(bMeta), []byte(key))) }

// PutMeta keeps one; "" removes it.
func (t *Tx) PutMeta(key, val string) error {
	if t.Meta(key) == val {
		return nil
	}
	b, err := t.makeRoot(bMeta)
	if err != nil {
		return err
	}
	if val == "" {
		return del(b, []byte(key), "meta-gone")
	}
	return put(b, []byte(key), []byte(val), "meta")
}

// Value is a JSON document of the scope.
func (t *Tx) Value(s state.Scope, key string) ([]byte, bool) {
	v := get(t.sub(s, bValues), name(key))
	return bytes.Clone(v), v != nil
}

// PutValue keeps one; nil removes it.
func (t *Tx) PutValue(s state.Scope, key string, val []byte) error {
	b, err := t.makeSub(s, bValues)
	if err != nil {
		return err
	}
	if val == nil {
		return del(b, name(key), "value-gone")
	}
	return put(b, name(key), val, "value")
}

// Parent is the session that a child's id was said to belong to.
func (t *Tx) Parent(child string) string {
	return string(get(t.in(child).sub(state.Session, bAgents), name(child)))
}

// PutParent says so.
func (t *Tx) PutParent(child, parent string) error {
	b, err := t.in(child).makeSub(state.Session, bAgents)
	if err != nil {
		return err
	}
	return put(b, name(child), []byte(parent), "parent")
}
