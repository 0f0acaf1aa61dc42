package spec

// A Command is the spec of one program or subcommand (shell.md 5). The JSON
// keys are short: it is the form in which specs are embedded.
type Command struct {
	Name        string       `json:"n"`
	Tool        string       `json:"t,omitempty"` // of a subcommand: the last part only; "": from Name
	Aliases     []string     `json:"a,omitempty"`
	NewAliases  []string     `json:"na,omitempty"` // those of Aliases that the peer does not know
	Options     []Option     `json:"o,omitempty"`
	Positionals []Positional `json:"p,omitempty"`
	Subs        []*Command   `json:"s,omitempty"`
	Effects     []EffectSpec `json:"e,omitempty"`
	Run         []RunSpec    `json:"r,omitempty"`
	Derive      []string     `json:"d,omitempty"`
	AfterDash   string       `json:"ad,omitempty"` // field for the words after "--"
	AfterNew    bool         `json:"an,omitempty"` // the peer has no such field: they are operands like those before
	Numeric     string       `json:"nu,omitempty"` // dest that "-5" sets
	Like        string       `json:"l,omitempty"`  // command whose spec this one shares under its own name
	Any         string       `json:"y,omitempty"`  // how undeclared subcommands are read: aws, az, gcloud, words
	Posix       bool         `json:"px,omitempty"`
	KeyValue    bool         `json:"kv,omitempty"`
	Negations   bool         `json:"ng,omitempty"`
	Abbrev      bool         `json:"ab,omitempty"`
	AnyDash     bool         `json:"dd,omitempty"` // dashes: any
	OldBundle   bool         `json:"ob,omitempty"`
	Expression  bool         `json:"ex,omitempty"`
	New         bool         `json:"w,omitempty"`   // not known to the peer
	PathsOpen   bool         `json:"up,omitempty"`  // unknown_paths: it touches files its words do not name
	Off         []string     `json:"off,omitempty"` // boolean keys given as false
	Replace     bool         `json:"x,omitempty"`   // extend: false; meaningful in a rule file only
	Lazy        bool         `json:"h,omitempty"`   // bundled: its subcommands stand in the index, each on its own
	Examples    []Example    `json:"-"`
	Line        int          `json:"-"` // where it was declared

	set    *Set   // of a bundled command: where its subcommands are
	key    string // its own name there: "git stash"
	retool [2]string
}

// A Type is the shape of an option's value.
type Type uint8

// The types. Str is the default.
const (
	Str      Type = iota
	Bool          // false when absent
	Count         // 0 when absent, one more each time
	List          // every value
	Int           // a number; text that is none stays text
	Attached      // a boolean with a value only when it is glued on: -i.bak
	Optional      // a boolean whose =value goes to <dest>_value
	Map           // a list of k=v, as a map
	Glued         // a value only when glued on or after "=": --prune=now, -j4; true without
)

// An Option is one option of a command.
type Option struct {
	Flags   []string
	Dest    string
	Type    Type
	Choices []string
	Role    string
	Wrapper string // of a role line or code: how cli.wrapper names it
	Global  bool
	Path    PathKind
	New     bool
	Many    bool // type list: takes every following word up to the next option
	NewMany bool // many, where the peer takes one word as text
	Rest    bool // takes all words behind: a list of them, or (type str) their text joined by blanks
	Pair    bool // type map: takes two words, name and value (jq --arg a 1)
	Ends    bool // options end behind its value (java -jar x.jar)
	Digits  bool // type glued: a next word of digits is the value, too (make -j 4); attached: the value is digits, other letters may follow (perl -lne)
	Help    string
}

// A PathKind says whether values are paths, and what a relative one starts from.
type PathKind uint8

// The kinds. ByName is the default: the names of shell.md 5 are path fields.
const (
	ByName    PathKind = iota
	IsPath             // from the working directory, moved by roles "cwd"
	NoPath             //
	StartPath          // from the directory the command is started in, whatever -C says
	AnyHost            // as IsPath, but host:path and URLs are not ours
	NewPath            // as IsPath, where the peer keeps the text as typed
	TypedPath          // a path that stays as typed, but is one when rules compare it (the script of python)
)

// A Positional is an operand, or a run of operands.
type Positional struct {
	Name    string   `json:"n"`
	Nargs   string   `json:"k,omitempty"` // "" exactly one, "?", "*", "+"
	Choices []string `json:"c,omitempty"`
	Unless  []string `json:"u,omitempty"` // absent when one of these is set
	Dashed  string   `json:"d,omitempty"` // a word of "-" and these letters is this operand (chmod -x f)
	Role    string   `json:"r,omitempty"`
	Path    PathKind `json:"p,omitempty"`
	New     bool     `json:"w,omitempty"`
}

// An EffectSpec is one entry of effects.
type EffectSpec struct {
	Op        string   `json:"o"` // send: read, of files that values name as "@f"
	Fields    []string `json:"f"`
	When      string   `json:"w,omitempty"` // a field that must be set, "!field" that must not
	Recursive string   `json:"r,omitempty"` // "true", or a field
}

// A RunSpec says which words a command runs (shell.md 3.2).
type RunSpec struct {
	From        string `json:"f"` // a field, or argv: all words after the options
	Kind        string `json:"k"` // argv, line, remote, package
	Remote      string `json:"rm,omitempty"`
	Wrapper     string `json:"wr,omitempty"`
	When        string `json:"w,omitempty"`  // as of effects
	Program     string `json:"pg,omitempty"` // a field that names the program, of which From is the words
	Repeated    bool   `json:"rp,omitempty"`
	Conditional bool   `json:"cd,omitempty"`
}

// An Example is a line a spec promises to read.
type Example struct {
	Line string
	Tool string
	Args map[string]any
	Pos  int // line in the file
}
