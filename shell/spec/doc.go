// Package spec reads the words of one command with its command spec: which
// options it has, which operands, which subcommands, what it does to files
// (shell.md 5). Specs are data: bundled ones are generated from
// shell/packs/*.yaml, rule files add their own.
//
// [Set.Parse] turns words into a tool name and arguments. It does not know
// where a line runs: paths come back as typed, each with the word it came from,
// and the caller makes them absolute. [Load] reads a spec as people write it.
package spec
