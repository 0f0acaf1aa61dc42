package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// useKeys are the options of an element of use.
func useKeys() []key {
	return []key{
		{name: "mode", shape: modeNames, doc: "Mode of the entry's rules.", example: "ask"},
		{name: "scope", shape: scopeNames, doc: "Memory of the entry's rules.", example: "project"},
		{name: "from", shape: listOrShape{fromShape}, doc: "The statement that the entry stands for.", example: "1a2b3c4d5e"},
		{name: "shadow", shape: boolShape{}, doc: "Judge and record, refuse nothing.", example: "true"},
		{name: "maybe", shape: maybeShape, doc: "What a match does that is only maybe.", example: "ask"},
		{name: "expect", shape: expectShape{}, doc: "The digest of the entry, as library ID prints it.", example: `"sha256:ab12.."`},
		{name: "except", later: true, shape: freeShape{}},
	}
}

type expectShape struct{}

var expectPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^sha256:[0-9a-f]{64}$`) })

func (expectShape) check(v any) string {
	if s, ok := v.(string); ok && expectPattern().MatchString(s) {
		return ""
	}
	return "sha256: and 64 hexadecimal digits"
}

func (expectShape) schema() map[string]any {
	return map[string]any{"type": "string", "pattern": `^sha256:[0-9a-f]{64}$`}
}

type useShape struct{}

func (useShape) check(any) string { return "" }
func (useShape) schema() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"anyOf": []any{
		map[string]any{"type": "string"},
		map[string]any{"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": orNull(objectShape{keys: useKeys()}.schema())},
	}}}
}

// useOptions change the rules of an entry.
type useOptions struct {
	mode, scope, maybe any
	from               []From
	shadow             bool
	expect             string
}

func (r *fileReader) use(f field) {
	items, ok := r.list(f, "packaged rules")
	if !ok {
		return
	}
	for _, n := range items {
		r.at = n.Line
		switch v := value(n).(type) {
		case string:
			r.entry(v, useOptions{}, n.Line)
		case map[string]any:
			if len(v) != 1 {
				r.problem(0, "", "use: an element names one id: - {ID: {mode, scope, from}}")
				continue
			}
			for _, k := range fields(n) {
				r.entry(k.key, r.useOptions(k), n.Line)
			}
		default:
			r.problem(0, "", fmt.Sprintf("use is a list of ids, or of {id: {mode, scope, from}}, not %s", describe(v)))
		}
	}
}

func (r *fileReader) useOptions(f field) useOptions {
	var o useOptions
	v := value(f.node)
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		r.problem(0, "", fmt.Sprintf("use: %s takes a mapping of options, not %s", f.key, describe(v)))
	}
	keys := useKeys()
	for _, name := range sortedKeys(m) {
		k := findKey(keys, name)
		if k == nil || k.later {
			r.problem(0, "", unknownKey("use: "+f.key, name, keys))
			continue
		}
		if m[name] == nil {
			continue
		}
		if msg := k.shape.check(m[name]); msg != "" {
			r.problem(0, "", fmt.Sprintf("use: %s: %s is %s, not %s%s", f.key, name, msg, describe(m[name]), meant(k.shape, m[name])))
			continue
		}
		switch name {
		case "mode":
			o.mode = m[name]
		case "scope":
			o.scope = m[name]
		case "maybe":
			o.maybe = m[name]
		case "from":
			o.from = fromOf(m[name])
		case "shadow":
			o.shadow = m[name].(bool)
		case "expect":
			o.expect = m[name].(string)
		}
	}
	return o
}

// packName is the form of a named pack, org/NAME.
var packName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9-]+/[a-z0-9-]+$`) })

