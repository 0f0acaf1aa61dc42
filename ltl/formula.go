package ltl

// A Formula is a node of the syntax tree. Its String is the canonical text,
// which rule digests are taken over. The node types are the structs of this
// file; their values are never changed after they were built.
//
//sumtype:decl
type Formula interface {
	String() string
	isFormula()
}

// A Tool is what an atom calls by name: a tool's canonical name, or a target
// that a rule file gave a name.
type Tool struct {
	Name   string
	Target Matcher // not nil: the target in place of the name
	Maybe  bool    // a call that only may match, or only may have run, counts as a match
}

// Named is the tool of that name.
func Named(name string) Tool { return Tool{Name: name} }

// An Arg asks a call to have Value at key Name.
type Arg struct {
	Name  string
	Value Value
}

// A Value is a JSON value, or a variable of an enclosing quantifier.
type Value struct {
	JSON any
	Var  string // not "": the variable, and JSON is not used
}

// A Cmp is a comparison with a count.
type Cmp uint8

// The comparisons.
const (
	LE Cmp = iota
	GE
	EQ
	LT
	GT
)

func (c Cmp) String() string { return [...]string{"<=", ">=", "==", "<", ">"}[c] }

// holds says whether n ⋈ k.
func (c Cmp) holds(n, k int) bool {
	switch c {
	case LE:
		return n <= k
	case GE:
		return n >= k
	case EQ:
		return n == k
	case LT:
		return n < k
	default:
		return n > k
	}
}

// Result is what a local atom asks of a call's exit status.
type Result uint8

// What can be asked.
const (
	AnyResult Result = iota
	Ok               // status 0
	Failed           // a status other than 0
)

// Whole-trace atoms: the same value at every position (formulas.md 3.1).
type (
	// Called holds once the tool was called.
	Called struct{ Tool Tool }
	// CalledWith holds once the tool was called with these arguments.
	CalledWith struct {
		Tool Tool
		Args []Arg
	}
	// CalledWithResult holds once such a call is known to have returned Result.
	CalledWithResult struct {
		Tool   Tool
		Args   []Arg
		Result Value
	}
	// CalledNTimes compares the number of calls of the tool.
	CalledNTimes struct {
		Tool Tool
		Cmp  Cmp
		N    int
	}
	// Before holds when the first B comes after an A.
	Before struct{ A, B Tool }
	// After holds when the first A comes after a B.
	After struct{ A, B Tool }
	// AllBefore holds when all of Tools came before the first Target.
	AllBefore struct {
		Tools  []Tool
		Target Tool
	}
	// BranchCalled holds when Correct was called and, if there is one, Wrong never is.
	BranchCalled struct {
		Correct Tool
		Wrong   *Tool
	}
	// InstanceBefore holds when the I-th A comes before the J-th B, counted from 1.
	InstanceBefore struct {
		A Tool
		I int
		B Tool
		J int
	}
	// CalledInOrder holds when the tools were called in this order, others between them.
	CalledInOrder struct{ Tools []Tool }
	// WithinSteps holds when a B came at distance 0 to N of the first A.
	WithinSteps struct {
		A, B Tool
		N    int
	}
)

// Local atoms: about the call at the position (formulas.md 3.2).
type (
	// Now holds when the call is one of Tool.
	Now struct{ Tool Tool }
	// NowWith holds when the call is one of Tools, has Args and ended with Result.
	NowWith struct {
		Tools  []Tool
		List   bool // written as a list
		Args   []Arg
		Result Result
	}
	// Match holds when the call matches a rule target. With Maybe, a call that only may
	// match counts as a match.
	Match struct {
		M     Matcher
		Maybe bool
	}
	// Const is true or false.
	Const struct{ Value bool }
)

// Connectives.
type (
	// Not is !.
	Not struct{ Operand Formula }
	// And is &.
	And struct{ Left, Right Formula }
	// Or is |.
	Or struct{ Left, Right Formula }
	// Implies is ->.
	Implies struct{ Left, Right Formula }
)

// Future operators (formulas.md 3.3).
type (
	// Globally is G.
	Globally struct{ Operand Formula }
	// Eventually is F.
	Eventually struct{ Operand Formula }
	// Next is X.
	Next struct{ Operand Formula }
	// Until is U.
	Until struct{ Left, Right Formula }
	// WeakUntil is W, which differs from U on a finished trace alone.
	WeakUntil struct{ Left, Right Formula }
	// Release is R, the mirror of U.
	Release struct{ Left, Right Formula }
	// AtPosition is the operand's value at call number Index, from 0.
	AtPosition struct {
		Index   int
		Operand Formula
	}
)

// Past operators (formulas.md 3.3).
type (
	// Previous is Y.
	Previous struct{ Operand Formula }
	// Once is O.
	Once struct{ Operand Formula }
	// Historically is H.
	Historically struct{ Operand Formula }
	// Since is S.
	Since struct{ Left, Right Formula }
	// CountBefore compares the number of earlier calls at which Operand held.
	CountBefore struct {
		Operand Formula
		Cmp     Cmp
		N       int
	}
)

// Quantifiers. A domain of type [Seen] ranges over the calls so far, any other
// over the values of the call at the position.
type (
	// Forall holds when Body does for every value of Dom.
	Forall struct {
		Var  string
		Dom  Domain
		Body Formula
	}
	// Exists holds when Body does for some value of Dom.
	Exists struct {
		Var  string
		Dom  Domain
		Body Formula
	}
)

func (Called) isFormula()           {}
func (CalledWith) isFormula()       {}
func (CalledWithResult) isFormula() {}
func (CalledNTimes) isFormula()     {}
func (Before) isFormula()           {}
func (After) isFormula()            {}
func (AllBefore) isFormula()        {}
func (BranchCalled) isFormula()     {}
func (InstanceBefore) isFormula()   {}
func (CalledInOrder) isFormula()    {}
func (WithinSteps) isFormula()      {}
func (Now) isFormula()              {}
func (NowWith) isFormula()          {}
func (Match) isFormula()            {}
func (Const) isFormula()            {}
func (Not) isFormula()              {}
func (And) isFormula()              {}
func (Or) isFormula()               {}
func (Implies) isFormula()          {}
func (Globally) isFormula()         {}
func (Eventually) isFormula()       {}
func (Next) isFormula()             {}
func (Until) isFormula()            {}
func (WeakUntil) isFormula()        {}
func (Release) isFormula()          {}
func (AtPosition) isFormula()       {}
func (Previous) isFormula()         {}
func (Once) isFormula()             {}
func (Historically) isFormula()     {}
func (Since) isFormula()            {}
func (CountBefore) isFormula()      {}
func (Forall) isFormula()           {}
func (Exists) isFormula()           {}
