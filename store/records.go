package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"slices"
	"strconv"

	"go.etcd.io/bbolt"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// Memory is what the scope remembers beside its calls.
func (t *Tx) Memory(s state.Scope) (m state.Memory) {
	if v := get(t.scope(s), []byte(kState)); v != nil {
		decode(v, &m, "state")
	}
	return m
}

// PutMemory keeps it. The time of last use is this transaction's.
func (t *Tx) PutMemory(s state.Scope, m state.Memory) error {
	b, err := t.makeScope(s)
	if err != nil {
		return err
	}
	if !t.now().IsZero() {
		m.LastUse = t.now()
	}
	return put(b, []byte(kState), trace.AppendStruct(nil, &m, nil), "state")
}

// The bucket of call ids holds i<id> -> {"n": ..., and the id's value} and, for
// finding the oldest, n<8-byte n> -> id.
const (
	idKey    = "i"
	orderKey = "n"
)

func withPrefix(p string, k []byte) []byte { return append([]byte(p), k...) }

// CallID is what became of a native call id in this session.
func (t *Tx) CallID(id string) (c state.CallID, ok bool) {
	v := get(t.sub(state.Session, bIDs), withPrefix(idKey, name(id)))
	if v == nil {
		return c, false
	}
	decode(v, &c, "call id")
	c.Extra = without(c.Extra, "n")
	return c, true
}

// PutCallID keeps it; the oldest id goes once there are too many.
func (t *Tx) PutCallID(id string, c state.CallID) error {
	b, err := t.makeSub(state.Session, bIDs)
	if err != nil {
		return err
	}
	key := withPrefix(idKey, name(id))
	n := 0
	if old := b.Get(key); old != nil {
		n = takeN(decode(old, &state.CallID{}, "call id"))
	} else if n, err = next(b); err != nil {
		return err
	} else if err := t.addID(b, n, id); err != nil {
		return err
	}
	more := map[string]any{"n": json.Number(strconv.Itoa(n))}
	return put(b, key, trace.AppendStruct(nil, &c, more), "id")
}

func (t *Tx) addID(b *bbolt.Bucket, n int, id string) error {
	if err := put(b, withPrefix(orderKey, number(n)), name(id), "id-order"); err != nil {
		return err
	}
	for {
		k, v := b.Cursor().Seek([]byte(orderKey))
		if k == nil || fromNumber(k[len(orderKey):]) > n-maxIDs {
			return nil
		}
		k, v = bytes.Clone(k), bytes.Clone(v)
		if err := del(b, withPrefix(idKey, v), "id-gone"); err != nil {
			return err
		}
		if err := del(b, k, "id-gone"); err != nil {
			return err
		}
	}
}

// Reservations of the scope, oldest first.
func (t *Tx) Reservations(s state.Scope) []state.Reservation {
	type numbered struct {
		n int
		state.Reservation
	}
	var list []numbered
	each(t.sub(s, bRes), nil, func(_, v []byte) bool {
		var r numbered
		m := decode(v, &r.Reservation, "reservation")
		r.n = takeN(m)
		r.Extra = without(r.Extra, "n", "calls")
		calls, _ := m["calls"].([]any)
		for _, e := range calls {
			c, err := trace.EntryOf(e)
			if err != nil {
				damaged("reservation: %v", err)
			}
			c.Outcome = nil
			r.Calls = append(r.Calls, c)
		}
		list = append(list, r)
		return true
	})
	slices.SortFunc(list, func(a, b numbered) int { return cmp.Compare(a.n, b.n) })
	out := make([]state.Reservation, len(list))
	for i := range list {
		out[i] = list[i].Reservation
	}
	return out
}

// PutReservation keeps one in both scopes.
func (t *Tx) PutReservation(r state.Reservation) error {
	if r.Session == "" {
		r.Session = t.session
	}
	all, err := t.makeSub(state.Project, bRes)
	if err != nil {
		return err
	}
	n, err := next(all)
	if err != nil {
		return err
	}
	calls := make([]any, len(r.Calls))
	for i := range r.Calls {
		c := trace.Clip(r.Calls[i])
		if calls[i], err = trace.DecodeJSON(trace.AppendEntry(nil, &c)); err != nil {
			return err
		}
	}
	val := trace.AppendStruct(nil, &r, map[string]any{"n": json.Number(strconv.Itoa(n)), "calls": calls})
	if err := put(all, projectTicket(r.Session, r.Ticket), val, "res"); err != nil {
		return err
	}
	own, err := t.in(r.Session).makeSub(state.Session, bRes)
	if err != nil {
		return err
	}
	return put(own, name(r.Ticket), val, "res")
}

// projectTicket is the key of a reservation among those of all sessions.
func projectTicket(session, ticket string) []byte {
	of := name(session)
	return slices.Concat([]byte{byte(len(of))}, of, name(ticket))
}

