package shell

import (
	"strconv"
	"strings"
)

// What program text says about a call: its arguments as far as they are
// literals. A part that is computed is a hole, as in text of the shell.

// args are the arguments behind the name of a function, lists flattened.
// Nothing when the first is computed.
func (r *codeWalk) args(f *caller, s string) (out []string) {
	s = strings.TrimPrefix(strings.TrimPrefix(s, `"]`), `']`) // o["exec"](..)
	i := blanks(s, 0, " \t")
	paren := i < len(s) && s[i] == '('
	if paren {
		i++
	}
	if r.lang == "perl" && !paren && i < len(s) && s[i] == '{' { // exec {"rm"} "x": another name than the first word
		i += max(strings.IndexByte(s[i:], '}'), 0) + 1
	}
	depth := 0
	for {
		if i = blanks(s, i, ", \t"); paren || depth > 0 {
			i = blanks(s, i, ", \t\r\n")
		}
		if i >= len(s) {
			return out
		}
		switch s[i] {
		case '[', '(', '{':
			if s[i] == '{' && (depth == 0 && len(out) > 0 || !paren && r.lang != "tcl") {
				return out // options, or a block
			}
			depth++
			i++
			continue
		case ']', ')', '}':
			if depth--; depth < 0 || depth == 0 && r.lang != "ruby" && r.lang != "perl" {
				return out
			}
			i++
			continue
		case ';', '\n':
			return out
		}
		if n := opener(s[i:]); n > 0 {
			i += n
			depth += strings.Count(s[i-n:i], "(") + strings.Count(s[i-n:i], "{")
			continue
		}
		if ws, n := wordList(s[i:]); n > 0 {
			out = append(out, ws...)
			i += n
			continue
		}
		text, n, ok := r.literal(s[i:])
		if ok {
			more := 0
			text, more = r.concat(text, s[i+n:])
			out = append(out, text)
			i += n + more
			continue
		}
		n = expression(s[i:], r.lang)
		if n == 0 {
			return out
		}
		item := strings.TrimSpace(s[i : i+n])
		i += n
		switch {
		case item == "sys.executable":
			out = append(out, "python3")
		case item == "process.execPath":
			out = append(out, "node")
		case isKeyword(item, r.lang):
		case len(out) == 0 && depth == 0:
			if f.kind != callExec && f.kind != callOpen && f.kind != callLate {
				return nil
			}
		case depth > 0 || r.lang == "ruby" || r.lang == "perl" || r.lang == "lisp" || f.kind == callExec:
			out = append(out, r.computed(item))
		case r.lang == "node" && f.kind == callArgv:
			return append(out, r.computed(item))
		}
	}
}

// computed is a part of an argument that is not known.
func (r *codeWalk) computed(typed string) string { return r.w.hole(hole{typed: typed}) }

func blanks(s string, i int, set string) int {
	for i < len(s) && strings.IndexByte(set, s[i]) >= 0 {
		i++
	}
	return i
}

// opener is the length of what makes a list or passes a text on.
func opener(s string) int {
	for _, o := range []string{"args=[", "args=(", "shlex.split(", "array(", "List.of(", "Arrays.asList(", "Seq(", "new String[]{", "'("} {
		if strings.HasPrefix(s, o) {
			if strings.HasPrefix(o, "args=") {
				return len("args=")
			}
			return len(o)
		}
	}
	if strings.HasPrefix(s, "args=") {
		return len("args=")
	}
	return 0
}

// wordList is %w[rm x] of ruby and qw(rm x) of perl.
func wordList(s string) ([]string, int) {
	if !strings.HasPrefix(s, "%w") && !strings.HasPrefix(s, "qw") || len(s) < 4 || isWordByte(s[2]) || s[2] == ' ' {
		return nil, 0
	}
	end := strings.IndexByte(s[3:], closing(s[2]))
	if end < 0 {
		return nil, 0
	}
	return strings.Fields(s[3 : 3+end]), end + 4
}

