package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/state"
)

// A rule's position in a scope is how many of its calls the rule has consumed:
// the larger of the count in its checkpoint and the counts of the rule sets that
// contain it, all under one codec version. A call that a rule cannot react to
// raises only the count of the set, so most calls write no checkpoint at all; a
// rule of such a set without one stands there in its initial state. A program
// reads its own codec and the two before, and writes its own (trust.md 8).

// codecsBack is how many older codecs are read.
const codecsBack = 2

// A position is a value of the bucket of positions.
type position struct {
	set   state.Digest
	codec uint16
	calls int
	day   uint32
}

func (p *position) value() []byte {
	return binary.BigEndian.AppendUint32(number(p.calls), p.day)
}

// positions are all positions of a scope, of any codec.
func (t *Tx) positions(s state.Scope) (list []position) {
	return positionsIn(t.sub(s, bPositions))
}

func positionsIn(b *bbolt.Bucket) (list []position) {
	each(b, nil, func(k, v []byte) bool {
		set, codec, ok := splitCodec(k)
		if ok && len(v) >= 12 { // else of another version
			list = append(list, position{set, codec, fromNumber(v[:8]), binary.BigEndian.Uint32(v[8:12])})
		}
		return true
	})
	return list
}

// SetPosition is how many calls a rule set has consumed, under our codec.
func (t *Tx) SetPosition(s state.Scope, set state.Digest) (int, bool) {
	v := get(t.sub(s, bPositions), withCodec(set, t.core.s.o.Codec))
	if len(v) < 8 {
		return 0, false
	}
	return fromNumber(v[:8]), true
}

// PutSetPosition raises it.
func (t *Tx) PutSetPosition(s state.Scope, set state.Digest, calls int) error {
	codec := t.core.s.o.Codec
	if was, ok := t.SetPosition(s, set); ok && was > calls {
		return nil
	}
	if err := t.useSet(set); err != nil {
		return err
	}
	b, err := t.makeSub(s, bPositions)
	if err != nil {
		return err
	}
	p := position{set, codec, calls, t.today()}
	if err := put(b, withCodec(set, codec), p.value(), "position"); err != nil {
		return err
	}
	return t.evictPositions(s, b, p)
}

// evictPositions drops the sets not seen lately, all but maxPositions of p's
// codec: the newest is the one furthest on, because whoever records a call
// raises its set to the end of the trace.
func (t *Tx) evictPositions(s state.Scope, b *bbolt.Bucket, p position) error {
	list := slices.DeleteFunc(positionsIn(b), func(q position) bool { return q.codec != p.codec || q.set == p.set })
	slices.SortFunc(list, func(a, b position) int {
		return cmp.Or(cmp.Compare(b.calls, a.calls), cmp.Compare(b.day, a.day), bytes.Compare(a.set[:], b.set[:]))
	})
	for len(list) > maxPositions-1 {
		last := list[len(list)-1]
		if err := t.dropPosition(s, b, last); err != nil {
			return err
		}
		list = list[:len(list)-1]
	}
	return nil
}

// dropPosition removes a set from the record; rules of it that stand nowhere
// else that far get a checkpoint there, with the state they have.
func (t *Tx) dropPosition(s state.Scope, b *bbolt.Bucket, p position) error {
	if err := del(b, withCodec(p.set, p.codec), "position-gone"); err != nil {
		return err
	}
	rest := positionsIn(b)
	for r := range t.setRules(p.set) {
		if r.Scope != s {
			continue
		}
		own, found := t.checkpoint(s, r.Digest, p.codec)
		if found && own.calls >= p.calls || t.reached(rest, r, p.codec) >= p.calls {
			continue
		}
		own.calls, own.day = p.calls, p.day
		if err := t.putCheckpoint(s, r.Digest, p.codec, own); err != nil {
			return err
		}
	}
	return nil
}

// reached is the largest count among the sets that contain the rule; -1: none.
func (t *Tx) reached(list []position, r state.RuleRef, codec uint16) int {
	far := -1
	for _, p := range list {
		if p.codec == codec && p.calls > far && t.setHas(p.set, r) {
			far = p.calls
		}
	}
	return far
}

// A checkpoint is a value of the bucket of checkpoints.
type checkpoint struct {
	calls int
	day   uint32
	state []byte
}

const checkpointHead = 12

func parseCheckpoint(v []byte) (c checkpoint, ok bool) {
	if len(v) < checkpointHead {
		return c, false
	}
	return checkpoint{fromNumber(v[:8]), binary.BigEndian.Uint32(v[8:12]), v[checkpointHead:]}, true
}

// checkpoint is the saved one of a codec.
func (t *Tx) checkpoint(s state.Scope, rule state.Digest, codec uint16) (checkpoint, bool) {
	return parseCheckpoint(get(t.sub(s, bCP), withCodec(rule, codec)))
}

func (t *Tx) putCheckpoint(s state.Scope, rule state.Digest, codec uint16, c checkpoint) error {
	b, err := t.makeSub(s, bCP)
	if err != nil {
		return err
	}
	v := binary.BigEndian.AppendUint32(number(c.calls), c.day)
	return put(b, withCodec(rule, codec), append(v, c.state...), "checkpoint")
}

