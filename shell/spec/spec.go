// Package spec reads the words of one command with its command spec: which
// options it has, which operands, which subcommands, what it does to files
// (shell.md 5). Specs are data: bundled ones are generated from
// shell/packs/*.yaml, rule files add their own.
package spec

// A Set is the specs in force. The zero Set holds none.
type Set struct{}
