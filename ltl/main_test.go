package ltl

import (
	"flag"
	"os"
	"testing"
)

// TestMain makes properties run 500 cases; -rapid.checks=10000 is the long form
// (docs/testing.md).
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		if err := flag.Set("rapid.checks", "500"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
