package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// A Hold is a rule that keeps raw calls from going: it was used in the last
// usedDays days and has not consumed them.
type Hold struct {
	Session string // "": the project's trace
	Rule    state.Digest
	Codec   uint16
	Calls   int       // its position
	Used    time.Time // day of the last use
}

// A plan says where the traces begin after pruning.
type plan struct {
	number   int            // of the first call that the file keeps
	sessions map[string]int // key of a session's bucket -> first position its list keeps
	report   PruneReport
	entries  int // calls and list entries in the file
	gone     int // those of them that go
}

func (p *plan) empty() bool { return p.gone == 0 }

func (p *plan) share() float64 { return float64(p.gone) / float64(max(p.entries, 1)) }

// keeps says what of a file stays, for a rewrite.
func (p *plan) keeps(path [][]byte, k, _ []byte) bool {
	switch {
	case len(path) == 1 && string(path[0]) == bCalls:
		return fromNumber(k) >= p.number
	case len(path) == 3 && string(path[0]) == bSessions && string(path[2]) == bList:
		return fromNumber(k) >= p.sessions[string(path[1])]
	default:
		return true
	}
}

// plan works out what pruning may remove, at most so many calls of a trace (0:
// no bound). A call of the project goes only when no session needs it either.
func (t *Tx) plan(o PruneOptions, most int) plan {
	p := plan{sessions: map[string]int{}, report: PruneReport{Sessions: map[string]int{}}}
	calls := t.root(bCalls)
	if calls == nil {
		return p
	}
	first := firstKey(calls)
	p.number = first
	if o.Project {
		want := t.target(state.Project, o.Keep.Project, o.Before)
		want, p.report.Holds = t.held(state.Project, want)
		if want > t.First(state.Project) { // else calls before base, which sessions have, would go
			p.number = t.metaInt(mBase) + want
		}
		if most > 0 {
			p.number = min(p.number, first+most)
		}
		t.eachSession(func(id string, _ *bbolt.Bucket) bool {
			n, holds := t.in(id).heldNumber(p.number)
			p.number = max(first, n)
			p.report.Holds = append(p.report.Holds, holds...)
			return p.number > first
		})
	}
	p.report.Project = p.number - first
	p.entries, p.gone = int(calls.Sequence())-first, p.report.Project
	t.eachSession(func(id string, b *bbolt.Bucket) bool {
		t.in(id).planSession(o, most, &p, name(id))
		return true
	})
	return p
}

// planSession adds what goes from this session's list.
func (t *Tx) planSession(o PruneOptions, most int, p *plan, bucket []byte) {
	list := t.sub(state.Session, bList)
	if list == nil {
		return
	}
	first := firstKey(list)
	cut := positionOf(list, p.number)
	if o.Sessions && (o.Session == "" || o.Session == t.session) {
		want := t.target(state.Session, o.Keep.Session, o.Before)
		if most > 0 {
			want = min(want, first+most)
		}
		want, holds := t.held(state.Session, want)
		p.report.Holds = append(p.report.Holds, holds...)
		cut = max(cut, want)
	}
	p.entries += int(list.Sequence()) - first
	if cut > first {
		p.sessions[string(bucket)] = cut
		p.report.Sessions[t.session] = cut - first
		p.gone += cut - first
	}
}

// firstKey is the smallest number of a list, or the one its next entry gets.
func firstKey(b *bbolt.Bucket) int {
	if k, _ := b.Cursor().First(); k != nil {
		return fromNumber(k)
	}
	return int(b.Sequence())
}

