package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"iter"
	"slices"
	"sort"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/internal/version"
	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// The bucket of a set holds its parts, a list of its rules and its last use. The
// parts are a cache and go when other sets are used more; the list stays, because
// positions name the set, until pruning finds that none does.
const (
	partKey  = "p"     // + name of the part
	kRuleIDs = "rules" // sorted, scope + digest of each rule
	kUsed    = "used"  // 4-byte day + 8-byte number that rises with each use
)

const refLen = 1 + len(state.Digest{})

func (t *Tx) set(set state.Digest) *bbolt.Bucket {
	if b := t.root(bSets); b != nil {
		return b.Bucket(set[:])
	}
	return nil
}

// SetPart is a part of a compiled set.
func (t *Tx) SetPart(set state.Digest, part string) ([]byte, bool) {
	v := get(t.set(set), withPrefix(partKey, name(part)))
	return bytes.Clone(v), v != nil
}

// HasSet says whether the rules of a set are known.
func (t *Tx) HasSet(set state.Digest) bool { return get(t.set(set), []byte(kRuleIDs)) != nil }

// PutSet keeps a compiled set.
func (t *Tx) PutSet(set state.Digest, parts map[string][]byte, rules []state.RuleRef) error {
	all, err := t.makeRoot(bSets)
	if err != nil {
		return err
	}
	if all.Bucket(set[:]) != nil {
		if err := all.DeleteBucket(set[:]); err != nil {
			return err
		}
	}
	b, err := all.CreateBucket(set[:])
	if err != nil {
		return err
	}
	for part, v := range parts {
		if err := put(b, withPrefix(partKey, name(part)), v, "set-part"); err != nil {
			return err
		}
	}
	if err := put(b, []byte(kRuleIDs), refList(rules), "set-rules"); err != nil {
		return err
	}
	if err := t.useSet(set); err != nil {
		return err
	}
	return t.evictSets(all, set)
}

func refList(rules []state.RuleRef) []byte {
	refs := make([]string, len(rules))
	for i, r := range rules {
		refs[i] = string(refKey(r))
	}
	slices.Sort(refs)
	return []byte(strings.Join(slices.Compact(refs), ""))
}

func refKey(r state.RuleRef) []byte { return append([]byte{byte(r.Scope)}, r.Digest[:]...) }

// setHas looks a rule up in the list of a set, in place.
func (t *Tx) setHas(set state.Digest, r state.RuleRef) bool {
	list, key := get(t.set(set), []byte(kRuleIDs)), refKey(r)
	_, found := sort.Find(len(list)/refLen, func(i int) int {
		return bytes.Compare(key, list[i*refLen:(i+1)*refLen])
	})
	return found
}

// setRules yields the rules of a set. The list is copied: the caller writes.
func (t *Tx) setRules(set state.Digest) iter.Seq[state.RuleRef] {
	list := bytes.Clone(get(t.set(set), []byte(kRuleIDs)))
	return func(yield func(state.RuleRef) bool) {
		for ; len(list) >= refLen; list = list[refLen:] {
			r := state.RuleRef{Scope: state.Scope(list[0])}
			copy(r.Digest[:], list[1:])
			if !yield(r) {
				return
			}
		}
	}
}

// useSet notes the day a set was used, once a day.
func (t *Tx) useSet(set state.Digest) error {
	b := t.set(set)
	if b == nil {
		return nil
	}
	if used := b.Get([]byte(kUsed)); len(used) >= 4 && binary.BigEndian.Uint32(used) == t.today() {
		return nil
	}
	all, err := t.makeRoot(bSets)
	if err != nil {
		return err
	}
	n, err := next(all)
	if err != nil {
		return err
	}
	v := binary.BigEndian.AppendUint32(nil, t.today())
	return put(b, []byte(kUsed), append(v, number(n)...), "set-used")
}

// evictSets drops the parts of the sets used longest ago, never those of keep.
func (t *Tx) evictSets(all *bbolt.Bucket, keep state.Digest) error {
	type used struct {
		set state.Digest
		at  []byte
	}
	var list []used
	c := all.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		b := all.Bucket(k)
		if v != nil || len(k) != len(keep) || b == nil || state.Digest(k) == keep {
			continue
		}
		if p, _ := b.Cursor().Seek([]byte(partKey)); bytes.HasPrefix(p, []byte(partKey)) {
			list = append(list, used{state.Digest(k), bytes.Clone(b.Get([]byte(kUsed)))})
		}
	}
	slices.SortFunc(list, func(a, b used) int { return cmp.Or(bytes.Compare(b.at, a.at), bytes.Compare(a.set[:], b.set[:])) })
	for _, u := range list[min(len(list), maxSets-1):] {
		if err := dropParts(all.Bucket(u.set[:])); err != nil {
			return err
		}
	}
	return nil
}

func dropParts(b *bbolt.Bucket) error {
	var parts [][]byte
	each(b, []byte(partKey), func(k, _ []byte) bool {
		parts = append(parts, bytes.Clone(k))
		return true
	})
	var err error
	for _, k := range parts {
		err = errors.Join(err, b.Delete(k))
	}
	return err
}

// A good is the last resolved set of a layer that loaded, under layer key + 0 +
// major.minor of the program that wrote it.
type good struct {
	Program string     `json:"program"`
	N       int        `json:"n"`
	Time    string     `json:"t"`
	Set     any        `json:"set"`
	Extra   trace.Args `json:"-"`
}

// keptGoods of different programs are kept for each layer.
const keptGoods = 2

// LastGood are the sets kept for a layer, newest first.
func (t *Tx) LastGood(key string) (list [][]byte) {
	for _, g := range t.goods(key) {
		list = append(list, trace.AppendJSON(nil, g.Set))
	}
	return list
}

func (t *Tx) goods(key string) (list []good) {
	each(t.root(bRules), goodKey(key, ""), func(_, v []byte) bool {
		var g good
		decode(v, &g, "last good rules")
		list = append(list, g)
		return true
	})
	slices.SortFunc(list, func(a, b good) int { return cmp.Compare(b.N, a.N) })
	return list
}

func goodKey(key, program string) []byte {
	return append(append(name(key), 0), program...)
}

// PutLastGood keeps one as this program's.
func (t *Tx) PutLastGood(key string, val []byte) error {
	set, err := trace.DecodeJSON(val)
	if err != nil {
		return err
	}
	b, err := t.makeRoot(bRules)
	if err != nil {
		return err
	}
	n, err := next(b)
	if err != nil {
		return err
	}
	g := good{Program: version.Series(t.core.s.o.Program), N: n, Time: trace.FormatTime(t.now()), Set: set}
	if err := put(b, goodKey(key, g.Program), trace.AppendStruct(nil, &g, nil), "last-good"); err != nil {
		return err
	}
	for i, old := range t.goods(key) {
		if i >= keptGoods {
			if err := b.Delete(goodKey(key, old.Program)); err != nil {
				return err
			}
		}
	}
	return nil
}
