//go:build truth

package shell

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A lineMaker makes random command lines for the comparison with a real shell.
// Everything it writes is harmless there: programs are looked up on a closed
// PATH, files are written below the folder of the run.
type lineMaker struct {
	r     *rand.Rand
	depth int
	fn    bool // inside a function
	loop  bool
	used  map[string]int
	heres []string // bodies of here-documents that are due at the line's end
	n     int
}

func (m *lineMaker) use(name string) { m.used[name]++ }

func (m *lineMaker) pick(l ...string) string { return l[m.r.IntN(len(l))] }

func (m *lineMaker) chance(percent int) bool { return m.r.IntN(100) < percent }

var programs = []string{
	"alpha", "beta", "gamma", "ship", "relay", "zap", "mk", "w4", "probe", "run-it",
	"git push --force origin main", "git commit -m 'rm -rf /'", "git clean -fd", "rm -rf t", "rm x", "curl -s u -o f", "npm install x",
	"docker run --rm img ls", "kubectl delete pod p1 -n prod", "terraform destroy", "make all", "chmod 755 a", "mv a b", "cp -r a b",
	"tee out", "touch a", "mkdir -p d", "dd if=a of=b", "psql -c 'drop table t'", "gh pr merge 1", "pytest -x", "ssh host1 ls",
}

// line makes one line with what it starts from.
func (m *lineMaker) line() string {
	var b strings.Builder
	b.WriteString(m.pick(
		"A=aa; B='b c'; P=alpha; C='beta -c'; N=2; E=; R=A\n",
		"A=aa B=bb P=gamma C=mk N=1 R=A E=\n",
		"", ""))
	for i := range 1 + m.r.IntN(3) {
		if i > 0 {
			b.WriteString(m.sep())
		}
		b.WriteString(m.list())
	}
	b.WriteString("\n")
	b.WriteString(m.bodies())
	return b.String()
}

// bodies writes the here-documents that are due.
func (m *lineMaker) bodies() string {
	s := strings.Join(m.heres, "")
	m.heres = nil
	return s
}

// sep ends a command; a newline brings the bodies of here-documents.
func (m *lineMaker) sep() string {
	if len(m.heres) > 0 || m.chance(30) {
		m.use("newline")
		return "\n" + m.bodies()
	}
	m.use("semicolon")
	return "; "
}

func (m *lineMaker) list() string {
	s := m.pipeline()
	for m.chance(30) {
		switch m.r.IntN(3) {
		case 0:
			m.use("and")
			s += " && " + m.pipeline()
		case 1:
			m.use("or")
			s += " || " + m.pipeline()
		case 2:
			m.use("background")
			s += " & " + m.pipeline()
		}
	}
	return s
}

func (m *lineMaker) pipeline() string {
	s := ""
	if m.chance(8) {
		m.use("negation")
		s = "! "
	}
	s += m.command()
	for m.chance(20) {
		if m.chance(20) {
			m.use("pipe-all")
			s += " |& " + m.command()
		} else {
			m.use("pipe")
			s += " | " + m.command()
		}
	}
	return s
}

// command is a simple command or, not too deep, a compound one.
func (m *lineMaker) command() string {
	m.depth++
	defer func() { m.depth-- }()
	if m.depth > 3 || m.chance(45) {
		return m.simple()
	}
	return m.compound()
}

