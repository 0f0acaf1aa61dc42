package ltl

import "crypto/sha256"

// A keeper holds the states of bindings that differ from "no value met yet":
// those changed here, and behind them, if there is one, a stored Vars that is
// read when a binding is asked for.
type keeper struct {
	own    pmap
	stored Vars
	loaded map[string]*envState // read from stored; shared with clones
}

func hashOf(b *bindings) uint64 {
	h := uint64(len(b.id))
	for i := range len(b.id) {
		h = mix(h ^ uint64(b.id[i])<<(i%8*7))
	}
	return h
}

// varKey is a binding's key in the store: a value can be long.
func varKey(b *bindings) string {
	sum := sha256.Sum256([]byte(b.id))
	return string(sum[:16])
}

// get is the kept state of a binding, nil if there is none.
func (k *keeper) get(m *Monitor, b *bindings) *envState {
	if k.own.size == 0 && k.stored == nil {
		return nil
	}
	if st, ok := k.own.get(hashOf(b), b.id); ok {
		return st
	}
	if k.stored == nil {
		return nil
	}
	if st, ok := k.loaded[b.id]; ok {
		return st
	}
	var st *envState
	if val, ok := k.stored.Var(varKey(b)); ok {
		known, s, err := decodeVar(m, val)
		if err != nil || known.id != b.id {
			m.fail(errCheckpoint)
			return nil
		}
		st = s
	}
	k.loaded[b.id] = st
	return st
}

func (k *keeper) put(b *bindings, st *envState) { k.own = k.own.put(hashOf(b), b, st) }

func (k *keeper) drop(b *bindings) { k.put(b, nil) }

// each visits the bindings of a class.
func (k *keeper) each(m *Monitor, c *class, f func(*bindings)) {
	own := k.own
	own.each(func(b *bindings, st *envState) {
		if b.class == c && st != nil {
			f(b)
		}
	})
	if k.stored == nil {
		return
	}
	err := k.stored.Each(func(_ string, val []byte) error {
		b, st, err := decodeVar(m, val)
		if err != nil {
			return err
		}
		if _, ok := own.get(hashOf(b), b.id); ok || b.class != c {
			return nil
		}
		k.loaded[b.id] = st
		f(b)
		return nil
	})
	if err != nil {
		m.fail(err)
	}
}
