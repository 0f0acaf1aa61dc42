package shell

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// script walks a text that a shell runs: the line itself, the text of bash -c,
// of eval, of a here-document, of a file. The state is changed as the text
// changes it; the caller clones it where a new shell is started.
func (w *walker) script(st *state, c ctx, text string, pos int) {
	if blank(text) || w.full {
		return
	}
	nested := !c.top
	if nested {
		if w.level >= maxDepth {
			w.note("recursion", text, pos)
			return
		}
		if len(text) > maxLine || !nestingFits(text) {
			w.noteLimit("a text run by the line is too long or too deep", text)
			return
		}
	}
	w.level++
	defer func() { w.level-- }()
	if w.zshOnly(text) {
		w.note("dialect", text, pos)
	}
	file, text := w.parse(text, pos)
	c.src = &source{text: text, offset: pos, nested: nested, file: file, outer: c.src, script: c.script}
	c.top = false
	first := len(w.calls)
	w.stmts(st, c, file.Stmts)
	if nested && c.op == "wrap" && len(w.calls) > first {
		// What stands before the first command is none: it is the one that is run.
		if cli := w.calls[first].CLI; cli.Operator == ";" || cli.Operator == "&&" {
			cli.Operator = "wrap"
		}
	}
}

// parse reads a text; what stands before a mistake is kept, as a shell has run
// the lines before it. A here-document without its end is what bash only warns
// about: it is closed and the text read again.
func (w *walker) parse(text string, pos int) (*syntax.File, string) {
	failed := ""
	for try := 0; ; try++ {
		file, err := w.parser.Parse(strings.NewReader(text), "")
		if file == nil {
			file = &syntax.File{}
		}
		if err == nil {
			if other := respelled(file, text); other != text && try < maxDepth {
				text = other
				continue
			}
			if failed != "" {
				w.note("syntax", failed, pos)
			}
			return file, text
		}
		at := 0
		pe, ok := errors.AsType[syntax.ParseError](err)
		if ok {
			at = int(pe.Pos.Offset())
		}
		if fixed, ok := negated(text, pe.Text, at); ok && try < maxNesting {
			text = fixed
			continue
		}
		if i := subshelled(text, pe.Text, at); i > 0 && try < maxNesting {
			if failed == "" && maybeArithmetic(text[i:]) {
				failed = text
			}
			text = text[:i] + " " + text[i:]
			continue
		}
		if strings.HasSuffix(pe.Text, "must be followed by `=`") && strings.HasPrefix(pe.Text, "`a[b]`") && try < maxNesting && at < len(text) {
			// A word like r[m], which the parser takes for the beginning of an
			// assignment: empty quotes in it change nothing else.
			text = text[:at] + `""` + text[at:]
			continue
		}
		word, open := unclosed(pe.Text)
		if !open || try >= maxDepth {
			w.note("syntax", after(text, at), pos+at)
			return file, text
		}
		if failed == "" {
			failed = text
		}
		text = strings.TrimSuffix(text, "\n") + "\n" + word + "\n"
	}
}

// negated takes out a "!" that the parser refuses and bash does not: of "! ! x",
// "a | ! b", "time ! x". It changes a status only, never what runs.
func negated(text, msg string, at int) (string, bool) {
	if msg != "cannot negate a command multiple times" && msg != "`!` can only be used in full statements" ||
		at >= len(text) || text[at] != '!' {
		return text, false
	}
	return text[:at] + " " + text[at+1:], true
}

// subshelled is where to part the brackets of $((a) ; b) and ((a) ; b), which
// bash reads as a subshell when they hold no arithmetic: the last pair open before
// the mistake. 0: nowhere.
func subshelled(text, msg string, at int) int {
	if !strings.HasPrefix(msg, "not a valid arithmetic operator: ") && !strings.HasPrefix(msg, "reached `)` without matching `") ||
		at > len(text) {
		return 0
	}
	i := strings.LastIndex(text[:at], "((")
	if strings.HasPrefix(msg, "reached `") {
		if i = strings.Index(text[at:], "(("); i > 1 {
			return 0
		}
		i += at
	}
	if i < 0 || i < at && strings.HasPrefix(msg, "reached `") {
		return 0
	}
	return i + 1
}

// maybeArithmetic says whether a text that begins with the second bracket is
// arithmetic to bash all the same: it is where that bracket is closed by "))", and
// then every $(..) in it runs before it is seen to be none.
func maybeArithmetic(text string) bool {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == '\\' && quote != '\'':
			i++
		case quote != 0:
			if ch == quote {
				quote = 0
			}
		case ch == '\'' || ch == '"':
			quote = ch
		case ch == '(':
			depth++
		case ch == ')':
			if depth--; depth == 0 {
				return strings.HasPrefix(text[i+1:], ")")
			}
		}
	}
	return false
}

// unclosed is the delimiter that a here-document of the message lacks.
func unclosed(msg string) (string, bool) {
	quoted, ok := strings.CutPrefix(msg, "unclosed here-document ")
	if !ok {
		return "", false
	}
	word, err := strconv.Unquote(quoted)
	return word, err == nil
}

// after is the piece of a text that a message quotes.
func after(text string, at int) string {
	if at > len(text) {
		at = len(text)
	}
	start := strings.LastIndexByte(text[:at], '\n') + 1
	rest := text[start:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 && start+i > at {
		rest = rest[:i]
	}
	if len(rest) > 200 {
		rest = rest[:200]
	}
	return rest
}

// respelled writes every let as \let: the parser reads the words of let as
// arithmetic and takes a pipe behind them for an operator. The quoted name is
// an ordinary command, whose words end where bash ends them. It writes !(a) in
// place of a command as ! (a), which it is unless extglob is on.
func respelled(file *syntax.File, text string) string {
	extglob := strings.Contains(text, "extglob")
	if !strings.Contains(text, "let") && (extglob || !strings.Contains(text, "!(")) {
		return text
	}
	added := map[int]string{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.LetClause:
			added[int(n.Let.Offset())] = `\`
		case *syntax.CallExpr:
			if len(n.Args) > 0 && !extglob {
				g, ok := n.Args[0].Parts[0].(*syntax.ExtGlob)
				if ok && g.Op == syntax.GlobExcept && len(n.Assigns) == 0 {
					added[int(g.OpPos.Offset())+1] = " "
				}
			}
		}
		return true
	})
	for _, i := range slices.Backward(slices.Sorted(maps.Keys(added))) {
		if i <= len(text) {
			text = text[:i] + added[i] + text[i:]
		}
	}
	return text
}