func (m *lineMaker) compound() string {
	makers := []struct {
		name string
		make func() string
	}{
		{"subshell", func() string { return "(" + m.list() + ")" }},
		{"group", func() string { return "{ " + m.list() + m.end() + "}" }},
		{"if", m.ifClause},
		{"while", m.while},
		{"until", func() string {
			return "until " + m.pick("true", "! beta lc", "[ 1 -eq 1 ]") + "; do " + m.body() + m.end() + "break; done"
		}},
		{"for-words", m.forWords},
		{"for-glob", func() string { return "for i in *.c; do " + m.body() + m.end() + "w4 $i; done" }},
		{"for-empty", func() string { return "for i in ; do " + m.body() + m.end() + "done" }},
		{"for-c", func() string { return "for ((i=0; i<2; i++)); do " + m.body() + m.end() + "done" }},
		{"case", m.caseClause},
		{"select", func() string { return "select s in a b; do alpha $s; break; done" }},
		{"function", m.function},
		{"arith-command", func() string {
			return m.pick("(( N > 1 ))", "((N+=1))", "(( $(echo 1) ))", "((N++))", "((sx[$(alpha sx)]=1))", "((sx[$(beta q)]++))")
		}},
		{"let", func() string { return m.pick("let N=N+1", "let 'N = 3'", "let 'sx[$(alpha lt)]=1'") }},
		{"test", func() string { return m.pick("[ -f a.txt ]", "[ 1 -eq 1 ]", "test \"$A\" = aa", "test -z "+m.arg()) }},
		{"test-double", func() string { return m.pick("[[ -n $(alpha tc) ]]", "[[ $A == a* ]]", "[[ -f a.txt && x =~ ^x ]]") }},
		{"time", func() string { return "time " + m.simple() }},
		{"coproc", func() string { return "coproc " + m.pick("{ "+m.simple()+"; }", m.program()+" "+m.arg()) }},
	}
	k := makers[m.r.IntN(len(makers))]
	if len(m.heres) > 0 {
		return m.simple() // a body has to come before the next newline
	}
	m.use(k.name)
	s := k.make()
	if len(m.heres) == 0 && m.chance(15) && !strings.HasSuffix(s, "\n") {
		m.use("compound-redirect")
		s += " " + m.redirect()
	}
	return s
}

// end ends a list inside a compound command.
func (m *lineMaker) end() string {
	if len(m.heres) > 0 || m.chance(20) {
		return "\n" + m.bodies()
	}
	return "; "
}

func (m *lineMaker) body() string {
	s := m.list()
	if m.chance(40) {
		s += m.sep() + m.list()
	}
	return s
}

func (m *lineMaker) ifClause() string {
	s := "if " + m.list() + m.end() + "then " + m.body() + m.end()
	if m.chance(30) {
		m.use("elif")
		s += "elif " + m.list() + m.end() + "then " + m.body() + m.end()
	}
	if m.chance(40) {
		m.use("else")
		s += "else " + m.body() + m.end()
	}
	return s + "fi"
}

func (m *lineMaker) while() string {
	m.n++
	v := fmt.Sprintf("n%d", m.n)
	switch m.r.IntN(3) {
	case 0:
		return v + "=0; while [ $" + v + " -lt 2 ]; do " + m.body() + m.end() + v + "=$((" + v + "+1)); done"
	case 1:
		m.use("break")
		return "while true; do " + m.body() + m.end() + "break; done"
	default:
		m.use("read")
		return "while read l; do " + m.pick("zap $l", "rm \"$l\"", "gamma") + "; done < list"
	}
}

func (m *lineMaker) forWords() string {
	items := m.pick("1 2", "a.txt 'b c'", "\"$A\"", "alpha beta", "{1..3}", "$(alpha fl)", "\"$@\"", "$U1", "x $A")
	s := "for v in " + items + "; do " + m.pick("alpha $v", "ship \"x$v\"", "echo ${v} > f$v", "$v t", "v=q; relay $v") + "; " + m.body() + m.end()
	if m.chance(15) {
		m.use("continue")
		s += "continue; "
	}
	return s + "done"
}

func (m *lineMaker) caseClause() string {
	s := "case " + m.pick("x", "$A", "a.txt", "$(alpha cs)") + " in "
	for range 1 + m.r.IntN(3) {
		s += m.pick("a*|b", "x", "(aa", "*", "[a-c]*", "$(beta cp)") + ") " + m.body() + m.end()
		s = strings.TrimSuffix(s, "; ")
		switch {
		case m.chance(10):
			m.use("case-through")
			s += " ;& "
		case m.chance(10):
			s += " ;;& "
		default:
			s += " ;; "
		}
	}
	return s + "esac"
}

func (m *lineMaker) function() string {
	name := m.pick("f", "g", "h")
	was := m.fn
	m.fn = true
	body := m.pick("alpha \"$1\"; ", "beta $# $@; ", "local L1="+m.pick("x", "$A", "$(probe lo)")+"; zap $L1; ", "") + m.body() + m.end()
	if m.chance(20) {
		m.use("return")
		body += "return; gamma late; "
	}
	m.fn = was
	return name + "() { " + body + "}; " + name + m.pick("", " p q", " 'a b'", " \"$A\"")
}

