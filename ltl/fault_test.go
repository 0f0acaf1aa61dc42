//go:build faults

package ltl

import (
	"testing"

	"github.com/agentltl/agentltl-hook/trace"
)

// TestPlantedFaults: each planted mistake makes the monitor differ from the
// evaluator within 10,000 cases.
//
//	go test -tags faults -run PlantedFaults ./ltl
func TestPlantedFaults(t *testing.T) {
	defer func() { planted = 0 }()
	for n := 1; n < len(faults); n++ {
		planted = n
		at := 0
		for i := 1; i <= 10_000 && at == 0; i++ {
			g := sourceOf(uint64(i), []string{"a", "b", "c"})
			f, calls := g.formula(), g.trace(40)
			if caught(f, calls, g.IntN(len(calls)+1)) {
				at = i
			}
		}
		if at == 0 {
			t.Errorf("fault %d is not caught: %s", n, faults[n])
			continue
		}
		t.Logf("fault %d caught by case %d: %s", n, at, faults[n])
	}
}

// caught says whether the case tells, a panic included.
func caught(f Formula, calls []trace.Call, cut int) (yes bool) {
	defer func() { yes = yes || recover() != nil }()
	return compare(f, calls, cut) != ""
}