// takeN is the order in which a value was put first.
func takeN(m map[string]any) int {
	n, _ := m["n"].(json.Number)
	i, _ := strconv.Atoi(string(n))
	return i
}

// without takes members that are the store's own out of the unknown ones.
func without(extra trace.Args, keys ...string) trace.Args {
	for _, k := range keys {
		delete(extra, k)
	}
	if len(extra) == 0 {
		return nil
	}
	return extra
}

// DropReservation removes one in both scopes; one that is not there is no error.
func (t *Tx) DropReservation(session, ticket string) error {
	of := t.in(session)
	if get(of.sub(state.Session, bRes), name(ticket)) == nil &&
		get(t.sub(state.Project, bRes), projectTicket(session, ticket)) == nil {
		return nil
	}
	all, err := t.makeSub(state.Project, bRes)
	if err != nil {
		return err
	}
	if err := del(all, projectTicket(session, ticket), "res-gone"); err != nil {
		return err
	}
	own, err := of.makeSub(state.Session, bRes)
	if err != nil {
		return err
	}
	return del(own, name(ticket), "res-gone")
}

// mDecision is the id of the project's newest decision.
const mDecision = "decision"

// PutDecision appends to the session's ring; its id is a number.
func (t *Tx) PutDecision(d state.Decision) (string, error) {
	n := t.metaInt(mDecision) + 1
	d.ID = strconv.Itoa(n)
	if d.Session == "" {
		d.Session = t.session
	}
	if err := t.PutMeta(mDecision, d.ID); err != nil {
		return "", err
	}
	b, err := t.makeSub(state.Session, bDecisions)
	if err != nil {
		return "", err
	}
	b.FillPercent = 1
	if err := put(b, number(n), trace.AppendStruct(nil, &d, nil), "decision"); err != nil {
		return "", err
	}
	if _, err := next(b); err != nil {
		return "", err
	}
	return d.ID, trimRing(b)
}

// trimRing drops the oldest decisions; the bucket's sequence counts those ever
// made, so a short ring is not looked at.
func trimRing(b *bbolt.Bucket) error {
	if b.Sequence() <= maxDecisions {
		return nil
	}
	var keys [][]byte
	each(b, nil, func(k, _ []byte) bool {
		keys = append(keys, bytes.Clone(k))
		return true
	})
	for len(keys) > maxDecisions {
		if err := del(b, keys[0], "decision-gone"); err != nil {
			return err
		}
		keys = keys[1:]
	}
	return nil
}

// Decision finds one of any session of the project: this one's first.
func (t *Tx) Decision(id string) (d state.Decision, ok bool) {
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 {
		return d, false
	}
	v := get(t.sub(state.Session, bDecisions), number(n))
	if v == nil {
		t.eachSession(func(_ string, b *bbolt.Bucket) bool {
			v = get(child(b, bDecisions), number(n))
			return v == nil
		})
	}
	if v == nil {
		return d, false
	}
	decode(v, &d, "decision")
	return d, true
}

// Decisions of this session, newest first.
func (t *Tx) Decisions() iter.Seq2[string, state.Decision] {
	return func(yield func(string, state.Decision) bool) {
		b := t.sub(state.Session, bDecisions)
		if b == nil {
			return
		}
		c := b.Cursor()
		for k, v := c.Last(); k != nil; k, v = c.Prev() {
			var d state.Decision
			decode(v, &d, "decision")
			if !yield(strconv.Itoa(fromNumber(k)), d) {
				return
			}
		}
	}
}

// Exceptions made by a person, in the order they were made.
func (t *Tx) Exceptions() (list []state.Exception) {
	each(t.root(bExceptions), nil, func(k, v []byte) bool {
		var e state.Exception
		decode(v, &e, "exception")
		e.Number = fromNumber(k)
		list = append(list, e)
		return true
	})
	return list
}

// PutException keeps one: a new one if it has no number yet.
func (t *Tx) PutException(e state.Exception) (int, error) {
	b, err := t.makeRoot(bExceptions)
	if err != nil {
		return 0, err
	}
	if e.Number == 0 {
		n, err := next(b)
		if err != nil {
			return 0, err
		}
		e.Number = n + 1
	}
	return e.Number, put(b, number(e.Number), trace.AppendStruct(nil, &e, nil), "exception")
}

// eachSession calls fn for every session until it returns false.
func (t *Tx) eachSession(fn func(id string, b *bbolt.Bucket) bool) {
	all := t.root(bSessions)
	if all == nil {
		return
	}
	c := all.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if v != nil {
			continue
		}
		b := all.Bucket(k)
		id := string(k)
		if full := b.Get([]byte(kID)); full != nil {
			id = string(full)
		}
		if !fn(id, b) {
			return
		}
	}
}