// nowhere is a program that no system has: for what leaves the closed PATH.
func (m *lineMaker) nowhere() string { return m.pick("alpha", "beta", "gamma", "ship", "zap", "w4") }

func (m *lineMaker) program() string {
	p := m.pick(programs...)
	if m.chance(12) {
		switch m.r.IntN(6) {
		case 0:
			m.use("name-quoted")
			return "al''pha"
		case 1:
			m.use("name-backslash")
			return `\` + m.pick("alpha", "beta", "rm x")
		case 2:
			m.use("name-ansi-c")
			return `$'\x61lpha'`
		case 3:
			m.use("name-variable")
			return m.pick("$P", "${P}", `"$P"`, "$C", "$E alpha", "${P:-beta}")
		case 4:
			m.use("name-braces")
			return m.pick("{alpha,x}", "{,beta}")
		case 5:
			m.use("name-substitution")
			return m.pick("$(echo gamma)", "`echo alpha`", "$(printf %s beta)")
		}
	}
	return p
}

// simple is a simple command.
func (m *lineMaker) simple() string {
	if m.chance(22) {
		return m.special()
	}
	var parts []string
	if m.chance(12) {
		m.use("prefix")
		parts = append(parts, m.pick("X=aa", "B=x/y", "FOO=$(alpha as)", "A=q", "X=", "B=${A}b"))
	}
	if m.chance(8) {
		parts = append(parts, m.redirect())
	}
	parts = append(parts, m.program())
	for range m.r.IntN(4) {
		parts = append(parts, m.arg())
		if m.chance(8) {
			parts = append(parts, m.redirect())
		}
	}
	return strings.Join(parts, " ")
}

// arg is one word of a command.
func (m *lineMaker) arg() string {
	kinds := []struct {
		name string
		make func() string
	}{
		{"word", func() string {
			return m.pick("x", "-rf", "a.txt", "--long=val", "=eq", "a:b", "k=v", "héé", "-", "--", "%d", "./rel", "../up")
		}},
		{"single-quotes", func() string { return m.pick("'a b'", "'$A'", "'*'", "''", "'`no`'", "'a\"b'") }},
		{"double-quotes", func() string {
			return m.pick(`"a b"`, `"$A"`, `"pre $B post"`, `""`, `"\$U"`, `"$(alpha dq)"`, "\"multi\nline\"")
		}},
		{"backslash", func() string { return m.pick(`a\ b`, `\*`, `\~`, `\$A`, "con\\\ntinued") }},
		{"ansi-c", func() string { return m.pick(`$'a\tb'`, `$'\x2df'`, `$'it\'s'`, `$'\u0061'`, `$'\162m'`, `$'\562'`) }},
		{"variable", func() string {
			return m.pick("$A", "${A}y", "x$A", "$B", "\"$B\"", "$A$B", "$E", "\"$E\"", "$N", "${R}")
		}},
		{"unset-variable", func() string { return m.pick("$U1", "\"$U2\"", "$U3/x", "-$U1") }},
		{"default", func() string {
			return m.pick("${A:-def}", "${U1:-d e}", "${E:-x}", "${A-y}", "${U2-z}", "\"${U1:-a b}\"")
		}},
		{"alternative", func() string { return m.pick("${A:+alt}", "${E:+alt}", "${U1:+alt}") }},
		{"prefix-removal", func() string { return m.pick("${A#a}", "${A##*a}", "${B#b }") }},
		{"suffix-removal", func() string { return m.pick("${A%a}", "${A%%a*}", "${B% c}") }},
		{"replacement", func() string { return m.pick("${A/a/b}", "${A//a/b}", "${A/#a/z}", "${A/%a/z}") }},
		{"case-change", func() string { return m.pick("${A^}", "${A^^}", "${A,,}") }},
		{"length", func() string { return m.pick("${#A}", "${#U1}", "$#") }},
		{"slice", func() string { return m.pick("${A:0:1}", "${A:1}", "${A: -1}") }},
		{"indirect", func() string { return "${!R}" }},
		{"positional", func() string { return m.pick("$1", "\"$@\"", "$*", "${1:-n}") }},
		{"arithmetic", func() string { return m.pick("$((1+1))", "$((N*2))", "$((N>1?3:4))", "$((0x10))", "$[2+3]") }},
		{"substitution", func() string {
			return m.pick("$(alpha sub)", "\"$(beta q)\"", "x$(gamma y)z", "$(echo lit)", "$(printf '%s' w)")
		}},
		{"backquotes", func() string { return m.pick("`alpha bq`", "`echo lit`", "\"`beta bq2`\"") }},
		{"nested-substitution", func() string { return "$(alpha $(beta in))" }},
		{"list-substitution", func() string { return "$(" + m.safeList() + ")" }},
		{"process-input", func() string { return "<(" + m.program() + " ps)" }},
		{"process-output", func() string { return ">(" + m.pick("gamma po", "alpha po") + ")" }},
		{"braces", func() string {
			return m.pick("{a,b}", "pre{a,b}$A", "{a,b}{c,d}", "{a,\"b c\"}", "x{,y}", "{single}", "{a,b", "\\{a,b\\}")
		}},
		{"brace-range", func() string { return m.pick("{1..3}", "{3..1}", "{a..c}", "{01..03}", "{1..5..2}") }},
		{"tilde", func() string { return m.pick("~/x", "~", "~+/x", "x~", "\"~/x\"", "a:~") }},
		{"glob", func() string { return m.pick("*.txt", "?.txt", "[ab].txt", "[!a].txt", "src/*.c", "nomatch*", "*") }},
		{"array", func() string { return m.pick("\"${arr[@]}\"", "${arr[0]}", "${#arr[@]}") }},
		{"special-parameter", func() string { return m.pick("$?", "$$", "$!") }},
	}
	k := kinds[m.r.IntN(len(kinds))]
	m.use(k.name)
	return k.make()
}

// safeList is a list without here-documents, for places where their bodies
// would not fit.
func (m *lineMaker) safeList() string {
	sub := &lineMaker{r: m.r, depth: 3, fn: m.fn, used: m.used, n: m.n + 100}
	s := sub.list()
	if len(sub.heres) > 0 {
		s += "\n" + sub.bodies()
	}
	return s
}

func (m *lineMaker) redirect() string {
	kinds := []struct{ name, text string }{
		{"redirect-out", ">" + m.file()},
		{"redirect-append", ">>" + m.file()},
		{"redirect-clobber", ">|" + m.file()},
		{"redirect-both", "&>" + m.file()},
		{"redirect-both-append", "&>>" + m.file()},
		{"redirect-both-old", ">&" + m.pick("out1", "log")},
		{"redirect-in", "< " + m.pick("a.txt", "list", "b.txt")},
		{"redirect-read-write", "<> " + m.pick("a.txt", "rw")},
		{"redirect-descriptor", m.pick("2>&1", "1>&2", "3>&1", ">&2")},
		{"redirect-error", "2>" + m.file()},
		{"redirect-close", m.pick("2>&-", "3<&-")},
		{"redirect-named", "{fd}>" + m.file()},
		{"redirect-null", m.pick(">/dev/null", "2>/dev/null")},
		{"here-string", "<<< " + m.pick("word", "\"two words\"", "$A", "\"$(alpha hs)\"")},
		{"redirect-substitution", m.pick("> >(gamma rp)", "< <(zap rp)", ">$(echo outf)")},
	}
	k := kinds[m.r.IntN(len(kinds))]
	m.use(k.name)
	return k.text
}

func (m *lineMaker) file() string {
	return m.pick("out", "log", "b.txt", "sub/o", "'q r'", "$A", "${A}.log", "o{1}", "~/h", "\"sp ace\"", "../upout")
}

// hereDoc is a here-document; its body is due at the next newline.
func (m *lineMaker) hereDoc() string {
	switch m.r.IntN(3) {
	case 0:
		m.use("here-document")
		m.heres = append(m.heres, m.pick("plain text\n", "$A and ${B}\n", "$(alpha hd)\n", "a `beta hd` b\n", "rm -rf x\n")+"EOF\n")
		return "<<EOF"
	case 1:
		m.use("here-document-quoted")
		m.heres = append(m.heres, m.pick("plain\n", "$(alpha no)\n", "`beta no` $A\n")+"E2\n")
		return m.pick("<<'E2'", "<<\"E2\"", `<<\E2`)
	default:
		m.use("here-document-tabs")
		m.heres = append(m.heres, "\tplain\n\t$(alpha ht)\n\tE3\n")
		return "<<-E3"
	}
}
