package main

import (
	"github.com/spf13/cobra"

	"github.com/agentltl/agentltl-hook/internal/cli"
	"github.com/agentltl/agentltl-hook/rules"
)

func newSchemaCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of AGENTLTL.yaml",
		Long: "Print the JSON Schema (draft 2020-12) of AGENTLTL.yaml, for editors. Put it into a file\n" +
			"and name that file in the first line of AGENTLTL.yaml:\n" +
			"# yaml-language-server: $schema=./agentltl.schema.json",
		Args: cli.Args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := e.Stdout.Write(rules.Schema())
			return err
		},
	}
}