// Checkpoint is where a rule stands: of the codecs we read, the one furthest on,
// our own of equal ones. Sub-monitors belong to the checkpoint they were saved
// with: a rule that has them under our codec stands there, so that they are not
// taken over anew for every call of the other program.
func (t *Tx) Checkpoint(s state.Scope, rule state.Digest) (best state.Checkpoint, ok bool) {
	list := t.positions(s)
	own := t.core.s.o.Codec
	ref := state.RuleRef{Scope: s, Digest: rule}
	for codec := own; codec > 0 && codec+codecsBack >= own; codec-- {
		c, found := t.checkpoint(s, rule, codec)
		calls := t.reached(list, ref, codec)
		if found {
			calls = max(calls, c.calls)
		}
		if calls < 0 || ok && calls <= best.Calls {
			continue
		}
		best, ok = state.Checkpoint{Calls: calls, Codec: codec}, true
		if len(c.state) > 0 {
			best.State = bytes.Clone(c.state)
		}
		if codec == own && t.vars(s, rule, own) != nil {
			break
		}
	}
	return best, ok
}

// PutCheckpoint saves one under our codec.
func (t *Tx) PutCheckpoint(s state.Scope, rule state.Digest, cp state.Checkpoint) error {
	return t.putCheckpoint(s, rule, t.core.s.o.Codec, checkpoint{cp.Calls, t.today(), cp.State})
}

// DropCheckpoint removes the rule's, of every codec, with its sub-monitors. The
// rule still counts as standing where its sets do.
func (t *Tx) DropCheckpoint(s state.Scope, rule state.Digest) error {
	b, err := t.makeSub(s, bCP)
	if err != nil {
		return err
	}
	for codec := range keysOf(b, rule) {
		if err := b.Delete(withCodec(rule, codec)); err != nil {
			return err
		}
	}
	v := t.sub(s, bVars)
	if v == nil {
		return nil
	}
	for codec := range bucketsOf(v, rule) {
		if err := v.DeleteBucket(withCodec(rule, codec)); err != nil {
			return err
		}
	}
	return nil
}

// keysOf yields the codecs under which b has a value of a rule.
func keysOf(b *bbolt.Bucket, rule state.Digest) iter.Seq[uint16] {
	return slices.Values(codecs(b, rule, false))
}

func bucketsOf(b *bbolt.Bucket, rule state.Digest) iter.Seq[uint16] {
	return slices.Values(codecs(b, rule, true))
}

func codecs(b *bbolt.Bucket, rule state.Digest, buckets bool) (list []uint16) {
	c := b.Cursor()
	for k, v := c.Seek(rule[:]); k != nil && bytes.HasPrefix(k, rule[:]); k, v = c.Next() {
		if _, codec, ok := splitCodec(k); ok && buckets == (v == nil) {
			list = append(list, codec)
		}
	}
	return list
}

// vars is the bucket of a rule's sub-monitors.
func (t *Tx) vars(s state.Scope, rule state.Digest, codec uint16) *bbolt.Bucket {
	if b := t.sub(s, bVars); b != nil {
		return b.Bucket(withCodec(rule, codec))
	}
	return nil
}

func (t *Tx) makeVars(s state.Scope, rule state.Digest) (*bbolt.Bucket, error) {
	b, err := t.makeSub(s, bVars)
	if err != nil {
		return nil, err
	}
	return b.CreateBucketIfNotExists(withCodec(rule, t.core.s.o.Codec))
}

func parseVar(v []byte) state.Var {
	if len(v) < 2 {
		damaged("a sub-monitor of %d bytes", len(v))
	}
	return state.Var{Codec: binary.BigEndian.Uint16(v), State: bytes.Clone(v[2:])}
}

// Var is the sub-monitor of one binding.
func (t *Tx) Var(s state.Scope, rule state.Digest, codec uint16, key string) (state.Var, bool) {
	v := get(t.vars(s, rule, codec), name(key))
	if v == nil {
		return state.Var{}, false
	}
	return parseVar(v), true
}

// Vars yields all of them. Keys too long for the file come as their hash.
func (t *Tx) Vars(s state.Scope, rule state.Digest, codec uint16) iter.Seq2[string, state.Var] {
	return func(yield func(string, state.Var) bool) {
		each(t.vars(s, rule, codec), nil, func(k, v []byte) bool { return yield(string(k), parseVar(v)) })
	}
}

// PutVar keeps one under our codec; nil removes it.
func (t *Tx) PutVar(s state.Scope, rule state.Digest, key string, val []byte) error {
	b, err := t.makeVars(s, rule)
	if err != nil {
		return err
	}
	if val == nil {
		return del(b, name(key), "var-gone")
	}
	v := binary.BigEndian.AppendUint16(nil, t.core.s.o.Codec)
	return put(b, name(key), append(v, val...), "var")
}

// AdoptVars replaces our sub-monitors of a rule by those of another codec.
func (t *Tx) AdoptVars(s state.Scope, rule state.Digest, codec uint16) error {
	own := t.core.s.o.Codec
	from := t.vars(s, rule, codec)
	if codec == own || from == nil {
		return nil
	}
	if in := t.sub(s, bVars); in.Bucket(withCodec(rule, own)) != nil {
		if err := in.DeleteBucket(withCodec(rule, own)); err != nil {
			return err
		}
	}
	to, err := t.makeVars(s, rule)
	if err != nil {
		return err
	}
	to.FillPercent = 1
	each(from, nil, func(k, v []byte) bool {
		err = to.Put(bytes.Clone(k), bytes.Clone(v))
		return err == nil
	})
	return err
}

// CopyFrom gives this session, if it has no calls, the trace of another.
func (t *Tx) CopyFrom(session string) error {
	from := t.in(session)
	if t.Len(state.Session) > 0 || from.Len(state.Session) == 0 || session == t.session {
		return nil
	}
	for _, b := range []string{bList, bCP, bPositions, bVars, bValues} {
		src := from.sub(state.Session, b)
		if src == nil {
			continue
		}
		dst, err := t.makeSub(state.Session, b)
		if err != nil {
			return err
		}
		if err := copyBucket(dst, src); err != nil {
			return err
		}
	}
	return nil
}
