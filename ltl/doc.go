// Package ltl judges traces of tool calls against temporal formulas.
//
// [Parse] reads a formula, or a program builds one from the node types;
// [NewMonitor] makes its five-valued monitor, and [Monitor.Step] takes it over
// one call in time that does not depend on how long the trace is. [Evaluate] is
// the direct reading of the semantics (formulas.md 3), for finished traces,
// explanations and as the oracle of the tests: it shares with the monitor the
// syntax tree and the match of one call, nothing else. [Classify] says whether
// a formula can be enforced at all.
//
// Targets of rules reach formulas as a [Matcher], domains of quantifiers as a
// [Domain]. The package knows nothing of rule files, modes, users, files or
// clocks, and it never reads a store: bindings of quantified rules come through
// [Vars], the trace of rules that need it through [History].
package ltl
