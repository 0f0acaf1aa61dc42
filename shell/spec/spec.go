// Package spec reads the words of one command with its command spec: which
// options it has, which operands, which subcommands, what it does to files
// (shell.md 5). Specs are data: bundled ones are generated from
// shell/packs/*.yaml, rule files add their own.
//
// [Set.Parse] turns words into a tool name and arguments. It does not know
// where a line runs: paths come back as typed, each with the word it came from,
// and the caller makes them absolute.
package spec

// A Set is the specs in force. The zero Set holds none.
type Set struct{}

// Parse reads the words of one command, the program first. Without a spec the
// tool is the program's normalised basename and the words are its argv.
func (s *Set) Parse(words []Word) Parsed {
	tool := Normalize(Base(words[0].Text))
	argv := make([]any, 0, len(words)-1)
	for _, w := range words[1:] {
		argv = append(argv, w.Text)
	}
	return Parsed{Tool: tool, Args: map[string]any{"argv": argv}}
}
