package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/internal/version"
)

type versionInfo struct {
	Version int    `json:"version"`
	Program string `json:"program"`
	Go      string `json:"go"`
	System  string `json:"system"`
}

func newVersionCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cli.Args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			v := versionInfo{
				Version: 1, Program: version.String(),
				Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
			}
			if e.JSON {
				return cli.WriteJSON(e.Stdout, v)
			}
			_, err := fmt.Fprintf(e.Stdout, "agentltl-hook %s (%s, %s)\n", v.Program, v.Go, v.System)
			return err
		},
	}
}
