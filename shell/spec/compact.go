package spec

import (
	"encoding"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Options are most of a spec. In the embedded data each is one short text,
// because a hook that runs git decodes thirty of them:
//
//	-f,--force [dest] [type] [attributes]
//
// dest is "." when the flags give it; type is one letter of typeLetters;
// attributes are letters, and "x=value" for those with a value.

const typeLetters = "sbcliaomg" // by Type

var (
	_ encoding.TextMarshaler   = Option{}
	_ encoding.TextUnmarshaler = (*Option)(nil)
)

// MarshalText writes the option in the form above.
func (o Option) MarshalText() ([]byte, error) {
	dest := o.Dest
	if dest == destOf(o) {
		dest = "."
	}
	parts := []string{strings.Join(o.Flags, ","), dest, typeLetters[o.Type : o.Type+1]}
	var attrs []string
	for _, a := range []struct {
		on     bool
		letter string
	}{{o.Global, "g"}, {o.New, "n"}, {o.Many, "m"}, {o.NewMany, "M"}, {o.Rest, "r"}, {o.Digits, "d"}, {o.Pair, "k"}, {o.Ends, "e"}} {
		if a.on {
			attrs = append(attrs, a.letter)
		}
	}
	if o.Path != ByName {
		attrs = append(attrs, "p="+strconv.Itoa(int(o.Path)))
	}
	if o.Role != "" {
		attrs = append(attrs, "R="+o.Role)
	}
	if o.Wrapper != "" {
		attrs = append(attrs, "W="+strings.ReplaceAll(o.Wrapper, " ", "+"))
	}
	if len(o.Choices) > 0 {
		attrs = append(attrs, "C="+strings.ReplaceAll(strings.Join(o.Choices, "|"), " ", "+"))
	}
	return []byte(strings.TrimRight(strings.Join(append(parts, attrs...), " "), " ")), nil
}

// UnmarshalText reads it.
func (o *Option) UnmarshalText(b []byte) error {
	text := string(b)
	flags, text, _ := strings.Cut(text, " ")
	dest, text, _ := strings.Cut(text, " ")
	kind, text, _ := strings.Cut(text, " ")
	o.Flags = strings.Split(flags, ",")
	t := strings.Index(typeLetters, kind)
	if t < 0 || len(kind) != 1 {
		return fmt.Errorf("option %q: no type %q", b, kind)
	}
	o.Type = Type(t)
	if o.Dest = dest; dest == "." {
		o.Dest = destOf(*o)
	}
	for text != "" {
		var a string
		a, text, _ = strings.Cut(text, " ")
		switch name, val, _ := strings.Cut(a, "="); name {
		case "g":
			o.Global = true
		case "n":
			o.New = true
		case "m":
			o.Many = true
		case "M":
			o.NewMany = true
		case "r":
			o.Rest = true
		case "d":
			o.Digits = true
		case "k":
			o.Pair = true
		case "e":
			o.Ends = true
		case "p":
			n, err := strconv.Atoi(val)
			if err != nil {
				return fmt.Errorf("option %q: %w", b, err)
			}
			o.Path = PathKind(n)
		case "R":
			o.Role = val
		case "W":
			o.Wrapper = strings.ReplaceAll(val, "+", " ")
		case "C":
			o.Choices = strings.Split(strings.ReplaceAll(val, "+", " "), "|")
		default:
			return fmt.Errorf("option %q: unknown attribute %q", b, name)
		}
	}
	return nil
}

// Records writes a command as the embedded data has it: the command without
// its subcommands, then each subcommand by itself. The path is its index key.
func (c *Command) Records(path string, emit func(path string, aliases []string, c *Command) error) error {
	own := *c
	own.Subs, own.Lazy = nil, len(c.Subs) > 0
	if err := emit(path, c.Aliases, &own); err != nil {
		return err
	}
	for _, s := range c.Subs {
		if err := s.Records(path+" "+s.Name, emit); err != nil {
			return err
		}
	}
	return nil
}

// sub returns the subcommand with that name or alias: the rule files' own, the
// bundled one, or both together.
func (c *Command) sub(name string) *Command {
	own := c.ownSub(name)
	var base *Command
	if c.Lazy {
		base = c.set.record(c.key + " " + name)
		if base == nil && own != nil {
			base = c.set.record(c.key + " " + own.Name)
		}
	}
	if own == nil && base != nil {
		own = c.ownSub(base.Name)
	}
	var out *Command
	switch {
	case own == nil:
		out = base
	case base == nil || own.Replace:
		out = own
	default:
		out = merge(base, own)
	}
	if out != nil && c.retool[0] != "" {
		d := *out
		d.retool = c.retool
		if rest, ok := strings.CutPrefix(d.Tool, c.retool[0]); ok {
			d.Tool = c.retool[1] + rest
		}
		out = &d
	}
	return out
}

func (c *Command) ownSub(name string) *Command {
	for _, s := range c.Subs {
		if s.Name == name || slices.Contains(s.Aliases, name) {
			return s
		}
	}
	return nil
}

func (c *Command) hasSubs() bool { return c.Lazy || len(c.Subs) > 0 }

// Subcommands lists the subcommands, bundled ones included, sorted by name.
func (c *Command) Subcommands() []*Command {
	names := map[string]bool{}
	for _, s := range c.Subs {
		names[s.Name] = true
	}
	if c.Lazy {
		for _, n := range c.set.below(c.key) {
			names[n] = true
		}
	}
	var out []*Command
	for n := range names {
		out = append(out, c.sub(n))
	}
	slices.SortFunc(out, func(a, b *Command) int { return strings.Compare(a.Name, b.Name) })
	return out
}
