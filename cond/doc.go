// Package cond compiles and evaluates the conditions of rule files: a
// restricted form of expr-lang/expr with our names and no way out (no clock,
// environment, files or encoding). See contracts.md 2.
package cond

// An Expr is a compiled condition.
type Expr struct{}
