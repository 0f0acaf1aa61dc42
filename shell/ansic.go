package shell

import (
	"strings"
	"unicode/utf8"
)

// ansiC decodes $'...' as bash does: octal is cut to a byte, \x may have
// braces, what is not an escape keeps its backslash. A NUL ends the string.
func ansiC(s string) string { return decode(s, true) }

// backslashes decodes what echo -e, printf's format and %b write. It stops at \c.
func backslashes(s string) string { return decode(s, false) }

func decode(s string, quoting bool) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		i++
		ch := s[i]
		i++
		switch ch {
		case 'a':
			b.WriteByte('\a')
		case 'b':
			b.WriteByte('\b')
		case 'e', 'E':
			b.WriteByte(0x1b)
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'v':
			b.WriteByte('\v')
		case '\\':
			b.WriteByte('\\')
		case '\'', '"', '?':
			if !quoting {
				b.WriteByte('\\')
			}
			b.WriteByte(ch)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			digits := 3
			if ch == '0' && !quoting {
				digits = 4 // \0nnn
			}
			n, used := number(s[i-1:], 8, digits)
			if n &= 0xff; n == 0 && quoting {
				return b.String()
			}
			b.WriteByte(byte(n))
			i += used - 1
		case 'x':
			brace := quoting && strings.HasPrefix(s[i:], "{")
			digits := 2
			if brace {
				i++
				digits = 16
			}
			n, used := number(s[i:], 16, digits)
			i += used
			if brace && strings.HasPrefix(s[i:], "}") {
				i++
			}
			switch n &= 0xff; {
			case used == 0 && !brace:
				b.WriteString("\\x")
			case n == 0 && quoting:
				return b.String()
			default:
				b.WriteByte(byte(n))
			}
		case 'u', 'U':
			digits := 4
			if ch == 'U' {
				digits = 8
			}
			n, used := number(s[i:], 16, digits)
			i += used
			switch {
			case used == 0:
				b.WriteByte('\\')
				b.WriteByte(ch)
			case n == 0 && quoting:
				return b.String()
			default:
				b.Write(utf8.AppendRune(nil, rune(n)))
			}
		case 'c':
			if !quoting {
				return b.String()
			}
			if i < len(s) {
				if s[i] == '\\' && i+1 < len(s) && s[i+1] == '\\' {
					i++
				}
				b.WriteByte(control(s[i]))
				i++
			}
		default:
			b.WriteByte('\\')
			b.WriteByte(ch)
		}
	}
	return b.String()
}

func control(ch byte) byte {
	if ch == '?' {
		return 0x7f
	}
	if ch >= 'a' && ch <= 'z' {
		ch -= 'a' - 'A'
	}
	return ch & 0x1f
}

// number reads up to limit digits and says how many there were.
func number(s string, base, limit int) (n, used int) {
	for used < len(s) && used < limit {
		d := strings.IndexByte("0123456789abcdef", s[used]|0x20)
		if s[used] >= '0' && s[used] <= '9' {
			d = int(s[used] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		n = n*base + d
		if n > 1<<40 {
			n &= 0xff
		}
		used++
	}
	return n, used
}