// isKeyword says whether an argument is an option of the call, or nothing.
func isKeyword(item, lang string) bool {
	switch item {
	case "nil", "t", "None", "null", "undefined", "true", "false", "True", "False":
		return true
	}
	if strings.HasPrefix(item, ":") {
		return lang == "lisp" || lang == "ruby"
	}
	n := 0
	for n < len(item) && isWordByte(item[n]) {
		n++
	}
	rest := strings.TrimLeft(item[n:], " ")
	return n > 0 && (strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==") || strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "::"))
}

// expression is the length of an argument that is no literal.
func expression(s, lang string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return i
			}
		case ',', ';', '\n':
			if depth == 0 {
				return i
			}
		case ' ':
			if depth == 0 && (lang == "lisp" || lang == "ghc" || lang == "ocaml") {
				return i
			}
		case '"', '\'':
			if end := strings.IndexByte(s[i+1:], s[i]); end >= 0 && lang != "lisp" {
				i += end + 1
			}
		}
	}
	return len(s)
}

// concat adds what stands behind a literal and makes it longer.
func (r *codeWalk) concat(text, rest string) (string, int) {
	n := 0
	for {
		i := blanks(rest, n, " \t")
		op := r.operator(rest[i:])
		if op < 0 {
			return text, n
		}
		i = blanks(rest, i+op, " \t")
		if i >= len(rest) {
			return text, n
		}
		more, size, ok := r.literal(rest[i:])
		if !ok {
			size = expression(rest[i:], r.lang)
			if size == 0 && op == 0 {
				return text, n
			}
			return text + r.computed(rest[i:i+size]), i + size
		}
		text, n = text+more, i+size
	}
}

// joined is concat for a text that no call stands around.
func (r *codeWalk) joined(text, rest string) string {
	text, _ = r.concat(text, rest)
	return text
}

// operator is the length of what joins two texts; -1: there is none.
func (r *codeWalk) operator(s string) int {
	if s == "" {
		return -1
	}
	pre := func(ops ...string) int {
		for _, o := range ops {
			if strings.HasPrefix(s, o) {
				return len(o)
			}
		}
		return -1
	}
	switch r.lang {
	case "python":
		if s[0] == '"' || s[0] == '\'' {
			return 0
		}
		return pre("+", "%", ".format(", ".replace(")
	case "node", "jvm":
		return pre("+", ".concat(")
	case "ruby":
		if s[0] == '"' || s[0] == '\'' {
			return 0
		}
		return pre("+", "%", "<<")
	case "perl", "php", "vim", "gnuplot":
		if strings.HasPrefix(s, "..") {
			return pre("..")
		}
		return pre(".")
	case "lua":
		return pre("..")
	case "beam":
		return pre("<>", "++")
	case "ghc":
		return pre("++")
	case "ocaml":
		return pre("^")
	case "osascript":
		return pre("&")
	case "awk":
		if strings.IndexByte("),;}|>&?:\n]", s[0]) < 0 {
			return 0
		}
	}
	return -1
}

