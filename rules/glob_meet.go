package rules

// meets says whether some text fits both patterns. * crosses / on both sides.
// It walks pairs of positions, so it costs the product of the lengths.
func (g *glob) meets(h *glob) bool {
	a, b := g.all(), h.all()
	cols := len(b) + 1
	seen := make([]bool, (len(a)+1)*cols)
	todo := []int{0}
	seen[0] = true
	visit := func(i, j int) {
		if at := i*cols + j; !seen[at] {
			seen[at] = true
			todo = append(todo, at)
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		i, j := at/cols, at%cols
		if i == len(a) && j == len(b) {
			return true
		}
		starA, starB := i < len(a) && a[i].kind == '*', j < len(b) && b[j].kind == '*'
		if starA {
			visit(i+1, j)
		}
		if starB {
			visit(i, j+1)
		}
		switch {
		case starA && j < len(b) && !starB:
			visit(i, j+1)
		case starB && i < len(a) && !starA:
			visit(i+1, j)
		case !starA && !starB && i < len(a) && j < len(b) && a[i].common(b[j]):
			visit(i+1, j+1)
		}
	}
	return false
}

// all are the parts of any pattern, literal ones too.
func (g *glob) all() []globPart {
	g.once.Do(g.read)
	if g.parts != nil {
		return g.parts
	}
	return globParts(g.text)
}

// common says whether one character fits both parts; neither is *.
func (p globPart) common(q globPart) bool {
	switch {
	case p.kind == 'c':
		return q.fits(p.char)
	case q.kind == 'c':
		return p.fits(q.char)
	case p.kind == '?':
		return q.kind == '?' || !q.class.empty()
	case q.kind == '?':
		return !p.class.empty()
	default:
		return p.class.meets(q.class)
	}
}

func (k *globClass) empty() bool { return !k.negated && len(k.ranges) == 0 }

// meets tries the ends of all ranges and, for negated classes, a neighbour of
// each: a common character, if there is one, is among them or beyond all.
func (k *globClass) meets(l *globClass) bool {
	for _, c := range []*globClass{k, l} {
		for _, g := range c.ranges {
			for _, r := range [...]rune{g[0], g[1], g[0] - 1, g[1] + 1} {
				if r >= 0 && k.has(r) && l.has(r) {
					return true
				}
			}
		}
	}
	return k.negated && l.negated
}
