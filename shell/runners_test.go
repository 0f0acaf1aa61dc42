package shell

import "testing"

// The table is looked up by halving.
func TestRunnersSorted(t *testing.T) {
	for i := 1; i < len(runners); i++ {
		if runners[i-1].name >= runners[i].name {
			t.Errorf("%s stands behind %s", runners[i].name, runners[i-1].name)
		}
	}
	for _, r := range runners {
		if findRunner(r.name) == nil {
			t.Errorf("%s is not found", r.name)
		}
	}
}
