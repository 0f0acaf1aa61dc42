package rules

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
	// LastGood is the resolved form of the last files of a layer that loaded, by
	// key (see [Set.Resolved]); nil: none is known.
	LastGood func(key string) ([]byte, bool)
	// Judge checks one example of a rule of the set; "" if it does what it says,
	// else the problem. nil: examples are not checked.
	Judge func(s *Set, r *Rule, e Example) string
}
