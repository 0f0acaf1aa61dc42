package rules

import (
	"fmt"
	"time"
)

// A power says what the settings of lower layers may do (trust.md 3).
type power uint8

const (
	ownRules   power = iota // for rules of the same file only
	perFile                 // project: as the peer; nested: no
	strictness              // pinned by managed files; lower layers tighten
	higherOnly              // managed and user files
	addOnly                 // project files may add
	userOnly                // user files (managed: implied)
	topOnly                 // managed files
	repoOnly                // higherOnly, but a project may say "repo"
)

// A setting is one key of settings.
type setting struct {
	key
	power power
	peer  bool                       // reset by a later file's block
	set   func(s *Settings, v any)   // stores a checked value; nil: nothing to store
	weak  func(before, now any) bool // strictness: now is weaker than before
}

var (
	modeNames    = enumShape{"block", "warn", "ask", "retry", "stop", "log"}
	scopeNames   = enumShape{"session", "project"}
	unreadNames  = enumShape{"ask", "note", "deny", "allow"}
	maybeNames   = enumShape{"refuse", "ask", "note"}
	countNames   = enumShape{"cumulative", "consecutive", "hybrid"}
	unreadShape  = pairOrShape{unreadNames, [2]string{"interactive", "auto"}}
	maybeShape   = pairOrShape{maybeNames, [2]string{"read", "write"}}
	defaultTTL   = 10 * time.Minute
	maxLineBytes = 131072
)

