// Command reader holds the shell package and its data, and reads a line if it is
// given one: what they add to the start of a process.
package main

import (
	"os"

	"github.com/agentltl/agentltl-hook/shell"
)

func main() {
	if len(os.Args) > 1 {
		shell.Translate(shell.Request{Command: os.Args[1]})
	}
}
