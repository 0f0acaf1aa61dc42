package shell

import "strings"

// runnerArgs is what the words of a runner come to.
type runnerArgs struct {
	command []word // the program it runs and its words
	lines   []word // texts it hands to a shell
	chdir   []word
	assigns []word
	unset   []word
	prog    *word
	flags   []string // options seen, without values
	nothing bool     // an option says that nothing is run
	clear   bool
	operand bool // some operand was there
	unsure  bool // a value may fall into several words, of which one is the program
}

func (a *runnerArgs) flag(list string) bool {
	for _, f := range a.flags {
		if has(list, f) {
			return true
		}
	}
	return false
}

// parse reads a runner's words behind its name. A word that is not known counts
// as an operand.
func (r *runner) parse(words []word) runnerArgs {
	var a runnerArgs
	skip := r.skip
	i := 0
	for ; i < len(words); i++ {
		u := words[i]
		if r.after != "" && has(r.after, u.text) {
			a.flags = append(a.flags, u.text)
			a.command = words[i+1:]
			return a.named(r, words[i])
		}
		if !u.known || !isOption(u.text) {
			if !a.operand && has(r.subs, u.text) {
				a.nothing = true
				return a
			}
			if r.assign && !r.mixed && u.assigns() {
				a.assigns = append(a.assigns, u)
				a.unsure = a.unsure || u.split
				continue
			}
			if skip > 0 {
				skip--
				a.operand = true
				continue
			}
			if r.after != "" {
				continue // a value of an option in front of it
			}
			if r.data || r.mixed && !a.flag(r.argv) && !r.isScript() {
				a.operand = true
				continue
			}
			break
		}
		if u.text == "--" {
			if r.name == "env" {
				// Assignments may follow.
				i++
				for i < len(words) && words[i].assigns() {
					a.assigns = append(a.assigns, words[i])
					a.unsure = a.unsure || words[i].split
					i++
				}
				break
			}
			i++
			for skip > 0 && i < len(words) {
				skip--
				i++
				a.operand = true
			}
			break
		}
		i += r.option(&a, words[i:])
	}
	if r.after != "" {
		if a.prog != nil {
			return a.named(r, *a.prog)
		}
		return a
	}
	if r.data {
		return a
	}
	a.command = words[min(i, len(words)):]
	if r.prog != "" {
		return a.named(r, word{})
	}
	if r.name == "su" {
		// The command is a line only; what follows the user goes to the shell.
		a.command = nil
	}
	a.operand = a.operand || len(a.command) > 0
	return a
}

// named puts the program that an option names in front of its words.
func (a runnerArgs) named(r *runner, at word) runnerArgs {
	switch {
	case a.prog != nil:
		a.command = append([]word{*a.prog}, a.command...)
	case r.as != "":
		a.command = append([]word{literal(r.as, at.pos)}, a.command...)
	case r.prog != "":
		a.command = nil
	}
	return a
}

func (r *runner) isScript() bool { return r.name == "script" || r.name == "flock" }

func isOption(s string) bool {
	return len(s) > 1 && s[0] == '-' || s == "-" || len(s) > 1 && s[0] == '+' && isDigits(s[1:])
}

// isAssignment says whether a word is NAME=value as env and sudo read it.
func isAssignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && name != "" && !strings.Contains(name, "/")
}

// assigns says whether a word is NAME=value, whatever the value.
func (u word) assigns() bool {
	if u.known {
		return isAssignment(u.text)
	}
	return len(u.pieces) > 0 && u.pieces[0].known && isAssignment(u.pieces[0].text)
}

// option reads one option word and says how many further words it took.
func (r *runner) option(a *runnerArgs, words []word) int {
	t := words[0].text
	if t == "-" {
		a.see(r, "-")
		return 0
	}
	if strings.HasPrefix(t, "--") || !r.bundles(t) {
		name, _, glued := strings.Cut(t, "=")
		if glued && r.valued(name) {
			a.value(r, name, words[0].cut(len(name)+1))
			return 0
		}
		a.see(r, name)
		switch {
		case has(r.two, name):
			return min(2, len(words)-1)
		case has(r.glued, name):
		case r.valued(name):
			if len(words) > 1 {
				a.value(r, name, words[1])
			}
			return min(1, len(words)-1)
		}
		return 0
	}
	for j := 1; j < len(t); j++ {
		name := "-" + t[j:j+1]
		a.see(r, name)
		if has(r.two, name) {
			return min(2, len(words)-1)
		}
		if !r.valued(name) {
			continue
		}
		if j+1 < len(t) {
			a.value(r, name, words[0].cut(j+1))
			return 0
		}
		if has(r.glued, name) {
			return 0
		}
		if len(words) > 1 {
			a.value(r, name, words[1])
		}
		return min(1, len(words)-1)
	}
	return 0
}

// valued says whether an option takes a value.
func (r *runner) valued(name string) bool {
	return has(r.opts, name) || has(r.line, name) || has(r.chdir, name) || has(r.prog, name)
}

// bundles says whether a word with one dash is letters: a long option with one
// dash is listed whole.
func (r *runner) bundles(t string) bool {
	return len(t) <= 2 || !r.valued(t) && !has(r.none, t) && !has(r.two, t)
}

func (a *runnerArgs) see(r *runner, name string) {
	a.flags = append(a.flags, name)
	a.nothing = a.nothing || has(r.none, name)
	a.clear = a.clear || has(r.clear, name)
}

func (a *runnerArgs) value(r *runner, name string, u word) {
	switch {
	case has(r.line, name):
		a.lines = append(a.lines, u)
	case has(r.chdir, name):
		a.chdir = append(a.chdir, u)
	case has(r.prog, name):
		if a.prog == nil || name == "-a" || name == "--startas" {
			a.prog = &u
		}
	case r.name == "env" && has("-u --unset", name):
		a.unset = append(a.unset, u)
	}
}
