//go:build faults

package ltl

// planted is the number of the mistake in force, 0 for none.
var planted int

func fault(n int) bool { return n == planted }

// faults describes the mistakes that can be planted in the monitor. A test holds
// that the properties catch each of them.
var faults = []string{
	1:  "before ignores steps",
	2:  "before takes a call of both tools as its own predecessor",
	3:  "in_order takes equal steps as an order",
	4:  "within_steps ends one call late",
	5:  "an unknown result is one that does not match",
	6:  "O forgets what held before the last call",
	7:  "H holds again after a failure",
	8:  "S ends with the call at which its right side held",
	9:  "count_before counts the call itself",
	10: "Y holds at the first call",
	11: "W is U on a finished trace",
	12: "the key of | is that of its left side alone",
	13: "an old failure is new with every call",
	14: "minimum and maximum swap what their context lets them drop",
	15: "folded truths of a minimum are joined by or",
	16: "G of a formula without position starts at every call",
	17: "a new value starts without the history of no value",
	18: "a binding misses the first call after it was written",
	19: "an instance's last verdict is not saved",
	20: "instances of different bindings are one",
	21: "a doubt goes through U",
	22: "what a new value takes over stays bound to no value",
	23: "a doubtful failure of S is certain once a certain call came",
	24: "count_before of a binding is kept as a number, not as a difference",
}