// literal reads one text in quotes.
func (r *codeWalk) literal(s string) (text string, n int, ok bool) {
	start, formatted := 0, false
	if r.lang == "python" {
		for start < len(s) && start < 2 && strings.IndexByte("rbfuRBFU", s[start]) >= 0 {
			formatted = formatted || s[start] == 'f' || s[start] == 'F'
			start++
		}
	}
	if start >= len(s) {
		return "", 0, false
	}
	q := s[start]
	switch {
	case q == '"':
	case q == '\'' && r.lang != "awk" && r.lang != "lisp" && r.lang != "ghc" && r.lang != "ocaml":
	case q == '`' && (r.lang == "node" || r.lang == "julia" || ticks(r.lang)):
	default:
		return "", 0, false
	}
	end := string(q)
	if (r.lang == "python" || r.lang == "jvm" || r.lang == "julia") && strings.HasPrefix(s[start:], strings.Repeat(end, 3)) {
		end = strings.Repeat(end, 3)
	}
	var b strings.Builder
	for i := start + len(end); i < len(s); {
		if strings.HasPrefix(s[i:], end) {
			return b.String(), i + len(end), true
		}
		if s[i] == '\\' && i+1 < len(s) {
			t, size := escaped(s[i:], q)
			b.WriteString(t)
			i += size
			continue
		}
		if size := r.part(s[i:], q, formatted); size > 0 {
			b.WriteString(r.computed(s[i : i+size]))
			i += size
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return "", 0, false
}

// escaped reads what a backslash begins.
func escaped(s string, q byte) (string, int) {
	number := func(from, to, base int) (string, int) {
		if len(s) < to {
			return s[:2], 2
		}
		n, err := strconv.ParseUint(s[from:to], base, 32)
		if err != nil {
			return s[:2], 2
		}
		return string(rune(n)), to
	}
	switch c := s[1]; {
	case c == 'n':
		return "\n", 2
	case c == 't':
		return "\t", 2
	case c == q || c == '\\' || c == '$' || c == '@' || c == '/':
		return s[1:2], 2
	case c == '\n':
		return "", 2
	case c == 'x':
		return number(2, 4, 16)
	case c == 'u' && !strings.HasPrefix(s, `\u{`):
		return number(2, 6, 16)
	case c >= '0' && c <= '3' && len(s) > 3 && isDigits(s[1:4]):
		return number(1, 4, 8)
	}
	return s[:2], 2
}

// part is the length of a computed part at the beginning of s, which stands in
// quotes: "#{x}", "${x}", "$x", {x} of an f-string.
func (r *codeWalk) part(s string, q byte, formatted bool) int {
	until := func(from int) int {
		if end := strings.IndexByte(s[from:], '}'); end >= 0 {
			return from + end + 1
		}
		return 0
	}
	switch r.lang {
	case "python":
		if formatted && s[0] == '{' && !strings.HasPrefix(s, "{{") {
			return until(1)
		}
	case "ruby", "beam":
		if q != '\'' && strings.HasPrefix(s, "#{") {
			return until(2)
		}
	case "node":
		if q == '`' && strings.HasPrefix(s, "${") {
			return until(2)
		}
	case "perl", "php", "julia", "jvm":
		if q == '\'' || s[0] != '$' && (s[0] != '@' || r.lang != "perl") || len(s) < 2 {
			return 0
		}
		if s[1] == '{' {
			return until(2)
		}
		n := 1
		for n < len(s) && isWordByte(s[n]) {
			n++
		}
		if n > 1 {
			return n
		}
	}
	return 0
}

// filled is text as it stands between delimiters, computed parts made holes.
func (r *codeWalk) filled(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if size := r.part(s[i:], '"', false); size > 0 {
			b.WriteString(r.computed(s[i : i+size]))
			i += size
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// ticks says whether backquotes run their text.
func ticks(lang string) bool { return lang == "ruby" || lang == "perl" || lang == "php" }

// percent is %x{...} of ruby and qx{...} of perl.
func percent(s, lang string) (text string, n int, ok bool) {
	prefix := ""
	switch lang {
	case "ruby":
		prefix = "%x"
	case "perl":
		prefix = "qx"
	}
	if prefix == "" || !strings.HasPrefix(s, prefix) || len(s) < 4 {
		return "", 0, false
	}
	open := s[2]
	if isWordByte(open) || open == ' ' {
		return "", 0, false
	}
	j := strings.IndexByte(s[3:], closing(open))
	if j < 0 {
		return "", 0, false
	}
	return s[3 : 3+j], 4 + j, true
}

func closing(open byte) byte {
	switch open {
	case '{':
		return '}'
	case '(':
		return ')'
	case '[':
		return ']'
	case '<':
		return '>'
	}
	return open
}
