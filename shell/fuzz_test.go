package shell

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// FuzzTranslate: any text is read without a panic, gives the same answer again,
// and is never passed over in silence: what is not blank and no comment gives a
// call or an unresolved part, and so does every command in it (shell.md 4.7).
func FuzzTranslate(f *testing.F) {
	for _, tt := range attempts {
		f.Add(tt.line)
	}
	for _, l := range typical {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, line string) {
		r := request(line, "", "")
		r.Fresh = false
		got := Translate(r)
		again := Translate(r)
		if len(got.Calls) != len(again.Calls) || len(got.Unresolved) != len(again.Unresolved) {
			t.Fatalf("%q: two answers", line)
		}
		for i := range got.Calls {
			if got.Calls[i].Tool == "" {
				t.Fatalf("%q: a tool without a name", line)
			}
		}
		if len(got.Unresolved) > 0 {
			return
		}
		if n := commandsIn(line); n > 0 && len(got.Calls) == 0 {
			t.Fatalf("%q holds %d commands, and nothing is listed", line, n)
		}
		if lost := lostCommand(line, got); lost != "" {
			t.Fatalf("%q: %s is lost", line, lost)
		}
	})
}

// commandsIn counts the commands of a text that have words, as far as it parses.
func commandsIn(line string) int {
	n := 0
	forCommands(line, func(string) { n++ })
	return n
}

// forCommands calls f with each literal program name in a text. Words that
// vanish, functions and what only changes the shell are left out.
func forCommands(line string, f func(name string)) {
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil || file == nil {
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			if name := call.Args[0].Lit(); plainName(name) {
				f(name)
			}
		}
		return true
	})
}

// plainName says whether a word is a program's name as written.
func plainName(s string) bool {
	if s == "break" || s == "continue" || s == "let" {
		return false
	}
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

// lostCommand names a program of a text that no call has in its source.
func lostCommand(line string, got Result) (lost string) {
	forCommands(line, func(name string) {
		for i := range got.Calls {
			if c := &got.Calls[i]; strings.Contains(strings.ReplaceAll(c.CLI.Source, "\\\n", ""), name) || strings.HasPrefix(c.Tool, name) {
				return
			}
		}
		lost = name
	})
	return lost
}
