package spec

import "strings"

// Normalize makes a tool name of a program's name: lower case, runs of
// characters other than a-z and 0-9 become one underscore, none at the ends.
// What has no such character is unknown_command: an empty name never occurs
// (shell.md 5.4).
func Normalize(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		} else {
			gap = true
		}
	}
	if b.Len() == 0 {
		return "unknown_command"
	}
	return b.String()
}

// Base is the last element of a program's path; both slashes count, as a path
// of Windows may be run from a Unix shell there.
func Base(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 && i+1 < len(name) {
		return name[i+1:]
	}
	return name
}
