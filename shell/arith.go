package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// arith evaluates an arithmetic expression, what it assigns included; false
// when the value is not known. Substitutions in it run before anything is
// computed, so each of them is walked.
func (w *walker) arith(st *state, c ctx, x syntax.ArithmExpr) (int64, bool) {
	if x == nil || !w.spend(1) {
		return 0, false
	}
	if w.inArith > maxArith {
		w.noteLimit("an arithmetic expression is nested too deep", w.req.Command)
		w.full = true
		return 0, false
	}
	w.inArith++
	defer func() { w.inArith-- }()
	switch x := x.(type) {
	case *syntax.Word:
		return w.arithWord(st, c, x)
	case *syntax.ParenArithm:
		return w.arith(st, c, x.X)
	case *syntax.UnaryArithm:
		return w.arithUnary(st, c, x)
	case *syntax.BinaryArithm:
		return w.arithBinary(st, c, x)
	}
	w.innerParts(st, c, x, true)
	return 0, false
}

func (w *walker) arithWord(st *state, c ctx, x *syntax.Word) (int64, bool) {
	if lit := x.Lit(); lit != "" {
		return w.arithText(st, lit)
	}
	if len(x.Parts) == 1 {
		if pe, ok := x.Parts[0].(*syntax.ParamExp); ok && pe.Param != nil {
			// a[i] without a dollar, and names in ${}.
			v, _ := w.paramValue(st, c, pe)
			if pe.Exp == nil && pe.Repl == nil && pe.Slice == nil && !pe.Length && !pe.Excl {
				if v.kind == unset {
					return 0, true
				}
				if v.kind != text {
					return 0, false
				}
				return w.arithText(st, v.text)
			}
		}
	}
	u := w.single(st, c, x)
	if !u.known {
		return 0, false
	}
	return w.arithText(st, u.text)
}

// arithText is a number, or the number a variable holds.
func (w *walker) arithText(st *state, s string) (int64, bool) {
	for range 4 {
		s = strings.TrimSpace(s)
		if s == "" {
			return 0, true
		}
		if n, ok := arithNumber(s); ok {
			return n, true
		}
		if !isName(s) {
			if expandsAgain(s) {
				w.note("dynamic-script", s, 0) // an index in a value is expanded again
			}
			return 0, false
		}
		v := w.lookup(st, s)
		switch v.kind {
		case unset:
			return 0, true
		case text:
			s = v.text
		default:
			return 0, false
		}
	}
	return 0, false
}

// arithNumber reads 12, 0x1f, 017, 2#101.
func arithNumber(s string) (int64, bool) {
	if base, digits, ok := strings.Cut(s, "#"); ok {
		b, err := strconv.Atoi(base)
		if err != nil || b < 2 || b > 36 {
			return 0, false
		}
		n, err := strconv.ParseInt(digits, b, 64)
		return n, err == nil
	}
	neg := strings.HasPrefix(s, "-")
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' || strings.Contains(digits, "_") {
		return 0, false
	}
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x"), strings.HasPrefix(digits, "0X"):
		base, digits = 16, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base = 8
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if neg {
		n = -n
	}
	return n, err == nil
}

func (w *walker) arithUnary(st *state, c ctx, x *syntax.UnaryArithm) (int64, bool) {
	n, ok := w.arith(st, c, x.X)
	switch x.Op {
	case syntax.Inc, syntax.Dec:
		m := n + 1
		if x.Op == syntax.Dec {
			m = n - 1
		}
		w.arithSet(st, x.X, m, ok)
		if x.Post {
			return n, ok
		}
		return m, ok
	case syntax.Not:
		return truth(n == 0), ok
	case syntax.BitNegation:
		return ^n, ok
	case syntax.Minus:
		return -n, ok
	}
	return n, ok
}

// arithTarget walks what the subscript of an assigned element runs.
func (w *walker) arithTarget(st *state, c ctx, x syntax.ArithmExpr) {
	if wd, ok := x.(*syntax.Word); !ok || wd.Lit() == "" {
		w.arith(st, c, x)
	}
}