// entry switches on a packaged entry, a local pack or a named one.
func (r *fileReader) entry(name string, o useOptions, line int) {
	if r.builtin(name, o) {
		return
	}
	switch {
	case strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || strings.HasPrefix(name, "/") || strings.HasSuffix(name, ".yaml"):
		r.localPack(name, o, line)
	case packName().MatchString(name):
		r.namedPack(name, o, line)
	default:
		text, ok := libraryText(name)
		if !ok {
			r.problem(0, "", fmt.Sprintf("use: there is no packaged rule %s%s", name, didYouMean(name, libraryNames())))
			return
		}
		r.expand(entryText{id: name, text: text, source: "library:" + name}, o, line, nil)
	}
}

// builtin handles use: of a rule that the program brings along: a managed or
// user file may set its mode.
func (r *fileReader) builtin(name string, o useOptions) bool {
	if !slices.Contains(builtinIDs[:], name) {
		return false
	}
	if r.Layer >= ProjectFile {
		r.ignore("use." + name)
		return true
	}
	b := builtinUse{ID: name, Shadow: o.shadow}
	if s, ok := o.mode.(string); ok {
		m := modeOf(s)
		b.Mode = &m
	}
	if o.maybe != nil {
		p := maybePair(o.maybe, MaybePair{})
		b.Maybe = &p
	}
	r.Builtins = append(r.Builtins, b)
	return true
}

// builtinIDs are the rules that the program brings along. Only memory-first can
// be switched off by a project file (trust.md 3).
var builtinIDs = [...]string{"memory-first", "protect-guard", "no-unguarded-subagents"}

func (r *fileReader) localPack(name string, o useOptions, line int) {
	folder := filepath.Dir(r.Path)
	path := filepath.Join(folder, name)
	if filepath.IsAbs(name) || strings.Contains(name, "..") || !within(path, folder) {
		r.problem(0, "", fmt.Sprintf("use: %s: a local pack lies below the folder of this file", name))
		return
	}
	r.pack(name, path, folder, o, line)
}

func (r *fileReader) namedPack(name string, o useOptions, line int) {
	dirs := slices.Clone(r.o.PackDirs)
	switch r.Layer {
	case Managed:
		dirs = dirs[:min(1, len(dirs))]
	case ProjectFile, Nested:
		if root := r.o.Context.Root; root != "" {
			dirs = append(dirs, filepath.Join(root, ".agentltl", "packs"))
		}
	default:
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, filepath.FromSlash(name)+".yaml")
		if ruleFileAt(path) {
			r.pack(name, path, dir, o, line)
			return
		}
	}
	r.problem(0, "", fmt.Sprintf("use: the pack %s is in none of its places", name))
}

// pack reads an entry file outside the program. It must lie in its place after
// links are resolved.
func (r *fileReader) pack(name, path, place string, o useOptions, line int) {
	res := readInside(path, place)
	if res.err == nil && !insideReal(path, place) {
		res.err = errOutside
	}
	if res.err != nil {
		r.problem(0, "", fmt.Sprintf("use: %s: %s", name, res.err))
		return
	}
	sum := sha256.Sum256(res.text)
	r.Packs = append(r.Packs, packUse{Path: path, Digest: hex.EncodeToString(sum[:])})
	r.expand(entryText{id: name, text: res.text, source: "pack:" + name, path: path}, o, line, nil)
}

func insideReal(path, place string) bool {
	p, err1 := filepath.EvalSymlinks(path)
	q, err2 := filepath.EvalSymlinks(place)
	return err1 == nil && err2 == nil && within(p, q)
}

// An entryText is an entry file about to be read.
type entryText struct {
	id, source string
	text       []byte
	path       string // of a pack; "" packaged
}

// entryKeys are the keys of an entry file (library.md).
var entryKeys = [...]string{"summary", "tags", "rules", "tools", "include", "harnesses", "rev", "changes", "examples", "needs", "covers"}

