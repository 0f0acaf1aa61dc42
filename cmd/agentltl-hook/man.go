//go:build man

// The same program built with the tag "man" writes its man pages into the
// folder given, one a command:
//
//	go run -tags man ./cmd/agentltl-hook DIR
//
// It is a build of its own so that the shipped program does not link the
// markdown and roff writers.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra/doc"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run -tags man ./cmd/agentltl-hook DIR")
		os.Exit(2)
	}
	if err := writeMan(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

func writeMan(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	epoch := time.Unix(0, 0) // equal sources give equal pages
	root := newRoot(newEnv(), "")
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "agentltl-hook", Date: &epoch}, dir)
}
