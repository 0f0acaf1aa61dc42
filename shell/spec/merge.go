package spec

import "slices"

// merge is base with what own says on top: options by flag, a new one replacing
// any old one that shares a flag; subcommands by name, recursively; other keys
// replaced where own has them.
func merge(base, own *Command) *Command {
	out := *base
	if own.Tool != "" {
		out.Tool = own.Tool
	}
	out.Aliases = slices.Concat(base.Aliases, own.Aliases)
	out.Options = mergeOptions(base.Options, own.Options)
	out.Subs = mergeSubs(base.Subs, ownSubs(own))
	if own.Positionals != nil {
		out.Positionals = own.Positionals
	}
	if own.Effects != nil {
		out.Effects = own.Effects
	}
	if own.Run != nil {
		out.Run = own.Run
	}
	if own.Derive != nil {
		out.Derive = own.Derive
	}
	set(&out.AfterDash, own.AfterDash)
	set(&out.Numeric, own.Numeric)
	set(&out.Like, own.Like)
	set(&out.Any, own.Any)
	flag(&out.Posix, own, own.Posix, "posix")
	flag(&out.KeyValue, own, own.KeyValue, "key_value")
	flag(&out.Negations, own, own.Negations, "negations")
	flag(&out.Abbrev, own, own.Abbrev, "abbrev")
	flag(&out.AnyDash, own, own.AnyDash, "dashes")
	flag(&out.OldBundle, own, own.OldBundle, "old_bundle")
	flag(&out.Expression, own, own.Expression, "expression")
	flag(&out.New, own, own.New, "new")
	flag(&out.AfterNew, own, own.AfterNew, "after_new")
	flag(&out.PathsOpen, own, own.PathsOpen, "unknown_paths")
	out.Examples = own.Examples
	return &out
}

func set(to *string, from string) {
	if from != "" {
		*to = from
	}
}

// flag sets a boolean key that own has, true or false.
func flag(to *bool, own *Command, on bool, key string) {
	if on || slices.Contains(own.Off, key) {
		*to = on
	}
}

func mergeOptions(base, own []Option) []Option {
	if len(own) == 0 {
		return base
	}
	var out []Option
	for _, o := range base {
		shares := slices.ContainsFunc(own, func(n Option) bool {
			return slices.ContainsFunc(n.Flags, func(f string) bool { return slices.Contains(o.Flags, f) })
		})
		if !shares {
			out = append(out, o)
		}
	}
	return append(out, own...)
}

// ownSubs lists the subcommands of a spec that goes on top of another one. A
// bundled one ("like") has them in the index.
func ownSubs(c *Command) []*Command {
	if c.Lazy {
		return c.Subcommands()
	}
	return c.Subs
}

func mergeSubs(base, own []*Command) []*Command {
	out := slices.Clone(base)
	for _, n := range own {
		i := slices.IndexFunc(out, func(c *Command) bool { return c.Name == n.Name || slices.Contains(c.Aliases, n.Name) })
		switch {
		case i < 0:
			out = append(out, n)
		case n.Replace:
			out[i] = n
		default:
			out[i] = merge(out[i], n)
		}
	}
	return out
}

// likeness is base under another command's name: its tools begin with that
// name, and the peer knows none of it.
func likeness(base, c *Command) *Command {
	out := merge(base, c)
	out.Name, out.Tool, out.Aliases, out.Like = c.Name, c.Tool, c.Aliases, ""
	out.New = true
	// Tool names given in full change their first part: docker_rmi of "docker
	// image rm" is podman_rmi.
	out.retool = [2]string{toolOf(base) + "_", toolOf(out) + "_"}
	return out
}

func toolOf(c *Command) string {
	if c.Tool != "" {
		return c.Tool
	}
	return Normalize(c.Name)
}
