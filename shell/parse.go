package shell

import (
	"errors"
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
	c.src = &source{text: text, offset: pos, nested: nested, file: file, outer: c.src}
	c.top = false
	w.stmts(st, c, file.Stmts)
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
		word, open := unclosed(pe.Text)
		if !open || try == maxDepth {
			w.note("syntax", after(text, at), pos+at)
			return file, text
		}
		if failed == "" {
			failed = text
		}
		text = strings.TrimSuffix(text, "\n") + "\n" + word + "\n"
	}
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
