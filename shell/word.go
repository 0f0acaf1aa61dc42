package shell

import (
	"strings"

	"github.com/agentltl/agentltl-hook/shell/spec"
)

// A word is one word of a command after the expansions that can be followed.
type word struct {
	typed    string // as written, quotes removed, values known in the line put in: what the fields show of a word that is not known
	text     string // what the program gets, if known; else as typed
	known    bool
	shape    shape
	dyn      bool     // listed in dynamic_args
	closed   bool     // not known, and every unknown piece is closed
	none     bool     // not known, and nothing in a fresh shell
	lists    [][]word // not known, and one of these lists, or what none says
	file     *string  // the text behind the name that <(...) gives
	glob     bool     // known, and holds unquoted glob characters
	split    bool     // not known, and may be none or several words
	open     bool     // not known, and may turn out to be a flag
	quoted   bool     // some part was quoted
	fed      bool     // a placeholder that a runner fills: {} of find -exec
	hole     bool     // begins with an unknown part of a text that is parsed again
	cands    []string // what an unknown word may well be: w of ${X:-w}
	bound    bound
	pieces   []piece // what it was made of, if not all known: eval puts it together again
	tilde    bool    // begins with a tilde that was resolved: the peer shows it as typed
	shownDyn string  // what dynamic_args says in place of typed: the word was split off another
	pos      int
}

func (u word) same(v word) bool {
	return u.typed == v.typed && u.text == v.text && u.known == v.known && u.shape == v.shape
}

// literal is a known word that was not expanded.
func literal(s string, pos int) word {
	return word{typed: s, text: s, known: true, pos: pos}
}

// spec is the word as command specs read it.
func (u word) spec() spec.Word {
	return spec.Word{Text: u.text, Known: u.known, Glob: u.glob, Split: u.split, Open: u.open}
}

// shown is the word as a plain field shows it.
func (u word) shown() string {
	if u.known && u.shape == plain {
		return u.text
	}
	return u.typed
}

// shownPart is how a field shows a value that was found in the word: the value
// of "--file=$HOME/x" is as typed, too.
func (u word) shownPart(value string) string {
	if !u.known || u.shape == plain && !u.tilde || u.typed == u.text {
		return value
	}
	if value == u.text {
		return u.typed
	}
	if head, ok := strings.CutSuffix(u.text, value); ok {
		if tail, ok := strings.CutPrefix(u.typed, head); ok {
			return tail
		}
	}
	return value
}

// isOneOf says whether a letter is among others.
func isOneOf(b byte, letters string) bool { return strings.IndexByte(letters, b) >= 0 }

func allKnown(words []word) bool {
	for _, u := range words {
		if !u.known || u.glob {
			return false
		}
	}
	return true
}

// A piece is a part of a word after expansion.
type piece struct {
	typed   string
	text    string // if known
	known   bool
	quoted  bool
	shape   shape
	glob    bool // unquoted glob characters, of a literal or an unquoted expansion
	many    bool // not known, and any number of words even in quotes: "$@"
	split   bool // known, and subject to word splitting
	one     bool // not known, yet one word that is no flag
	fed     bool // what a runner puts in place of {}
	hole    bool // stands for an unknown part of a text that is parsed again
	escaped bool
	brk     bool // a word ends before this piece: elements of "$@"
	dyn     bool // shown in dynamic_args
	closed  bool // not known: one of the exact texts of its bound, and nothing else
	none    bool // not known, and nothing in a fresh shell
	lists   [][]word
	file    *string
	bound   bound
	home    bool // a tilde: the peer shows it as typed
	cands   []string
	shown   string // what dynamic_args says, if not typed
}

// A hole is an unknown part of a text that is parsed again.
type hole struct {
	typed string
	fed   bool
	bound bound
}

// holeBase is the first of the private characters that stand for holes.
const holeBase = 0xF0000

func (w *walker) isHole(r rune) bool {
	return r >= holeBase && int(r-holeBase) < len(w.holes)
}

// options lists the texts the word can be, if they are known and few.
func (u word) options() ([]string, bool) {
	if u.known {
		return []string{u.text}, !u.glob
	}
	return u.bound.exact, len(u.bound.exact) > 0
}
