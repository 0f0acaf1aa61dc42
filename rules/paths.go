package rules

import (
	"path"
	"strings"
	"unicode"

	"github.com/agentltl/agentltl-hook/trace"
)

// isPathField says whether an argument of this name holds paths (rules.md 6).
func isPathField(name string) bool {
	switch name {
	case "path", "paths", "file", "files", "directory", "sources", "destination", "destination_dir",
		"of", "if", "archive", "input", "patchfile", "patches", "script_file", "program_file",
		"output", "file_path", "notebook_path", "redirect_to", "redirect_from", "overwrite_to":
		return true
	}
	return false
}

func isRedirect(name string) bool {
	return name == "redirect_to" || name == "redirect_from" || name == "overwrite_to"
}

// asWritten says whether a text is only ever compared as written: flags, web
// addresses and the empty text are no paths.
func asWritten(s string) bool {
	return s == "" || s[0] == '-' || strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// absolute makes a path absolute from the working directory: ~ is the home
// folder, "." and ".." are folded by text, links are not followed.
func (ctx *Context) absolute(s, dir string) string {
	switch {
	case s == "~":
		s = ctx.Home
	case strings.HasPrefix(s, "~/"):
		s = ctx.Home + s[1:]
	}
	if !strings.HasPrefix(s, "/") {
		if dir == "" {
			dir = ctx.Root
		}
		s = dir + "/" + s
	}
	return path.Clean(s)
}

// maxPath is the longest text that is taken for a path.
const maxPath = 4096

// spellings are the forms of one text that a pattern is tried on.
type spellings struct {
	raw, abs, rel, base string
	path                bool // abs, rel and base are set; rel is "" outside the root
	// Without path only a long text has a base.
}

// A text that is too long for a path has no folder to be looked for in.
func (ctx *Context) spell(s, dir string) spellings {
	if asWritten(s) {
		return spellings{raw: s}
	}
	if len(s) > maxPath {
		return spellings{raw: s, base: s[strings.LastIndexByte(s, '/')+1:]}
	}
	p := spellings{raw: s, abs: ctx.absolute(s, dir), path: true}
	p.rel = ctx.relative(p.abs)
	p.base = p.abs[strings.LastIndexByte(p.abs, '/')+1:]
	return p
}

// relative gives an absolute path relative to the root ("." for the root
// itself), "" when it is not below it. A session in a link to its project names
// files by either path.
func (ctx *Context) relative(abs string) string {
	if rel := relativeTo(ctx.Root, abs); rel != "" {
		return rel
	}
	return relativeTo(ctx.Real, abs)
}

func relativeTo(root, abs string) string {
	if root == "" {
		return ""
	}
	if abs == root {
		return "."
	}
	if root == "/" {
		return abs[1:]
	}
	if strings.HasPrefix(abs, root) && abs[len(root)] == '/' {
		return abs[len(root)+1:]
	}
	return ""
}

// matches tries a pattern on all spellings.
func (p *spellings) matches(g *glob) bool {
	if g.match(p.raw) {
		return true
	}
	if !p.path {
		return p.base != "" && !g.slash && len(p.base) < len(p.raw) && g.match(p.base)
	}
	return g.match(p.abs) || p.rel != "" && g.match(p.rel) || !g.slash && g.match(p.base)
}

// expand replaces ${root} ${home} ${tmp} ${cwd} in a pattern by the folder
// written literally; ${cwd} needs a call and is left when dir is "".
func (ctx *Context) expand(pattern, dir string, quote func(string) string) string {
	if !strings.Contains(pattern, "${") {
		return pattern
	}
	for _, v := range [...][2]string{{"${root}", ctx.Root}, {"${home}", ctx.Home}, {"${tmp}", ctx.Tmp}, {"${cwd}", dir}} {
		if v[1] != "" {
			pattern = strings.ReplaceAll(pattern, v[0], quote(v[1]))
		}
	}
	return pattern
}

// texts collects the text in a value: text itself, and lists of text, nested
// ones too. Maps are looked into only when deep.
func texts(v any, deep bool, out []string) []string {
	switch v := v.(type) {
	case string:
		return append(out, v)
	case []any:
		for _, e := range v {
			out = texts(e, deep, out)
		}
	case map[string]any:
		if deep {
			for _, k := range sortedKeys(v) {
				out = texts(v[k], deep, out)
			}
		}
	}
	return out
}

// lookup finds an argument: by its own name, else along a.b and a[*].b.
// env_set holds the NAME=value prefixes of a command.
func lookup(c *trace.Call, args trace.Args, name string) (any, bool) {
	if v, ok := args[name]; ok {
		return v, true
	}
	if name == "env_set" && c.CLI != nil && len(c.CLI.Env) > 0 {
		list := make([]any, 0, len(c.CLI.Env))
		for _, k := range sortedKeys(c.CLI.Env) {
			list = append(list, k+"="+c.CLI.Env[k])
		}
		return list, true
	}
	if !strings.ContainsAny(name, ".[") {
		return nil, false
	}
	return reach(map[string]any(args), name)
}

// reach follows a dotted path; [*] stands for every element of a list. What is
// found in several elements comes back as one list.
func reach(v any, dotted string) (any, bool) {
	if dotted == "" {
		return v, true
	}
	if rest, ok := strings.CutPrefix(dotted, "[*]"); ok {
		list, ok := v.([]any)
		if !ok {
			return nil, false
		}
		var out []any
		for _, e := range list {
			if w, ok := reach(e, strings.TrimPrefix(rest, ".")); ok {
				if inner, ok := w.([]any); ok {
					out = append(out, inner...)
				} else {
					out = append(out, w)
				}
			}
		}
		return out, len(out) > 0
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	// The longest name first: a key may itself hold a dot.
	if w, ok := m[dotted]; ok {
		return w, true
	}
	for i := len(dotted) - 1; i > 0; i-- {
		if dotted[i] != '.' && dotted[i] != '[' {
			continue
		}
		w, ok := m[dotted[:i]]
		if !ok {
			continue
		}
		if w, ok := reach(w, strings.TrimPrefix(dotted[i:], ".")); ok {
			return w, true
		}
	}
	return nil, false
}

// printable drops what could steer a terminal or hide text: control characters
// but newline and tab, bidirectional overrides, zero-width and tag characters
// (trust.md 2).
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069,
			r >= 0x200b && r <= 0x200f, r == 0x2060, r == 0xfeff, r == 0x061c, r >= 0xe0000 && r <= 0xe007f:
			return -1
		}
		return r
	}, s)
}
