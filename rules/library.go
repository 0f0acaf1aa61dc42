package rules

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed library/*.yaml
var libraryFiles embed.FS

// An Entry is one packaged entry, read for listing.
type Entry struct {
	ID        string
	Summary   string
	Tags      []string
	Rev       int
	Include   []string // a bundle: other entries
	Harnesses []string // nil: all
	Rules     []string // ids of its own rules
	Digest    string   // sha256:HEX of its bytes, for use: [{ID: {expect: ..}}]
	Text      []byte
}

// libraryNames lists the packaged entries, sorted.
var libraryNames = sync.OnceValue(func() []string {
	files, err := libraryFiles.ReadDir("library")
	if err != nil {
		panic("rules: packaged entries: " + err.Error())
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(f.Name(), ".yaml")
	}
	return names
})

func libraryText(id string) ([]byte, bool) {
	if strings.ContainsAny(id, `/\`) {
		return nil, false
	}
	b, err := libraryFiles.ReadFile("library/" + id + ".yaml")
	return b, err == nil
}

// Library lists all packaged entries, sorted by id.
func Library() []Entry {
	var out []Entry
	for _, id := range libraryNames() {
		e, _ := LibraryEntry(id)
		out = append(out, e)
	}
	return out
}

// LibraryEntry reads one packaged entry.
func LibraryEntry(id string) (Entry, bool) {
	text, ok := libraryText(id)
	if !ok {
		return Entry{}, false
	}
	e := Entry{ID: id, Text: text, Digest: expectDigest(text)}
	root, _ := parseYAML(text)
	if root == nil || root.Kind != yaml.MappingNode {
		return e, true
	}
	for _, f := range fields(root) {
		v := value(f.node)
		switch f.key {
		case "summary":
			e.Summary, _ = v.(string)
		case "tags":
			e.Tags = textList(v)
		case "rev":
			e.Rev, _ = wholeNumber(v)
		case "include":
			e.Include = textList(v)
		case "harnesses":
			e.Harnesses = canonicalHarnesses(textList(v))
		case "rules":
			items, _ := v.([]any)
			for _, r := range items {
				if m, ok := r.(map[string]any); ok {
					id, _ := m["id"].(string)
					e.Rules = append(e.Rules, id)
				}
			}
		}
	}
	return e, true
}

func expectDigest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// canonicalHarness folds the other names of harnesses (architecture.md 1).
func canonicalHarness(name string) string {
	if name == "mistral-vibe" {
		return "vibe"
	}
	return name
}

func canonicalHarnesses(names []string) []string {
	for i, n := range names {
		names[i] = canonicalHarness(n)
	}
	return names
}

// forHarness says whether an entry with these harnesses applies.
func forHarness(harnesses []string, harness string) bool {
	return len(harnesses) == 0 || harness == "" || slices.Contains(harnesses, canonicalHarness(harness))
}

// LoadEntry loads one packaged entry by itself, with the examples of its rules:
// what a release tests. A bundle's own examples are judged by all of its rules.
func LoadEntry(id string, o LoadOptions) (*Set, Problems) {
	o.entryExamples = true
	return Load([]File{{Layer: ProjectFile, Path: id, Text: []byte("use: [" + id + "]\n")}}, o)
}
