package ltl

import "slices"

// children are the operands of a node, left to right.
func children(f Formula) []Formula {
	switch f := f.(type) {
	case Not:
		return []Formula{f.Operand}
	case Globally:
		return []Formula{f.Operand}
	case Eventually:
		return []Formula{f.Operand}
	case Next:
		return []Formula{f.Operand}
	case AtPosition:
		return []Formula{f.Operand}
	case Previous:
		return []Formula{f.Operand}
	case Once:
		return []Formula{f.Operand}
	case Historically:
		return []Formula{f.Operand}
	case CountBefore:
		return []Formula{f.Operand}
	case And:
		return []Formula{f.Left, f.Right}
	case Or:
		return []Formula{f.Left, f.Right}
	case Implies:
		return []Formula{f.Left, f.Right}
	case Until:
		return []Formula{f.Left, f.Right}
	case WeakUntil:
		return []Formula{f.Left, f.Right}
	case Release:
		return []Formula{f.Left, f.Right}
	case Since:
		return []Formula{f.Left, f.Right}
	case Forall:
		return []Formula{f.Body}
	case Exists:
		return []Formula{f.Body}
	default:
		return nil
	}
}

// walk visits f and all below it, before its operands, until visit says no.
func walk(f Formula, visit func(Formula) bool) bool {
	if !visit(f) {
		return false
	}
	for _, k := range children(f) {
		if !walk(k, visit) {
			return false
		}
	}
	return true
}

// isSettled says whether the value of f at a position never changes once the
// call there is known (formulas.md 8.6): local atoms, constants, connectives,
// past operators and quantifiers over the call's own values.
func isSettled(f Formula) bool {
	return walk(f, func(g Formula) bool {
		switch g := g.(type) {
		case Now, NowWith, Match, Const, Not, And, Or, Implies, Previous, Once, Historically, Since, CountBefore:
			return true
		case Forall:
			return !isSeen(g.Dom)
		case Exists:
			return !isSeen(g.Dom)
		default:
			return false
		}
	})
}

func isSeen(d Domain) bool {
	_, ok := d.(Seen)
	return ok
}

// isLocal says whether the value of f depends on the position it is asked at
// (formulas.md 4, the opposite of position-independent).
func isLocal(f Formula) bool {
	switch f := f.(type) {
	case Now, NowWith, Match, Next, Previous, CountBefore:
		return true
	case AtPosition:
		return false
	case Forall:
		return !isSeen(f.Dom) || isLocal(f.Body)
	case Exists:
		return !isSeen(f.Dom) || isLocal(f.Body)
	default:
	}
	return slices.ContainsFunc(children(f), isLocal)
}

// freeVars lists the variables of f that none of its quantifiers binds, in
// order of first sight.
func freeVars(f Formula) []string {
	var out []string
	add := func(names ...string) {
		for _, n := range names {
			if n != "" && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	for _, t := range toolsOf(f) {
		if t.Target != nil {
			add(t.Target.Vars()...)
		}
	}
	for _, a := range argsOf(f) {
		add(a.Value.Var)
	}
	switch f := f.(type) {
	case CalledWithResult:
		add(f.Result.Var)
	case Forall:
		add(without(freeVars(f.Body), f.Var)...)
	case Exists:
		add(without(freeVars(f.Body), f.Var)...)
	default:
		for _, k := range children(f) {
			add(freeVars(k)...)
		}
	}
	return out
}

func without(names []string, name string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return n == name })
}

// isWholeTrace says whether f is an atom of formulas.md 3.1, or its negation.
func isWholeTrace(f Formula) bool {
	switch f := f.(type) {
	case Called, CalledWith, CalledWithResult, CalledNTimes, Before, After, AllBefore, BranchCalled, InstanceBefore,
		CalledInOrder, WithinSteps:
		return true
	case Not:
		return isWholeTrace(f.Operand)
	default:
		return false
	}
}

// toolsOf are the tools that an atom names, in its order.
func toolsOf(f Formula) []Tool {
	switch f := f.(type) {
	case Called:
		return []Tool{f.Tool}
	case CalledWith:
		return []Tool{f.Tool}
	case CalledWithResult:
		return []Tool{f.Tool}
	case CalledNTimes:
		return []Tool{f.Tool}
	case Before:
		return []Tool{f.A, f.B}
	case After:
		return []Tool{f.A, f.B}
	case AllBefore:
		return append(slices.Clone(f.Tools), f.Target)
	case BranchCalled:
		if f.Wrong != nil {
			return []Tool{f.Correct, *f.Wrong}
		}
		return []Tool{f.Correct}
	case InstanceBefore:
		return []Tool{f.A, f.B}
	case CalledInOrder:
		return f.Tools
	case WithinSteps:
		return []Tool{f.A, f.B}
	case Now:
		return []Tool{f.Tool}
	case NowWith:
		return f.Tools
	case Match:
		return []Tool{{Target: f.M, Maybe: f.Maybe}}
	default:
		return nil
	}
}

// argsOf are the arguments that an atom asks for.
func argsOf(f Formula) []Arg {
	switch f := f.(type) {
	case CalledWith:
		return f.Args
	case CalledWithResult:
		return f.Args
	case NowWith:
		return f.Args
	default:
		return nil
	}
}
