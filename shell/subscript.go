package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// expandsAgain says whether a text that bash takes for a variable or a number
// holds a substitution, which it then carries out: a[$(b)], quoted or in a value.
func expandsAgain(s string) bool {
	return strings.Contains(s, "$(") || strings.Contains(s, "`")
}

// subscripts reports words that name variables and whose subscripts run something.
func (w *walker) subscripts(words []word) {
	for _, u := range words {
		name, index, ok := strings.Cut(u.text, "[")
		if u.known && ok && isName(name) && expandsAgain(index) {
			w.note("dynamic-script", u.text, u.pos)
		}
	}
}

// testedNumber reports an operand of [[ a -eq b ]] or [[ -v a ]] that bash
// evaluates as arithmetic, or as a name.
func (w *walker) testedNumber(st *state, u word) {
	if u.known {
		w.arithText(st, u.text)
		w.subscripts([]word{u})
	}
}

func isNumberTest(op syntax.BinTestOperator) bool {
	switch op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		return true
	}
	return false
}

// promptText reports ${a@P} of a value that runs something, or may.
func (w *walker) promptText(c ctx, pe *syntax.ParamExp, v value) {
	if pe.Exp == nil || pe.Exp.Op != syntax.OtherParamOps || pe.Exp.Word == nil || pe.Exp.Word.Lit() != "P" {
		return
	}
	if opts, ok := v.options(); ok && !expandsAgain(strings.Join(opts, " ")) || v.kind == unset {
		return
	}
	w.note("dynamic-script", c.src.slice(pe.Pos(), pe.End()), w.pos(c, pe))
}
