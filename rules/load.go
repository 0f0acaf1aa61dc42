package rules

import (
	"encoding/json"
	"slices"
	"strings"
)

// LoadOptions are what loading depends on beside the files.
type LoadOptions struct {
	Program  string   // version of the program, for require.min_version
	Harness  string   // canonical name; "": none, all entries apply
	Builtins []File   // rule files of the program itself, layer BuiltIn
	Without  []string // ids left out, built-ins too
	Context  *Context // for the targets
	// PackDirs are where packs named org/NAME are looked up, in order: the managed
	// place, then "packs" in the shared user folder. A project adds its own.
	PackDirs []string
	// LastGood gives the resolved forms of the last files of a layer that loaded,
	// newest first, by key (see [Set.Resolved]); nil: none is known.
	LastGood func(key string) [][]byte
	// Judge checks one example of a rule of the set, in the place that
	// [ExampleContext] makes of Context; "" if it does what it says, else the
	// problem. nil: examples are not checked.
	Judge func(s *Set, r *Rule, e Example) string

	entryExamples bool // keep the examples of packaged entries
}

// Load reads the files of all layers and merges them. The set is never nil: a
// layer whose files have problems is in it with its last rules that loaded, and
// named in Broken. Problems are those of all files, in order.
func Load(files []File, o LoadOptions) (*Set, Problems) {
	if o.Context == nil {
		o.Context = &Context{}
	}
	l := loader{o: &o, broken: map[string]*Broken{}}
	for _, f := range o.Builtins {
		l.builtins = append(l.builtins, readFile(f, &o))
	}
	for _, f := range files {
		l.docs = append(l.docs, readFile(f, &o))
	}
	set := l.merge()
	if failed := o.Judge != nil && l.examples(set); l.specExamples(set) || failed {
		set = l.merge()
	}
	set.Files = files
	return set, l.problems()
}

// problems are those of all files, in order. Where several files have some, each
// message says whose file it is about.
func (l *loader) problems() Problems {
	var out Problems
	files := 0
	all := append(slices.Clip(l.docs), l.builtins...)
	for _, d := range all {
		if len(d.problems) > 0 {
			files++
		}
	}
	for _, d := range all {
		for _, p := range d.problems {
			if files > 1 {
				p.Msg = d.Layer.String() + " file: " + p.Msg
			}
			out = append(out, p)
		}
	}
	return out
}

// A loader holds the files of one Load.
type loader struct {
	o        *LoadOptions
	docs     []*doc
	builtins []*doc
	broken   map[string]*Broken
}

// merge makes the set of the layers' docs, or of their last good ones.
func (l *loader) merge() *Set {
	var docs []*doc
	resolved := map[string][]*doc{}
	var broken []Broken
	for _, key := range l.keys() {
		layer := l.layer(key)
		bad := slices.ContainsFunc(layer, func(d *doc) bool { return len(d.problems) > 0 })
		if !bad {
			resolved[key] = layer
			docs = append(docs, layer...)
			continue
		}
		b := Broken{Layer: layer[0].Layer, Folder: layer[0].Folder}
		for _, d := range layer {
			b.Problems = append(b.Problems, d.problems...)
		}
		if good := l.lastGood(key); good != nil {
			b.LastGood = true
			docs = append(docs, good...)
		} else {
			// What did load of this layer still applies: it can only refuse more.
			docs = append(docs, slices.DeleteFunc(slices.Clone(layer), func(d *doc) bool { return len(d.problems) > 0 })...)
		}
		broken = append(broken, b)
	}
	set := merge(docs, l.builtins, l.o)
	set.resolved, set.docs, set.Broken = resolved, docs, broken
	return set
}

// keys lists the layers in order. A layer's key names it in the store, with its
// folder or files: two harnesses have different user files.
func (l *loader) keys() []string {
	var keys []string
	for _, d := range l.docs {
		if k := layerKey(d, l.docs); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

func (l *loader) layer(key string) []*doc {
	var out []*doc
	for _, d := range l.docs {
		if layerKey(d, l.docs) == key {
			out = append(out, d)
		}
	}
	return out
}

func layerKey(d *doc, all []*doc) string {
	switch d.Layer {
	case Managed:
		return "managed"
	case Nested:
		return "nested:" + d.Folder
	case ProjectFile:
		return "project:" + d.Path
	default:
		key := []string{d.Layer.String()}
		for _, e := range all {
			if e.Layer == d.Layer {
				key = append(key, e.Path)
			}
		}
		return strings.Join(key, ":")
	}
}

// lastGood decodes the newest resolved form of a layer that this program reads
// and whose rules still compile.
func (l *loader) lastGood(key string) []*doc {
	if l.o.LastGood == nil {
		return nil
	}
	for _, b := range l.o.LastGood(key) {
		var docs []*doc
		if decodeJSONInto(b, &docs) == nil && len(docs) > 0 && compiles(docs, l.o.Context) {
			return docs
		}
	}
	return nil
}

func compiles(docs []*doc, ctx *Context) bool {
	for _, d := range docs {
		for i := range d.Rules {
			if kindByName(d.Rules[i].Kind) == nil {
				return false
			}
			if _, problems := compile(&d.Rules[i], ctx); len(problems) > 0 {
				return false
			}
		}
	}
	return true
}

// Resolved gives the resolved form of each layer that loaded without problems,
// by key: it is kept as the layer's last good set.
func (s *Set) Resolved() map[string][]byte {
	out := map[string][]byte{}
	for key, docs := range s.resolved {
		b, err := json.Marshal(docs)
		if err != nil {
			panic("rules: resolved rules: " + err.Error())
		}
		out[key] = b
	}
	return out
}

// ExampleContext is the place that examples are judged in: the project root and
// home folder with nothing on disk. Where they lie in the temporary folder, as in
// a test, others stand for them, so that "outside the project" means the same
// everywhere.
func ExampleContext(ctx *Context) *Context {
	c := &Context{Root: ctx.Root, Home: ctx.Home, Tmp: ctx.Tmp, PathField: ctx.PathField}
	if c.Tmp == "" {
		c.Tmp = "/tmp"
	}
	if c.Root == "" || within(c.Root, c.Tmp) {
		c.Root = "/project"
	}
	if c.Home == "" || within(c.Home, c.Tmp) {
		c.Home = "/home/user"
	}
	return c
}

// examples judges the lines of all rules of the files that loaded and notes
// those that do not do what they say.
func (l *loader) examples(set *Set) (failed bool) {
	ctx := ExampleContext(l.o.Context)
	for _, d := range l.docs {
		if len(d.problems) > 0 {
			continue
		}
		for _, own := range d.Rules {
			i := slices.IndexFunc(set.Rules, func(r Rule) bool {
				base, _, _ := strings.Cut(r.ID, "@")
				return (r.ID == own.ID || base == own.ID) && r.Pos == own.pos() && r.Layer == own.Layer
			})
			if i < 0 || len(own.examples) == 0 {
				continue
			}
			rule, problems := compile(&set.defs[i], ctx)
			if len(problems) > 0 {
				continue
			}
			for _, e := range own.examples {
				if msg := l.o.Judge(set, &rule, e); msg != "" {
					d.problem(e.Line, own.ID, msg)
					failed = true
				}
			}
		}
		d.sortProblems()
	}
	return failed
}
