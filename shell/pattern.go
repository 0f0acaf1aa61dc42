package shell

import "strings"

// match says whether a shell pattern matches a whole text. A * crosses slashes,
// as it does in parameter expansions and in case.
func match(pat, s string) bool {
	return matchRunes([]rune(pat), []rune(s))
}

func matchRunes(pat, s []rune) bool {
	// The usual loop with one point to come back to: the last star.
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(s) {
		if p < len(pat) && pat[p] == '*' {
			star, mark = p, i
			p++
			continue
		}
		if n, ok := matchOne(pat[p:], s[i]); ok {
			p += n
			i++
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		p, i = star+1, mark
	}
	for p < len(pat) && pat[p] == '*' {
		p++
	}
	return p == len(pat)
}

// matchOne matches one character and says how much of the pattern it took.
func matchOne(pat []rune, r rune) (int, bool) {
	if len(pat) == 0 {
		return 0, false
	}
	switch pat[0] {
	case '?':
		return 1, true
	case '\\':
		if len(pat) > 1 {
			return 2, pat[1] == r
		}
	case '[':
		if n, ok, set := matchSet(pat, r); set {
			return n, ok
		}
	}
	return 1, pat[0] == r
}

// matchSet matches [...]; set is false when the bracket is not closed.
func matchSet(pat []rune, r rune) (n int, ok, set bool) {
	i := 1
	not := false
	if i < len(pat) && (pat[i] == '!' || pat[i] == '^') {
		not = true
		i++
	}
	for first := true; i < len(pat); first = false {
		if pat[i] == ']' && !first {
			return i + 1, ok != not, true
		}
		if pat[i] == '[' && i+1 < len(pat) && pat[i+1] == ':' {
			if end := strings.Index(string(pat[i+2:]), ":]"); end >= 0 {
				name := string(pat[i+2:])[:end]
				ok = ok || inClass(name, r)
				i += 2 + len([]rune(name)) + 2
				continue
			}
		}
		lo := pat[i]
		if lo == '\\' && i+1 < len(pat) {
			i++
			lo = pat[i]
		}
		hi := lo
		if i+2 < len(pat) && pat[i+1] == '-' && pat[i+2] != ']' {
			hi = pat[i+2]
			i += 2
		}
		ok = ok || lo <= r && r <= hi
		i++
	}
	return 0, false, false
}

func inClass(name string, r rune) bool {
	lower, upper, digit := r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "digit":
		return digit
	case "alnum":
		return lower || upper || digit
	case "upper":
		return upper
	case "lower":
		return lower
	case "space":
		return strings.ContainsRune(" \t\n\r\v\f", r)
	case "blank":
		return r == ' ' || r == '\t'
	case "punct":
		return r > ' ' && r < 0x7f && !lower && !upper && !digit
	case "xdigit":
		return digit || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F'
	}
	return false
}

// maxPattern bounds the text that patterns are tried on: removing a prefix
// tries every length.
const maxPattern = 2048

// cutPrefix is ${s#pat} and ${s##pat}.
func cutPrefix(s, pat string, longest bool) string {
	r, p := []rune(s), []rune(pat)
	for n := range len(r) + 1 {
		i := n
		if longest {
			i = len(r) - n
		}
		if matchRunes(p, r[:i]) {
			return string(r[i:])
		}
	}
	return s
}

// cutSuffix is ${s%pat} and ${s%%pat}.
func cutSuffix(s, pat string, longest bool) string {
	r, p := []rune(s), []rune(pat)
	for n := range len(r) + 1 {
		i := len(r) - n
		if longest {
			i = n
		}
		if matchRunes(p, r[i:]) {
			return string(r[:i])
		}
	}
	return s
}

// replace is ${s/pat/with}: the longest match at the first place that has one.
func replace(s, pat, with string, all bool) string {
	anchor := byte(0)
	if strings.HasPrefix(pat, "#") || strings.HasPrefix(pat, "%") {
		anchor, pat = pat[0], pat[1:]
	}
	r, p := []rune(s), []rune(pat)
	if len(p) == 0 && anchor == 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i <= len(r); {
		end := -1
		for j := len(r); j >= i; j-- {
			if anchor == '%' && j < len(r) {
				break
			}
			if (j > i || anchor != 0) && matchRunes(p, r[i:j]) {
				end = j
				break
			}
		}
		if end >= 0 {
			b.WriteString(with)
			i = end
			if !all || anchor != 0 {
				b.WriteString(string(r[i:]))
				return b.String()
			}
			continue
		}
		if anchor == '#' {
			return s
		}
		if i < len(r) {
			b.WriteRune(r[i])
		}
		i++
	}
	return b.String()
}

// quoteGlob makes a text stand for itself in a pattern.
func quoteGlob(s string) string {
	if !strings.ContainsAny(s, "*?[\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.IndexByte("*?[\\", s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
