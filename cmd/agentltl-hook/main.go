//go:build !man

// Command agentltl-hook is what a coding agent's harness starts before and
// after every tool call, and the whole command line around it.
package main

import (
	"os"

	_ "github.com/agentltl/agentltl-hook/internal/stack"
)

func main() {
	os.Exit(run(os.Args[1:], newEnv()))
}
