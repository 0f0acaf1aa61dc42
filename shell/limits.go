package shell

// Bounds on work, counted so that the same line always gives the same answer
// (shell.md 4.8). What is over them is unresolved, never left out in silence.
const (
	maxLine     = 128 << 10 // bytes of a line
	maxNesting  = 200       // open brackets and backquotes: the parser recurses
	maxCalls    = 2000
	maxValues   = 64     // of an unrolled loop
	maxBraces   = 256    // words of a brace expansion
	maxDepth    = 16     // nested functions, scripts and texts
	maxSteps    = 20_000 // statements, words and copies
	copyCost    = 8      // entries of a map copied in one step
	maxArith    = 400    // nesting of one arithmetic expression
	maxFiles    = 64     // read through the view of the disk
	maxFileSize = 64 << 10
	maxNames    = 10_000 // directory entries
	maxValueLen = 64 << 10
	maxUnread   = 200 // unresolved parts listed
)

// refuse says whether the line is not to be parsed at all.
func (w *walker) refuse() bool {
	line := w.req.Command
	limit := maxLine
	if w.req.MaxLine > 0 {
		limit = min(limit, w.req.MaxLine)
	}
	switch {
	case w.req.Dialect == Pwsh:
		if blank(line) {
			return true
		}
		w.note("dialect", line, 0)
	case len(line) > limit:
		w.noteLimit("the line has more bytes than are read", line)
	case !nestingFits(line):
		w.noteLimit("brackets are nested too deep, or the line holds a NUL byte", line)
	default:
		return false
	}
	return true
}

// nestingFits counts open brackets without looking at quotes: it may refuse a
// line that the parser could take. Backquotes need no count: each level doubles
// the backslashes, so a line holds few.
func nestingFits(s string) bool {
	open := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case 0:
			return false
		case '(', '{':
			if open++; open > maxNesting {
				return false
			}
		case ')', '}':
			open = max(open-1, 0)
		}
	}
	return true
}

// spend uses up work; false says that none is left.
func (w *walker) spend(n int) bool {
	w.steps += n
	if w.steps > maxSteps && !w.full {
		w.full = true
		w.noteLimit("the line needs more work than is done", w.req.Command)
	}
	return !w.full
}

func (w *walker) noteLimit(why, src string) {
	if len(src) > 200 {
		src = src[:200]
	}
	w.unresolved = append(w.unresolved, Unresolved{
		Code: "limits", Reason: why + "; split it into shorter lines", Source: src,
	})
}

func blank(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\r':
		default:
			return false
		}
	}
	return true
}
