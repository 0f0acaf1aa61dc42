//go:build !faults

package ltl

// fault marks the places where the tests of build tag faults plant a mistake.
func fault(int) bool { return false }