// arithSet assigns to what an expression names.
func (w *walker) arithSet(st *state, x syntax.ArithmExpr, n int64, ok bool) {
	wd, isWord := x.(*syntax.Word)
	if !isWord {
		return
	}
	name := wd.Lit()
	if name == "" && len(wd.Parts) == 1 {
		// An element of an array: the whole array is lost.
		if pe, isParam := wd.Parts[0].(*syntax.ParamExp); isParam && pe.Param != nil {
			name, ok = pe.Param.Value, false
		}
	}
	if !isName(name) {
		return
	}
	if ok {
		w.set(st, name, softText(itoa(n)))
	} else {
		w.set(st, name, value{})
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (w *walker) arithBinary(st *state, c ctx, x *syntax.BinaryArithm) (int64, bool) {
	switch x.Op {
	case syntax.AndArit, syntax.OrArit:
		a, ok := w.arith(st, c, x.X)
		return w.arithLogic(st, c, x, a, ok)
	case syntax.TernQuest:
		return w.arithChoice(st, c, x)
	case syntax.Comma:
		w.arith(st, c, x.X)
		return w.arith(st, c, x.Y)
	case syntax.AndBoolAssgn, syntax.OrBoolAssgn, syntax.XorBoolAssgn, syntax.PowAssgn:
		w.arithTarget(st, c, x.X)
		w.arith(st, c, x.Y)
		w.arithSet(st, x.X, 0, false)
		return 0, false
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
		syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		a, okA := int64(0), true
		if x.Op == syntax.Assgn {
			w.arithTarget(st, c, x.X)
		} else {
			a, okA = w.arith(st, c, x.X)
		}
		b, okB := w.arith(st, c, x.Y)
		n, ok := apply(assigning(x.Op), a, b)
		ok = ok && okA && okB
		w.arithSet(st, x.X, n, ok)
		return n, ok
	}
	a, okA := w.arith(st, c, x.X)
	b, okB := w.arith(st, c, x.Y)
	if !okA || !okB {
		return 0, false
	}
	return apply(x.Op, a, b)
}

// arithLogic is && and ||: the right side's assignments may not happen.
func (w *walker) arithLogic(st *state, c ctx, x *syntax.BinaryArithm, a int64, ok bool) (int64, bool) {
	and := x.Op == syntax.AndArit
	if ok && (a != 0) == and {
		b, ok := w.arith(st, c, x.Y)
		return truth(b != 0), ok
	}
	other := st.clone()
	b, okB := w.arith(other, c, x.Y)
	if ok {
		return truth(!and), true
	}
	*st = *w.join(st, other)
	if okB && (b != 0) != and {
		return truth(!and), true
	}
	return 0, false
}

func (w *walker) arithChoice(st *state, c ctx, x *syntax.BinaryArithm) (int64, bool) {
	a, ok := w.arith(st, c, x.X)
	colon, isColon := x.Y.(*syntax.BinaryArithm)
	if !isColon {
		return 0, false
	}
	yes, no := st.clone(), st.clone()
	m, okM := w.arith(yes, c, colon.X)
	n, okN := w.arith(no, c, colon.Y)
	switch {
	case ok && a != 0:
		*st = *yes
		return m, okM
	case ok:
		*st = *no
		return n, okN
	}
	*st = *w.join(yes, no)
	return m, okM && okN && m == n
}

// assigning is the operator inside an assigning one.
func assigning(op syntax.BinAritOperator) syntax.BinAritOperator {
	switch op {
	case syntax.AddAssgn:
		return syntax.Add
	case syntax.SubAssgn:
		return syntax.Sub
	case syntax.MulAssgn:
		return syntax.Mul
	case syntax.QuoAssgn:
		return syntax.Quo
	case syntax.RemAssgn:
		return syntax.Rem
	case syntax.AndAssgn:
		return syntax.And
	case syntax.OrAssgn:
		return syntax.Or
	case syntax.XorAssgn:
		return syntax.Xor
	case syntax.ShlAssgn:
		return syntax.Shl
	case syntax.ShrAssgn:
		return syntax.Shr
	}
	return syntax.Assgn
}

func apply(op syntax.BinAritOperator, a, b int64) (int64, bool) {
	switch op {
	case syntax.Assgn:
		return b, true
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo:
		if b == 0 || b == -1 {
			return -a, b == -1
		}
		return a / b, true
	case syntax.Rem:
		if b == 0 || b == -1 {
			return 0, b == -1
		}
		return a % b, true
	case syntax.Pow:
		return power(a, b)
	case syntax.Eql:
		return truth(a == b), true
	case syntax.Neq:
		return truth(a != b), true
	case syntax.Lss:
		return truth(a < b), true
	case syntax.Leq:
		return truth(a <= b), true
	case syntax.Gtr:
		return truth(a > b), true
	case syntax.Geq:
		return truth(a >= b), true
	case syntax.And:
		return a & b, true
	case syntax.Or:
		return a | b, true
	case syntax.Xor:
		return a ^ b, true
	case syntax.Shl:
		return a << uint64(b&63), true
	case syntax.Shr:
		return a >> uint64(b&63), true
	}
	return 0, false
}

func power(a, b int64) (int64, bool) {
	if b < 0 {
		return 0, false
	}
	n := int64(1)
	for ; b > 0; b >>= 1 {
		if b&1 == 1 {
			n *= a
		}
		a *= a
	}
	return n, true
}
