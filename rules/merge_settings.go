package rules

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// A settingsMerge holds the values in force while files are merged, by key;
// settings with two halves have an entry for each.
type settingsMerge struct {
	table  []setting
	values map[string]any
	pinned map[string]bool // lower layers can only tighten
	extra  []string        // scan_extra of all files
	// ownManaged and ownUser are what rules of those layers are judged with when
	// they are locked.
	ownManaged, ownUser map[string]any
}

// splitHalves gives a setting's entries: unparseable is judged half by half.
func splitHalves(name string, v any) map[string]any {
	if name != "unparseable" {
		return map[string]any{name: v}
	}
	out := map[string]any{}
	h := halves(v, unreadShape.halves)
	for i, half := range unreadShape.halves {
		if h[i] != "" {
			out[name+"."+half] = h[i]
		}
	}
	return out
}

// settings merges the settings of all files (trust.md 3).
func (m *merger) settings(docs []*doc) *settingsMerge {
	s := &settingsMerge{table: settingsTable(), values: map[string]any{}, pinned: map[string]bool{}, ownManaged: map[string]any{}}
	for _, d := range docs {
		switch d.Layer {
		case Managed:
			s.managed(d)
		case User:
			s.user(d)
		default:
			s.lower(m, d)
		}
		if d.Layer == User {
			s.ownUser = maps.Clone(s.values)
		}
	}
	return s
}

func (s *settingsMerge) managed(d *doc) {
	for _, name := range sortedKeys(d.Settings) {
		if name == "locked" {
			d.ignoreOnce("settings.locked")
			continue
		}
		if name == "scan_extra" {
			s.extra = append(s.extra, textList(d.Settings[name])...)
			continue
		}
		st := findSetting(s.table, name)
		if st.power == ownRules {
			continue
		}
		for k, v := range splitHalves(name, d.Settings[name]) {
			s.ownManaged[k] = v
			if st.power != perFile { // those are for the managed rules alone
				s.values[k] = v
				s.pinned[k] = true
			}
		}
	}
}

// user takes a user file's block as the peer does: as a whole, so that keys it
// does not set fall back to the defaults. Keys beyond the peer's stay.
func (s *settingsMerge) user(d *doc) {
	if !d.Has {
		return
	}
	s.reset()
	for _, name := range sortedKeys(d.Settings) {
		st := findSetting(s.table, name)
		switch {
		case st.power == ownRules, st.power == userOnly:
		case st.power == topOnly:
			d.ignoreOnce("settings." + name)
		case name == "scan_extra":
			s.extra = append(s.extra, textList(d.Settings[name])...)
		default:
			for k, v := range splitHalves(name, d.Settings[name]) {
				s.tightenOr(d, st, k, v)
			}
		}
	}
	switch v := d.Settings["locked"].(type) {
	case bool:
		for _, st := range s.table {
			s.pin(st.name)
		}
	case []any:
		for _, name := range textList(v) {
			s.pin(name)
		}
	}
}

func (s *settingsMerge) pin(name string) {
	if name == "unparseable" {
		for _, half := range unreadShape.halves {
			s.pinned[name+"."+half] = true
		}
	}
	s.pinned[name] = true
}

// reset sets the peer's keys back to their defaults, pinned ones excepted.
func (s *settingsMerge) reset() {
	for _, st := range s.table {
		if !st.peer {
			continue
		}
		for _, k := range []string{st.name, st.name + ".interactive", st.name + ".auto"} {
			if !s.pinned[k] {
				delete(s.values, k)
			}
		}
	}
}