// positionOf is the first position of a session's list with a call from the
// number on: numbers rise along the list.
func positionOf(list *bbolt.Bucket, from int) int {
	low, high := firstKey(list), int(list.Sequence())
	for low < high {
		mid := low + (high-low)/2
		if v := list.Get(number(mid)); v != nil && fromNumber(v) >= from {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// target is the first position to keep, as far as the options go.
func (t *Tx) target(s state.Scope, keep int, before time.Time) int {
	first, length := t.First(s), t.Len(s)
	want := first
	if keep >= 0 {
		want = max(want, length-keep)
	}
	if before.IsZero() {
		return want
	}
	low, high := first, length // times never go back along a trace
	for low < high {
		mid := low + (high-low)/2
		if t.at(s, mid).Time.Before(before) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return max(want, low)
}

// at is the call at a position that is there.
func (t *Tx) at(s state.Scope, i int) (c trace.Call) {
	for _, c = range t.Calls(s, i, nil) {
		break
	}
	return c
}

// heldNumber is held for numbers of calls in place of positions of a session.
func (t *Tx) heldNumber(want int) (int, []Hold) {
	list := t.sub(state.Session, bList)
	if list == nil {
		return want, nil
	}
	upto := positionOf(list, want)
	may, holds := t.held(state.Session, upto)
	if may >= upto {
		return want, nil
	}
	return min(want, fromNumber(list.Get(number(may)))), holds
}

// held is the largest position up to which calls of the scope may go, at most
// want, and the rules that keep it from being want.
func (t *Tx) held(s state.Scope, want int) (may int, holds []Hold) {
	may = want
	first := t.First(s)
	if want <= first {
		return may, nil
	}
	for _, st := range t.standings(s, want) {
		if st.calls >= want || int64(t.today())-int64(st.day) > usedDays {
			continue
		}
		may = min(may, max(st.calls, first))
		h := Hold{Rule: st.rule, Codec: st.codec, Calls: st.calls, Used: time.Unix(int64(st.day)*86_400, 0).UTC()}
		if s == state.Session {
			h.Session = t.session
		}
		holds = append(holds, h)
	}
	return may, holds
}

// A standing is where a rule stands under a codec, and its last use.
type standing struct {
	rule  state.Digest
	codec uint16
	calls int
	day   uint32
}

// standings are those of all rules of a scope that have a checkpoint, or whose
// set has a position; none at all when everything in it stands at want at least.
func (t *Tx) standings(s state.Scope, want int) []standing {
	type key struct {
		rule  state.Digest
		codec uint16
	}
	behind := false
	all := map[key]standing{}
	note := func(rule state.Digest, codec uint16, calls int, day uint32) {
		k := key{rule, codec}
		st := all[k]
		all[k] = standing{rule, codec, max(st.calls, calls), max(st.day, day)}
		behind = behind || calls < want
	}
	each(t.sub(s, bCP), nil, func(k, v []byte) bool {
		rule, codec, ok := splitCodec(k)
		if c, read := parseCheckpoint(v); ok && read {
			note(rule, codec, c.calls, c.day)
		}
		return true
	})
	sets := t.positions(s)
	for _, p := range sets {
		behind = behind || p.calls < want
	}
	if !behind {
		return nil
	}
	for _, p := range sets {
		for r := range t.setRules(p.set) {
			if r.Scope == s {
				note(r.Digest, p.codec, p.calls, p.day)
			}
		}
	}
	list := make([]standing, 0, len(all))
	for _, st := range all {
		list = append(list, st)
	}
	slices.SortFunc(list, func(a, b standing) int {
		return cmp.Or(bytes.Compare(a.rule[:], b.rule[:]), cmp.Compare(a.codec, b.codec))
	})
	return list
}

// forgetOld drops what a month of no use makes worthless: checkpoints and
// positions of older codecs, and the rule lists of sets that no position names
// and that are no longer cached.
func (t *Tx) forgetOld() error {
	named := map[state.Digest]bool{}
	forget := func(t *Tx, s state.Scope) error {
		for _, p := range t.positions(s) {
			if !t.outlived(p.codec, p.day) {
				named[p.set] = true
				continue
			}
			if err := t.sub(s, bPositions).Delete(withCodec(p.set, p.codec)); err != nil {
				return err
			}
			t.core.dirty = true
		}
		return t.forgetCheckpoints(s)
	}
	err := forget(t, state.Project)
	var sessions []string
	t.eachSession(func(id string, _ *bbolt.Bucket) bool {
		sessions = append(sessions, id)
		return true
	})
	for _, id := range sessions {
		if err == nil {
			err = forget(t.in(id), state.Session)
		}
	}
	if err != nil {
		return err
	}
	return t.forgetSets(named)
}

func (t *Tx) outlived(codec uint16, day uint32) bool {
	return codec < t.core.s.o.Codec && int64(t.today())-int64(day) > usedDays
}

func (t *Tx) forgetCheckpoints(s state.Scope) error {
	b := t.sub(s, bCP)
	var gone [][]byte
	each(b, nil, func(k, v []byte) bool {
		if _, codec, ok := splitCodec(k); ok && len(v) >= checkpointHead &&
			t.outlived(codec, binary.BigEndian.Uint32(v[8:])) {
			gone = append(gone, bytes.Clone(k))
		}
		return true
	})
	for _, k := range gone {
		t.core.dirty = true
		if err := b.Delete(k); err != nil {
			return err
		}
		if vars := t.sub(s, bVars); vars != nil && vars.Bucket(k) != nil {
			if err := vars.DeleteBucket(k); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Tx) forgetSets(named map[state.Digest]bool) error {
	all := t.root(bSets)
	if all == nil {
		return nil
	}
	var gone []state.Digest
	c := all.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if v != nil || len(k) != len(state.Digest{}) || named[state.Digest(k)] {
			continue
		}
		if p, _ := all.Bucket(k).Cursor().Seek([]byte(partKey)); !bytes.HasPrefix(p, []byte(partKey)) {
			gone = append(gone, state.Digest(k))
		}
	}
	for _, set := range gone {
		t.core.dirty = true
		if err := all.DeleteBucket(set[:]); err != nil {
			return err
		}
	}
	return nil
}
