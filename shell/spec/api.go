package spec

import (
	"maps"

	"github.com/agentltl/agentltl-hook/trace"
)

// A Word is one word of a command after quote removal, braces and known
// variables. Parts that only the shell knows stay as typed.
type Word struct {
	Text  string
	Known bool // Text is what the program gets
	Glob  bool // Text has unquoted glob characters; it is still Known
	Split bool // not known, and an unknown part is unquoted: it may become several words, or none
	Open  bool // not known, and it begins with an unknown part: it may turn out to be a flag
}

// A Parsed is what the words of one command come to.
type Parsed struct {
	Tool    string
	Args    trace.Args // the fields of the spec, absent ones with their zero value (false, 0, null, [])
	Forms   []Form     // how the same call is also named (shell.md 5.6); see NamedForms
	Fields  []Field    // where each value of Args comes from, in the order of the spec
	Effects []Effect   // from the spec; redirections are not in them
	Roles   []Role     // values of options that change the reading of the rest
	Run     []Run      // what the words make the command run
	Secret  []string   // fields whose values must not be shown
	// PathsUnknown: the command touches files that its words do not name (patch).
	PathsUnknown bool
	// Matched: a spec covers every word ("spec_matched"; false too when there is no spec).
	Matched bool
	// Specced: there is a spec for the program.
	Specced bool
	// DynamicTool: the word that would name the subcommand is not known; Tool is unknown_command.
	DynamicTool bool
	// UnknownArgs: a word may turn out to be a flag, or several words.
	UnknownArgs bool
	Unsure      []string // fields that an ambiguous abbreviation may set
	Opaque      string   // code, when the words hold program text (shell.md 3.2)
}

// A Field says where the value of one argument comes from.
type Field struct {
	Name  string
	Path  bool // its values are paths: relative ones are meant from the working directory, changed by roles "cwd"
	Start bool // a path that roles "cwd" of the same command do not move (tar -f)
	// From holds the sources of the values, one per element: the argument is a
	// list exactly when it is one in Args. Empty for booleans and counts.
	From  []Value
	Typed bool // a path that the peer keeps as typed
}

// A Value is a piece of text and the word it was found in.
type Value struct {
	Text  string // as it stands in Args, before paths are made absolute
	Word  int    // index into the words given; -1: derived
	Plain bool   // among paths, this one is none: host:path, a URL, s3://...
}

// An Effect is an effect with its targets not yet made absolute.
type Effect struct {
	Op        string // read write append truncate delete meta exec net
	Targets   []Value
	Recursive bool
	Maybe     bool // even when the targets are exact
	Start     bool // as Field.Start
}

// A Role is the value of an option, or operand, with a role (shell.md 5).
type Role struct {
	Role    string // cwd code config env secret url load program (line and argv come back as Run), and script: text of the input runs
	Field   string
	Value   Value
	Wrapper string // of a code: how cli.wrapper names it: "python -c"
}

// A Run is something the words make the command run.
type Run struct {
	Kind    string // argv: a command; line: a line of shell text; remote: words joined by blanks, a line there
	Words   []Value
	Remote  string // host, container, chroot; "" here
	Wrapper string // how cli.wrapper names it: "docker exec"
	// Repeated: it runs any number of times (git submodule foreach);
	// Conditional: it may not run at all (git grep -O).
	Repeated, Conditional bool
}

// A Form is another reading of the call. A patch is the call's own arguments
// with some replaced and some left out.
type Form struct {
	Tool  string
	Args  trace.Args
	Patch bool
	Drop  []string
}

// unknownIn is what of a call's unknown_paths says something of other arguments.
func unknownIn(args trace.Args, unknown any) any {
	fields, ok := unknown.([]any)
	if !ok {
		return unknown
	}
	var out []any
	for _, f := range fields {
		if _, ok := args[f.(string)]; ok {
			out = append(out, f)
		}
	}
	if out == nil {
		return nil
	}
	return out
}

// NamedForms makes the forms of a call, given its finished arguments (paths
// absolute, redirections added).
func (p *Parsed) NamedForms(args trace.Args) []trace.Form {
	var out []trace.Form
	for _, f := range p.Forms {
		if !f.Patch {
			a := maps.Clone(f.Args)
			for _, r := range []string{"redirect_to", "overwrite_to", "redirect_from"} {
				if v, ok := args[r]; ok {
					a[r] = v // redirections belong to the call, however it is named
				}
			}
			if v := unknownIn(a, args["unknown_paths"]); v != nil {
				a["unknown_paths"] = v
			}
			out = append(out, trace.Form{Tool: f.Tool, Args: a})
			continue
		}
		a := maps.Clone(args)
		for _, d := range f.Drop {
			delete(a, d)
		}
		maps.Copy(a, f.Args)
		out = append(out, trace.Form{Tool: f.Tool, Args: a})
	}
	return out
}