// expand adds an entry's rules and specs; bundles in place, a rule id once.
func (r *fileReader) expand(e entryText, o useOptions, line int, inside []string) {
	if o.expect != "" && o.expect != expectDigest(e.text) {
		r.problem(0, "", fmt.Sprintf("use: %s: its digest is %s, not the expected one", e.id, expectDigest(e.text)))
		return
	}
	if slices.Contains(inside, e.id) {
		r.problem(0, "", fmt.Sprintf("use: the bundle %s includes itself: %s", e.id, strings.Join(append(inside, e.id), " -> ")))
		return
	}
	root, err := parseYAML(e.text)
	if err != nil || root == nil || root.Kind != yaml.MappingNode {
		r.entryProblem(e, err)
		return
	}
	top := map[string]field{}
	for _, f := range fields(root) {
		if !slices.Contains(entryKeys[:], f.key) {
			r.problem(0, "", fmt.Sprintf("use: %s: unknown key %q in an entry file%s", e.id, f.key, didYouMean(f.key, entryKeys[:])))
		}
		top[f.key] = f
	}
	if hs := top["harnesses"]; hs.node != nil && !forHarness(canonicalHarnesses(textList(value(hs.node))), r.o.Harness) {
		return
	}
	r.entryRules(e, top["rules"], o, line)
	r.entryTools(e, top["tools"])
	for _, id := range textList(value(top["include"].node)) {
		text, ok := libraryText(id)
		if !ok {
			r.problem(0, "", fmt.Sprintf("use: %s includes %s, which is no packaged rule%s", e.id, id, didYouMean(id, libraryNames())))
			continue
		}
		inner := o
		inner.expect = ""
		r.expand(entryText{id: id, text: text, source: "library:" + id}, inner, line, append(slices.Clone(inside), e.id))
	}
}

func (r *fileReader) entryProblem(e entryText, err *yamlError) {
	msg := "an entry file is a mapping with rules"
	if err != nil {
		msg = err.msg
		if e.path != "" && err.line > 0 {
			msg = fmt.Sprintf("line %d: %s", err.line, msg)
		}
	}
	r.problem(0, "", fmt.Sprintf("use: %s: %s", e.id, msg))
}

func (r *fileReader) entryRules(e entryText, f field, o useOptions, line int) {
	if f.node == nil {
		return
	}
	// The entry's rules take the file's defaults; what is wrong with them is said
	// with the entry's name at the line of use.
	sub := &fileReader{
		doc: &doc{Layer: r.Layer, Path: e.id, Folder: r.Folder},
		o:   r.o, ids: map[string]bool{}, mode: r.mode, scope: r.scope, maybe: MaybePair{},
	}
	for _, n := range deref(f.node).Content {
		d, ok := sub.rule(n, e.source, r.mode)
		if !ok {
			continue
		}
		if o.mode != nil {
			d.Mode = modeOf(o.mode.(string))
		}
		if o.scope != nil {
			d.Scope = scopeOf(o.scope.(string))
		}
		if o.maybe != nil {
			d.Maybe = maybePair(o.maybe, d.Maybe)
		}
		if o.from != nil {
			d.From = o.from
		}
		d.Shadow = d.Shadow || o.shadow
		d.File, d.Line = r.Path, line
		// Examples of an entry are judged where it is written, not where it is used.
		if !r.o.entryExamples {
			d.examples = nil
		}
		if !slices.ContainsFunc(r.packaged, func(x def) bool { return x.ID == d.ID }) {
			r.packaged = append(r.packaged, d)
		}
	}
	for _, p := range sub.problems {
		r.problem(0, p.Rule, fmt.Sprintf("use: %s: %s", e.id, p.Msg))
	}
	for _, k := range sub.Ignored {
		r.ignore(k)
	}
}

func (r *fileReader) entryTools(e entryText, f field) {
	if f.node == nil || isNull(f.node) || deref(f.node).Kind != yaml.MappingNode {
		return
	}
	for _, k := range fields(f.node) {
		if !slices.ContainsFunc(r.Tools, func(t toolDef) bool { return t.Name == k.key }) {
			r.Tools = append(r.Tools, r.tool(k, e.id)...)
		}
	}
}
