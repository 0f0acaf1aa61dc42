package rules

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentltl/agentltl-hook/ltl"
)

// A Level is how grave a finding is.
type Level byte

// The levels.
const (
	LevelE Level = 'E' // the rule cannot do what it says
	LevelW Level = 'W' // it probably does not do what was meant
	LevelI Level = 'I' // it could be better
)

// A Finding is one line of lint. Codes are stable (rules.md 20).
type Finding struct {
	Code  string
	Level Level
	Pos   Pos
	Rule  string
	Msg   string
}

func (f Finding) String() string {
	if f.Rule == "" {
		return fmt.Sprintf("%s: %s %s", f.Pos, f.Code, f.Msg)
	}
	return fmt.Sprintf("%s: %s rule %q: %s", f.Pos, f.Code, f.Rule, f.Msg)
}

// A check is one lint code.
type check struct {
	code  string
	level Level
	run   func(l *linter)
}

// checks lists the codes of this release.
func checks() []check {
	return []check{
		{"L001", LevelW, (*linter).unknownTools},
		{"L002", LevelW, (*linter).unknownArguments},
		{"L003", LevelW, (*linter).shellTool},
		{"L004", LevelE, (*linter).strayVariables},
		{"L005", LevelW, (*linter).argumentTypes},
		{"L006", LevelW, (*linter).whereOnLists},
		{"L007", LevelW, (*linter).neverSucceeded},
		{"L010", LevelE, (*linter).contradictions},
		{"L011", LevelE, (*linter).cycles},
		{"L014", LevelE, (*linter).constants},
		{"L015", LevelW, (*linter).twins},
		{"L016", LevelW, (*linter).formulaTraps},
		{"L017", LevelW, (*linter).yamlOddities},
		{"L018", LevelI, (*linter).missingWords},
		{"L019", LevelW, (*linter).shellRegexps},
		{"L020", LevelW, (*linter).dates},
		{"L021", LevelW, (*linter).ignoredKeys},
		{"L022", LevelW, (*linter).ignoredSpecs},
	}
}

// Lint looks for what is probably not meant in a set that loaded. today is the
// date that review_by and until are compared with. Rules of the program itself
// are not looked at; of packaged entries only what their use brings about.
func Lint(s *Set, today time.Time) []Finding {
	l := &linter{set: s, today: today, tools: newToolBook(s.Specs)}
	for i := range s.Rules {
		if s.Rules[i].Layer != BuiltIn {
			l.read(&s.Rules[i], &s.defs[i])
		}
	}
	for _, c := range checks() {
		l.code, l.level = c.code, c.level
		c.run(l)
	}
	out := slices.DeleteFunc(l.out, func(f Finding) bool { return s.silenced(f) })
	slices.SortStableFunc(out, func(a, b Finding) int {
		if c := strings.Compare(a.Pos.File, b.Pos.File); c != 0 {
			return c
		}
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return strings.Compare(a.Code, b.Code)
	})
	return out
}

// A linter is one run of Lint.
type linter struct {
	set   *Set
	today time.Time
	tools *toolBook
	rules []*linted
	code  string
	level Level
	out   []Finding
}

// A linted is a rule taken apart.
type linted struct {
	*Rule
	def     *def
	targets []*target
	named   map[string]*target // first, then, since, call, ...
	formula ltl.Formula        // of ltl and formula
	own     bool               // written in a file, not packaged
}

// read compiles a rule once more to get at its targets.
func (l *linter) read(r *Rule, d *def) {
	k := kindByName(d.Kind)
	b := &builder{def: d, ctx: &Context{}, kind: k, rule: &Rule{}}
	k.compile(b)
	x := &linted{Rule: r, def: d, targets: b.targets, named: b.named, own: !strings.Contains(d.Source, ":")}
	if d.Kind == "ltl" || d.Kind == "formula" {
		x.formula = b.rule.Formula
	}
	l.rules = append(l.rules, x)
}

func (l *linter) add(r *linted, format string, args ...any) {
	l.addAt(r.Pos, r.ID, format, args...)
}

func (l *linter) addAt(pos Pos, rule, format string, args ...any) {
	f := Finding{Code: l.code, Level: l.level, Pos: pos, Rule: rule, Msg: fmt.Sprintf(format, args...)}
	if !slices.Contains(l.out, f) {
		l.out = append(l.out, f)
	}
}

// silenced says whether a comment above the finding's line silences its code:
// # agentltl: ignore L012
func (s *Set) silenced(f Finding) bool {
	i := slices.IndexFunc(s.docs, func(d *doc) bool { return d.Path == f.Pos.File })
	if i < 0 || f.Pos.Line < 2 {
		return false
	}
	lines := strings.Split(s.docs[i].Text, "\n")
	for n := f.Pos.Line - 2; n >= 0 && n < len(lines); n-- {
		text := strings.TrimSpace(lines[n])
		rest, ok := strings.CutPrefix(text, "#")
		if !ok {
			return false
		}
		codes, ok := strings.CutPrefix(strings.TrimSpace(rest), "agentltl: ignore ")
		if ok && slices.Contains(strings.FieldsFunc(codes, func(r rune) bool { return r == ' ' || r == ',' }), f.Code) {
			return true
		}
	}
	return false
}

// LintCodes lists the codes of this release with their levels.
func LintCodes() map[string]Level {
	out := map[string]Level{}
	for _, c := range checks() {
		out[c.code] = c.level
	}
	return out
}
