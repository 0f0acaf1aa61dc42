//go:build !faultpoints || !unix

package store

// fault is where a program built with the tag faultpoints ends when
// AGENTLTL_FAULT names the point; here it does nothing.
func fault(string) {}
