//go:build tools

// Package tools keeps the modules of the design card in go.mod until the code
// that uses them lands.
package tools

import (
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/spf13/cobra"
	_ "mvdan.cc/sh/v3/syntax"
)
