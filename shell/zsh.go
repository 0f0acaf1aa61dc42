package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// zshOnly says whether a text holds what only zsh expands into commands, or into
// words of its own: =name, glob qualifiers that run code, ${(e)x}, print -z,
// modifiers (shell.md 8). Read as far as it can be, such a text is unresolved.
func (w *walker) zshOnly(text string) bool {
	if w.req.Dialect != Zsh {
		return false
	}
	word := true // a word may begin here
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch ch := text[i]; {
		case ch == '=' && word && len(rest) > 1 && isWordByte(rest[1]):
			return true
		case ch == '~' && word && len(rest) > 1 && isWordByte(rest[1]):
			return true
		case ch == '(' && i > 0 && isGlobEnd(text[i-1]) && (strings.HasPrefix(rest, "(e") || strings.HasPrefix(rest, "(+")):
			return true
		case ch == '$' && evaluates(rest):
			return true
		case ch == '$' && modifies(rest):
			return true
		case strings.HasPrefix(rest, "print -") && word && strings.Contains(flagsAfter(rest, "print "), "z"):
			return true
		}
		word = strings.IndexByte(" \t\n;|&(`", text[i]) >= 0
	}
	return false
}

func isWordByte(ch byte) bool {
	return ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch == '_' || ch >= '0' && ch <= '9'
}

func isGlobEnd(ch byte) bool {
	return isWordByte(ch) || ch == '*' || ch == '?' || ch == ']' || ch == ')' || ch == '.' || ch == '/'
}

// evaluates says whether ${(flags)...} has the flag that expands its value again.
func evaluates(s string) bool {
	s, ok := strings.CutPrefix(s, "${(")
	if !ok {
		return false
	}
	flags, _, ok := strings.Cut(s, ")")
	return ok && strings.ContainsAny(flags, "eP")
}

// modifies says whether $name is followed by a modifier, as $A:t.
func modifies(s string) bool {
	i := 1
	for i < len(s) && isWordByte(s[i]) {
		i++
	}
	return i > 1 && i+1 < len(s) && s[i] == ':' && isWordByte(s[i+1])
}

// flagsAfter are the letters of the options behind a command's name.
func flagsAfter(s, name string) string {
	var flags strings.Builder
	for f := range strings.FieldsSeq(strings.TrimPrefix(s, name)) {
		if !strings.HasPrefix(f, "-") {
			break
		}
		flags.WriteString(f)
	}
	return flags.String()
}

// cutByAmpersand lists what a plain POSIX shell runs of "a &> f b" besides: a
// in the background without what follows, and b.
func (w *walker) cutByAmpersand(st *state, c ctx, s *syntax.Stmt, call *syntax.CallExpr, cmd command) {
	if w.req.Dialect != POSIX {
		return
	}
	for _, r := range s.Redirs {
		if r.Op != syntax.RdrAll && r.Op != syntax.AppAll {
			continue
		}
		n := 0
		for n < len(call.Args) && call.Args[n].Pos().Offset() < r.OpPos.Offset() {
			n++
		}
		if n == 0 || n >= len(cmd.words) || len(cmd.words) != len(call.Args) {
			continue
		}
		for _, words := range [][]word{cmd.words[:n], cmd.words[n:]} {
			part := cmd
			part.words = words
			w.run(st.clone(), c.skippable(), part, "")
		}
	}
}