// settingsTable lists the settings in the order documents name them.
func settingsTable() []setting {
	integer := func(v any) int { n, _ := wholeNumber(v); return n }
	word := func(v any) string { s, _ := v.(string); return s }
	truthy := func(v any) bool { b, _ := v.(bool); return b }
	lessBool := func(before, now any) bool { return truthy(before) && !truthy(now) }
	return []setting{
		{key: key{name: "mode", shape: modeNames, doc: "Default mode of this file's rules.", example: "block"}, power: ownRules, peer: true},
		{key: key{name: "scope", shape: scopeNames, doc: "Default memory of this file's rules.", example: "session"}, power: ownRules, peer: true},
		{
			key: key{name: "retries", shape: intShape{min: 1}, doc: "The try that asks, for mode retry.", example: "3"}, power: perFile, peer: true,
			set: func(s *Settings, v any) { s.Retries = integer(v) },
		},
		{
			key: key{name: "retry_counting", shape: countNames, doc: "What counts as a try, for mode retry.", example: "cumulative"}, power: perFile, peer: true,
			set: func(s *Settings, v any) { s.RetryCounting = word(v) },
		},
		{
			key: key{name: "report", shape: intShape{min: 1}, doc: "How many broken rules of the deciding mode one refusal names.", example: "3"}, power: perFile, peer: true,
			set: func(s *Settings, v any) { s.Report = integer(v) },
		},
		{
			key: key{name: "finish_retries", shape: intShape{min: 0}, doc: "How often per turn the agent is sent back for finally rules.", example: "2"}, power: strictness, peer: true,
			set:  func(s *Settings, v any) { s.FinishRetries = integer(v) },
			weak: func(before, now any) bool { return integer(now) < integer(before) },
		},
		{
			key: key{name: "unparseable", shape: unreadShape, doc: "What happens to a command line that cannot be read.", example: "{interactive: ask, auto: deny}"}, power: strictness, peer: true,
			set: func(s *Settings, v any) {
				h := halves(v, unreadShape.halves)
				if h[0] != "" {
					s.UnparseableAsked = unparseable(h[0])
				}
				if h[1] != "" {
					s.UnparseableAuto = unparseable(h[1])
				}
			},
			weak: func(before, now any) bool { return unparseable(word(now)) < unparseable(word(before)) },
		},
		{
			key: key{name: "announce", shape: boolShape{}, doc: "List the rules at session start.", example: "true"}, power: strictness, peer: true,
			set: func(s *Settings, v any) { s.Announce = truthy(v) }, weak: lessBool,
		},
		{
			key: key{name: "scan_output", shape: boolShape{}, doc: "Look for credentials in results.", example: "true"}, power: strictness, peer: true,
			set: func(s *Settings, v any) { s.ScanOutput = truthy(v) }, weak: lessBool,
		},
		{
			key: key{name: "memory_first", shape: boolShape{}, doc: "Advise a rule before the agent writes to its own instruction files.", example: "true"}, power: strictness, peer: true,
			set: func(s *Settings, v any) { s.MemoryFirst = truthy(v) }, weak: lessBool,
		},
		{key: key{name: "maybe", shape: maybeShape, doc: "What a match does that is only maybe: default of this file's rules.", example: "{read: note, write: ask}"}, power: ownRules},
		{
			key: key{name: "on_error", shape: enumShape{"ask", "deny"}, doc: "What happens to a call when the guard itself is in trouble.", example: "ask"}, power: strictness,
			set:  func(s *Settings, v any) { s.OnError = word(v) },
			weak: func(before, now any) bool { return word(before) == "deny" && word(now) != "deny" },
		},
		{
			key: key{name: "announce_max", shape: intShape{min: 0}, doc: "Characters of the announcement.", example: "4000"}, power: strictness,
			set:  func(s *Settings, v any) { s.AnnounceMax = integer(v) },
			weak: func(before, now any) bool { return integer(now) < integer(before) },
		},
		{
			key: key{name: "max_line", shape: intShape{min: 1, max: maxLineBytes}, doc: "Bytes of a command line that are read; a longer one is not analysable.", example: "131072"}, power: strictness,
			set:  func(s *Settings, v any) { s.MaxLine = integer(v) },
			weak: func(before, now any) bool { return integer(now) > integer(before) },
		},
		{
			key: key{name: "scan_extra", shape: regexListShape{}, doc: "Further regular expressions that the output scan looks for.", example: "['corp_[a-z0-9]{32}']"}, power: addOnly,
			set: func(s *Settings, v any) { s.ScanExtra = append(s.ScanExtra, textList(v)...) },
		},
		{
			key: key{name: "keep", shape: keepShape, doc: "Raw calls kept; checkpoints keep the facts of older ones.", example: "{session: 100000, project: 1000000}"}, power: higherOnly,
			set: func(s *Settings, v any) {
				m, _ := v.(map[string]any)
				if m["session"] != nil {
					s.KeepSession = integer(m["session"])
				}
				if m["project"] != nil {
					s.KeepProject = integer(m["project"])
				}
			},
		},
		{
			key: key{name: "reservation_ttl", shape: durationShape{}, doc: "How long a call in flight counts.", example: "10m"}, power: higherOnly,
			set: func(s *Settings, v any) { d, _ := duration(v); s.ReservationTTL = int64(d) },
		},
		{
			key: key{name: "project_memory", shape: enumShape{"worktree", "repo"}, doc: "Whether the worktrees of a repository share the project memory.", example: "worktree"}, power: repoOnly,
			set: func(s *Settings, v any) { s.ProjectMemory = word(v) },
		},
		{
			key: key{name: "shadow", shape: boolShape{}, doc: "Judge and record everything, refuse nothing.", example: "false"}, power: higherOnly,
			set: func(s *Settings, v any) { s.Shadow = truthy(v) },
		},
		{key: key{name: "locked", shape: anyShape{trueShape{}, listShape{"settings"}}, doc: "Settings that no project file can weaken: true for all, or a list.", example: "[unparseable]"}, power: userOnly},
		{
			key: key{name: "exceptions", shape: enumShape{"own", "any", "none"}, doc: "For which rules a person can let one call pass.", example: "own"}, power: topOnly,
			set: func(s *Settings, v any) { s.Exceptions = word(v) },
		},
		{key: key{name: "evidence", shape: freeShape{}, later: true}, power: higherOnly},
		{key: key{name: "redact", shape: freeShape{}, later: true}, power: higherOnly},
		{key: key{name: "metrics", shape: freeShape{}, later: true}, power: higherOnly},
		{key: key{name: "mcp", shape: freeShape{}, later: true}, power: higherOnly},
		{key: key{name: "lookahead", shape: freeShape{}, later: true}},
		{key: key{name: "mode_floor", shape: freeShape{}, later: true}},
	}
}

