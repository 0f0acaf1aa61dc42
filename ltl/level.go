package ltl

// A level is a verdict of the monitor with its doubt: whether a "maybe" is among
// the atoms that decide it. Doubt only ever comes with False and True, and what
// is doubtful lies between the certain end and the rest: a conjunction with a
// side that fails for certain has no doubt, and so for a disjunction that holds.
// Hence one chain, with minimum, maximum and mirror as for verdicts.
type level uint8

const (
	lowest   level = iota // False
	mayFail               // False, but a maybe could have made it hold
	unmet                 // PresumablyFalse
	open                  // Pending
	soFar                 // PresumablyTrue
	mayHold               // True, but a maybe could have made it fail
	topmost               // True
	noLevel  = 0xff
	levelMax = topmost
)

func (l level) not() level { return levelMax - l }

func (l level) verdict() Verdict {
	switch l {
	case lowest, mayFail:
		return False
	case unmet:
		return PresumablyFalse
	case open:
		return Pending
	case soFar:
		return PresumablyTrue
	default:
		return True
	}
}

func (l level) doubtful() bool { return l == mayFail || l == mayHold }

// plain drops the doubt.
func (l level) plain() level {
	switch l {
	case mayFail:
		return lowest
	case mayHold:
		return topmost
	default:
		return l
	}
}

// levelOf is the level of a verdict without doubt.
func levelOf(v Verdict) level {
	return [...]level{lowest, unmet, open, soFar, topmost}[v]
}

// atomLevel is the level of a local atom.
func atomLevel(hit, uncertain bool) level {
	switch {
	case hit && uncertain:
		return mayHold
	case hit:
		return topmost
	case uncertain:
		return mayFail
	default:
		return lowest
	}
}