// lower merges the settings of a project or nested file.
func (s *settingsMerge) lower(m *merger, d *doc) {
	if !d.Has {
		return
	}
	before := maps.Clone(s.values)
	if d.Layer == ProjectFile {
		s.reset()
	}
	for _, name := range sortedKeys(d.Settings) {
		st := findSetting(s.table, name)
		switch {
		case st.power == ownRules:
		case name == "scan_extra" && d.Layer == ProjectFile:
			s.extra = append(s.extra, textList(d.Settings[name])...)
		case st.power == repoOnly && d.Layer == ProjectFile && d.Settings[name] == "repo":
			s.values[name] = "repo"
		case st.power == perFile && d.Layer == ProjectFile:
			if s.pinned[name] {
				d.ignoreOnce("settings." + name)
				continue
			}
			s.values[name] = d.Settings[name]
		case st.power == strictness:
			for k, v := range splitHalves(name, d.Settings[name]) {
				s.tightenOr(d, st, k, v)
			}
		default:
			d.ignoreOnce("settings." + name)
		}
	}
	if d.Layer == ProjectFile {
		s.tellWeaker(m, d, before)
	}
}

// tightenOr sets a value; where it is pinned, or the file is nested, only a
// stricter one counts.
func (s *settingsMerge) tightenOr(d *doc, st *setting, k string, v any) {
	if !s.pinned[k] && d.Layer != Nested {
		s.values[k] = v
		return
	}
	now := s.value(k)
	switch {
	case st.weak == nil, st.weak(now, v):
		d.ignoreOnce("settings." + k)
	default:
		s.values[k] = v
	}
}

// value is what is in force for a key, its default if nothing is set.
func (s *settingsMerge) value(k string) any {
	if v, ok := s.values[k]; ok {
		return v
	}
	return defaultValue(k)
}

// defaultValue gives the default of a setting that can be weakened.
func defaultValue(k string) any {
	d := defaultSettings()
	switch k {
	case "finish_retries":
		n, _ := number(d.FinishRetries)
		return n
	case "unparseable.interactive":
		return d.UnparseableAsked.String()
	case "unparseable.auto":
		return d.UnparseableAuto.String()
	case "announce":
		return d.Announce
	case "scan_output":
		return d.ScanOutput
	case "memory_first":
		return d.MemoryFirst
	case "on_error":
		return d.OnError
	case "announce_max":
		n, _ := number(d.AnnounceMax)
		return n
	case "max_line":
		n, _ := number(d.MaxLine)
		return n
	}
	return nil
}

// tellWeaker notes the user's settings that a project file made weaker.
func (s *settingsMerge) tellWeaker(m *merger, d *doc, before map[string]any) {
	for _, st := range s.table {
		if st.weak == nil {
			continue
		}
		for _, k := range []string{st.name, st.name + ".interactive", st.name + ".auto"} {
			old, ok := before[k]
			if !ok {
				continue
			}
			if now := s.value(k); now != nil && st.weak(old, now) {
				m.weak(d).settings = append(m.weak(d).settings, fmt.Sprintf("%s %s -> %s", k, plainValue(old), plainValue(now)))
			}
		}
	}
}

// result fills a Settings.
func (s *settingsMerge) result() Settings {
	out := s.resultOf(s.values)
	out.ScanExtra = slices.Clone(s.extra)
	return out
}

func (s *settingsMerge) resultOf(values map[string]any) Settings {
	out := defaultSettings()
	for _, st := range s.table {
		if st.set == nil || st.name == "scan_extra" {
			continue
		}
		if st.name == "unparseable" {
			m := map[string]any{}
			for _, half := range unreadShape.halves {
				if v, ok := values[st.name+"."+half]; ok {
					m[half] = v
				}
			}
			st.set(&out, m)
			continue
		}
		if v, ok := values[st.name]; ok {
			st.set(&out, v)
		}
	}
	return out
}

// ownSettings gives managed and locked rules the settings of their own files.
func (m *merger) ownSettings(s *settingsMerge) {
	for i := range m.rules {
		r := &m.rules[i]
		if !r.Locked {
			continue
		}
		values := s.ownUser
		if r.Layer == Managed {
			values = s.ownManaged
		}
		own := s.resultOf(values)
		r.Retries, r.Counting = own.Retries, own.RetryCounting
	}
}

func packDigest(text string) (sum [32]byte) {
	b, err := hex.DecodeString(text)
	if err == nil {
		copy(sum[:], b)
	}
	return sum
}
