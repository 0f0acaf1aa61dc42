package guard

import "strings"

// toolMatches says whether a tool name is one of a target's names: only a * makes
// a name a glob (rules.md 6).
func toolMatches(pattern, tool string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == tool
	}
	ok, _ := matchGlob(pattern, tool)
	return ok
}

// matchGlob is Python's fnmatch without case folding: * crosses everything, a
// lone [ is itself.
func matchGlob(p, s string) (bool, string) {
	for len(p) > 0 {
		switch p[0] {
		case '*':
			for i := 0; i <= len(s); i++ {
				if ok, _ := matchGlob(p[1:], s[i:]); ok {
					return true, ""
				}
			}
			return false, s
		case '?':
			if s == "" {
				return false, s
			}
			p, s = p[1:], s[1:]
			continue
		}
		if s == "" || s[0] != p[0] {
			return false, s
		}
		p, s = p[1:], s[1:]
	}
	return s == "", s
}
