package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentltl/agentltl-hook/state"
	"github.com/agentltl/agentltl-hook/trace"
)

// set fills every field of a struct with something that is not zero.
func setAll(v reflect.Value, n *int) {
	*n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(start.Add(time.Duration(*n) * time.Minute)))
		return
	case trace.Args:
		v.Set(reflect.ValueOf(trace.Args{"later": json.Number("1"), fmt.Sprint("k", *n): "v"}))
		return
	case []byte:
		v.SetBytes([]byte{byte(*n), 0xff})
		return
	case []trace.Call:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Interface:
		v.Set(reflect.ValueOf("any"))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		setAll(v.Elem(), n)
	case reflect.Struct:
		for _, f := range v.Fields() {
			setAll(f, n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		setAll(v.Index(0), n)
		setAll(v.Index(1), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		e := reflect.New(v.Type().Elem()).Elem()
		if e.Kind() == reflect.Interface {
			e.Set(reflect.ValueOf("any"))
		} else {
			setAll(e, n)
		}
		v.SetMapIndex(reflect.ValueOf("key"), e)
	default:
		panic(v.Type().String())
	}
}

// Every JSON value of the store comes back whole, unknown fields included, and
// its bytes are canonical.
func TestValuesRoundTrip(t *testing.T) {
	for _, v := range []any{
		&state.Memory{}, &state.Latch{}, &state.Warned{}, &state.Pending{}, &state.CallID{},
		&state.Reservation{}, &state.Decision{}, &state.Exception{}, &good{},
	} {
		n := 0
		setAll(reflect.ValueOf(v).Elem(), &n)
		data := trace.AppendStruct(nil, v, nil)
		got := reflect.New(reflect.TypeOf(v).Elem())
		decode(data, got.Interface(), "value")
		if diff := cmp.Diff(v, got.Interface()); diff != "" {
			t.Errorf("%T (-wrote +read):\n%s", v, diff)
		}
		parsed, err := trace.DecodeJSON(data)
		if err != nil {
			t.Fatal(err)
		}
		if canonical := trace.Canonical(parsed); canonical != string(data) {
			t.Errorf("%T is not canonical: %s", v, data)
		}
		zero := reflect.New(reflect.TypeOf(v).Elem())
		decode(trace.AppendStruct(nil, zero.Interface(), nil), zero.Interface(), "value")
		if !zero.Elem().IsZero() {
			t.Errorf("%T: zero comes back as %+v", v, zero.Elem())
		}
	}
}

func TestUnknownFieldsStay(t *testing.T) {
	s := Open(testOptions(t))
	raw := `{"finishes":1,"latch":{"rule":"r","time":"2026-01-01T00:00:00Z","until":"later"},"new":{"a":[1.50]},"resumes":"odd"}`
	update(t, s, func(tx *Tx) error {
		b, err := tx.makeScope(state.Session)
		if err != nil {
			return err
		}
		return b.Put([]byte(kState), []byte(raw))
	})
	update(t, s, func(tx *Tx) error {
		m := tx.Memory(state.Session)
		m.Finishes = 2
		return tx.PutMemory(state.Session, m)
	})
	view(t, s, func(tx *Tx) {
		got := string(tx.scope(state.Session).Get([]byte(kState)))
		want := `{"finishes":2,"last_use":"2026-03-01T12:00:00Z","latch":{"rule":"r","time":"2026-01-01T00:00:00Z","until":"later"},"new":{"a":[1.50]},"resumes":"odd"}`
		if got != want {
			t.Errorf("kept\n%s, want\n%s", got, want)
		}
	})
}

func TestOldCallIDsGo(t *testing.T) {
	o := testOptions(t)
	o.NoSync = true
	s := Open(o)
	id := func(i int) string { return fmt.Sprint("id-", i) }
	const n = maxIDs + 50
	update(t, s, func(tx *Tx) error {
		for i := range n {
			if err := tx.PutCallID(id(i), state.CallID{State: "reserved"}); err != nil {
				return err
			}
			if err := tx.PutCallID(id(i), state.CallID{State: Recorded}); err != nil { // again: no new place
				return err
			}
		}
		return nil
	})
	view(t, s, func(tx *Tx) {
		for _, tt := range []struct {
			i    int
			want bool
		}{{0, false}, {49, false}, {50, true}, {n - 1, true}} {
			c, ok := tx.CallID(id(tt.i))
			if ok != tt.want || ok && (c.State != Recorded || c.Extra != nil) {
				t.Errorf("id %d: %+v, %v", tt.i, c, ok)
			}
		}
	})
}

func TestReservations(t *testing.T) {
	o := testOptions(t)
	a := Open(o)
	o.Session = "s2"
	b := Open(o)
	put := func(s *Session, ticket string) {
		update(t, s, func(tx *Tx) error {
			return tx.PutReservation(state.Reservation{Ticket: ticket, Time: start, Calls: []trace.Call{call("x", 1)}})
		})
	}
	put(a, "t2")
	put(b, "t1")
	put(a, "t1")
	list := func(s *Session, scope state.Scope) (got []string) {
		view(t, s, func(tx *Tx) {
			for _, r := range tx.Reservations(scope) {
				got = append(got, r.Session+" "+r.Ticket)
				if len(r.Calls) != 1 || r.Calls[0].Outcome != nil || r.Calls[0].Tool != "x" || r.Extra != nil {
					t.Errorf("reservation %+v", r)
				}
			}
		})
		return got
	}
	for _, tt := range []struct {
		name string
		got  []string
		want []string
	}{
		{"own", list(a, state.Session), []string{"s1 t2", "s1 t1"}},
		{"other", list(b, state.Session), []string{"s2 t1"}},
		{"project", list(b, state.Project), []string{"s1 t2", "s2 t1", "s1 t1"}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	update(t, b, func(tx *Tx) error { return tx.DropReservation("s1", "t1") })
	update(t, b, func(tx *Tx) error { return tx.DropReservation("s1", "unknown") })
	if diff := cmp.Diff([]string{"s1 t2", "s2 t1"}, list(a, state.Project)); diff != "" {
		t.Errorf("after dropping one: %s", diff)
	}
}

func TestDecisions(t *testing.T) {
	o := testOptions(t)
	o.NoSync = true
	a := Open(o)
	o.Session = "s2"
	b := Open(o)
	update(t, a, func(tx *Tx) error {
		for i := range maxDecisions + 20 {
			id, err := tx.PutDecision(state.Decision{Tool: fmt.Sprint("t", i), Action: "deny"})
			if want := fmt.Sprint(i + 1); id != want {
				t.Fatalf("id %s, want %s", id, want)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	update(t, b, func(tx *Tx) error {
		id, err := tx.PutDecision(state.Decision{Tool: "other"})
		if id != fmt.Sprint(maxDecisions+21) {
			t.Errorf("ids are not unique in the project: %s", id)
		}
		return err
	})
	view(t, b, func(tx *Tx) {
		if _, ok := tx.Decision("20"); ok {
			t.Error("an old one is there")
		}
		if d, ok := tx.Decision("21"); !ok || d.Tool != "t20" || d.Session != "s1" {
			t.Errorf("decision of the other session: %+v %v", d, ok)
		}
		n, first := 0, ""
		for id := range tx.in("s1").Decisions() {
			if n++; n == 1 {
				first = id
			}
		}
		if n != maxDecisions || first != fmt.Sprint(maxDecisions+20) {
			t.Errorf("%d decisions, the newest %s", n, first)
		}
		for _, id := range []string{"", "x", "-1", "0", "99999"} {
			if d, ok := tx.Decision(id); ok {
				t.Errorf("%q is %+v", id, d)
			}
		}
	})
}

func TestExceptionsMetaValuesParents(t *testing.T) {
	s := Open(testOptions(t))
	update(t, s, func(tx *Tx) error {
		for i, scope := range []string{"once", "for"} {
			n, err := tx.PutException(state.Exception{Scope: scope, Until: start})
			if n != i+1 || err != nil {
				return fmt.Errorf("exception %d, %w", n, err)
			}
		}
		_, err := tx.PutException(state.Exception{Number: 1, Scope: "once", Used: 1})
		for _, e := range []error{
			err,
			tx.PutMeta("told", "abc"), tx.PutMeta("gone", "x"), tx.PutMeta("gone", ""),
			tx.PutValue(state.Session, "k", []byte(`1`)), tx.PutValue(state.Project, "k", []byte(`2`)),
			tx.PutValue(state.Project, "gone", []byte(`3`)), tx.PutValue(state.Project, "gone", nil),
			tx.PutParent("child", "s1"),
		} {
			if e != nil {
				return e
			}
		}
		return nil
	})
	view(t, s, func(tx *Tx) {
		list := tx.Exceptions()
		if len(list) != 2 || list[0].Used != 1 || list[1].Scope != "for" || list[1].Number != 2 {
			t.Errorf("exceptions %+v", list)
		}
		if tx.Meta("told") != "abc" || tx.Meta("gone") != "" {
			t.Error("meta")
		}
		one, _ := tx.Value(state.Session, "k")
		two, _ := tx.Value(state.Project, "k")
		if _, ok := tx.Value(state.Project, "gone"); ok || string(one) != "1" || string(two) != "2" {
			t.Errorf("values %s %s %v", one, two, ok)
		}
		if got := tx.Parent("child"); got != "s1" {
			t.Errorf("parent %q", got)
		}
		if got := tx.Parent("s1"); got != "" {
			t.Errorf("parent %q", got)
		}
	})
}

func TestLastGood(t *testing.T) {
	o := testOptions(t)
	for _, put := range []struct{ program, set string }{
		{"v1.2.3", `{"n":1}`}, {"v1.3.0", `{"n":2}`}, {"v1.2.4", `{"n":3}`}, {"v1.4.0", `{"b":1,"a":2}`},
	} {
		o.Program = put.program
		update(t, Open(o), func(tx *Tx) error { return tx.PutLastGood("user", []byte(put.set)) })
	}
	update(t, Open(o), func(tx *Tx) error { return tx.PutLastGood("project", []byte(`[]`)) })
	view(t, Open(o), func(tx *Tx) {
		var got []string
		for _, g := range tx.LastGood("user") {
			got = append(got, string(g))
		}
		if diff := cmp.Diff([]string{`{"a":2,"b":1}`, `{"n":3}`}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOddNames(t *testing.T) {
	long := make([]byte, 40_000)
	for i := range long {
		long[i] = 'x'
	}
	o := testOptions(t)
	for _, id := range []string{string(long), "#sha256:x", "a/b", "a_b", "ü\x00", "\xff"} {
		o.Session = id
		update(t, Open(o), func(tx *Tx) error {
			if err := tx.PutCallID(id, state.CallID{State: "refused"}); err != nil {
				return err
			}
			if err := tx.PutReservation(state.Reservation{Ticket: id}); err != nil {
				return err
			}
			_, err := tx.Append(call("x", 1))
			return err
		})
	}
	view(t, Open(o), func(tx *Tx) {
		if n := len(tx.Sessions()); n != 6 {
			t.Errorf("%d sessions", n)
		}
		for _, i := range tx.Sessions() {
			if i.Calls != 1 {
				t.Errorf("session %.20q has %d calls", i.ID, i.Calls)
			}
			if c, ok := tx.in(i.ID).CallID(i.ID); !ok || c.State != "refused" {
				t.Errorf("session %.20q: %v %v", i.ID, c, ok)
			}
		}
	})
}