var keepShape = objectShape{min: 1, keys: []key{
	{name: "session", shape: intShape{min: 0}, doc: "Calls of a session.", example: "100000"},
	{name: "project", shape: intShape{min: 0}, doc: "Calls of the project.", example: "1000000"},
}}

// defaultSettings are those of no file.
func defaultSettings() Settings {
	return Settings{
		Retries: 3, RetryCounting: "cumulative", Report: 3, FinishRetries: 2,
		UnparseableAsked: UnparseableAsk, UnparseableAuto: UnparseableNote,
		Announce: true, AnnounceMax: 4000, ScanOutput: true, MemoryFirst: true,
		OnError: "ask", ProjectMemory: "worktree", MaxLine: maxLineBytes,
		KeepSession: 100_000, KeepProject: 1_000_000, ReservationTTL: int64(defaultTTL),
		Exceptions: "own", AllowProjectRules: true,
	}
}

func settingKeys(table []setting) []key {
	keys := make([]key, len(table))
	for i, s := range table {
		keys[i] = s.key
	}
	return keys
}

func findSetting(table []setting, name string) *setting {
	for i := range table {
		if table[i].name == name {
			return &table[i]
		}
	}
	return nil
}

// halves splits a word, or a mapping that gives words, in two; "" is unset.
func halves(v any, names [2]string) [2]string {
	if s, ok := v.(string); ok {
		return [2]string{s, s}
	}
	m, _ := v.(map[string]any)
	a, _ := m[names[0]].(string)
	b, _ := m[names[1]].(string)
	return [2]string{a, b}
}

func unparseable(s string) Unparseable {
	switch s {
	case "allow":
		return UnparseableAllow
	case "note":
		return UnparseableNote
	case "deny":
		return UnparseableDeny
	default:
		return UnparseableAsk
	}
}

func (u Unparseable) String() string { return [...]string{"allow", "note", "ask", "deny"}[u] }

func maybeOf(s string) Maybe {
	switch s {
	case "ask":
		return MaybeAsk
	case "note":
		return MaybeNote
	default:
		return MaybeRefuse
	}
}

func (m Maybe) String() string { return [...]string{"refuse", "ask", "note"}[m] }

// maybePair reads a maybe; halves that are not given are base's.
func maybePair(v any, base MaybePair) MaybePair {
	h := halves(v, maybeShape.halves)
	if h[0] != "" {
		base.Read = maybeOf(h[0])
	}
	if h[1] != "" {
		base.Write = maybeOf(h[1])
	}
	return base
}

func modeOf(s string) Mode {
	for m := Log; m <= Stop; m++ {
		if m.String() == s {
			return m
		}
	}
	return Block
}

func scopeOf(s string) Scope {
	if s == "project" {
		return Project
	}
	return Session
}

func textList(v any) []string {
	items, _ := v.([]any)
	var out []string
	for _, e := range items {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

type trueShape struct{}

func (trueShape) check(v any) string {
	if v == true {
		return ""
	}
	return "true"
}

func (trueShape) schema() map[string]any { return map[string]any{"const": true} }

// A regexListShape is a list of regular expressions.
type regexListShape struct{}

func (regexListShape) check(v any) string {
	items, ok := v.([]any)
	if !ok {
		return "a list of regular expressions"
	}
	for _, e := range items {
		s, ok := e.(string)
		if !ok {
			return "a list of regular expressions"
		}
		if _, err := parseRegexp(s); err != nil {
			return fmt.Sprintf("a list of regular expressions (%s)", regexWords(err))
		}
	}
	return ""
}

func (regexListShape) schema() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": "string", "format": "regex"}}
}
