package ltl_test

import (
	"fmt"

	"github.com/agentltl/agentltl-hook/ltl"
	"github.com/agentltl/agentltl-hook/trace"
)

func Example() {
	f, err := ltl.Parse(`G(now("push") -> Y(O(now("test"))))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := ltl.NewMonitor(f)
	for _, tool := range []string{"push", "test", "push"} {
		call := trace.Call{Tool: tool}
		if j := m.Clone().Step(call); j.Refused() { // judged before it runs
			fmt.Printf("%s: refused, %s at %s\n", tool, j.Verdict, j.New[0].Path)
			continue
		}
		j := m.Step(call) // it ran
		fmt.Printf("%s: %s\n", tool, j.Verdict)
	}
	// Output:
	// push: refused, violated at G0/imp(not(-),-)
	// test: pending
	// push: pending
}

func ExampleClassify() {
	f, err := ltl.Parse(`G(now("deploy") -> called("test"))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := ltl.Classify(f)
	fmt.Printf("%v %v\n", c.Class, c.Reach.List())
	// Output:
	// UNSAFE [not met yet pending]
}
